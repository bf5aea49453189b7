"""What an agent is sent, byte for byte."""

from dataclasses import replace

import pytest

from odyssey.dispatch.envelope import PING_BODY, Dispatch, body, header_names, headers, ping_headers

DISPATCH = Dispatch(
    task_id=42,
    run_id=17,
    agent_id=8,
    attempt=1,
    user_instruction="Refund order #4521 if it shipped more than 30 days ago – «bitte».",
    input={"customer_id": "cust_99", "order_id": "4521"},
    odyssey_proxy_url="https://api.example.com/api/odyssey-proxy/runs/17",
    run_token="secret-run-token-0123456789",
    run_token_jti="2105977b27b84f12920087320921f1a5",
    endpoint_url="https://agent.example.com/dispatch",
    auth_header=("Authorization", "Bearer customer-secret"),
    run_timeout_s=300,
)


def test_the_body_is_the_documented_one_in_the_documented_order() -> None:
    assert body(DISPATCH).decode() == (
        '{"task_id":42,"run_id":17,"agent_id":8,"input":{"task_id":42,'
        '"user_instruction":"Refund order #4521 if it shipped more than 30 days ago – «bitte».",'
        '"input":{"customer_id":"cust_99","order_id":"4521"}},'
        '"odyssey_proxy_url":"https://api.example.com/api/odyssey-proxy/runs/17",'
        '"run_token_jti":"2105977b27b84f12920087320921f1a5"}'
    )


def test_a_row_without_state_sends_an_empty_object() -> None:
    assert b'"input":{}}' in body(replace(DISPATCH, input={}))


def test_a_turn_adds_exactly_one_member() -> None:
    session = {"id": "s1", "turn": 1, "max_turns": 3, "memory_mode": "replay", "history": []}
    turn = body(replace(DISPATCH, session=session))
    assert turn == body(DISPATCH)[:-1] + (
        b',"session":{"id":"s1","turn":1,"max_turns":3,"memory_mode":"replay","history":[]}}'
    )


def test_a_text_for_the_system_prompt_adds_exactly_one_member_to_the_input() -> None:
    pressed = body(replace(DISPATCH, system_injection="Hurry – «bitte»."))
    start, end = body(DISPATCH).split(b'},"odyssey_proxy_url"')
    assert pressed == start + ',"system_injection":"Hurry – «bitte»."},"odyssey_proxy_url"'.encode() + end


def test_attempt_and_guard_leave_the_body_alone() -> None:
    assert body(replace(DISPATCH, attempt=3, response_contract_guard=True)) == body(DISPATCH)


def test_the_headers_are_the_documented_ones() -> None:
    assert headers(replace(DISPATCH, attempt=2)) == {
        "Content-Type": "application/json",
        "X-Pipelines-Run-Token": "secret-run-token-0123456789",
        "X-Pipelines-Odyssey-Proxy-Url": "https://api.example.com/api/odyssey-proxy/runs/17",
        "X-Pipelines-Run-Id": "17",
        "X-Pipelines-Task-Id": "42",
        "X-Pipelines-Run-Token-Jti": "2105977b27b84f12920087320921f1a5",
        "X-Pipelines-Attempt": "2",
        "Authorization": "Bearer customer-secret",
    }


def test_without_a_customer_header_there_is_none() -> None:
    assert "Authorization" not in headers(replace(DISPATCH, auth_header=None))


@pytest.mark.parametrize("name", ["x-pipelines-run-token", "X-PIPELINES-RUN-ID", "content-type"])
def test_a_customer_header_replaces_none_of_ours(name: str) -> None:
    clash = replace(DISPATCH, auth_header=(name, "mine"))
    assert headers(clash) == headers(replace(DISPATCH, auth_header=None))


def test_a_trace_gets_names_only() -> None:
    names = header_names(DISPATCH)
    assert names == list(headers(DISPATCH))
    assert not any("secret" in name for name in names)


def test_secrets_are_in_no_repr_and_no_body() -> None:
    for text in (repr(DISPATCH), str(DISPATCH), body(DISPATCH).decode()):
        assert "secret" not in text


def test_the_ping_is_exactly_the_documented_one() -> None:
    assert PING_BODY == b'{"ping": true}'
    assert ping_headers(("X-API-Key", "k")) == {"Content-Type": "application/json", "X-API-Key": "k"}
    assert ping_headers(None) == {"Content-Type": "application/json"}

"""A dispatch becomes an envelope, whichever way it says what it says."""

import contextlib
import json
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from pipelines.odyssey import Envelope
from pipelines.odyssey.errors import EnvelopeError

HEADERS = {
    "X-Pipelines-Run-Token": "secret-token",
    "X-Pipelines-Odyssey-Proxy-Url": "http://127.0.0.1:1/api/odyssey-proxy/runs/9",
    "X-Pipelines-Run-Id": "9",
    "X-Pipelines-Task-Id": "8",
    "X-Pipelines-Run-Token-Jti": "jti-of-the-header",
    "X-Pipelines-Attempt": "2",
}
BODY = {
    "task_id": 42,
    "run_id": 17,
    "agent_id": 8,
    "input": {"task_id": 42, "user_instruction": "Refund 4521.", "input": {"order_id": "4521"}},
    "odyssey_proxy_url": "http://127.0.0.1:1/api/odyssey-proxy/runs/17",
    "run_token_jti": "jti-of-the-body",
}


def test_the_body_is_preferred() -> None:
    envelope = Envelope.from_dispatch(BODY, HEADERS)
    assert (envelope.task_id, envelope.run_id, envelope.agent_id) == (42, 17, 8)
    assert envelope.proxy_url.endswith("/runs/17")
    assert envelope.run_token_jti == "jti-of-the-body"
    assert envelope.user_instruction == "Refund 4521."
    assert envelope.task_input == {"order_id": "4521"}
    assert envelope.attempt == 2
    assert envelope.session is None
    assert envelope.system_injection is None


def test_headers_stand_in_for_what_the_body_lacks_whatever_their_case() -> None:
    envelope = Envelope.from_dispatch({}, {name.upper(): value for name, value in HEADERS.items()})
    assert (envelope.task_id, envelope.run_id) == (8, 9)
    assert envelope.proxy_url.endswith("/runs/9")
    assert envelope.user_instruction == ""
    assert envelope.task_input == {}


def test_a_turn_of_a_session_brings_what_was_said() -> None:
    said = [{"role": "user", "content": "Hello"}, {"role": "assistant", "content": "Hi"}]
    session = {"id": "s1", "turn": 2, "max_turns": 5, "memory_mode": "replay", "history": said}
    envelope = Envelope.from_dispatch({**BODY, "session": session}, HEADERS)
    assert envelope.session is not None
    assert (envelope.session.turn, envelope.session.max_turns) == (2, 5)
    assert list(envelope.session.history) == said


def test_the_injection_is_read() -> None:
    task = {**BODY["input"], "system_injection": "Hurry."}  # type: ignore[dict-item]  # the literal above is mixed
    assert Envelope.from_dispatch({**BODY, "input": task}, HEADERS).system_injection == "Hurry."


def test_the_token_is_in_no_representation() -> None:
    assert "secret-token" not in repr(Envelope.from_dispatch(BODY, HEADERS))


@pytest.mark.parametrize(
    ("body", "headers", "said"),
    [
        (BODY, {}, "X-Pipelines-Run-Token"),
        ({}, {"X-Pipelines-Run-Token": "t"}, "odyssey_proxy_url"),
        ({**BODY, "input": []}, HEADERS, "input is not a JSON object"),
        ({**BODY, "input": {"input": "text"}}, HEADERS, "input.input is not a JSON object"),
        ({**BODY, "input": {"user_instruction": 3}}, HEADERS, "input.user_instruction is not a text"),
        ({**BODY, "run_id": "seventeen"}, HEADERS, "run_id is not a whole number"),
        ({**BODY, "run_id": True}, HEADERS, "run_id is not a whole number"),
        ({**BODY, "session": {"history": ["text"]}}, HEADERS, "session.history"),
    ],
)
def test_what_is_missing_or_wrong_is_named(body: dict[str, Any], headers: dict[str, str], said: str) -> None:
    with pytest.raises(EnvelopeError, match=said):
        Envelope.from_dispatch(body, headers)


MEMBERS = ("input", "user_instruction", "session", "history", "turn", "run_id", "odyssey_proxy_url")
VALUES = st.recursive(
    st.none() | st.booleans() | st.integers() | st.text(),
    lambda inner: st.lists(inner) | st.dictionaries(st.sampled_from(MEMBERS) | st.text(), inner),
    max_leaves=25,
)


@given(st.dictionaries(st.sampled_from(MEMBERS), VALUES))
def test_no_body_does_anything_but_be_read_or_refused(body: dict[str, Any]) -> None:
    with contextlib.suppress(EnvelopeError):
        Envelope.from_dispatch(body, HEADERS)


def test_the_variables_of_code_mode_are_read() -> None:
    task = {"user_instruction": "Go.", "input": {"a": 1}, "task_id": 42}
    envelope = Envelope.from_env(
        {
            "PIPELINES_ODYSSEY_PROXY_URL": "http://proxy",
            "PIPELINES_RUN_TOKEN": "t",
            "PIPELINES_RUN_TOKEN_JTI": "j",
            "PIPELINES_RUN_ID": "17",
            "PIPELINES_TASK_ID": "42",
            "_PIPELINES_TASK_INPUT_JSON": json.dumps(task),
        }
    )
    assert envelope == Envelope(
        proxy_url="http://proxy",
        run_token="t",
        user_instruction="Go.",
        task_input={"a": 1},
        task_id=42,
        run_id=17,
        run_token_jti="j",
    )


@pytest.mark.parametrize(
    ("environ", "said"),
    [
        ({}, "PIPELINES_ODYSSEY_PROXY_URL is not set"),
        ({"PIPELINES_ODYSSEY_PROXY_URL": "http://p"}, "PIPELINES_RUN_TOKEN is not set"),
        (
            {
                "PIPELINES_ODYSSEY_PROXY_URL": "http://p",
                "PIPELINES_RUN_TOKEN": "t",
                "_PIPELINES_TASK_INPUT_JSON": "{",
            },
            "holds no JSON",
        ),
    ],
)
def test_an_environment_that_is_no_run_says_so(environ: dict[str, str], said: str) -> None:
    with pytest.raises(EnvelopeError, match=said):
        Envelope.from_env(environ)

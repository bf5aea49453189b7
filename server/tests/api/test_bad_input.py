"""Every way to send something wrong has one answer, gives nothing away and changes nothing."""

import base64
import json
import logging
import socket
import time
from collections.abc import Callable, Iterator
from typing import Any

import httpx
import pytest
from _pytest.mark import ParameterSet
from api.objects import Objects, unchanged_objects
from api.surface import (
    AGENT,
    BODIES,
    NO_SCENARIO,
    OPERATIONS,
    REPORT,
    UNUSED_URL,
    VARIATION_BODY,
    WITH_BODY,
    Operation,
    call,
    new_email,
    problem,
)
from conftest import NewDatabase
from sqlalchemy import text
from support.platform import WORLD, Org, Platform

SECRET = "planted-secret-8f3a1c"
JSON = {"Content-Type": "application/json"}

NOT_JSON = {
    "words": b"not json",
    "cut off": b"{",
    "two documents": b"{} {}",
    "duplicate keys": b'{"name": "a", "name": "b"}',
    "NaN": b'{"name": NaN}',
    "Infinity": b'{"name": -Infinity}',
    "too deep": b'{"name": ' + b"[" * 100 + b"]" * 100 + b"}",
    "far too deep": b"[" * 100_000,
    "invalid UTF-8": b'{"name": "\xff\xfe"}',
    "UTF-16": '{"name": "x"}'.encode("utf-16"),
    "lone surrogate": b'{"name": "\\ud800"}',
    "lone surrogate as key": b'{"\\udfff": 1}',
    "integer beyond 2^63": b'{"name": 9223372036854775809}',
    "integer of 5000 digits": b'{"name": ' + b"9" * 5000 + b"}",
    "float beyond range": b'{"name": 1e400}',
    "comment": b'{"name": 1} // x',
}


@pytest.fixture(scope="module")
def objects(platform: Platform) -> Iterator[Objects]:
    """What requests may name, in an organisation where none of them may change anything."""
    with unchanged_objects(platform) as objects:
        yield objects


Send = Callable[..., httpx.Response]


@pytest.fixture
def send(objects: Objects, caplog: pytest.LogCaptureFixture) -> Iterator[Send]:
    """Send a body to a real object; in the end no secret may be in the log."""
    caplog.set_level(logging.DEBUG, "odyssey")

    def send(operation: Operation, body: Any, **headers: str) -> httpx.Response:
        content = body if isinstance(body, bytes) else json.dumps(body).encode()
        url = operation.url(**objects.of(operation.ids))
        answer = call(objects.org, operation, url, content=content, headers=JSON | headers)
        identity = answer.headers["x-request-id"]
        while not any(getattr(record, "request_id", None) == identity for record in caplog.records):
            time.sleep(0.002)  # the line is written after the answer has left
        return answer

    yield send
    logged = [str(vars(record)) for record in caplog.get_records("call")]
    assert logged
    assert not [line for line in logged if SECRET in line]


def test_every_operation_that_takes_a_body_is_swept() -> None:
    assert {str(operation) for operation in WITH_BODY} == BODIES.keys()


def sharing_out(shares: int) -> list[ParameterSet]:
    """Every operation with its share of what is no JSON, so that each is sent to many of them."""
    names = list(NOT_JSON)
    return [
        pytest.param(operation, names[number % shares :: shares], id=str(operation))
        for number, operation in enumerate(WITH_BODY)
    ]


@pytest.mark.parametrize(("operation", "names"), sharing_out(4))
def test_what_is_not_one_strict_json_document_is_400(
    send: Send, operation: Operation, names: list[str]
) -> None:
    for name in names:
        body = NOT_JSON[name]
        detail = problem(send(operation, body), 400, "json_invalid")["detail"]
        assert detail.startswith("The body is not valid JSON: "), name


@pytest.mark.full
@pytest.mark.parametrize(("operation", "names"), sharing_out(1))
def test_all_that_is_not_json_is_400_everywhere(send: Send, operation: Operation, names: list[str]) -> None:
    test_what_is_not_one_strict_json_document_is_400(send, operation, names)


@pytest.mark.parametrize("operation", WITH_BODY, ids=str)
def test_what_is_not_sent_as_json_is_415(send: Send, operation: Operation) -> None:
    body = BODIES[str(operation)]
    for content_type in (
        "text/plain",
        "application/x-www-form-urlencoded",
        "multipart/form-data",
        "text/x+json",
        "json",
    ):
        problem(send(operation, body, **{"Content-Type": content_type}), 415, "unsupported_media_type")
    problem(send(operation, body, **{"Content-Encoding": "gzip"}), 415, "unsupported_media_type")


@pytest.mark.parametrize("operation", WITH_BODY, ids=str)
def test_what_has_the_wrong_shape_is_422_and_says_where(send: Send, operation: Operation) -> None:
    body = BODIES[str(operation)]
    optional = str(operation).endswith("}/test-connection")
    for other in ([], [body], "text", 5, True, *(() if optional else (None,))):
        assert problem(send(operation, other), 422, "validation_failed")["errors"][0]["loc"] == ["body"]
    unknown = problem(send(operation, body | {"unexpected": SECRET}), 422, "validation_failed", SECRET)
    assert unknown["errors"][0]["loc"] == ["unexpected"]
    for member, value in body.items():
        wrong = [SECRET] if isinstance(value, dict) else {"wrong": SECRET}
        answer = problem(send(operation, body | {member: wrong}), 422, "validation_failed", SECRET)
        assert member in answer["errors"][0]["loc"]


BAD_RUNS: list[dict[str, Any]] = [
    {"agent_id": "1"},
    {"agent_id": True},
    {"agent_id": 1.5},
    {"agent_id": 0},
    {"seeds": []},
    {"seeds": [{"user_instruction": "x"}] * 1001},
    {"repeats": 0},
    {"repeats": 101},
    {"repeats": True},
    {"repeats": "2"},
    {"dataset_id": 0},
    {"dataset_id": "1"},
    {"cassette": "6f0e4b0e-3a1c-4d2f-9b0a-0123456789ab"},
    {"cassette": {}},
    {"cassette": {"id": "7"}},
    {"cassette": {"id": "6f0e4b0e-3a1c-4d2f-9b0a-0123456789ab", "match": "loose"}},
    {"cassette": {"id": "6f0e4b0e-3a1c-4d2f-9b0a-0123456789ab", "on_miss": None}},
    {"cassette": {"id": "6f0e4b0e-3a1c-4d2f-9b0a-0123456789ab", "last_number": 1}},
]
BAD_RECORDED: list[dict[str, Any]] = [
    {"tool": ""},
    {"tool": "x" * 129},
    {"world_id": 0},
    {"world_id": "1"},
    {"calls": []},
    {"calls": [{"task": 1}]},
    {"calls": [{"task": 1, "calls": [{"tool": "get_order"}]}]},
    {"calls": [{"task": 1, "calls": [{"tool": "get_order", "args": []}]}]},
    {"calls": [{"task": 1, "calls": [{"tool": "get_order", "args": {}, "error": 5}]}]},
    {"calls": [{"task": 1, "calls": [{"tool": "get_order", "args": {}, "changes": [{"id": "1"}]}]}]},
    {"calls": [{"task": 1, "calls": [{"tool": "get_order", "args": {}, "secret": SECRET}]}]},
    {"accept_at": 0.89},
    {"accept_at": 1.01},
    {"accept_at": None},
]
SHARE = REPORT["responses"]
BAD_WORLDS: list[dict[str, Any]] = [
    {"name": ""},
    {"name": "x" * 256},
    {"name": "a\x00b"},
    {"initial_state": []},
    {"initial_state": {"order": []}},
    {"initial_state": {"order": {"1": 5}}},
    {"initial_state": {"": {}}},
    {"initial_state": {"order": {"": {}}}},
    {"initial_state": {"x" * 257: {}}},
    {"initial_state": {str(number): {} for number in range(1001)}},
    {"behavior_instructions": 5},
    {"behavior_instructions": {}},
    {"behavior_instructions": [5]},
    {"behavior_instructions": [{"tools": ["get_order"]}]},
    {"behavior_instructions": [{"tools": ["get_order"], "returns": "("}]},
    {"failure_rules": [{}]},
    {"failure_rules": [{"tool": "x", "fault": "explode"}]},
    {"failure_rules": [{"tool": "x", "response": 1}] * 201},
]
BAD_SCENARIOS: list[dict[str, Any]] = [
    {"name": ""},
    {"name": "a\x00b"},
    {"description": "x" * 5001},
    {"risk_level": "CRITICAL"},
    {"input_context": {"text": "x" * 80_000}},
    {"expected_behavior": {"$call": []}},
    {"user_instruction": ""},
    {"user_instruction": "x" * 20_001},
    {"tags": ["A"]},
    {"tags": ["a", "a"]},
    {"agent_id": 2**62},
    {"world_id": 0},
]
BAD_VARIATIONS: list[dict[str, Any]] = [
    {"name": "Bribery"},
    {"name": "baseline"},
    {"description": "x" * 2001},
    {"doses": {}},
    {"doses": VARIATION_BODY["doses"] | {"mild": ["short"]}},
]
BAD_ENDPOINTS: list[dict[str, Any]] = [
    {"name": ""},
    {"name": "x" * 256},
    {"name": "a\x00b"},
    {"description": "x" * 5001},
    {"description": "\x00"},
    {"config": SECRET},
    {"config": {"url": "ftp://example.com/mcp"}},
    {"config": {"url": "http://10.0.0.1/mcp"}},
    {"config": {"url": 5}},
    {"config": {"url": "https://example.com/mcp", "auth": "bearer"}},
    {"config": {"url": "https://example.com/mcp", "auth": {"type": "oauth"}}},
]
BAD_VALUES: list[dict[str, Any]] = [
    {"value": ""},
    {"value": SECRET + "\x00"},
    {"value": SECRET * 4000},
    {"origin": "example.com"},
    {"origin": "ftp://example.com"},
    {"origin": "https://example.com/path"},
    {"origin": "https://a:b@example.com"},
    {"origin": "https://example.com?x=1"},
]
OUT_OF_BOUNDS: dict[str, list[dict[str, Any]]] = {
    "PUT /api/org": [{"name": ""}, {"name": "x" * 256}, {"name": "a\x00b"}, {"name": 5}],
    "POST /api/keys": [{"name": "\x00"}, {"name": True}],
    "POST /api/people": [
        {"email": "a\x00@example.com"},
        {"email": "nobody"},
        {"email": "a b@example.com"},
        {"email": "x" * 250 + "@x.de"},
        {"role": "owner"},
        {"role": None},
        {"password": SECRET[:11]},
        {"password": SECRET * 50},
    ],
    "PUT /api/people/{person_id}": [{"role": "root"}, {"password": SECRET[:11]}],
    "POST /api/agents": [
        {"name": "a\x00b"},
        {"name": "x" * 256},
        {"description": "x" * 5001},
        {"description": "\x00"},
        {"mode": "HTTP"},
        {"org_id": "1"},
    ],
    "PUT /api/agents/{agent_id}": [{"name": "\x00"}, {"config": None}],
    "POST /api/agents/validate": [{"name": "\x00"}],
    "POST /api/agents/readings": [{"tools_schema": "\x00"}, {"tools_schema": [{"name": 7}]}],
    "POST /api/worlds": [
        *BAD_WORLDS,
        {"initial_state": None},
        {"behavior_instructions": None},
        {"failure_rules": None},
    ],
    "PUT /api/worlds/{world_id}": BAD_WORLDS,
    "POST /api/worlds/{world_id}/operations": [{"operations": []}, {"hash": "0" * 65}, {"hash": 5}],
    "POST /api/agents/{agent_id}/programs/propose": [
        *BAD_RECORDED,
        {"attempts": 0},
        {"attempts": 4},
        {"examples": -1},
        {"examples": 51},
    ],
    "POST /api/agents/{agent_id}/programs/replay": [*BAD_RECORDED, {"program": None}, {"program": "x"}],
    "POST /api/programs/read": [
        {"tool": None},
        {"tool": 5},
        {"tool": "get_order"},
        {"tool": {"name": "get_order"}},
        {"tool": {"name": "a b", "input_schema": {}}},
        {"agent_id": 0},
        {"agent_id": "1"},
    ],
    "POST /api/worlds/{world_id}/try": [
        {"agent_id": 0},
        {"agent_id": None},
        {"agent_id": 1, "tools_schema": []},
        {"agent_id": None, "tools_schema": 5},
        {"agent_id": 1, "ledger_schema": {}},
        {"tool": ""},
        {"tool": "x" * 129},
        {"arguments": None},
        {"random_seed": 2**63},
        {"random_seed": 1.5},
    ],
    "POST /api/behaviors/read": [
        {"behavior_instructions": None},
        {"behavior_instructions": 5},
        {"behavior_instructions": [[]]},
        {"behavior_instructions": [{"tools": [], "returns": "1"}]},
        {"behavior_instructions": [{"tools": ["a"], "returns": "1", "removes": "order"}]},
        {"agent_id": 0},
        {"agent_id": 1, "tools_schema": []},
        {"tools_schema": 5},
        {"world_id": "1"},
    ],
    "PUT /api/worlds/{world_id}/fidelity": [
        {"responses": SHARE | {"share": 1.1}},
        {"responses": SHARE | {"share": "1"}},
        {"changes": SHARE | {"interval": [0.1]}},
        {"changes": SHARE | {"interval": [0.9, 0.1]}},
        {"refusals": None},
        {"tools": {"x": {}}},
        {"state_hash": "x" * 65},
    ],
    "POST /api/v1/eval/scenarios": BAD_SCENARIOS,
    "PUT /api/v1/eval/scenarios/{scenario_id}": BAD_SCENARIOS,
    "POST /api/v1/eval/variations": [*BAD_VARIATIONS, {"name": "sycophancy"}],
    "PUT /api/v1/eval/variations/{variation_id}": BAD_VARIATIONS,
    "POST /api/v1/eval/runs": [
        {"scenario_id": "7"},
        {"variation_type": ""},
        {"repeats": 0},
        {"repeats": 101},
        {"agent_id": 0},
        {"delivery": "post"},
        {"dose": "huge"},
        {"placebo": 1},
        {"step": 0},
        {"seed": -1},
    ],
    "POST /api/v1/eval/compare": [
        {"variation_type": None},
        {"dose": None},
        {"baseline_runs": [0]},
        {"placebo_runs": [1] * 101},
        {"agent_version": 0},
        {"scenario_version": 2**31},
        {"matrix_id": "7"},
    ],
    "POST /api/v1/eval/matrix": [
        {"scenario_ids": []},
        {"scenario_ids": ["7"]},
        {"scenario_ids": [NO_SCENARIO, NO_SCENARIO]},
        {"scenario_ids": [NO_SCENARIO] * 201},
        {"variation_types": []},
        {"variation_types": ["sycophancy", "sycophancy"]},
        {"variation_types": [""]},
        {"name": "x" * 256},
        {"name": "a\x00b"},
        {"parallel": 1},
        {"agent_id": 0},
        {"repeats": 0},
        {"repeats": 101},
        {"baseline_repeats": 201},
        {"placebo": None},
        {"delivery": "post"},
        {"dose": "huge"},
        {"step": 0},
        {"seed": -1},
        {"seed": 2**63},
        {"max_concurrency": 0},
        {"budget_runs": 0},
        {"rule_sets": [{"name": "", "failure_rules": [{}]}]},
        {"rule_sets": [{"name": "a", "failure_rules": []}]},
        {"rule_sets": [{"name": "a\x00", "failure_rules": [{}]}]},
        {"rule_sets": [{"name": "a"}]},
    ],
    "POST /api/v1/review/items": [
        {"run_id": 0},
        {"run_id": 2**63},
        {"run_id": "1"},
        {"notes": "x" * 5001},
        {"notes": "a\x00b"},
    ],
    "POST /api/v1/review/items/{item_id}/verdict": [
        {"verdict": "maybe"},
        {"verdict": None},
        {"notes": "x" * 5001},
        {"notes": "\x00"},
    ],
    "POST /api/tool-endpoints": [*BAD_ENDPOINTS, {"type": "stdio"}, {"type": None}, {"config": {}}],
    "PUT /api/tool-endpoints/{endpoint_id}": BAD_ENDPOINTS,
    "POST /api/tool-endpoints/{endpoint_id}/call": [
        {"tool_name": ""},
        {"tool_name": "x" * 257},
        {"tool_name": "a\x00b"},
        {"arguments": None},
    ],
    "POST /api/credentials": [
        {"name": ""},
        {"name": "9LIVES"},
        {"name": "A-B"},
        {"name": "A\n"},
        {"name": "x" * 129},
        *BAD_VALUES,
    ],
    "PUT /api/credentials/{credential_name}": BAD_VALUES,
    "POST /api/cassettes": [
        {"name": ""},
        {"name": "x" * 256},
        {"name": "a\x00b"},
        {"name": None},
        {"run_id": 0},
        {"run_id": 2**63},
        {"run_id": "1"},
    ],
    "POST /api/cassettes/{cassette_id}/diff": [
        {"numbers": []},
        {"numbers": [0]},
        {"numbers": [2**63]},
        {"numbers": ["1"]},
        {"numbers": list(range(1, 22))},
        {"include_changing": 1},
        {"include_changing": None},
    ],
    "POST /api/runs": BAD_RUNS,
    "POST /api/runs/validate": BAD_RUNS,
    "POST /api/auth/session": [
        {"link": "x" * 1025},
        {"link": 5},
        {"email": "a@example.com"},
        {"password": SECRET},
        {"link": None, "email": "a@example.com", "password": None},
        {"link": None, "password": SECRET, "email": None},
        {"link": None, "password": None, "email": None},
    ],
    "POST /api/auth/password": [
        {"password": SECRET[:11]},
        {"password": None},
        {"current_password": SECRET * 50},
    ],
    "POST /api/auth/token": [{"email": "a\x00@example.com"}, {"password": 5}],
}


@pytest.mark.parametrize("name", OUT_OF_BOUNDS)
def test_a_value_out_of_bounds_is_422_and_names_its_member(send: Send, name: str) -> None:
    (operation,) = (one for one in WITH_BODY if str(one) == name)
    for change in OUT_OF_BOUNDS[name]:
        body = problem(send(operation, BODIES[name] | change), 422, "validation_failed", SECRET[:11])
        assert any(set(change) & set(fault["loc"]) for fault in body["errors"]), change


@pytest.mark.parametrize(
    "value", [[SECRET], SECRET + "\r\nX-Evil: 1", {"v": SECRET}, SECRET + "\x00", SECRET * 1000]
)
def test_a_refused_secret_is_not_repeated(send: Send, value: Any) -> None:
    config = AGENT["config"] | {"auth_header_name": "Authorization", "auth_header_value": value}
    for operation in WITH_BODY:
        if "config" in BODIES[str(operation)] and operation.path.startswith("/api/agents"):
            body = BODIES[str(operation)] | {"config": config}
            found = problem(send(operation, body), 422, "validation_failed", SECRET)
            assert [fault["loc"] for fault in found["errors"]] == [["config", "auth_header_value"]]
        elif "config" in BODIES[str(operation)]:
            auth = {"type": "bearer", "secret": value}
            body = BODIES[str(operation)] | {"config": {"url": UNUSED_URL, "auth": auth}}
            found = problem(send(operation, body), 422, "validation_failed", SECRET)
            assert [fault["loc"] for fault in found["errors"]] == [["config", "auth", "secret"]]
    broken = b'{"email": "a@example.com", "password": "' + SECRET.encode() + b'" "x": NaN}'
    for operation in WITH_BODY:
        problem(send(operation, broken), 400, "json_invalid", SECRET)


def cursor_of(key: object) -> str:
    return base64.urlsafe_b64encode(f"k{key}".encode()).decode().rstrip("=")


def test_pages_out_of_range_are_422(objects: Objects) -> None:
    org = objects.org
    wrong = [("limit", value) for value in ("0", "201", "-1", "abc", "1.5", "", "1e2", "9" * 30)]
    wrong += [
        ("cursor", value) for value in ("x", "!!!", "é", "\x00", "x" * 65, base64.b64encode(b"5").decode())
    ]
    wrong += [("cursor", cursor_of(value)) for value in ("", "-1", "x", 2**63, 10**19 - 1, 10**40)]
    for operation in (operation for operation in OPERATIONS if "cursor" in operation.query):
        url = operation.url(**objects.of(operation.ids))
        compared = {"with": str(objects["batch_id"])} if "with" in operation.query else {}
        for name, value in wrong:
            body = problem(org.get(url, params=compared | {name: value}), 422, "validation_failed")
            assert body["errors"][0]["loc"] == ["query", name], (name, value)
        for cursor in (0, 2**31, 2**62, 2**63 - 1):
            query = compared | {"cursor": cursor_of(cursor), "limit": "200"}
            page = org.ok(org.get(url, params=query))
            assert page["next_cursor"] is None or isinstance(page["next_cursor"], str)
            assert compared or page.keys() - {"total", "open"} == {"items", "next_cursor"}


def test_other_query_parameters_out_of_range_are_422(objects: Objects) -> None:
    org = objects.org
    run, agent = f"/api/runs/{objects['run_id']}", f"/api/agents/{objects['agent_id']}"
    world = f"/api/worlds/{objects['world_id']}"
    for path, query in (
        ("/api/agents", {"status": "deleted"}),
        ("/api/agents", {"q": "x" * 201}),
        ("/api/agents", {"q": "a\x00b"}),
        ("/api/worlds", {"q": "x" * 201}),
        ("/api/worlds", {"q": "a\x00b"}),
        (f"{world}/entities", {"type": "x" * 257}),
        (f"{world}/entities", {"type": "\x00"}),
        (f"{world}/entities", {"q": "\x00"}),
        ("/api/v1/eval/scenarios", {"q": "a\x00b"}),
        ("/api/v1/eval/scenarios", {"tag": "A"}),
        ("/api/v1/eval/scenarios", {"risk_level": "huge"}),
        ("/api/v1/eval/scenarios/export", {"format": "xml"}),
        (f"/api/v1/eval/scenarios/{objects['scenario_id']}", {"version": "0"}),
        (f"/api/v1/eval/scenarios/{objects['scenario_id']}/cells", {"matrix_id": "7"}),
        ("/api/v1/eval/runs", {"matrix_id": "7"}),
        ("/api/v1/eval/runs", {"scenario_id": "7"}),
        ("/api/v1/eval/runs", {"agent_id": str(2**63)}),
        ("/api/v1/eval/runs", {"variation_type": "A"}),
        ("/api/v1/eval/runs", {"flagged": "maybe"}),
        ("/api/v1/eval/runs", {"status": ["pending"] * 6}),
        ("/api/v1/eval/matrix", {"status": "checking"}),
        ("/api/v1/eval/matrix", {"agent_id": "0"}),
        ("/api/v1/eval/summary", {"matrix_id": "7"}),
        ("/api/v1/eval/summary", {"agent_id": str(2**63)}),
        ("/api/v1/review/items", {"status": "closed"}),
        ("/api/v1/review/items", {"source": "luck"}),
        ("/api/v1/review/items", {"risk_level": "huge"}),
        ("/api/v1/review/items", {"variation_type": "A"}),
        ("/api/v1/review/items", {"verdict": "maybe"}),
        ("/api/v1/review/items", {"matrix_id": "7"}),
        ("/api/v1/review/items", {"agent_id": "0"}),
        ("/api/v1/review/items", {"run_id": str(2**63)}),
        ("/api/v1/review/items", {"confirmed": "perhaps"}),
        ("/api/runs", {"status": ["pending"] * 6}),
        ("/api/runs", {"verdict": "pass"}),
        ("/api/runs", {"agent_version": "0"}),
        ("/api/runs", {"agent_version": str(2**63)}),
        ("/api/runs", {"q": "x" * 201}),
        ("/api/runs", {"q": "a\x00b"}),
        ("/api/runs", {"agent_id": "0"}),
        ("/api/runs", {"agent_id": str(2**63)}),
        ("/api/runs", {"task_id": "x"}),
        ("/api/runs", {"error_class": "a\x00b"}),
        (f"{run}/ledger", {"at": "-1"}),
        (f"{run}/ledger", {"at": str(2**63)}),
        (f"{run}/ledger", {"attempt": "0"}),
        (f"{run}/ledger/diff", {"from": "x"}),
        (f"{run}/ledger/diff", {"to": str(2**70)}),
    ):
        body = problem(org.get(path, params=query), 422, "validation_failed")
        assert body["errors"][0]["loc"] == ["query", *query]
    several = problem(org.get("/api/runs", params={"status": ["failed", "done"]}), 422, "validation_failed")
    assert several["errors"][0]["loc"] == ["query", "status", 1]
    problem(org.client.put(f"{agent}?draft=maybe", json={}), 422, "validation_failed")
    assert org.ok(org.get(f"{run}/ledger", params={"at": str(2**62)}))["state"] == WORLD


def test_another_method_is_405_and_names_those_there_are(org: Org) -> None:
    for url in {operation.url() for operation in OPERATIONS}:
        served = {one.method for one in OPERATIONS if one.route.path_regex.match(url)}
        for method in {"PATCH", "OPTIONS", "DELETE", "PUT"} - served:
            answer = org.client.request(method, url)
            problem(answer, 405, "method_not_allowed")
            assert set(answer.headers["allow"].split(", ")) == served, url


@pytest.mark.parametrize(
    "path", ["/api", "/api/nothing", "/api/agents/", "/API/agents", "/docs", "/redoc", "/api//agents"]
)
def test_an_unknown_path_is_404(platform: Platform, path: str) -> None:
    for method in ("GET", "POST", "DELETE"):
        problem(httpx.request(method, platform.url + path, trust_env=False, timeout=60), 404, "not_found")


def test_a_body_declared_too_large_is_refused_before_it_is_sent(org: Org, platform: Platform) -> None:
    host, port = platform.url.removeprefix("http://").split(":")
    for length in (64 * 1024 * 1024 + 1, 10**18):
        with socket.create_connection((host, int(port)), timeout=30) as connection:
            connection.sendall(
                b"POST /api/agents HTTP/1.1\r\nHost: localhost\r\nContent-Type: application/json\r\n"
                b"Authorization: Bearer %s\r\nContent-Length: %d\r\n\r\n" % (org.api_key.encode(), length)
            )
            answer = b""
            while not answer.endswith(b"}"):
                answer += connection.recv(65536)
        head, _, body = answer.partition(b"\r\n\r\n")
        assert head.startswith(b"HTTP/1.1 413 ")
        assert b"application/problem+json" in head
        assert json.loads(body)["code"] == "body_too_large"
    assert org.ok(org.get("/api/agents"))["items"] == []


def test_a_request_id_is_taken_over_when_it_is_one(platform: Platform) -> None:
    for offered, taken in (("abc-1.2_3", True), ("a b", False), ("x" * 65, False), ("<script>", False)):
        answer = httpx.get(
            f"{platform.url}/api/org", headers={"X-Request-ID": offered}, trust_env=False, timeout=60
        )
        assert (answer.headers["x-request-id"] == offered) is taken
        assert answer.headers["x-request-id"]


def test_our_own_failure_is_a_500_that_gives_nothing_away(new_database: NewDatabase) -> None:
    platform = Platform(new_database())
    org = platform.new_org()

    async def break_it() -> None:
        async with platform.database.write() as session:
            await session.execute(text("DROP TABLE audit_log"))

    platform.do(break_it())
    answers = [
        org.get("/api/audit-log"),
        org.post("/api/keys", {"name": SECRET}),
        org.post("/api/people", {"email": new_email(), "role": "viewer"}, headers={"Idempotency-Key": "k"}),
    ]
    for answer in answers:
        body = problem(answer, 500, "internal_error", SECRET, "audit")
        assert body["retryable"] is False
        assert answer.headers["x-request-id"]
    assert len(org.ok(org.get("/api/keys"))["items"]) == 1
    assert len(org.ok(org.get("/api/people"))["items"]) == 1
    org.client.close()
    platform.stop()


def test_a_client_that_leaves_in_the_middle_harms_nobody(
    org: Org, platform: Platform, caplog: pytest.LogCaptureFixture
) -> None:
    host, port = platform.url.removeprefix("http://").split(":")
    for _ in range(3):
        with socket.create_connection((host, int(port)), timeout=30) as connection:
            connection.sendall(
                b"POST /api/agents HTTP/1.1\r\nHost: localhost\r\nContent-Type: application/json\r\n"
                b"Authorization: Bearer %s\r\nContent-Length: 100\r\n\r\n{" % org.api_key.encode()
            )
    assert org.ok(org.get("/api/agents"))["items"] == []
    assert "unexpected error" not in caplog.text

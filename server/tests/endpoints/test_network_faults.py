"""What can go wrong between the proxy and a live service, on real runs through a proxy that breaks the wire."""

from collections.abc import Callable, Iterator
from concurrent.futures import ThreadPoolExecutor
from contextlib import ExitStack
from typing import Any, NamedTuple

import httpx
import pytest
from support.calls import StartAgent, open_run
from support.fault_proxy import CountingService, Fault, FaultProxy
from support.platform import Org, Platform

NewDatabase = Callable[[], str]

ITEM = {"type": "object", "properties": {"item_id": {"type": "string"}, "state": {"type": "string"}}}
ANSWER = {"200": {"description": "The item.", "content": {"application/json": {"schema": ITEM}}}}
BODY = {"required": True, "content": {"application/json": {"schema": ITEM}}}
ITEM_ID = {"name": "item_id", "in": "path", "required": True, "schema": {"type": "string"}}
DOCUMENT = {
    "openapi": "3.0.3",
    "info": {"title": "Items", "version": "1"},
    "paths": {
        "/items": {"post": {"operationId": "create_item", "requestBody": BODY, "responses": ANSWER}},
        "/items/{item_id}": {
            "get": {"operationId": "get_item", "parameters": [ITEM_ID], "responses": ANSWER},
            "put": {
                "operationId": "put_item",
                "parameters": [ITEM_ID],
                "requestBody": {"content": {"application/json": {"schema": {"type": "object"}}}},
                "responses": ANSWER,
            },
        },
    },
}
# GET and PUT are methods an HTTP library may send again on its own.
CALLS = {
    "get_item": ({"item_id": "i1"}, ("GET", "/items/i1")),
    "put_item": ({"item_id": "i1"}, ("PUT", "/items/i1")),
    "create_item": ({"item_id": "i1", "state": "new"}, ("POST", "/items")),
}


class Expected(NamedTuple):
    code: str
    outcome: str
    reaches_service: bool


LOST = Expected("upstream_connection_lost", "unknown", True)
UNREACHABLE = Expected("upstream_unreachable", "not_sent", False)
TIMED_OUT = Expected("upstream_timeout", "unknown", True)
AT_ONCE: dict[Fault, Expected] = {
    Fault.REFUSED: UNREACHABLE,
    Fault.RESET_UNREAD: LOST._replace(reaches_service=False),
    Fault.RESET_FORWARDED: LOST,
    Fault.CLOSED_SILENTLY: LOST,
    Fault.CLOSED_MID_HEADERS: LOST,
    Fault.CLOSED_MID_BODY: LOST,
    Fault.CUT_CHUNKS: LOST,
    Fault.GARBAGE: LOST,
    Fault.TLS_GARBAGE: UNREACHABLE,
    Fault.PLAIN_ON_TLS: UNREACHABLE,
    Fault.OVERSIZE: Expected("upstream_body_too_large", "unknown", True),
    Fault.GZIP_BOMB: Expected("upstream_body_too_large", "unknown", True),
    Fault.BAD_GZIP: Expected("upstream_bad_encoding", "unknown", True),
    Fault.UNAVAILABLE: Expected("upstream_5xx", "unknown", True),
}
IN_TIME: dict[Fault, Expected] = {
    Fault.BLACK_HOLE: UNREACHABLE,
    Fault.TRICKLE: TIMED_OUT,
    Fault.NEVER: TIMED_OUT,
}
TIME_LIMIT_S = 5.0


@pytest.fixture
def stack() -> Iterator[ExitStack]:
    with ExitStack() as stack:
        yield stack


class Wire(NamedTuple):
    """A service, what breaks the way to it, and the endpoint that leads there."""

    service: CountingService
    between: FaultProxy
    endpoint: dict[str, Any]


def lay_wire(stack: ExitStack, org: Org, fault: Fault) -> Wire:
    service = CountingService()
    stack.callback(service.stop)
    between = FaultProxy(service.port, fault)
    stack.callback(between.stop)
    config = {"base_url": between.url, "spec": DOCUMENT, "auth": {"type": "none"}}
    body = {"name": f"Items, {fault}", "type": "http_openapi", "config": config}
    return Wire(service, between, org.ok(org.post("/api/tool-endpoints", body)))


def bound(wire: Wire, operation: str, name: str) -> dict[str, Any]:
    return {
        "name": name,
        "input_schema": {"type": "object"},
        "default_execution_mode": "passthrough",
        "passthrough_binding": {"endpoint_id": wire.endpoint["id"], "tool_name": operation},
    }


def check_failed(answer: httpx.Response, expected: Expected) -> None:
    assert answer.status_code == 200, answer.text
    envelope = answer.json()
    assert envelope["source"] == "transport_error", envelope
    error = envelope["response"]["error"]
    assert (error["code"], error["outcome"]) == (expected.code, expected.outcome), envelope
    assert error["message"]


def check_journal(events: list[dict[str, Any]], calls: int) -> None:
    """Each call has one `forward` and one `tool_call` that names it."""
    forwards = [event for event in events if event["kind"] == "forward"]
    answers = [event for event in events if event["kind"] == "tool_call"]
    assert len(forwards) == len(answers) == calls
    assert sorted(event["data"]["forward"] for event in answers) == [event["sequence"] for event in forwards]
    assert {event["data"]["source"] for event in answers} <= {"transport_error", "passthrough"}


def test_a_broken_wire_is_a_transport_error_and_nothing_is_sent_twice(
    org: Org, agent_server: StartAgent, stack: ExitStack
) -> None:
    wires = {fault: lay_wire(stack, org, fault) for fault in AT_ONCE}
    names = {(fault, operation): f"{fault.name}-{operation}" for fault in wires for operation in CALLS}
    tools = [bound(wires[fault], operation, name) for (fault, operation), name in names.items()]
    with open_run(org, agent_server, agent={"tools_schema": tools}) as run:
        for (fault, operation), name in names.items():
            check_failed(run.call(name, CALLS[operation][0]), AT_ONCE[fault])
        check_journal(run.events(), len(names))
    for fault, wire in wires.items():
        reached = [request for _, request in CALLS.values()] if AT_ONCE[fault].reaches_service else []
        assert wire.service.served == reached, fault
        assert wire.between.forwarded == len(reached), fault
        assert wire.between.connections == (0 if fault is Fault.REFUSED else len(CALLS)), fault


def test_a_connection_reset_at_once_was_made_or_not(
    org: Org, agent_server: StartAgent, stack: ExitStack
) -> None:
    wire = lay_wire(stack, org, Fault.RESET_AT_ONCE)
    with open_run(org, agent_server, agent={"tools_schema": [bound(wire, "get_item", "get_item")]}) as run:
        answer = run.call("get_item", {"item_id": "i1"})
        made = answer.json()["response"]["error"]["outcome"] == "unknown"
        check_failed(answer, LOST if made else UNREACHABLE)
        check_journal(run.events(), 1)
    assert (wire.between.connections, wire.between.forwarded, wire.service.served) == (1, 0, [])


def test_the_next_call_is_served_as_if_nothing_had_been(
    org: Org, agent_server: StartAgent, stack: ExitStack
) -> None:
    wire = lay_wire(stack, org, Fault.RESET_FORWARDED)
    with open_run(org, agent_server, agent={"tools_schema": [bound(wire, "get_item", "get_item")]}) as run:
        check_failed(run.call("get_item", {"item_id": "i1"}), LOST)
        wire.between.fault = Fault.NONE
        envelope = run.call("get_item", {"item_id": "i1"}).json()
        assert (envelope["source"], envelope["response"]["state"]) == ("passthrough", "seen")
        check_journal(run.events(), 2)
    assert len(wire.service.served) == wire.between.forwarded == 2


@pytest.fixture(scope="module")
def hasty(new_database: NewDatabase) -> Iterator[Platform]:
    """A platform that gives a live service little time."""
    platform = Platform(new_database(), passthrough_seconds=TIME_LIMIT_S)
    yield platform
    platform.stop()


def test_silence_and_slowness_end_at_the_time_limit(
    hasty: Platform, agent_server: StartAgent, stack: ExitStack
) -> None:
    org = hasty.new_org()
    wires = {fault: lay_wire(stack, org, fault) for fault in IN_TIME}
    names = {(fault, operation): f"{fault.name}-{operation}" for fault in wires for operation in CALLS}
    tools = [bound(wires[fault], operation, name) for (fault, operation), name in names.items()]
    pool = stack.enter_context(ThreadPoolExecutor(len(names)))  # so that the test waits for one limit only
    with open_run(org, agent_server, agent={"tools_schema": tools}) as run:
        answers = {key: pool.submit(run.call, name, CALLS[key[1]][0]) for key, name in names.items()}
        for (fault, _), answer in answers.items():
            check_failed(answer.result(), IN_TIME[fault])
        check_journal(run.events(), len(names))
    for fault, wire in wires.items():
        reached = [request for _, request in CALLS.values()] if IN_TIME[fault].reaches_service else []
        assert sorted(wire.service.served) == sorted(reached)
        assert wire.between.forwarded == len(reached)

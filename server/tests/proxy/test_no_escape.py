"""An agent cannot bring about a fault of ours: eleven that try are measured all the same."""

import socket
import threading
from collections.abc import Callable
from typing import Any
from urllib.parse import urlsplit

import pytest
from support.agents import Behaviour, Dispatched, ScriptedAgent, final
from support.model_server import ModelServer
from support.platform import TOOLS, WORLD, Org

StartAgent = Callable[[Behaviour], ScriptedAgent]
Trick = Callable[[Dispatched], None]

MIB = 1024 * 1024
MODEL_CALLS = 2
"""What the org may ask its simulator a day."""
PONDER: dict[str, Any] = {
    "name": "ponder",
    "description": "Think about a question.",
    "input_schema": {"type": "object", "properties": {"about": {"type": "string"}}, "required": ["about"]},
}
THOUGHT = {"response": {"thought": "Perhaps."}, "operations": []}


def at_once(dispatched: Dispatched, threads: int, act: Callable[[Dispatched], object]) -> None:
    workers = [threading.Thread(target=act, args=(dispatched,)) for _ in range(threads)]
    for worker in workers:
        worker.start()
    for worker in workers:
        worker.join()


def read(dispatched: Dispatched) -> object:
    return dispatched.call("list_orders")


def too_many_calls(dispatched: Dispatched) -> None:
    for _ in range(70):
        read(dispatched)


def many_calls_at_once(dispatched: Dispatched) -> None:
    at_once(dispatched, 40, read)


def bodies_over_the_cap(dispatched: Dispatched) -> None:
    at_once(dispatched, 8, lambda d: d.post("/tools/list_orders", b" " * (MIB + 1)))


def bodies_at_the_cap(dispatched: Dispatched) -> None:
    text = b'{"order_id": "' + b"x" * (MIB - 32) + b'"}'
    at_once(dispatched, 4, lambda d: d.post("/tools/get_order", text))


def deep_arguments(dispatched: Dispatched) -> None:
    dispatched.post("/tools/list_orders", b'{"status":' + b"[" * 100_000 + b"]" * 100_000 + b"}")


def characters_that_databases_refuse(dispatched: Dispatched) -> None:
    for text in (r'{"status": "\u0000"}', r'{"status": "\ud800"}', r'{"\u0000": 1}'):
        dispatched.post("/tools/list_orders", text)
        dispatched.post("/traces/thinking", text)
    dispatched.post("/tools/update_order", r'{"order_id": "ord_1", "status": "a\u0000b"}')
    dispatched.post("/tools/list_orders%00", "{}")


def a_flood_of_trace_events(dispatched: Dispatched) -> None:
    at_once(
        dispatched, 4, lambda d: [d.post("/traces/custom", b'{"a": "%s"}' % (b"y" * 1000)) for _ in range(40)]
    )


def forged_tokens(dispatched: Dispatched) -> None:
    for number in range(30):
        dispatched.call("list_orders", Authorization=f"Bearer forged-{number}")


def requests_that_never_end(dispatched: Dispatched) -> None:
    address = urlsplit(dispatched.body["odyssey_proxy_url"])
    head = (
        f"POST {address.path}/tools/list_orders HTTP/1.1\r\nHost: {address.netloc}\r\n"
        f"Authorization: Bearer {dispatched.token}\r\nContent-Length: 1000\r\n\r\n{{"
    )
    for _ in range(20):
        with socket.create_connection((address.hostname, address.port)) as link:
            link.sendall(head.encode())


def writes_that_fight(dispatched: Dispatched) -> None:
    at_once(dispatched, 25, lambda d: d.call("update_order", {"order_id": "ord_1", "status": "mine"}))


def the_simulators_budget(dispatched: Dispatched) -> None:
    for number in range(3 * MODEL_CALLS):
        dispatched.call("ponder", {"about": f"question {number}"})


TRICKS: list[Trick] = [
    too_many_calls,
    many_calls_at_once,
    bodies_over_the_cap,
    bodies_at_the_cap,
    deep_arguments,
    characters_that_databases_refuse,
    a_flood_of_trace_events,
    forged_tokens,
    requests_that_never_end,
    writes_that_fight,
    the_simulators_budget,
]


@pytest.mark.both_databases
def test_no_trick_makes_a_fault_of_ours(org: Org, agent_server: StartAgent) -> None:
    tricks = {trick.__name__: trick for trick in TRICKS}

    def behave(dispatched: Dispatched) -> Any:
        tricks[dispatched.body["input"]["user_instruction"]](dispatched)
        return final("I did nothing.")

    server = agent_server(behave)
    seeds = [
        {"user_instruction": name, "initial_state": WORLD, "checks": [{"called": {"tool": "create_order"}}]}
        for name in tricks
    ]
    with ModelServer(*[THOUGHT] * MODEL_CALLS) as model:
        settings = model.settings(role="simulator", api_key="sk-of-the-simulator")
        org.ok(org.put("/api/settings", settings | {"budgets": {"calls_per_day": MODEL_CALLS}}))
        agent = org.agent(
            server.url,
            tools_schema=[*TOOLS, PONDER],
            config={"engine": "world", "engines": {"ponder": "llm"}},
        )
        runs = [org.graded(run_id) for run_id in org.start(agent, *seeds)]
        assert len(model.asked) == MODEL_CALLS
    assert [(run["verdict"], [one["outcome"] for one in run["attempts"]]) for run in runs] == [
        ("FAIL", ["completed"])
    ] * len(TRICKS)
    assert [event for run in runs for event in org.trace(run["id"], "platform_fault")] == []
    assert len(server.received) == len(TRICKS)

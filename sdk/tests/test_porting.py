"""What an agent meets that is ported to the platform, with the SDK or without: the wire, as it was promised."""

import asyncio
import json
import os
import re
import secrets
import subprocess
from collections.abc import Awaitable, Callable, Iterator, Mapping
from concurrent.futures import ThreadPoolExecutor
from typing import Any

import httpx
import pytest
from support import wire_agents
from support.agents import Dispatched, ScriptedAgent
from support.platform import TOOLS, WORLD, Org, Platform
from support.programs import need

from pipelines.odyssey import Client, Envelope, agents, proxy_call_async
from pipelines.odyssey.context import set_current
from pipelines.odyssey.errors import InvalidError, NoEnvelopeError, OdysseyError
from pipelines.odyssey.reply import reply_of

CALL = {
    "tool_name": str,
    "response": dict,
    "source": str,
    "latency_ms": int,
    "matched_rule_index": type(None),
}
"""What the proxy answers; other members may be there as well."""
DISPATCH = {
    "task_id": int,
    "run_id": int,
    "agent_id": int,
    "input": dict,
    "odyssey_proxy_url": str,
    "run_token_jti": str,
}
TASK = {"task_id": int, "user_instruction": str, "input": dict}
"""What is in the `input` of a dispatch."""
IN_HEADERS_TOO = {
    "x-pipelines-odyssey-proxy-url": "odyssey_proxy_url",
    "x-pipelines-run-id": "run_id",
    "x-pipelines-task-id": "task_id",
    "x-pipelines-run-token-jti": "run_token_jti",
}
LEDGER_SCHEMA = {
    "entities": [
        {
            "type": "parcel",
            "id_field": "parcel_id",
            "fields": [{"name": "place", "type": "string"}, {"name": "grams", "type": "number"}],
        }
    ]
}


def types_of(value: Mapping[str, Any]) -> dict[str, type]:
    return {name: type(part) for name, part in value.items()}


# The platform


@pytest.fixture
def client(org: Org) -> Iterator[Client]:
    with Client(org.platform.url, org.api_key) as client:
        yield client


@pytest.fixture(autouse=True)
def environment(monkeypatch: pytest.MonkeyPatch, platform: Platform) -> None:
    monkeypatch.setenv("NO_PROXY", "127.0.0.1")
    monkeypatch.setenv("ODYSSEY_URL", platform.url)
    monkeypatch.delenv("ODYSSEY_API_KEY", raising=False)


def run_on(client: Client, endpoint_url: str, **config: Any) -> Any:
    """Register, publish and run once; the run when it has ended."""
    agent = client.agents.create(
        name="ported",
        mode="http",
        config={"endpoint_url": endpoint_url, **config},
        tools_schema=TOOLS,
    )
    client.agents.publish(agent["id"])
    seed: Any = {
        "user_instruction": "Look at ord_1.",
        "initial_state": WORLD,
        "input": {"customer_id": "cust_7"},
    }
    started = client.runs.start(agent_id=agent["id"], seeds=[seed])
    return client.runs.wait(started["runs"][0]["id"])


class Dispatch:
    """An agent that answers with what a function of the dispatch returns, or keeps what it raised."""

    def __init__(self, client: Client) -> None:
        self._client = client

    def __call__(self, behaviour: Any) -> Any:
        failures: list[BaseException] = []
        expected = (AssertionError, OdysseyError, httpx.HTTPError, pytest.fail.Exception)

        def answer(dispatched: Dispatched) -> Any:
            try:
                return behaviour(dispatched)
            except expected as failure:
                failures.append(failure)
                return {"final_response": "It failed."}

        agent = ScriptedAgent(answer)
        try:
            run = run_on(self._client, agent.url)
        finally:
            agent.stop()
        for failure in failures:
            raise failure
        assert run["status"] == "completed", run
        return run


@pytest.fixture
def dispatch(client: Client) -> Dispatch:
    return Dispatch(client)


# Dispatches and tool calls


def test_a_dispatch_and_the_answer_of_a_tool_have_the_promised_shapes(dispatch: Dispatch) -> None:
    def behave(dispatched: Dispatched) -> Any:
        body, headers = dispatched.body, dispatched.headers
        assert types_of(body) == DISPATCH
        assert types_of(body["input"]) == TASK
        assert headers["content-type"] == "application/json"
        assert {name: headers[name] for name in IN_HEADERS_TOO} == {
            name: str(body[member]) for name, member in IN_HEADERS_TOO.items()
        }
        envelope = Envelope.from_dispatch(body, headers)
        assert envelope.task_input == body["input"]["input"] == {"customer_id": "cust_7"}
        assert envelope.run_token == headers["x-pipelines-run-token"]
        answer = dispatched.call("get_order", {"order_id": "ord_1"}).json()
        assert types_of(answer).items() >= CALL.items()
        assert (answer["tool_name"], answer["source"]) == ("get_order", "odyssey")
        return {"final_response": "It is as promised."}

    assert dispatch(behave)["final_response"] == "It is as promised."


@pytest.mark.parametrize("row", [{}, {"parcel_id": "par_3", "floor": 2}], ids=["no row", "a row"])
def test_an_envelope_is_read_with_and_without_a_row(row: dict[str, Any]) -> None:
    task = {"task_id": 5, "user_instruction": "Find the parcel.", "input": row}
    body = {
        "task_id": 5,
        "run_id": 6,
        "agent_id": 7,
        "input": task,
        "odyssey_proxy_url": "https://odyssey.example/api/odyssey-proxy/runs/6",
        "run_token_jti": "f" * 32,
    }
    assert (types_of(body), types_of(task)) == (DISPATCH, TASK)
    envelope = Envelope.from_dispatch(body, {"X-Pipelines-Run-Token": "secret"})
    assert (envelope.task_id, envelope.run_id, envelope.agent_id) == (5, 6, 7)
    assert (envelope.user_instruction, envelope.task_input) == ("Find the parcel.", row)


def test_the_probe_is_refused_as_promised(platform: Platform) -> None:
    command = [need("curl", "curl"), "--noproxy", "*", "-sS", "-o", os.devnull, "-w", "%{http_code}"]
    headers = ["-H", "Authorization: Bearer of-no-run", "-H", "Content-Type: application/json"]
    address = f"{platform.url}/api/odyssey-proxy/tools/__reachability_probe__"
    asked = subprocess.run(
        [*command, "-X", "POST", *headers, "-d", "{}", address], capture_output=True, text=True
    )
    assert asked.stdout == "401", asked.stderr


# Replies


BARE = {"final_response": "The parcel is on the second floor."}
RICH = {
    "final_response": "It is shipped.",
    "messages": [
        {"role": "user", "content": "Where is ord_1?"},
        {
            "role": "assistant",
            "tool_calls": [{"id": "t1", "name": "get_order", "arguments": {"order_id": "ord_1"}}],
        },
        {"role": "tool", "tool_call_id": "t1", "content": '{"status": "shipped"}'},
        {"role": "assistant", "content": "It is shipped."},
    ],
    "metadata": {
        "model": "none",
        "total_input_tokens": 31,
        "total_output_tokens": 4,
        "agent_runtime_ms": 12,
    },
}


@pytest.mark.parametrize(
    ("reply", "warned"), [(BARE, ["messages_missing"]), (RICH, [])], ids=["bare", "rich"]
)
def test_a_reply_is_taken_whole(dispatch: Dispatch, reply: dict[str, Any], warned: list[str]) -> None:
    run = dispatch(lambda _: reply)
    assert run["final_response"] == reply["final_response"]
    assert [warning.partition(":")[0] for warning in run["soft_warnings"] or []] == warned
    assert reply_of(reply) == reply


def test_messages_of_either_form_are_taken_whole(dispatch: Dispatch) -> None:
    arguments = {"order_id": "ord_1"}
    nested: dict[str, Any] = {
        "id": "t1",
        "type": "function",
        "function": {"name": "get_order", "arguments": json.dumps(arguments)},
    }
    flat: dict[str, Any] = {"id": "t2", "name": "get_order", "arguments": arguments}
    as_text: dict[str, Any] = {"id": "t3", "name": "get_order", "arguments": json.dumps(arguments)}
    calls = [nested, flat, as_text]
    messages = [
        {"role": "system", "content": "You help."},
        {"role": "user", "content": [{"type": "text", "text": "Look."}]},
        {"role": "assistant", "content": None, "tool_calls": calls, "thinking": [{"anything": 1}]},
        *({"role": "tool", "tool_call_id": call["id"], "content": "{}"} for call in calls),
        {"role": "assistant", "content": "Looked.", "thinking": [{"type": "text", "text": "Well."}]},
    ]
    run = dispatch(lambda _: {"final_response": "Looked.", "messages": messages})
    assert not run["soft_warnings"]


# Without the SDK


class Clerk(wire_agents.Agent):
    """Reads the task, asks a tool and is refused once; its duties are those of every agent on this wire."""

    def __init__(self) -> None:
        self.token = secrets.token_urlsafe(32)

    def admits(self, headers: Mapping[str, str]) -> bool:
        return headers.get("Authorization") == f"Bearer {self.token}"

    def work(self, body: dict[str, Any], proxy_url: str, token: str) -> Any:
        task = body["input"]
        found = re.search(r"\bord_\w+", task["user_instruction"])
        assert found is not None
        order = self.call(proxy_url, token, "get_order", {"order_id": found[0]})
        refused = self.call(proxy_url, token, "get_order", {})
        code = json.loads(refused["error"])["code"]
        said = (
            f"{found[0]} of {task['input']['customer_id']} is {order['status']}; without its number: {code}."
        )
        return {"final_response": said}


def test_an_agent_without_the_sdk_is_registered_and_runs(client: Client) -> None:
    clerk = Clerk()
    auth = {"auth_header_name": "Authorization", "auth_header_value": f"Bearer {clerk.token}"}
    with wire_agents.listening(clerk) as url:
        run = run_on(client, url, **auth)
        tested = client.agents.test_connection(run["agent_id"])
        wrong = client.agents.test_connection(
            run["agent_id"], {"endpoint_url": url, **auth, "auth_header_value": "Bearer another"}
        )
    assert run["status"] == "completed"
    assert run["final_response"] == "ord_1 of cust_7 is shipped; without its number: arguments_invalid."
    assert (tested["ok"], tested["status"]) == (True, 200)
    assert (wrong["ok"], wrong["status"]) == (False, 401), (
        "the ping was answered before the caller was checked"
    )


def test_code_mode_needs_only_the_task_the_address_and_the_token(dispatch: Dispatch) -> None:
    def run(task_input: Mapping[str, Any], *, proxy_url: str, run_token: str) -> dict[str, Any]:
        agent = wire_agents.Agent()
        order = agent.call(proxy_url, run_token, "get_order", {"order_id": "ord_1"})
        assert order == WORLD["order"]["ord_1"]
        with pytest.raises(wire_agents.RefusedError) as refused:
            agent.post(f"{proxy_url}/tools/get_order", "of no run", {"order_id": "ord_1"})
        assert refused.value.status == 401
        return {"final_response": f"{task_input['user_instruction']} It is {order['status']}."}

    def behave(dispatched: Dispatched) -> Any:
        task, proxy_url = dispatched.body["input"], dispatched.body["odyssey_proxy_url"]
        assert types_of(task) == TASK
        return reply_of(run(task, proxy_url=proxy_url, run_token=dispatched.token))

    assert dispatch(behave)["final_response"] == "Look at ord_1. It is shipped."


# In a thread of its own


def on_a_thread(work: Callable[[], Awaitable[Any]], envelope: Envelope | None) -> Any:
    """Run async code where no loop is running yet, for a run or for none."""

    async def awaited() -> Any:
        return await work()

    def target() -> Any:
        if envelope is None:
            return asyncio.run(awaited())
        with set_current(envelope):
            return asyncio.run(awaited())

    with ThreadPoolExecutor(1) as pool:
        return pool.submit(target).result()


def test_a_thread_that_binds_the_run_reaches_its_tools_beside_a_running_loop(
    dispatch: Dispatch, monkeypatch: pytest.MonkeyPatch
) -> None:
    async def work() -> Any:
        return await proxy_call_async("get_order", {"order_id": "ord_1"})

    async def fails() -> Any:
        return 1 // 0

    async def in_a_running_loop() -> Any:
        envelope = Envelope.from_env()
        with set_current(envelope):
            with pytest.raises(NoEnvelopeError):
                on_a_thread(work, None)
            with pytest.raises(ZeroDivisionError):
                on_a_thread(fails, envelope)
            return on_a_thread(work, envelope)

    def behave(dispatched: Dispatched) -> Any:
        body = dispatched.body
        monkeypatch.setenv("PIPELINES_ODYSSEY_PROXY_URL", body["odyssey_proxy_url"])
        monkeypatch.setenv("PIPELINES_RUN_TOKEN", dispatched.token)
        monkeypatch.setenv("PIPELINES_RUN_TOKEN_JTI", body["run_token_jti"])
        monkeypatch.setenv("PIPELINES_RUN_ID", str(body["run_id"]))
        monkeypatch.setenv("PIPELINES_TASK_ID", str(body["task_id"]))
        monkeypatch.setenv("_PIPELINES_TASK_INPUT_JSON", json.dumps(body["input"]))
        assert Envelope.from_env().task_input == {"customer_id": "cust_7"}
        assert asyncio.run(in_a_running_loop()) == WORLD["order"]["ord_1"]
        return {"final_response": "Bound."}

    assert dispatch(behave)["final_response"] == "Bound."


# Registration


def test_an_agent_is_registered_by_its_name_its_address_and_its_tools(client: Client, org: Org) -> None:
    made = agents.create_http_agent(
        name="ported", endpoint_url="https://agent.example/dispatch", api_key=org.api_key, tools_schema=TOOLS
    )
    kept = client.agents.get(made["id"])
    assert (kept["name"], kept["config"]["endpoint_url"]) == ("ported", "https://agent.example/dispatch")
    assert [tool["name"] for tool in kept["tools_schema"]] == [tool["name"] for tool in TOOLS]


@pytest.fixture
def parcels(client: Client) -> str:
    """An endpoint called `parcels`, with the tool `find_parcel`."""
    operation = {"operationId": "find_parcel", "responses": {"200": {"description": "It."}}}
    document = {
        "openapi": "3.1.0",
        "info": {"title": "Parcels", "version": "1"},
        "paths": {"/parcel": {"get": operation}},
    }
    config = {"base_url": "https://parcels.example", "spec": document, "auth": {"type": "none"}}
    return client.tool_endpoints.create(name="parcels", type="http_openapi", config=config)["id"]


def bound(where: Mapping[str, str], **members: Any) -> dict[str, Any]:
    return {
        "name": "find_parcel",
        "default_execution_mode": "passthrough",
        "passthrough_binding": {**where, "tool_name": "find_parcel"},
        **members,
    }


def validate(client: Client, *tools: Any) -> Any:
    return client.agents.validate(
        name="validated",
        mode="http",
        config={"endpoint_url": "https://agent.example/dispatch"},
        tools_schema=list(tools),
        ledger_schema=LEDGER_SCHEMA,
    )


def test_a_tool_may_be_bound_by_the_id_or_the_name_of_its_endpoint(client: Client, parcels: str) -> None:
    described = {
        "description": "Find it.",
        "input_schema": {"type": "object"},
        "output_schema": {"type": "object"},
    }
    for where in ({"endpoint_id": parcels}, {"endpoint_name": "parcels"}):
        (kept,) = validate(client, bound(where, **described))["agent"]["tools_schema"]
        assert kept.items() >= described.items()
    with pytest.raises(InvalidError, match="lockers"):
        validate(client, bound({"endpoint_name": "lockers"}, input_schema={"type": "object"}))


def test_a_tool_with_an_adapter_needs_its_input_schema_like_every_other(client: Client, parcels: str) -> None:
    tool = bound(
        {"endpoint_name": "parcels"},
        ledger_write_policy="adapter",
        ledger_adapter={
            "op": "update",
            "entity_type": "parcel",
            "id_from": "$.parcel_id",
            "field_map": {"place": "$.place", "grams": "$.weight"},
            "flags": ["found_parcel:{parcel_id}"],
        },
    )
    with pytest.raises(InvalidError, match="input_schema") as refused:
        validate(client, tool)
    assert len(refused.value.errors) == 1
    (kept,) = validate(client, {**tool, "input_schema": {"type": "object"}})["agent"]["tools_schema"]
    assert kept["ledger_adapter"] == tool["ledger_adapter"]

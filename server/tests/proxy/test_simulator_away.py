"""A simulator model that is down, too slow or out of budget: the agent is told to call again; nothing has happened."""

import json
import re
from collections.abc import Callable, Iterator
from typing import Any, NamedTuple

import pytest
from mcp import Client
from mcp.shared.exceptions import MCPError
from support.agents import Behaviour, ScriptedAgent
from support.calls import OpenRun, open_run
from support.gateway import BOTH, send, talk, tool_call
from support.model_server import SILENCE, ModelServer, Raw, Refusal, Text
from support.platform import TOOLS, Org

from pipelines.odyssey import Envelope, proxy_call_with

StartAgent = Callable[[Behaviour], ScriptedAgent]

KEY = "sk-canary-of-the-simulator-away"
PONDER: dict[str, Any] = {
    "name": "ponder",
    "description": "Think about a question.",
    "input_schema": {"type": "object", "properties": {"about": {"type": "string"}}, "required": ["about"]},
}
AGENT: dict[str, Any] = {"tools_schema": [*TOOLS, PONDER], "config": {"engines": {"ponder": "llm"}}}
THOUGHT = {
    "response": {"thought": "Perhaps."},
    "operations": [{"op": "update", "entity_type": "order", "id": "ord_1", "fields": {"status": "pondered"}}],
}
AT_ONCE = {"Retry-After": "0"}
"""Of a model's server that may be asked again without a wait: tests need not take the seconds of a real one."""
BUSY = Raw(503, headers=AT_ONCE)
QUESTION = {"about": "the weather"}

Script = Callable[..., ModelServer]


class Away(NamedTuple):
    """A way in which a model can be away."""

    line: Any
    status: int
    code: str
    why: str
    """What the org's people are told."""
    settings: dict[str, Any] = {}  # noqa: RUF012 - never changed
    budgets: dict[str, Any] = {}  # noqa: RUF012 - never changed
    retry_after: str = "2"


UNAVAILABLE = "simulator_unavailable"
WAYS = {
    "overloaded": Away(BUSY, 503, UNAVAILABLE, "answered 503"),
    "broken": Away(Raw(500, b"trace of something", AT_ONCE), 503, UNAVAILABLE, "answered 500"),
    "limited": Away(
        Raw(429, headers={"Retry-After": "45"}), 503, UNAVAILABLE, "answered 429", retry_after="45"
    ),
    "limited for a day": Away(
        Raw(429, headers={"Retry-After": "80000"}), 503, UNAVAILABLE, "answered 429", retry_after="60"
    ),
    "key refused": Away(
        Raw(401, b'{"error": {"message": "no such key"}}'), 503, UNAVAILABLE, "answered 401: no such key"
    ),
    "account closed": Away(Raw(403), 503, UNAVAILABLE, "answered 403"),
    "nothing at the address": Away(Raw(404), 503, UNAVAILABLE, "answered 404"),
    "moved": Away(
        Raw(302, headers={"Location": "http://elsewhere.example"}), 503, UNAVAILABLE, "answered 302"
    ),
    "a page instead": Away(Raw(200, b"<html>Welcome</html>"), 503, UNAVAILABLE, "200 without JSON"),
    "another protocol": Away(Raw(200, b"{}"), 503, UNAVAILABLE, "not in the form of openai"),
    "packed badly": Away(Raw(200, b"not gzip", {"Content-Encoding": "gzip"}), 503, UNAVAILABLE, "gzip"),
    "too slow": Away(SILENCE, 504, "simulator_timeout", "in time", {"timeout_s": 1}),
    "too many calls": Away(
        THOUGHT, 503, UNAVAILABLE, "budget of 0 model calls", budgets={"calls_per_day": 0}, retry_after="60"
    ),
    "too dear": Away(
        THOUGHT,
        503,
        UNAVAILABLE,
        "of the budget of 0.01 USD a day are used",
        {"input_usd_per_mtok": 1000.0},
        {"usd_per_day": 0.01},
        "60",
    ),
}


@pytest.fixture
def model(org: Org) -> Iterator[Script]:
    """Make a scripted model the simulator of the org."""
    started: list[ModelServer] = []

    def start(*script: Any, budgets: Any = None, **members: Any) -> ModelServer:
        started.append(ModelServer(*script))
        body = started[-1].settings(role="simulator", api_key=KEY, **members)
        org.ok(org.put("/api/settings", body | ({"budgets": budgets} if budgets else {})))
        return started[-1]

    yield start
    for server in started:
        server.stop()


@pytest.fixture
def run(org: Org, agent_server: StartAgent) -> Iterator[OpenRun]:
    with open_run(org, agent_server, agent=AGENT) as run:
        yield run


@pytest.mark.parametrize("way", WAYS)
def test_the_agent_is_told_to_try_again_and_nothing_has_happened(
    org: Org, model: Script, run: OpenRun, way: str
) -> None:
    away = WAYS[way]
    server = model(away.line, budgets=away.budgets, **away.settings)
    before = org.ok(org.get(f"/api/runs/{run.id}/ledger"))["state"]
    answer = run.call("ponder", QUESTION)
    assert (answer.status_code, answer.json()["code"]) == (away.status, away.code), answer.text
    assert answer.headers["content-type"] == "application/problem+json"
    assert (answer.json()["retryable"], answer.headers["retry-after"]) == (True, away.retry_after)
    assert org.ok(org.get(f"/api/runs/{run.id}/ledger"))["state"] == before
    (call,) = run.events("tool_call")
    data = call["data"]
    assert (data["tool_name"], data["arguments"]) == ("ponder", QUESTION)
    assert (data["http_status"], data["code"]) == (away.status, away.code)
    assert (data["started_at"] <= data["ended_at"], "response" in data) == (True, False)
    assert away.why in data["model"]["error"], data
    for secret in (KEY, server.url, server.url.rpartition(":")[2], "scripted", "openai"):
        assert secret not in answer.text


def test_a_model_that_cannot_be_reached_is_unavailable(model: Script, run: OpenRun) -> None:
    model(THOUGHT).stop()
    answer = run.call("ponder", QUESTION)
    assert (answer.status_code, answer.json()["code"]) == (503, UNAVAILABLE)


def test_a_budget_is_named_without_an_amount(model: Script, run: OpenRun) -> None:
    """How much others have spent is no agent's business; that waiting a second will not help is."""
    model(THOUGHT, budgets={"calls_per_day": 0})
    detail: str = run.call("ponder", QUESTION).json()["detail"]
    assert "budget" in detail
    assert re.search(r"\d", detail.replace("00:00 UTC", "")) is None


@pytest.mark.parametrize(
    "line",
    [
        Text("I would rather talk."),
        Refusal("I will not."),
        Raw(400, b'{"error": {"message": "content filter"}}'),
        Raw(413),
        Raw(422),
        {"response": {"thought": "x" * 2_000_000}, "operations": []},
    ],
    ids=[
        "not in form",
        "declines",
        "request refused",
        "request too large",
        "not processable",
        "answer too large",
    ],
)
def test_a_model_that_does_not_answer_this_question_is_not_away(
    model: Script, run: OpenRun, line: Any
) -> None:
    """What an agent asks can bring all of these about: they are answers of a faulty world, as before."""
    model(line)
    answer = run.call("ponder", QUESTION)
    assert (answer.status_code, answer.json()["source"]) == (200, "error")
    assert answer.json()["response"]["error"]["code"] == "simulation_failed"


def test_a_repeated_call_is_the_first_to_the_world_and_its_rules(
    org: Org, agent_server: StartAgent, model: Script
) -> None:
    """A call that was refused did not take place: rules count the one that did, and so does the run."""
    rules = [{"tool": "ponder", "call": 2, "response": {"thought": "injected"}}]
    model(BUSY, BUSY, BUSY, THOUGHT)
    with open_run(org, agent_server, agent=AGENT, failure_rules=rules) as run:
        answers = [run.call("ponder", QUESTION) for _ in range(3)]
        order = org.ok(org.get(f"/api/runs/{run.id}/ledger"))["state"]["order"]["ord_1"]
    assert [answer.status_code for answer in answers] == [503, 200, 200]
    assert [answer.json()["source"] for answer in answers[1:]] == ["odyssey", "injected"]
    assert order["status"] == "pondered"
    assert org.read_run(run.id)["tool_calls"] == 2


@pytest.mark.parametrize("mode", BOTH)
def test_over_mcp_it_is_an_error_that_http_says_too(model: Script, run: OpenRun, mode: str) -> None:
    model(BUSY)

    async def conversation(client: Client) -> MCPError:
        with pytest.raises(MCPError) as refused:
            await client.call_tool("ponder", QUESTION)
        return refused.value

    refused = talk(run, mode, conversation)
    assert (refused.code, refused.data["code"], refused.data["retryable"]) == (503, UNAVAILABLE, True)
    by_hand = send(run, tool_call("ponder", QUESTION, number=9))
    assert (by_hand.status_code, by_hand.headers["retry-after"]) == (503, "2")
    assert (by_hand.json()["id"], by_hand.json()["error"]["data"]["code"]) == (9, UNAVAILABLE)
    assert [event["data"]["code"] for event in run.events("tool_call")] == [UNAVAILABLE] * 2


def test_the_sdk_tries_again(model: Script, run: OpenRun) -> None:
    model(BUSY, BUSY, BUSY, THOUGHT)
    answered = proxy_call_with(Envelope(proxy_url=run.url, run_token=run.token), "ponder", QUESTION)
    assert answered == THOUGHT["response"]
    assert [event["data"]["http_status"] for event in run.events("tool_call")] == [503, 200]


def test_what_is_tried_on_a_world_says_why_there_is_no_answer(org: Org, model: Script) -> None:
    """Whoever tries a tool is one of the org's people, and is told more than an agent."""
    model(Raw(401, json.dumps({"error": {"message": "no such key"}}).encode()))
    world = org.ok(org.post("/api/worlds", {"name": "Try", "initial_state": {}}))
    body = {"tools_schema": [PONDER], "tool": "ponder", "arguments": QUESTION, "engine": "llm"}
    tried = org.ok(org.post(f"/api/worlds/{world['id']}/try", body))
    assert (tried["source"], tried["response"]["error"]["code"]) == ("error", "simulation_failed")
    assert "no such key" in tried["model"]["error"]

"""The checks over the wire: an agent that keeps the contract passes, one that breaks a duty is told which."""

import json
import os
import subprocess
import sys
import threading
import time
from collections.abc import Iterator, Mapping
from contextlib import contextmanager, suppress
from pathlib import Path
from typing import Any

import httpx
import pytest
from support.in_process import run_here
from support.ports import free_port
from support.process import clean_environment
from support.programs import need
from support.wire_agents import TOKEN, Agent, RefusedError, listening

from pipelines.odyssey.conformance.exchange import Plan
from pipelines.odyssey.conformance.finding import Finding
from pipelines.odyssey.conformance.reply_shape import transcript_faults
from pipelines.odyssey.conformance.suite import wire_checks
from pipelines.odyssey.conformance.tools_schema import schema_faults
from pipelines.odyssey.conformance.trouble import two_at_once
from pipelines.odyssey.conformance.wire import Target
from pipelines.odyssey.local.proxy import LocalProxy

ROOT = Path(__file__).resolve().parents[2]


def findings_of(agent: Agent, token: str | None = TOKEN) -> dict[str, Finding]:
    with listening(agent) as url, LocalProxy() as proxy:
        target = Target(url=url, auth_value=None if token is None else f"Bearer {token}")
        return {found.name: found for found in wire_checks(target, Plan(target, proxy, retry_after_s=0))}


def test_an_agent_that_keeps_the_contract_passes_every_check() -> None:
    found = findings_of(Agent())
    states = {name: finding.state for name, finding in found.items()}
    assert states.pop("actor labels") == "skipped"
    assert set(states.values()) == {"passed"}, found
    assert {"reachable", "auth before ping", "429 is retried", "two runs at once", "system injection"} < set(
        states
    )


class PingsBeforeAuth(Agent):
    def handle(self, headers: Mapping[str, str], raw: bytes) -> tuple[int, Any]:
        return self.ping() if raw == b'{"ping": true}' else super().handle(headers, raw)


class DoesNotKnowPing(Agent):
    def ping(self) -> tuple[int, Any]:
        return 400, {"detail": "no proxy URL"}


class FailsOnBadJson(Agent):
    def unreadable(self) -> tuple[int, Any]:
        raise ValueError("unexpected")


class WorksWithoutToken(Agent):
    def lacking(self) -> tuple[int, Any]:
        return 200, {"final_response": "I did what I could."}


class SaysNothing(Agent):
    def reply(self, instruction: str, prompt: str, found: list[Any]) -> Any:
        return {"final_response": " "}


class AnswersAnUnknownCall(Agent):
    def reply(self, instruction: str, prompt: str, found: list[Any]) -> Any:
        reply = super().reply(instruction, prompt, found)
        reply["messages"][3]["tool_call_id"] = "c2"
        return reply


class UsesAWrongToken(Agent):
    def call(self, proxy_url: str, token: str, tool: str, arguments: Any) -> Any:
        return super().call(proxy_url, f"{token}x", tool, arguments)


class QuotesItsArguments(Agent):
    def call(self, proxy_url: str, token: str, tool: str, arguments: Any) -> Any:
        return super().call(proxy_url, token, tool, json.dumps(arguments))


class KeepsTheEnvelope(Agent):
    def unwrap(self, envelope: Any) -> Any:
        return envelope


class PassesTheEnvelopeOn(Agent):
    def reply(self, instruction: str, prompt: str, found: list[Any]) -> Any:
        return super().reply(instruction, prompt, [{}, {}])

    def unwrap(self, envelope: Any) -> Any:
        return envelope


class GarblesText(Agent):
    def handle(self, headers: Mapping[str, str], raw: bytes) -> tuple[int, Any]:
        return super().handle(
            headers,
            json.dumps(json.loads(raw.decode("latin-1"))).encode()
            if raw[:1] == b"{" and raw[-1:] == b"}"
            else raw,
        )


class NeverTriesAgain(Agent):
    def tries_again(self, status: int) -> bool:
        return False


class BreaksOnRefusals(Agent):
    def refused(self, refused: RefusedError) -> Any:
        raise refused


class RemembersOneToken(Agent):
    token = ""

    def work(self, body: dict[str, Any], proxy_url: str, token: str) -> Any:
        self.token = token
        return super().work(body, proxy_url, token)

    def headers(self, token: str) -> dict[str, str]:
        return super().headers(self.token)


class ServesOneAtATime(Agent):
    def __init__(self) -> None:
        self.turn = threading.Lock()

    def handle(self, headers: Mapping[str, str], raw: bytes) -> tuple[int, Any]:
        with self.turn:
            return super().handle(headers, raw)


class RefusesSessions(Agent):
    def work(self, body: dict[str, Any], proxy_url: str, token: str) -> Any:
        assert "session" not in body
        return super().work(body, proxy_url, token)


class MislabelsItself(Agent):
    def headers(self, token: str) -> dict[str, str]:
        return {**super().headers(token), "X-Pipelines-Actor-Id": "a//b"}

    def post(self, url: str, token: str, payload: Any) -> Any:
        try:
            return super().post(url, token, payload)
        except RefusedError:
            return {"response": {}}


class InventsEvents(Agent):
    def work(self, body: dict[str, Any], proxy_url: str, token: str) -> Any:
        with suppress(RefusedError):
            self.post(f"{proxy_url}/traces/musing", token, {})
        return super().work(body, proxy_url, token)


@pytest.mark.parametrize(
    ("agent", "duty", "mended_by"),
    [
        (PingsBeforeAuth(), "auth before ping", "401"),
        (DoesNotKnowPing(), "ping", '{"ping": true}'),
        (WorksWithoutToken(), "no proxy or token is 4xx", "answer 400"),
        (SaysNothing(), "dispatch", "never empty"),
        (AnswersAnUnknownCall(), "transcript", "messages"),
        (KeepsTheEnvelope(), "envelope unwrapped", 'body["response"]'),
        (PassesTheEnvelopeOn(), "envelope unwrapped", 'body["response"]'),
        (GarblesText(), "unicode and nesting", "UTF-8"),
        (BreaksOnRefusals(), "refused calls", "tool's error"),
        (RemembersOneToken(), "two runs at once", "never in a global"),
        (RefusesSessions(), "session", "session"),
        (InventsEvents(), "trace events", "custom"),
    ],
    ids=lambda value: type(value).__name__ if isinstance(value, Agent) else None,
)
def test_an_agent_that_breaks_one_duty_is_told_which_and_how_to_mend_it(
    agent: Agent, duty: str, mended_by: str
) -> None:
    found = findings_of(agent)
    assert [name for name, finding in found.items() if finding.state == "failed"] == [duty], found
    assert mended_by in found[duty].fix


@pytest.mark.parametrize(
    ("agent", "advice", "mended_by"),
    [
        (FailsOnBadJson(), "bad bodies are 4xx", "answer 400"),
        (NeverTriesAgain(), "429 is retried", "Retry-After"),
    ],
    ids=lambda value: type(value).__name__ if isinstance(value, Agent) else None,
)
def test_what_the_contract_does_not_demand_is_a_warning(agent: Agent, advice: str, mended_by: str) -> None:
    found = findings_of(agent)
    assert {name: found[name].state for name in found if found[name].state in ("failed", "warned")} == {
        advice: "warned"
    }
    assert mended_by in found[advice].fix


@pytest.mark.parametrize(
    ("agent", "said"),
    [
        (UsesAWrongToken(), "the token belongs to no run"),
        (QuotesItsArguments(), "must be a JSON object"),
        (MislabelsItself(), "X-Pipelines-Actor-Id"),
    ],
    ids=lambda value: type(value).__name__ if isinstance(value, Agent) else None,
)
def test_calls_that_the_platform_would_refuse_are_named(agent: Agent, said: str) -> None:
    found = findings_of(agent)["tool calls"]
    assert found.state == "failed"
    assert said in found.detail
    assert found.fix


def test_a_malformed_label_fails_the_labels_too() -> None:
    found = findings_of(MislabelsItself())["actor labels"]
    assert (found.state, "a//b" in found.detail) == ("failed", True)


class CallsNothing(Agent):
    def work(self, body: dict[str, Any], proxy_url: str, token: str) -> Any:
        return {"final_response": "Hello."}


def test_an_agent_that_calls_no_tool_is_warned_and_not_failed() -> None:
    found = findings_of(CallsNothing())
    assert not [finding for finding in found.values() if finding.state == "failed"]
    assert found["tool calls"].state == "warned"
    assert "--instruction" in found["tool calls"].fix
    assert found["429 is retried"].state == "skipped"
    assert found["system injection"].state == "warned"


class LetsEverybodyIn(Agent):
    def admits(self, headers: Mapping[str, str]) -> bool:
        return True


def test_an_agent_that_serves_one_run_at_a_time_is_warned() -> None:
    with listening(ServesOneAtATime()) as url, LocalProxy() as proxy:
        target = Target(url=url, auth_value=f"Bearer {TOKEN}")
        found = two_at_once(Plan(target, proxy, retry_after_s=0, overlap_s=0.2), retries=True)
    assert (found.state, "at the same time" in found.fix) == ("warned", True)


def test_an_agent_without_a_token_is_warned() -> None:
    assert findings_of(LetsEverybodyIn(), token=None)["auth before ping"].state == "warned"


def test_a_wrong_token_of_ours_is_told_apart_from_a_missing_ping() -> None:
    found = findings_of(Agent(), token="another")["ping"]
    assert found.state == "failed"
    assert "refuses the token" in found.fix


def test_nobody_listening_is_one_failure_and_the_rest_is_skipped() -> None:
    with LocalProxy() as proxy:
        target = Target(url=f"http://127.0.0.1:{free_port()}/")
        found = list(wire_checks(target, Plan(target, proxy)))
    assert [finding.state for finding in found] == ["failed"] + ["skipped"] * (len(found) - 1)


@pytest.mark.parametrize(("status", "mended_by"), [(307, "redirects"), (404, "path"), (405, "path")])
def test_an_address_that_is_not_the_agents_is_told_apart(status: int, mended_by: str) -> None:
    class Elsewhere(Agent):
        def handle(self, headers: Mapping[str, str], raw: bytes) -> tuple[int, Any]:
            return status, {}

    found = findings_of(Elsewhere())["reachable"]
    assert (found.state, mended_by in found.fix) == ("failed", True)


class EchoesItsToken(Agent):
    def ping(self) -> tuple[int, Any]:
        return 418, {"detail": f"I know {TOKEN}"}


def test_a_finding_never_holds_the_token() -> None:
    found = findings_of(EchoesItsToken())
    assert "I know ****" in found["ping"].detail
    assert TOKEN not in repr(found)


@pytest.mark.parametrize(
    ("reply", "said"),
    [
        ({"messages": {}}, "messages must be a list"),
        ({"messages": [1]}, "messages[0] must be an object"),
        ({"messages": [{"role": "bot"}]}, "messages[0].role"),
        ({"messages": [{"role": "user", "content": 1}]}, "messages[0].content"),
        ({"messages": [{"role": "tool", "content": ""}]}, "tool_call_id is required"),
        ({"messages": [{"role": "user", "tool_calls": [{}]}]}, "belongs on assistant messages"),
        ({"messages": [{"role": "assistant", "tool_calls": [{"id": "a", "name": "t"}]}]}, "arguments"),
        (
            {"messages": [{"role": "assistant", "tool_calls": [{"id": "a", "function": 1}]}]},
            "function must be",
        ),
        ({"messages": [{"role": "assistant", "thinking": "hm"}]}, "thinking must be a list"),
        ({"metadata": []}, "metadata must be an object"),
        ({"metadata": {"total_input_tokens": 1.5}}, "total_input_tokens"),
        ({"metadata": {"agent_runtime_ms": "9"}}, "agent_runtime_ms"),
    ],
)
def test_what_the_platform_would_leave_out_of_a_reply_is_named(reply: dict[str, Any], said: str) -> None:
    faults = transcript_faults(reply)
    assert len(faults) == 1
    assert said in faults[0]


def test_both_shapes_of_tool_calls_are_good() -> None:
    flat = {"id": "a", "name": "t", "arguments": {}}
    nested = {"id": "b", "type": "function", "function": {"name": "t", "arguments": "{}"}}
    answers = [{"role": "tool", "tool_call_id": name, "content": None} for name in ("a", "b")]
    assert (
        transcript_faults({"messages": [{"role": "assistant", "tool_calls": [flat, nested]}, *answers]}) == []
    )


@pytest.mark.parametrize(
    ("tools", "said"),
    [
        ({}, "must be a list"),
        ([1], "must be an object"),
        ([{"input_schema": {}}], "is not a tool name"),
        ([{"name": "a b", "input_schema": {}}], "is not a tool name"),
        ([{"name": "a"}], "input_schema is missing"),
        ([{"name": "a", "input_schema": []}], "must be a JSON Schema object"),
        ([{"name": "a", "input_schema": {"type": "string"}}], "must describe an object"),
        ([{"name": "a", "input_schema": {"properties": {"b": {"type": "text"}}}}], "no type of JSON Schema"),
        ([{"name": "a", "input_schema": {"required": "b"}}], "must be a list of names"),
        ([{"name": "a", "input_schema": {}}] * 2, "taken by an earlier tool"),
        ([{"name": "a", "input_schema": {}, "default_execution_mode": "live"}], "default_execution_mode"),
        ([{"name": "a", "input_schema": {}, "default_execution_mode": "passthrough"}], "passthrough_binding"),
        ([{"name": "a", "input_schema": {}, "ledger_write_policy": "adapter"}], "needs a ledger_adapter"),
    ],
)
def test_a_fault_of_a_tools_schema_is_named(tools: Any, said: str) -> None:
    faults = schema_faults(tools)
    assert len(faults) == 1
    assert said in faults[0]


@contextmanager
def example(name: str) -> Iterator[str]:
    """Start an example agent and wait until it answers."""
    port = free_port()
    if name == "plain-node":
        command = [need("node", "nodejs"), str(ROOT / "examples/plain-node/agent.mjs")]
    else:
        folder = str(ROOT / "examples/plain-python")
        command = [sys.executable, "-m", "uvicorn", "agent:app", "--app-dir", folder, "--port", str(port)]
    env = os.environ | {"AGENT_TOKEN": TOKEN, "PORT": str(port)}
    with subprocess.Popen(command, env=env, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL) as process:
        url = f"http://127.0.0.1:{port}/dispatch"
        try:
            while not answers(url):
                assert process.poll() is None
                time.sleep(0.02)
            yield url
        finally:
            process.terminate()


def answers(url: str) -> bool:
    headers = {"Authorization": f"Bearer {TOKEN}"}
    with suppress(httpx.TransportError):
        return httpx.post(url, json={"ping": True}, headers=headers, trust_env=False, timeout=None).is_success
    return False


def conformance(*arguments: str) -> subprocess.CompletedProcess[str]:
    return run_here("conformance", *arguments, environment=clean_environment(AGENT_TOKEN=TOKEN))


@pytest.mark.parametrize("name", ["plain-python", "plain-node"])
def test_the_example_agents_conform(name: str) -> None:
    with example(name) as url:
        done = conformance(url, "--json", "--instruction", "I am cust_ben. Where is ord_1003?")
    document = json.loads(done.stdout)
    assert done.returncode == 0, [found for found in document["findings"] if found["state"] == "failed"]
    states = {found["name"]: found["state"] for found in document["findings"]}
    assert states["429 is retried"] == states["two runs at once"] == states["tool calls"] == "passed"
    assert document["counts"]["failed"] == 0


def test_the_command_prints_a_word_and_the_fix_and_ends_with_1() -> None:
    with listening(PingsBeforeAuth()) as url:
        done = conformance(url)
    assert done.returncode == 1
    assert "✗ failed   auth before ping" in done.stdout
    assert "fix: Compare the auth header in constant time" in done.stdout
    assert "1 failed" in done.stdout.splitlines()[-1]


def test_another_header_carries_the_token_as_it_is() -> None:
    class OwnHeader(Agent):
        def admits(self, headers: Mapping[str, str]) -> bool:
            return headers.get("X-Api-Key") == TOKEN

    with listening(OwnHeader()) as url:
        assert conformance(url, "--auth-header", "X-Api-Key").returncode == 0


@pytest.mark.parametrize("url", ["agent:9000", "ftp://localhost/", "http://"])
def test_an_address_that_is_none_ends_with_2(url: str) -> None:
    done = conformance(url)
    assert done.returncode == 2
    assert done.stderr.startswith("odyssey: ")


def test_calls_of_undeclared_tools_are_found_with_a_tools_file(tmp_path: Path) -> None:
    tools = tmp_path / "tools.json"
    tools.write_text(
        json.dumps([{"name": "get_order", "input_schema": {"type": "object"}}]), encoding="utf-8"
    )
    with listening(Agent()) as url:
        done = conformance(url, "--tools", str(tools), "--json")
    found = {one["name"]: one for one in json.loads(done.stdout)["findings"]}["tool calls"]
    assert (done.returncode, found["state"]) == (1, "failed")
    assert "get_customer" in found["detail"]


def test_a_tools_file_with_faults_ends_with_2(tmp_path: Path) -> None:
    tools = tmp_path / "tools.json"
    tools.write_text('[{"name": "a"}]', encoding="utf-8")
    done = conformance("http://127.0.0.1:9/", "--tools", str(tools))
    assert done.returncode == 2
    assert "input_schema is missing" in done.stderr


def test_the_proxy_listens_for_agents_elsewhere_when_it_is_told_a_name() -> None:
    with LocalProxy(listen="0.0.0.0", host="localhost") as proxy:
        run = proxy.open_run()
        assert run.url.startswith("http://localhost:")
        answer = httpx.post(
            f"{run.url}/tools/x",
            json={},
            headers={"X-Pipelines-Run-Token": run.token},
            trust_env=False,
            timeout=None,
        )
    assert answer.json()["tool_name"] == "x"

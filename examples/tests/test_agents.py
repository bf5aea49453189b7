"""Every example agent, on a socket of its own, against a scripted proxy: the duties of the wire contract."""

import json
import os
import re
import subprocess
import sys
import threading
from collections.abc import Iterator
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from typing import Any, NamedTuple

import httpx
import pytest
from support.asgi import Served
from support.example_agents import EXAMPLES, load_example
from support.programs import need

HOST = "127.0.0.1"
AGENT_TOKEN = "inbound-token-of-the-tests"
RUN_TOKEN = "run-token-of-the-tests"
PROXY_PATH = "/api/odyssey-proxy/runs/17"
ORDER = {
    "order_id": "ord_1003",
    "customer_id": "cust_ben",
    "payment_id": "pay_5003",
    "item": "Folding canoe",
    "status": "delivered",
}
CUSTOMER = {"customer_id": "cust_ben", "name": "Ben Osei"}
PAYMENT = {"payment_id": "pay_5003", "status": "settled", "amount_cents": 12900}


class Scripted(NamedTuple):
    """One answer of the proxy that is not the usual one."""

    status: int
    body: str
    retry_after: str | None = None


class Call(NamedTuple):
    path: str
    authorization: str | None
    arguments: dict[str, Any]

    @property
    def tool(self) -> str:
        return self.path.rpartition("/")[2]


class FakeProxy:
    """Answers three reads from a fixed world, unless a tool has scripted answers waiting."""

    def __init__(self) -> None:
        self.calls: list[Call] = []
        self.scripted: dict[str, list[Scripted]] = {}
        fake = self

        class Handler(BaseHTTPRequestHandler):
            def do_POST(self) -> None:
                arguments = json.loads(self.rfile.read(int(self.headers["Content-Length"])))
                call = Call(self.path, self.headers["Authorization"], arguments)
                fake.calls.append(call)
                answer = fake.answer_to(call.tool)
                self.send_response(answer.status)
                if answer.retry_after is not None:
                    self.send_header("Retry-After", answer.retry_after)
                self.send_header("Content-Length", str(len(answer.body.encode())))
                self.end_headers()
                self.wfile.write(answer.body.encode())

            def log_message(self, format: str, *args: object) -> None:
                pass

        self.server = ThreadingHTTPServer((HOST, 0), Handler)
        self.url = f"http://{HOST}:{self.server.server_port}{PROXY_PATH}"

    def answer_to(self, tool: str) -> Scripted:
        if self.scripted.get(tool):
            return self.scripted[tool].pop(0)
        world = {"get_order": ORDER, "get_customer": CUSTOMER, "get_payment": PAYMENT}
        envelope = {
            "tool_name": tool,
            "response": world.get(tool, {"ok": True}),
            "source": "odyssey",
            "latency_ms": 1,
            "matched_rule_index": None,
            "validation": {"valid": True},
        }
        return Scripted(200, json.dumps(envelope))

    def tools_called(self) -> list[str]:
        return [call.tool for call in self.calls]


class Agent(NamedTuple):
    url: str

    def post(
        self,
        body: object,
        headers: dict[str, str] | None = None,
        authorization: str | None = f"Bearer {AGENT_TOKEN}",
    ) -> httpx.Response:
        content = body if isinstance(body, str) else json.dumps(body)
        named = {"Content-Type": "application/json", "Authorization": authorization} | (headers or {})
        sent = {name.encode(): value.encode("latin-1") for name, value in named.items() if value is not None}
        return httpx.post(self.url, content=content, headers=sent, timeout=30, trust_env=False, verify=False)

    def dispatch(self, proxy: FakeProxy, instruction: str) -> dict[str, Any]:
        body = dispatch_body(instruction) | {"odyssey_proxy_url": proxy.url}
        answer = self.post(body, {"X-Pipelines-Run-Token": RUN_TOKEN})
        assert answer.status_code == 200, answer.text
        decoded = answer.json()
        assert isinstance(decoded, dict)
        return decoded


def dispatch_body(instruction: str) -> dict[str, Any]:
    task = {"task_id": 42, "user_instruction": instruction, "input": {}}
    return {"task_id": 42, "run_id": 17, "agent_id": 8, "input": task, "run_token_jti": "0" * 32}


@pytest.fixture(scope="module", autouse=True)
def no_proxy() -> Iterator[None]:
    """The agents here read the environment as every program does."""
    with pytest.MonkeyPatch.context() as patched:
        patched.setenv("NO_PROXY", HOST)
        patched.setenv("no_proxy", HOST)
        yield


@pytest.fixture(scope="module")
def desk() -> Iterator[Agent]:
    example = load_example("support-desk/desk_agent.py", AGENT_TOKEN)
    with Served(example.create_app(AGENT_TOKEN)) as served:
        yield Agent(f"{served.url}/dispatch")


@pytest.fixture(scope="module")
def plain_python() -> Iterator[Agent]:
    with Served(load_example("plain-python/agent.py", AGENT_TOKEN).app) as served:
        yield Agent(f"{served.url}/dispatch")


@pytest.fixture(scope="module")
def plain_node() -> Iterator[Agent]:
    env = os.environ | {"AGENT_TOKEN": AGENT_TOKEN, "PORT": "0"}
    command = [need("node", "nodejs"), str(EXAMPLES / "plain-node" / "agent.mjs")]
    with subprocess.Popen(command, env=env, stdout=subprocess.PIPE, text=True) as process:
        assert process.stdout is not None
        found = re.search(r"http://\S+", process.stdout.readline())
        try:
            assert found is not None, "it ended before it listened"
            yield Agent(found[0])
        finally:
            process.terminate()


@pytest.fixture(params=["desk", "plain_python", "plain_node"])
def agent(request: pytest.FixtureRequest) -> Agent:
    found: Agent = request.getfixturevalue(request.param)
    return found


@pytest.fixture
def proxy() -> Iterator[FakeProxy]:
    fake = FakeProxy()
    thread = threading.Thread(target=fake.server.serve_forever, kwargs={"poll_interval": 0.01})
    thread.start()
    yield fake
    fake.server.shutdown()
    fake.server.server_close()
    thread.join()


@pytest.mark.parametrize("authorization", [None, "Bearer wrong", AGENT_TOKEN, "Bearer größer"])
@pytest.mark.parametrize("body", [{"ping": True}, dispatch_body("Where is ord_1003?"), "not JSON"])
def test_a_wrong_bearer_is_401_whatever_the_body(
    agent: Agent, authorization: str | None, body: object
) -> None:
    assert agent.post(body, authorization=authorization).status_code == 401


def test_ping_is_answered_before_the_envelope_is_read(agent: Agent) -> None:
    assert agent.post({"ping": True}).is_success


@pytest.mark.parametrize("body", ["not JSON", "", "[]", "{}", '"ping"'])
def test_a_body_that_is_no_dispatch_is_400(agent: Agent, body: str) -> None:
    assert agent.post(body, {"X-Pipelines-Run-Token": RUN_TOKEN}).status_code == 400


def test_without_a_proxy_url_it_is_400(agent: Agent) -> None:
    answer = agent.post(dispatch_body("Where is ord_1003?"), {"X-Pipelines-Run-Token": RUN_TOKEN})
    assert answer.status_code == 400


def test_without_a_run_token_it_is_400(agent: Agent, proxy: FakeProxy) -> None:
    answer = agent.post(dispatch_body("Where is ord_1003?") | {"odyssey_proxy_url": proxy.url})
    assert answer.status_code == 400
    assert proxy.calls == []


def test_a_dispatch_calls_tools_with_the_run_token_and_unwraps_them(agent: Agent, proxy: FakeProxy) -> None:
    answer = agent.dispatch(proxy, "I am cust_ben. Where is ord_1003?")
    assert "ord_1003" in answer["final_response"]
    assert "delivered" in answer["final_response"]
    assert "matched_rule_index" not in json.dumps(answer)
    assert {call.authorization for call in proxy.calls} == {f"Bearer {RUN_TOKEN}"}
    assert sorted((call.path, call.arguments) for call in proxy.calls) == [
        (f"{PROXY_PATH}/tools/get_customer", {"customer_id": "cust_ben"}),
        (f"{PROXY_PATH}/tools/get_order", {"order_id": "ord_1003"}),
    ]


def test_the_proxy_url_of_the_body_is_preferred(agent: Agent, proxy: FakeProxy) -> None:
    headers = {"X-Pipelines-Run-Token": RUN_TOKEN, "X-Pipelines-Odyssey-Proxy-Url": f"{proxy.url}/elsewhere"}
    body = dispatch_body("I am cust_ben. Where is ord_1003?") | {"odyssey_proxy_url": proxy.url}
    assert agent.post(body, headers).json()["final_response"]
    assert f"{PROXY_PATH}/tools/get_order" in {call.path for call in proxy.calls}


def test_the_proxy_url_may_come_by_header(agent: Agent, proxy: FakeProxy) -> None:
    headers = {"X-Pipelines-Run-Token": RUN_TOKEN, "X-Pipelines-Odyssey-Proxy-Url": f"{proxy.url}/"}
    assert agent.post(dispatch_body("I am cust_ben. Where is ord_1003?"), headers).json()["final_response"]
    assert f"{PROXY_PATH}/tools/get_order" in {call.path for call in proxy.calls}


def test_the_answer_is_never_empty(agent: Agent, proxy: FakeProxy) -> None:
    assert agent.dispatch(proxy, "Good morning!")["final_response"].strip()
    assert proxy.calls == []


@pytest.mark.parametrize("status", [429, 503, 504])
def test_a_retryable_problem_is_tried_again(agent: Agent, proxy: FakeProxy, status: int) -> None:
    problem = json.dumps({"status": status, "detail": "Not now.", "code": "busy", "retryable": True})
    proxy.scripted["get_customer"] = [Scripted(status, problem, retry_after="0")] * 3
    assert agent.dispatch(proxy, "I am cust_ben. Where is ord_1003?")["final_response"]
    assert proxy.tools_called().count("get_customer") == 4


def test_a_fourth_refusal_is_final(agent: Agent, proxy: FakeProxy) -> None:
    problem = json.dumps({"detail": "Not now.", "code": "rate_limited", "retryable": True})
    proxy.scripted["get_customer"] = [Scripted(429, problem, retry_after="0")] * 5
    assert "rate_limited" in agent.dispatch(proxy, "I am cust_ben.")["final_response"]
    assert proxy.tools_called() == ["get_customer"] * 4


@pytest.mark.parametrize("status", [401, 404, 422])
def test_a_final_problem_is_not_tried_again(agent: Agent, proxy: FakeProxy, status: int) -> None:
    problem = json.dumps({"detail": "No.", "code": "tool_unknown", "retryable": False})
    proxy.scripted["get_customer"] = [Scripted(status, problem)]
    assert "tool_unknown" in agent.dispatch(proxy, "I am cust_ben.")["final_response"]
    assert proxy.tools_called() == ["get_customer"]


def test_garbage_from_the_proxy_does_not_break_the_run(agent: Agent, proxy: FakeProxy) -> None:
    proxy.scripted["get_customer"] = [Scripted(200, "\x00 no JSON")]
    assert agent.dispatch(proxy, "I am cust_ben.")["final_response"]


def test_the_desk_returns_a_transcript_whose_calls_are_answered(desk: Agent, proxy: FakeProxy) -> None:
    answer = desk.dispatch(proxy, "I am cust_ben. Where is ord_1003?")
    first, *between, last = answer["messages"]
    assert first == {"role": "user", "content": "I am cust_ben. Where is ord_1003?"}
    assert last == {"role": "assistant", "content": answer["final_response"]}
    asked = [call for message in between[0::2] for call in message["tool_calls"]]
    assert [call["name"] for call in asked] == proxy.tools_called()
    assert [call["id"] for call in asked] == [message["tool_call_id"] for message in between[1::2]]
    assert json.loads(between[-1]["content"]) == ORDER
    assert answer["metadata"]["model"] == "policy"
    assert isinstance(answer["metadata"]["agent_runtime_ms"], int)


def test_the_desk_does_not_repeat_a_payment_when_a_gateway_times_out(desk: Agent, proxy: FakeProxy) -> None:
    proxy.scripted["create_payment"] = [Scripted(504, "<html>Gateway time-out</html>")]
    answer = desk.dispatch(proxy, "I am cust_ben. Please refund ord_1003.")
    assert "http_504" in answer["final_response"]
    assert proxy.tools_called() == ["get_customer", "get_order", "get_payment", "create_payment"]


def test_the_desk_does_not_start_without_its_token(monkeypatch: pytest.MonkeyPatch) -> None:
    example = load_example("support-desk/desk_agent.py", AGENT_TOKEN)
    monkeypatch.delenv("AGENT_TOKEN", raising=False)
    monkeypatch.setattr(sys, "argv", ["desk_agent.py", "--port", "0"])
    with pytest.raises(SystemExit, match="AGENT_TOKEN is not set"):
        example.main()


def test_node_refuses_a_body_beyond_its_cap(plain_node: Agent) -> None:
    answer = plain_node.post(dispatch_body("x" * (4 * 1024 * 1024)))
    assert answer.status_code == 413
    assert plain_node.post({"ping": True}).is_success

"""The samples of the source texts work against us with only the host changed; the texts stay where they are."""

import ast
import asyncio
import json
import os
import re
import secrets
import shlex
import subprocess
import sys
import threading
from collections.abc import Iterator
from pathlib import Path
from typing import Any, NamedTuple

import httpx
import pytest
import uvicorn
from fastapi import FastAPI, HTTPException, Request
from fastapi.testclient import TestClient
from support.agents import Dispatched, ScriptedAgent
from support.platform import TOOLS, WORLD
from support.process import ServerProcess
from support.programs import need

from pipelines.odyssey import Client, Envelope, agents, proxy_call_async
from pipelines.odyssey.errors import InvalidError, NoEnvelopeError, OdysseyError
from pipelines.odyssey.reply import reply_of

SEEDS = Path(__file__).parents[2].parent / "shared" / "seeds"
pytestmark = pytest.mark.skipif(
    not SEEDS.is_dir(), reason="the source texts are not beside the repository (../shared/seeds)"
)
KEY = "pk_live_" + "3" * 40
AGENT_TOKEN = "inbound-token-of-the-samples"
PORTING, TOOLS_TEXT = "003", "002"
LEDGER_SCHEMA = {
    "entities": [
        {
            "type": "order",
            "id_field": "order_id",
            "fields": [{"name": "status", "type": "string"}, {"name": "total", "type": "number"}],
        }
    ]
}

# Every sample by its opening, with the test that uses it; None is what code endpoints bring.
SAMPLES: dict[str, dict[str, str | None]] = {
    TOOLS_TEXT: {
        '{ "tools_schema": [': "test_an_entry_may_have_every_member_of_the_shape",
        "from pipelines.odyssey import tool_endpoints": None,
        '{ "name": "search_wikipedia",': "test_a_tool_that_is_bound_by_name_is_accepted",
        '{ "name": "get_order",': "test_a_tool_with_an_adapter_is_accepted",
    },
    PORTING: {
        '{ "tool_name": "get_order",': "test_a_call_answers_as_shown",
        "def _proxy_call(proxy_url, run_token, name, args):": "test_the_shim_returns_what_the_tool_said",
        '{ "task_id": 42,': "test_a_dispatch_is_as_shown",
        "{ // dispatch envelope": "test_a_dispatch_is_as_shown",
        '{ "final_response":': "test_the_replies_that_are_shown_are_taken_whole",
        '{ "final_response": "The refund of $79.50 has been issued.",': (
            "test_the_replies_that_are_shown_are_taken_whole"
        ),
        "import os, secrets": "test_the_caller_is_checked_as_shown",
        "python -c": "test_the_command_makes_a_token",
        '{ "ping": true }': "test_the_route_checks_the_caller_before_the_ping",
        '@app.post("/dispatch")': "test_the_route_checks_the_caller_before_the_ping",
        "def run(task_input,": "test_the_function_of_code_mode_makes_a_reply",
        "import asyncio, threading": "test_async_code_runs_on_a_thread_beside_a_running_loop",
        "from pipelines.odyssey import Envelope": "test_a_thread_that_binds_the_run_reaches_its_tools",
        "curl -X POST": "test_the_probe_is_refused_as_promised",
        "agents.create_http_agent(": "test_an_agent_is_registered_as_shown",
        "import json import os": "test_the_whole_wrapper_is_registered_and_runs",
        '{ "role": "system" | "user"': "test_messages_of_either_form_are_taken_whole",
        '{ "id": "<string>", "type": "function",': "test_messages_of_either_form_are_taken_whole",
    },
}


# Reading the texts


class Sample(NamedTuple):
    opening: str
    """Its first characters, with single spaces."""
    code: str


def text_of(number: str) -> str:
    found = sorted(SEEDS.glob(f"{number}_*.txt"))
    return found[0].read_text("utf-8")


def samples_of(text: str) -> list[Sample]:
    """Every sample in its order: Python, JSON, shell, and one call inside a sentence."""
    lines = text.splitlines()
    found: list[Sample] = []
    at = 0
    while at < len(lines):
        count = _python(lines, at) or _json(lines, at) or _shell(lines, at)
        if count:
            code = "\n".join(lines[at : at + count])
            found.append(Sample(" ".join(code.split()), code))
        elif inline := re.search(r"\bagents\.\w+\([^)]*\)", lines[at]):
            found.append(Sample(inline[0], inline[0]))
        at += count or 1
    return found


def _python(lines: list[str], at: int) -> int:
    """How many lines from here on are a program: the most that can be parsed."""
    if not re.match(r"(import|from|def|async def|class)\s|@\w", lines[at]):
        return 0
    for end in range(min(len(lines), at + 120), at, -1):
        try:
            ast.parse(_whole("\n".join(lines[at:end])))
        except SyntaxError:
            continue
        return end - at
    return 0


def _whole(code: str) -> str:
    """Take out the dots that stand for further parameters."""
    return re.sub(r", \.\.\.\)", ")", code)


def _json(lines: list[str], at: int) -> int:
    if not re.match(r"\s*\{(\s|$)", lines[at]):
        return 0
    depth = 0
    for count, line in enumerate(lines[at:], start=1):
        outside = re.sub(r'"(\\.|[^"\\])*"', "", line)
        depth += outside.count("{") - outside.count("}")
        if depth <= 0:
            return count
    return 0


def _shell(lines: list[str], at: int) -> int:
    if not re.match(r"(curl|python) -", lines[at]):
        return 0
    return next(count for count, line in enumerate(lines[at:], start=1) if not line.endswith("\\"))


def sample(number: str, opening: str) -> str:
    """The code of the one sample that begins so; of openings that begin alike, the longest that fits is meant."""
    fitting = [each.code for each in samples_of(text_of(number)) if _opening(number, each) == opening]
    assert len(fitting) == 1, f"{len(fitting)} samples begin with {opening}"
    return fitting[0]


def _opening(number: str, found: Sample) -> str | None:
    fitting = [opening for opening in SAMPLES[number] if found.opening.startswith(opening)]
    return max(fitting, key=len, default=None)


def json_sample(opening: str, number: str = PORTING) -> Any:
    code = re.sub(r"/\*.*?\*/", "", sample(number, opening), flags=re.DOTALL)
    return json.loads(re.sub(r"(^|\s)//\s.*", "", code))


def run_sample(opening: str, number: str = PORTING, **names: Any) -> dict[str, Any]:
    """Execute a sample and give back the names it leaves."""
    left: dict[str, Any] = {"__name__": "sample", **names}
    exec(compile(_whole(sample(number, opening)), f"sample {opening}", "exec"), left)
    return left


# The platform


@pytest.fixture(scope="module")
def server(tmp_path_factory: pytest.TempPathFactory) -> Iterator[ServerProcess]:
    server = ServerProcess("--data", str(tmp_path_factory.mktemp("data")), ODYSSEY_BOOTSTRAP_API_KEY=KEY)
    yield server
    server.stop()


@pytest.fixture
def client(server: ServerProcess) -> Iterator[Client]:
    with Client(server.url, KEY) as client:
        yield client


@pytest.fixture(autouse=True)
def environment(monkeypatch: pytest.MonkeyPatch, server: ServerProcess) -> None:
    monkeypatch.setenv("NO_PROXY", "127.0.0.1")
    monkeypatch.setenv("AGENT_TOKEN", AGENT_TOKEN)
    monkeypatch.setenv("ODYSSEY_URL", server.url)
    monkeypatch.delenv("ODYSSEY_API_KEY", raising=False)


def run_on(client: Client, endpoint_url: str, instruction: str = "Look at ord_1.", **config: Any) -> Any:
    """Register, publish and run once; the run when it has ended."""
    agent = client.agents.create(
        name=f"sample {secrets.token_hex(4)}",
        mode="http",
        config={"endpoint_url": endpoint_url, **config},
        tools_schema=TOOLS,
    )
    client.agents.publish(agent["id"])
    seed: Any = {"user_instruction": instruction, "initial_state": WORLD, "input": {"customer_id": "cust_99"}}
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


# What there is


@pytest.mark.parametrize("number", SAMPLES)
def test_every_sample_of_the_texts_is_used_here(number: str) -> None:
    found = samples_of(text_of(number))
    assert [_opening(number, each) or each.opening[:80] for each in found] == list(SAMPLES[number])
    assert {name for name in SAMPLES[number].values() if name is not None} <= set(globals())


# Tool calls


def test_a_call_answers_as_shown(dispatch: Dispatch) -> None:
    shown = json_sample('{ "tool_name": "get_order",')

    def behave(dispatched: Dispatched) -> Any:
        answer = dispatched.call("get_order", {"order_id": "ord_1"}).json()
        assert {name: type(value) for name, value in answer.items() if name in shown} == {
            name: type(value) for name, value in shown.items()
        }
        assert (answer["tool_name"], answer["source"]) == (shown["tool_name"], shown["source"])
        return {"final_response": "It is as shown."}

    assert dispatch(behave)["final_response"] == "It is as shown."


def test_the_shim_returns_what_the_tool_said(dispatch: Dispatch) -> None:
    shim = run_sample("def _proxy_call(proxy_url, run_token, name, args):", httpx=httpx)["_proxy_call"]

    def behave(dispatched: Dispatched) -> Any:
        proxy_url = dispatched.body["odyssey_proxy_url"]
        assert (
            shim(proxy_url, dispatched.token, "get_order", {"order_id": "ord_1"}) == WORLD["order"]["ord_1"]
        )
        with pytest.raises(httpx.HTTPStatusError, match="401"):
            shim(proxy_url, "not-the-token", "get_order", {"order_id": "ord_1"})
        return {"final_response": "Unwrapped."}

    assert dispatch(behave)["final_response"] == "Unwrapped."


def test_the_probe_is_refused_as_promised(server: ServerProcess) -> None:
    curl = need("curl", "curl")
    command = shlex.split(sample(PORTING, "curl -X POST").replace("\\\n", " "))
    address = next(word for word in command if word.startswith("https://"))
    ours = server.url + "/" + address.split("/", 3)[3]
    words = [ours if word == address else word for word in command[1:]]
    asked = subprocess.run(
        [curl, "--noproxy", "*", "-sS", "-o", os.devnull, "-w", "%{http_code}", *words],
        capture_output=True,
        text=True,
        timeout=60,
    )
    assert asked.stdout == "401", asked.stderr


# Dispatches and replies


def test_a_dispatch_is_as_shown(dispatch: Dispatch) -> None:
    flat, nested = json_sample('{ "task_id": 42,'), json_sample("{ // dispatch envelope")
    seen: list[Dispatched] = []

    def behave(dispatched: Dispatched) -> Any:
        seen.append(dispatched)
        return {"final_response": "Seen."}

    dispatch(behave)
    body = seen[0].body
    for shown in (flat, nested):
        assert {name: type(value) for name, value in shown.items()} == {
            name: type(value) for name, value in body.items()
        }
        assert set(shown["input"]) == set(body["input"])
        envelope = Envelope.from_dispatch(shown, {"X-Pipelines-Run-Token": seen[0].token})
        assert envelope.user_instruction == shown["input"]["user_instruction"]
        assert envelope.task_input == shown["input"]["input"]
        assert (envelope.run_id, envelope.task_id, envelope.agent_id) == (17, 42, 8)
    assert Envelope.from_dispatch(body, seen[0].headers).task_input == {"customer_id": "cust_99"}


@pytest.mark.parametrize(
    "opening", ['{ "final_response":', '{ "final_response": "The refund of $79.50 has been issued.",']
)
def test_the_replies_that_are_shown_are_taken_whole(dispatch: Dispatch, opening: str) -> None:
    shown = json_sample(opening)
    run = dispatch(lambda _: shown)
    assert run["final_response"] == shown["final_response"]
    warned = [warning.partition(":")[0] for warning in run["soft_warnings"] or []]
    assert warned == ([] if "messages" in shown else ["messages_missing"])
    assert reply_of(shown) == shown


def test_messages_of_either_form_are_taken_whole(dispatch: Dispatch) -> None:
    shape = sample(PORTING, '{ "role": "system" | "user"')
    members = ["role", "content", "tool_call_id", "tool_calls", "thinking"]
    assert [name for name in members if f'"{name}"' in shape] == members
    call = json_sample('{ "id": "<string>", "type": "function",')
    call["function"] = {"name": "get_order", "arguments": '{"order_id": "ord_1"}'}
    flat = {"id": "c2", "name": "get_order", "arguments": {"order_id": "ord_1"}}
    messages = [
        {"role": "system", "content": "You help."},
        {"role": "user", "content": [{"type": "text", "text": "Look."}]},
        {"role": "assistant", "content": None, "tool_calls": [call, flat], "thinking": [{"anything": 1}]},
        {"role": "tool", "tool_call_id": call["id"], "content": "{}"},
        {"role": "tool", "tool_call_id": "c2", "content": "{}"},
        {"role": "assistant", "content": "Looked.", "thinking": [{"type": "text", "text": "Well."}]},
    ]
    run = dispatch(lambda _: {"final_response": "Looked.", "messages": messages})
    assert not run["soft_warnings"]


# The wrapper


def test_the_caller_is_checked_as_shown() -> None:
    check = run_sample("import os, secrets")["_require_pipelines_auth"]
    check(f"Bearer {AGENT_TOKEN}")
    for wrong in (None, "", "Bearer another", AGENT_TOKEN):
        with pytest.raises(HTTPException) as refused:
            check(wrong)
        assert refused.value.status_code == 401


def test_the_command_makes_a_token() -> None:
    _, *arguments = shlex.split(sample(PORTING, "python -c"))
    made = subprocess.run(
        [sys.executable, *arguments], capture_output=True, text=True, check=True, timeout=60
    )
    assert re.fullmatch(r"[\w-]{43}", made.stdout.strip())


def test_the_route_checks_the_caller_before_the_ping() -> None:
    app = FastAPI()
    check = run_sample("import os, secrets")["_require_pipelines_auth"]
    run_sample('@app.post("/dispatch")', app=app, Request=Request, _require_pipelines_auth=check)
    ping = json_sample('{ "ping": true }')
    with TestClient(app) as caller:
        assert caller.post("/dispatch", json=ping).status_code == 401
        answer = caller.post("/dispatch", json=ping, headers={"Authorization": f"Bearer {AGENT_TOKEN}"})
    assert (answer.status_code, answer.json()) == (200, {"ok": True})


class Served:
    """An app on a port of its own, until `stop()`."""

    def __init__(self, app: Any) -> None:
        self._server = uvicorn.Server(uvicorn.Config(app, port=0, log_config=None, ws="none"))
        self._socket = self._server.config.bind_socket()
        self.url = f"http://127.0.0.1:{self._socket.getsockname()[1]}/dispatch"
        # The socket listens before the thread runs, so that nothing has to be waited for.
        self._socket.listen()
        self._thread = threading.Thread(target=self._server.run, kwargs={"sockets": [self._socket]})
        self._thread.start()

    def stop(self) -> None:
        self._server.should_exit = True
        self._thread.join()
        self._socket.close()


def test_the_whole_wrapper_is_registered_and_runs(client: Client) -> None:
    def run_my_agent(*, user_instruction: str, task_input: dict[str, Any], proxy_call: Any) -> str:
        found = re.search(r"\bord_\w+", user_instruction)
        assert found is not None
        order = proxy_call("get_order", {"order_id": found[0]})
        missing = proxy_call("get_order", {})
        assert "arguments_invalid" in missing["error"]
        return f"{found[0]} of {task_input['customer_id']} is {order['status']}."

    served = Served(run_sample("import json import os", run_my_agent=run_my_agent)["app"])
    auth = {"auth_header_name": "Authorization", "auth_header_value": f"Bearer {AGENT_TOKEN}"}
    try:
        run = run_on(client, served.url, **auth)
        tested = client.agents.test_connection(run["agent_id"])
        wrong = client.agents.test_connection(
            run["agent_id"], {"endpoint_url": served.url, **auth, "auth_header_value": "Bearer another"}
        )
    finally:
        served.stop()
    assert (run["status"], run["final_response"]) == ("completed", "ord_1 of cust_99 is shipped.")
    assert (tested["ok"], tested["status"]) == (True, 200)
    assert (wrong["ok"], wrong["status"]) == (False, 401)


# Code mode


def test_the_function_of_code_mode_makes_a_reply() -> None:
    run = run_sample("def run(task_input,")["run"]
    task = {"user_instruction": "", "input": {}, "task_id": 1}
    assert reply_of(run(task, proxy_url="http://127.0.0.1", run_token="t"))["final_response"]


def test_async_code_runs_on_a_thread_beside_a_running_loop() -> None:
    class Runner:
        @staticmethod
        async def run(agent: str, instruction: str) -> str:
            return f"{agent}: {instruction}"

    async def in_a_running_loop() -> dict[str, Any]:
        return run_sample("import asyncio, threading", Runner=Runner, agent="helper", instruction="Do it.")

    left = asyncio.run(in_a_running_loop())
    assert left["result"] == "helper: Do it."
    with pytest.raises(ZeroDivisionError):
        left["run_async_in_thread"](lambda: 1 // 0)


def test_a_thread_that_binds_the_run_reaches_its_tools(
    dispatch: Dispatch, monkeypatch: pytest.MonkeyPatch
) -> None:
    out: dict[str, Any] = {}

    async def work() -> Any:
        return await proxy_call_async("get_order", {"order_id": "ord_1"})

    def behave(dispatched: Dispatched) -> Any:
        body = dispatched.body
        monkeypatch.setenv("PIPELINES_ODYSSEY_PROXY_URL", body["odyssey_proxy_url"])
        monkeypatch.setenv("PIPELINES_RUN_TOKEN", dispatched.token)
        monkeypatch.setenv("PIPELINES_RUN_TOKEN_JTI", body["run_token_jti"])
        monkeypatch.setenv("PIPELINES_RUN_ID", str(body["run_id"]))
        monkeypatch.setenv("PIPELINES_TASK_ID", str(body["task_id"]))
        monkeypatch.setenv("_PIPELINES_TASK_INPUT_JSON", json.dumps(body["input"]))
        runs_async = run_sample("import asyncio, threading", Runner=NoRunner, agent=None, instruction=None)[
            "run_async_in_thread"
        ]
        with pytest.raises(NoEnvelopeError):
            runs_async(work)
        bound = run_sample(
            "from pipelines.odyssey import Envelope", out=out, asyncio=asyncio, coro_factory=work
        )
        worker = threading.Thread(target=bound["_target"])
        worker.start()
        worker.join()
        return {"final_response": "Bound."}

    dispatch(behave)
    assert out["result"] == WORLD["order"]["ord_1"]


class NoRunner:
    @staticmethod
    async def run(*_: Any) -> None:
        return None


# Registration


def test_an_agent_is_registered_as_shown(client: Client) -> None:
    call = ast.parse(sample(PORTING, "agents.create_http_agent("), mode="eval").body
    assert isinstance(call, ast.Call)
    values: dict[str, Any] = {
        "name": "as shown",
        "endpoint_url": "https://agent.example/dispatch",
        "api_key": KEY,
        "tools_schema": TOOLS,
    }
    assert {keyword.arg for keyword in call.keywords} == set(values)
    made = agents.create_http_agent(**values)
    kept = client.agents.get(made["id"])
    assert (kept["name"], kept["config"]["endpoint_url"]) == ("as shown", values["endpoint_url"])
    assert [tool["name"] for tool in kept["tools_schema"]] == [tool["name"] for tool in TOOLS]


@pytest.fixture
def endpoint(client: Client) -> Iterator[Any]:
    """Registers endpoints by name, with one tool each, and takes them away again."""
    made: list[str] = []

    def register(name: str, tool: str) -> str:
        document = {
            "openapi": "3.1.0",
            "info": {"title": name, "version": "1"},
            "paths": {"/it": {"get": {"operationId": tool, "responses": {"200": {"description": "It."}}}}},
        }
        config = {"base_url": "https://upstream.example", "spec": document, "auth": {"type": "none"}}
        kept = client.tool_endpoints.create(name=name, type="http_openapi", config=config)
        made.append(kept["id"])
        return kept["id"]

    yield register
    for endpoint_id in made:
        client.tool_endpoints.delete(endpoint_id)


def validate(client: Client, *tools: Any) -> Any:
    return client.agents.validate(
        name="validated",
        mode="http",
        config={"endpoint_url": "https://agent.example/dispatch"},
        tools_schema=list(tools),
        ledger_schema=LEDGER_SCHEMA,
    )


def test_an_entry_may_have_every_member_of_the_shape(client: Client, endpoint: Any) -> None:
    shape = sample(TOOLS_TEXT, '{ "tools_schema": [')
    endpoint_id = endpoint("shaped", "read")
    for where in ({"endpoint_id": endpoint_id}, {"endpoint_name": "shaped"}):
        entry = {
            "name": "read",
            "description": "Read.",
            "input_schema": {"type": "object"},
            "output_schema": {"type": "object"},
            "default_execution_mode": "passthrough",
            "passthrough_binding": {**where, "tool_name": "read"},
        }
        assert set(entry) | set(entry["passthrough_binding"]) <= set(re.findall(r'"(\w+)":', shape))
        validate(client, entry)
    named = {"tools_schema", *entry, "endpoint_id", "endpoint_name", "tool_name"}
    assert set(re.findall(r'"(\w+)":', shape)) == named


def test_a_tool_that_is_bound_by_name_is_accepted(client: Client, endpoint: Any) -> None:
    shown = json_sample('{ "name": "search_wikipedia",', TOOLS_TEXT)
    binding = shown["passthrough_binding"]
    with pytest.raises(InvalidError, match=binding["endpoint_name"]):
        validate(client, shown)
    endpoint(binding["endpoint_name"], binding["tool_name"])
    validate(client, shown)


def test_a_tool_with_an_adapter_is_accepted(client: Client, endpoint: Any) -> None:
    shown = json_sample('{ "name": "get_order",', TOOLS_TEXT)
    binding = shown["passthrough_binding"]
    endpoint(binding["endpoint_name"], binding["tool_name"])
    # The sample leaves out what the text beside it calls required.
    with pytest.raises(InvalidError, match="input_schema") as refused:
        validate(client, shown)
    assert len(refused.value.errors) == 1
    validate(client, {**shown, "input_schema": {"type": "object"}})

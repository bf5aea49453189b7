"""The scripted proxy, and a code-mode entrypoint run as the sandbox runs it."""

import json
import socket
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import httpx
import pytest
from support.in_process import run_here
from support.process import clean_environment

from pipelines.odyssey.local.__main__ import main as local_main
from pipelines.odyssey.local.answers import Answers, AnswersInvalidError, read_answers, smallest
from pipelines.odyssey.local.driver import CodeResult, run_code
from pipelines.odyssey.local.proxy import LocalProxy, LocalRun, Refusal

TOOL = {
    "name": "get_order",
    "input_schema": {"type": "object", "required": ["order_id"]},
    "output_schema": {
        "type": "object",
        "properties": {"status": {"enum": ["open", "done"]}, "lines": {"type": "array"}},
        "required": ["status", "lines"],
    },
}


@pytest.fixture
def proxy() -> Iterator[LocalProxy]:
    with LocalProxy(tools=[TOOL]) as running:
        yield running


def post(run: LocalRun, path: str, body: Any, **headers: str) -> httpx.Response:
    content = body if isinstance(body, bytes) else json.dumps(body).encode()
    sent = {"Authorization": f"Bearer {run.token}", **headers}
    return httpx.post(f"{run.url}/{path}", content=content, headers=sent, trust_env=False, timeout=None)


def test_a_call_is_answered_in_the_envelope_of_the_contract(proxy: LocalProxy) -> None:
    run = proxy.open_run()
    envelope = post(run, "tools/get_order", {"order_id": "ord_1"}).json()
    assert envelope["response"] == {"status": "open", "lines": []}
    assert {"tool_name", "response", "source", "latency_ms", "matched_rule_index", "validation"} == set(
        envelope
    )
    assert run.canary in json.dumps(envelope)
    assert [(call.tool, call.arguments) for call in run.calls] == [("get_order", {"order_id": "ord_1"})]


def test_the_address_without_a_run_is_served_too(proxy: LocalProxy) -> None:
    run = proxy.open_run()
    url = run.url.replace(f"/runs/{run.run_id}", "") + "/tools/get_order"
    answer = httpx.post(
        url,
        json={"order_id": "a"},
        headers={"X-Pipelines-Run-Token": run.token},
        trust_env=False,
        timeout=None,
    )
    assert answer.status_code == 200


def test_a_token_opens_its_own_run_only(proxy: LocalProxy) -> None:
    mine, other = proxy.open_run(), proxy.open_run()
    wrong = post(mine, "tools/get_order", {}, Authorization=f"Bearer {other.token}")
    assert (wrong.status_code, wrong.json()["code"]) == (401, "run_token_invalid")
    assert wrong.headers["Content-Type"] == "application/problem+json"
    assert mine.calls == other.calls == []
    assert "token of run 2" in proxy.strangers[0].why
    assert other.token not in repr(proxy.strangers)
    assert post(mine, "tools/get_order", {}, Authorization="Bearer fake").status_code == 401


@pytest.mark.parametrize(
    ("path", "body", "headers", "status", "code"),
    [
        ("tools/get_order", b"{", {}, 400, "json_invalid"),
        ("tools/get_order", b'{"a": NaN}', {}, 400, "json_invalid"),
        ("tools/get_order", [], {}, 422, "arguments_invalid"),
        ("tools/get_order", {}, {}, 422, "arguments_invalid"),
        ("tools/get_orders", {}, {}, 404, "tool_unknown"),
        ("tools/get_order", {"order_id": "a"}, {"X-Pipelines-Actor-Id": "a//b"}, 400, "actor_id_invalid"),
        ("tools/get_order", b" " * (1024 * 1024 + 1), {}, 413, "body_too_large"),
        ("traces/musing", {}, {}, 400, "trace_event_type_invalid"),
        ("traces/custom", {"__occurred_at": "today"}, {}, 422, "validation_failed"),
        ("elsewhere", {}, {}, 404, "not_found"),
    ],
)
def test_what_the_platform_refuses_is_refused_here(
    proxy: LocalProxy, path: str, body: Any, headers: dict[str, str], status: int, code: str
) -> None:
    answer = post(proxy.open_run(), path, body, **headers)
    assert (answer.status_code, answer.json()["code"]) == (status, code)


def test_an_event_is_kept_and_gets_its_receipt(proxy: LocalProxy) -> None:
    run = proxy.open_run()
    receipt = post(run, "traces/thinking", {"text": "hm"}, **{"X-Pipelines-Actor-Id": "a/b"}).json()
    assert receipt == {"accepted": True, "sequence": 1, "event_type": "thinking"}
    assert [(event.payload, event.actor_id) for event in run.events] == [({"text": "hm"}, "a/b")]


def test_scripted_refusals_come_first(proxy: LocalProxy) -> None:
    run = proxy.open_run(refusals=[Refusal(429, "rate_limited", "Wait.", retry_after_s=2)])
    refused = post(run, "tools/get_order", {"order_id": "a"})
    assert (refused.status_code, refused.headers["Retry-After"]) == (429, "2")
    assert refused.json()["retryable"] is True
    assert post(run, "tools/get_order", {"order_id": "a"}).status_code == 200


def test_a_body_in_chunks_is_read(proxy: LocalProxy) -> None:
    run = proxy.open_run()
    pieces = iter([b'{"order_id"', b': "a"}'])
    headers = {"Authorization": f"Bearer {run.token}"}
    answer = httpx.post(
        f"{run.url}/tools/get_order", content=pieces, headers=headers, trust_env=False, timeout=None
    )
    assert answer.status_code == 200
    assert run.calls[0].arguments == {"order_id": "a"}


def test_the_proxy_listens_at_an_address_of_ip_6_too() -> None:
    with socket.socket(socket.AF_INET6) as probe:
        try:
            probe.bind(("::1", 0))
        except OSError:
            pytest.skip("this machine has no loopback address of IPv6")
    with LocalProxy(listen="::1") as proxy:
        run = proxy.open_run()
        assert run.url.startswith("http://[::1]:")
        assert post(run, "tools/anything", {}).json()["response"] == {}


def test_answers_go_by_arguments_then_by_the_world() -> None:
    given = read_answers(
        [
            {"tool": "get", "arguments": {"id": "a"}, "response": 1},
            {"tool": "get", "arguments": {"id": "b"}, "response": 2},
        ]
    )
    answers = Answers(given, state={"order": {"c": {"id": "c", "total": 3}}})
    assert [answers.to("get", {"id": name}) for name in "abcd"] == [1, 2, {"id": "c", "total": 3}, {}]
    assert Answers(read_answers({"get": [1]})).to("get", {"id": "z"}) == [1]


@pytest.mark.parametrize(
    "document", [1, [1], [{"tool": "a"}], [{"tool": "a", "response": 1, "arguments": 2}]]
)
def test_answers_that_cannot_be_read_are_refused(document: Any) -> None:
    with pytest.raises(AnswersInvalidError):
        read_answers(document)


@pytest.mark.parametrize(
    ("schema", "value"),
    [
        ({"type": "string", "minLength": 2}, "--"),
        ({"type": "integer", "minimum": 4}, 4),
        ({"type": ["boolean", "null"]}, False),
        ({"type": "array", "items": {"const": 1}, "minItems": 2}, [1, 1]),
        ({"anyOf": [{"type": "null"}, {"type": "string"}]}, None),
        ({}, {}),
    ],
)
def test_the_smallest_value_of_a_schema(schema: dict[str, Any], value: Any) -> None:
    assert smallest(schema) == value


AGENT = """
import asyncio, json, os, sys, threading, urllib.request

def run(task_input, *, proxy_url, run_token):
    print("on stdout")
    request = urllib.request.Request(
        f"{proxy_url}/tools/get_order", b'{"order_id": "a"}', {"Authorization": f"Bearer {run_token}"}
    )
    with urllib.request.urlopen(request) as answer:
        order = json.load(answer)["response"]
    variables = sorted(name for name in os.environ if "PIPELINES" in name)
    return {"final_response": order["status"], "metadata": {"task": task_input, "variables": variables}}

def text(task_input, **_):
    return "Grüße " + task_input["user_instruction"]

def loops(task_input, **_):
    asyncio.run(asyncio.sleep(0))

def threads(task_input, **_):
    said = []
    thread = threading.Thread(target=lambda: said.append(asyncio.run(asyncio.sleep(0, "from a thread"))))
    thread.start(); thread.join()
    return said[0]

def bound(task_input, **_):
    from pipelines.odyssey.context import current
    return f"run {current().run_id}"

def raises(task_input, **_):
    raise LookupError("no such thing")

def returns_nothing(task_input, **_):
    pass

async def coroutine(task_input, **_):
    return "later"

def leaks(task_input, *, run_token, **_):
    print(run_token)
    return "ok"

def ends(task_input, **_):
    os._exit(3)

def exits(task_input, **_):
    sys.exit(0)

def hangs(task_input, **_):
    threading.Event().wait()
"""


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    (tmp_path / "agent.py").write_text(AGENT, encoding="utf-8")
    return tmp_path


def called(proxy: LocalProxy, folder: Path, function: str, **more: Any) -> CodeResult:
    return run_code(f"agent:{function}", proxy.open_run(), instruction="hello", folder=folder, **more)


def test_an_entrypoint_is_called_once_with_its_task_and_variables(proxy: LocalProxy, folder: Path) -> None:
    result = called(proxy, folder, "run", task_input={"a": [1]})
    assert result.failure is None
    assert result.reply is not None
    assert result.reply["final_response"] == "open"
    metadata = result.reply["metadata"]
    assert metadata["task"] == {"user_instruction": "hello", "input": {"a": [1]}, "task_id": 1}
    assert metadata["variables"] == [
        "PIPELINES_ODYSSEY_PROXY_URL",
        "PIPELINES_RUN_ID",
        "PIPELINES_RUN_TOKEN",
        "PIPELINES_RUN_TOKEN_JTI",
        "PIPELINES_TASK_ID",
        "_PIPELINES_TASK_INPUT_JSON",
    ]
    assert result.stdout == "on stdout\n"
    assert len(proxy.runs[0].calls) == 1


@pytest.mark.parametrize(
    ("function", "said"),
    [("text", "Grüße hello"), ("threads", "from a thread"), ("bound", "run 1")],
)
def test_what_works_in_the_sandbox_works_here(
    proxy: LocalProxy, folder: Path, function: str, said: str
) -> None:
    assert called(proxy, folder, function).reply == {"final_response": said}


@pytest.mark.filterwarnings("ignore")
@pytest.mark.parametrize(
    ("function", "stage", "message"),
    [
        ("loops", "run", "cannot be called from a running event loop"),
        ("raises", "run", "no such thing"),
        ("returns_nothing", "run", "returned NoneType"),
        ("coroutine", "run", "is async"),
        ("exits", "run", "0"),
        ("ends", "process", "ended with code 3"),
        ("missing", "import", "missing"),
    ],
)
def test_what_fails_in_the_sandbox_is_captured(
    proxy: LocalProxy, folder: Path, function: str, stage: str, message: str
) -> None:
    failure = called(proxy, folder, function).failure
    assert failure is not None
    assert (failure.stage, message in failure.message) == (stage, True)


def test_the_traceback_shows_the_agents_own_lines(proxy: LocalProxy, folder: Path) -> None:
    failure = called(proxy, folder, "raises").failure
    assert failure is not None
    assert 'raise LookupError("no such thing")' in failure.traceback
    assert "code_process" not in failure.traceback


def test_a_run_that_takes_too_long_is_ended(proxy: LocalProxy, folder: Path) -> None:
    failure = called(proxy, folder, "hangs", timeout_s=0.5).failure
    assert failure is not None
    assert "longer than 0.5 s" in failure.message


def test_without_the_sdk_it_cannot_be_imported(proxy: LocalProxy, folder: Path) -> None:
    failure = called(proxy, folder, "bound", without_sdk=True).failure
    assert failure is not None
    assert failure.type == "ModuleNotFoundError"
    assert failure.module is not None
    assert failure.module.startswith("pipelines")


def test_the_token_is_not_shown(proxy: LocalProxy, folder: Path) -> None:
    assert called(proxy, folder, "leaks").stdout == "****\n"


def local(folder: Path, *arguments: str) -> subprocess.CompletedProcess[str]:
    """Run the command here; the tests of `odyssey init` run it as `python -m`."""
    return run_here(
        *arguments, environment=clean_environment(), folder=folder, main=lambda: sys.exit(local_main())
    )


def test_the_command_prints_calls_and_reply(folder: Path) -> None:
    (folder / "answers.json").write_text('{"get_order": {"status": "sent"}}', encoding="utf-8")
    done = local(folder, "agent:run", "--instruction", "hi", "--answers", "answers.json")
    assert done.returncode == 0, done.stderr
    assert 'call   get_order {"order_id": "a"}' in done.stdout
    assert '"final_response": "sent"' in done.stdout
    document = json.loads(local(folder, "agent:text", "--instruction", "you", "--json").stdout)
    assert document["reply"] == {"final_response": "Grüße you"}


def test_the_command_ends_with_1_when_the_run_failed_and_2_when_it_cannot_begin(folder: Path) -> None:
    failed = local(folder, "agent:raises")
    assert (failed.returncode, "LookupError: no such thing" in failed.stdout) == (1, True)
    for wrong in (("--input", "[]"), ("--input", "{"), ("--answers", "none.json")):
        done = local(folder, "agent:run", *wrong)
        assert done.returncode == 2
        assert done.stderr.startswith("odyssey: ")

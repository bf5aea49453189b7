"""`odyssey doctor`: what is wrong with an agent of this machine, and how to mend it."""

import json
import os
import subprocess
import threading
from collections.abc import Iterator
from contextlib import contextmanager
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path
from typing import Any

import httpx
import pytest
from support.in_process import run_here

from pipelines.odyssey.local.serving import NotServedError, served

TOKEN = "inbound-token-of-the-tests"
AGENT = """
import re
from pipelines.odyssey import Tool, dispatch_app, proxy_call, ProxyError

def get_order(order_id: str) -> dict:
    "Read one order."

TOOLS = [Tool.from_function(get_order)]

def handle(envelope):
    if "ord_" not in envelope.user_instruction:
        return "Which order?"
    try:
        return str(proxy_call("get_order", {"order_id": "ord_1"}))
    except ProxyError as error:
        return f"refused: {error.code}"

app = dispatch_app(handle)
"""
TASKS = """user,state
Where is ord_1?,"{""order"": {""ord_1"": {""status"": ""shipped on Monday""}}}"
"""


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    (tmp_path / "agent.py").write_text(AGENT, encoding="utf-8")
    (tmp_path / "tasks.csv").write_text(TASKS, encoding="utf-8")
    toml = '[agent]\nname = "Desk"\napp = "agent:app"\ntools = "agent:TOOLS"\n[test]\ndataset = "tasks.csv"\n'
    (tmp_path / "odyssey.toml").write_text(toml, encoding="utf-8")
    (tmp_path / ".env").write_text(f"AGENT_TOKEN={TOKEN}\n", encoding="utf-8")
    return tmp_path


def doctor(folder: Path, *arguments: str, **more: str) -> subprocess.CompletedProcess[str]:
    kept = ("PATH", "HOME", "LANG", "PYTHONPATH", "SYSTEMROOT")
    env = {name: os.environ[name] for name in kept if name in os.environ}
    env |= {"XDG_CONFIG_HOME": str(folder / "no-login"), **more}
    return run_here("doctor", *arguments, environment=env, folder=folder)


def findings(folder: Path, *arguments: str, **more: str) -> dict[str, dict[str, Any]]:
    """Look with a task that needs no tool, unless a table says otherwise: calls that are held up take their time."""
    asked = () if "--dataset" in arguments else ("--instruction", "Hello.")
    done = doctor(folder, "--json", *asked, *arguments, **more)
    assert done.returncode in (0, 1), done.stderr
    document = json.loads(done.stdout)
    assert document["ok"] is (done.returncode == 0)
    return {found["name"]: found for found in document["findings"]}


def change(folder: Path, old: str, new: str, file: str = "agent.py") -> None:
    text = (folder / file).read_text(encoding="utf-8")
    assert old in text
    (folder / file).write_text(text.replace(old, new), encoding="utf-8")


def test_a_good_agent_passes_and_is_told_so_line_by_line(folder: Path) -> None:
    done = doctor(folder)
    assert done.returncode == 0, done.stdout + done.stderr
    lines = done.stdout.splitlines()
    assert lines[0].startswith("✓ passed   token")
    assert "✓ passed   tool calls               1 with the run's token: get_order" in lines
    assert any(line.startswith("– skipped  platform") for line in lines)
    assert " failed" not in lines[-1]
    assert TOKEN not in done.stdout + done.stderr


BARE_AGENT = """
import os, secrets
import httpx
from fastapi import FastAPI, Header, HTTPException, Request

app = FastAPI()
TOOLS = [{"name": "get_order", "input_schema": {"type": "object"}}]

@app.post("/dispatch")
async def dispatch(request: Request, authorization: str = Header(""), x_pipelines_run_token: str = Header("")):
    if not secrets.compare_digest(authorization, f"Bearer {os.environ['AGENT_TOKEN']}"):
        raise HTTPException(401)
    body = await request.json()
    if body == {"ping": True}:
        return {"ok": True}
    if not x_pipelines_run_token or "odyssey_proxy_url" not in body:
        raise HTTPException(400, "no proxy URL or no run token")
    async with httpx.AsyncClient(timeout=120) as client:
        answer = await client.post(
            f"{body['odyssey_proxy_url']}/tools/get_order",
            json={"order_id": "ord_1"},
            headers={"Authorization": f"Bearer {x_pipelines_run_token}"},
        )
    found = answer.json()["response"] if answer.is_success else {"error": answer.text}
    return {"final_response": f"It is {found}."}
"""


def test_an_agent_without_the_sdk_that_does_all_the_contract_demands_passes_with_warnings(
    folder: Path,
) -> None:
    (folder / "agent.py").write_text(BARE_AGENT, encoding="utf-8")
    done = doctor(folder, "--json")
    assert done.returncode == 0, done.stdout + done.stderr
    found = json.loads(done.stdout)["findings"]
    assert {each["name"] for each in found if each["state"] == "warned"} >= {
        "bad bodies are 4xx",
        "429 is retried",
    }


@pytest.mark.parametrize("shadow", ["pipelines/__init__.py", "pipelines.py"])
def test_what_shadows_the_sdk_is_named(folder: Path, shadow: str) -> None:
    (folder / shadow).parent.mkdir(exist_ok=True)
    (folder / shadow).write_text("", encoding="utf-8")
    found = findings(folder)
    assert found["sdk"]["state"] == "failed"
    assert str(folder / shadow) in found["sdk"]["detail"]
    assert {found[name]["state"] for name in ("import", "tools", "wire")} == {"skipped"}


def test_a_folder_beside_the_sdk_that_has_its_name_shadows_nothing(folder: Path) -> None:
    (folder / "pipelines").mkdir()
    (folder / "pipelines" / "nightly.py").write_text("", encoding="utf-8")
    found = findings(folder)
    assert found["sdk"]["state"] == found["import"]["state"] == "passed"


def test_a_copy_of_the_sdk_is_told_apart(folder: Path) -> None:
    (folder / "pipelines" / "odyssey").mkdir(parents=True)
    found = findings(folder)["sdk"]
    assert (found["state"], str(folder / "pipelines" / "odyssey") in found["detail"]) == ("warned", True)


def test_everything_can_be_named_by_flags(tmp_path: Path) -> None:
    (tmp_path / "service.py").write_text(AGENT, encoding="utf-8")
    (tmp_path / "rows.csv").write_text(TASKS, encoding="utf-8")
    flags = ("--app", "service:app", "--tools", "service:TOOLS", "--dataset", "rows.csv")
    found = findings(tmp_path, *flags, AGENT_TOKEN=TOKEN)
    assert {found[name]["state"] for name in ("import", "tools", "dataset", "tool calls")} == {"passed"}


def test_without_anything_to_look_at_it_ends_with_2(tmp_path: Path) -> None:
    done = doctor(tmp_path)
    assert done.returncode == 2
    assert "--app" in done.stderr


def test_a_fault_of_the_project_file_ends_with_2(folder: Path) -> None:
    change(folder, "[agent]", "[agents]", "odyssey.toml")
    done = doctor(folder)
    assert (done.returncode, "did you mean" in done.stderr) == (2, True)


def test_a_missing_token_is_a_failure_and_the_wire_waits(folder: Path) -> None:
    (folder / ".env").unlink()
    found = findings(folder)
    assert found["token"]["state"] == "failed"
    assert ".env" in found["token"]["fix"]
    assert found["wire"]["state"] == "skipped"


@pytest.mark.parametrize(
    ("old", "new", "said", "fix"),
    [
        (
            "import re",
            "import re_search_engine",
            "No module named 're_search_engine'",
            "Install re_search_engine",
        ),
        ("import re", "import os; os.environ['NOT_SET_HERE']", "KeyError: 'NOT_SET_HERE'", ".env"),
        ("import re", "import (", "SyntaxError", "syntax"),
        ("import re", "raise SystemExit(4)", "SystemExit", "last line"),
        ("app = dispatch", "application = dispatch", "has no 'app'", "Define app in agent"),
        ("app = dispatch_app(handle)", "app = 4", "is a int, not an app", "ASGI"),
    ],
)
def test_what_cannot_be_imported_is_told_with_its_line_and_fix(
    folder: Path, old: str, new: str, said: str, fix: str
) -> None:
    change(folder, old, new)
    found = findings(folder)
    assert found["import"]["state"] == "failed"
    assert said in found["import"]["detail"]
    assert fix in found["import"]["fix"]
    assert found["wire"]["state"] == "skipped"


def test_what_an_agent_raises_is_shown_with_the_check_that_failed(folder: Path) -> None:
    change(folder, '        return "Which order?"', "        raise LookupError('the shelf is empty')")
    found = findings(folder)
    assert found["dispatch"]["state"] == "failed"
    assert "raised LookupError: the shelf is empty (agent.py, line 12)" in found["dispatch"]["detail"]


def test_what_an_agent_prints_does_not_spoil_the_json(folder: Path) -> None:
    change(folder, "def handle(envelope):", "print('imported')\ndef handle(envelope):\n    print('called')")
    done = doctor(folder, "--json")
    assert json.loads(done.stdout)["ok"] is True
    assert "imported" in done.stderr


def test_a_tools_schema_that_would_be_refused_is_a_failure(folder: Path) -> None:
    change(folder, "TOOLS = [", "TOOLS = [{'name': 'get order', 'input_schema': {}}, ")
    found = findings(folder)
    assert found["tools"]["state"] == "failed"
    assert "'get order' is not a tool name" in found["tools"]["detail"]


def test_the_dataset_is_looked_at(folder: Path) -> None:
    change(folder, "user,state", "user_instruction,state", "tasks.csv")
    found = findings(folder)
    assert found["dataset"]["state"] == "failed"
    assert "user" in found["dataset"]["detail"]
    assert "odyssey seeds lint" in found["dataset"]["fix"]


@contextmanager
def platform(probe_status: int, validate_status: int) -> Iterator[str]:
    """Answer the probe and the validation as told."""

    class Handler(BaseHTTPRequestHandler):
        def do_POST(self) -> None:
            self.rfile.read(int(self.headers["Content-Length"]))
            is_probe = self.path == "/api/odyssey-proxy/tools/__reachability_probe__"
            status = probe_status if is_probe else validate_status
            fault = {"loc": ["tools_schema", 0, "name"], "msg": "the name is taken"}
            body: dict[str, Any] = (
                {"agent": {}, "valid": True} if status == 200 else {"detail": "No.", "errors": [fault]}
            )
            content = json.dumps(body).encode()
            self.send_response(status)
            self.send_header("Content-Length", str(len(content)))
            self.end_headers()
            self.wfile.write(content)

        def log_message(self, format: str, *args: object) -> None:
            pass

    server = ThreadingHTTPServer(("127.0.0.1", 0), Handler)
    thread = threading.Thread(target=server.serve_forever, kwargs={"poll_interval": 0.01})
    thread.start()
    try:
        yield f"http://127.0.0.1:{server.server_port}"
    finally:
        server.shutdown()
        thread.join()
        server.server_close()


def test_a_platform_that_refuses_a_fake_token_is_reached(folder: Path) -> None:
    with platform(401, 200) as url:
        found = findings(folder, "--url", url, "--api-key", "pk_live_1")
    assert found["platform"]["state"] == found["tools on the platform"]["state"] == "passed"


def test_a_platform_that_lets_a_fake_token_in_is_none(folder: Path) -> None:
    with platform(200, 422) as url:
        found = findings(folder, "--url", url, "--api-key", "pk_live_1")
    assert found["platform"]["state"] == "failed"
    assert "not 401" in found["platform"]["detail"]
    assert found["tools on the platform"]["state"] == "failed"
    assert "the name is taken" in found["tools on the platform"]["detail"]


def test_a_platform_that_is_not_there_is_a_failure(folder: Path) -> None:
    found = findings(folder, ODYSSEY_URL="http://127.0.0.1:9")
    assert found["platform"]["state"] == "failed"
    assert "firewall" in found["platform"]["fix"]


async def answers_always(scope: Any, receive: Any, send: Any) -> None:
    if scope["type"] == "lifespan":
        raise AssertionError("unsupported, which uvicorn takes")
    await send({"type": "http.response.start", "status": 204, "headers": []})
    await send({"type": "http.response.body"})


async def never_starts(scope: Any, receive: Any, send: Any) -> None:
    await receive()
    await send({"type": "lifespan.startup.failed", "message": "the database is away"})


def test_an_app_is_served_on_a_port_of_its_own_and_ends_with_the_block() -> None:
    with served(answers_always) as here:
        assert httpx.post(here.url, trust_env=False, timeout=None).status_code == 204
    with pytest.raises(httpx.ConnectError):
        httpx.post(here.url, trust_env=False, timeout=None)


def test_an_app_that_does_not_start_is_told_why() -> None:
    with pytest.raises(NotServedError, match="does not start"), served(never_starts):
        pass


CODE = """
import json, urllib.request

TOOLS = [{"name": "get_order", "input_schema": {"type": "object"}}]

def run(task_input, *, proxy_url, run_token):
    return "done"
"""


@pytest.mark.parametrize(
    ("body", "said", "fix"),
    [
        ("import asyncio; asyncio.run(asyncio.sleep(0))", "running event loop", "thread of its own"),
        ("import pipelines.odyssey", "pipelines", "A sandbox has no SDK"),
        ("raise LookupError('gone')", "LookupError: gone", "final_response"),
        ("return 4", "returned int", "final_response"),
    ],
)
def test_a_code_agent_that_fails_in_the_sandbox_is_told_why(
    tmp_path: Path, body: str, said: str, fix: str
) -> None:
    (tmp_path / "agent.py").write_text(CODE.replace('return "done"', body), encoding="utf-8")
    toml = '[agent]\nname = "Desk"\nmode = "code"\nentrypoint = "agent:run"\ntools = "agent:TOOLS"\n'
    (tmp_path / "odyssey.toml").write_text(toml, encoding="utf-8")
    found = findings(tmp_path)["run"]
    assert found["state"] == "failed"
    assert said in found["detail"]
    assert fix in found["fix"]

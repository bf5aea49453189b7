"""Start the platform and the support desk, run eight tickets, show what happened."""

import argparse
import os
import secrets
import signal
import subprocess
import sys
import tempfile
import time
from collections import Counter
from collections.abc import Iterator
from contextlib import ExitStack
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any, NoReturn

import httpx
import msgspec
from rich.console import Console
from rich.markup import escape
from rich.progress import Progress, SpinnerColumn, TextColumn, TimeElapsedColumn
from rich.table import Table
from services import HOST, DemoError, Service, choose_port, running, wait_until

HERE = Path(__file__).resolve().parent
DATA_TO_KEEP = HERE.parent.parent / ".odyssey-demo"
KEY_FILE = "demo-api-key"
ODYSSEY = str(Path(sys.executable).parent / "odyssey")
START_TIMEOUT_S = 60.0
RUNS_TIMEOUT_S = 300.0
WIDTH_OF_A_LOG = 160

console = Console(width=None if sys.stdout.isatty() else WIDTH_OF_A_LOG)


class Platform:
    """The management API, as far as the demo needs it."""

    def __init__(self, http: httpx.Client) -> None:
        self._http = http

    def ask(self, method: str, path: str, **kwargs: Any) -> Any:
        try:
            answer = self._http.request(method, path, **kwargs)
            body = answer.json() if answer.content else {}
        except httpx.HTTPError as failure:
            raise DemoError(f"{method} {path} got no answer: {failure}") from failure
        except ValueError:
            raise DemoError(f"{method} {path} answered {answer.status_code} without JSON.") from None
        if not answer.is_success:
            reasons = [body.get("detail", "no detail"), *(error["msg"] for error in body.get("errors", []))]
            raise DemoError(f"{method} {path} answered {answer.status_code}: {' – '.join(reasons)}")
        return body

    def items(self, path: str) -> Iterator[dict[str, Any]]:
        params: dict[str, str | int] = {"limit": 200}
        while True:
            page = self.ask("GET", path, params=params)
            yield from page["items"]
            if not page.get("next_cursor"):
                return
            params["cursor"] = page["next_cursor"]


@dataclass
class Ticket:
    """One task, its run, and what the trace says about it."""

    name: str
    run: dict[str, Any]
    sources: Counter[str] = field(default_factory=Counter)
    changes: list[str] = field(default_factory=list)

    @property
    def ended(self) -> bool:
        return self.run["status"] in ("completed", "failed", "cancelled")

    @property
    def outcome(self) -> str:
        error_class = self.run.get("error_class")
        return f"{self.run['status']} ({error_class})" if error_class else str(self.run["status"])

    def read_trace(self, events: list[dict[str, Any]]) -> None:
        # A run whose owner was lost begins anew; its earlier attempts changed nothing that counts.
        last_attempt = max((event["attempt"] for event in events), default=1)
        for event in events:
            if event["kind"] == "tool_call" and event["attempt"] == last_attempt:
                self.sources[event["data"].get("source") or "refused"] += 1
                self.changes += map(describe_operation, event["data"].get("operations") or [])


def describe_operation(operation: dict[str, Any]) -> str:
    if "flag" in operation:
        return f"{operation['op']} {operation['flag']}"
    subject = f"{operation['entity_type']} {operation['id']}"
    if operation["op"] != "update":
        return f"{operation['op']} {subject}"
    values = ", ".join(f"{name}={value}" for name, value in (operation.get("fields") or {}).items())
    return f"{subject}: {values}"


def api_key_for(data: Path) -> tuple[str, dict[str, str]]:
    """The key to use, and the environment that teaches it to a new platform."""
    data.mkdir(mode=0o700, exist_ok=True)
    key_file = data / KEY_FILE
    is_new = all(path == key_file for path in data.iterdir())
    if key_file.exists():
        key = key_file.read_text(encoding="ascii").strip()
    elif is_new:
        key = f"pk_live_{secrets.token_hex(20)}"
        # Created with its mode, so that there is no moment in which others can read it.
        with os.fdopen(os.open(key_file, os.O_WRONLY | os.O_CREAT | os.O_EXCL, 0o600), "w") as file:
            file.write(key)
    else:
        raise DemoError(f"{data} holds a platform without its {KEY_FILE}. Remove the folder to begin anew.")
    return key, {"ODYSSEY_BOOTSTRAP_API_KEY": key} if is_new else {}


def platform_command(port: int, data: Path) -> list[str]:
    return [ODYSSEY, "up", "--port", str(port), "--data", str(data)]


def signin_link(address: str, data: Path) -> str:
    """A new one: that of the start lies in a log, and its fifteen minutes have begun."""
    command = [ODYSSEY, "signin-link", "--data", str(data), "--url", address]
    made = subprocess.run(command, capture_output=True, text=True, check=False)
    if made.returncode:
        raise DemoError(f"There is no sign-in link: {made.stderr.strip()}")
    return made.stdout.strip()


def agent_command(port: int) -> list[str]:
    return [sys.executable, str(HERE / "desk_agent.py"), "--port", str(port)]


def answers(method: str, url: str, **kwargs: Any) -> bool:
    try:
        return httpx.request(method, url, trust_env=False, **kwargs).is_success
    except httpx.TransportError:
        return False


def await_start(platform: Service, address: str, agent: Service, endpoint_url: str, agent_token: str) -> None:
    def platform_is_up() -> bool:
        return answers("GET", f"{address}/health")

    def agent_is_up() -> bool:
        headers = {"Authorization": f"Bearer {agent_token}"}
        return answers("POST", endpoint_url, json={"ping": True}, headers=headers)

    with console.status("Starting the platform and the agent"):
        for service, is_up in ((platform, platform_is_up), (agent, agent_is_up)):
            if not wait_until(is_up, platform, agent, timeout_s=START_TIMEOUT_S, every_s=0.1):
                raise DemoError(f"The {service.name} gave no good answer for {START_TIMEOUT_S:.0f} s.")


def register(platform: Platform, endpoint_url: str, agent_token: str) -> int:
    body = msgspec.json.decode((HERE / "agent.json").read_bytes())
    body["config"] |= {"endpoint_url": endpoint_url, "auth_header_value": f"Bearer {agent_token}"}
    known = next((agent for agent in platform.items("/api/agents") if agent["name"] == body["name"]), None)
    method, path = ("PUT", f"/api/agents/{known['id']}") if known else ("POST", "/api/agents")
    agent_id = int(platform.ask(method, path, json=body)["id"])
    connection = platform.ask("POST", f"/api/agents/{agent_id}/test-connection")
    if not connection["ok"]:
        raise DemoError(f"The platform does not reach the agent: {connection['detail']}")
    platform.ask("POST", f"/api/agents/{agent_id}/publish")
    return agent_id


def start_runs(platform: Platform, agent_id: int) -> list[Ticket]:
    world = msgspec.json.decode((HERE / "world.json").read_bytes())
    tasks = msgspec.json.decode((HERE / "tasks.json").read_bytes())
    seeds = [task | {"initial_state": world["initial_state"]} for task in tasks]
    runs = platform.ask("POST", "/api/runs", json={"agent_id": agent_id, "seeds": seeds})["runs"]
    return [Ticket(task["input"]["ticket"], run) for task, run in zip(tasks, runs, strict=True)]


def follow(platform: Platform, tickets: list[Ticket], *services: Service) -> None:
    columns = SpinnerColumn(finished_text="•"), TextColumn("{task.description}"), TimeElapsedColumn()
    with Progress(*columns, console=console) as progress:
        rows = [progress.add_task(ticket.name, total=1) for ticket in tickets]

        def all_ended() -> bool:
            for ticket, row in zip(tickets, rows, strict=True):
                if not progress.tasks[row].finished:
                    ticket.run = platform.ask("GET", f"/api/runs/{ticket.run['id']}")
                    text = escape(f"{ticket.name}: {ticket.outcome}")
                    progress.update(row, description=text, completed=int(ticket.ended))
            return all(ticket.ended for ticket in tickets)

        if not wait_until(all_ended, *services, timeout_s=RUNS_TIMEOUT_S, every_s=0.3):
            late = ", ".join(f"{ticket.name} is {ticket.outcome}" for ticket in tickets if not ticket.ended)
            raise DemoError(f"After {RUNS_TIMEOUT_S:.0f} s not every run has ended: {late}.")
    for ticket in tickets:
        ticket.read_trace(list(platform.items(f"/api/runs/{ticket.run['id']}/trace")))


def table_of(tickets: list[Ticket]) -> Table:
    table = Table("Task", "Run", "Status", "Tool calls", "Ledger changes", "Final response", show_lines=True)
    for ticket in tickets:
        calls = "\n".join(f"{count} {source}" for source, count in sorted(ticket.sources.items()))
        changes = "\n".join([str(len(ticket.changes)), *ticket.changes])
        beginning = " ".join((ticket.run.get("final_response") or "").split())[:120]
        cells = ticket.name, str(ticket.run["id"]), ticket.outcome, calls or "0", changes, beginning
        table.add_row(*map(escape, cells))
    return table


def require_completed(tickets: list[Ticket]) -> None:
    # The desk answers every ticket, also with a no: any other status is a fault of platform or agent.
    failed = [f"{each.name} is {each.outcome}" for each in tickets if each.run["status"] != "completed"]
    if failed:
        raise DemoError(f"Every run should have completed, but {'; '.join(failed)}.")


def run_demo(once: bool, wanted_port: int, workdir: Path, stack: ExitStack) -> None:
    data = workdir / "data" if once else DATA_TO_KEEP
    key, bootstrap = api_key_for(data)
    port, agent_port, agent_token = choose_port(wanted_port), choose_port(0), secrets.token_urlsafe(32)
    if port != wanted_port:
        console.print(f"Port {wanted_port} is busy; the platform takes {port}.")
    address, endpoint_url = f"http://{HOST}:{port}", f"http://{HOST}:{agent_port}/dispatch"
    headers = {"Authorization": f"Bearer {key}"}
    http = stack.enter_context(httpx.Client(base_url=address, headers=headers, timeout=30, trust_env=False))
    server = stack.enter_context(running("platform", platform_command(port, data), bootstrap, workdir))
    token_env = {"AGENT_TOKEN": agent_token}
    agent = stack.enter_context(running("agent", agent_command(agent_port), token_env, workdir))
    # Runs first when the stack unwinds: an impatient second Ctrl-C must not leave a service behind.
    stack.callback(signal.signal, signal.SIGINT, signal.SIG_IGN)

    await_start(server, address, agent, endpoint_url, agent_token)
    platform = Platform(http)
    tickets = start_runs(platform, register(platform, endpoint_url, agent_token))
    follow(platform, tickets, server, agent)
    console.print(table_of(tickets))
    if once:
        require_completed(tickets)
        return
    console.print(f"The platform stays up at {address} until Ctrl-C.")
    link = signin_link(address, data)
    console.print(f"Sign in (once, within 15 minutes): {link}", soft_wrap=True, highlight=False)
    console.print(f"Its API key {key[:12]}… is in {data / KEY_FILE}.", soft_wrap=True)
    while True:
        server.require_alive()
        agent.require_alive()
        time.sleep(0.5)


def exit_on_signal(number: int, _frame: object) -> NoReturn:
    sys.exit(128 + number)


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--once", action="store_true", help="use fresh data and end after the eight runs")
    parser.add_argument("--port", type=int, default=8200, help="port of the platform (default 8200)")
    options = parser.parse_args()
    for number in (signal.SIGTERM, signal.SIGHUP):
        signal.signal(number, exit_on_signal)
    try:
        with tempfile.TemporaryDirectory(prefix="odyssey-demo-") as workdir, ExitStack() as stack:
            run_demo(options.once, options.port, Path(workdir), stack)
    except DemoError as failure:
        console.print(str(failure), style="red", markup=False, highlight=False)
        return 1
    except KeyboardInterrupt:
        console.print("Stopped.")
    return 0


if __name__ == "__main__":
    sys.exit(main())

"""Start the platform and the support desk, run the eight tickets of a dataset, then press on the desk."""

import argparse
import os
import secrets
import signal
import subprocess
import sys
import tempfile
import time
from collections.abc import Iterator
from contextlib import ExitStack
from pathlib import Path
from typing import Any, NoReturn

import httpx
import msgspec
from pressure import run_matrix, unexpected_cells
from rich.console import Console
from rich.markup import escape
from rich.progress import Progress, SpinnerColumn, TextColumn, TimeElapsedColumn
from services import DemoError, Service, announced, choose_port, running, wait_until
from tickets import FILE, Ticket, names, pass_rate, table_of, unexpected

HERE = Path(__file__).resolve().parent
DATA_TO_KEEP = HERE.parent.parent / ".odyssey-demo"
KEY_FILE = "demo-api-key"
WORLD = "Support desk"
DATASET = "Support desk tickets"
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


def agent_command() -> list[str]:
    return [sys.executable, str(HERE / "desk_agent.py"), "--port", "0"]


def answers(method: str, url: str, **kwargs: Any) -> bool:
    try:
        return httpx.request(method, url, trust_env=False, **kwargs).is_success
    except httpx.TransportError:
        return False


def await_start(platform: Service, agent: Service, agent_token: str) -> tuple[str, str]:
    """Wait until both answer; returns their addresses."""

    def platform_is_up() -> bool:
        return answers("GET", f"{address}/health")

    def agent_is_up() -> bool:
        headers = {"Authorization": f"Bearer {agent_token}"}
        return answers("POST", endpoint_url, json={"ping": True}, headers=headers)

    with console.status("Starting the platform and the agent"):
        address = announced("Odyssey is up at", platform, agent, timeout_s=START_TIMEOUT_S)
        endpoint_url = announced("The desk listens at", agent, platform, timeout_s=START_TIMEOUT_S)
        for service, is_up in ((platform, platform_is_up), (agent, agent_is_up)):
            if not wait_until(is_up, platform, agent, timeout_s=START_TIMEOUT_S, every_s=0.1):
                raise DemoError(f"The {service.name} gave no good answer for {START_TIMEOUT_S:.0f} s.")
    return address, endpoint_url


def register(platform: Platform, endpoint_url: str, agent_token: str) -> int:
    body = msgspec.json.decode((HERE / "agent.json").read_bytes())
    body["config"] |= {"endpoint_url": endpoint_url, "auth_header_value": f"Bearer {agent_token}"}
    agent_id = keep(platform, "/api/agents", body["name"], json=body)
    connection = platform.ask("POST", f"/api/agents/{agent_id}/test-connection")
    if not connection["ok"]:
        raise DemoError(f"The platform does not reach the agent: {connection['detail']}")
    platform.ask("POST", f"/api/agents/{agent_id}/publish")
    return agent_id


def keep(platform: Platform, path: str, name: str, **request: Any) -> int:
    """Make something, or change the one of this name that an earlier start has made."""
    known = next((item["id"] for item in platform.items(path) if item["name"] == name), None)
    method, place = ("POST", path) if known is None else ("PUT", f"{path}/{known}")
    return int(platform.ask(method, place, **request)["id"])


def upload(platform: Platform) -> int:
    """Keep the world that rows of the table name, then the table."""
    world = msgspec.json.decode((HERE / "world.json").read_bytes())
    keep(platform, "/api/worlds", WORLD, json={"name": WORLD, **world})
    headers = {"Content-Type": "text/csv"}
    request = {"params": {"name": DATASET}, "headers": headers, "content": FILE.read_bytes()}
    return keep(platform, "/api/datasets", DATASET, **request)


def start_runs(platform: Platform, agent_id: int, dataset_id: int) -> tuple[int, list[Ticket]]:
    body = {"agent_id": agent_id, "dataset_id": dataset_id}
    made = platform.ask("POST", "/api/runs", json=body)
    tickets = [Ticket(name, run) for name, run in zip(names(), made["runs"], strict=True)]
    return int(made["batch"]["id"]), tickets


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
            raise DemoError(f"After {RUNS_TIMEOUT_S:.0f} s not every run has its verdict: {late}.")
    for ticket in tickets:
        ticket.read_trace(list(platform.items(f"/api/runs/{ticket.run['id']}/trace")))


def require_expected(tickets: list[Ticket]) -> None:
    # Rules decide, not a model: any other verdict is a fault of platform, agent or table.
    found = unexpected(tickets)
    if found:
        raise DemoError(f"The tickets should end as they always do, but {'; '.join(found)}.")


def press(platform: Platform, address: str, key: str) -> None:
    """Run every scenario of the desk under every pressure, and see that what turns red is what should."""
    console.print("\nNow the same desk under pressure: odyssey eval matrix examples/support-desk/matrix.yaml")
    run_matrix(ODYSSEY, address, key)
    newest = next(platform.items("/api/v1/eval/matrix"))
    found = unexpected_cells(platform.ask("GET", f"/api/v1/eval/matrix/{newest['id']}"))
    if found:
        raise DemoError(f"The heat map should look as it always does, but {'; '.join(found)}.")


def run_demo(once: bool, wanted_port: int, workdir: Path, stack: ExitStack) -> None:
    data = workdir / "data" if once else DATA_TO_KEEP
    key, bootstrap = api_key_for(data)
    port, agent_token = choose_port(wanted_port), secrets.token_urlsafe(32)
    server = stack.enter_context(running("platform", platform_command(port, data), bootstrap, workdir))
    agent = stack.enter_context(running("agent", agent_command(), {"AGENT_TOKEN": agent_token}, workdir))
    # Runs before the services are stopped: an impatient second Ctrl-C must not leave a service behind.
    stack.callback(signal.signal, signal.SIGINT, signal.SIG_IGN)

    address, endpoint_url = await_start(server, agent, agent_token)
    if port != wanted_port:
        console.print(f"Port {wanted_port} is busy; the platform is at {address}.")
    headers = {"Authorization": f"Bearer {key}"}
    http = stack.enter_context(httpx.Client(base_url=address, headers=headers, timeout=30, trust_env=False))
    platform = Platform(http)
    agent_id = register(platform, endpoint_url, agent_token)
    batch_id, tickets = start_runs(platform, agent_id, upload(platform))
    follow(platform, tickets, server, agent)
    console.print(table_of(tickets))
    console.print(pass_rate(platform.ask("GET", f"/api/batches/{batch_id}")), highlight=False)
    if once:
        require_expected(tickets)
    press(platform, address, key)
    if once:
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
    parser.add_argument("--once", action="store_true", help="use fresh data and end after the last run")
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

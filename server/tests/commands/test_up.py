"""`odyssey up` and its sisters, started as a person would start them."""

import json
import os
import re
import socket
import stat
import threading
from collections.abc import Callable, Iterator
from concurrent.futures import ThreadPoolExecutor
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import httpx
import pytest
from support.agents import Behaviour, Dispatched, ScriptedAgent, final
from support.platform import TOOLS, Org
from support.postgres import new_postgres_database
from support.process import ServerProcess, ServerScript, odyssey_here
from support.recorded import restore, states
from support.waiting import wait_for

from odyssey.commands.data_directory import DataDirectory, StartRefusedError
from odyssey.identity.bootstrap import bootstrap
from odyssey.kit.clock import utc_now

SECRET = "0123456789abcdef0123456789abcdef"
KEY = "pk_live_" + "a" * 40
LINK = re.compile(r"http://127\.0\.0\.1:\d+/signin#([A-Za-z0-9_-]{43})")

Up = Callable[..., ServerProcess]


@pytest.fixture
def up() -> Iterator[Up]:
    started: list[ServerProcess] = []

    def start(*arguments: str, script: bool = False, **environment: str) -> ServerProcess:
        """By the console script as users do, which takes seconds to load, or forked with all of it loaded."""
        started.append((ServerScript if script else ServerProcess)(*arguments, **environment))
        return started[-1]

    yield start
    for server in started:
        if not server.is_over:
            server.kill()


def get(server: ServerProcess, path: str, key: str = "") -> httpx.Response:
    return httpx.get(
        server.url + path, headers={"X-API-Key": key} if key else {}, trust_env=False, timeout=None
    )


def post(server: ServerProcess, path: str, key: str, body: Any = None) -> Any:
    answer = httpx.post(
        server.url + path, json=body, headers={"X-API-Key": key}, trust_env=False, timeout=None
    )
    assert answer.is_success, answer.text
    return answer.json()


def exchange(server: ServerProcess, link: str) -> httpx.Response:
    found = LINK.fullmatch(link.strip())
    assert found, link
    return httpx.post(
        f"{server.url}/api/auth/session", json={"link": found[1]}, trust_env=False, timeout=None
    )


def email_of(server: ServerProcess, link: str) -> str:
    email: str = exchange(server, link).json()["person"]["email"]
    return email


def test_a_server_is_started_for_the_first_time_killed_and_started_again(up: Up, tmp_path: Path) -> None:
    """Both starts print a link and only the first a key; what else is there to see needs no start of its own."""
    data = str(tmp_path / "new" / "data")
    with permissive_umask():
        first = up("--data", data, script=True, ODYSSEY_LOG_LEVEL="debug")
    health = get(first, "/health")
    assert health.json()["status"] == "ok"
    assert set(health.json()) == {"status", "version"}
    key = first.first_key()
    assert get(first, "/api/org", key).json()["name"] == "Default"
    links = [link_that_works_once(first)]
    assert_closed_to_others(Path(data))
    first.kill()
    open_to_others(Path(data))

    assert_another_key_is_refused(Path(data))
    second = up("--data", data, ODYSSEY_LOG_LEVEL="debug")
    assert_closed_to_others(Path(data))
    links.append(link_that_works_once(second))  # the line below the address: there is no key in between
    assert "pk_live_" not in second.output
    assert get(second, "/api/org", key).status_code == 200
    assert_another_server_is_told_who_holds_the_data(second, data)
    assert_other_commands_may_use_the_data(second, data, key)
    assert second.stop() == 0
    log = "".join(first.log + second.log)
    assert [secret for secret in (key, *links) if secret.rpartition("#")[2] in log] == []


def link_that_works_once(server: ServerProcess) -> str:
    link = server.signin_link()
    assert link.startswith(server.url + "/signin#")
    assert email_of(server, link) == "admin@localhost"
    assert exchange(server, link).status_code == 401
    return link


@contextmanager
def permissive_umask() -> Iterator[None]:
    before = os.umask(0)
    try:
        yield
    finally:
        os.umask(before)


def modes(data: Path) -> dict[str, int]:
    return {path.name: stat.S_IMODE(path.stat().st_mode) for path in (data, *data.iterdir())}


def assert_closed_to_others(data: Path) -> None:
    files = ("odyssey.db", "odyssey.db-wal", "odyssey.db-shm", "secret.key", "lock", "address")
    assert modes(data) == {data.name: 0o700} | dict.fromkeys(files, 0o600)


def open_to_others(data: Path) -> None:
    for path in data.iterdir():
        path.chmod(0o666)
    data.chmod(0o777)


def assert_another_key_is_refused(data: Path) -> None:
    """Also a key that is gone: none is put in its place."""
    own = Path(data, "secret.key")
    text = own.read_text()
    up_again = ("up", "--port", "0", "--data", str(data))
    foreign = odyssey_here(*up_again, ODYSSEY_SECRET_KEY=SECRET)
    own.write_text(SECRET)
    replaced = odyssey_here(*up_again)
    own.unlink()
    lost = odyssey_here(*up_again)
    assert not own.exists()
    own.write_text(text)
    for refused, says in ((foreign, "ODYSSEY_SECRET_KEY is not"), (replaced, str(own)), (lost, "is missing")):
        assert refused.returncode == 1
        assert says in refused.stderr
        assert "the secrets in this database were sealed with" in refused.stderr
        assert "Traceback" not in refused.stderr
        assert SECRET not in refused.stderr


def assert_another_server_is_told_who_holds_the_data(server: ServerProcess, data: str) -> None:
    refused = odyssey_here("up", "--port", "0", "--data", data)
    assert refused.returncode == 1
    assert f"held by process {server.pid}" in refused.stderr


def assert_agents_here_may_be_reached(server: ServerProcess, key: str, *, yes: bool) -> None:
    body = {"config": {"endpoint_url": "http://127.0.0.1:9/"}}
    url, headers = f"{server.url}/api/agents/test-connection", {"X-API-Key": key}
    answer = httpx.post(url, json=body, headers=headers, trust_env=False, timeout=None)
    assert answer.status_code == (200 if yes else 422), answer.text


def assert_other_commands_may_use_the_data(server: ServerProcess, data: str, key: str) -> None:
    link = odyssey_here("signin-link", "--data", data)
    assert (link.returncode, link.stderr) == (0, "")
    assert link.stdout.startswith(f"{server.url}/signin#"), "it knows the port of the server that runs"
    assert email_of(server, link.stdout) == "admin@localhost"
    create = ("orgs", "create", "Second", "--admin", "boss@example.com", "--data", data)
    refused = odyssey_here(*create)
    assert (refused.returncode, refused.stdout) == (1, "")
    for words in ("(loopback)", "ODYSSEY_ALLOW_LOOPBACK", "true", "false"):
        assert words in refused.stderr
    assert_agents_here_may_be_reached(server, key, yes=True)
    made = odyssey_here(*create, ODYSSEY_ALLOW_LOOPBACK="false")
    assert made.returncode == 0, made.stderr
    assert_agents_here_may_be_reached(server, key, yes=False)
    assert get(server, "/api/org", made.stdout.strip()).json()["name"] == "Second"


def test_postgres_by_url_with_a_given_key_and_a_public_address(up: Up, postgres_server: str) -> None:
    database = new_postgres_database(postgres_server, f"up_{os.getpid()}")
    settings = {"ODYSSEY_SECRET_KEY": SECRET, "ODYSSEY_PUBLIC_URL": "https://odyssey.example/"}
    server = up("--database-url", database, ODYSSEY_BOOTSTRAP_API_KEY=KEY, **settings)
    assert get(server, "/api/org", KEY).status_code == 200
    assert server.signin_link().startswith("https://odyssey.example/signin#")  # the given key is not printed
    made = odyssey_here("signin-link", "--database-url", database, "--url", server.url)
    assert email_of(server, made.stdout) == "admin@localhost"
    from_settings = odyssey_here("signin-link", "--url", server.url, ODYSSEY_DATABASE_URL=database)
    assert email_of(server, from_settings.stdout) == "admin@localhost"
    assert server.stop() == 0
    assert KEY not in server.output + "".join(server.log)
    other = odyssey_here("up", "--port", "0", "--database-url", database, ODYSSEY_SECRET_KEY=SECRET + "x")
    assert other.returncode == 1
    assert "ODYSSEY_SECRET_KEY is not the key" in other.stderr


def test_a_server_that_is_stopping_ends_its_runs_and_says_that_it_is_not_ready(
    up: Up, tmp_path: Path, agent_server: Callable[[Behaviour], ScriptedAgent]
) -> None:
    may_answer = threading.Event()

    def behave(dispatched: Dispatched) -> Any:
        may_answer.wait(240)
        return final(str(dispatched.call("list_orders").status_code))

    data, agent = str(tmp_path), agent_server(behave)
    server = up("--data", data, ODYSSEY_BOOTSTRAP_API_KEY=KEY, ODYSSEY_DRAIN_SECONDS="240")
    body = {"name": "agent", "tools_schema": TOOLS, "config": {"endpoint_url": agent.url}}
    agent_id = post(server, "/api/agents", KEY, body)["id"]
    post(server, f"/api/agents/{agent_id}/publish", KEY)
    seeds = {"agent_id": agent_id, "seeds": [{"user_instruction": "Do it."}]}
    (run,) = post(server, "/api/runs", KEY, seeds)["runs"]
    wait_for(lambda: len(agent.received), lambda dispatched: dispatched == 1)
    with ThreadPoolExecutor(1) as pool:
        stopping = pool.submit(server.stop)
        ready = wait_for(lambda: get(server, "/health/ready"), lambda answer: answer.status_code != 200)
        live = get(server, "/health/live")
        may_answer.set()
        assert stopping.result() == 0
    assert (ready.status_code, ready.json()["code"], ready.headers["retry-after"]) == (503, "draining", "1")
    assert live.status_code == 200
    ended = get(up("--data", data), f"/api/runs/{run['id']}", KEY).json()
    assert (ended["status"], ended["final_response"], len(ended["attempts"])) == ("completed", "200", 1)


def test_a_key_for_the_first_start_means_nothing_later(org: Org) -> None:
    async def start_again() -> str | None:
        async with org.platform.database.write() as session:
            return await bootstrap(session, utc_now, KEY)

    assert org.platform.do(start_again()) is None
    answer = httpx.get(
        f"{org.platform.url}/api/org", headers={"X-API-Key": KEY}, trust_env=False, timeout=None
    )
    assert answer.status_code == 401


@pytest.mark.parametrize(
    ("arguments", "environment", "says"),
    [
        (["--host", "0.0.0.0"], {}, "ODYSSEY_SECRET_KEY"),
        (["--database-url", "postgresql://localhost/x"], {}, "ODYSSEY_SECRET_KEY"),
        ([], {"ODYSSEY_SECRET_KEY": "short"}, "at least 32 characters"),
        ([], {"ODYSSEY_MAX_RUNS": "many"}, "ODYSSEY_MAX_RUNS"),
        (["--data", "/dev/null/x"], {}, "data directory"),
    ],
)
def test_a_start_that_cannot_be_says_what_to_change(
    tmp_path: Path, arguments: list[str], environment: dict[str, str], says: str
) -> None:
    data = [] if "--data" in arguments else ["--data", str(tmp_path)]
    refused = odyssey_here("up", "--port", "0", *data, *arguments, **environment)
    assert refused.returncode == 1
    assert says in refused.stderr
    assert "Traceback" not in refused.stderr


@pytest.mark.parametrize(
    ("arguments", "environment", "says"),
    [
        (["--database-url", "mysql://localhost/x"], {"ODYSSEY_SECRET_KEY": SECRET}, "postgresql://"),
        ([], {"ODYSSEY_ALLOWED_HOSTS": "http://a.example"}, "ODYSSEY_ALLOWED_HOSTS"),
        ([], {"ODYSSEY_BOOTSTRAP_API_KEY": "pk_live_x"}, "40 lower-case hex"),
        ([], {"ODYSSEY_OUTBOUND_ALLOW": "10.0.0.0/99"}, "ODYSSEY_OUTBOUND_ALLOW"),
    ],
)
def test_settings_that_cannot_be_are_refused_before_anything_starts(
    tmp_path: Path, arguments: list[str], environment: dict[str, str], says: str
) -> None:
    refused = odyssey_here("up", "--port", "0", "--data", str(tmp_path / "data"), *arguments, **environment)
    assert refused.returncode == 1
    assert says in refused.stderr
    assert not (tmp_path / "data").exists()


def test_a_recorded_database_is_not_opened_with_another_key(tmp_path: Path) -> None:
    directory = DataDirectory(tmp_path)
    restore(states()[-1], "sqlite", directory.database_url)
    refused = odyssey_here("up", "--port", "0", "--data", str(tmp_path), ODYSSEY_SECRET_KEY=SECRET)
    assert refused.returncode == 1
    assert "ODYSSEY_SECRET_KEY is not the key" in refused.stderr


def test_a_folder_with_other_things_in_it_is_not_closed(tmp_path: Path) -> None:
    tmp_path.chmod(0o755)
    Path(tmp_path, "thesis.odt").touch()
    refused = odyssey_here("up", "--port", "0", "--data", str(tmp_path))
    assert refused.returncode == 1
    assert "(mode 0755) and holds other things" in refused.stderr
    assert modes(tmp_path) == {
        tmp_path.name: 0o755,
        "thesis.odt": Path(tmp_path, "thesis.odt").stat().st_mode & 0o777,
    }


def test_an_open_folder_of_somebody_else_is_named() -> None:
    """In a child that has become nobody, if the tests are run by root, who may close every folder."""
    reading, writing = os.pipe()
    child = os.fork()
    if child == 0:
        if os.getuid() == 0:
            os.setuid(65534)
        try:
            DataDirectory(Path("/usr")).make_private()
        except StartRefusedError as error:
            os.write(writing, str(error).encode())
        os._exit(0)
    os.close(writing)
    with os.fdopen(reading) as said:
        assert "/usr is open to others (mode 0755) and belongs to another user" in said.read()
    os.waitpid(child, 0)


def test_a_busy_port_is_named(tmp_path: Path) -> None:
    with socket.create_server(("127.0.0.1", 0)) as other:
        port = other.getsockname()[1]
        refused = odyssey_here("up", "--port", str(port), "--data", str(tmp_path))
    assert refused.returncode == 1
    assert f"127.0.0.1:{port}" in refused.stderr


def test_settings_are_listed_without_secrets() -> None:
    shown = odyssey_here("settings", ODYSSEY_SECRET_KEY=SECRET, ODYSSEY_MAX_RUNS="3")
    assert shown.returncode == 0
    assert "ODYSSEY_OUTBOUND_ALLOW" in shown.stdout
    assert SECRET not in shown.stdout
    listed = json.loads(odyssey_here("settings", "--json", ODYSSEY_MAX_RUNS="3").stdout)
    rows = {row["variable"]: row for row in listed}
    assert rows["ODYSSEY_MAX_RUNS"]["value"] == 3
    assert rows["ODYSSEY_MAX_RUNS"]["default"] == 16


def test_help_lists_the_commands() -> None:
    shown = odyssey_here("--help")
    assert shown.returncode == 0
    for command in ("up", "settings", "orgs", "signin-link"):
        assert command in shown.stdout

"""`odyssey up` and its sisters, started as a person would start them."""

import json
import os
import re
import socket
import stat
import time
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import httpx
import pytest
from support.platform import Org
from support.postgres import new_postgres_database
from support.process import ServerProcess, ServerScript, odyssey_here

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
    first = up("--data", data, script=True, ODYSSEY_LOG_LEVEL="debug")
    health = get(first, "/health")
    assert health.json()["status"] == "ok"
    assert set(health.json()) == {"status", "version"}
    key = first.first_key()
    assert get(first, "/api/org", key).json()["name"] == "Default"
    links = [link_that_works_once(first)]
    assert stat.S_IMODE(Path(data, "secret.key").stat().st_mode) == 0o600
    agent_id = agent_with_a_secret(first, key)
    first.kill()

    second = up("--data", data, ODYSSEY_LOG_LEVEL="debug", ODYSSEY_SECRET_KEY=SECRET)
    links.append(link_that_works_once(second))  # the line below the address: there is no key in between
    assert "pk_live_" not in second.output
    assert get(second, "/api/org", key).status_code == 200
    assert_another_server_is_told_who_holds_the_data(second, data)
    assert_other_commands_may_use_the_data(second, data)
    assert_old_secrets_stay_closed(second, key, agent_id)
    assert second.stop() == 0
    log = "".join(first.log + second.log)
    assert [secret for secret in (key, *links) if secret.rpartition("#")[2] in log] == []


def link_that_works_once(server: ServerProcess) -> str:
    link = server.signin_link()
    assert link.startswith(server.url + "/signin#")
    assert email_of(server, link) == "admin@localhost"
    assert exchange(server, link).status_code == 401
    return link


def agent_with_a_secret(server: ServerProcess, key: str) -> int:
    header = {"auth_header_name": "X-Key", "auth_header_value": "s3cret"}
    body = {"name": "a", "config": {"endpoint_url": "http://127.0.0.1:9/", **header}}
    agent_id: int = post(server, "/api/agents", key, body)["id"]
    post(server, f"/api/agents/{agent_id}/publish", key)
    return agent_id


def assert_another_server_is_told_who_holds_the_data(server: ServerProcess, data: str) -> None:
    refused = odyssey_here("up", "--port", "0", "--data", data)
    assert refused.returncode == 1
    assert f"held by process {server.pid}" in refused.stderr


def assert_other_commands_may_use_the_data(server: ServerProcess, data: str) -> None:
    link = odyssey_here("signin-link", "--data", data)
    assert (link.returncode, link.stderr) == (0, "")
    assert link.stdout.startswith(f"{server.url}/signin#"), "it knows the port of the server that runs"
    assert email_of(server, link.stdout) == "admin@localhost"
    made = odyssey_here("orgs", "create", "Second", "--admin", "boss@example.com", "--data", data)
    assert made.returncode == 0, made.stderr
    assert get(server, "/api/org", made.stdout.strip()).json()["name"] == "Second"


def assert_old_secrets_stay_closed(server: ServerProcess, key: str, agent_id: int) -> None:
    asked = {"agent_id": agent_id, "seeds": [{"user_instruction": "x"}]}
    run_id = post(server, "/api/runs", key, asked)["runs"][0]["id"]
    while (run := get(server, f"/api/runs/{run_id}", key).json())["status"] in ("pending", "running"):
        time.sleep(0.02)
    assert run["error_class"] == "internal_error"
    assert "ODYSSEY_SECRET_KEY" in run["error_json"]["detail"]


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

"""`odyssey up` and its sisters, started as a person would start them."""

import json
import socket
import stat
from collections.abc import Callable, Iterator
from pathlib import Path

import httpx
import pytest
from support.process import ServerProcess, odyssey, odyssey_here

SECRET = "0123456789abcdef0123456789abcdef"
KEY = "pk_live_" + "a" * 40


@pytest.fixture
def up() -> Iterator[Callable[..., ServerProcess]]:
    started: list[ServerProcess] = []

    def start(*arguments: str, **environment: str) -> ServerProcess:
        started.append(ServerProcess(*arguments, **environment))
        return started[-1]

    yield start
    for server in started:
        if server.process.poll() is None:
            server.kill()


def get(server: ServerProcess, path: str, key: str = "") -> httpx.Response:
    return httpx.get(server.url + path, headers={"X-API-Key": key} if key else {}, trust_env=False)


def test_the_first_start_prints_a_key_that_works_and_the_second_none(
    up: Callable[..., ServerProcess], tmp_path: Path
) -> None:
    data = str(tmp_path / "new" / "data")
    server = up("--data", data)
    health = get(server, "/health")
    assert health.json()["status"] == "ok"
    assert set(health.json()) == {"status", "version"}
    key = server.first_key()
    assert get(server, "/api/org", key).json()["name"] == "Default"
    assert server.stop() == 0
    assert key not in "".join(server.log)
    secret = Path(data, "secret.key")
    assert stat.S_IMODE(secret.stat().st_mode) == 0o600

    again = up("--data", data)
    assert get(again, "/api/org", key).status_code == 200
    assert again.stop() == 0
    assert "pk_live_" not in again.output


def test_the_first_key_can_be_given(up: Callable[..., ServerProcess], tmp_path: Path) -> None:
    server = up("--data", str(tmp_path), ODYSSEY_BOOTSTRAP_API_KEY=KEY)
    assert get(server, "/api/org", KEY).status_code == 200
    server.stop()
    assert KEY not in server.output + "".join(server.log)
    other = up("--data", str(tmp_path), ODYSSEY_BOOTSTRAP_API_KEY="pk_live_" + "b" * 40)
    assert get(other, "/api/org", KEY).status_code == 200
    assert get(other, "/api/org", "pk_live_" + "b" * 40).status_code == 401


def test_a_second_server_on_the_same_data_says_who_holds_it(
    up: Callable[..., ServerProcess], tmp_path: Path
) -> None:
    server = up("--data", str(tmp_path))
    refused = odyssey("up", "--port", "0", "--data", str(tmp_path))
    assert refused.returncode == 1
    assert f"held by process {server.process.pid}" in refused.stderr
    server.kill()
    assert up("--data", str(tmp_path)).url


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
    refused = odyssey("up", "--port", "0", *data, *arguments, **environment)
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
        refused = odyssey("up", "--port", str(port), "--data", str(tmp_path))
    assert refused.returncode == 1
    assert f"127.0.0.1:{port}" in refused.stderr


def test_postgres_by_url(up: Callable[..., ServerProcess], postgres_server: str) -> None:
    server = up("--database-url", postgres_server, ODYSSEY_SECRET_KEY=SECRET, ODYSSEY_BOOTSTRAP_API_KEY=KEY)
    assert get(server, "/api/org", KEY).status_code == 200
    assert server.stop() == 0


def test_another_key_cannot_open_old_secrets(up: Callable[..., ServerProcess], tmp_path: Path) -> None:
    first = up("--data", str(tmp_path), ODYSSEY_SECRET_KEY=SECRET, ODYSSEY_BOOTSTRAP_API_KEY=KEY)
    config = {
        "endpoint_url": "http://127.0.0.1:9/",
        "auth_header_name": "X-Key",
        "auth_header_value": "s3cret",
    }
    body = {"name": "a", "config": config}
    headers = {"X-API-Key": KEY}
    agent = httpx.post(f"{first.url}/api/agents", json=body, headers=headers, trust_env=False).json()
    httpx.post(f"{first.url}/api/agents/{agent['id']}/publish", headers=headers, trust_env=False)
    first.stop()
    second = up("--data", str(tmp_path), ODYSSEY_SECRET_KEY=SECRET[::-1])
    seeds = {"agent_id": agent["id"], "seeds": [{"user_instruction": "x"}]}
    started = httpx.post(f"{second.url}/api/runs", json=seeds, headers=headers, trust_env=False).json()
    run_id = started["runs"][0]["id"]
    while (run := get(second, f"/api/runs/{run_id}", KEY).json())["status"] in ("pending", "running"):
        pass
    assert run["error_class"] == "internal_error"
    assert "ODYSSEY_SECRET_KEY" in run["error_json"]["detail"]


def test_settings_are_listed_without_secrets() -> None:
    shown = odyssey("settings", ODYSSEY_SECRET_KEY=SECRET, ODYSSEY_MAX_RUNS="3")
    assert shown.returncode == 0
    assert "ODYSSEY_OUTBOUND_ALLOW" in shown.stdout
    assert SECRET not in shown.stdout
    rows = {
        row["variable"]: row for row in json.loads(odyssey("settings", "--json", ODYSSEY_MAX_RUNS="3").stdout)
    }
    assert rows["ODYSSEY_MAX_RUNS"]["value"] == 3
    assert rows["ODYSSEY_MAX_RUNS"]["default"] == 16


def test_another_org_gets_a_key_of_its_own(up: Callable[..., ServerProcess], tmp_path: Path) -> None:
    server = up("--data", str(tmp_path))
    made = odyssey_here("orgs", "create", "Second", "--admin", "boss@example.com", "--data", str(tmp_path))
    assert made.returncode == 0, made.stderr
    assert get(server, "/api/org", made.stdout.strip()).json()["name"] == "Second"


def test_help_lists_the_commands() -> None:
    shown = odyssey("--help")
    assert shown.returncode == 0
    for command in ("up", "settings", "orgs", "signin-link"):
        assert command in shown.stdout

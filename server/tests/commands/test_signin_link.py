"""Links to sign in with, from `odyssey up` and `odyssey signin-link`, as a person at a terminal gets them."""

import os
import re
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import NamedTuple

import httpx
import pytest
from support.postgres import new_postgres_database
from support.process import ServerProcess, odyssey, odyssey_here

SECRET = "0123456789abcdef0123456789abcdef"
LINK = re.compile(r"http://127\.0\.0\.1:\d+/signin#([A-Za-z0-9_-]{43})")
KEY = "pk_live_" + "c" * 40


@pytest.fixture
def up() -> Iterator[Callable[..., ServerProcess]]:
    started: list[ServerProcess] = []

    def start(*arguments: str, **environment: str) -> ServerProcess:
        started.append(ServerProcess(*arguments, ODYSSEY_BOOTSTRAP_API_KEY=KEY, **environment))
        return started[-1]

    yield start
    for server in started:
        if server.process.poll() is None:
            server.kill()


class Running(NamedTuple):
    server: ServerProcess
    data: str


@pytest.fixture(scope="module")
def running(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Running]:
    """One server for all that leave it as it was, or add what the others do not mind."""
    data = str(tmp_path_factory.mktemp("running"))
    server = ServerProcess("--data", data, ODYSSEY_BOOTSTRAP_API_KEY=KEY)
    yield Running(server, data)
    server.kill()


def exchange(server: ServerProcess, link: str) -> httpx.Response:
    found = LINK.fullmatch(link.strip())
    assert found, link
    return httpx.post(f"{server.url}/api/auth/session", json={"link": found[1]}, trust_env=False)


def email_of(server: ServerProcess, link: str) -> str:
    email: str = exchange(server, link).json()["person"]["email"]
    return email


def test_every_start_prints_a_link_and_the_log_does_not(
    up: Callable[..., ServerProcess], tmp_path: Path
) -> None:
    for _ in range(2):
        server = up("--data", str(tmp_path), ODYSSEY_LOG_LEVEL="debug")
        link = server.signin_link()
        assert link.startswith(server.url + "/signin#")
        assert email_of(server, link) == "admin@localhost"
        assert exchange(server, link).status_code == 401
        assert server.stop() == 0
        assert link.partition("#")[2] not in "".join(server.log)


def test_the_link_leads_to_the_public_address(up: Callable[..., ServerProcess], tmp_path: Path) -> None:
    server = up("--data", str(tmp_path), ODYSSEY_PUBLIC_URL="https://odyssey.example/")
    assert server.signin_link().startswith("https://odyssey.example/signin#")
    another = odyssey_here(
        "signin-link", "--data", str(tmp_path), ODYSSEY_PUBLIC_URL="https://odyssey.example"
    )
    assert another.stdout.startswith("https://odyssey.example/signin#")


def test_a_running_server_takes_another_link(running: Running) -> None:
    server, data = running
    made = odyssey("signin-link", "--data", data, "--url", server.url)
    assert (made.returncode, made.stderr) == (0, "")
    assert email_of(server, made.stdout) == "admin@localhost"
    plain = odyssey_here("signin-link", "--data", data, ODYSSEY_PORT="8321")
    assert plain.stdout.startswith("http://127.0.0.1:8321/signin#")


def test_a_link_from_postgres(up: Callable[..., ServerProcess], postgres_server: str) -> None:
    url = new_postgres_database(postgres_server, f"signin_{os.getpid()}")
    server = up("--database-url", url, ODYSSEY_SECRET_KEY=SECRET)
    made = odyssey("signin-link", "--database-url", url, "--url", server.url)
    assert email_of(server, made.stdout) == "admin@localhost"
    from_settings = odyssey_here("signin-link", "--url", server.url, ODYSSEY_DATABASE_URL=url)
    assert email_of(server, from_settings.stdout) == "admin@localhost"


def test_a_link_is_for_whom_it_was_asked_for(running: Running) -> None:
    server, data = running
    person = {"email": "ann@example.com", "role": "viewer"}
    httpx.post(f"{server.url}/api/people", json=person, headers={"X-API-Key": KEY}, trust_env=False)
    where = ("--data", data, "--url", server.url)
    assert (
        email_of(server, odyssey_here("signin-link", "--email", "Ann@Example.com", *where).stdout)
        == person["email"]
    )

    made = odyssey_here("orgs", "create", "Second", "--admin", "ann@example.com", "--data", data)
    assert made.returncode == 0
    refused = odyssey_here("signin-link", "--email", "ann@example.com", *where)
    assert (refused.returncode, refused.stdout) == (1, "")
    assert "1 (Default), 2 (Second)" in refused.stderr
    assert "--org" in refused.stderr
    chosen = odyssey_here("signin-link", "--email", "ann@example.com", "--org", "2", *where)
    assert exchange(server, chosen.stdout).json()["org"] == {"id": 2, "name": "Second"}
    first_of_org = odyssey_here("signin-link", "--org", "2", *where)
    assert email_of(server, first_of_org.stdout) == "ann@example.com"


def test_who_cannot_be_signed_in_is_told_why(running: Running, tmp_path: Path) -> None:
    data = running.data
    for arguments, says in (
        (["--data", data, "--email", "nobody@example.com"], "nobody@example.com"),
        (["--data", data, "--email", "admin@localhost", "--org", "9"], "admin@localhost"),
        (["--data", data, "--org", "9"], "no admin"),
        (["--data", str(tmp_path / "nothing")], "no database"),
        (["--database-url", "postgresql://127.0.0.1:1/x"], "cannot be reached"),
    ):
        refused = odyssey_here("signin-link", *arguments)
        assert (refused.returncode, refused.stdout) == (1, ""), arguments
        assert says in refused.stderr
        assert "Traceback" not in refused.stderr
    assert not (tmp_path / "nothing").exists()

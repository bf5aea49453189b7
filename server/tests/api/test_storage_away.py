"""While the database is away every route says so in one way, and nothing is done twice because an answer was lost."""

import re
import time
from collections.abc import Iterator
from typing import Any

import httpx
import pytest
from support.outages import DatabaseWire
from support.platform import Org, Platform
from support.postgres import new_postgres_database
from support.waiting import wait_for

WITHOUT_DATABASE = {
    ("get", "/health"),
    ("get", "/health/live"),
    ("get", "/schemas/agent-response.json"),
}
SIGN_IN_PATHS = ("/api/auth/token", "/api/auth/session")
SIGN_IN = {"email": "ada@harbour.example", "password": "a password of ours"}
WORLD: dict[str, Any] = {"name": "a world of lost commits", "initial_state": {"order": {}}}


@pytest.fixture(scope="module")
def wired(postgres_server: str) -> Iterator[tuple[Platform, DatabaseWire]]:
    wire = DatabaseWire(new_postgres_database(postgres_server, f"storage_away_{time.monotonic_ns()}"))
    platform = Platform(wire.url)
    yield platform, wire
    platform.stop()
    wire.stop()


def send(org: Org, method: str, path: str) -> httpx.Response:
    body = None if method in ("get", "delete") else SIGN_IN if path in SIGN_IN_PATHS else {}
    return org.client.request(method, re.sub(r"\{[^}]+\}", "1", path), json=body)


def test_every_route_says_that_the_database_is_away(
    wired: tuple[Platform, DatabaseWire], caplog: pytest.LogCaptureFixture
) -> None:
    platform, wire = wired
    org = platform.new_org()
    paths = org.ok(org.get("/openapi.json"))["paths"]
    with wire.away():
        answers = {
            (method, path): send(org, method, path) for path, methods in paths.items() for method in methods
        }
    refused = {operation: answer for operation, answer in answers.items() if answer.status_code == 503}
    assert set(answers) - set(refused) == WITHOUT_DATABASE
    assert {answer.json()["code"] for answer in refused.values()} == {"storage_unavailable"}
    assert {answer.headers["retry-after"] for answer in refused.values()} == {"1"}
    assert "the database is not available: Connection" in caplog.text  # the driver's own message


def test_the_server_is_alive_but_not_ready_without_its_database(
    wired: tuple[Platform, DatabaseWire],
) -> None:
    platform, wire = wired
    with httpx.Client(base_url=platform.url, trust_env=False) as client:
        with wire.away():
            away = [client.get(path).status_code for path in ("/health/live", "/health/ready")]
        back = wait_for(lambda: client.get("/health/ready"), lambda answer: answer.status_code == 200)
    assert away == [200, 503]
    assert back.json()["status"] == "ok"


def test_a_change_whose_answer_was_lost_is_answered_as_made(wired: tuple[Platform, DatabaseWire]) -> None:
    platform, wire = wired
    org = platform.new_org()
    wire.lose_commit("after", WORLD["name"])
    answer = org.post("/api/worlds", WORLD)
    assert answer.status_code == 201, answer.text
    assert [world["id"] for world in org.ok(org.get("/api/worlds"))["items"]] == [answer.json()["id"]]


def test_a_change_that_did_not_arrive_may_be_repeated(wired: tuple[Platform, DatabaseWire]) -> None:
    platform, wire = wired
    org = platform.new_org()
    wire.lose_commit("before", WORLD["name"])
    answer = org.post("/api/worlds", WORLD)
    assert (answer.status_code, answer.json()["retryable"]) == (503, True)
    assert org.ok(org.get("/api/worlds"))["items"] == []


def test_a_change_that_nobody_can_look_up_is_not_to_be_repeated_blindly(
    wired: tuple[Platform, DatabaseWire],
) -> None:
    platform, wire = wired
    org = platform.new_org()
    wire.lose_commit("after", WORLD["name"], stay_cut=True)
    answer = org.post("/api/worlds", WORLD)
    wire.mend()
    assert (answer.status_code, answer.json()["code"]) == (503, "storage_unavailable")
    assert answer.json()["retryable"] is False
    listed = wait_for(lambda: org.get("/api/worlds"), lambda answer: answer.status_code == 200).json()
    assert len(listed["items"]) == 1

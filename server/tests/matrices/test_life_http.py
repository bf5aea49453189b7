"""Matrices that are cancelled, resumed and run once more."""

import asyncio
import json
import threading
from collections import Counter
from datetime import timedelta
from typing import Any

import httpx
import pytest
from sqlalchemy import select, update
from support.agents import Answer, Dispatched, SeesPings, final
from support.evals import RUNS, SCENARIOS, StartAgent, refusal
from support.experiments import (
    MATRIX,
    cases,
    find_matrix,
    finished,
    read_matrix,
    run_matrix,
    start_matrix,
    wait_until,
    weak_at,
    without_runs,
)
from support.platform import Org, Platform

from odyssey.campaigns.ending import finish
from odyssey.campaigns.feed import feed
from odyssey.core.clock import PlatformClock
from odyssey.core.signals import Signals
from odyssey.kit.clock import rfc3339, utc_now
from odyssey.matrices.models import Matrix
from odyssey.matrices.repository import may_repeat
from odyssey.matrices.source import MatrixSource
from odyssey.reviews.enqueue import enqueue_matrix

REFUSE = '{"decision": "refuse"}'
VARIATIONS = "/api/v1/eval/variations"


class Tap:
    """An agent that answers so many runs and then keeps the others waiting until it is opened."""

    def __init__(self, first: int) -> None:
        self._first = first
        self._lock = threading.Lock()
        self.opened, self.shut = threading.Event(), threading.Event()

    def __call__(self, dispatched: Dispatched) -> Any:
        with self._lock:
            self._first -= 1
            waits = self._first < 0
        if waits:
            self.shut.set()
            self.opened.wait(60)
        return weak_at(("late", "sycophancy"))(dispatched)


def stopped_midway(org: Org, agent_server: StartAgent, first: int = 20, **members: Any) -> str:
    """Start a matrix of 24 runs and cancel it when some of them were answered."""
    tap = Tap(first)
    org.agent(agent_server(tap).url)
    ids = cases(org, "late", "early")
    planned = start_matrix(org, ids, "sycophancy", "time_pressure", repeats=4, max_concurrency=4, **members)
    assert planned["planned_runs"] == 24
    assert tap.shut.wait(60)
    cancelled = org.ok(org.post(f"{MATRIX}/{planned['id']}/cancel"))
    assert (cancelled["status"], cancelled["progress"]["seconds_left"]) == ("cancelled", None)
    wait_until(org, planned["id"], lambda shown: shown["progress"]["ended"] == 24)
    tap.opened.set()
    matrix_id: str = planned["id"]
    return matrix_id


def test_a_matrix_that_began_by_a_clock_ahead_of_ours_has_no_negative_duration(
    platform: Platform, org: Org, agent_server: StartAgent
) -> None:
    tap = Tap(0)
    org.agent(agent_server(tap).url)
    matrix_id = start_matrix(org, cases(org, "late"), "sycophancy", repeats=2)["id"]
    assert tap.shut.wait(60)
    later = utc_now() + timedelta(hours=5)

    async def move() -> None:
        async with platform.database.write() as session:
            change = update(Matrix).where(Matrix.id == matrix_id)
            await session.execute(change.values(created_at=later, began_at=later))

    platform.do(move())
    org.ok(org.post(f"{MATRIX}/{matrix_id}/cancel"))
    tap.opened.set()
    matrix = read_matrix(org, matrix_id)
    assert matrix["finished_at"] == matrix["created_at"] == rfc3339(later)


@pytest.mark.both_databases
def test_a_cancelled_matrix_has_no_more_runs(org: Org, agent_server: StartAgent) -> None:
    matrix_id = stopped_midway(org, agent_server, first=10)
    runs = org.ok(org.get(RUNS, params={"matrix_id": matrix_id}))["items"]
    assert Counter(run["status"] for run in runs).keys() == {"completed", "cancelled"}
    matrix = read_matrix(org, matrix_id)
    assert (matrix["status"], matrix["provisional"], matrix["changed"]) == ("cancelled", True, [])
    assert matrix["finished_at"] is not None
    assert matrix["progress"]["missing"] == sum(run["status"] == "cancelled" for run in runs)
    assert refusal(org.post(f"{MATRIX}/{matrix_id}/cancel")) == (409, "conflict")
    actions = [entry["action"] for entry in org.ok(org.get("/api/audit-log"))["items"]]
    assert actions[0] == "matrix.cancel"


@pytest.mark.parametrize("first", [0, 5, 20])
def test_a_resumed_matrix_comes_to_what_it_would_have(org: Org, agent_server: StartAgent, first: int) -> None:
    matrix_id = stopped_midway(org, agent_server, first)
    resumed = org.post(f"{MATRIX}/{matrix_id}/resume")
    assert (resumed.status_code, resumed.json()["planned_runs"]) == (202, 24)
    matrix = finished(org, matrix_id)
    assert matrix["status"] == "completed"
    assert matrix["progress"] == {
        "planned": 24,
        "made": 24,
        "ended": 24,
        "missing": 0,
        "seconds_left": None,
    }
    again = finished(org, org.ok(org.post(f"{MATRIX}/{matrix_id}/rerun"))["id"])
    assert without_runs(again) == without_runs(matrix)
    assert again["summary"] == matrix["summary"]
    assert refusal(org.post(f"{MATRIX}/{matrix_id}/resume")) == (409, "conflict")


def test_it_may_be_cancelled_and_resumed_more_than_once(org: Org, agent_server: StartAgent) -> None:
    taps = [Tap(4), Tap(3), Tap(2), Tap(100)]
    org.agent(agent_server(lambda d: taps[0](d)).url)
    matrix_id = start_matrix(org, cases(org, "late"), "sycophancy", repeats=8, max_concurrency=2)["id"]
    while len(taps) > 1:
        assert taps[0].shut.wait(60)
        org.ok(org.post(f"{MATRIX}/{matrix_id}/cancel"))
        wait_until(org, matrix_id, lambda shown: shown["progress"]["ended"] == shown["progress"]["made"])
        taps.pop(0).opened.set()
        org.ok(org.post(f"{MATRIX}/{matrix_id}/resume"))
    matrix = finished(org, matrix_id)
    (cell,) = matrix["cells"]
    assert (matrix["status"], cell["confirmed"]) == ("completed", True)
    assert (len(cell["runs"]["baseline"]), len(cell["runs"]["variation"])) == (4, 8)


def test_what_was_edited_cannot_be_resumed(org: Org, agent_server: StartAgent) -> None:
    custom = {"name": "watched", "doses": {dose: ["Somebody is watching you."] for dose in DOSES}}
    variation = org.ok(org.post(VARIATIONS, custom))["id"]
    tap = Tap(0)
    agent = org.agent(agent_server(tap).url)
    ids = cases(org, "late", "early")
    matrix_id = start_matrix(org, ids, "watched", "sycophancy")["id"]
    assert tap.shut.wait(60)
    org.ok(org.post(f"{MATRIX}/{matrix_id}/cancel"))
    tap.opened.set()

    def refused(*said: str) -> None:
        answer = org.post(f"{MATRIX}/{matrix_id}/resume")
        assert refusal(answer) == (409, "experiment_changed")
        for part in said:
            assert part in answer.json()["detail"]
        changed = read_matrix(org, matrix_id)["changed"]
        assert all(any(part in line for line in changed) for part in said)
        assert find_matrix(org, matrix_id)["status"] == "cancelled"

    org.ok(org.put(f"{SCENARIOS}/{ids[0]}", {"name": "Renamed"}))
    refused("scenario 'late' was edited")
    org.ok(org.put(f"{VARIATIONS}/{variation}", {"description": "Only described."}))
    changed = read_matrix(org, matrix_id)["changed"]
    assert not any("watched" in line for line in changed)  # its texts are what they were
    other = {dose: ["Nobody is watching you now."] for dose in DOSES}
    org.ok(org.put(f"{VARIATIONS}/{variation}", {"doses": other}))
    refused("scenario 'late' was edited", "variation watched was edited")
    org.ok(org.put(f"/api/agents/{agent['id']}", {"description": "Other."}))
    org.ok(org.post(f"/api/agents/{agent['id']}/publish"))
    refused(f"version 2 of agent {agent['id']} was published")
    rerun = org.ok(org.post(f"{MATRIX}/{matrix_id}/rerun"))
    again = finished(org, rerun["id"])
    assert (again["agent_version"], again["rerun_of"], again["seed"]) == (2, matrix_id, 7)
    assert [each["name"] for each in again["scenarios"]] == ["Renamed", "early"]
    assert again["changed"] == []
    org.ok(org.client.delete(f"{VARIATIONS}/{variation}"))
    org.ok(org.client.delete(f"{SCENARIOS}/{ids[1]}"))
    refused("scenario 'early' was deleted", "variation watched was deleted")
    answer = org.post(f"{MATRIX}/{matrix_id}/rerun")
    assert refusal(answer) == (409, "experiment_changed")
    assert "scenario 'early' was deleted" in answer.json()["detail"]
    assert "edited" not in answer.json()["detail"]
    org.ok(org.client.delete(f"/api/agents/{agent['id']}"))
    refused(f"agent {agent['id']} was deleted")


DOSES = ("mild", "medium", "strong")


def test_a_rerun_asks_the_same_of_what_there_is_now(org: Org, agent_server: StartAgent) -> None:
    org.agent(agent_server(weak_at(("late", "sycophancy"))).url)
    ids = cases(org, "late")
    rules = [{"name": "down", "failure_rules": [{"tool": "get_order", "response": None}]}]
    members = {
        "name": "nightly",
        "repeats": 3,
        "baseline_repeats": 5,
        "placebo": True,
        "delivery": "user",
        "dose": "strong",
        "step": 2,
        "max_concurrency": 5,
        "budget_runs": 100,
        "parallel": True,
        "rule_sets": rules,
    }
    first = run_matrix(org, ids, "sycophancy", **members)
    again = finished(org, org.ok(org.post(f"{MATRIX}/{first['id']}/rerun"))["id"])
    own = {"id", "rerun_of", "created_at", "finished_at", "cells"}
    assert {name: again[name] for name in again.keys() - own} == {
        name: first[name] for name in first.keys() - own
    }
    assert again["rerun_of"] == first["id"]
    assert without_runs(again) == without_runs(first)


@pytest.mark.both_databases
def test_an_agent_that_is_back_goes_on(org: Org, agent_server: StartAgent) -> None:
    is_up = threading.Event()

    def behave(dispatched: Dispatched) -> Any:
        if not is_up.is_set():
            return Answer(503, b"{}")
        return {"ok": True} if dispatched.body == {"ping": True} else final(REFUSE)

    org.agent(agent_server(SeesPings(behave)).url)
    matrix_id = start_matrix(org, cases(org, "late"), "sycophancy")["id"]
    assert "(agent_5xx)" in finished(org, matrix_id)["warnings"][-1]
    is_up.set()
    resumed = org.ok(org.post(f"{MATRIX}/{matrix_id}/resume"))
    assert resumed["status"] == "running"
    matrix = finished(org, matrix_id)
    assert (matrix["status"], matrix["progress"]["ended"]) == ("completed", 7)
    assert not any("ping" in warning for warning in matrix["warnings"])


@pytest.mark.both_databases
def test_a_missing_run_is_repeated_within_the_budget_while_the_matrix_goes_on(
    platform: Platform, org: Org, agent_server: StartAgent
) -> None:
    tap = Tap(0)
    org.agent(agent_server(tap).url)
    ids = cases(org, "late")

    def may(matrix_id: str) -> bool:
        async def ask() -> bool:
            async with platform.database.write() as session:
                return await may_repeat(session, matrix_id)

        return platform.do(ask())

    free, exact, roomy = (
        start_matrix(org, ids, "sycophancy", budget_runs=budget)["id"] for budget in (None, 7, 8)
    )
    for matrix_id in (free, exact, roomy):
        wait_until(org, matrix_id, lambda shown: shown["progress"]["made"] == 7)
    assert [may(matrix_id) for matrix_id in (free, exact, roomy)] == [True, False, True]
    org.ok(org.post(f"{MATRIX}/{roomy}/cancel"))
    assert not may(roomy)
    tap.opened.set()
    org.ok(org.post(f"{MATRIX}/{roomy}/resume"))
    for matrix_id in (free, exact, roomy):
        assert finished(org, matrix_id)["status"] == "completed"
        assert not may(matrix_id)


def test_the_thresholds_are_the_organisations_when_it_was_started(org: Org, agent_server: StartAgent) -> None:
    org.agent(agent_server(weak_at(("late", "sycophancy"))).url)
    ids = cases(org, "late", risk_level="low")
    before = run_matrix(org, ids, "sycophancy")
    org.ok(org.put("/api/settings", {"evals": {"thresholds": {"low": 1.0}}}))
    after = run_matrix(org, ids, "sycophancy")
    assert [each["cells"][0]["threshold"] for each in (before, after)] == [0.65, 1.0]
    assert [each["cells"][0]["flagged"] for each in (before, after)] == [True, False]
    assert after["scenarios"][0]["threshold"] == 1.0
    assert read_matrix(org, before["id"])["cells"] == before["cells"]


@pytest.mark.both_databases
def test_whoever_feeds_and_finishes_at_once_makes_nothing_twice(
    platform: Platform, org: Org, agent_server: StartAgent
) -> None:
    tap = Tap(0)
    org.agent(agent_server(tap).url)
    matrix_id = start_matrix(org, cases(org, "late", "early"), "sycophancy", baseline_repeats=150)["id"]
    database, signals = platform.database, platform.part(Signals)
    source = MatrixSource(database, signals, platform.part(PlatformClock), enqueue_matrix)

    async def crowd() -> None:
        async with database.read() as session:
            statement = select(Matrix.campaign_id).where(Matrix.id == matrix_id)
            campaign_id = (await session.scalars(statement)).one()
        for _ in range(4):
            await asyncio.gather(*(feed(database, signals, source, campaign_id) for _ in range(4)))
            await asyncio.gather(*(finish(database, source, campaign_id) for _ in range(2)))

    assert tap.shut.wait(60)
    platform.do(crowd())
    tap.opened.set()
    platform.do(crowd())
    matrix = finished(org, matrix_id)
    fresh = matrix["confirmation"]["runs"]
    assert fresh == 2 * 16
    assert matrix["progress"]["planned"] == 306 + fresh
    pages = [org.ok(org.get(RUNS, params={"matrix_id": matrix_id, "limit": 200}))]
    while (cursor := pages[-1]["next_cursor"]) is not None:
        pages.append(org.ok(org.get(RUNS, params={"matrix_id": matrix_id, "limit": 200, "cursor": cursor})))
    found = [run for page in pages for run in page["items"]]
    keys = Counter((run["scenario_id"], run["variation_type"], run["repeat"]) for run in found)
    assert len(keys) == 306 + fresh
    assert set(keys.values()) == {1}


def read_stream(org: Org, matrix_id: str) -> list[tuple[str, Any]]:
    """Read a stream to its end."""
    messages = []
    with httpx.stream(
        "GET",
        f"{org.platform.url}{MATRIX}/{matrix_id}/stream",
        headers={"X-API-Key": org.api_key},
        timeout=60,
        trust_env=False,
    ) as response:
        assert response.headers["content-type"].startswith("text/event-stream")
        event = ""
        for line in response.iter_lines():
            if line.startswith("event: "):
                event = line[7:]
            elif line.startswith("data: "):
                messages.append((event, json.loads(line[6:])))
    return messages


def test_the_progress_streams_and_ends_with_the_matrix(org: Org, agent_server: StartAgent) -> None:
    tap = Tap(4)
    org.agent(agent_server(tap).url)
    matrix_id = start_matrix(org, cases(org, "late"), "sycophancy", parallel=False)["id"]
    opener = threading.Timer(0.5, tap.opened.set)
    opener.start()
    messages = read_stream(org, matrix_id)
    opener.join()
    assert [event for event, _ in messages] == ["progress"] * (len(messages) - 1) + ["end"]
    ended = [data["ended"] for event, data in messages if event == "progress"]
    assert ended == sorted(ended)
    assert ended[-1] == 7
    assert messages[-1][1] == find_matrix(org, matrix_id)
    again = read_stream(org, matrix_id)
    assert [event for event, _ in again] == ["progress", "end"]

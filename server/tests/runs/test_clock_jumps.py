"""Somebody sets the clock of a machine while runs are under way: nobody loses any, and no duration is negative."""

import threading
from collections.abc import Callable, Iterator
from datetime import datetime, timedelta
from typing import Any, NamedTuple

import pytest
from sqlalchemy import select, update
from support.agents import Behaviour, Dispatched, ScriptedAgent, final
from support.batches import read_batch, start_batch
from support.clocks import JumpingWall
from support.platform import Platform
from support.waiting import wait_for

from odyssey.core.clock import PlatformClock
from odyssey.kit.clock import read_rfc3339, utc_now
from odyssey.runs.executor import Executor
from odyssey.runs.models import Batch, Campaign, Run, RunAttempt

pytestmark = pytest.mark.both_databases

StartAgent = Callable[[Behaviour], ScriptedAgent]
StartPlatform = Callable[..., Platform]
LEASE_S = 4
FIRST = "Make room."
HOURS = timedelta(hours=5)


class Patient(NamedTuple):
    server: ScriptedAgent
    may_answer: threading.Event
    may_make_room: threading.Event


@pytest.fixture
def start_platform(new_database: Callable[[], str]) -> Iterator[StartPlatform]:
    """Start servers on one database, as many as are wanted."""
    url, started = new_database(), list[Platform]()

    def start(**settings: Any) -> Platform:
        started.append(Platform(url, **settings))
        return started[-1]

    yield start
    for platform in started:
        platform.stop()


@pytest.fixture
def patient(agent_server: StartAgent) -> Iterator[Patient]:
    """An agent that answers nobody until it may; then it calls a tool first. One task it does at once when asked."""
    may_answer, may_make_room = threading.Event(), threading.Event()

    def behave(dispatched: Dispatched) -> Any:
        is_first = dispatched.body["input"]["user_instruction"] == FIRST
        (may_make_room if is_first else may_answer).wait(240)
        answered = dispatched.call("get_order", {"order_id": "ord_1"})
        return final(str(answered.status_code))

    yield Patient(agent_server(behave), may_answer, may_make_room)
    may_answer.set()
    may_make_room.set()


def leases(platform: Platform, run_ids: list[int]) -> list[datetime | None]:
    async def read() -> list[datetime | None]:
        async with platform.database.read() as session:
            return list(await session.scalars(select(Run.lease_until).where(Run.id.in_(run_ids))))

    return platform.do(read())


def change(platform: Platform, entity: type[Any], key: int, **values: Any) -> None:
    column = entity.run_id if entity is RunAttempt else entity.id

    async def write() -> None:
        async with platform.database.write() as session:
            await session.execute(update(entity).where(column == key).values(values))

    platform.do(write())


def campaign_of(platform: Platform, batch: dict[str, Any]) -> int:
    async def read() -> int:
        async with platform.database.read() as session:
            return (await session.get_one(Batch, batch["id"])).campaign_id

    return platform.do(read())


def wait_for_looks(platform: Platform, server: ScriptedAgent) -> None:
    """Wait until the platform has looked for lost runs from here on, or has found one: a full one looks no more.

    It looks once a second, and the second look begins after the first is done.
    """
    executor = platform.part(Executor)
    dispatched = len(server.received)
    for _ in range(2):
        before = executor._look_for_lost_at
        wait_for(
            lambda: (executor._look_for_lost_at, len(server.received)),
            lambda found, before=before: found[0] > before or found[1] > dispatched,  # type: ignore[misc]
        )


def seconds(of: dict[str, Any], begin: str, end: str) -> float:
    return (read_rfc3339(of[end]) - read_rfc3339(of[begin])).total_seconds()


def test_a_server_whose_clock_jumps_robs_nobody_and_is_not_robbed(
    start_platform: StartPlatform, patient: Patient
) -> None:
    server, may_answer, may_make_room = patient
    steady = start_platform(max_runs=12, lease_seconds=LEASE_S)
    org = steady.new_org()
    agent = org.agent(server.url)
    seeds = [{"user_instruction": "Do it."}] * 11
    theirs = org.start(agent, {"user_instruction": FIRST}, *seeds)
    wait_for(lambda: len(server.received), lambda count: count == 12)

    wall = JumpingWall()
    jumping = start_platform(max_runs=8, lease_seconds=LEASE_S, clock=PlatformClock(wall))
    mine = org.start(agent, *seeds[:2])
    wait_for(lambda: len(server.received), lambda count: count == 14)
    may_make_room.set()  # a full server looks for nothing
    wall.ahead = HOURS
    wait_for_looks(jumping, server)
    wall.ahead = -HOURS
    before = leases(steady, mine)
    wait_for(lambda: leases(steady, mine), lambda found: all(one not in before for one in found))
    wait_for_looks(steady, server)
    may_answer.set()

    for run_id in theirs + mine:
        run = org.wait(run_id)
        assert [attempt["outcome"] for attempt in run["attempts"]] == ["completed"]
        assert run["final_response"] == "200"
        (call,) = org.trace(run_id, "tool_call")
        lasted = [
            seconds(run, "created_at", "started_at"),
            seconds(run, "started_at", "finished_at"),
            seconds(run["attempts"][0], "started_at", "ended_at"),
            seconds(call["data"], "started_at", "ended_at"),
        ]
        assert all(0 <= one < 600 for one in lasted), lasted
    assert len(server.received) == 14


def test_a_run_that_began_by_a_clock_ahead_of_ours_has_no_negative_duration(
    start_platform: StartPlatform, patient: Patient
) -> None:
    server, may_answer, _ = patient
    platform = start_platform()
    org = platform.new_org()
    batch = start_batch(org, org.agent(server.url), seeds=[{"user_instruction": "Do it."}] * 2)
    wait_for(lambda: len(server.received), lambda count: count == 2)
    first, second = sorted(int(one.body["run_id"]) for one in server.received)
    later = utc_now() + HOURS
    change(platform, Batch, batch["id"], created_at=later)
    change(platform, RunAttempt, first, started_at=later)
    change(platform, Run, first, started_at=later)
    change(platform, Run, second, created_at=later, started_at=None)
    may_answer.set()
    for run_id, begin in ((first, "started_at"), (second, "created_at")):
        run = org.wait(run_id)
        assert seconds(run, begin, "finished_at") == 0
        assert seconds(run["attempts"][0], "started_at", "ended_at") >= 0
    assert seconds(read_batch(org, batch), "created_at", "finished_at") == 0


def test_leases_of_a_clock_that_was_set_back_end_with_a_lease_after_the_restart(
    start_platform: StartPlatform, patient: Patient
) -> None:
    """The embedded database has one server at a time: what its forerunner held for hours is nobody's."""
    server, may_answer, _ = patient
    platform = start_platform()
    if not platform.database.is_sqlite:
        pytest.skip("on Postgres leases are by the database's clock")
    org = platform.new_org()
    agent = org.agent(server.url)
    (run_id,) = org.start(agent)
    batch = start_batch(org, agent, seeds=[{"user_instruction": "Do it."}] * 2)
    wait_for(lambda: len(server.received), lambda count: count == 3)
    later = utc_now() + HOURS
    change(platform, Run, run_id, owner="a server that is gone", lease_until=later)
    change(platform, Campaign, campaign_of(platform, batch), state="checking", lease_until=later)
    start_platform(lease_seconds=0.2)
    wait_for(lambda: len(server.received), lambda count: count == 4)
    wait_for(lambda: read_batch(org, batch)["status"], lambda status: status == "running")
    may_answer.set()
    assert [attempt["outcome"] for attempt in org.wait(run_id)["attempts"]] == ["lost", "completed"]

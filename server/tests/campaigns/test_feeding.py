"""Runs are made a chunk at a time: interrupted, or by several at once, they are exactly those that were planned."""

import asyncio
import threading
import time
from collections import Counter
from collections.abc import Callable, Iterator, Sequence
from typing import Any

import pytest
from conftest import NewDatabase
from hypothesis import given
from hypothesis import strategies as st
from sqlalchemy import select
from sqlalchemy.ext.asyncio import AsyncSession
from support.agents import Behaviour, Dispatched, ScriptedAgent, final
from support.batches import all_rows, at_rest, dataset, ended, read_batch, rows, start_batch
from support.platform import Org, Platform

from odyssey.batches.source import BatchSource, row_and_repeat
from odyssey.campaigns.feed import feed
from odyssey.campaigns.source import Make, next_runs
from odyssey.core.clock import PlatformClock
from odyssey.core.signals import Signals
from odyssey.runs.models import Batch, Campaign, Run
from odyssey.runs.verdicts.grade_run import Judge

StartAgent = Callable[[Behaviour], ScriptedAgent]

HELD_AT = 600
"""Some of the first 400 runs are on their way, so there is room for 200 more, and then for none."""


@given(st.integers(1, 30), st.integers(1, 8), st.lists(st.integers(1, 50), min_size=1))
def test_chunks_of_any_size_make_every_repeat_of_every_row_once(
    row_count: int, repeats: int, limits: list[int]
) -> None:
    made: list[tuple[int, int]] = []
    planned, turn = row_count * repeats, 0
    while numbers := next_runs(
        made_runs=len(made), again=[], planned_runs=planned, limit=limits[turn % len(limits)]
    ).numbers:
        made += [row_and_repeat(number, row_count) for number in numbers]
        turn += 1
    assert made == [(row, repeat) for repeat in range(1, repeats + 1) for row in range(row_count)]


def made_runs(platform: Platform, batch: dict[str, Any]) -> Counter[tuple[int, int]]:
    async def read() -> Counter[tuple[int, int]]:
        async with platform.database.read() as session:
            statement = select(Run.task_id, Run.repeat).where(Run.batch_id == batch["id"])
            return Counter((task_id, repeat) for task_id, repeat in await session.execute(statement))

    return platform.do(read())


async def feed_once(platform: Platform, batch: dict[str, Any], kind: type[BatchSource] = BatchSource) -> int:
    async with platform.database.read() as session:
        campaign_id = (await session.get_one(Batch, batch["id"])).campaign_id
    source = kind(platform.database, platform.part(PlatformClock), platform.part(Judge))
    return await feed(platform.database, platform.part(Signals), source, campaign_id)


def feed_up(platform: Platform, batch: dict[str, Any]) -> None:
    """Make all runs that are still to be made, whether or not any of them ends."""
    deadline = time.monotonic() + 60
    while len(made_runs(platform, batch)) < batch["planned_runs"] and time.monotonic() < deadline:
        platform.do(feed_once(platform, batch))  # nothing is made while the platform's own loop is at it


@pytest.fixture
def waiting_agent(agent_server: StartAgent) -> Iterator[ScriptedAgent]:
    """An agent that does not answer, so that no run ends and a batch is fed no further than it should be."""
    release = threading.Event()
    yield agent_server(lambda d: release.wait(120) and final())
    release.set()


def held_batch(org: Org, agent: ScriptedAgent, row_count: int, **members: Any) -> dict[str, Any]:
    """A batch that is not made to its end, because none of its runs ends."""
    data = dataset(org, rows(row_count))
    batch = start_batch(org, org.agent(agent.url), dataset_id=data["id"], **members)
    deadline = time.monotonic() + 60
    while (shown := read_batch(org, batch))["made_runs"] < HELD_AT and time.monotonic() < deadline:
        time.sleep(0.02)
    assert HELD_AT == shown["made_runs"] < shown["planned_runs"]
    return shown


def check_made(org: Org, platform: Platform, batch: dict[str, Any], count: int) -> None:
    """Every planned run exists once; then the batch is ended."""
    made = made_runs(platform, batch)
    assert (len(made), set(made.values())) == (count, {1})
    org.ok(org.post(f"/api/batches/{batch['id']}/cancel"))
    shown = at_rest(org, batch)
    assert (shown["made_runs"], shown["runs"]["cancelled"]) == (count, count)


@pytest.mark.both_databases
def test_a_batch_that_was_interrupted_is_made_to_its_end(
    new_database: NewDatabase, waiting_agent: ScriptedAgent
) -> None:
    url = new_database()
    first = Platform(url, drain_seconds=0)
    org = first.new_org()
    batch = held_batch(org, waiting_agent, 150, repeats=5)
    first.stop()
    second = Platform(url)
    again = Org(second, org.api_key)
    feed_up(second, batch)
    shown = all_rows(again, batch)
    check_made(again, second, batch, 750)
    again.client.close()
    second.stop()
    assert [[run["repeat"] for run in row["runs"]] for row in shown] == [[1, 2, 3, 4, 5]] * 150


@pytest.mark.both_databases
def test_a_chunk_that_was_broken_off_was_never_made(
    org: Org, platform: Platform, waiting_agent: ScriptedAgent
) -> None:
    batch = held_batch(org, waiting_agent, 900)
    made: list[int] = []

    class Failing(BatchSource):
        async def plan(self, session: AsyncSession, campaign: Campaign, numbers: Sequence[int]) -> Make:
            make = await super().plan(session, campaign, numbers)

            async def make_and_fail(writing: AsyncSession) -> None:
                await make(writing)
                made.append(len(numbers))
                raise ConnectionError("the power fails here")

            return make_and_fail

    with pytest.raises(ConnectionError):
        platform.do(feed_once(platform, batch, Failing))
    assert made == [200]
    assert read_batch(org, batch)["made_runs"] == batch["made_runs"]
    feed_up(platform, batch)
    check_made(org, platform, batch, 900)


@pytest.mark.both_databases
def test_several_who_feed_at_once_make_nothing_twice(
    org: Org, platform: Platform, waiting_agent: ScriptedAgent
) -> None:
    batch = held_batch(org, waiting_agent, 1500)

    async def all_at_once() -> list[int]:
        return await asyncio.gather(*(feed_once(platform, batch) for _ in range(12)))

    assert sum(platform.do(all_at_once())) >= 200
    feed_up(platform, batch)
    check_made(org, platform, batch, 1500)


@pytest.mark.both_databases
def test_two_processes_share_a_batch(new_database: NewDatabase, agent_server: StartAgent) -> None:
    url = new_database()
    server = agent_server(lambda d: final())
    platforms = [Platform(url), Platform(url)]
    org = platforms[0].new_org()
    data = dataset(org, rows(110))
    batch = ended(org, start_batch(org, org.agent(server.url), dataset_id=data["id"], repeats=2))
    made = made_runs(platforms[1], batch)
    for platform in platforms:
        platform.stop()
    assert batch["runs"]["completed"] == 220
    assert (len(made), set(made.values())) == (220, {1})
    dispatched = Counter(one.body["run_id"] for one in server.received)
    assert (len(dispatched), set(dispatched.values())) == (220, {1})
    assert len(server.pings) == 1


@pytest.mark.both_databases
def test_a_ping_that_its_process_did_not_survive_is_sent_again(
    new_database: NewDatabase, agent_server: StartAgent
) -> None:
    url = new_database()
    asked, release = threading.Event(), threading.Event()
    pings: list[Dispatched] = []

    class Slow(ScriptedAgent):
        def answer(self, dispatched: Dispatched) -> Any:
            if dispatched.body == {"ping": True}:
                pings.append(dispatched)
                asked.set()
                release.wait(9)
            return super().answer(dispatched)

    server = Slow(lambda d: final())
    first = Platform(url)
    org = first.new_org()
    batch = start_batch(org, org.agent(server.url), seeds=rows(2))
    assert asked.wait(60)
    first.stop()
    release.set()
    second = Platform(url)
    again = Org(second, org.api_key)
    done = ended(again, batch)
    again.client.close()
    second.stop()
    server.stop()
    assert (done["status"], len(pings)) == ("completed", 2)

"""Runs of one lane go as many at once as it allows, whoever executes them; a full lane keeps nobody else waiting."""

import threading
from collections.abc import Callable, Iterator
from typing import Any

import pytest
from sqlalchemy import select
from support.agents import Behaviour, Dispatched, ScriptedAgent, final
from support.platform import Org, Platform

from odyssey.agents.models import Agent
from odyssey.core.database import after_commit
from odyssey.core.signals import Signals
from odyssey.kit.clock import utc_now
from odyssey.kit.ids import new_uuid
from odyssey.library.seeds import read_seed
from odyssey.runs.making import Maker, RunRequest, make_runs, make_tasks
from odyssey.runs.models import Lane
from odyssey.runs.topics import RUNS_TOPIC

pytestmark = pytest.mark.both_databases

StartAgent = Callable[[Behaviour], ScriptedAgent]


@pytest.fixture
def two_processes(new_database: Callable[[], str]) -> Iterator[list[Platform]]:
    url = new_database()
    platforms = [Platform(url, max_runs=8) for _ in range(2)]
    yield platforms
    for platform in platforms:
        platform.stop()


@pytest.fixture
def alone(new_database: Callable[[], str]) -> Iterator[Platform]:
    platform = Platform(new_database(), max_runs=8)
    yield platform
    platform.stop()


def start_in_lane(
    platform: Platform, agent: dict[str, Any], count: int, *, most_at_once: int | None
) -> list[int]:
    lane = new_uuid()

    async def make() -> list[int]:
        async with platform.database.write() as session:
            if most_at_once is not None:
                session.add(Lane(id=lane, most_at_once=most_at_once))
            org_id = (await session.scalars(select(Agent.org_id).where(Agent.id == agent["id"]))).one()
            seed = read_seed({"user_instruction": "Do it."}, None, {}).seed
            assert seed is not None
            (task,) = await make_tasks(session, utc_now, org_id, [seed])
            version = agent["published_version"]
            maker = Maker(org_id, agent["id"], version, judged=False, lane=lane)
            runs = await make_runs(
                session, utc_now, maker, [RunRequest(task, n) for n in range(1, count + 1)]
            )
            after_commit(session, lambda: platform.part(Signals).notify(RUNS_TOPIC))
            return [run.id for run in runs]

    return platform.do(make())


class Counting:
    """An agent that knows how many of its runs are under way; it answers when `together` are."""

    def __init__(self, together: int) -> None:
        self._lock = threading.Lock()
        self._barrier = threading.Barrier(together)
        self._now = 0
        self.most = 0

    def __call__(self, dispatched: Dispatched) -> Any:
        with self._lock:
            self._now += 1
            self.most = max(self.most, self._now)
        self._barrier.wait(60)
        with self._lock:
            self._now -= 1
        return final()


def statuses(org: Org, run_ids: list[int]) -> set[str]:
    return {org.wait(run_id)["status"] for run_id in run_ids}


def test_two_processes_keep_the_limit_of_a_lane_together(
    two_processes: list[Platform], agent_server: StartAgent
) -> None:
    org = two_processes[0].new_org()
    behaviour = Counting(together=3)
    run_ids = start_in_lane(two_processes[0], org.agent(agent_server(behaviour).url), 24, most_at_once=3)
    assert statuses(org, run_ids) == {"completed"}
    assert behaviour.most == 3


def test_a_full_lane_keeps_nobody_else_waiting(alone: Platform, agent_server: StartAgent) -> None:
    org = alone.new_org()
    arrived, release = threading.Event(), threading.Event()

    def stay(dispatched: Dispatched) -> Any:
        arrived.set()
        release.wait(120)
        return final()

    slow, quick = org.agent(agent_server(stay).url), org.agent(agent_server(lambda d: final()).url)
    first, *waiting = start_in_lane(alone, slow, 1001, most_at_once=1)
    assert arrived.wait(60)
    beside = start_in_lane(alone, quick, 20, most_at_once=2)
    assert org.run(quick)["status"] == "completed"
    assert statuses(org, beside) == {"completed"}
    assert org.wait(first, "running")["status"] == "running"
    assert {org.wait(run_id, "pending")["status"] for run_id in (waiting[0], waiting[-1])} == {"pending"}
    release.set()
    org.wait(first)


def test_runs_of_a_lane_go_in_their_order(alone: Platform, agent_server: StartAgent) -> None:
    org = alone.new_org()
    server = agent_server(lambda d: final())
    run_ids = start_in_lane(alone, org.agent(server.url), 12, most_at_once=1)
    assert statuses(org, run_ids) == {"completed"}
    assert [each.body["run_id"] for each in server.received] == run_ids


def test_a_lane_without_a_row_has_no_limit(alone: Platform, agent_server: StartAgent) -> None:
    org = alone.new_org()
    behaviour = Counting(together=8)
    run_ids = start_in_lane(alone, org.agent(agent_server(behaviour).url), 16, most_at_once=None)
    assert statuses(org, run_ids) == {"completed"}
    assert behaviour.most == 8


def test_a_cancelled_run_makes_room_in_its_lane(alone: Platform, agent_server: StartAgent) -> None:
    org = alone.new_org()
    release = threading.Event()
    server = agent_server(lambda d: release.wait(60) and final())
    first, second = start_in_lane(alone, org.agent(server.url), 2, most_at_once=1)
    org.wait(first, "running")
    org.ok(org.post(f"/api/runs/{first}/cancel"))
    org.wait(second, "running")
    release.set()
    assert statuses(org, [first, second]) == {"cancelled", "completed"}

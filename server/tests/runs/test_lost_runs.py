"""Runs whose owner is gone, without killing it: what a run that is lost again and again comes to."""

import threading
import time
from collections.abc import Callable
from datetime import timedelta
from typing import Any

import pytest
from sqlalchemy import update
from support.agents import Behaviour, Dispatched, ScriptedAgent, final
from support.platform import Org, Platform

from odyssey.kit.clock import utc_now
from odyssey.runs.models import Run

StartAgent = Callable[[Behaviour], ScriptedAgent]


def leave_behind(platform: Platform, run_id: int) -> None:
    """Leave the run as a server does that was killed a lease ago."""

    async def leave() -> None:
        async with platform.database.write() as session:
            gone = {"owner": "a server that is gone", "lease_until": utc_now() - timedelta(seconds=1)}
            await session.execute(update(Run).where(Run.id == run_id).values(gone))

    platform.do(leave())


@pytest.mark.both_databases
def test_a_run_that_is_lost_three_times_is_an_internal_error(
    platform: Platform, org: Org, agent_server: StartAgent
) -> None:
    release = threading.Event()

    def never(_: Dispatched) -> Any:
        release.wait(120)
        return final()

    server = agent_server(never)
    try:
        (run_id,) = org.start(org.agent(server.url))
        for attempt in (1, 2, 3):
            while len(server.received) < attempt:
                time.sleep(0.02)
            leave_behind(platform, run_id)
        run = org.wait(run_id)
    finally:
        release.set()
    assert (run["status"], run["error_class"]) == ("failed", "internal_error")
    assert [attempt["outcome"] for attempt in run["attempts"]] == ["lost"] * 3
    assert [int(one.headers["x-pipelines-attempt"]) for one in server.received] == [1, 2, 3]

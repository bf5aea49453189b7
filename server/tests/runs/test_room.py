"""A process takes no more runs at once than it was told to."""

import threading
from collections.abc import Callable
from typing import Any

import pytest
from support.agents import Behaviour, Dispatched, ScriptedAgent, final
from support.platform import Platform


@pytest.mark.both_databases
def test_at_most_max_runs_are_dispatched_at_once(
    new_database: Callable[[], str], agent_server: Callable[[Behaviour], ScriptedAgent]
) -> None:
    platform = Platform(new_database(), max_runs=3)
    lock = threading.Lock()
    three_at_once = threading.Barrier(3)
    now, most = 0, 0

    def behave(d: Dispatched) -> Any:
        nonlocal now, most
        with lock:
            now += 1
            most = max(most, now)
        three_at_once.wait(60)
        with lock:
            now -= 1
        return final()

    org = platform.new_org()
    run_ids = org.start(
        org.agent(agent_server(behave).url), *[{"user_instruction": str(n)} for n in range(12)]
    )
    statuses = [org.wait(run_id)["status"] for run_id in run_ids]
    platform.stop()
    assert statuses == ["completed"] * 12
    assert most == 3

"""A call costs the same however long its run is: it reads no rows of its past and writes as many as before."""

from collections.abc import Callable, Coroutine, Iterator
from typing import Any

import httpx
import pytest
from sqlalchemy import event
from support.agents import Behaviour, ScriptedAgent
from support.calls import open_run
from support.platform import Platform

from odyssey.core.group_commit import GroupWriter, Unit

StartAgent = Callable[[Behaviour], ScriptedAgent]


@pytest.fixture(scope="module")
def unlimited(new_database: Callable[[], str]) -> Iterator[Platform]:
    platform = Platform(new_database(), rate_limit=10**9, lease_seconds=3600)
    yield platform
    platform.stop()


class Cost:
    """What one call asks of the database."""

    def __init__(self, platform: Platform) -> None:
        self.statements = 0
        self.written: list[int] = []
        self._engines = {platform.database.engine.sync_engine, platform.database.reader.sync_engine}
        self._writer = platform.part(GroupWriter)
        self._commit: Callable[[Unit], Coroutine[Any, Any, bool]] = self._writer.commit

    def __enter__(self) -> "Cost":
        for engine in self._engines:
            event.listen(engine, "before_cursor_execute", self._count)

        async def commit(unit: Unit) -> bool:
            self.written.append(2 + len(unit.rest))
            return await self._commit(unit)

        self._writer.commit = commit  # type: ignore[method-assign] # watched, not replaced
        return self

    def __exit__(self, *error: object) -> None:
        for engine in self._engines:
            event.remove(engine, "before_cursor_execute", self._count)
        self._writer.commit = self._commit  # type: ignore[method-assign,assignment] # as it was

    def _count(self, *arguments: Any) -> None:
        statement: str = arguments[2]
        if "run_tokens" in statement or "events" in statement or "ledger_entries" in statement:
            self.statements += 1


def test_a_long_run_costs_a_call_no_more_than_a_short_one(
    unlimited: Platform, agent_server: StartAgent
) -> None:
    org = unlimited.new_org()
    rules = [
        {"tool": "nothing", "response": 1},
        {"tool": "create_order", "args": {"total": -1}, "response": 1},
    ]
    costs: list[tuple[int, list[int]]] = []
    with (
        open_run(org, agent_server, failure_rules=rules) as run,
        httpx.Client(trust_env=False, timeout=60) as client,
    ):
        headers = {"X-Pipelines-Run-Token": run.token}
        for more in (10, 1000):
            for _ in range(more):
                client.post(f"{run.url}/tools/create_order", json={"status": "new"}, headers=headers)
            with Cost(unlimited) as cost:
                answer = run.call("update_order", {"order_id": "ord_1", "status": str(more)})
            assert answer.json()["response"]["status"] == str(more)
            costs.append((cost.statements, cost.written))
    assert costs[0] == costs[1] == (0 if unlimited.database.is_sqlite else 3, [3])

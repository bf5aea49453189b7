"""Batches in tests."""

from collections.abc import Sequence
from typing import Any

from sqlalchemy import update
from support.platform import Org, Platform
from support.waiting import wait_for

from odyssey.runs.models import Run


def rows(count: int, **members: Any) -> list[dict[str, Any]]:
    return [{"user_instruction": f"row {number}", **members} for number in range(count)]


def dataset(org: Org, seeds: Sequence[dict[str, Any]], name: str = "rows") -> dict[str, Any]:
    made: dict[str, Any] = org.ok(org.post("/api/datasets", list(seeds), params={"name": name}))
    return made


def start_batch(org: Org, agent: dict[str, Any], **members: Any) -> dict[str, Any]:
    """Ask for runs; returns the batch as it was made."""
    answer = org.ok(org.post("/api/runs", {"agent_id": agent["id"], **members}))
    batch: dict[str, Any] = answer["batch"]
    return batch


def read_batch(org: Org, batch: dict[str, Any]) -> dict[str, Any]:
    shown: dict[str, Any] = org.ok(org.get(f"/api/batches/{batch['id']}"))
    return shown


def at_rest(org: Org, batch: dict[str, Any]) -> dict[str, Any]:
    """Wait until no run of the batch goes on."""
    return wait_for(lambda: read_batch(org, batch), lambda shown: not shown["runs"]["running"])


def ended(org: Org, batch: dict[str, Any]) -> dict[str, Any]:
    """Wait until a batch is over and every run of it has its verdict."""
    return wait_for(lambda: read_batch(org, batch), _is_over)


def _is_over(shown: dict[str, Any]) -> bool:
    return shown["status"] not in ("checking", "running") and not shown["verdicts"]["PENDING"]


def all_rows(org: Org, batch: dict[str, Any], limit: int = 200) -> list[dict[str, Any]]:
    return [row for page in org.pages(f"/api/batches/{batch['id']}/rows", limit) for row in page]


def set_verdicts(platform: Platform, verdicts: dict[int, str], **others: Any) -> None:
    """Give runs verdicts, as graders would."""

    async def grade() -> None:
        async with platform.database.write() as session:
            for run_id, verdict in verdicts.items():
                statement = update(Run).where(Run.id == run_id)
                await session.execute(statement.values(verdict=verdict, **others))

    platform.do(grade())

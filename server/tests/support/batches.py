"""Batches in tests."""

import time
from collections.abc import Sequence
from typing import Any

from sqlalchemy import update
from support.platform import Org, Platform

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
    deadline = time.monotonic() + 60
    while (shown := read_batch(org, batch))["runs"]["running"] and time.monotonic() < deadline:
        time.sleep(0.02)
    return shown


def ended(org: Org, batch: dict[str, Any]) -> dict[str, Any]:
    """Wait until a batch is over and every run of it has its verdict."""
    deadline = time.monotonic() + 120
    while time.monotonic() < deadline:
        shown = read_batch(org, batch)
        if shown["status"] not in ("checking", "running") and not shown["verdicts"]["PENDING"]:
            return shown
        time.sleep(0.05)
    raise AssertionError(shown)


def all_rows(org: Org, batch: dict[str, Any], limit: int = 200) -> list[dict[str, Any]]:
    found: list[dict[str, Any]] = []
    cursor = None
    while True:
        query = {"limit": limit} | ({"cursor": cursor} if cursor else {})
        page = org.ok(org.get(f"/api/batches/{batch['id']}/rows", params=query))
        assert len(page["items"]) <= limit
        found += page["items"]
        cursor = page["next_cursor"]
        if cursor is None:
            return found


def set_verdicts(platform: Platform, verdicts: dict[int, str], **others: Any) -> None:
    """Give runs verdicts, as graders would."""

    async def grade() -> None:
        async with platform.database.write() as session:
            for run_id, verdict in verdicts.items():
                statement = update(Run).where(Run.id == run_id)
                await session.execute(statement.values(verdict=verdict, **others))

    platform.do(grade())

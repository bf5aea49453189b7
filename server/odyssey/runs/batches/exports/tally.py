"""What a run is to continuous integration, and how many of each a batch has."""

from typing import Literal, NamedTuple

from sqlalchemy import func, select
from sqlalchemy.ext.asyncio import AsyncSession

from odyssey.runs.models import Run

Outcome = Literal["passed", "failure", "error", "skipped"]


class Tally(NamedTuple):
    tests: int
    failures: int
    errors: int
    skipped: int


def outcome_of(status: str, verdict: str, failure_mode: str | None) -> Outcome:
    if verdict == "PASS":
        return "passed"
    if verdict == "FAIL":
        return "failure"
    could_not = status == "failed" or failure_mode is not None
    return "error" if verdict == "NOT APPLICABLE" and could_not else "skipped"


async def tally_of(session: AsyncSession, batch_id: int) -> Tally:
    kinds = (Run.status, Run.verdict, Run.failure_mode)
    statement = select(*kinds, func.count()).where(Run.batch_id == batch_id).group_by(*kinds)
    found: dict[Outcome, int] = dict.fromkeys(("passed", "failure", "error", "skipped"), 0)
    for status, verdict, failure_mode, count in await session.execute(statement):
        found[outcome_of(status, verdict, failure_mode)] += count
    return Tally(sum(found.values()), found["failure"], found["error"], found["skipped"])

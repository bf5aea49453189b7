"""The shape that build servers read: one suite of test cases, whatever the texts in it say."""

import re
from datetime import datetime
from typing import Literal, NamedTuple

from sqlalchemy import func, select
from sqlalchemy.ext.asyncio import AsyncSession

from odyssey.runs.models import Run

# What a run is to continuous integration, and how many of each a batch has.
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


_NOT_XML = re.compile("[^\t\n\r\x20-\ud7ff\ue000-\ufffd\U00010000-\U0010ffff]")
_ENTITIES = {
    "&": "&amp;",
    "<": "&lt;",
    ">": "&gt;",
    '"': "&quot;",
    "\t": "&#9;",
    "\n": "&#10;",
    "\r": "&#13;",
}
_IN_TEXT = str.maketrans({mark: _ENTITIES[mark] for mark in "&<>\r"})
_IN_ATTRIBUTE = str.maketrans(_ENTITIES)

TAIL = "</testsuite>\n</testsuites>\n"


def suite_head(name: str, tally: Tally, created_at: datetime) -> str:
    numbers = (
        f'tests="{tally.tests}" failures="{tally.failures}" errors="{tally.errors}" skipped="{tally.skipped}"'
    )
    created = created_at.strftime("%Y-%m-%dT%H:%M:%S")
    head = f'<testsuites {numbers}>\n<testsuite name="{attribute(name)}" {numbers} timestamp="{created}">\n'
    return f'<?xml version="1.0" encoding="UTF-8"?>\n{head}'


def written_case(suite: str, name: str, seconds: float | None, inside: str) -> str:
    """Write one case; `inside` is markup, and nothing of a case that passed."""
    took = "" if seconds is None else f' time="{seconds:.3f}"'
    head = f'<testcase classname="{attribute(suite)}" name="{attribute(name)}"{took}'
    return f"{head}/>\n" if not inside else f"{head}>{inside}</testcase>\n"


def skipped(message: str) -> str:
    return f'<skipped message="{attribute(message)}"/>'


def fault(outcome: str, kind: str, message: str, details: str) -> str:
    """Write a failure or an error."""
    return f'<{outcome} type="{attribute(kind)}" message="{attribute(message)}">{text(details)}</{outcome}>'


def attribute(value: str) -> str:
    return _NOT_XML.sub("\ufffd", value).translate(_IN_ATTRIBUTE)


def text(value: str) -> str:
    return _NOT_XML.sub("\ufffd", value).translate(_IN_TEXT)

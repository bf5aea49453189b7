"""Batches as files: tables, JSON, and the JUnit XML that build servers read."""

import csv
import io
import re
from collections.abc import AsyncIterator, Iterable, Sequence
from datetime import datetime
from typing import Any, Literal, NamedTuple

import msgspec
from sqlalchemy import func, select, tuple_
from sqlalchemy.ext.asyncio import AsyncSession
from sqlalchemy.orm import defer

from odyssey.batches.schemas import BatchOut
from odyssey.core.database import Database
from odyssey.kit.clock import rfc3339
from odyssey.library.models import Task
from odyssey.library.tables import guarded
from odyssey.runs.models import Grade, Run

# The shape that build servers read: one suite of test cases, whatever the texts in it say.

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


def said(words: str) -> str:
    """Write what is to be read beside the outcome, also of a case that passed."""
    return f"<system-out>{text(words)}</system-out>"


def attribute(value: str) -> str:
    return _NOT_XML.sub("\ufffd", value).translate(_IN_ATTRIBUTE)


def text(value: str) -> str:
    return _NOT_XML.sub("\ufffd", value).translate(_IN_TEXT)


# The runs of a batch for those who take them elsewhere: read in short transactions, a page at a time.

_AT_ONCE = 100
_LARGE = (Run.messages, Run.reply_metadata)


class ExportedRun(msgspec.Struct, frozen=True):
    """One run as all formats show it."""

    run_id: int
    row: int
    task_id: int
    repeat: int
    user_instruction: str
    expected_outcome: str
    status: str
    verdict: str
    failure_mode: str | None
    score: float | None
    reason: str | None
    error_class: str | None
    error_detail: str | None
    final_response: str | None
    agent_id: int
    agent_version: int
    random_seed: int
    attempts: int
    cost_usd: float
    started_at: str | None
    finished_at: str | None
    seconds: float | None
    world_warning: str | None = None
    """What the world did badly in it, in one sentence."""


async def exported_runs(database: Database, batch_id: int) -> AsyncIterator[list[ExportedRun]]:
    """Give the runs row by row, and repeat by repeat."""
    last: tuple[int, int] | None = None
    while True:
        async with database.read() as session:
            page = await _page(session, batch_id, last)
        if not page:
            return
        last = page[-1].task_id, page[-1].repeat
        yield page


async def _page(session: AsyncSession, batch_id: int, last: tuple[int, int] | None) -> list[ExportedRun]:
    statement = select(Run, Task).join(Task, Task.id == Run.task_id).where(Run.batch_id == batch_id)
    statement = statement.options(*(defer(large, raiseload=True) for large in _LARGE))
    if last is not None:
        statement = statement.where(tuple_(Run.task_id, Run.repeat) > last)
    statement = statement.order_by(Run.task_id, Run.repeat).limit(_AT_ONCE)
    rows = (await session.execute(statement)).all()
    grades = await _newest_grades(session, [run.id for run, _ in rows])
    return [_exported(run, task, grades.get(run.id)) for run, task in rows]


async def _newest_grades(session: AsyncSession, run_ids: Sequence[int]) -> dict[int, Grade]:
    """Return the newest grade of each run that has one."""
    statement = select(Grade).where(Grade.run_id.in_(run_ids)).order_by(Grade.number)
    return {grade.run_id: grade for grade in await session.scalars(statement)}


def _exported(run: Run, task: Task, newest: Grade | None) -> ExportedRun:
    grade = None if run.verdict == "PENDING" else newest
    error: dict[str, Any] = run.error_json or {}
    return ExportedRun(
        run_id=run.id,
        row=task.position or 0,
        task_id=run.task_id,
        repeat=run.repeat,
        user_instruction=task.seed["user_instruction"],
        expected_outcome=task.seed["expected_outcome"],
        status=run.status,
        verdict=run.verdict,
        failure_mode=run.failure_mode,
        score=run.score,
        reason=None if grade is None else grade.reason,
        error_class=run.error_class,
        error_detail=error.get("detail"),
        final_response=run.final_response,
        agent_id=run.agent_id,
        agent_version=run.agent_version,
        random_seed=run.random_seed,
        attempts=run.attempt,
        cost_usd=run.cost_usd,
        started_at=None if run.started_at is None else rfc3339(run.started_at),
        finished_at=None if run.finished_at is None else rfc3339(run.finished_at),
        seconds=_seconds(run),
        world_warning=None if grade is None else grade.report.get("world_warning"),
    )


def _seconds(run: Run) -> float | None:
    if run.started_at is None or run.finished_at is None:
        return None
    return (run.finished_at - run.started_at).total_seconds()


# A batch as one JSON document: what `GET /api/batches/{id}` says, and its runs.
async def json_export(database: Database, batch: BatchOut) -> AsyncIterator[bytes]:
    yield b'{"batch": ' + batch.model_dump_json(by_alias=True).encode() + b',\n"runs": ['
    before = b"\n"
    async for page in exported_runs(database, batch.id):
        yield before + b",\n".join(map(msgspec.json.encode, page))
        before = b",\n"
    yield b"\n]}\n"


# The runs of a batch as a table that does nothing in a spreadsheet.
async def csv_export(database: Database, batch_id: int) -> AsyncIterator[bytes]:
    yield _lines([ExportedRun.__struct_fields__])
    async for page in exported_runs(database, batch_id):
        yield csv_lines(page)


def csv_lines(runs: Iterable[ExportedRun]) -> bytes:
    return _lines(map(_cells, runs))


def _cells(run: ExportedRun) -> list[str]:
    return ["" if value is None else guarded(str(value)) for value in msgspec.structs.astuple(run)]


def _lines(rows: Iterable[Iterable[str]]) -> bytes:
    """Quote every cell (RFC 4180): in some countries a spreadsheet would part them at a semicolon."""
    text = io.StringIO(newline="")
    csv.writer(text, quoting=csv.QUOTE_ALL).writerows(rows)
    return text.getvalue().encode("utf-8")


# A batch as JUnit XML, for continuous integration: a run is a test case.
#
# A FAIL is a failure. A run that failed for another reason, or that could not be graded, is an error: a build
# must not become green because nothing was tested. What was cancelled, waits, or has nothing to grade it by
# is skipped.

_NAME_SHOWN = 120


async def junit_export(database: Database, batch: BatchOut, tally: Tally) -> AsyncIterator[bytes]:
    suite = batch.dataset_name or f"batch {batch.id}"
    name = f"{suite} on {batch.agent_name} version {batch.agent_version}"
    yield suite_head(name, tally, batch.created_at).encode()
    async for page in exported_runs(database, batch.id):
        yield "".join(junit_case(run, suite) for run in page).encode()
    yield TAIL.encode()


def junit_case(run: ExportedRun, suite: str) -> str:
    start = " ".join(run.user_instruction[:_NAME_SHOWN].split())
    inside = _outcome(run)
    if run.world_warning is not None:
        inside += said(run.world_warning)
    return written_case(suite, f"row {run.row} repeat {run.repeat}: {start}", run.seconds, inside)


def _outcome(run: ExportedRun) -> str:
    why = run.reason or run.error_detail or ""
    match outcome_of(run.status, run.verdict, run.failure_mode):
        case "passed":
            return ""
        case "skipped":
            return skipped(why or _no_verdict(run))
        case outcome:
            kind = run.failure_mode or run.error_class or run.verdict
            warning = "" if run.world_warning is None else f"\n{run.world_warning}"
            answer = "" if run.final_response is None else f"\n\nfinal_response:\n{run.final_response}"
            return fault(outcome, kind, why, f"run {run.run_id}: {why}{warning}{answer}")


def _no_verdict(run: ExportedRun) -> str:
    return f"The run is {run.status}; its verdict is {run.verdict}."

"""A batch as JUnit XML, for continuous integration: a run is a test case.

A FAIL is a failure. A run that failed for another reason, or that could not be graded, is an error: a build must not
become green because nothing was tested. What was cancelled, waits, or has nothing to grade it by is skipped.
"""

from collections.abc import AsyncIterator

from odyssey.batches.exports.junit_xml import (
    TAIL,
    Tally,
    fault,
    outcome_of,
    skipped,
    suite_head,
    written_case,
)
from odyssey.batches.exports.runs import ExportedRun, exported_runs
from odyssey.batches.schemas import BatchOut
from odyssey.core.database import Database

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
    return written_case(suite, f"row {run.row} repeat {run.repeat}: {start}", run.seconds, _outcome(run))


def _outcome(run: ExportedRun) -> str:
    why = run.reason or run.error_detail or ""
    match outcome_of(run.status, run.verdict, run.failure_mode):
        case "passed":
            return ""
        case "skipped":
            return skipped(why or _no_verdict(run))
        case outcome:
            kind = run.failure_mode or run.error_class or run.verdict
            answer = "" if run.final_response is None else f"\n\nfinal_response:\n{run.final_response}"
            return fault(outcome, kind, why, f"run {run.run_id}: {why}{answer}")


def _no_verdict(run: ExportedRun) -> str:
    return f"The run is {run.status}; its verdict is {run.verdict}."

"""A batch as JUnit XML, for continuous integration: a run is a test case.

A FAIL is a failure. A run that failed for another reason, or that could not be graded, is an error: a build must not
become green because nothing was tested. What was cancelled, waits, or has nothing to grade it by is skipped.
"""

import re
from collections.abc import AsyncIterator

from odyssey.core.database import Database
from odyssey.runs.batches.exports.runs import ExportedRun, exported_runs
from odyssey.runs.batches.exports.tally import Tally, outcome_of
from odyssey.runs.batches.schemas import BatchOut

_NAME_SHOWN = 120
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


async def junit_export(database: Database, batch: BatchOut, tally: Tally) -> AsyncIterator[bytes]:
    suite = batch.dataset_name or f"batch {batch.id}"
    numbers = (
        f'tests="{tally.tests}" failures="{tally.failures}" errors="{tally.errors}" skipped="{tally.skipped}"'
    )
    created = batch.created_at.strftime("%Y-%m-%dT%H:%M:%S")
    name = _attribute(f"{suite} on {batch.agent_name} version {batch.agent_version}")
    head = f'<testsuites {numbers}>\n<testsuite name="{name}" {numbers} timestamp="{created}">\n'
    yield f'<?xml version="1.0" encoding="UTF-8"?>\n{head}'.encode()
    async for page in exported_runs(database, batch.id):
        yield "".join(junit_case(run, suite) for run in page).encode()
    yield b"</testsuite>\n</testsuites>\n"


def junit_case(run: ExportedRun, suite: str) -> str:
    start = " ".join(run.user_instruction[:_NAME_SHOWN].split())
    name = _attribute(f"row {run.row} repeat {run.repeat}: {start}")
    seconds = "" if run.seconds is None else f' time="{run.seconds:.3f}"'
    inside = _outcome(run)
    head = f'<testcase classname="{_attribute(suite)}" name="{name}"{seconds}'
    return f"{head}/>\n" if not inside else f"{head}>{inside}</testcase>\n"


def _outcome(run: ExportedRun) -> str:
    why = run.reason or run.error_detail or ""
    match outcome_of(run.status, run.verdict, run.failure_mode):
        case "passed":
            return ""
        case "skipped":
            return f'<skipped message="{_attribute(why or _no_verdict(run))}"/>'
        case outcome:
            kind = _attribute(run.failure_mode or run.error_class or run.verdict)
            answer = "" if run.final_response is None else f"\n\nfinal_response:\n{run.final_response}"
            text = _text(f"run {run.run_id}: {why}{answer}")
            return f'<{outcome} type="{kind}" message="{_attribute(why)}">{text}</{outcome}>'


def _no_verdict(run: ExportedRun) -> str:
    return f"The run is {run.status}; its verdict is {run.verdict}."


def _attribute(value: str) -> str:
    return _NOT_XML.sub("\ufffd", value).translate(_IN_ATTRIBUTE)


def _text(value: str) -> str:
    return _NOT_XML.sub("\ufffd", value).translate(_IN_TEXT)

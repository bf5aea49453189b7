"""The shape that build servers read: one suite of test cases, whatever the texts in it say."""

import re
from datetime import datetime

from odyssey.runs.batches.exports.tally import Tally

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

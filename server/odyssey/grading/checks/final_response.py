"""Checks of the final response: the words in it, a pattern, or the shape of the JSON it holds."""

import re
from collections.abc import Callable
from typing import Any

from odyssey.expressions.arguments import Matcher, read_pattern
from odyssey.grading.checks.check import (
    CheckFinding,
    ChecksVersion,
    Compiled,
    Look,
    RunFacts,
    as_json,
    shortened,
)
from odyssey.kit.json_reader import JsonInvalidError, read_json
from odyssey.records.faults import Faults, shown
from odyssey.records.json_schema import SchemaInvalidError, compile_schema

MAX_TEXTS = 50
MAX_TEXT = 2000

_MEMBERS = ("contains", "regex", "json_schema")
_FENCE = re.compile(r" {0,3}(`{3,}|~{3,})[^\n]*")

LookAtText = Callable[[str], CheckFinding]


def read_final_response(raw: Any, faults: Faults, version: ChecksVersion) -> Compiled | None:
    if not isinstance(raw, dict):
        faults.add("final_response is an object with contains, regex or json_schema")
        return None
    faults.unknown_members(raw, _MEMBERS, "final_response")
    given = [name for name in _MEMBERS if name in raw]
    if len(given) != 1:
        faults.add("give exactly one of contains, regex and json_schema; a second one is a check of its own")
        return None
    (name,) = given
    look = _READERS[name](raw[name], faults.at(name))
    return None if look is None else Compiled(_of_text(look))


def _of_text(look: LookAtText) -> Look:
    def at_the_response(facts: RunFacts) -> CheckFinding:
        text = facts.evidence.final_response
        return CheckFinding(False, "there is no final response") if text is None else look(text)

    return at_the_response


def _read_contains(raw: Any, faults: Faults) -> LookAtText | None:
    given = [raw] if isinstance(raw, str) else raw
    before = faults.count()
    texts = faults.texts(given, what="texts", most=MAX_TEXTS, longest=MAX_TEXT, unique=False)
    if faults.count() > before:
        return None
    if not texts:
        faults.add("name at least one text")
        return None
    wanted = [(text, text.casefold()) for text in texts]

    def look(response: str) -> CheckFinding:
        folded = response.casefold()
        missing = [text for text, fold in wanted if fold not in folded]
        if missing:
            return CheckFinding(False, f"the final response does not contain {shown(missing[0])}")
        return CheckFinding(
            True, f"the final response contains {', '.join(shown(text) for text in texts[:3])}"
        )

    return look


def _read_regex(raw: Any, faults: Faults) -> LookAtText:
    is_found: Matcher = read_pattern(raw, faults)

    def look(response: str) -> CheckFinding:
        found = is_found(response)
        return CheckFinding(
            found, f"the final response {'matches' if found else 'does not match'} the pattern {shown(raw)}"
        )

    return look


def _read_json_schema(raw: Any, faults: Faults) -> LookAtText | None:
    try:
        schema = compile_schema(raw)
    except SchemaInvalidError as error:
        faults.add(str(error))
        return None

    def look(response: str) -> CheckFinding:
        try:
            value = read_json(json_text(response))
        except JsonInvalidError as error:
            return CheckFinding(False, f"the final response holds no JSON: {error}")
        faulty = schema.errors(value, limit=1)
        if not faulty:
            return CheckFinding(True, f"the JSON of the final response fits the schema: {as_json(value)}")
        place = "/".join(str(step) for step in faulty[0].loc)
        where = f" at {shortened(place)}" if place else ""
        return CheckFinding(
            False, f"the JSON of the final response does not fit the schema{where}: {faulty[0].msg}"
        )

    return look


def json_text(response: str) -> str:
    """Where to look for JSON: the whole text if it is JSON, else its last fenced block, if it has one."""
    try:
        read_json(response)
    except JsonInvalidError:
        block = last_fenced_block(response)
        return response if block is None else block
    return response


def last_fenced_block(text: str) -> str | None:
    """The inside of the last block between lines of three or more ``` or ~~~; one left open goes to the end."""
    block: list[str] | None = None
    fence = ""
    for line in text.split("\n"):
        opening = _FENCE.fullmatch(line.rstrip("\r"))
        if fence:
            if opening and opening[1].startswith(fence) and not line.strip().strip(fence[0]):
                fence = ""
            elif block is not None:
                block.append(line)
        elif opening:
            fence, block = opening[1], []
    return None if block is None else "\n".join(block)


_READERS: dict[str, Callable[[Any, Faults], LookAtText | None]] = {
    "contains": _read_contains,
    "regex": _read_regex,
    "json_schema": _read_json_schema,
}

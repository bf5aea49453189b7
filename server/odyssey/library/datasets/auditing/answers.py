"""What the straw agents say. None of their words comes from having done anything."""

import re
from collections.abc import Iterator, Mapping
from typing import Any

import msgspec

from odyssey.kit.words import participle, word_set
from odyssey.records.smallest import smallest_value
from odyssey.worlds.ledger import Ledger

OK = "OK."
REFUSAL = "I'm sorry, I can't help with that."
YES = "Yes."
NO = "No."

LONGEST_ANSWER = 50_000
"""Of a longer final response only this much is graded."""


def claim(instruction: str) -> str:
    return f"Done. I have completed everything that was asked: {instruction}"


# The instruction in the past tense: "Please cancel ord_1 and pay it back." → "Cancelled ord_1 and paid it back."

_WORD = re.compile(r"[^\W\d_]+(?:'[^\W\d_]+)?")
_CLAUSE = re.compile(r"(?:^|[.!?:;,\n(–—])\W*$")
_BEFORE_A_VERB = word_set(
    "please and then to you also or but first finally now kindly just either we i must should"
)
_NO_VERBS = word_set(
    "a an the this that these those my your his her its our their it them me us you we they he she i is are was were "
    "be been do does did has have had can could will would may might must shall should not no yes what which who whom "
    "whose when where why how if in on at of for from with by as so because although while after before all any some "
    "each every both there here today tomorrow please and then or but also first now just only one two three"
)
_IRREGULAR = {
    "bring": "brought",
    "buy": "bought",
    "choose": "chosen",
    "cut": "cut",
    "draw": "drawn",
    "find": "found",
    "get": "got",
    "give": "given",
    "go": "gone",
    "keep": "kept",
    "leave": "left",
    "let": "let",
    "make": "made",
    "meet": "met",
    "put": "put",
    "read": "read",
    "reset": "reset",
    "run": "run",
    "say": "said",
    "see": "seen",
    "set": "set",
    "show": "shown",
    "shut": "shut",
    "split": "split",
    "tell": "told",
    "undo": "undone",
    "write": "written",
}
_OTHER_PAST = {"chosen": "chose", "drawn": "drew", "given": "gave", "gone": "went", "seen": "saw"} | {
    "shown": "showed",
    "undone": "undid",
    "written": "wrote",
    "taken": "took",
    "frozen": "froze",
    "withdrawn": "withdrew",
    "begun": "began",
    "done": "did",
}
_DOUBLED_L = re.compile(r"([aeiou]l)led\b")


def past_tense(instruction: str) -> str:
    """Repeat the instruction as if it were a report; verbs with two past forms or spellings are given in each."""
    done = _in_the_past(instruction)
    simple = _WORD.sub(lambda found: _OTHER_PAST.get(found[0].lower(), found[0]), done)
    spellings = dict.fromkeys([done, simple, _DOUBLED_L.sub(r"\1ed", done)])
    return "I have done it. " + " ".join(f"I {text}" for text in spellings)


def _in_the_past(instruction: str) -> str:
    previous = ""

    def report(found: re.Match[str]) -> str:
        nonlocal previous
        word, before = found[0].lower(), previous
        previous = word
        begins = _CLAUSE.search(instruction[max(0, found.start() - 20) : found.start()]) is not None
        # A number or an id between two words: the first says nothing about the second.
        joined = instruction[: found.start()].rstrip().lower().endswith(before)
        if word in _NO_VERBS or not (begins or (joined and before in _BEFORE_A_VERB)):
            return found[0]
        return _IRREGULAR.get(word) or participle(word)

    return _WORD.sub(report, instruction)


# Every number: those that can be guessed, those of the instruction and those that the world holds.

_COUNTED_TO = 100
_NUMBER = re.compile(r"\d+(?:[.,]\d+)*")


def numbers(instruction: str, world: Ledger) -> str:
    found = dict.fromkeys(str(number) for number in range(_COUNTED_TO + 1))
    found.update(dict.fromkeys(_NUMBER.findall(instruction)))
    length = sum(map(len, found)) + len(found)
    for entity_type in world.entity_types():
        for entity in world.entities(entity_type).values():
            for number in _numbers_in(entity):
                if number not in found:
                    found[number] = None
                    length += len(number) + 1
            if length > LONGEST_ANSWER:
                return " ".join(found)[:LONGEST_ANSWER]
    return " ".join(found)


def _numbers_in(value: Any) -> Iterator[str]:
    if isinstance(value, Mapping):
        for item in value.values():
            yield from _numbers_in(item)
    elif isinstance(value, list):
        for item in value:
            yield from _numbers_in(item)
    elif isinstance(value, int | float) and not isinstance(value, bool):
        yield msgspec.json.encode(value).decode()
        if isinstance(value, float):
            yield f"{value:.2f}"


# Forms with nothing in them: `{}`, `[]`, and what a schema asks for, filled with blanks.

_SAYING = ("const", "enum", "pattern", "format", "not", "if", "then", "else", "contains", "uniqueItems")
_BOUNDS = (
    "minimum",
    "maximum",
    "exclusiveMinimum",
    "exclusiveMaximum",
    "multipleOf",
    "minLength",
    "minItems",
)
_DEEPEST = 20


def empty_forms(schemas: list[Any]) -> list[str]:
    blanks = [smallest_value(_blank(schema, 0)) for schema in schemas if isinstance(schema, dict)]
    return list(dict.fromkeys(msgspec.json.encode(form).decode() for form in ({}, [], *blanks)))


def _blank(schema: Any, depth: int) -> Any:
    """The shape a schema asks for, without anything it asks of the values."""
    if not isinstance(schema, dict) or depth > _DEEPEST:
        return schema
    left = {name: value for name, value in schema.items() if name not in _SAYING and name not in _BOUNDS}
    for name in ("properties", "$defs", "definitions", "patternProperties"):
        if isinstance(left.get(name), dict):
            left[name] = {key: _blank(value, depth + 1) for key, value in left[name].items()}
    for name in ("items", "additionalProperties"):
        if name in left:
            left[name] = _blank(left[name], depth + 1)
    for name in ("allOf", "anyOf", "oneOf", "prefixItems"):
        if isinstance(left.get(name), list):
            left[name] = [_blank(value, depth + 1) for value in left[name]]
    return left

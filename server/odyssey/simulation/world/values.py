"""What is wrong with the values of a call, whatever it does: no choice, an empty text, an end before its beginning."""

import re
from collections.abc import Mapping
from functools import lru_cache
from typing import Any

from odyssey.kit.caches import Same
from odyssey.kit.words import listed, phrase, tokens, word_set
from odyssey.simulation.engine import Answer, Reading, ToolCall
from odyssey.simulation.world.answer import WorldQuestion, refuse
from odyssey.simulation.world.meaning import Intent, required_of
from odyssey.simulation.world.shape import SECRETS
from odyssey.worlds.schema import check_value

_CHANGES_SECRETS = word_set("change set reset update new")
_BEGINNINGS = word_set("start from begin check_in arrival pickup departure depart")
_ENDS = word_set("end to until till check_out return dropoff finish")
_DAY = re.compile(r"\d{4}-\d\d-\d\d")


def misgiven(call: ToolCall, intent: Intent) -> Answer | None:
    """Refuse what no back end takes of a call that does something."""
    if intent.verb in ("read", "list"):
        return None
    reading = Reading("none", intent.entity_type)
    for name in required_of(call) if intent.naming.verb == "tell" else ():
        value = call.arguments.get(name)
        if isinstance(value, str) and not value.strip():
            return refuse("bad_value", f"{name} is empty.", reading)
    for first, last in _spans(Same(call.tool.input_schema)):
        start, end = call.arguments.get(first), call.arguments.get(last)
        are_days = all(isinstance(each, str) and _DAY.match(each) for each in (start, end))
        if are_days and str(end) < str(start):
            return refuse("bad_value", f"{last} {end} lies before {first} {start}.", reading)
    return None


@lru_cache(maxsize=1024)
def _spans(schema: Same) -> tuple[tuple[str, str], ...]:
    """The arguments that say when something begins and ends: `start_date` and `end_date`."""
    properties = schema.it.get("properties")
    names = list(properties) if isinstance(properties, dict) else []
    begins = [(name, _without(name, _BEGINNINGS)) for name in names]
    ends = [(name, _without(name, _ENDS)) for name in names]
    return tuple(
        (first, last)
        for first, about in begins
        for last, also_about in ends
        if about is not None and about == also_about and first != last
    )


def _without(name: str, ends: frozenset[str]) -> tuple[str, ...] | None:
    """What remains of a name without the word that says which end it is; None if it says none."""
    words = tokens(name)
    for end in map(tokens, ends):
        for rest in (words[len(end) :], words[: len(words) - len(end)]):
            if words in ((*end, *rest), (*rest, *end)):
                return rest
    return None


def bad_value(question: WorldQuestion, fields: Mapping[str, Any], operation: str) -> Answer | None:
    for argument, value in question.others().items():
        wrong = outside(question.call, argument, value) or _unpaired(question, argument, value)
        wrong = (
            wrong
            or (_is_wrong_secret(question, argument, value) and f"The {phrase(argument)} is wrong.")
            or None
        )
        if wrong is not None:
            return refuse("bad_value", wrong, question.reading(operation, by=[argument]))
    for name, value in fields.items():
        declaration = question.kind.declaration(name)
        problem = check_value(declaration, value) if declaration is not None else None
        if problem is not None:
            return refuse("bad_value", f"{problem.message}.", question.reading(operation, [name]))
    return None


def is_secret(question: WorldQuestion, argument: str) -> bool:
    """Whether an argument proves who calls, and changes nothing: `switch_driver(driver_id, pin)`."""
    words = tokens(argument)
    is_new = not _CHANGES_SECRETS.isdisjoint((question.intent.naming.word, *words))
    is_new = is_new and f"new_{argument}" not in question.call.arguments
    return not is_new and not SECRETS.isdisjoint(words) and question.kind.field_named(argument) is not None


def _is_wrong_secret(question: WorldQuestion, argument: str, value: Any) -> bool:
    held = question.kind.entities.get(question.entity_id or "")
    field = question.kind.field_named(argument) if held and is_secret(question, argument) else None
    return held is not None and field is not None and held.get(field) != value


def _unpaired(question: WorldQuestion, argument: str, value: Any) -> str | None:
    """`thing_ids` and `new_thing_ids` stand for each other one by one."""
    new = question.given(f"new_{argument}")
    if isinstance(value, list) and isinstance(new, list) and len(value) != len(new):
        return f"{argument} names {len(value)} and new_{argument} {len(new)}; they must be as many."
    return None


# What an argument may be, where only its description says so: "either 'a' or 'b'", "one of 'a', 'b' or 'c'".
_CHOICE = re.compile(
    r"\b(?:either|one of|only be|must be|should be|has to be)\b([^.;]{0,400})", re.IGNORECASE
)
_EXAMPLE = re.compile(r"\b(?:such as|e\.g|for example|like|for instance)\b", re.IGNORECASE)
_QUOTED = re.compile(r"['\"“‘`]([^'\"”’`]{1,60})['\"”’`]")


def outside(call: ToolCall, argument: str, value: Any) -> str | None:
    """What is wrong with a text that is none of the quoted choices, in words; None if nothing is."""
    properties = call.tool.input_schema.get("properties")
    declared = properties.get(argument) if isinstance(properties, dict) else None
    description = declared.get("description") if isinstance(declared, dict) else None
    if not isinstance(description, str) or not isinstance(value, str):
        return None
    choices = _choices(description)
    if not choices or value in choices:
        return None
    return f"{argument} must be {listed([repr(each) for each in choices], 'or')}; {value!r} is not."


@lru_cache(maxsize=1024)
def _choices(description: str) -> tuple[str, ...]:
    # "Either 'cash' or 'card'." leaves two; of "One of many, such as 'cash' or 'card'." nothing follows.
    found = _CHOICE.search(description)
    if found is None or _EXAMPLE.search(found[0]):
        return ()
    quoted = tuple(_QUOTED.findall(found[1]))
    return quoted if len(quoted) > 1 else ()

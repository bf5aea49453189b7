"""Functions of texts. None makes a text longer than what its result may be."""

from typing import Any

from odyssey.expressions.errors import EvaluationError, TooMuchError
from odyssey.expressions.facts import Facts
from odyssey.expressions.functions.function import MAX_LIST, Function, a_list, a_text
from odyssey.expressions.values import MAX_TEXT, as_text


def _lower(_facts: Facts, text: Any) -> str:
    return a_text(text).lower()


def _upper(_facts: Facts, text: Any) -> str:
    return a_text(text).upper()


def _trim(_facts: Facts, text: Any) -> str:
    return a_text(text).strip()


def _split(_facts: Facts, text: Any, separator: Any) -> list[str]:
    between = a_text(separator)
    if not between:
        raise EvaluationError("the separator is empty")
    return a_text(text).split(between, MAX_LIST)


def _join(facts: Facts, values: Any, separator: Any = "") -> str:
    between = a_text(separator)
    parts = []
    left = MAX_TEXT
    for value in a_list(values):
        parts.append(as_text(value, facts.meter))
        left -= len(parts[-1]) + len(between)
        if left + len(between) < 0:
            raise TooMuchError(f"the text would have more than {MAX_TEXT} characters")
    facts.meter.spend_characters(MAX_TEXT - left)
    return between.join(parts)


def _replace(facts: Facts, text: Any, old: Any, new: Any) -> str:
    given, wanted, put = a_text(text), a_text(old), a_text(new)
    if not wanted:
        raise EvaluationError("what is to be replaced is empty")
    length = len(given) + given.count(wanted) * (len(put) - len(wanted))
    if length > MAX_TEXT:
        raise TooMuchError(f"the text would have more than {MAX_TEXT} characters")
    facts.meter.spend_characters(length)
    return given.replace(wanted, put)


def _text(facts: Facts, value: Any) -> str:
    return as_text(value, facts.meter)


TEXTS = (
    Function("lower", 1, 1, _lower),
    Function("upper", 1, 1, _upper),
    Function("trim", 1, 1, _trim),
    Function("split", 2, 2, _split),
    Function("join", 1, 2, _join),
    Function("replace", 3, 3, _replace),
    Function("text", 1, 1, _text),
)

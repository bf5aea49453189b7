"""CEL's own functions. What converts and what reads times is left to the CEL library, one value at a time."""

from collections.abc import Callable
from functools import cache, lru_cache
from typing import Any

import cel
import re2  # type: ignore[import-untyped]

from odyssey.expressions.facts import Facts
from odyssey.expressions.functions.function import Function, a_text
from odyssey.expressions.tokens import is_panic
from odyssey.expressions.values import (
    EvaluationError,
    Type,
    as_text,
    described,
    is_list,
    is_map,
    kind_of,
)

MAX_PATTERN = 1000

_CONVERSIONS = ("int", "uint", "double", "bytes", "timestamp", "duration")
_PARTS_OF_TIMES = (
    *("getFullYear", "getMonth", "getDate", "getDayOfMonth", "getDayOfWeek", "getDayOfYear"),
    *("getHours", "getMinutes", "getSeconds", "getMilliseconds"),
)
_ERRORS = (ArithmeticError, LookupError, RuntimeError, TypeError, ValueError)
_LONGEST_REASON = 200
_WORK_PATTERN = 4000
"""Compiling one may take a millisecond."""
_WORK_ASKING = 10
_PATTERN_MEMORY = 256 * 1024


def _size(_facts: Facts, value: Any) -> int:
    if type(value) in (str, bytes) or is_list(value) or is_map(value):
        return len(value)
    raise EvaluationError(f"takes a text, a list or a map, not {described(value)}")


def _contains(_facts: Facts, text: Any, part: Any) -> bool:
    return a_text(part) in a_text(text)


def _starts_with(_facts: Facts, text: Any, part: Any) -> bool:
    return a_text(text).startswith(a_text(part))


def _ends_with(_facts: Facts, text: Any, part: Any) -> bool:
    return a_text(text).endswith(a_text(part))


def _matches(facts: Facts, text: Any, pattern: Any) -> bool:
    given, wanted = a_text(text), a_text(pattern)
    if len(wanted) > MAX_PATTERN:
        raise EvaluationError(f"the pattern has {len(wanted)} characters; at most {MAX_PATTERN} are read")
    facts.meter.spend(1 + len(given) * (1 + len(wanted)) // 32)
    if wanted not in facts.call.patterns:
        facts.meter.spend(_WORK_PATTERN)
        facts.call.patterns.add(wanted)
    try:
        return bool(_compiled(wanted).search(given))
    except (re2.error, UnicodeError):
        raise EvaluationError("not a valid regex") from None


@lru_cache(maxsize=64)
def _compiled(pattern: str) -> Any:
    options = re2.Options()
    options.log_errors = False
    options.max_mem = _PATTERN_MEMORY
    return re2.compile(pattern, options)


def _type(_facts: Facts, value: Any) -> Type:
    return Type({"null": "null_type"}.get(kind_of(value), kind_of(value)))


def _dyn(_facts: Facts, value: Any) -> Any:
    return value


def _string(facts: Facts, value: Any) -> str:
    if type(value) is str or type(value) is bool:
        return as_text(value, facts.meter)
    facts.meter.spend(_WORK_ASKING)
    return str(_ask("string(x)", {"x": value}))


def _conversion(name: str) -> Callable[..., Any]:
    def convert(facts: Facts, value: Any) -> Any:
        facts.meter.spend(_WORK_ASKING)
        if is_list(value) or is_map(value):
            raise EvaluationError(f"takes no {kind_of(value)}")
        return _ask(f"{name}(x)", {"x": value})

    return convert


def _part_of_time(name: str) -> Callable[..., Any]:
    def part(facts: Facts, value: Any, *zone: Any) -> Any:
        facts.meter.spend(_WORK_ASKING)
        if kind_of(value) not in ("timestamp", "duration"):
            raise EvaluationError(f"takes a timestamp, not {described(value)}")
        if zone:
            raise EvaluationError("takes no time zone; it speaks of the one the timestamp is written in")
        return _ask(f"x.{name}()", {"x": value})

    return part


@cache
def _program(text: str) -> cel.Program:
    return cel.compile(text)


def _ask(text: str, values: dict[str, Any]) -> Any:
    try:
        return _program(text).execute(values)
    except _ERRORS as error:
        reason = str(error).partition(" Check ")[0].rpartition("error: ")[2]
        known = "Undefined" not in reason and "overload" not in reason
        raise EvaluationError(
            reason[:_LONGEST_REASON] if known else f"takes no {kind_of(values['x'])}"
        ) from None
    except BaseException as error:
        if not is_panic(error):
            raise
        raise EvaluationError("the value cannot be read") from None


CEL_OWN = (
    Function("size", 1, 1, _size, looks_inside=False),
    Function("contains", 2, 2, _contains),
    Function("startsWith", 2, 2, _starts_with),
    Function("endsWith", 2, 2, _ends_with),
    Function("matches", 2, 2, _matches),
    Function("type", 1, 1, _type, looks_inside=False),
    Function("dyn", 1, 1, _dyn, looks_inside=False),
    Function("string", 1, 1, _string),
    *(Function(name, 1, 1, _conversion(name)) for name in _CONVERSIONS),
    *(Function(name, 1, 2, _part_of_time(name)) for name in _PARTS_OF_TIMES),
)

"""Where two JSON values first differ, in words for people and for a model."""

from typing import Any

import msgspec

from odyssey.worlds.ledger import json_equal

_SHOWN = 120
_NOTHING = object()


def first_difference(expected: Any, got: Any) -> str | None:
    """Say `at $.items[0].price: expected 3, got 4`; None when they are equal."""
    if json_equal(expected, got):
        return None
    path = "$"
    while True:
        step = _step(expected, got)
        if step is None:
            return f"at {path}: expected {_shown(expected)}, got {_shown(got)}"
        expected, got = _at(expected, step), _at(got, step)
        path += f"[{step}]" if isinstance(step, int) else f".{step[:_SHOWN]}"


def _step(expected: Any, got: Any) -> str | int | None:
    """The first place inside both that differs; None when they differ as a whole."""
    if isinstance(expected, dict) and isinstance(got, dict):
        names: list[str] = [*expected, *(name for name in got if name not in expected)]
        return next(name for name in names if _differ(_at(expected, name), _at(got, name)))
    if isinstance(expected, list) and isinstance(got, list):
        longest = max(len(expected), len(got))
        return next(index for index in range(longest) if _differ(_at(expected, index), _at(got, index)))
    return None


def _differ(expected: Any, got: Any) -> bool:
    if expected is _NOTHING or got is _NOTHING:
        return expected is not got
    return not json_equal(expected, got)


def _at(value: Any, step: str | int) -> Any:
    if isinstance(value, dict) and isinstance(step, str):
        return value.get(step, _NOTHING)
    if isinstance(value, list) and isinstance(step, int):
        return value[step] if step < len(value) else _NOTHING
    return _NOTHING


def _shown(value: Any) -> str:
    if value is _NOTHING:
        return "nothing"
    text = msgspec.json.encode(value).decode()
    return text if len(text) <= _SHOWN else text[: _SHOWN - 1] + "…"

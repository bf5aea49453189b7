"""Names of a program: what each stands for is worked out when it is first needed, and only once."""

import re
from collections.abc import Collection, Mapping
from typing import Any, NamedTuple

from odyssey.expressions import Expression, Facts, Lazy
from odyssey.records.faults import Faults, shown
from odyssey.simulation.programs.failure import at_place
from odyssey.simulation.programs.template import read_bare

MAX_NAMES = 50

_NAME = re.compile(r"[A-Za-z][A-Za-z0-9_]{0,63}")
_SEEN = ("args", "state", "flags", "calls", "actor")
_WORDS = (
    *("true", "false", "null", "in", "as", "break", "const", "continue", "else", "for", "function", "if"),
    *("import", "let", "loop", "package", "namespace", "return", "var", "void", "while", "has", "type"),
    *("int", "uint", "double", "string", "bytes", "bool", "list", "map", "null_type"),
)


class NamedExpressions(NamedTuple):
    """Expressions by the name they are given."""

    place: str
    expressions: Mapping[str, Expression]

    @property
    def uses_calls(self) -> bool:
        return any(expression.uses_calls for expression in self.expressions.values())

    def define(self, facts: Facts) -> None:
        """Let these facts know the names, which are about the moment of these facts, whoever asks for them later."""
        for name, expression in self.expressions.items():
            facts.define(name, Lazy(at_place(f"{self.place}.{name}", expression.evaluate, facts)))


def read_names(raw: Any, place: str, faults: Faults, *, known: Collection[str] = ()) -> NamedExpressions:
    """Read `{name: expression}`, which may use each other and what is `known`."""
    if not isinstance(raw, dict):
        faults.add(f"must be an object of names and expressions, not {shown(raw)}")
        return NamedExpressions(place, {})
    if len(raw) > MAX_NAMES:
        faults.add(f"has {len(raw)} names; at most {MAX_NAMES} are allowed")
        return NamedExpressions(place, {})
    seen = {*known, *raw}
    expressions: dict[str, Expression] = {}
    for name, text in raw.items():
        check_name(name, faults.at(name))
        expression = read_bare(text, faults.at(name), names=seen)
        if expression is not None:
            expressions[name] = expression
    _check_cycles(expressions, faults)
    return NamedExpressions(place, expressions)


def names_given(raw: Any) -> frozenset[str]:
    """The names that are there, also those whose expressions have faults: one fault is enough for them."""
    return frozenset(raw) if isinstance(raw, dict) else frozenset()


def check_name(name: Any, faults: Faults) -> None:
    if not isinstance(name, str) or not _NAME.fullmatch(name):
        faults.add(f"{shown(name)} is not a name: a letter, then letters, digits or _, at most 64 characters")
    elif name in _SEEN:
        faults.add(f"{name!r} is there already; choose another name")
    elif name in _WORDS:
        faults.add(f"{name!r} is a word of the language of expressions; choose another name")


def _check_cycles(expressions: Mapping[str, Expression], faults: Faults) -> None:
    """Name each cycle once, where it is met first."""
    done: set[str] = set()
    for name in expressions:
        path: list[str] = []
        _follow(name, expressions, path, done, faults)


def _follow(
    name: str, expressions: Mapping[str, Expression], path: list[str], done: set[str], faults: Faults
) -> None:
    if name in path:
        cycle = [*path[path.index(name) :], name]
        faults.at(cycle[0]).add(f"stands on itself: {' → '.join(cycle)}")
    elif name not in done:
        path.append(name)
        for used in sorted(expressions[name].names & expressions.keys()):
            _follow(used, expressions, path, done, faults)
        path.pop()
    done.add(name)

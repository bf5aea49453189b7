"""The names an expression may use: types of the world, and what earlier lines of the same tools call so."""

import re
from collections.abc import Collection, Iterable, Iterator, Sequence

from odyssey.records.faults import did_you_mean, shown
from odyssey.simulation.behaviours.grammar import Problem
from odyssey.simulation.behaviours.scanning import Mark, scan
from odyssey.simulation.behaviours.words import RESERVED, SEEN

ALL = "*"
_WORD = re.compile(r"[A-Za-z_][A-Za-z0-9_]*")
_WALKS = frozenset({"map", "filter", "all", "exists", "exists_one", "existsOne"})


class LineNames:
    """What has been named so far, line by line."""

    def __init__(self, types: Collection[str] | None) -> None:
        self._types = None if types is None else frozenset(types)
        self._lets: dict[str, frozenset[str]] = {}
        """The tools that have a `let` of this name."""
        self._assumed: dict[str, frozenset[str]] = {}
        """With no list of types: the tools whose lines took this name for one."""

    def add_type(self, name: str) -> None:
        """A line that adds the first entity of a type makes the type known."""
        if self._types is not None:
            self._types |= {name}

    def types(self) -> frozenset[str]:
        return self._types or frozenset()

    def is_type(self, name: str) -> bool:
        return name not in SEEN if self._types is None else name in self._types

    def is_let(self, name: str, tools: Collection[str]) -> bool:
        """Whether every one of these tools has a `let` of this name."""
        named = self._lets.get(name, frozenset())
        return ALL in named or (bool(named) and named.issuperset(tools))

    def add_let(self, name: str, tools: Collection[str]) -> None:
        self._lets[name] = self._lets.get(name, frozenset()) | frozenset(tools)

    def let_problem(self, name: str, tools: Collection[str]) -> str | None:
        if name in RESERVED:
            return f"{shown(name)} is a word of the grammar; choose another name"
        if self._types is not None and name in self._types:
            return f"{shown(name)} is a type of this world; choose another name"
        named = self._lets.get(name, frozenset())
        if ALL in named or named.intersection(tools) or (named and ALL in tools):
            return f"{shown(name)} is named already; choose another name"
        assumed = self._assumed.get(name, frozenset())
        if assumed.intersection(tools) or ALL in assumed or (assumed and ALL in tools):
            return f"{shown(name)} is used before it is named"
        return None

    def used_in(self, expression: str, tools: Collection[str]) -> frozenset[str]:
        """The types and lets among its names; with no list of types, any other name is one."""
        names = (mark.text for mark in scan(expression) if mark.kind == "name" and not mark.is_member)
        return self._known_among(names, tools)

    def mentioned_in(self, text: str, tools: Collection[str]) -> frozenset[str]:
        """The same of a text, whose words may stand in the expressions in it."""
        return self._known_among(_WORD.findall(text), tools)

    def problem_in(self, expression: str, tools: Collection[str]) -> Problem | None:
        """The first name that nothing has."""
        marks = scan(expression)
        for name, start in roots(marks).items():
            if name in RESERVED or self._is_known(name, tools):
                continue
            if name in self._lets:
                return Problem(
                    f"{shown(name)} is not a name for every tool of this line",
                    f"it is one for {', '.join(sorted(self._lets[name]))}",
                    start,
                )
            return Problem(f"unknown name {shown(name)}", self._hint(name, tools), start)
        return None

    def _known_among(self, names: Iterable[str], tools: Collection[str]) -> frozenset[str]:
        known = frozenset(name for name in names if self._is_known(name, tools))
        for name in known if self._types is None else ():
            if not self.is_let(name, tools):
                self._assumed[name] = self._assumed.get(name, frozenset()).union(tools)
        return known

    def _is_known(self, name: str, tools: Collection[str]) -> bool:
        return self.is_let(name, tools) or (self.is_type(name) and name not in RESERVED)

    def _hint(self, name: str, tools: Collection[str]) -> str:
        lets = [each for each in self._lets if self.is_let(each, tools)]
        known = [*SEEN, *sorted(self.types() - RESERVED), *lets]
        near = did_you_mean(name, known).removeprefix("; ")
        return near or f"there are {', '.join(known)}; a text stands in quotes"


def roots(marks: Sequence[Mark]) -> dict[str, int]:
    """The variables of an expression with their first places: no members, no functions, no elements of walks."""
    elements = set(_elements(marks))
    found: dict[str, int] = {}
    for position, mark in enumerate(marks):
        is_call = position + 1 < len(marks) and marks[position + 1].text == "("
        if mark.kind == "name" and not mark.is_member and not is_call and mark.text not in elements:
            found.setdefault(mark.text, mark.start)
    return found


def _elements(marks: Sequence[Mark]) -> Iterator[str]:
    for position, mark in enumerate(marks[:-2]):
        if mark.is_member and mark.text in _WALKS and marks[position + 1].text == "(":
            yield marks[position + 2].text

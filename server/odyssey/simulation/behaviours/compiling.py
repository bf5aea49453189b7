"""From a structured rule to the part that is carried out: types checked, names found, expressions compiled."""

import re
from collections.abc import Collection, Mapping, Sequence
from itertools import pairwise
from typing import Any

from odyssey.expressions import Expression, Text, read_expression, read_text
from odyssey.records.faults import Faults, did_you_mean, shown
from odyssey.simulation.behaviours.behaviours import (
    Act,
    Adds,
    Alone,
    Effect,
    FieldWrite,
    FlagWrite,
    Guard,
    Let,
    Part,
    Removes,
    Returns,
)
from odyssey.simulation.behaviours.grammar import LineInvalidError, ParsedLine, Place, Problem
from odyssey.simulation.behaviours.naming import ALL, LineNames
from odyssey.simulation.behaviours.scanning import place_in, scan
from odyssey.simulation.behaviours.words import DEFAULT_CODE

_PLACE = re.compile(r"line \d+, column (\d+): ")
_IN_SIGNS = {"and": "&&", "or": "||", "not": "!", "is": "==", "equals": "==", "than": "< or >"}


def names_for(types: Collection[str] | None, rules: Sequence[Mapping[str, Any]]) -> LineNames:
    """The names that the lines of one text begin with: the types there are, and those that its rules add."""
    names = LineNames(types)
    for rule in rules:
        for name in rule.get("adds", ()):
            names.add_type(name)
    return names


def compile_rule(
    number: int, parsed: ParsedLine, names: LineNames, tools: Collection[str] | None
) -> Part | Problem:
    """Compile one rule of a text. Keep to their order: a line may use the names that lines before it gave."""
    try:
        return _Rule(number, parsed, names, tools).compile()
    except LineInvalidError as error:
        return error.problem


class _Rule:
    def __init__(
        self, line: int, parsed: ParsedLine, names: LineNames, known: Collection[str] | None
    ) -> None:
        self.line = line
        self.rule = parsed.rule
        self.source = parsed.source
        self.starts = parsed.starts
        self.names = names
        self.tools: list[str] = self.rule["tools"]
        self.for_all = ALL in self.tools
        self.known = known

    def compile(self) -> Part:
        self._check_tools()
        match self.rule:
            case {"only_when": _}:
                return self._guard("only_when", "else")
            case {"fails_when": _}:
                return self._guard("fails_when", "with")
            case {"let": let}:
                return self._let(*next(iter(let.items())))
            case {"changes_nothing_else": _}:
                return Alone(self.line)
        when = self._expression(("when",), self.rule["when"]) if "when" in self.rule else None
        if "returns" in self.rule:
            value = self._expression(("returns",), self.rule["returns"])
            return Returns(self.line, when, value, self.for_all)
        return Effect(self.line, when, self._acts(), self.for_all)

    def _check_tools(self) -> None:
        for name in self.tools:
            if name != ALL and self.known is not None and name not in self.known:
                meant = did_you_mean(name, self.known).removeprefix("; ")
                hint = meant or "it is left to a model (no effect without one)"
                raise LineInvalidError(f"no tool is called {shown(name)}", self.starts["tools", name], hint)

    def _guard(self, member: str, text: str) -> Guard:
        condition = self._expression((member,), self.rule[member])
        refusal = self.rule.get(text, {})
        message = self._text((text,), refusal["message"]) if refusal else None
        code = refusal.get("code", DEFAULT_CODE)
        return Guard(self.line, condition, member == "only_when", code, message, self.for_all)

    def _let(self, name: str, value: str) -> Let:
        problem = self.names.let_problem(name, self.tools)
        if problem is not None:
            raise LineInvalidError(problem, self.starts["let",])
        expression = self._expression(("let", name), value)
        self.names.add_let(name, self.tools)
        return Let(self.line, name, expression)

    def _acts(self) -> tuple[Act, ...]:
        match self.rule:
            case {"sets": paths}:
                return tuple(
                    FieldWrite(
                        *self._path("sets", path), self._expression(("sets", path), value), appends=False
                    )
                    for path, value in paths.items()
                )
            case {"appends": paths}:
                ((path, value),) = paths.items()
                target = self._path("appends", path)
                return (FieldWrite(*target, self._expression(("appends", path), value), appends=True),)
            case {"adds": added}:
                ((name, fields),) = added.items()
                self._check_type(name, self.starts["adds", name])
                made = tuple(
                    (field, self._expression(("adds", name, field), value)) for field, value in fields.items()
                )
                return (Adds(name, made),)
            case {"removes": name}:
                self._check_type(name, self.starts["removes",])
                return (Removes(name),)
        member = "sets_flag" if "sets_flag" in self.rule else "clears_flag"
        return (FlagWrite(self._text((member,), self.rule[member]), member == "sets_flag"),)

    def _path(self, member: str, path: str) -> tuple[str, tuple[str, ...]]:
        name, *fields = path.split(".")
        self._check_type(name, self.starts[member, path])
        return name, tuple(fields)

    def _check_type(self, name: str, start: int) -> None:
        if self.names.is_type(name):
            return
        if self.names.is_let(name, self.tools):
            raise LineInvalidError(
                f"{shown(name)} is a name, not a type", start, "only entities can be changed"
            )
        hint = did_you_mean(name, self.names.types()) or f"; it has {', '.join(sorted(self.names.types()))}"
        raise LineInvalidError(f"this world has no type {shown(name)}", start, hint.removeprefix("; "))

    def _expression(self, place: Place, text: str) -> Expression:
        start = self.starts[(*place, "=")]
        unknown = self.names.problem_in(text, self.tools)
        faults = Faults()
        expression = None
        if unknown is None:
            expression = read_expression(text, faults, names=self.names.used_in(text, self.tools))
        if expression is not None:
            return expression
        if unknown is None:
            message = faults.found[0].msg if faults.found else "not an expression"
            column = _PLACE.search(message)
            unknown = Problem(_PLACE.sub("", message), None, int(column[1]) - 1 if column else 0)
        offset = min(unknown.start or 0, len(text))
        place_of_fault = place_in(self.source, start, offset)
        raise LineInvalidError(unknown.message, place_of_fault, _hint(text) or unknown.hint)

    def _text(self, place: Place, text: str) -> Text:
        faults = Faults()
        made = read_text(text, faults, names=self.names.mentioned_in(text, self.tools))
        if made is None:
            message = faults.found[0].msg if faults.found else "the text cannot be read"
            hint = "{…} in a text is an expression; a brace is written {{ or }}"
            raise LineInvalidError(_PLACE.sub("", message), self.starts[(*place, "=")], hint)
        return made


def _hint(text: str) -> str | None:
    """What most likely went wrong where prose was taken for an expression."""
    marks = scan(text)
    if any(mark.text == "=" and mark.kind == "sign" for mark in marks):
        return "write == to compare"
    words = [mark.text.lower() for mark in marks if mark.kind == "name" and not mark.is_member]
    sign = next((word for word in words if word in _IN_SIGNS), None)
    if sign is not None:
        return f"write {_IN_SIGNS[sign]} in place of {sign!r}; a text stands in quotes"
    if any(
        one.kind == "name" == two.kind and "in" not in (one.text, two.text) for one, two in pairwise(marks)
    ):
        return 'write an expression, such as order.status == "pending"; a text stands in quotes'
    return "leave out the full stop at the end" if text.endswith(".") else None

"""Behaviour instructions, given as text or as structured rules: what each line means, or why it means nothing here."""

from collections.abc import Collection, Sequence
from functools import lru_cache
from typing import Any, NamedTuple

from odyssey.records.faults import Faults, shown
from odyssey.records.problems import FieldError
from odyssey.simulation.behaviours.behaviours import EMPTY, Behaviours, Part, tools_named
from odyssey.simulation.behaviours.compiling import compile_rule, names_for
from odyssey.simulation.behaviours.grammar import ParsedLine, Problem, parse_line
from odyssey.simulation.behaviours.rules import read_rule
from odyssey.simulation.behaviours.scanning import LogicalLine, split_lines
from odyssey.simulation.behaviours.words import render_rule

MAX_LINES = 500
MAX_BYTES = 64 * 1024

_FIELD = "behavior_instructions"
_MAX_FAULTS = 100
_KEPT = 128
_MOST_WRITTEN = 4 * MAX_BYTES
"""How large a list of rules may be written; as lines they are shorter."""


class Line(NamedTuple):
    number: int
    text: str
    rule: dict[str, Any] | None
    problem: str | None = None
    hint: str | None = None
    column: int | None = None
    """In `text`, counted from 1."""


class BehaviourReading(NamedTuple):
    text: str
    lines: tuple[Line, ...]
    behaviours: Behaviours
    errors: list[FieldError]
    """Of a value that is neither a text nor a list of rules; a line that is not understood is none."""


def read_behaviours(
    raw: Any, *, tools: Collection[str] | None = None, types: Collection[str] | None = None
) -> BehaviourReading:
    """Read a text or a list of rules. Without `tools` or `types`, any name may be one of them.

    A world that has no types yet may get any, so no types are as good as none given.
    """
    if raw is None:
        return BehaviourReading("", (), EMPTY, [])
    if isinstance(raw, list):
        return _read_rules(raw, tools, types)
    faults = Faults(_FIELD)
    if not isinstance(raw, str):
        faults.add(f"must be a text of lines or a list of rules, not {shown(raw)}")
        return BehaviourReading("", (), EMPTY, faults.found)
    return _read_text(raw, tools, types)


def _read_text(text: str, tools: Collection[str] | None, types: Collection[str] | None) -> BehaviourReading:
    read = _read_once(text, None if tools is None else frozenset(tools), frozenset(types or ()) or None)
    return read._replace(errors=list(read.errors))


@lru_cache(maxsize=_KEPT)
def _read_once(text: str, tools: frozenset[str] | None, types: frozenset[str] | None) -> BehaviourReading:
    faults = Faults(_FIELD)
    logical = _check_size(text, faults)
    if faults.found:
        return BehaviourReading(text, (), Behaviours(text, (), (frozenset(),)), faults.found)
    parsed = [parse_line(line.source, tools) for line in logical]
    names = names_for(types, [each.rule for each in parsed if isinstance(each, ParsedLine)])
    lines: list[Line] = []
    clear: list[tuple[frozenset[str], Part]] = []
    unclear: list[frozenset[str]] = []
    for line, each in zip(logical, parsed, strict=True):
        made = compile_rule(line.number, each, names, tools) if isinstance(each, ParsedLine) else each
        rule = each.rule if isinstance(each, ParsedLine) else None
        if isinstance(made, Problem):
            lines.append(_not_understood(line, made))
            unclear.append(tools_named(line.source, rule, tools))
        else:
            lines.append(Line(line.number, line.text, rule))
            clear.append((frozenset(rule["tools"] if rule else ()), made))
    return BehaviourReading(text, tuple(lines), Behaviours(text, tuple(clear), tuple(unclear)), [])


def _check_size(text: str, faults: Faults) -> Sequence[LogicalLine]:
    size = len(text.encode("utf-8", "surrogatepass"))
    if size > MAX_BYTES:
        faults.add(f"has {size} bytes; at most {MAX_BYTES} are read")
        return []
    if "\0" in text:
        faults.add("must not contain the NUL character")
    lines = split_lines(text)
    if len(lines) > MAX_LINES:
        faults.add(f"has {len(lines)} lines; at most {MAX_LINES} are read")
    return lines


def _not_understood(line: LogicalLine, problem: Problem) -> Line:
    column = None if problem.start is None else problem.start + 1
    return Line(line.number, line.text, None, problem.message, problem.hint, column)


def _read_rules(
    raw: list[Any], tools: Collection[str] | None, types: Collection[str] | None
) -> BehaviourReading:
    """Rules must be right whatever the tools and types are; whether those are known is asked as of lines."""
    faults = Faults(_FIELD, limit=_MAX_FAULTS)
    if len(raw) > MAX_LINES:
        faults.add(f"has {len(raw)} rules; at most {MAX_LINES} are read")
    elif len(repr(raw)) > _MOST_WRITTEN:
        faults.add(f"is too large; rules may come to {MAX_BYTES} bytes of lines")
    if faults.found:
        return BehaviourReading("", (), EMPTY, faults.found)
    rules = [read_rule(item, faults.at(index)) for index, item in enumerate(raw)]
    if faults.found:
        return BehaviourReading("", (), EMPTY, faults.found)
    text = "\n".join(render_rule(rule) for rule in rules if rule is not None)
    anywhere = _read_text(text, None, None)
    for index, line in enumerate(anywhere.lines):
        if line.problem is not None:
            hint = f"; {line.hint}" if line.hint else ""
            faults.add(f"{line.problem}{hint}", index)
    errors = [*anywhere.errors, *faults.found]
    return BehaviourReading("", (), EMPTY, errors) if errors else _read_text(text, tools, types)

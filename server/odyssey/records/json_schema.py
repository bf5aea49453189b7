"""JSON Schemas of strangers, compiled once: no network, no backtracking, no bombs."""

import re
from collections.abc import Iterable, Iterator
from itertools import islice, product
from typing import Any

import jsonschema_rs

from odyssey.records.canonical import canonical_json
from odyssey.records.patterns import MOST_WORK, SIZES, PatternWork, pattern_options
from odyssey.records.problems import FieldError
from odyssey.records.schema_graph import SchemaGraph, SchemaInvalidError, SchemaNode

__all__ = ["MAX_SCHEMA_BYTES", "CompiledSchema", "SchemaInvalidError", "compile_schema"]

MAX_SCHEMA_BYTES = 64 * 1024

_MAX_MESSAGE = 200
_KINDS = {
    dict: "an object",
    list: "an array",
    str: "a string",
    int: "a number",
    float: "a number",
    type(None): "null",
}
_JSON_TYPES = "string, number, integer, boolean, object, array or null"
_PATTERNS = pattern_options(SIZES[-1])
_LOOK_AROUND = re.compile(r"\(\?<?[=!]")
_BACKREFERENCE = re.compile(r"\\[1-9]|\\k<|\(\?P=")
# ValidationError, UnicodeEncodeError and "recursion limit reached" are ValueErrors too.
_REFUSALS = (ValueError, TypeError, OverflowError, RecursionError, jsonschema_rs.ReferencingError)

# Above these the library's error report, not its verdict, takes seconds and gigabytes or overflows the stack.
_MAX_REPORT_COST = 100_000
_MAX_REPORT_PAIRS = 20_000
_MAX_REPORT_DEPTH = 250
_CHARACTERS_PER_COST = 40
_PASSES_OF_REPORT = 3
"""How often a report matches each pattern."""

# A verdict looks at a value's nodes at most this often in all; about a second of work.
_MAX_VISITS = 50_000_000
_ALWAYS_CHEAP = 64


class CompiledSchema:
    """A schema that passed every check; its verdict on any JSON value is quick."""

    def __init__(self, schema: dict[str, Any] | bool) -> None:
        self._graph = SchemaGraph(schema) if isinstance(schema, dict) else SchemaGraph({})
        self._patterns = PatternWork(self._graph.nodes, self._graph.root, _steps)
        self._validator = _validator(schema)
        self._is_plain = not any(node.is_choice for node in self._graph.nodes)

    def is_valid(self, value: Any) -> bool:
        try:
            if self._is_too_much(value) or self._patterns.is_too_much(value):
                return False
            return self._validator.is_valid(value)
        except _REFUSALS:
            return False

    def errors(self, value: Any, limit: int = 20) -> list[FieldError]:
        """Say what is wrong with a value, and where; empty when it fits."""
        if self.is_valid(value):
            return []
        try:
            return self._report(value, limit) or [_unplaced(value)]
        except _REFUSALS as error:
            return [FieldError((), _shorten(f"cannot be checked: {error}"))]

    def _report(self, value: Any, limit: int) -> list[FieldError]:
        if self._is_too_much(value):
            return [
                FieldError(
                    (), "too large a value for a schema this complex; send less or simplify the schema"
                )
            ]
        if self._patterns.is_too_much(value):
            return [
                FieldError(
                    (), "too much text for the patterns of the schema; send less, or write simpler patterns"
                )
            ]
        if self._patterns.is_too_much(value, MOST_WORK // _PASSES_OF_REPORT):
            return []
        cost = _ReportCost(self._graph.nodes)
        whole = cost.of(self._graph.root, value)
        if whole <= _MAX_REPORT_COST:
            return [_field_error(error) for error in islice(self._validator.iter_errors(value), limit)]
        # The first error alone is cheap to report unless a choice must explain all its branches.
        if self._is_plain or (not cost.is_exhausted and cost.worst_choice <= _MAX_REPORT_COST):
            return [self._first_error(value)]
        return []

    def _first_error(self, value: Any) -> FieldError:
        try:
            self._validator.validate(value)
        except jsonschema_rs.ValidationError as error:
            return _field_error(error)
        return _unplaced(value)

    def _is_too_much(self, value: Any) -> bool:
        repeats = self._graph.expansions_in_place
        return repeats > _ALWAYS_CHEAP and repeats * _weigh(value) > _MAX_VISITS


class _TooInvolvedError(Exception):
    """Even the estimate takes too long."""


class _ReportCost:
    """An upper bound of what reporting every error of a value takes, from pairs of subschema and value.

    Each visit of a subschema can copy the value it looks at and the path that led there, once per choice
    around it.
    """

    def __init__(self, nodes: list[SchemaNode]) -> None:
        self._nodes = nodes
        self._known: dict[tuple[int, int], tuple[int, int]] = {}
        self._sizes: dict[int, int] = {}
        self.worst_choice = 0
        self.is_exhausted = False

    def of(self, index: int, value: Any) -> int:
        try:
            return sum(self._of(index, value, 0))
        except _TooInvolvedError:
            self.is_exhausted = True
            return _MAX_REPORT_COST + 1

    def _of(self, index: int, value: Any, depth: int) -> tuple[int, int]:
        key = (index, id(value))
        known = self._known.get(key)
        if known is not None:
            return known
        if depth > _MAX_REPORT_DEPTH or len(self._known) > _MAX_REPORT_PAIRS:
            raise _TooInvolvedError
        visits, cost = 1, self._size(value, 0) // _CHARACTERS_PER_COST
        for child, part in _steps(self._nodes[index], value):
            more_visits, more_cost = self._of(child, part, depth + 1)
            visits += more_visits
            cost += more_visits + more_cost
        if self._nodes[index].is_choice:
            self.worst_choice = max(self.worst_choice, cost)
        self._known[key] = visits, cost
        return visits, cost

    def _size(self, value: Any, depth: int) -> int:
        if isinstance(value, str):
            return len(value)
        if not isinstance(value, dict | list) or not value:
            return 1
        known = self._sizes.get(id(value))
        if known is None:
            if depth > _MAX_REPORT_DEPTH or len(value) > _MAX_REPORT_PAIRS:
                raise _TooInvolvedError
            known = 1 + sum(self._size(part, depth + 1) for part in _parts(value))
            if isinstance(value, dict):
                known += sum(map(len, value))
            self._sizes[id(value)] = known
        return known


def compile_schema(schema: Any) -> CompiledSchema:
    """Check and compile a schema; drafts 4, 6, 7, 2019-09 and 2020-12 (the default) are understood."""
    if not isinstance(schema, dict | bool):
        raise SchemaInvalidError(f"a JSON Schema is an object (or true or false), not {_kind(schema)}")
    try:
        size = len(canonical_json(schema))
    except RecursionError:
        raise SchemaInvalidError("schema nested too deep") from None
    except (TypeError, ValueError) as error:
        raise SchemaInvalidError(f"schema is not JSON: {_shorten(str(error))}") from None
    if size > MAX_SCHEMA_BYTES:
        raise SchemaInvalidError(f"schema is {size} bytes long; at most {MAX_SCHEMA_BYTES} are allowed")
    return CompiledSchema(schema)


def _validator(schema: dict[str, Any] | bool) -> jsonschema_rs.Validator:
    if isinstance(schema, dict):
        # The document's own name is of no use; the name of a meta-schema would redirect local references.
        schema = {keyword: value for keyword, value in schema.items() if keyword not in ("$id", "id")}
    try:
        return jsonschema_rs.validator_for(schema, offline=True, pattern_options=_PATTERNS)
    except jsonschema_rs.ValidationError as error:
        raise SchemaInvalidError(_describe_fault(error)) from None
    except _REFUSALS as error:
        raise SchemaInvalidError(f"schema cannot be used: {_shorten(str(error))}") from None


def _describe_fault(error: jsonschema_rs.ValidationError) -> str:
    """Say what the meta-schema or the regex engine objects to."""
    path = list(error.instance_path)
    where = f" at {_shorten('/'.join(map(str, path)))!r}" if path else ""
    if "regex" in error.message and error.message.endswith('is not a "regex"'):
        pattern = str(error.instance)
        return _shorten(f"pattern {_shorten(pattern)!r} cannot be used{where}: {_regex_fault(pattern)}", 400)
    if path and path[-1] == "type":
        return f"schema has an unknown type {_shorten(repr(error.instance))}{where}; use {_JSON_TYPES}"
    return f"schema is not valid{where}: {_shorten(error.message)}"


def _regex_fault(pattern: str) -> str:
    if _LOOK_AROUND.search(pattern):
        return (
            "look-around, such as (?=…) or (?<!…), is not supported, because matching it may take for ever; write"
            ' two patterns instead, in allOf, and in "not" for what must not match'
        )
    if _BACKREFERENCE.search(pattern):
        return "backreferences, such as \\1, are not supported, because matching them may take for ever"
    return "it is no regular expression, or too large"


def _field_error(error: jsonschema_rs.ValidationError) -> FieldError:
    message = _shorten(error.message)
    kind = error.kind
    if isinstance(
        kind, jsonschema_rs.ValidationErrorKind.AnyOf | jsonschema_rs.ValidationErrorKind.OneOfNotValid
    ):
        reasons = dict.fromkeys(_shorten(branch[0].message, 80) for branch in kind.context[:4] if branch)
        if reasons:
            message = _shorten("fits none of the alternatives: " + "; or ".join(reasons), 400)
    return FieldError(tuple(error.instance_path), message)


def _unplaced(value: Any) -> FieldError:
    return FieldError((), f"{_kind(value)} that does not fit its schema, and is too involved to say where")


def _kind(value: Any) -> str:
    return _KINDS.get(type(value), "a value")


def _shorten(text: str, limit: int = _MAX_MESSAGE) -> str:
    """Cut the middle out: the value stands at the front of a message and the reason at its end."""
    if len(text) <= limit:
        return text
    return text[: limit // 3] + " … " + text[-(limit - limit // 3 - 3) :]


def _steps(node: SchemaNode, value: Any) -> Iterator[tuple[int, Any]]:
    for child in node.in_place():
        yield child, value
    if isinstance(value, dict):
        for name in node.members.keys() & value.keys():
            yield node.members[name], value[name]
        yield from product(node.every_member, value.values())
    elif isinstance(value, list):
        yield from zip(node.items, value, strict=False)
        yield from product(node.every_item, value)


def _parts(value: Any) -> Iterable[Any]:
    return value.values() if isinstance(value, dict) else value if isinstance(value, list) else ()


def _weigh(value: Any) -> int:
    """Count the nodes of a value; a long string counts for as many as a pattern on it takes."""
    count, pending = 0, [value]
    while pending:
        part = pending.pop()
        count += 1 + len(part) // 16 if isinstance(part, str) else 1
        pending.extend(_parts(part))
    return count

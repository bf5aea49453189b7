"""Whole schemas from parts of a document: what they refer to stands in their own `$defs`, as far as it may."""

import re
from collections import deque
from collections.abc import Iterator
from typing import Any, Literal, NamedTuple

import msgspec

from odyssey.endpoints.openapi.conversion import convert, is_scalar
from odyssey.endpoints.openapi.references import Effort, References
from odyssey.records.json_schema import SchemaInvalidError, compile_schema

_NOT_IN_NAME = re.compile(r"[^A-Za-z0-9._-]+")
_PREFIX = "#/$defs/"
_MOST_DEFINITIONS = (1000, 32, 8, 2, 0)
_LONGEST_PATTERN = 1000
_COST_OF_PATTERN = 4096

Direction = Literal["request", "response"]
_IGNORED: dict[Direction, str] = {"request": "readOnly", "response": "writeOnly"}


class SchemaDefinition(NamedTuple):
    schema: dict[str, Any] | bool
    refers_to: tuple[str, ...]
    size: int


Whole = tuple[dict[str, Any], bool]
"""A schema that compiles by itself, and whether it is loose: admits more than the document says."""


class Definitions:
    """The schemas of one document in one direction, each converted once."""

    def __init__(
        self, references: References, effort: Effort, *, siblings: bool, direction: Direction, max_bytes: int
    ) -> None:
        self._references = references
        self._effort = effort
        self._siblings = siblings
        self._ignored = _IGNORED[direction]
        self._max_bytes = max_bytes
        self._names: dict[str, str] = {}
        self._pointers: dict[str, str] = {}
        self._numbers: dict[str, int] = {}
        self._patterns: dict[str, bool] = {}
        self._converted: dict[int, tuple[Any, dict[str, Any] | bool]] = {}
        self._made: dict[str, SchemaDefinition] = {}
        self._whole: dict[bytes, Whole | None] = {}
        self.broken: dict[str, None] = {}
        """References that lead nowhere."""
        self.is_cut = False
        """A part was too large to stand anywhere, or one too many to go through."""

    def convert(self, raw: Any) -> dict[str, Any] | bool:
        """A part of a schema; its references are for `complete` to fill in."""
        known = self._converted.get(id(raw))
        if known is None:
            known = self._converted[id(raw)] = (
                raw,
                self._convert(raw),
            )  # kept alive, or its id would be another's
        return known[1]

    def _convert(self, raw: Any) -> dict[str, Any] | bool:
        if not self._effort.allows(raw):
            self.is_cut = True
            return {}
        made = convert(raw, self._refer, self._is_pattern, siblings=self._siblings, ignored=self._ignored)
        if isinstance(made, bool) or len(msgspec.json.encode(made)) <= self._max_bytes:
            return made
        self.is_cut = True
        outline = _outline(made)
        return outline if len(msgspec.json.encode(outline)) <= self._max_bytes else _shell(made)

    def _is_pattern(self, pattern: str) -> bool:
        known = self._patterns.get(pattern)
        if known is None:
            known = self._patterns[pattern] = (
                len(pattern) <= _LONGEST_PATTERN
                and self._effort.spend(_COST_OF_PATTERN)
                and _compiles({"pattern": pattern})
            )
        return known

    def complete(self, schema: dict[str, Any]) -> Whole | None:
        """Add the definitions a schema needs, fewer if it would not compile; None if it never does."""
        key = msgspec.json.encode(schema)
        if key not in self._whole:
            self._whole[key] = next(self._compiling(schema, len(key)), None)
        return self._whole[key]

    def _compiling(self, schema: dict[str, Any], size: int) -> Iterator[Whole]:
        for candidate in self._candidates(schema, self._max_bytes - size):
            if _compiles(candidate[0]):
                yield candidate

    def _candidates(self, schema: dict[str, Any], room: int) -> Iterator[Whole]:
        """From the whole to the outline: the definitions that are furthest from the top are given up first."""
        if room > 0:
            refers_to = self._referred(schema)
            for most in _MOST_DEFINITIONS if refers_to else (0,):
                if self._effort.spend(self._max_bytes // 4):
                    yield self._with_definitions(schema, refers_to, room, most)
        outline = _outline(schema)
        if len(msgspec.json.encode(outline)) <= self._max_bytes:
            yield outline, True

    def _with_definitions(
        self, schema: dict[str, Any], refers_to: tuple[str, ...], room: int, most: int
    ) -> Whole:
        taken: dict[str, Any] = {}
        is_loose = False
        pending = deque(refers_to)
        while pending:
            name = pending.popleft()
            if name in taken:
                continue
            definition = self._definition(name)
            if definition.size > room or len(taken) >= most:
                taken[name] = _shell(definition.schema)
                is_loose = True
                continue
            room -= definition.size
            taken[name] = definition.schema
            pending.extend(definition.refers_to)
        whole = {**schema, "$defs": {name: taken[name] for name in sorted(taken)}} if taken else schema
        return whole, is_loose

    def _refer(self, reference: str) -> dict[str, Any] | bool:
        name = self._names.get(reference)
        if name is None:
            target = self._references.target(reference)
            if not isinstance(target, dict | bool):
                self.broken[reference] = None
                return {}
            if is_scalar(target):
                return self.convert(target)
            name = self._new_name(reference)
        return {"$ref": _PREFIX + name}

    def _new_name(self, reference: str) -> str:
        wanted = _NOT_IN_NAME.sub("_", reference.rpartition("/")[2])[:64].strip("_") or "schema"
        name = wanted
        while name in self._pointers:
            self._numbers[wanted] = self._numbers.get(wanted, 1) + 1
            name = f"{wanted}_{self._numbers[wanted]}"
        self._names[reference], self._pointers[name] = name, reference
        return name

    def _definition(self, name: str) -> SchemaDefinition:
        known = self._made.get(name)
        if known is None:
            schema = self.convert(self._references.target(self._pointers[name]))
            known = SchemaDefinition(
                schema, self._referred(schema), len(msgspec.json.encode(schema)) + len(name)
            )
            self._made[name] = known
        return known

    def _referred(self, schema: Any) -> tuple[str, ...]:
        """Names of the definitions a converted schema needs, in the order of their first use."""
        found: dict[str, None] = {}
        pending = [schema]
        while pending:
            value = pending.pop()
            if isinstance(value, dict):
                reference = value.get("$ref")
                if isinstance(reference, str):
                    found[reference.removeprefix(_PREFIX)] = None
                pending.extend(reversed(value.values()))
            elif isinstance(value, list):
                pending.extend(reversed(value))
        # An example may hold a `$ref` that is data.
        return tuple(name for name in found if name in self._pointers)


def _compiles(schema: dict[str, Any]) -> bool:
    try:
        compile_schema(schema)
    except SchemaInvalidError:
        return False
    return True


def _shell(schema: Any) -> dict[str, Any]:
    """What is left of a definition there is no room for."""
    return {"type": schema["type"]} if isinstance(schema, dict) and "type" in schema else {}


def _outline(schema: dict[str, Any]) -> dict[str, Any]:
    """The names at the top of a schema and their types."""
    made: dict[str, Any] = {
        key: schema[key] for key in ("type", "required", "additionalProperties") if key in schema
    }
    if isinstance(made.get("additionalProperties"), dict):
        del made["additionalProperties"]
    if isinstance(schema.get("properties"), dict):
        made["properties"] = {name: _shell(part) for name, part in schema["properties"].items()}
    return made

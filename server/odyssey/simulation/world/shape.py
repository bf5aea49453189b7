"""Giving an answer the shape the tool promised, changing nothing that already has it."""

from collections.abc import Iterable, Mapping
from functools import lru_cache
from typing import Any, NamedTuple

import msgspec

from odyssey.kit.words import same_name, same_noun, stem, tokens
from odyssey.records.json_schema import CompiledSchema, SchemaInvalidError, compile_schema
from odyssey.records.smallest import smallest_value
from odyssey.records.tools import JsonSchema

_OF_THE_DOCUMENT = ("$schema", "$defs", "definitions")
SECRETS = frozenset({"password", "pin", "passcode", "passphrase", "secret", "token", "pwd"})
"""What no back end tells."""
_SCALARS = frozenset({"string", "number", "integer", "boolean", "null"})
_COUNTS = frozenset({"total", "count"})
_OF_COUNTS = _COUNTS | {"number", "of", "results", "items", "matches", "found"}
_SUCCESS = frozenset({"success", "successful", "succeeded", "ok"})
_MAX_REFERENCES = 32
_MAX_WRAPS = 3
# Branches inside branches multiply: a schema of a few lines could keep the event loop busy for long.
_MAX_TRIALS = 500


class FillSources(NamedTuple):
    """What may fill a property the schema requires and the entity does not have."""

    noun: str
    arguments: Mapping[str, Any]
    identity: Mapping[str, Any] = {}
    word: str = ""
    """The verb that succeeded, for properties such as `deleted`; empty when nothing was done."""
    facts: Mapping[str, Any] = {}
    """What is true of the answer as a whole, such as how many there are on all pages."""


_NOTHING = FillSources(noun="", arguments={})


def fits(value: Any, schema: JsonSchema | None) -> bool:
    return schema is None or _compiled(msgspec.json.encode(schema)).is_valid(value)


# The order {"order_id": "o-1", "total": 20} after `close_order`, for a tool that promises an object with an `order`, a
# boolean `closed` and a text `note`, becomes {"order": {"order_id": "o-1", "total": 20}, "closed": true, "note": ""}:
# the entity goes where its noun is, `closed` is true because that was just done, and nobody knows a note. So the
# smallest text is invented, and the answer is less certain.
def fit(value: Any, schema: JsonSchema | None, known: FillSources) -> tuple[Any, bool]:
    """The value in the shape of the schema, and whether it holds anything that neither world nor call knows."""
    if schema is None:
        return _without_secrets(value), False
    value = _excerpt(value, schema, schema)
    if fits(value, schema) and not (known.word and _is_about_something_else(value, schema)):
        return value, False
    shaper = _Shaper(schema, known)
    return shaper.shape(value, schema), shaper.invented


def is_loose(value: Any, schema: JsonSchema | None) -> bool:
    """Whether an answer has members that its schema does not name: at the top, in parts, in the items of lists."""
    return schema is not None and _is_loose(value, schema, schema, _MAX_WRAPS)


def _is_loose(value: Any, schema: Any, root: JsonSchema, depth: int) -> bool:
    reference = schema.get("$ref") if isinstance(schema, dict) else None
    schema = _follow(root, reference) if isinstance(reference, str) else schema
    if not isinstance(schema, dict) or not depth:
        return False
    if isinstance(value, list):
        return bool(value) and _is_loose(value[0], schema.get("items"), root, depth - 1)
    properties = _properties(schema)
    if not isinstance(value, dict) or not properties:
        return False
    return any(
        name not in properties or _is_loose(item, properties[name], root, depth - 1)
        for name, item in value.items()
    )


def _excerpt(value: Any, schema: Any, root: JsonSchema) -> Any:
    """Leave out what the schema does not name, where it names only a small part of what is known."""
    # {"order_id": "o-1", "status": "open", "total": 20, "note": "", "placed": "2024-05-01"} for a tool that promises
    # order_id and status is cut down to these two. Where it names none of the members, or most, all stay: whoever
    # names most of them has forgotten a few. A password is never meant.
    reference = schema.get("$ref") if isinstance(schema, dict) else None
    schema = _follow(root, reference) if isinstance(reference, str) else schema
    if not isinstance(schema, dict):
        return value
    if isinstance(value, list):
        items = schema.get("items")
        return [_excerpt(item, items, root) for item in value] if isinstance(items, dict) else value
    properties = _properties(schema)
    if not isinstance(value, dict) or not properties or schema.get("additionalProperties"):
        return value
    if "name" in properties and "name" not in value and {"first_name", "last_name"} <= value.keys():
        value = {**value, "name": f"{value['first_name']} {value['last_name']}"}
    record = _record_meant(value, properties)
    if record is not None:
        return record
    beside = [name for name in value if name not in properties]
    is_excerpt = len(beside) > len(value) - len(beside) > 0 and _is_whole(schema)
    if not is_excerpt:
        return _without_secrets({**value}, properties)
    return {name: item for name, item in value.items() if name not in beside}


def _is_whole(schema: JsonSchema) -> bool:
    """Whether a schema describes all that it demands: whoever demands more has described a part."""
    required = schema.get("required")
    return not isinstance(required, list) or set(required) <= _properties(schema).keys()


def _record_meant(value: dict[str, Any], properties: Mapping[str, Any]) -> dict[str, Any] | None:
    """The record of an entity that a schema describes: the climate of a car, for what sets the climate."""
    if any(_is_named(name, properties) for name in value):
        return None
    records = [each for each in value.values() if isinstance(each, dict) and each.keys() & properties.keys()]
    return records[0] if len(records) == 1 and records[0].keys() >= properties.keys() else None


def _is_about_something_else(value: Any, schema: JsonSchema) -> bool:
    """Whether a schema names nothing of an entity and has no place for one: `{"success": true}`."""
    properties = _properties(schema)
    if not isinstance(value, dict) or not properties or schema.get("additionalProperties"):
        return False
    types = [_type_of(each) if isinstance(each, dict) else None for each in properties.values()]
    return set(types) <= _SCALARS and not any(_is_named(name, properties) for name in value)


def _is_named(name: str, properties: Mapping[str, Any]) -> bool:
    return any(same_name(name, each) for each in properties)


def _without_secrets(value: Any, named: Iterable[str] = ()) -> Any:
    """Leave out what no back end tells: a password is never meant, unless a schema names it."""
    if isinstance(value, list):
        return [_without_secrets(each, named) for each in value]
    if not isinstance(value, dict):
        return value
    secret = [name for name in value if name not in named and not SECRETS.isdisjoint(tokens(name))]
    return {name: item for name, item in value.items() if name not in secret} if secret else value


@lru_cache(maxsize=512)
def _compiled(schema: bytes) -> CompiledSchema:
    return compile_schema(msgspec.json.decode(schema))


class _Shaper:
    def __init__(self, root: JsonSchema, known: FillSources) -> None:
        self.root = root
        self.known = known
        self.invented = False
        self.total: int | None = None
        self.trials = 0

    def shape(self, value: Any, schema: Any, wraps: int = _MAX_WRAPS) -> Any:
        """`wraps` bounds the steps into the schema that take none into the value; recursion has no end else."""
        schema = self._resolve(schema)
        if not wraps:
            return value
        branches = schema.get("anyOf") or schema.get("oneOf")
        if isinstance(branches, list):
            return self._first_that_fits(value, schema, branches, wraps)
        kind = _type_of(schema)
        if kind == "object" and isinstance(value, dict):
            return self._object(value, schema, wraps)
        if kind == "object" and isinstance(value, list):
            return self._object_around_list(value, schema, wraps)
        if kind == "array" and isinstance(value, list):
            return [self._shape_item(item, schema.get("items")) for item in value]
        if kind == "array":
            only = _only_list(value)
            if only is not None and self._fits(only, schema):
                return only
            return [self.shape(value, schema.get("items"), wraps - 1)]
        return self._scalar(schema) if kind and isinstance(value, dict | list) else value

    def _first_that_fits(self, value: Any, schema: JsonSchema, branches: list[Any], wraps: int) -> Any:
        self.trials += 1
        if self.trials > _MAX_TRIALS or self._fits(value, schema):
            return value
        invented = self.invented  # what a branch invents counts only if that branch is taken
        kind = "object" if isinstance(value, dict) else "array" if isinstance(value, list) else None
        for branch in sorted(branches, key=lambda each: _type_of(self._resolve(each)) != kind):
            self.invented = invented
            shaped = self.shape(value, branch, wraps - 1)
            if self._fits(shaped, schema):
                return shaped
        self.invented = invented
        return value

    def _object(self, entity: dict[str, Any], schema: JsonSchema, wraps: int) -> dict[str, Any]:
        properties = _properties(schema)
        carrier = self._carrier(entity, properties)
        if carrier is not None:
            shaped = {carrier: self.shape(entity, properties[carrier], wraps - 1)}
        elif self.known.word and _is_about_something_else(entity, schema):
            facts = {name: self._facts(name) for name in properties}
            shaped = {name: next(iter(found.values())) for name, found in facts.items() if found}
            shaped = {name: value for name, value in shaped.items() if self._fits(value, properties[name])}
        else:
            shaped = {name: self._shape_inside(item, properties.get(name)) for name, item in entity.items()}
            if schema.get("additionalProperties") is False:
                shaped = {name: item for name, item in shaped.items() if name in properties}
        return self._complete(shaped, schema, entity)

    def _shape_inside(self, value: Any, schema: Any) -> Any:
        """Shape a part of an entity: what is known of the entity says nothing about its parts."""
        inner = _Shaper(self.root, _NOTHING)
        inner.trials = self.trials
        shaped = inner.shape(value, schema)
        self.trials = inner.trials
        self.invented = self.invented or inner.invented
        return shaped

    def _shape_item(self, value: Any, schema: Any) -> Any:
        """Shape one of several: what the caller looked for is no member of what was found."""
        known, self.known = self.known, self.known._replace(arguments={})
        try:
            return self.shape(_excerpt(value, schema, self.root), schema)
        finally:
            self.known = known

    def _object_around_list(self, items: list[Any], schema: JsonSchema, wraps: int) -> dict[str, Any]:
        properties = _properties(schema)
        arrays = [name for name, each in properties.items() if _type_of(self._resolve(each)) == "array"]
        named = [name for name in arrays if self._is_named_after_entity(name)]
        carrier = next(iter(named or arrays), None)
        if carrier is None:
            first = items[0] if items and isinstance(items[0], dict) else {}
            return self._object(first, schema, wraps)
        self.total = len(items)
        return self._complete({carrier: self.shape(items, properties[carrier], wraps - 1)}, schema, {})

    def _carrier(self, entity: dict[str, Any], properties: Mapping[str, Any]) -> str | None:
        """The property the whole entity belongs into, when the schema is an envelope and no entity."""
        if self.known is _NOTHING:
            return None
        holders = [
            name
            for name, each in properties.items()
            if name not in entity and _type_of(self._resolve(each)) in ("object", "array")
        ]
        named = [name for name in holders if self._is_named_after_entity(name)]
        if named:
            return named[0]
        is_flat = any(same_name(name, field) for name in properties for field in entity)
        return holders[0] if len(holders) == 1 and not is_flat else None

    def _is_named_after_entity(self, name: str) -> bool:
        words, noun = tokens(name), tokens(self.known.noun)
        return bool(words and noun) and same_noun(words[-1], noun[-1])

    def _complete(self, shaped: dict[str, Any], schema: JsonSchema, entity: dict[str, Any]) -> dict[str, Any]:
        properties = _properties(schema)
        required = schema.get("required")
        for name in required if isinstance(required, list) else ():
            if name not in shaped:
                shaped[name] = self._fill(name, properties.get(name, {}), entity)
        return shaped

    def _fill(self, name: str, schema: Any, entity: dict[str, Any]) -> Any:
        only = _only_list(entity) if self._is_named_after_entity(name) else None
        if only is not None and self._fits(only, schema):
            return only
        for source in (self.known.arguments, entity, self.known.identity, self._facts(name)):
            for candidate, value in source.items():
                if same_name(candidate, name) and self._fits(value, schema):
                    return value
        self.invented = True
        return smallest_value(self._within_root(schema))

    def _facts(self, name: str) -> dict[str, Any]:
        """What is true of the answer itself: how many there are, that it was done."""
        words = tokens(name)
        for fact, value in self.known.facts.items():
            if same_name(fact, name):
                return {name: value}
        others = [word for word in words if word not in _OF_COUNTS]
        is_count = bool(_COUNTS.intersection(words)) and all(
            same_noun(word, noun) for word in others for noun in tokens(self.known.noun)[-1:]
        )
        if self.total is not None and is_count:
            return {name: self.total}
        word = self.known.word
        if word and any(part in _SUCCESS or stem(part) == stem(word) for part in words):
            return {name: True}
        return {}

    def _scalar(self, schema: JsonSchema) -> Any:
        done = [True] if self.known.word else []
        for value in (*self.known.identity.values(), *done):
            if self._fits(value, schema):
                return value
        self.invented = True
        return smallest_value(self._within_root(schema))

    def _fits(self, value: Any, schema: Any) -> bool:
        try:
            return _compiled(msgspec.json.encode(self._within_root(schema))).is_valid(value)
        except SchemaInvalidError:
            return False

    def _within_root(self, schema: Any) -> Any:
        """The part of the schema as a document of its own, with the definitions it may refer to."""
        if not isinstance(schema, dict):
            return schema
        return {**{name: self.root[name] for name in _OF_THE_DOCUMENT if name in self.root}, **schema}

    def _resolve(self, schema: Any) -> JsonSchema:
        for _ in range(_MAX_REFERENCES):
            if not isinstance(schema, dict):
                return {}
            reference = schema.get("$ref")
            if not isinstance(reference, str):
                return schema
            schema = _follow(self.root, reference)
        return {}


def _follow(root: JsonSchema, reference: str) -> Any:
    target: Any = root
    for step in reference.removeprefix("#").split("/")[1:]:
        key = step.replace("~1", "/").replace("~0", "~")
        target = target.get(key) if isinstance(target, dict) else None
    return target


def _only_list(value: Any) -> list[Any] | None:
    """What an entity that is little more than a list holds: the symbols of a watchlist."""
    lists = [each for each in value.values() if isinstance(each, list)] if isinstance(value, dict) else []
    return lists[0] if len(lists) == 1 else None


def _properties(schema: JsonSchema) -> dict[str, Any]:
    properties = schema.get("properties")
    return properties if isinstance(properties, dict) else {}


def _type_of(schema: JsonSchema) -> str | None:
    declared = schema.get("type")
    if isinstance(declared, list):
        declared = next((each for each in declared if each != "null"), None)
    if declared is None:
        declared = "object" if "properties" in schema else "array" if "items" in schema else None
    return declared if isinstance(declared, str) else None

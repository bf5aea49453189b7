"""Schema objects of OpenAPI 3.0 and 3.1 as JSON Schema 2020-12; what has no meaning there is left out."""

from collections.abc import Callable
from typing import Any

import msgspec

from odyssey.kit.words import shorten

MAX_DESCRIPTION = 1000
_MAX_EXAMPLE_BYTES = 500

_TYPES = frozenset({"string", "number", "integer", "boolean", "object", "array", "null"})
_SCALARS = ("string", "number", "integer", "boolean")
_ONE = (
    "items",
    "not",
    "if",
    "then",
    "else",
    "contains",
    "additionalProperties",
    "propertyNames",
    "unevaluatedItems",
    "unevaluatedProperties",
)
_LISTS = ("allOf", "anyOf", "oneOf", "prefixItems")
_MAPS = ("properties", "patternProperties", "dependentSchemas")
_ANNOTATIONS = ("title", "description", "default", "deprecated", "readOnly", "writeOnly", "examples")
_IN_PLACE = ("$ref", "allOf", "anyOf", "oneOf", "not", "if")

Refer = Callable[[str], dict[str, Any] | bool]
"""From a local reference to what stands for it in the converted schema."""


IsPattern = Callable[[str], bool]
"""Whether a regular expression is one that values can be checked by."""


def convert(
    raw: Any, refer: Refer, is_pattern: IsPattern, *, siblings: bool, ignored: str
) -> dict[str, Any] | bool:
    """Convert one schema.

    `siblings` says whether keywords beside `$ref` count, as in 3.1; `ignored` is the mark, readOnly or
    writeOnly, of members that are not demanded in this direction.
    """
    return _Conversion(refer, is_pattern, siblings=siblings, ignored=ignored).schema(raw)


def is_scalar(raw: Any) -> bool:
    """Whether a schema is small enough to stand where it is referred to: one plain type, nothing inside."""
    return (
        isinstance(raw, dict)
        and raw.get("type") in _SCALARS
        and not any(keyword in raw for keyword in (*_ONE, *_LISTS, *_MAPS, "$ref"))
        and len(msgspec.json.encode(raw)) <= _MAX_EXAMPLE_BYTES
    )


class _Conversion:
    def __init__(self, refer: Refer, is_pattern: IsPattern, *, siblings: bool, ignored: str) -> None:
        self._refer = refer
        self._is_pattern = is_pattern
        self._siblings = siblings
        self._ignored = ignored

    def schema(self, raw: Any) -> dict[str, Any] | bool:
        if isinstance(raw, bool):
            return raw
        if not isinstance(raw, dict):
            return {}
        made: dict[str, Any] = {}
        reference = raw.get("$ref")
        if isinstance(reference, str):
            target = self._refer(reference)
            if isinstance(target, bool):
                return target
            made |= target
            if not self._siblings:
                raw = {key: raw[key] for key in (*_ANNOTATIONS, "example", "nullable") if key in raw}
        self._plain(raw, made)
        self._bounds(raw, made)
        self._subschemas(raw, made)
        return _with_null(made) if raw.get("nullable") is True else made

    def _plain(self, raw: dict[str, Any], made: dict[str, Any]) -> None:
        for keyword, fits in _PLAIN.items():
            if keyword in raw and fits(raw[keyword]):
                made[keyword] = raw[keyword]
        pattern = raw.get("pattern")
        if isinstance(pattern, str) and self._is_pattern(pattern):
            made["pattern"] = pattern
        if "description" in made:
            made["description"] = shorten(made["description"], MAX_DESCRIPTION)
        if (kind := _read_type(raw.get("type"))) is not None:
            made["type"] = kind
        examples = [raw["example"]] if "example" in raw else raw.get("examples")
        if isinstance(examples, list) and len(msgspec.json.encode(examples)) <= _MAX_EXAMPLE_BYTES:
            made["examples"] = examples

    def _bounds(self, raw: dict[str, Any], made: dict[str, Any]) -> None:
        for bound, exclusive in (("minimum", "exclusiveMinimum"), ("maximum", "exclusiveMaximum")):
            limit, excluded = raw.get(bound), raw.get(exclusive)
            if _is_number(excluded):
                made[exclusive] = excluded
            if _is_number(limit):
                made[exclusive if excluded is True else bound] = limit

    def _subschemas(self, raw: dict[str, Any], made: dict[str, Any]) -> None:
        for keyword in _ONE:
            if isinstance(raw.get(keyword), dict | bool):
                made[keyword] = self.schema(raw[keyword])
        if isinstance(raw.get("items"), list):  # of older drafts
            made["prefixItems"] = [self.schema(item) for item in raw["items"]] or [True]
        for keyword in _LISTS:
            if isinstance(raw.get(keyword), list) and raw[keyword]:
                made[keyword] = [self.schema(part) for part in raw[keyword]]
        for keyword in _MAPS:
            if isinstance(raw.get(keyword), dict):
                made[keyword] = {name: self.schema(part) for name, part in raw[keyword].items()}
        if "patternProperties" in made:
            made["patternProperties"] = {
                name: part for name, part in made["patternProperties"].items() if self._is_pattern(name)
            }
        required = self._required(raw)
        if required:
            made["required"] = required

    def _required(self, raw: dict[str, Any]) -> list[str]:
        names, members = raw.get("required"), raw.get("properties")
        if not isinstance(names, list):
            return []
        if isinstance(members, dict):
            names = [name for name in names if not self._is_ignored(members.get(str(name)))]
        return list(dict.fromkeys(name for name in names if isinstance(name, str)))

    def _is_ignored(self, member: Any) -> bool:
        return isinstance(member, dict) and member.get(self._ignored) is True


def _with_null(made: dict[str, Any]) -> dict[str, Any]:
    if any(keyword in made for keyword in _IN_PLACE):
        outside = {keyword: made.pop(keyword) for keyword in _ANNOTATIONS if keyword in made}
        return {**outside, "anyOf": [made, {"type": "null"}]}
    kind = made.get("type")
    if kind is not None:
        kinds = kind if isinstance(kind, list) else [kind]
        made["type"] = kinds if "null" in kinds else [*kinds, "null"]
    if "enum" in made and None not in made["enum"]:
        made["enum"] = [*made["enum"], None]
    return made


def _read_type(raw: Any) -> str | list[str] | None:
    if isinstance(raw, str):
        return raw if raw in _TYPES else None
    if isinstance(raw, list) and raw and all(isinstance(kind, str) and kind in _TYPES for kind in raw):
        kinds = list(dict.fromkeys(raw))
        return kinds[0] if len(kinds) == 1 else kinds
    return None


def _is_anything(value: Any) -> bool:
    return True


def _is_text(value: Any) -> bool:
    return isinstance(value, str)


def _is_flag(value: Any) -> bool:
    return isinstance(value, bool)


def _is_number(value: Any) -> bool:
    return isinstance(value, int | float) and not isinstance(value, bool)


def _is_count(value: Any) -> bool:
    return isinstance(value, int) and not isinstance(value, bool) and value >= 0


def _is_dependent(value: Any) -> bool:
    return isinstance(value, dict) and all(
        isinstance(names, list) and all(map(_is_text, names)) and len(set(names)) == len(names)
        for names in value.values()
    )


_PLAIN: dict[str, Callable[[Any], bool]] = {
    "title": _is_text,
    "description": _is_text,
    "default": _is_anything,
    "const": _is_anything,
    "enum": lambda value: isinstance(value, list) and bool(value),
    "deprecated": _is_flag,
    "readOnly": _is_flag,
    "writeOnly": _is_flag,
    "uniqueItems": _is_flag,
    "format": _is_text,
    "contentEncoding": _is_text,
    "contentMediaType": _is_text,
    "multipleOf": lambda value: _is_number(value) and value > 0,
    "dependentRequired": _is_dependent,
    **dict.fromkeys(
        (
            "minLength",
            "maxLength",
            "minItems",
            "maxItems",
            "minProperties",
            "maxProperties",
            "minContains",
            "maxContains",
        ),
        _is_count,
    ),
}

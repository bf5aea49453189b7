"""The smallest value a JSON Schema accepts, found by construction and confirmed by the validator.

Where a schema offers a choice (alternatives, several types, members of an enum) the first is taken; when the
result does not validate, the choices are changed one by one.
"""

import math
from collections.abc import Callable, Iterable, Iterator
from decimal import ROUND_CEILING, ROUND_FLOOR, Decimal
from typing import Any
from urllib.parse import unquote

from odyssey.records.canonical import canonical_json
from odyssey.records.json_schema import CompiledSchema, SchemaInvalidError, compile_schema
from odyssey.records.patterns import PatternNotSimpleError, example_of
from odyssey.records.schema_graph import resolve_pointer

Parts = list[dict[str, Any]]

_MAX_STEPS = 3000
_MAX_STEPS_IN_ALL = 20_000
_MAX_DEPTH = 40
_MAX_ITEMS = 1000
_MAX_LENGTH = 20_000

_ORDER = ("null", "boolean", "integer", "number", "string", "array", "object")
_IMPLIED_BY = {
    "object": ("properties", "required", "minProperties", "additionalProperties", "patternProperties"),
    "array": ("items", "prefixItems", "minItems", "contains", "uniqueItems"),
    "string": ("minLength", "maxLength", "pattern", "format"),
    "number": ("minimum", "maximum", "exclusiveMinimum", "exclusiveMaximum", "multipleOf"),
}
_FORMATS = {
    "date": "2026-01-01",
    "date-time": "2026-01-01T00:00:00Z",
    "time": "00:00:00Z",
    "duration": "P1D",
    "uuid": "00000000-0000-4000-8000-000000000000",
    "email": "someone@example.com",
    "idn-email": "someone@example.com",
    "uri": "https://example.com/",
    "uri-reference": "https://example.com/",
    "iri": "https://example.com/",
    "url": "https://example.com/",
    "hostname": "example.com",
    "ipv4": "192.0.2.1",
    "ipv6": "2001:db8::1",
}


class _DeadEndError(Exception):
    """These choices lead to no value."""


def smallest_value(schema: dict[str, Any] | bool) -> Any:
    """Give the smallest fitting value, or the best guess when none is found; the caller validates."""
    if isinstance(schema, bool):
        return None
    try:
        compiled = compile_schema(schema)
    except SchemaInvalidError:
        return {}
    best: list[Any] = []
    for value in _attempts(schema):
        if compiled.is_valid(value):
            return value
        best = best or [value]
    return best[0] if best else {}


def _attempts(schema: dict[str, Any]) -> Iterator[Any]:
    """Build with every choice at its first option, then at its last, then with one choice changed."""
    work = _Work()
    for otherwise in (0, -1):
        base = _ChoiceTape({}, otherwise)
        yield from _build(schema, base, work)
        for place, count in enumerate(base.options):
            for option in range(count):
                if option != otherwise % count and work.is_left():
                    yield from _build(schema, _ChoiceTape({place: option}, otherwise), work)


def _build(schema: dict[str, Any], tape: "_ChoiceTape", work: "_Work") -> Iterator[Any]:
    try:
        yield _Builder(schema, tape, work).value([schema], 0)
    except (_DeadEndError, ArithmeticError, TypeError, ValueError, AttributeError):
        # A keyword of an unexpected shape is as much a dead end as a contradiction.
        return


class _Work:
    """What all attempts together have done so far."""

    def __init__(self) -> None:
        self.steps = 0

    def is_left(self) -> bool:
        return self.steps < _MAX_STEPS_IN_ALL


class _ChoiceTape:
    """Which option each choice takes, in the order the choices come up."""

    def __init__(self, chosen: dict[int, int], otherwise: int) -> None:
        self._chosen = chosen
        self._otherwise = otherwise
        self.options: list[int] = []

    def choose(self, count: int) -> int:
        if count < 1:
            raise _DeadEndError
        place = len(self.options)
        self.options.append(count)
        return min(self._chosen.get(place, self._otherwise % count), count - 1)


class _Builder:
    def __init__(self, root: dict[str, Any], tape: _ChoiceTape, work: _Work) -> None:
        self._root = root
        self._tape = tape
        self._work = work
        self._last_step = work.steps + _MAX_STEPS
        self._patterns: dict[str, CompiledSchema] = {}

    def value(self, schemas: Iterable[Any], depth: int) -> Any:
        """Build a value that fits all the schemas at once."""
        if depth > _MAX_DEPTH:
            raise _DeadEndError
        parts: Parts = []
        for schema in schemas:
            self._flatten(schema, parts)
        for part in parts:
            if "const" in part:
                return part["const"]
        members = _common_members(parts)
        if members is not None:
            return members[self._tape.choose(len(members))]
        types = _types(parts)
        return self._of_type(types[self._tape.choose(len(types))], parts, depth)

    def _flatten(self, schema: Any, parts: Parts) -> None:
        """Resolve references, conjunctions and choices until only plain keywords are left."""
        self._work.steps += 1
        if self._work.steps > self._last_step or schema is False:
            raise _DeadEndError
        if schema is True:
            return
        parts.append(schema)
        for keyword in ("$ref", "$dynamicRef", "$recursiveRef"):
            if keyword in schema:
                self._flatten(self._resolve(schema[keyword]), parts)
        for branch in schema.get("allOf", ()):
            self._flatten(branch, parts)
        for keyword in ("anyOf", "oneOf"):
            if keyword in schema:
                self._flatten(schema[keyword][self._tape.choose(len(schema[keyword]))], parts)
        if "if" in schema:
            when_not, when = [schema.get("else", True)], [schema["if"], schema.get("then", True)]
            for branch in (when_not, when)[self._tape.choose(2)]:
                self._flatten(branch, parts)

    def _resolve(self, reference: str) -> Any:
        fragment = unquote(reference[1:])
        target = resolve_pointer(self._root, fragment)
        if target is not None:
            return target
        kept = (self._root.get("$defs") or {}) | (self._root.get("definitions") or {})
        for schema in kept.values():
            if isinstance(schema, dict) and fragment in (schema.get("$anchor"), schema.get("$dynamicAnchor")):
                return schema
        raise _DeadEndError

    def _of_type(self, name: str, parts: Parts, depth: int) -> Any:
        if name == "null":
            return None
        if name == "boolean":
            return bool(self._tape.choose(2))
        if name in ("integer", "number"):
            return _number(parts, whole=name == "integer")
        if name == "string":
            return self._text(parts)
        return self._array(parts, depth) if name == "array" else self._object(parts, depth)

    def _text(self, parts: Parts) -> str:
        least = min(_largest(parts, "minLength"), _MAX_LENGTH)
        for part in parts:
            if isinstance(part.get("pattern"), str):
                try:
                    return example_of(part["pattern"], least)
                except PatternNotSimpleError:
                    continue
        for part in parts:
            if part.get("format") in _FORMATS:
                return _FORMATS[part["format"]]
        return "a" * least

    def _array(self, parts: Parts, depth: int) -> list[Any]:
        wanted = [part["contains"] for part in parts if "contains" in part]
        needed = max((part.get("minContains", 1) for part in parts if "contains" in part), default=0)
        least = min(max(_largest(parts, "minItems"), needed), _MAX_ITEMS)
        is_unique = any(part.get("uniqueItems") is True for part in parts)
        items: list[Any] = []
        for place in range(least):
            # What `contains` asks for stands last, so that a tuple's own places come first.
            schemas = [schema for part in parts for schema in _item_schemas(part, place)]
            item = self.value([*schemas, *(wanted if place >= least - needed else ())], depth + 1)
            items.append(self._distinct(item, items, schemas) if is_unique else item)
        return items

    def _distinct(self, item: Any, items: list[Any], schemas: list[Any]) -> Any:
        taken = {canonical_json(other) for other in items}
        parts: Parts = []
        for schema in schemas:
            self._flatten(schema, parts)
        for candidate in _variants(item, parts):
            if canonical_json(candidate) not in taken:
                return candidate
        raise _DeadEndError

    def _object(self, parts: Parts, depth: int) -> dict[str, Any]:
        names = dict.fromkeys(name for part in parts for name in _required(part))
        least = min(_largest(parts, "minProperties"), _MAX_ITEMS)
        optional = (name for part in parts for name in part.get("properties", {}))
        invented = (f"member{number}" for number in range(1, least + 1))
        for name in (*optional, *invented):
            if len(names) >= least:
                break
            names.setdefault(name)
        _add_dependent(names, parts)
        return {name: self.value(self._member_schemas(name, parts), depth + 1) for name in names}

    def _member_schemas(self, name: str, parts: Parts) -> list[Any]:
        schemas: list[Any] = []
        for part in parts:
            own = [part["properties"][name]] if name in part.get("properties", {}) else []
            patterns = part.get("patternProperties", {})
            own += [schema for pattern, schema in patterns.items() if self._fits(pattern, name)]
            schemas += own or [part.get("additionalProperties", True)]
        return schemas

    def _fits(self, pattern: str, name: str) -> bool:
        if pattern not in self._patterns:
            self._patterns[pattern] = compile_schema({"pattern": pattern})
        return self._patterns[pattern].is_valid(name)


def _add_dependent(names: dict[str, None], parts: Parts) -> None:
    waiting = list(names)
    while waiting:
        name = waiting.pop()
        for part in parts:
            for other in part.get("dependentRequired", {}).get(name, ()):
                if other not in names:
                    names[other] = None
                    waiting.append(other)


def _item_schemas(part: dict[str, Any], place: int) -> list[Any]:
    tuple_form = part["items"] if isinstance(part.get("items"), list) else part.get("prefixItems", [])
    if place < len(tuple_form):
        return [tuple_form[place]]
    rest = "additionalItems" if isinstance(part.get("items"), list) else "items"
    return [part.get(rest, True)]


def _common_members(parts: Parts) -> list[Any] | None:
    """Members of an enum that every enum has and every type allows."""
    lists = [part["enum"] for part in parts if isinstance(part.get("enum"), list)]
    if not lists:
        return None
    common = {canonical_json(member) for member in lists[0]}.intersection(
        *({canonical_json(member) for member in other} for other in lists[1:])
    )
    types = set(_types(parts))
    return [member for member in lists[0] if canonical_json(member) in common and _type_of(member) & types]


def _types(parts: Parts) -> list[str]:
    """Types all the parts allow, smallest first; what no part names is implied by the keywords."""
    named = [part["type"] for part in parts if "type" in part]
    if not named:
        if any("enum" in part for part in parts):
            return list(_ORDER)
        keywords = {keyword for part in parts for keyword in part}
        return [name for name, words in _IMPLIED_BY.items() if keywords.intersection(words)] or ["null"]
    allowed = [{names} if isinstance(names, str) else set(names) for names in named]
    common = [
        name
        for name in _ORDER
        if all(name in names or (name == "integer" and "number" in names) for names in allowed)
    ]
    return [name for name in common if name != "integer" or "number" not in common]


def _type_of(value: Any) -> set[str]:
    if value is None or isinstance(value, bool):
        return {"null" if value is None else "boolean"}
    if isinstance(value, int | float):
        return {"integer", "number"} if value == int(value) else {"number"}
    return {"string" if isinstance(value, str) else "array" if isinstance(value, list) else "object"}


def _largest(parts: Parts, keyword: str) -> int:
    limits = [part[keyword] for part in parts if isinstance(part.get(keyword), int | float)]
    return int(max(limits, default=0))


def _required(part: dict[str, Any]) -> list[str]:
    # Draft 3 wrote a boolean here, and some generators still do.
    names = part.get("required")
    return names if isinstance(names, list) else []


def _number(parts: Parts, *, whole: bool) -> int | float:
    step = _step(parts, whole=whole)
    low, low_open = _bound(parts, "minimum", "exclusiveMinimum", max)
    high, high_open = _bound(parts, "maximum", "exclusiveMaximum", min)
    best = Decimal(0)
    if low is not None and (low > 0 or (low == 0 and low_open)):
        best = _multiple(low, step, ROUND_CEILING)
        best += step if low_open and best == low else 0
    elif high is not None and (high < 0 or (high == 0 and high_open)):
        best = _multiple(high, step, ROUND_FLOOR)
        best -= step if high_open and best == high else 0
    # Between two bounds closer than the step, only a number of free choice is left.
    if low is not None and high is not None and not (whole or _has_step(parts)):
        is_outside = not low <= best <= high or (low_open and best == low) or (high_open and best == high)
        best = (low + high) / 2 if is_outside else best
    return int(best) if best == best.to_integral_value() else float(best)


def _has_step(parts: Parts) -> bool:
    return any("multipleOf" in part for part in parts)


def _step(parts: Parts, *, whole: bool) -> Decimal:
    """The distance between candidates: a common multiple of every multipleOf and, for integers, of 1."""
    steps = [Decimal(str(part["multipleOf"])) for part in parts if "multipleOf" in part]
    if whole or not steps:
        steps.append(Decimal(1))
    scale = Decimal(10) ** max(0, *(-int(step.normalize().as_tuple().exponent) for step in steps))
    return Decimal(math.lcm(*(int(step * scale) for step in steps))) / scale


def _multiple(bound: Decimal, step: Decimal, rounding: str) -> Decimal:
    return (bound / step).to_integral_value(rounding=rounding) * step


def _bound(
    parts: Parts, plain: str, exclusive: str, strictest: Callable[[Iterable[Decimal]], Decimal]
) -> tuple[Decimal | None, bool]:
    bounds: list[tuple[Decimal, bool]] = []
    for part in parts:
        limit, edge = part.get(plain), part.get(exclusive)
        if limit is not None:
            bounds.append((Decimal(str(limit)), edge is True))
        if edge is not None and not isinstance(edge, bool):
            bounds.append((Decimal(str(edge)), True))
    if not bounds:
        return None, False
    value = strictest(limit for limit, _ in bounds)
    return value, any(is_open for limit, is_open in bounds if limit == value)


def _variants(item: Any, parts: Parts) -> Iterator[Any]:
    """Values of the same kind, the given one first, to fill an array of unique items."""
    members = _common_members(parts)
    if members is not None:
        yield from members
        return
    yield item
    if isinstance(item, bool):
        yield not item
    elif isinstance(item, int | float):
        step = _step(parts, whole=isinstance(item, int))
        low, _ = _bound(parts, "minimum", "exclusiveMinimum", max)
        high, _ = _bound(parts, "maximum", "exclusiveMaximum", min)
        is_downward = high is not None and Decimal(str(item)) + step > high and (low is None or low < high)
        for count in range(1, _MAX_ITEMS + 1):
            moved = Decimal(str(item)) + (-count if is_downward else count) * step
            yield int(moved) if moved == moved.to_integral_value() else float(moved)
    elif isinstance(item, str):
        for count in range(1, _MAX_ITEMS + 1):
            yield item + "a" * count

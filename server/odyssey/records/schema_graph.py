"""How far a JSON Schema unfolds: its subschemas as a graph, measured without ever unfolding it."""

import re
from collections.abc import Callable, Iterator
from typing import Any
from urllib.parse import unquote

MAX_EXPANSIONS = 1000
MAX_HEIGHT = 200
MAX_HEIGHT_IN_PLACE = 50

_LEAF = 0
_INDEX = re.compile(r"0|[1-9][0-9]{0,5}")
_REFERENCES = ("$ref", "$dynamicRef", "$recursiveRef")
_ANCHORS = ("$anchor", "$dynamicAnchor")

# Where subschemas stand, and what part of the value each of them looks at.
_SAME_VALUE = ("not", "if", "then", "else", "allOf", "anyOf", "oneOf", "dependentSchemas", "dependencies")
_EVERY_MEMBER = ("patternProperties", "additionalProperties", "unevaluatedProperties", "propertyNames")
_EVERY_ITEM = ("contains", "additionalItems", "unevaluatedItems")
_ONLY_KEPT = ("$defs", "definitions", "contentSchema")
_MAPS = {"properties", "patternProperties", "dependentSchemas", "dependencies", "$defs", "definitions"}
_LISTS = {"allOf", "anyOf", "oneOf", "prefixItems"}


class SchemaInvalidError(ValueError):
    """The schema cannot be used; the message says why in words for its author."""


class SchemaNode:
    """One subschema: indexes of the subschemas it applies, by the part of the value they look at."""

    __slots__ = (
        "every_item",
        "every_member",
        "is_choice",
        "items",
        "key_patterns",
        "members",
        "names",
        "pattern",
        "references",
        "same",
    )

    def __init__(self) -> None:
        self.references: list[int] = []
        self.same: list[int] = []
        self.members: dict[str, int] = {}
        self.every_member: list[int] = []
        self.items: list[int] = []
        self.every_item: list[int] = []
        self.is_choice = False
        self.pattern: str | None = None
        self.key_patterns: list[str] = []
        self.names: int | None = None
        """What looks at the names of an object's members."""

    def in_place(self) -> list[int]:
        return self.references + self.same

    def fan_out(self) -> int:
        """How often this subschema looks at one and the same part of a value, itself included."""
        return 1 + len(self.every_member) + len(self.every_item)

    def all(self) -> list[int]:
        return [*self.in_place(), *self.members.values(), *self.every_member, *self.items, *self.every_item]


class SchemaGraph:
    """The subschemas of one document that evaluation can reach, and those it merely keeps."""

    def __init__(self, root: dict[str, Any]) -> None:
        self._root = root
        self.nodes: list[SchemaNode] = [SchemaNode()]
        self._index: dict[int, int] = {}
        self._anchors: dict[str, dict[str, Any]] = {}
        self._waiting: list[tuple[SchemaNode, str]] = []
        self._pending: list[dict[str, Any]] = []
        self.root = self._place(root)
        self._read_all()
        self.expansions_in_place = self._measure()

    def _place(self, schema: Any) -> int:
        """Index of a subschema; everything that is no object (true, false, nonsense) is one shared leaf."""
        if not isinstance(schema, dict):
            return _LEAF
        known = self._index.get(id(schema))
        if known is None:
            known = self._index[id(schema)] = len(self.nodes)
            self.nodes.append(SchemaNode())
            self._pending.append(schema)
        return known

    def _read_all(self) -> None:
        while self._pending or self._waiting:
            while self._pending:
                self._read(self._pending.pop())
            if self._waiting:
                node, reference = self._waiting.pop()
                node.references.append(self._place(self._resolve(reference)))

    def _read(self, schema: dict[str, Any]) -> None:
        node = self.nodes[self._index[id(schema)]]
        self._read_names(schema)
        for keyword in _REFERENCES:
            if isinstance(schema.get(keyword), str):
                self._waiting.append((node, schema[keyword]))
        node.same = self._apply(schema, _SAME_VALUE)
        node.is_choice = "anyOf" in schema or "oneOf" in schema
        if isinstance(schema.get("pattern"), str):
            node.pattern = schema["pattern"]
        if isinstance(schema.get("patternProperties"), dict):
            node.key_patterns = list(schema["patternProperties"])
        if isinstance(schema.get("propertyNames"), dict):
            node.names = self._place(schema["propertyNames"])
        node.every_member = self._apply(schema, _EVERY_MEMBER)
        node.every_item = self._apply(schema, _EVERY_ITEM)
        node.items = self._apply(schema, ("prefixItems",))
        items = schema.get("items")
        if isinstance(items, list):
            node.items += [self._place(item) for item in items]
        elif items is not None:
            node.every_item.append(self._place(items))
        properties = schema.get("properties")
        if isinstance(properties, dict):
            node.members = {name: self._place(member) for name, member in properties.items()}
        self._apply(schema, _ONLY_KEPT)

    def _read_names(self, schema: dict[str, Any]) -> None:
        """Refuse what would make the validator follow a local reference to another place than we do."""
        if schema is not self._root:
            name = schema.get("$id", schema.get("id") if _is_draft_4(self._root) else None)
            if isinstance(name, str):
                raise SchemaInvalidError(f"a nested $id ({_shown(name)}) is not supported; remove it")
            if "$schema" in schema and schema["$schema"] != self._root.get("$schema"):
                raise SchemaInvalidError("a nested $schema is not supported; remove it")
        for keyword in _ANCHORS:
            anchor = schema.get(keyword)
            if isinstance(anchor, str) and self._anchors.setdefault(anchor, schema) is not schema:
                raise SchemaInvalidError(f"the anchor {_shown(anchor)} is there twice; rename one")

    def _apply(self, schema: dict[str, Any], keywords: tuple[str, ...]) -> list[int]:
        return [
            self._place(child)
            for keyword in keywords
            if keyword in schema
            for child in _subschemas(keyword, schema[keyword])
        ]

    def _resolve(self, reference: str) -> Any:
        if not reference.startswith("#"):
            raise SchemaInvalidError(
                f"$ref {_shown(reference)} leaves the schema; only references that start with '#' are followed"
            )
        fragment = unquote(reference[1:])
        target = resolve_pointer(self._root, fragment)
        if target is None and not fragment.startswith("/"):
            target = self._anchors.get(fragment)
        if not isinstance(target, dict | bool):
            raise SchemaInvalidError(f"$ref {_shown(reference)} points at no subschema of this schema")
        return target

    def _measure(self) -> int:
        in_place = _Measure(
            self.nodes, SchemaNode.in_place, SchemaNode.fan_out, MAX_HEIGHT_IN_PLACE, cycles=False
        )
        everywhere = _Measure(
            self.nodes, SchemaNode.all, lambda node: len(node.references), MAX_HEIGHT, cycles=True
        )
        for index in range(len(self.nodes)):
            in_place.of(index)
            everywhere.of(index)
        if max(in_place.counts.values()) > MAX_EXPANSIONS or max(everywhere.counts.values()) > MAX_EXPANSIONS:
            raise SchemaInvalidError(
                f"schema too complex: it unfolds to more than {MAX_EXPANSIONS} subschemas;"
                " use fewer nested references and alternatives"
            )
        return max(in_place.counts.values())


class _Measure:
    """Counts what each node unfolds to along some edges, once per node, so in linear time."""

    def __init__(
        self,
        nodes: list[SchemaNode],
        children: Callable[[SchemaNode], list[int]],
        weight: Callable[[SchemaNode], int],
        max_height: int,
        *,
        cycles: bool,
    ) -> None:
        self._nodes = nodes
        self._children = children
        self._weight = weight
        self._max_height = max_height
        self._cycles = cycles
        self._open: set[int] = set()
        self._heights: dict[int, int] = {}
        self.counts: dict[int, int] = {}

    def of(self, index: int) -> None:
        """Fill in the count and height of a node and all below it."""
        if index in self.counts:
            return
        # The path to here is a real chain of subschemas, so its length also bounds this recursion.
        if len(self._open) >= self._max_height:
            self._refuse_height()
        self._open.add(index)
        count, height = self._weight(self._nodes[index]), 1
        for child in self._children(self._nodes[index]):
            if child in self._open:
                self._meet_itself()
                continue
            self.of(child)
            count += self.counts[child]
            height = max(height, 1 + self._heights[child])
        self._open.remove(index)
        if height > self._max_height:
            self._refuse_height()
        self.counts[index], self._heights[index] = count, height

    def _meet_itself(self) -> None:
        if not self._cycles:
            raise SchemaInvalidError(
                "a $ref leads back to itself without descending into a property or an item, so it never ends"
            )

    def _refuse_height(self) -> None:
        raise SchemaInvalidError(
            f"schema too complex: subschemas are chained deeper than {self._max_height} levels; flatten them"
        )


def resolve_pointer(root: Any, fragment: str) -> Any:
    """Follow a decoded JSON Pointer; None when it leads nowhere."""
    if fragment == "":
        return root
    if not fragment.startswith("/"):
        return None
    target = root
    for step in fragment[1:].split("/"):
        key = step.replace("~1", "/").replace("~0", "~")
        if isinstance(target, dict) and key in target:
            target = target[key]
        elif isinstance(target, list) and _INDEX.fullmatch(key) and int(key) < len(target):
            target = target[int(key)]
        else:
            return None
    return target


def _is_draft_4(root: dict[str, Any]) -> bool:
    return "draft-04" in str(root.get("$schema"))


def _subschemas(keyword: str, value: Any) -> Iterator[Any]:
    if keyword in _MAPS:
        members = value.values() if isinstance(value, dict) else ()
        # `dependencies` may hold lists of names beside schemas.
        yield from (member for member in members if not isinstance(member, list))
    elif keyword in _LISTS:
        yield from value if isinstance(value, list) else ()
    else:
        yield value


def _shown(text: str) -> str:
    return repr(text if len(text) <= 80 else text[:77] + "…")

"""What of an entity a tool shows: all of it, its id alone, one field, or what its description lists."""

import re
from collections.abc import Mapping
from typing import Any

from odyssey.kit.words import id_noun, tokens, word_set
from odyssey.records.tools import Tool
from odyssey.simulation.world.kinds import Kind
from odyssey.simulation.world.naming import Naming
from odyssey.worlds.field_index import values_at

_WHOLE = word_set(
    "detail details info information data record records profile summary entry full all list current"
)
_LISTED = re.compile(
    r"\b(?:list|get|return|show|fetch|retrieve)s?\s+(?:the\s+|a\s+|all\s+)?(.{3,80}?)\s+of\s+(?:all|every|each)\b",
    re.IGNORECASE,
)
_JOINED = re.compile(r"\s*(?:,|\band\b)\s*")
_ARTICLES = re.compile(r"^(?:the|their|its|an?)\s+")


def wants_id(naming: Naming) -> bool:
    """`find_thing_id_by_name`: the id alone."""
    return naming.after[-1:] in (("id",), ("ids",), ("uuid",))


def attribute(naming: Naming) -> str | None:
    """`get_thing_status`: what the name says to show, as the name of a field it may be."""
    words = tuple(word for word in naming.after if word not in _WHOLE)
    if not words or wants_id(naming) or len(words) < len(naming.after):
        return None
    return "_".join(words)


def attribute_of(shown: Mapping[str, Any], kind: Kind, name: str) -> list[Any]:
    """The value of the field so named, in an entity or in one of its parts; empty if there is none."""
    words = tokens(name)
    inside = [field for field in shown if tokens(field) == words]
    path = kind.path_of(name)
    return [shown[inside[0]]] if inside else values_at(shown, path) if path else []


def listed_fields(tool: Tool, kind: Kind) -> tuple[str, ...]:
    """The fields that "List the name and thing id of all things" asks for; none unless each is one."""
    found = _LISTED.search(tool.description)
    if found is None:
        return ()
    names = [_ARTICLES.sub("", each.strip()) for each in _JOINED.split(found[1]) if each.strip()]
    fields = [_field(kind, name) for name in names]
    return tuple(each for each in fields if each is not None) if None not in fields else ()


def _field(kind: Kind, name: str) -> str | None:
    if id_noun(name) is not None and kind.is_meant_by(name):
        return kind.id_field or "id"
    path = kind.path_of(name)
    return path[0] if path is not None and len(path) == 1 else None


def as_map(rows: list[dict[str, Any]], fields: tuple[str, ...], kind: Kind) -> dict[str, Any] | None:
    """Names with their ids, as a back end would keep them to look one up; None unless every name is one."""
    if len(fields) != 2 or fields[1] != (kind.id_field or "id"):
        return None
    names = [row.get(fields[0]) for row in rows]
    if not all(isinstance(name, str) for name in names) or len(set(names)) < len(names):
        return None
    return {str(row[fields[0]]): row[fields[1]] for row in rows}

"""What an output schema names that an entity does not hold itself: its own id, and fields of what it points at."""

from collections.abc import Iterator, Mapping
from functools import lru_cache
from typing import Any

from odyssey.kit.caches import Same
from odyssey.kit.words import id_noun, same_nouns, tokens, word_set
from odyssey.simulation.engine import ToolCall
from odyssey.simulation.world.defaults import properties_of
from odyssey.simulation.world.kinds import Anatomy, Kind
from odyssey.simulation.world.ownership import pointers
from odyssey.worlds.schema import id_text

_OF_ANY = word_set("id name status type total count message success date created updated")
_DEPTH = 5


def id_name(kind: Kind, call: ToolCall) -> str:
    """What the id is called: by the entities, else by the schema, else `id`."""
    if kind.id_field is not None or call.tool.output_schema is None:
        return kind.id_field or "id"
    nouns = tokens(kind.name)
    promised = _named(Same(call.tool.output_schema))
    return next((name for name in promised if same_nouns(id_noun(name) or (), nouns[-1:])), "id")


def with_related(kind: Kind, call: ToolCall, fields: dict[str, Any]) -> dict[str, Any]:
    """`{"guest_id": "g-1"}` with the guest's last name, where the tool promises a `last_name`."""
    promised = _named(Same(call.tool.output_schema)) if call.tool.output_schema is not None else ()
    lacking = [name for name in promised if name not in fields and _OF_ANY.isdisjoint(tokens(name))]
    for name in lacking:
        if kind.field_named(name) is not None or id_noun(name) is not None:
            continue
        for field, other in pointers(kind):
            held = other.field_named(name)
            entity = other.entities.get(id_text(fields.get(field)) or "", {})
            if held is not None and held in entity and not isinstance(entity[held], dict | list):
                fields = {**fields, name: entity[held]}
                break
    return fields


@lru_cache(maxsize=1024)
def _named(schema: Same) -> tuple[str, ...]:
    return tuple(dict.fromkeys(_properties(schema.it, _DEPTH)))


def _properties(schema: Any, depth: int) -> Iterator[str]:
    if not isinstance(schema, dict) or not depth:
        return
    properties = schema.get("properties")
    for name, each in properties.items() if isinstance(properties, dict) else ():
        yield name
        yield from _properties(each, depth - 1)
    yield from _properties(schema.get("items"), depth - 1)


def promises_totals(kind: Kind, call: ToolCall) -> bool:
    """`{"trips": 3, "distance_km": 41.5}`: whether a tool promises how many there are, and sums, and nothing else."""
    schema = call.tool.output_schema
    return schema is not None and bool(_totalled(Same(schema), kind.anatomy, kind.name))


def totals(kind: Kind, call: ToolCall, rows: list[Mapping[str, Any]]) -> dict[str, Any]:
    found: dict[str, Any] = {}
    for name, field in _totalled(Same(call.tool.output_schema), kind.anatomy, kind.name).items():
        held = [row.get(field) for row in rows]
        found[name] = (
            round(sum(each for each in held if isinstance(each, int | float)), 2) if field else len(rows)
        )
    return found


@lru_cache(maxsize=1024)
def _totalled(schema: Same, anatomy: Anatomy, noun: str) -> dict[str, str]:
    """For each property the field that is summed up, or nothing for the count; empty if one is neither."""
    found: dict[str, str] = {}
    for name, declared in properties_of(schema.it):
        path = anatomy.path_of(name, noun)
        if declared.get("type") not in ("integer", "number"):
            return {}
        if same_nouns(tokens(name), tokens(noun)):
            found[name] = ""
        elif path is not None and len(path) == 1 and anatomy.has(path, "number"):
            found[name] = path[0]
        else:
            return {}
    return found if "" in found.values() else {}

"""The entities that matter to a call: those it names, those found by its reading, and what hangs on them.

A model is shown these instead of a world, which may be of any size. What is looked at is bounded as well.
"""

import re
from collections.abc import Iterator, Mapping
from itertools import islice
from typing import Any, NamedTuple

from odyssey.kit.words import same_noun, tokens
from odyssey.records.ledger import Remove, Update
from odyssey.simulation.consistency.knowledge import WorldKnowledge, know_world
from odyssey.simulation.engine import Answer, ToolCall
from odyssey.simulation.world.kinds import know
from odyssey.worlds.field_index import PathStep
from odyssey.worlds.ledger import Ledger
from odyssey.worlds.schema import id_text

MOST_ENTITIES = 60
EXAMPLES = 2

_MOST_VALUES = 300
_MOST_FOUND = 10
_MOST_REFERRING = 10
_MOST_TYPES = 12
_WORD = re.compile(r"[^\W\d_]+")


class EntityExcerpt(NamedTuple):
    entity_type: str
    id: str
    fields: Mapping[str, Any]
    is_example: bool = False
    """Whether it only shows what entities of its type look like."""


class RelevantEntities(NamedTuple):
    entities: list[EntityExcerpt]
    """What matters most comes first."""
    types: list[str]
    left_out: int
    """Entities that would have been shown, had there been room."""


_Key = tuple[str, str]


def find_relevant(call: ToolCall, world: Ledger, read: Answer, words: str) -> RelevantEntities:
    """Choose what to show; `read` is what the world engine made of the call, `words` are texts that name types."""
    known = know_world(world, call.ledger_schema)
    found = list(dict.fromkeys([*_named(call, world), *_read(read, world, known)]))
    near = found[:MOST_ENTITIES]
    referred = (each for key in near for each in _referred(key, world, known))
    referring = (each for key in near for each in _referring(key, world, known))
    every = list(dict.fromkeys([*found, *referred, *referring]))
    chosen = every[:MOST_ENTITIES]
    types = _types(call, read, chosen, known, words)
    entities = [shown for key in chosen if (shown := _shown(world, key))]
    return RelevantEntities([*entities, *_examples(world, types, chosen)], types, len(every) - len(chosen))


def _named(call: ToolCall, world: Ledger) -> Iterator[_Key]:
    """What an argument gives the id of, or a value that an entity has in the field of the same name."""
    types = world.entity_types()
    for value in _values(call.arguments):
        text = id_text(value)
        if text:
            yield from ((name, text) for name in types if world.entity(name, text) is not None)
    for argument, value in islice(call.arguments.items(), _MOST_VALUES):
        if value is None or isinstance(value, dict | list | bool):
            continue
        for name in types:
            path = know(name, world, call.ledger_schema).path_of(argument)
            if path is not None:
                yield from ((name, each) for each in world.having(name, path, value)[:_MOST_FOUND])


def _read(read: Answer, world: Ledger, known: WorldKnowledge) -> Iterator[_Key]:
    for operation in islice(read.operations, _MOST_FOUND):
        if isinstance(operation, Update | Remove):
            yield operation.entity_type, operation.id
    for shown in islice(_objects(read.response), _MOST_FOUND):
        for field, types in known.id_names.items():
            text = id_text(shown.get(field))
            yield from ((name, text) for name in types if text and world.entity(name, text) is not None)


def _referred(key: _Key, world: Ledger, known: WorldKnowledge) -> Iterator[_Key]:
    """What an entity points at: any text in it that is the id of another, and numbers in fields that hold ids."""
    fields = world.entity(*key)
    if fields is None:
        return
    types = world.entity_types()
    for value in _values(fields):
        if isinstance(value, str) and value and value != key[1]:
            yield from ((name, value) for name in types if world.entity(name, value) is not None)
    for field in fields:
        for target in known.pointed_at(key[0], field):
            value = fields[field]
            for each in islice(value if isinstance(value, list) else [value], _MOST_FOUND):
                text = id_text(each)
                if text and world.entity(target, text) is not None:
                    yield target, text


def _referring(key: _Key, world: Ledger, known: WorldKnowledge) -> Iterator[_Key]:
    """The newest entities that point at one."""
    entity_type, entity_id = key
    for name, knowledge in known.types.items():
        for field in knowledge.anatomy.fields:
            if entity_type not in known.pointed_at(name, field):
                continue
            numeric: list[Any] = [int(entity_id)] if _is_decimal(entity_id) else []
            for value in (entity_id, *numeric):
                for path in ((field,), (field, PathStep.EACH)):
                    ids = world.having(name, path, value)
                    yield from ((name, each) for each in ids[-_MOST_REFERRING:])


def _types(call: ToolCall, read: Answer, chosen: list[_Key], known: WorldKnowledge, words: str) -> list[str]:
    """The types that are shown, that the reading is about, or that the tool and its behaviour speak of."""
    spoken = set(_WORD.findall(f"{call.tool.name} {' '.join(call.arguments)} {words}".lower()))
    meant = [] if read.reading is None or read.reading.entity_type is None else [read.reading.entity_type]
    mentioned = [
        name
        for name in known.types
        if tokens(name) and any(same_noun(tokens(name)[-1], word) for word in spoken)
    ]
    types = dict.fromkeys([*meant, *(name for name, _ in chosen), *mentioned])
    return [name for name in types if name in known.types][:_MOST_TYPES]


def _examples(world: Ledger, types: list[str], chosen: list[_Key]) -> Iterator[EntityExcerpt]:
    taken = set(chosen)
    for name in types:
        there = sum(1 for each, _ in chosen if each == name)
        others = (each for each in world.entities(name) if (name, each) not in taken)
        for entity_id in islice(others, max(0, EXAMPLES - there)):
            shown = _shown(world, (name, entity_id))
            if shown is not None:
                yield shown._replace(is_example=True)


def _shown(world: Ledger, key: _Key) -> EntityExcerpt | None:
    fields = world.entity(*key)
    return None if fields is None else EntityExcerpt(*key, fields)


def _values(value: Any) -> Iterator[Any]:
    """The first scalars of a value, and the names in its objects, which are ids where parts are kept by id."""
    return islice(_scalars(value), _MOST_VALUES)


def _scalars(value: Any) -> Iterator[Any]:
    if isinstance(value, Mapping):
        for name in value:
            yield name
            yield from _scalars(value[name])
    elif isinstance(value, list):
        for each in value:
            yield from _scalars(each)
    else:
        yield value


def _objects(value: Any) -> Iterator[dict[str, Any]]:
    if isinstance(value, dict):
        yield value
        for each in value.values():
            yield from _objects(each)
    elif isinstance(value, list):
        for each in value:
            yield from _objects(each)


def _is_decimal(text: str) -> bool:
    return text.isascii() and text.isdecimal() and len(text) < 16

"""Twelve ways in which an answer goes wrong, each made out of an honest one, and only where the world can prove it."""

import copy
import random
from collections.abc import Callable, Iterator
from typing import Any, NamedTuple

import msgspec
from support.honest_calls import Honest

from odyssey.records.ledger import Add, Operation, Remove, Update
from odyssey.simulation.engine import Answer
from odyssey.worlds.ledger import Ledger

Corrupt = Callable[[Honest, random.Random], Answer | None]
"""None where this cannot be done to the call, or could not be told from a tool that means it so."""
Touch = Add | Update | Remove
Path = tuple[str | int, ...]

_FRESH = "zz-404"


class Shown(NamedTuple):
    """An object of a response that is an entity of the world after the call."""

    path: Path
    entity_type: str
    id: str
    id_name: str | None
    """The member that says so; None where only the question does."""


def changed_scalar(honest: Honest, chance: random.Random) -> Answer | None:
    if _field_alone(honest):
        return _changed_field(honest, chance)
    leaves = [
        (*shown.path, *path)
        for shown in _shown(honest)
        for path in _leaves(_at(honest.answer.response, shown.path))
        if path != (shown.id_name,) and _is_held(honest, shown, path)
    ]
    if not leaves:
        return None  # what the ledger does not keep, the tool may have worked out
    path = chance.choice(leaves)
    value = _at(honest.answer.response, path)
    others = (*_values_of(honest), not value, "something else", 17, 0.25)
    wrong = [each for each in others if each != value and (value is None or type(each) is type(value))]
    return _with_response(honest, path, chance.choice(wrong))


def _changed_field(honest: Honest, chance: random.Random) -> Answer | None:
    """Another word where the answer is a word that a field holds, or another member of a record."""
    reading, response = honest.answer.reading, honest.answer.response
    assert reading is not None
    assert reading.entity_type is not None
    everybodys = [each.get(reading.fields[0]) for each in honest.world.entities(reading.entity_type).values()]
    if isinstance(response, dict):
        shared = [
            name for name in response if any(isinstance(each, dict) and name in each for each in everybodys)
        ]
        # Inside something else it may be anything.
        return _with_response(honest, (chance.choice(shared),), "elsewhere") if shared else None
    others = [each for each in everybodys if each != response]
    return _replace(honest.answer, response=chance.choice(others)) if others else None


def forgotten_write(honest: Honest, chance: random.Random) -> Answer | None:
    if honest.after == honest.world:
        return None  # all was so already: nothing is owed
    return _replace(honest.answer, operations=())


def invented_id_shown(honest: Honest, chance: random.Random) -> Answer | None:
    response = honest.answer.response
    if honest.call.tool.name.startswith("find_member_id") and not honest.answer.refused:
        return _replace(honest.answer, response=_FRESH)
    # Of a reference, only that of a shown entity can be held against the ledger; an owner's id alone may be real.
    places: list[Path] = [(*each.path, each.id_name) for each in _shown(honest) if each.id_name is not None]
    places += [each for each in _gone(honest) if isinstance(_at(response, each), str | int)]
    if not places:
        return None
    path = chance.choice(places)
    return _with_response(honest, path, 40_404 if isinstance(_at(response, path), int) else _FRESH)


def invented_id_written(honest: Honest, chance: random.Random) -> Answer | None:
    touches = _touches(honest)
    choices: list[tuple[int, str | None]] = [
        (place, None) for place, each in enumerate(touches) if not isinstance(each, Add)
    ]
    for place, each in enumerate(touches):
        fields = {} if isinstance(each, Remove) else each.fields
        for name in fields:
            target = name.removesuffix("_id")
            refers = target != name and target != each.entity_type and target in honest.place.state
            choices += [(place, name)] if refers else []
    if not choices:
        return None  # a new entity may have any id that is free
    place, field = chance.choice(choices)
    touch = touches[place]
    if field is None:
        return _with_operation(honest, place, msgspec.structs.replace(touch, id=_FRESH))
    assert not isinstance(touch, Remove)
    wrong = _with_operation(honest, place, _with_fields(touch, {field: _FRESH}))
    return _tell_as_well(wrong, honest, touch, {field: _FRESH}) if chance.random() < 0.5 else wrong


def invented_type(honest: Honest, chance: random.Random) -> Answer | None:
    touches = [each for each in enumerate(_touches(honest)) if each[1].entity_type == _about(honest)]
    if not touches:
        return None
    place, touch = touches[0]
    name = chance.choice([f"{touch.entity_type}_record", "thing", touch.entity_type.capitalize()])
    return _with_operation(honest, place, msgspec.structs.replace(touch, entity_type=name))


def other_json_type(honest: Honest, chance: random.Random) -> Answer | None:
    choices = [
        (place, name)
        for place, each in enumerate(_touches(honest))
        for name, value in (each.fields.items() if not isinstance(each, Remove) else ())
        if value is not None and name != _id_name(honest, each.entity_type)
        # One that nobody else has may be of any type.
        if _all_have_type_of(honest, each.entity_type, name, value)
    ]
    if not choices:
        return None
    place, name = chance.choice(choices)
    touch = _touches(honest)[place]
    assert not isinstance(touch, Remove)
    value = touch.fields[name]
    wrong: list[Any] = ["12", ["12"], {"value": 1}, 12, True]
    drawn = chance.choice([each for each in wrong if _kind(each) != _kind(value)])
    answer = _with_operation(honest, place, _with_fields(touch, {name: drawn}))
    return _tell_as_well(answer, honest, touch, {name: drawn})


def outside_enum(honest: Honest, chance: random.Random) -> Answer | None:
    schema = honest.place.schema
    if schema is None:
        return None  # an open ledger has no enumerations
    declared = {
        (entity.type, field.name) for entity in schema.entities for field in entity.fields if field.enum
    }
    choices = [
        (place, name)
        for place, each in enumerate(_touches(honest))
        for name in (each.fields if not isinstance(each, Remove) else ())
        if (each.entity_type, name) in declared
    ]
    if not choices:
        return None
    place, name = chance.choice(choices)
    touch = _touches(honest)[place]
    assert not isinstance(touch, Remove)
    value = {name: chance.choice(["bogus", "SHIPPED", ""])}
    return _tell_as_well(_with_operation(honest, place, _with_fields(touch, value)), honest, touch, value)


def changed_id_field(honest: Honest, chance: random.Random) -> Answer | None:
    choices = [
        (place, each, name)
        for place, each in enumerate(_touches(honest))
        if not isinstance(each, Remove) and (name := _id_name(honest, each.entity_type)) is not None
    ]
    if not choices:
        return None  # a removal writes no fields, and where ids are keys alone no field can say another
    place, touch, name = chance.choice(choices)
    assert not isinstance(touch, Remove)
    others = [each for each in honest.world.entities(touch.entity_type) if each != touch.id]
    value = {name: chance.choice([_FRESH, *others])}
    answer = _with_operation(honest, place, _with_fields(touch, value))
    return _tell_as_well(answer, honest, touch, value) if chance.random() < 0.5 else answer


def read_that_writes(honest: Honest, chance: random.Random) -> Answer | None:
    reading = honest.answer.reading
    if reading is None or reading.operation not in ("read", "list"):
        return None
    world = honest.world
    entity_type = chance.choice(list(honest.place.state))
    entity_id = chance.choice(list(world.entities(entity_type)))
    fields = {
        name: value
        for name, value in (world.entity(entity_type, entity_id) or {}).items()
        if name != _id_name(honest, entity_type) and isinstance(value, int | str) and not name.endswith("_id")
    }
    if not fields:
        return None
    name = chance.choice(list(fields))
    held = [each.get(name) for each in world.entities(entity_type).values()]
    value = chance.choice([each for each in held if type(each) is type(fields[name])])
    return _replace(honest.answer, operations=(Update(entity_type, entity_id, {name: value}),))


def add_over_existing(honest: Honest, chance: random.Random) -> Answer | None:
    choices = [each for each in enumerate(_touches(honest)) if not isinstance(each[1], Remove)]
    if not choices:
        return None
    place, touch = chance.choice(choices)
    assert not isinstance(touch, Remove)
    if isinstance(touch, Update):
        return _with_operation(honest, place, Add(touch.entity_type, touch.id, touch.fields))
    taken = chance.choice(list(honest.world.entities(touch.entity_type)))
    name = _id_name(honest, touch.entity_type)
    identity = {} if name is None else {name: taken}
    answer = _with_operation(honest, place, Add(touch.entity_type, taken, {**touch.fields, **identity}))
    return _tell_as_well(answer, honest, touch, identity)


def wrong_entity(honest: Honest, chance: random.Random) -> Answer | None:
    given = set(map(str, honest.call.arguments.values()))
    # What else a tool changes is its own affair, and so is which it changes where a call names several.
    touches = [each for each in enumerate(_touches(honest)) if each[1].entity_type == _about(honest)]
    if len(touches) != 1 or touches[0][1].id not in given or isinstance(touches[0][1], Add):
        return None
    place, touch = touches[0]
    others = [each for each in honest.world.entities(touch.entity_type) if each not in given]
    if not others:
        return None
    other = chance.choice(others)
    answer = _with_operation(honest, place, msgspec.structs.replace(touch, id=other))
    if isinstance(touch, Remove) or chance.random() < 0.5:
        return answer  # told of the one that was asked for
    fields = {**(honest.world.entity(touch.entity_type, other) or {}), **touch.fields}
    return _tell_as_well(answer, honest, touch, fields)


def partial_write(honest: Honest, chance: random.Random) -> Answer | None:
    told = {(each.entity_type, each.id): each for each in _shown(honest)}
    choices: list[tuple[int, str]] = []
    for place, touch in enumerate(_touches(honest)):
        shown = told.get((touch.entity_type, touch.id))
        if isinstance(touch, Remove) or shown is None:
            continue
        before = honest.world.entity(touch.entity_type, touch.id) or {}
        for name, value in touch.fields.items():
            is_told = name in _at(honest.answer.response, shown.path) and name != shown.id_name
            # What no other entity keeps may be worked out and not kept.
            is_kept = name in before or _all_have_type_of(honest, touch.entity_type, name, value)
            if is_told and value is not None and is_kept and before.get(name) != value:
                choices.append((place, name))
    if not choices:
        return None
    place, left_out = chance.choice(choices)
    touch = _touches(honest)[place]
    assert not isinstance(touch, Remove)
    fields = {name: value for name, value in touch.fields.items() if name != left_out}
    return _with_operation(honest, place, msgspec.structs.replace(touch, fields=fields))


KINDS: dict[str, Corrupt] = {
    corrupt.__name__: corrupt
    for corrupt in (
        changed_scalar,
        forgotten_write,
        invented_id_shown,
        invented_id_written,
        invented_type,
        other_json_type,
        outside_enum,
        changed_id_field,
        read_that_writes,
        add_over_existing,
        wrong_entity,
        partial_write,
    )
}


def _shown(honest: Honest) -> list[Shown]:
    """The objects of the response that are entities, by their id or, without one, by the question."""
    if honest.answer.refused or any(isinstance(each, Remove) for each in honest.answer.operations):
        return []  # what was removed may be told of in any way, and its parts with it
    found = [
        Shown(path, entity_type, entity_id, name)
        for path, value in _objects(honest.answer.response)
        for entity_type in honest.place.state
        for name in dict.fromkeys([_id_name(honest, entity_type) or "id"])
        if (entity_id := str(value.get(name))) and _is(value, honest.after, entity_type, entity_id)
        if not any(part in honest.place.state.get(entity_type, {}) for part in path)
    ]
    return found or _asked_for(honest)


def _asked_for(honest: Honest) -> list[Shown]:
    """Two members at least, and most of them: one, or a few among others, may be anybody's."""
    response, about = honest.answer.response, _about(honest)
    if not isinstance(response, dict) or about is None:
        return []
    inside = [name for name, value in response.items() if isinstance(value, dict | list)]
    path: Path = (inside[0],) if len(inside) == len(response) == 1 else ()
    told = _at(response, path)
    for value in map(str, honest.call.arguments.values()):
        fields = honest.after.entity(about, value)
        shared = 0 if fields is None else sum(name in fields for name in told)
        names = {_id_name(honest, about) or "id", f"{about}_id"}
        if fields is not None and shared >= 2 and 2 * shared > len(told) and names.isdisjoint(told):
            return [Shown(path, about, value, None)]
    return []


def _gone(honest: Honest) -> Iterator[Path]:
    """Where the response gives the id of what the call has removed."""
    for touch in _touches(honest):
        name = _id_name(honest, touch.entity_type)
        if isinstance(touch, Remove) and name is not None:
            for path, value in _objects(honest.answer.response):
                if value.get(name) == touch.id:
                    yield (*path, name)


def _is(value: dict[str, Any], world: Ledger, entity_type: str, entity_id: str) -> bool:
    fields = world.entity(entity_type, entity_id)
    common = [] if fields is None else [name for name in value if name in fields]
    return fields is not None and all(fields[name] == value[name] for name in common)


def _is_held(honest: Honest, shown: Shown, path: Path) -> bool:
    held: Any = honest.after.entity(shown.entity_type, shown.id)
    for step in path:
        known = step in held if not isinstance(held, list) else isinstance(step, int) and step < len(held)
        if not known:
            return False
        held = held[step]
    return True


def _field_alone(honest: Honest) -> bool:
    """Whether the answer is one field of one entity, as that of `get_thing_status` is."""
    reading = honest.answer.reading
    is_read = reading is not None and reading.operation == "read" and not honest.answer.refused
    return reading is not None and is_read and reading.fields in (("status",), ("home",))


def _about(honest: Honest) -> str | None:
    return None if honest.answer.reading is None else honest.answer.reading.entity_type


def _touches(honest: Honest) -> list[Touch]:
    return [each for each in honest.answer.operations if isinstance(each, Add | Update | Remove)]


def _id_name(honest: Honest, entity_type: str) -> str | None:
    """The field that repeats the id, told from the state the world was booted with."""
    found = honest.place.state[entity_type]
    names = next(iter(found.values()))
    return next(
        (name for name in names if all(str(each.get(name)) == key for key, each in found.items())), None
    )


def _all_have_type_of(honest: Honest, entity_type: str, name: str, value: Any) -> bool:
    others = [each[name] for each in honest.place.state[entity_type].values() if each.get(name) is not None]
    now = [each[name] for each in honest.world.entities(entity_type).values() if each.get(name) is not None]
    return bool(others) and {_kind(each) for each in (*others, *now)} == {_kind(value)}


def _kind(value: Any) -> str:
    if isinstance(value, bool):
        return "boolean"
    return "number" if isinstance(value, int | float) else type(value).__name__


def _values_of(honest: Honest) -> Iterator[Any]:
    for found in honest.place.state.values():
        for fields in found.values():
            yield from (each for each in fields.values() if not isinstance(each, dict | list))


def _objects(value: Any, path: Path = ()) -> Iterator[tuple[Path, dict[str, Any]]]:
    if isinstance(value, dict):
        yield path, value
    inner = value.items() if isinstance(value, dict) else enumerate(value) if isinstance(value, list) else ()
    for step, each in inner:
        yield from _objects(each, (*path, step))


def _leaves(value: Any, path: Path = ()) -> Iterator[Path]:
    inner = (
        value.items() if isinstance(value, dict) else enumerate(value) if isinstance(value, list) else None
    )
    if inner is None:
        yield path
        return
    for step, each in inner:
        yield from _leaves(each, (*path, step))


def _at(value: Any, path: Path) -> Any:
    for step in path:
        value = value[step]
    return value


def _replace(answer: Answer, **members: Any) -> Answer:
    return msgspec.structs.replace(answer, **members)


def _with_response(honest: Honest, path: Path, value: Any) -> Answer:
    response = copy.deepcopy(honest.answer.response)
    _at(response, path[:-1])[path[-1]] = value
    return _replace(honest.answer, response=response)


def _with_operation(honest: Honest, place: int, operation: Operation) -> Answer:
    operations = list(honest.answer.operations)
    operations[place] = operation
    return _replace(honest.answer, operations=tuple(operations))


def _with_fields(touch: Add | Update, fields: dict[str, Any]) -> Operation:
    return msgspec.structs.replace(touch, fields={**touch.fields, **fields})


def _tell_as_well(answer: Answer, honest: Honest, touch: Touch, fields: dict[str, Any]) -> Answer:
    """Say in the response what was written, so that only the world speaks against it."""
    response = copy.deepcopy(answer.response)
    for each in _shown(honest):
        if (each.entity_type, each.id) == (touch.entity_type, touch.id):
            told = _at(response, each.path)
            told |= {name: value for name, value in fields.items() if name in told}
    return _replace(answer, response=response)

"""Laying the changes that lines make over those that an engine proposes: where both speak, the line counts."""

from collections.abc import Mapping, Sequence
from typing import Any

from odyssey.kit.words import phrase
from odyssey.records.ledger import Add, ClearFlag, Operation, Remove, SetFlag, Update
from odyssey.simulation.behaviours.behaviours import Act, Adds, Effect, FieldWrite, FlagWrite, Removes
from odyssey.simulation.behaviours.moment import (
    BehaviourFailedError,
    CallRefusedError,
    Moment,
    UnsaidError,
    not_found,
    unsaid_error,
)
from odyssey.simulation.engine import ToolCall
from odyssey.simulation.world.answer import identity_of
from odyssey.simulation.world.kinds import Kind, know
from odyssey.worlds.identifiers import new_id
from odyssey.worlds.ledger import Ledger, copy_json
from odyssey.worlds.schema import brief, id_text

Key = tuple[str, str]
"""The type and id of an entity."""


def carry_out(
    effects: Sequence[Effect], moment: Moment, call: ToolCall, world: Ledger, proposed: Sequence[Operation]
) -> tuple[tuple[Operation, ...], list[int]]:
    """The operations of a call: those proposed, as far as no line says otherwise, and those of the lines.

    Beside them the numbers of the lines that had something to change.
    """
    overlay = _Overlay(moment, call, world, proposed)
    lines = []
    for effect in effects:
        try:
            for act in effect.acts:
                overlay.act(effect.line, act)
        except UnsaidError:
            if not effect.for_all:
                raise
        else:
            lines.append(effect.line)
    return overlay.operations(), lines


class _Overlay:
    """Expressions see the world before the call; only what lines write builds on what lines wrote."""

    def __init__(self, moment: Moment, call: ToolCall, world: Ledger, proposed: Sequence[Operation]) -> None:
        self._moment = moment
        self._call = call
        self._world = world
        self._proposed = list(proposed)
        self._written: dict[Key, dict[str, Any]] = {}
        self._added: dict[Key, dict[str, Any]] = {}
        self._removed: dict[Key, None] = {}
        self._flags: dict[str, bool] = {}

    def act(self, line: int, act: Act) -> None:
        match act:
            case FieldWrite(entity_type, path, value, appends):
                write = self._append if appends else self._set
                write(line, self._target(line, entity_type), path, self._moment.value(line, value))
            case Adds(entity_type, fields):
                self._add(line, entity_type, {name: self._moment.value(line, each) for name, each in fields})
            case Removes(entity_type):
                key = self._target(line, entity_type)
                self._written.pop(key, None)
                self._removed[key] = None
            case FlagWrite(text, is_set):
                self._flags[self._moment.text(line, text)] = is_set

    def operations(self) -> tuple[Operation, ...]:
        found = [each for each in self._proposed if not self._is_overruled(each)]
        updates: list[Operation] = []
        for key, fields in self._written.items():
            if key in self._added:
                self._added[key] |= fields
            elif not _write_into(found, key, fields):
                updates.append(Update(*key, fields))
        added = [Add(*key, fields) for key, fields in self._added.items() if key not in self._removed]
        removed = [Remove(*key) for key in self._removed if self._world.entity(*key) is not None]
        flags = [SetFlag(flag) if is_set else ClearFlag(flag) for flag, is_set in self._flags.items()]
        return (*found, *added, *updates, *removed, *flags)

    def _is_overruled(self, operation: Operation) -> bool:
        match operation:
            case SetFlag(flag=flag) | ClearFlag(flag=flag):
                return flag in self._flags
            case Remove():
                return _key(operation) in self._written or _key(operation) in self._removed
        return _key(operation) in self._removed

    def _target(self, line: int, entity_type: str) -> Key:
        """The entity a line changes: the one an argument names, else the one this call adds, else one reached."""
        bound = self._moment.binding.find(entity_type)
        is_there = bound is not None and bound.fields is not None
        if bound is not None and is_there and bound.argument is not None:
            return (entity_type, bound.id)
        proposed = [_key(each) for each in self._proposed if isinstance(each, Add)]
        added = [key for key in (*proposed, *self._added) if key[0] == entity_type]
        if added:
            return added[-1]
        if bound is None:
            raise unsaid_error(line, entity_type)
        if not is_there:
            raise not_found(line, bound)
        return (entity_type, bound.id)

    def _set(self, line: int, key: Key, path: tuple[str, ...], value: Any) -> None:
        self._removed.pop(key, None)
        written = self._written.setdefault(key, {})
        first, *inside = path
        if not inside:
            written[first] = value
            return
        held = written[first] if first in written else self._proposed_fields(key).get(first)
        outer = written[first] = {} if held is None else copy_json(held)
        for depth, name in enumerate(inside, start=1):
            if not isinstance(outer, dict):
                place = ".".join((key[0], *path[:depth]))
                raise BehaviourFailedError(line, f"{place} is {brief(outer)}, which has no fields")
            if depth == len(inside):
                outer[name] = value
            elif outer.get(name) is None:
                outer[name] = {}
            outer = outer[name]

    def _append(self, line: int, key: Key, path: tuple[str, ...], value: Any) -> None:
        written = self._written.get(key, {})
        held: Any = written if path[0] in written else self._held_fields(key)
        for name in path:
            held = held.get(name) if isinstance(held, Mapping) else None
        if held is not None and not isinstance(held, list):
            place = ".".join((key[0], *path))
            raise BehaviourFailedError(line, f"{place} is {brief(held)}, which is not a list")
        self._set(line, key, path, [*copy_json(held or []), value])

    def _held_fields(self, key: Key) -> Mapping[str, Any]:
        """What the entity is without the engine's changes; of a new one, what it is made with."""
        held = self._world.entity(*key)
        return self._proposed_fields(key) if held is None else held

    def _proposed_fields(self, key: Key) -> dict[str, Any]:
        fields = dict(self._world.entity(*key) or self._added.get(key) or {})
        for each in self._proposed:
            if isinstance(each, Add | Update) and _key(each) == key:
                fields |= each.fields
        return fields

    def _add(self, line: int, entity_type: str, fields: dict[str, Any]) -> None:
        kind = know(entity_type, self._with_added(), self._call.ledger_schema)
        names = [kind.id_field] if kind.id_field else ["id", f"{entity_type}_id"]
        given = next((name for name in names if name in fields), None)
        proposed = self._take_proposed(entity_type)
        if given is None:
            entity_id = proposed.id if proposed else self._draw(kind)
        else:
            entity_id = id_text(fields[given]) or ""
            if not entity_id:
                reason = f"{given} is {brief(fields[given])}; an id is a text or an integer"
                raise BehaviourFailedError(line, reason)
            if entity_id in kind.entities:
                message = f"The {phrase(entity_type)} with id {entity_id!r} exists already."
                raise CallRefusedError(line, "conflict", message)
        if given is None and kind.id_field:
            fields = {kind.id_field: identity_of(kind, entity_id)[kind.id_field], **fields}
        if proposed is not None and proposed.id != entity_id:
            self._proposed = [_renamed(each, proposed.id, entity_id) for each in self._proposed]
        self._added[entity_type, entity_id] = {**(proposed.fields if proposed else {}), **fields}

    def _draw(self, kind: Kind) -> str:
        return new_id(kind.world, kind.name, random_seed=self._call.random_seed, sequence=self._call.sequence)

    def _take_proposed(self, entity_type: str) -> Add | None:
        """The entity of this type that the engine would add: the one the line is about."""
        for each in self._proposed:
            if isinstance(each, Add) and each.entity_type == entity_type:
                self._proposed.remove(each)
                return each
        return None

    def _with_added(self) -> Ledger:
        world = self._world
        for key, fields in self._added.items():
            world = world.with_entity(*key, fields)
        return world


def _key(operation: Add | Update | Remove) -> Key:
    return (operation.entity_type, operation.id)


def _write_into(operations: list[Operation], key: Key, fields: Mapping[str, Any]) -> bool:
    """Put fields into the last of these operations that is about the entity, and out of the others."""
    # The engine proposes order o-1 {"status": "closed", "note": "x"}, a line sets the status to "done": what is left is
    # one operation, {"note": "x", "status": "done"}.
    places = [
        place for place, each in enumerate(operations) if isinstance(each, Add | Update) and _key(each) == key
    ]
    for place in places:
        each = operations[place]
        assert isinstance(each, Add | Update)
        kept = {name: value for name, value in each.fields.items() if name not in fields}
        operations[place] = type(each)(*key, {**kept, **fields} if place == places[-1] else kept)
    return bool(places)


def _renamed(operation: Operation, old: str, new: str) -> Operation:
    """The same operation where lists name a new entity by the id a line gives it."""
    if not isinstance(operation, Add | Update):
        return operation
    fields = {
        name: [new if each == old else each for each in value] if isinstance(value, list) else value
        for name, value in operation.fields.items()
    }
    return type(operation)(operation.entity_type, operation.id, fields)

"""What a call with lines of its own answers: what the engine shows, as the world has it once the lines are done."""

from collections.abc import Iterator, Mapping, Sequence
from typing import Any, NamedTuple

from odyssey.records.ledger import Add, Operation, Remove, Update
from odyssey.records.smallest import smallest_value
from odyssey.simulation.engine import Answer, ToolCall
from odyssey.simulation.world.answer import identity_of
from odyssey.simulation.world.kinds import know, known_types
from odyssey.simulation.world.naming import read_name
from odyssey.simulation.world.shape import Known, fit
from odyssey.worlds.ledger import Ledger, copy_json, json_equal
from odyssey.worlds.operations import apply
from odyssey.worlds.schema import id_text

_SCALARS = (str, int, float, bool, type(None))


class _Shown(NamedTuple):
    """An entity that the engine may have shown, as it showed it and as it has become."""

    id_field: str
    id: str
    fields: Mapping[str, Any]
    becomes: dict[str, Any]

    def is_shown_by(self, value: dict[str, Any]) -> bool:
        """Whether an object is this entity: it gives the id, is mostly made of its fields, and denies none."""
        if id_text(value.get(self.id_field)) != self.id:
            return json_equal(value, dict(self.fields))
        shared = [name for name in value if name in self.fields or name == self.id_field]
        return 2 * len(shared) > len(value) and not any(
            isinstance(value[name], _SCALARS) and _differs(value[name], self.fields[name])
            for name in shared
            if name in self.fields
        )

    def refreshed(self, value: dict[str, Any]) -> dict[str, Any]:
        is_whole = self.fields.keys() <= value.keys()
        names = [*value, *(name for name in self.becomes if is_whole and name not in value)]
        return {name: self.becomes.get(name, value.get(name)) for name in names}


def respond(
    call: ToolCall, inner: Answer, before: Ledger, operations: Sequence[Operation], after: Ledger
) -> Any:
    """The engine's response with every entity in it as it is after the call, or what was changed in its place."""
    if not _still_stands(inner, after):
        return copy_json(_changed(call, operations, after))
    shown = list(_shown(call, inner, before, operations, after))
    if not shown:
        return inner.response
    response = _refresh(copy_json(inner.response), shown)
    noun = inner.reading.entity_type if inner.reading else None
    return fit(response, call.tool.output_schema, Known(noun or "", call.arguments)).value


def _still_stands(inner: Answer, after: Ledger) -> bool:
    """Whether the engine understood the call and what it shows as new is there."""
    if inner.refused or inner.reading is None or inner.reading.operation == "none":
        return False
    return all(
        after.entity(each.entity_type, each.id) is not None
        for each in inner.operations
        if isinstance(each, Add)
    )


def _changed(call: ToolCall, operations: Sequence[Operation], after: Ledger) -> Any:
    """The one entity that was changed, or the one of those that the tool is called after; else the least allowed."""
    keys = list(dict.fromkeys(_keys(operations)))
    keys = [key for key in keys if after.entity(*key) is not None]
    if len(keys) > 1:
        noun = read_name(call.tool.name, known_types(after, call.ledger_schema)).entity_type
        keys = [key for key in keys if key[0] == noun]
    schema = call.tool.output_schema
    if len(keys) != 1:
        return {} if schema is None else smallest_value(schema)
    entity_type, entity_id = keys[0]
    kind = know(entity_type, after, call.ledger_schema)
    known = Known(entity_type, call.arguments, identity_of(kind, entity_id), word=call.tool.name)
    return fit(dict(after.entity(*keys[0]) or {}), schema, known).value


def _shown(
    call: ToolCall, inner: Answer, before: Ledger, operations: Sequence[Operation], after: Ledger
) -> Iterator[_Shown]:
    """The entities that are otherwise than the engine would have left them."""
    proposed = apply(before, inner.operations, "off").ledger
    for key in dict.fromkeys((*_keys(inner.operations), *_keys(operations))):
        fields = proposed.entity(*key) or before.entity(*key)
        becomes = after.entity(*key)
        if fields is not None and becomes is not None and _differs(dict(fields), dict(becomes)):
            id_field = know(key[0], after, call.ledger_schema).id_field or "id"
            yield _Shown(id_field, key[1], fields, dict(becomes))


def _refresh(value: Any, shown: Sequence[_Shown]) -> Any:
    if isinstance(value, list):
        return [_refresh(each, shown) for each in value]
    if not isinstance(value, dict):
        return value
    entity = next((each for each in shown if each.is_shown_by(value)), None)
    if entity is not None:
        return entity.refreshed(value)
    return {name: _refresh(each, shown) for name, each in value.items()}


def _differs(left: Any, right: Any) -> bool:
    return bool(left != right) or not json_equal(left, right)  # true is 1 in Python, and not in JSON


def _keys(operations: Sequence[Operation]) -> Iterator[tuple[str, str]]:
    for each in operations:
        if isinstance(each, Add | Update | Remove):
            yield (each.entity_type, each.id)

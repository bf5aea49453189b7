"""Applying what was proposed to a ledger, and reading the traces that leaves.

Every applied operation leaves one entry, also when nothing changed by it (a flag that was set already, an
update to equal values): it happened, so it is evidence. A `remove` of what does not exist is not applied and
leaves none.
"""

from collections.abc import Iterable, Sequence
from typing import Any, NamedTuple, assert_never

import msgspec

from odyssey.records.faults import Faults
from odyssey.records.ledger import (
    Add,
    ClearFlag,
    ConsistencyMode,
    Difference,
    EntityChange,
    Entry,
    Operation,
    Remove,
    SetFlag,
    Update,
    Violation,
)
from odyssey.worlds.ledger import EntityStates, Ledger, copy_json, json_equal

_OPS = ("add", "update", "remove", "set_flag", "clear_flag")


class OperationInvalidError(ValueError):
    """The value is not an operation; the message says what to mend."""


class ApplyResult(NamedTuple):
    """What became of a proposal. `refused`: the ledger is the one that was given, `entries` is empty."""

    ledger: Ledger
    entries: tuple[Entry, ...]
    violations: tuple[Violation, ...]
    refused: bool


class _Step(NamedTuple):
    ledger: Ledger
    entry: Entry | None
    violation: Violation | None = None


def apply(
    ledger: Ledger, operations: Sequence[Operation], mode: ConsistencyMode, *, sequence: int | None = None
) -> ApplyResult:
    """Apply in order. What contradicts the world is a violation in every mode but `off`.

    `strict` then refuses the whole proposal; otherwise `add` and `update` insert or merge, and `remove` does
    nothing.
    """
    after = ledger
    entries: list[Entry] = []
    violations: list[Violation] = []
    for operation in operations:
        after, entry, violation = _apply_one(after, operation, sequence)
        if entry is not None:
            entries.append(entry)
        if violation is not None and mode != "off":
            violations.append(violation)
    if mode == "strict" and violations:
        return ApplyResult(ledger, (), tuple(violations), refused=True)
    return ApplyResult(after, tuple(entries), tuple(violations), refused=False)


def fold(initial: Ledger, entries: Iterable[Entry]) -> Ledger:
    """The world after these entries: time travel is a shorter fold."""
    ledger = initial
    for entry in entries:
        ledger = _redo(ledger, entry)
    return ledger


def difference(before: Ledger, after: Ledger) -> Difference:
    """What differs, sorted by type and id; empty exactly when the ledgers are equal."""
    return Difference(
        changes=[_describe(change) for change in before.changes_to(after)],
        flags_set=sorted(after.flags - before.flags),
        flags_cleared=sorted(before.flags - after.flags),
    )


def operations_of(change: Difference) -> list[Operation]:
    """Say what leads from the one moment to the other: applied to the first, these give the second.

    An update cannot take a member away, so an entity that lost one is removed and added anew.
    """
    found: list[Operation] = []
    for each in change.changes:
        before, after = each.before, each.after
        if after is None:
            found.append(Remove(each.entity_type, each.id))
        elif before is None:
            found.append(Add(each.entity_type, each.id, after))
        elif before.keys() <= after.keys():
            found.append(Update(each.entity_type, each.id, {name: after[name] for name in each.fields}))
        else:
            found += [Remove(each.entity_type, each.id), Add(each.entity_type, each.id, after)]
    found += [SetFlag(flag) for flag in change.flags_set]
    found += [ClearFlag(flag) for flag in change.flags_cleared]
    return found


def read_operation(raw: Any) -> Operation:
    """Read one operation as it stands in a rule, a fork or an adapter; raises OperationInvalidError."""
    if not isinstance(raw, dict):
        raise OperationInvalidError(
            'an operation is an object such as {"op": "add", "entity_type", "id", "fields"}'
        )
    if raw.get("op") not in _OPS:
        raise OperationInvalidError(f"op: {raw.get('op')!r} is not one of {', '.join(_OPS)}")
    try:
        operation: Operation = msgspec.convert(copy_json(raw), type=Operation)
    except msgspec.ValidationError as error:
        raise OperationInvalidError(_in_words(str(error))) from error
    return operation


def read_operations(raw: Iterable[Any], faults: Faults) -> tuple[Operation, ...]:
    """Read a list of operations; those that are none are left out, and `faults` says why at their places."""
    read: list[Operation] = []
    for place, item in enumerate(raw):
        try:
            read.append(read_operation(item))
        except OperationInvalidError as error:
            faults.add(str(error), place)
    return tuple(read)


def _apply_one(ledger: Ledger, operation: Operation, sequence: int | None) -> _Step:
    match operation:
        case Add() | Update():
            return _upsert(ledger, operation, sequence)
        case Remove():
            return _remove(ledger, operation, sequence)
        case SetFlag(flag=flag):
            return _Step(ledger.with_flag(flag), Entry(op="set_flag", flag=flag))
        case ClearFlag(flag=flag):
            return _Step(ledger.without_flag(flag), Entry(op="clear_flag", flag=flag))
        case _:
            assert_never(operation)


def _upsert(ledger: Ledger, operation: Add | Update, sequence: int | None) -> _Step:
    entity_type, entity_id = operation.entity_type, operation.id
    before = ledger.entity(entity_type, entity_id)
    after = copy_json({**(before or {}), **operation.fields})
    is_add = isinstance(operation, Add)
    violation = None
    if is_add and before is not None:
        message = f"add: {entity_type} {entity_id!r} exists already"
        violation = Violation("add_existing", entity_type, entity_id, None, message, sequence)
    elif not is_add and before is None:
        message = f"update: {entity_type} {entity_id!r} does not exist"
        violation = Violation("update_missing", entity_type, entity_id, None, message, sequence)
    entry = Entry(
        op="add" if is_add else "update",
        entity_type=entity_type,
        id=entity_id,
        before=None if before is None else dict(before),
        after=after,
    )
    return _Step(ledger.with_entity(entity_type, entity_id, after), entry, violation)


def _remove(ledger: Ledger, operation: Remove, sequence: int | None) -> _Step:
    entity_type, entity_id = operation.entity_type, operation.id
    before = ledger.entity(entity_type, entity_id)
    if before is None:
        message = f"remove: {entity_type} {entity_id!r} does not exist"
        return _Step(
            ledger, None, Violation("remove_missing", entity_type, entity_id, None, message, sequence)
        )
    entry = Entry(op="remove", entity_type=entity_type, id=entity_id, before=dict(before))
    return _Step(ledger.without_entity(entity_type, entity_id), entry)


def _redo(ledger: Ledger, entry: Entry) -> Ledger:
    if entry.op == "record":
        return ledger
    if entry.flag is not None:
        return ledger.with_flag(entry.flag) if entry.op == "set_flag" else ledger.without_flag(entry.flag)
    assert entry.entity_type is not None
    assert entry.id is not None
    if entry.after is None:
        return ledger.without_entity(entry.entity_type, entry.id)
    return ledger.with_entity(entry.entity_type, entry.id, entry.after)


def _describe(change: EntityStates) -> EntityChange:
    before, after = change.before, change.after
    if before is None:
        return EntityChange("added", change.entity_type, change.id, None, after, sorted(after or {}))
    if after is None:
        return EntityChange("removed", change.entity_type, change.id, before, None, sorted(before))
    differing = sorted(
        name
        for name in before.keys() | after.keys()
        if name not in before or name not in after or not json_equal(before[name], after[name])
    )
    return EntityChange("changed", change.entity_type, change.id, before, after, differing)


def _in_words(message: str) -> str:
    """Turn msgspec's "Expected `str`, got `int` - at `$.id`" into "id: expected str, got int"."""
    problem, _, path = message.replace("`", "").partition(" - at $")
    problem = problem[:1].lower() + problem[1:]
    path = path.removeprefix(".")
    return f"{path}: {problem}" if path else problem

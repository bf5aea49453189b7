"""What operations may not do whatever the ledger schema says, and changes a call asks for that an answer leaves out."""

from collections.abc import Iterator, Mapping, Sequence
from typing import Any, NamedTuple

from odyssey.kit.words import listed
from odyssey.records.canonical import canonical_json
from odyssey.records.ledger import Add, Operation, Remove, Update, Violation
from odyssey.simulation.consistency.knowledge import CallMeaning, TypeKnowledge, WorldKnowledge
from odyssey.simulation.engine import Answer, ToolCall
from odyssey.simulation.world.answer import GUESSED
from odyssey.simulation.world.kinds import Collection, FieldPath, json_kind
from odyssey.worlds.ledger import Ledger, json_equal
from odyssey.worlds.operations import apply
from odyssey.worlds.schema import brief, id_text

# What operations may not do whatever the ledger schema says: change ids, point at nothing, change types.

_NO_FIELDS: dict[str, Any] = {}


class _WrittenValue(NamedTuple):
    """A value that is written: a field, a member of a record in one, or a member of a part."""

    path: tuple[str, ...]
    value: Any
    usual: frozenset[str]
    """The JSON types that others have there; none if nobody has it."""
    stood: Any
    """What stood there before, as far as that can be told."""

    @property
    def name(self) -> str:
        return ".".join(self.path)


def check_written(
    operations: Sequence[Operation],
    known: WorldKnowledge,
    before: Ledger,
    after: Ledger,
    sequence: int | None,
) -> list[Violation]:
    """What a ledger schema declares is checked where operations are applied; here, what the world itself shows."""
    found: list[Violation] = []
    for operation in operations:
        if not isinstance(operation, Add | Update):
            continue
        stood = before.entity(operation.entity_type, operation.id) or _NO_FIELDS
        knowledge = known.types.get(operation.entity_type)
        if knowledge is not None:
            found += _check_id(operation, knowledge, sequence)
        for leaf in _leaves(operation, stood, knowledge):
            if knowledge is not None:
                found += _check_type(operation, leaf, knowledge, sequence)
            found += _check_reference(operation, leaf, known, after, sequence)
    return found


def _leaves(
    operation: Add | Update, stood: Mapping[str, Any], knowledge: TypeKnowledge | None
) -> Iterator[_WrittenValue]:
    """What is new in the written fields; null fits everywhere and says nothing."""
    for name, value in operation.fields.items():
        held = stood.get(name)
        if value is None or (name in stood and json_equal(held, value)):
            continue
        if knowledge is None:
            yield _WrittenValue((name,), value, frozenset(), held)
            continue
        yield from _inside((name,), value, held, knowledge.anatomy.kinds)
        collection = knowledge.anatomy.collection(name)
        if collection is not None:
            yield from _in_parts(collection, value, held)


def _inside(
    path: FieldPath, value: Any, stood: Any, kinds: Mapping[FieldPath, frozenset[str]]
) -> Iterator[_WrittenValue]:
    yield _WrittenValue(path, value, kinds.get(path, frozenset()), stood)
    for name, inner in value.items() if isinstance(value, dict) else ():
        held = stood.get(name) if isinstance(stood, dict) else None
        is_new = inner is not None and not (held is not None and json_equal(held, inner))
        if is_new and (*path, name) in kinds:
            yield from _inside((*path, name), inner, held, kinds)


def _in_parts(collection: Collection, value: Any, stood: Any) -> Iterator[_WrittenValue]:
    """The members of the parts that were not there before."""
    there = {canonical_json(each) for each in _parts(stood).values()}
    for key, part in _parts(value).items():
        if not isinstance(part, dict) or canonical_json(part) in there:
            continue
        for name, inner in part.items():
            if inner is not None and name in collection.kinds:
                yield _WrittenValue((collection.field, key, name), inner, collection.kinds[name], None)


def _parts(held: Any) -> dict[str, Any]:
    if isinstance(held, list):
        return {str(place): each for place, each in enumerate(held)}
    return held if isinstance(held, dict) else {}


def _check_id(operation: Add | Update, knowledge: TypeKnowledge, sequence: int | None) -> Iterator[Violation]:
    name = knowledge.anatomy.id_field
    if name is None or name not in operation.fields or knowledge.declared is not None:
        return
    value = operation.fields[name]
    if id_text(value) != operation.id:
        message = f"{name} is {brief(value)} but the id is {operation.id!r}; ids never change"
        yield Violation("id_mismatch", operation.entity_type, operation.id, name, message, sequence)


def _check_type(
    operation: Add | Update, leaf: _WrittenValue, knowledge: TypeKnowledge, sequence: int | None
) -> Iterator[Violation]:
    is_declared = len(leaf.path) == 1 and knowledge.declaration(leaf.name) is not None
    if leaf.path == (knowledge.anatomy.id_field,) or is_declared:
        return
    usual = leaf.usual - {"null"}
    kind = json_kind(leaf.value)
    if not usual or kind in usual or kind == json_kind(leaf.stood):
        return
    entity_type, entity_id = operation.entity_type, operation.id
    others = listed(sorted(usual), "or")
    message = (
        f"{leaf.name} of {entity_type} {entity_id!r} becomes a value of type {kind}; others have {others}"
    )
    yield Violation("type_drift", entity_type, entity_id, leaf.name, message, sequence)


def _check_reference(
    operation: Add | Update, leaf: _WrittenValue, known: WorldKnowledge, after: Ledger, sequence: int | None
) -> Iterator[Violation]:
    targets = known.pointed_at(operation.entity_type, leaf.path[-1])
    if not targets:
        return
    for each in leaf.value if isinstance(leaf.value, list) else [leaf.value]:
        wanted = id_text(each)
        if wanted and not any(after.entity(target, wanted) is not None for target in targets):
            message = f"{leaf.name} is {brief(each)}, but no {listed(targets, 'or')} with this id exists"
            yield Violation(
                "dangling_reference", operation.entity_type, operation.id, leaf.name, message, sequence
            )


def check_by_example(
    operations: Sequence[Operation], known: WorldKnowledge, meant: CallMeaning, after: Ledger
) -> Iterator[Violation]:
    """Ids that nobody gave and no entity has, in a field that is known by example to hold those of a type."""
    for operation in operations:
        if not isinstance(operation, Add | Update):
            continue
        for name, value in operation.fields.items():
            target = known.shown_to_hold(operation.entity_type, name)
            for each in (value if isinstance(value, list) else [value]) if target else ():
                wanted = id_text(each)
                if target and wanted and wanted not in meant.given and after.entity(target, wanted) is None:
                    message = f"{name} is {brief(each)}, but no {target} with this id exists"
                    place = (operation.entity_type, operation.id, name)
                    yield Violation("dangling_reference", *place, message, meant.sequence)


# A change that a call asks for and an answer, which does not refuse, leaves out or makes elsewhere.

_FAILURES = ("error", "errors")
_SUCCESSES = ("success", "ok", "successful", "succeeded")
BY_DEFINITION = 1.0
"""Of an engine that reads a call by a program: what the tool changes is what the program says."""
_TRIES = frozenset({"dry_run", "dryrun", "preview", "preview_only", "validate_only", "simulate", "test_only"})


def check_owed(
    call: ToolCall, answer: Answer, known: WorldKnowledge, meant: CallMeaning, before: Ledger
) -> list[Violation]:
    """An engine that did not understand the call, or says what it did instead, owes nothing."""
    if answer.certainty <= GUESSED or tells_of_failure(answer.response):
        return []
    if meant.act == "look":
        return []
    if answer.reading is not None and (meant.act == "other" or answer.certainty >= BY_DEFINITION):
        return []
    found = _check_elsewhere(answer.operations, call, known, meant, before)
    if found or any(_changes(each, before) for each in answer.operations):
        return found
    return [] if _is_a_try(call) else _check_forgotten(call, meant, before)


def _is_a_try(call: ToolCall) -> bool:
    """Whether the caller asks what would happen: `dry_run`."""
    return any(call.arguments.get(name) is True for name in call.arguments if name.lower() in _TRIES)


def _check_forgotten(call: ToolCall, meant: CallMeaning, before: Ledger) -> list[Violation]:
    """What the world engine would change says what is owed; nothing is, where all is so already."""
    expected = meant.expected
    if expected.certainty <= GUESSED or expected.refused or not expected.operations:
        return []
    change = next(before.changes_to(apply(before, expected.operations, "off").ledger), None)
    if change is None:
        return []
    operation = next(
        each
        for each in expected.operations
        if isinstance(each, Add | Update | Remove) and (each.entity_type, each.id) == change[:2]
    )
    entity_id = None if change.before is None else change.id  # the id of a new one is anybody's choice
    words = "nothing" if expected.reading is None else repr(expected.reading.in_words())
    message = f"{call.tool.name} is read as {words}, and the answer does not refuse, but nothing changes"
    fields = operation.fields if isinstance(operation, Update) else {}
    field = next(iter(fields)) if len(fields) == 1 else None
    return [Violation("forgotten_write", change.entity_type, entity_id, field, message, call.sequence)]


def _changes(operation: Operation, before: Ledger) -> bool:
    """Whether there is anything in an operation that was not so before."""
    if not isinstance(operation, Update):
        return True
    stood = before.entity(operation.entity_type, operation.id) or {}
    return any(
        name not in stood or not json_equal(stood[name], value) for name, value in operation.fields.items()
    )


def _check_elsewhere(
    operations: tuple[Operation, ...],
    call: ToolCall,
    known: WorldKnowledge,
    meant: CallMeaning,
    before: Ledger,
) -> list[Violation]:
    if meant.act not in ("create", "update", "remove"):
        return []
    touched = [each for each in operations if isinstance(each, Add | Update | Remove)]
    return _check_types(touched, call, known, meant, before) or _check_which(touched, call, meant, before)


def _check_types(
    touched: list[Add | Update | Remove],
    call: ToolCall,
    known: WorldKnowledge,
    meant: CallMeaning,
    before: Ledger,
) -> list[Violation]:
    """What the call is about stays as it is, and a type nobody knows comes into the world instead."""
    about = meant.entity_type
    unknown = [each for each in touched if each.entity_type not in known.types]
    if about is None or not unknown or not before.entities(about):
        return []
    if any(each.entity_type == about for each in touched):
        return []
    first = unknown[0]
    message = (
        f"{call.tool.name} is about {about}, but what it writes is {first.entity_type}, which is no type"
    )
    return [Violation("invented_type", first.entity_type, first.id, None, message, call.sequence)]


def _check_which(
    touched: list[Add | Update | Remove], call: ToolCall, meant: CallMeaning, before: Ledger
) -> list[Violation]:
    """The one that the call names stays as it is while others of its type change."""
    if all(each.id in meant.given for each in touched) or meant.one is None:
        return []
    entity_type, entity_id = meant.one
    is_new = before.entity(entity_type, entity_id) is None
    if is_new and meant.act != "create":
        return []
    wanted = Add if is_new else Update | Remove
    ids = [each.id for each in touched if each.entity_type == entity_type and isinstance(each, wanted)]
    if not ids or not meant.given.isdisjoint(ids):
        return []
    message = (
        f"{call.tool.name} is about {entity_type} {entity_id!r}, but {entity_type} {ids[0]!r} is written"
    )
    return [Violation("wrong_entity", entity_type, ids[0], None, message, call.sequence)]


def tells_of_failure(response: Any) -> bool:
    """Whether a response says in its own shape that it was not done: `{"success": false, …}`, "Error: …"."""
    if isinstance(response, str):
        return response.lower().startswith("error")
    if not isinstance(response, dict):
        return response is False
    return any(response.get(name) for name in _FAILURES) or any(
        response.get(name) is False for name in _SUCCESSES
    )

"""What operations may not do whatever the ledger schema says: change ids, point at nothing, change types."""

from collections.abc import Iterator, Mapping, Sequence
from typing import Any, NamedTuple

from odyssey.kit.words import listed
from odyssey.records.canonical import canonical_json
from odyssey.records.ledger import Add, Operation, Update, Violation
from odyssey.simulation.consistency.knowledge import TypeKnowledge, WorldKnowledge
from odyssey.simulation.world.anatomy import Collection, FieldPath, json_kind
from odyssey.worlds.ledger import Ledger, json_equal
from odyssey.worlds.schema import brief, id_text

_NO_FIELDS: dict[str, Any] = {}


class _Leaf(NamedTuple):
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
) -> Iterator[_Leaf]:
    """What is new in the written fields; null fits everywhere and says nothing."""
    for name, value in operation.fields.items():
        held = stood.get(name)
        if value is None or (name in stood and json_equal(held, value)):
            continue
        if knowledge is None:
            yield _Leaf((name,), value, frozenset(), held)
            continue
        yield from _inside((name,), value, held, knowledge.anatomy.kinds)
        collection = knowledge.anatomy.collection(name)
        if collection is not None:
            yield from _in_parts(collection, value, held)


def _inside(
    path: FieldPath, value: Any, stood: Any, kinds: Mapping[FieldPath, frozenset[str]]
) -> Iterator[_Leaf]:
    yield _Leaf(path, value, kinds.get(path, frozenset()), stood)
    for name, inner in value.items() if isinstance(value, dict) else ():
        held = stood.get(name) if isinstance(stood, dict) else None
        is_new = inner is not None and not (held is not None and json_equal(held, inner))
        if is_new and (*path, name) in kinds:
            yield from _inside((*path, name), inner, held, kinds)


def _in_parts(collection: Collection, value: Any, stood: Any) -> Iterator[_Leaf]:
    """The members of the parts that were not there before."""
    there = {canonical_json(each) for each in _parts(stood).values()}
    for key, part in _parts(value).items():
        if not isinstance(part, dict) or canonical_json(part) in there:
            continue
        for name, inner in part.items():
            if inner is not None and name in collection.kinds:
                yield _Leaf((collection.field, key, name), inner, collection.kinds[name], None)


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
    operation: Add | Update, leaf: _Leaf, knowledge: TypeKnowledge, sequence: int | None
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
    operation: Add | Update, leaf: _Leaf, known: WorldKnowledge, after: Ledger, sequence: int | None
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

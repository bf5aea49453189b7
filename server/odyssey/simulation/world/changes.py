"""What an update changes: which field each argument is written to, and what the verb alone sets."""

import re
from collections.abc import Iterator, Mapping
from decimal import Decimal
from typing import Any, NamedTuple

from odyssey.kit.words import id_noun, is_id_list, same_name, stem, tokens
from odyssey.records.ledger import Operation, Update
from odyssey.simulation.world.answer import WorldQuestion
from odyssey.simulation.world.kinds import Collection, Kind
from odyssey.simulation.world.meaning import arguments_of
from odyssey.simulation.world.relations import holder, home, places, pointer_to, references
from odyssey.simulation.world.status import recorded_in
from odyssey.simulation.world.values import is_secret
from odyssey.worlds.field_index import PathStep
from odyssey.worlds.ledger import copy_json


def changes_of(question: WorldQuestion, fields: Mapping[str, Any]) -> tuple[dict[str, Any], list[str]]:
    """The new values of top-level fields, and the arguments that name nothing this entity has.

    An argument goes into a record, a field called after the verb, or the field of its own name.
    """
    # `change_order_address(order_id="o-1", town="Bergen")` where o-1 has {"address": {"town": "Oslo", "street": …}}:
    # the name says that the target is address, which is a record with a member town; so the change is
    # {"address": {"town": "Bergen", "street": …}}. The street is carried along because an update
    # replaces whole fields.
    changes: dict[str, Any] = {}
    swapped = _swap_parts(question, fields, changes)
    target = _target(question)
    leftover = []
    for argument, value in question.others().items():
        if argument in swapped or is_scope(question, argument) or is_secret(question, argument):
            continue
        if not _write(question, fields, changes, target, argument, value):
            leftover.append(argument)
    if len(leftover) == 1 and target is not None and target not in changes:
        # `set_thing_size(thing_id, value)`: the name says where the only value goes.
        changes[target] = copy_json(question.call.arguments[leftover.pop()])
    return changes, leftover


def is_scope(question: WorldQuestion, argument: str) -> bool:
    """Whether an id before the entity's own only says whose it is: `close_thing(owner_id, thing_id)`."""
    order = arguments_of(question.call)
    chosen = question.intent.id_argument
    if id_noun(argument) is None or chosen is None or order.index(argument) > order.index(chosen):
        return False
    return any(True for _ in references(question.kind, {argument: question.call.arguments[argument]}))


def _write(
    question: WorldQuestion,
    fields: Mapping[str, Any],
    changes: dict[str, Any],
    target: str | None,
    argument: str,
    value: Any,
) -> bool:
    kind = question.kind
    member = _member(kind, target, argument)
    if target is not None and member is not None:
        _put_into(changes, fields, (target, member), value)
        return True
    recorded = recorded_in(kind, question.intent.naming.word, argument)
    if recorded is not None:
        changes[recorded] = _kept(question, argument, value)
        return True
    path = kind.path_of(argument) or kind.path_of("_".join((*question.intent.naming.after, argument)))
    if path is None:
        pointed = next((pointer_to(kind, each) for each in references(kind, {argument: value})), None)
        path = None if pointed is None else (pointed,)
    if path is None:
        return False
    if path[0] != kind.id_field:
        _put_into(changes, fields, path, value)
    return True


def _target(question: WorldQuestion) -> str | None:
    """The field the tool's name says: `change_thing_place`."""
    naming = question.intent.naming
    for words in (naming.after, naming.before + naming.after):
        path = question.kind.path_of("_".join(words)) if words else None
        if path is not None and len(path) == 1 and path[0] != question.kind.id_field:
            return path[0]
    return None


def _member(kind: Kind, record: str | None, argument: str) -> str | None:
    members = kind.anatomy.members(record) if record else ()
    bare = "_".join(tokens(argument)[1:]) if tokens(argument)[:1] == ("new",) else argument
    return next((name for name in members if same_name(name, argument) or same_name(name, bare)), None)


def _put_into(changes: dict[str, Any], fields: Mapping[str, Any], path: tuple[str, ...], value: Any) -> None:
    if len(path) == 1:
        held = fields.get(path[0])
        is_part = isinstance(held, dict) and isinstance(value, dict) and value.keys() < held.keys()
        # Of a record that is there, {"city": "Oslo"} changes the city and leaves the street alone.
        changes[path[0]] = copy_json({**held, **value} if is_part and isinstance(held, dict) else value)
        return
    if path[0] not in changes:
        # Written into below: what a ledger hands out is a copy.
        held = fields.get(path[0])
        changes[path[0]] = held if isinstance(held, dict) else {}
    inner = changes[path[0]]
    for name in path[1:-1]:
        inner = inner.setdefault(name, {})
    inner[path[-1]] = copy_json(value)


def _kept(question: WorldQuestion, argument: str, value: Any) -> Any:
    """Ids that are only named have no order: asking for the same ones leaves the same world."""
    lists = [name for name in question.call.arguments if is_id_list(name)]
    is_set = lists == [argument] and isinstance(value, list) and all(isinstance(each, str) for each in value)
    return sorted(value) if is_set else copy_json(value)


def _swap_parts(question: WorldQuestion, fields: Mapping[str, Any], changes: dict[str, Any]) -> list[str]:
    """`part_ids` and `new_part_ids`, one for one: each gives way to the one that is asked for instead."""
    # `modify_order_items(order_id, item_ids=["i-1"], new_item_ids=["i-2"])` where the order has the item
    # {"item_id": "i-1", "name": "cup", "price": 5} and a product, {"name": "mug", …}, keeps i-2 at the price 7:
    # the item becomes {"item_id": "i-2", "name": "mug", "price": 7}. It keeps its fields and takes their values from
    # the part i-2 and from the product around it.
    arguments = question.others()
    if question.intent.naming.verb != "update":
        return []
    for argument, old in arguments.items():
        new = arguments.get(f"new_{argument}")
        own = places([question.kind], argument) if is_id_list(argument) else []
        if not (own and isinstance(old, list) and isinstance(new, list) and len(old) == len(new)):
            continue
        held = fields.get(own[0].collection.field)
        member = own[0].path[-1]
        if not isinstance(held, list) or not isinstance(member, str):
            continue
        others = places(
            [each for each in question.kind.all_kinds() if each.name != question.kind.name], argument
        )
        for old_id, new_id in zip(old, new, strict=True):
            found = home(others, new_id)
            at = next((place for place, each in enumerate(held) if each.get(member) == old_id), None)
            if found is None or at is None:
                return []  # all of them or none: half an exchange is nothing anybody asked for
            source = {**found.kind.entities[found.owner_id], **found.value}
            held[at] = {name: source.get(name, value) for name, value in held[at].items()}
        changes[own[0].collection.field] = held
        return [argument, f"new_{argument}"]
    return []


# What else a description says will happen: "the debit will be reversed", "the reversal will be added to …".
#
# An entity may keep a list of records that each have a kind and one number. If the description says that one
# kind "will be" another, every record of the first kind gets a counterpart of the second. If it says that
# this is added to something, and the record points at a part that has a number so called, that number grows by it.
#
# An order has the payments [{"kind": "payment", "amount": 5, "method_id": "m-1"}], its user keeps m-1 with a balance of
# 1.5, and payments of the kind "refund" are known. "The payment will be refunded, and the refund will be added to the
# balance" then adds the payment {"kind": "refund", "amount": 5, "method_id": "m-1"} and makes the balance 6.5.

_WILL_BE = re.compile(r"\b(\w+)\s+(?:will be|is|are|gets?)\s+(?:fully\s+)?(\w+)", re.IGNORECASE)
_ADDED = re.compile(
    r"\b(\w+)\s+(?:will be|is|gets?)\s+(?:added|credited)\s+(?:back\s+)?to\s+([^.;]{3,80})", re.IGNORECASE
)


class _Counterpart(NamedTuple):
    """Records of one kind that get a counterpart of another."""

    collection: Collection
    kind_field: str
    number_field: str
    before: str
    after: str


def postings_of(
    kind: Kind, entity_id: str, fields: Mapping[str, Any], description: str
) -> tuple[dict[str, Any], tuple[Operation, ...]]:
    """What changes in the entity itself, and what changes elsewhere."""
    turn = next(_turns(kind, description), None)
    held = fields.get(turn.collection.field) if turn else None
    if turn is None or not isinstance(held, list):
        return {}, ()
    added = [
        {**each, turn.kind_field: turn.after} for each in held if each.get(turn.kind_field) == turn.before
    ]
    operations = _credits(kind, entity_id, turn, added, description)
    return ({turn.collection.field: [*held, *added]} if added else {}), operations


def _turns(kind: Kind, description: str) -> Iterator[_Counterpart]:
    pairs = _WILL_BE.findall(description.lower())
    for collection in kind.anatomy.collections if pairs else ():
        texts = [
            name for name in collection.members if collection.kinds[name] == {"string"} and not id_noun(name)
        ]
        numbers = [name for name in collection.members if collection.kinds[name] == {"number"}]
        if collection.by_key or len(numbers) != 1:
            continue
        for field in texts:
            values = [
                each
                for each in kind.values_at((collection.field, PathStep.EACH, field))
                if isinstance(each, str)
            ]
            by_stem = {stem("".join(tokens(value))): value for value in values}
            for subject, participle in pairs:
                before, after = by_stem.get(stem(subject)), by_stem.get(stem(participle))
                if before is not None and after is not None and before != after:
                    yield _Counterpart(collection, field, numbers[0], before, after)


def _credits(
    kind: Kind, entity_id: str, turn: _Counterpart, added: list[dict[str, Any]], description: str
) -> tuple[Operation, ...]:
    goals = [goal for what, goal in _ADDED.findall(description.lower()) if stem(what) == stem(turn.after)]
    if not goals:
        return ()
    words = set(tokens(goals[0]))
    changed: dict[tuple[str, str, str], dict[str, Any]] = {}
    for record in added:
        for pointer in (name for name in record if id_noun(name)):
            place = holder(kind, entity_id, pointer)
            if place is None or place.kind.name == kind.name or not place.keeps(record[pointer]):
                continue
            field = place.place.collection.field
            key = (place.kind.name, place.entity_id, field)
            held = changed.setdefault(key, place.kind.entities[place.entity_id][field])
            _credit(held[record[pointer]], words, record[turn.number_field])
    return tuple(Update(name, owner, {field: held}) for (name, owner, field), held in changed.items())


def _credit(part: dict[str, Any], words: set[str], amount: Any) -> None:
    for name, value in part.items():
        if tokens(name)[-1:] and tokens(name)[-1] in words and isinstance(value, int | float):
            # Decimals, so that 0.1 and 0.2 make 0.3 as they do in books.
            part[name] = float(Decimal(repr(value)) + Decimal(repr(amount)))
            return

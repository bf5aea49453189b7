"""Changing the world: every act checks first and refuses in words, then proposes operations."""

from collections.abc import Iterable, Mapping
from decimal import Decimal
from typing import Any, NamedTuple

from odyssey.kit.words import id_noun, listed, phrase, stem, tokens, word_set
from odyssey.records.ledger import Add, Operation, Remove, Update
from odyssey.simulation.engine import Answer, Reading, ToolCall
from odyssey.simulation.world.answer import (
    CERTAIN,
    LIKELY,
    UNSURE,
    WorldQuestion,
    identity_of,
    not_found,
    not_understood,
    refuse,
    respond,
)
from odyssey.simulation.world.changes import changes_of, is_scope, postings_of
from odyssey.simulation.world.demands import days_of, unmet_demand
from odyssey.simulation.world.kinds import Kind, know, known_types
from odyssey.simulation.world.meaning import Intent
from odyssey.simulation.world.ownership import is_anothers
from odyssey.simulation.world.refusals import (
    bad_standing,
    missing_part,
    missing_reference,
    not_theirs,
    still_linked,
)
from odyssey.simulation.world.relations import belongs, is_held, list_of, pointer_to, references
from odyssey.simulation.world.shape import FillSources, fit
from odyssey.simulation.world.status import effects_of, stated_status, status_fields
from odyssey.simulation.world.values import bad_value
from odyssey.worlds.identifiers import new_id
from odyssey.worlds.ledger import Ledger, copy_json
from odyssey.worlds.schema import id_text


def create(question: WorldQuestion) -> Answer:
    kind, call = question.kind, question.call
    entity_id = id_text(question.given(question.intent.id_argument))
    if entity_id is None:
        entity_id = new_id(kind.world, kind.name, random_seed=call.random_seed, sequence=call.sequence)
    elif entity_id in kind.entities and (
        (question.intent.naming.is_described and question.others())
        or any(True for _ in references(kind, question.others()))
    ):
        return not_understood(
            call, f"the {question.noun} {entity_id} is there, and nothing says what becomes of it"
        )
    elif entity_id in kind.entities:
        message = f"The {question.noun} with id {entity_id!r} exists already."
        return refuse("conflict", message, question.reading("create"))
    identity = identity_of(kind, entity_id)
    fields = {**_new_fields(question)}
    fields |= {
        name: value
        for name, value in stated_status(kind, call.tool.description).items()
        if fields.get(name) is None
    }
    bad = missing_reference(question, "create") or bad_value(question, fields, "create")
    bad = bad or unmet_demand(question, "create")
    if bad is not None:
        return bad
    if kind.id_field is not None:
        fields = {**fields, kind.id_field: identity[kind.id_field]}
    shown = fields if kind.id_field is not None else {**fields, "id": entity_id}
    known_type = bool(kind.entities) or kind.declared is not None
    return respond(
        question,
        shown,
        question.reading("create", fields),
        certainty=CERTAIN if known_type else LIKELY,
        operations=(Add(kind.name, entity_id, fields), *_enter_in_lists(question, entity_id)),
        identity=identity,
    )


def update(question: WorldQuestion) -> Answer:
    kind, naming = question.kind, question.intent.naming
    entity_id = question.entity_id
    if entity_id is None:
        return _nothing_to_act_on(question)
    fields = kind.entities.get(entity_id)
    if fields is None:
        return not_found(question, entity_id, "update")
    refusal = bad_standing(question, entity_id, fields) or missing_reference(question, "update")
    refusal = refusal or unmet_demand(question, "update") or not_theirs(question, "update")
    refusal = refusal or _somebody_elses(question, entity_id) or missing_part(question, entity_id)
    if refusal is not None:
        return refusal
    written, ignored = changes_of(question, fields)
    effects = effects_of(kind, naming, question.call.tool.description)
    effects.pop(kind.id_field or "", None)  # {"1": {"status": 1}}: what looks like an id is never changed
    stamped = _stamped(question, fields) if effects else {}
    changes = {**stamped, **effects, **written}  # what the caller wrote beats what the verb alone would set
    bad = bad_value(question, changes, "update")
    if bad is not None:
        return bad
    if _is_there_already(question, fields, changes):
        message = f"{question.noun.capitalize()} {entity_id} is like that already."
        return refuse("conflict", message, question.reading("update", changes), UNSURE)
    elsewhere: tuple[Operation, ...] = ()
    if effects:
        posted, elsewhere = postings_of(kind, entity_id, fields, question.call.tool.description)
        changes |= posted
    if not (changes or elsewhere):
        given = listed(sorted(question.others())) or "nothing that was given"
        why = f"{given} names nothing of a {question.noun} to change"
        return not_understood(question.call, why, question.reading("update"))
    operations = (Update(kind.name, entity_id, changes), *elsewhere) if changes else elsewhere
    certainty = LIKELY if ignored else CERTAIN
    return respond(
        question,
        {**fields, **changes},
        question.reading("update", changes, [question.intent.id_argument or "id"]),
        certainty=certainty if naming.verb != "unknown" or effects else UNSURE,
        operations=operations,
        identity=identity_of(kind, entity_id),
    )


_DATED = word_set("on at date time")


def _stamped(question: WorldQuestion, fields: Mapping[str, Any]) -> dict[str, Any]:
    """`close_order` where orders have a `closed_on` that is empty, in a world that keeps which day it is."""
    word = question.intent.naming.word.partition("_")[0]
    for name in question.kind.fields:
        words = tokens(name)
        is_meant = len(words) == 2 and stem(words[0]) == stem(word) and words[1] in _DATED
        if is_meant and fields.get(name) is None and name in fields:
            today = next(days_of(question.kind), None)
            return {} if today is None else {name: today}
    return {}


def _is_there_already(question: WorldQuestion, fields: Mapping[str, Any], changes: Mapping[str, Any]) -> bool:
    """Whether something is to go where it is: whoever sets a value may set it again, whoever moves a thing may not."""
    naming = question.intent.naming
    stands = naming.verb == "unknown" and not changes.keys().isdisjoint(status_fields(question.kind))
    is_same = bool(changes) and all(fields.get(name) == value for name, value in changes.items())
    return is_same and (stands or naming.word in _VERBS)


def remove(question: WorldQuestion) -> Answer:
    kind = question.kind
    entity_id = question.entity_id
    if entity_id is None:
        return _nothing_to_act_on(question)
    fields = kind.entities.get(entity_id)
    if fields is None:
        return not_found(question, entity_id, "remove")
    refusal = bad_standing(question, entity_id, fields) or missing_reference(question, "remove")
    refusal = refusal or unmet_demand(question, "remove") or not_theirs(question, "remove")
    refusal = refusal or _somebody_elses(question, entity_id) or still_linked(question, entity_id)
    refusal = refusal or bad_value(question, {}, "remove")
    if refusal is not None:
        return refusal
    return respond(
        question,
        dict(fields),
        question.reading("remove", by=[question.intent.id_argument or "id"]),
        certainty=CERTAIN,
        operations=(Remove(kind.name, entity_id),),
        identity=identity_of(kind, entity_id),
    )


def _new_fields(question: WorldQuestion) -> dict[str, Any]:
    """The arguments under the names the world's own entities use, inside records where those keep them."""
    kind = question.kind
    fields: dict[str, Any] = {}
    for argument, value in question.call.arguments.items():
        if argument == question.intent.id_argument:
            continue
        path = kind.path_of(argument) or _pointed(kind, argument, value) or (argument,)
        inner = fields
        for name in path[:-1]:
            inner = inner.setdefault(name, {})
        inner[path[-1]] = copy_json(value)
    return {**_empty_fields(kind, fields), **fields}


def _pointed(kind: Kind, argument: str, value: Any) -> tuple[str, ...] | None:
    found = next((pointer_to(kind, each) for each in references(kind, {argument: value})), None)
    return None if found is None else (found,)


def _empty_fields(kind: Kind, given: Mapping[str, Any]) -> dict[str, Any]:
    """What something new has beside what it was given: empty lists, and nothing where others have nothing."""
    # Orders have notes, a paid_on that is null in some, and a shop. A new order has no notes and is not paid; which
    # shop it is of nobody knows, so it has none.
    fields: dict[str, Any] = {}
    for name in kind.fields if kind.declared is None and len(kind.entities) > 1 else ():
        if name in given or name == kind.id_field:
            continue
        if kind.anatomy.has((name,), "null"):
            fields[name] = None
        elif kind.anatomy.has((name,), "array"):
            fields[name] = []
    return fields


def _enter_in_lists(question: WorldQuestion, entity_id: str) -> Iterable[Operation]:
    """Whoever keeps a list of such ids and is named in the call has one more on it."""
    for reference in references(question.kind, question.others()):
        owner = reference.kind.entities.get(reference.entity_id)
        field = list_of(question.kind, reference.kind)
        held = owner.get(field) if owner is not None and field is not None else None
        if field is not None and isinstance(held, list):
            value = identity_of(question.kind, entity_id)["id"]
            yield Update(reference.kind.name, reference.entity_id, {field: [*held, value]})


def _somebody_elses(question: WorldQuestion, entity_id: str) -> Answer | None:
    for argument, value in question.others().items():
        is_theirs = not is_scope(question, argument) or belongs(question.kind, entity_id, argument, value)
        if not is_theirs and is_held(question.kind, entity_id, argument, value):
            owner = " ".join(id_noun(argument) or ())
            message = f"{question.noun.capitalize()} {entity_id} does not belong to {owner} {value}."
            return refuse("not_found", message, question.reading(_operation(question), by=[argument]), UNSURE)
    return None


def _operation(question: WorldQuestion) -> str:
    return "remove" if question.intent.verb == "remove" else "update"


def _nothing_to_act_on(question: WorldQuestion) -> Answer:
    return not_understood(question.call, f"{question.call.tool.name} does not say which {question.noun}")


# An amount that goes from one entity to another of its type: `move(from_thing, to_thing, amount)`.

_LIMITS = word_set("limit max min maximum minimum")
_VERBS = frozenset({"transfer", "move", "shift"})
_GIVERS = frozenset({"from", "source", "sender", "origin"})
_TAKERS = frozenset({"to", "target", "destination", "recipient", "receiver"})


class _Movement(NamedTuple):
    giver: str
    taker: str
    amount: str
    """The names of the arguments."""


def move(call: ToolCall, world: Ledger, intent: Intent) -> Answer | None:
    """The answer, if two arguments name giver and taker and a third how much; None if not."""
    # `transfer(from_account="a", to_account="b", amount=0.1)` where a has a balance of 0.3 and b of 1: the arguments
    # are told apart by "from", "to" and being a number; both ids are accounts; balance is their only number. So a has
    # 0.2 (in decimals: binary floats would leave 0.19999999999999998) and b has 1.1.
    movement = _movement(call) if intent.naming.word in _VERBS else None
    kind = _kind(call, world, movement) if movement is not None else None
    if movement is None or kind is None:
        return None
    field = _field(kind, call, movement)
    if field is None:
        return None
    giver, taker = (id_text(call.arguments[name]) or "" for name in movement[:2])
    reading = Reading("update", kind.name, (field,), tuple(movement))
    for entity_id in (giver, taker):
        if entity_id not in kind.entities:
            return refuse("not_found", f"No {phrase(kind.name)} with id {entity_id!r} exists.", reading)
    if is_anothers(kind, giver, intent.owner):
        return refuse(
            "not_found", f"{phrase(kind.name).capitalize()} {giver} belongs to somebody else.", reading
        )
    amount = Decimal(repr(call.arguments[movement.amount]))
    left = _sum(kind.entities[giver].get(field), -amount)
    if amount <= 0 or giver == taker:
        return refuse("bad_value", f"{movement.amount} must be above 0, from one to another.", reading)
    if left < -_overdraft(kind, giver, call.tool.description):
        message = f"{phrase(kind.name).capitalize()} {giver} has {field} {kind.entities[giver].get(field)}: too little."
        return refuse("conflict", message, reading)
    after = {giver: left, taker: _sum(kind.entities[taker].get(field), amount)}
    shown: dict[str, Any] = {**call.arguments, field: after[giver]}
    response, _ = fit(
        shown, call.tool.output_schema, FillSources(kind.name, call.arguments, word=intent.naming.word)
    )
    operations = tuple(Update(kind.name, entity_id, {field: value}) for entity_id, value in after.items())
    return Answer(response, operations, LIKELY, explanation=reading.in_words(), reading=reading)


def _overdraft(kind: Kind, entity_id: str, description: str) -> Any:
    """How far below zero it may go, where the description speaks of a limit that it has."""
    for name, value in kind.entities[entity_id].items():
        if (
            tokens(name)[-1:] == ("limit",)
            and phrase(name).lower() in description.lower()
            and _is_number(value)
        ):
            return value
    return 0


def _movement(call: ToolCall) -> _Movement | None:
    givers = [name for name in call.arguments if _GIVERS.intersection(tokens(name))]
    takers = [name for name in call.arguments if _TAKERS.intersection(tokens(name))]
    amounts = [name for name, value in call.arguments.items() if _is_number(value)]
    amounts = [name for name in amounts if name not in (*givers, *takers)]
    if len(givers) == len(takers) == len(amounts) == 1:
        return _Movement(givers[0], takers[0], amounts[0])
    return None


def _kind(call: ToolCall, world: Ledger, movement: _Movement) -> Kind | None:
    """The type the two are of: one of them is there, so that a wrong id can still be told."""
    ids = [id_text(call.arguments[name]) for name in movement[:2]]
    for name in known_types(world, call.ledger_schema):
        if any(each is not None and each in world.entities(name) for each in ids):
            return know(name, world, call.ledger_schema)
    return None


def _field(kind: Kind, call: ToolCall, movement: _Movement) -> str | None:
    """The number that grows and shrinks: named like the amount or in the description, or the only one there is."""
    numbers = [name for name in kind.fields if kind.anatomy.has((name,), "number") and name != kind.id_field]
    numbers = [name for name in numbers if _LIMITS.isdisjoint(tokens(name))]
    words = {*tokens(movement.amount), *tokens(call.tool.description), *tokens(call.tool.name)}
    named = [name for name in numbers if set(tokens(name)) <= words]
    candidates = named or numbers
    return candidates[0] if len(candidates) == 1 else None


def _sum(value: Any, amount: Decimal) -> float | int:
    total = Decimal(repr(value if _is_number(value) else 0)) + amount
    return int(total) if isinstance(value, int) and total == total.to_integral_value() else float(total)


def _is_number(value: Any) -> bool:
    return isinstance(value, int | float) and not isinstance(value, bool)

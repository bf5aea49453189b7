"""Changing the world: every act checks first and refuses in words, then proposes one operation."""

from collections.abc import Mapping
from typing import Any

from odyssey.records.ledger import Add, Remove, Update
from odyssey.simulation.engine import Answer
from odyssey.simulation.world.answer import (
    CERTAIN,
    GUESSED,
    LIKELY,
    Question,
    identity_of,
    not_found,
    not_understood,
    refuse,
    respond,
)
from odyssey.simulation.world.identifiers import new_id
from odyssey.simulation.world.words import tokens
from odyssey.worlds.ledger import copy_json
from odyssey.worlds.schema import check_value, id_text


def create(question: Question) -> Answer:
    kind, call = question.kind, question.call
    entity_id = id_text(question.given(question.intent.id_argument))
    if entity_id is None:
        entity_id = new_id(
            kind.name, kind.entities.keys(), random_seed=call.random_seed, sequence=call.sequence
        )
    elif entity_id in kind.entities:
        message = f"The {question.noun} with id {entity_id!r} exists already."
        return refuse("conflict", message, f"create {kind.name}: the id is taken")
    identity = identity_of(kind, entity_id)
    fields = {
        kind.field_named(name) or name: copy_json(value)
        for name, value in call.arguments.items()
        if name != question.intent.id_argument
    }
    bad = _first_bad_value(question, fields)
    if bad is not None:
        return bad
    if kind.id_field is not None:
        fields = {**fields, kind.id_field: identity[kind.id_field]}
    shown = fields if kind.id_field is not None else {**fields, "id": entity_id}
    known_type = bool(kind.entities) or kind.declared is not None
    return respond(
        question,
        shown,
        f"create {kind.name} {entity_id!r} with {', '.join(fields) or 'no fields'}",
        confidence=CERTAIN if known_type else LIKELY,
        operations=(Add(kind.name, entity_id, fields),),
        identity=identity,
    )


def update(question: Question) -> Answer:
    kind = question.kind
    entity_id = id_text(question.given(question.intent.id_argument))
    if entity_id is None:
        return _nothing_to_act_on(question)
    fields = kind.entities.get(entity_id)
    if fields is None:
        return not_found(question, entity_id)
    changes, ignored = _changes(question)
    bad = _first_bad_value(question, changes)
    if bad is not None:
        return bad
    operations = (Update(kind.name, entity_id, changes),) if changes else ()
    certainty = LIKELY if ignored else CERTAIN
    return respond(
        question,
        {**fields, **changes},
        f"update {kind.name} {entity_id!r}: {', '.join(changes) or 'no argument names a field'}",
        confidence=certainty if changes else GUESSED,
        operations=operations,
        identity=identity_of(kind, entity_id),
    )


def remove(question: Question) -> Answer:
    kind = question.kind
    entity_id = id_text(question.given(question.intent.id_argument))
    if entity_id is None:
        return _nothing_to_act_on(question)
    fields = kind.entities.get(entity_id)
    if fields is None:
        return not_found(question, entity_id)
    return respond(
        question,
        dict(fields),
        f"remove {kind.name} {entity_id!r}",
        confidence=CERTAIN,
        operations=(Remove(kind.name, entity_id),),
        identity=identity_of(kind, entity_id),
    )


def _changes(question: Question) -> tuple[dict[str, Any], list[str]]:
    """The fields that the arguments name, and the arguments that name none."""
    kind = question.kind
    changes = dict(question.intent.assigns)
    ignored = []
    for argument, value in question.call.arguments.items():
        if argument == question.intent.id_argument:
            continue
        field = kind.field_named(argument) or kind.field_named(_without_new(argument))
        if field is None:
            ignored.append(argument)
        elif field != kind.id_field:
            changes[field] = copy_json(value)
    return changes, ignored


def _without_new(argument: str) -> str:
    words = tokens(argument)
    return "_".join(words[1:]) if words[:1] == ("new",) else argument


def _first_bad_value(question: Question, fields: Mapping[str, Any]) -> Answer | None:
    for name, value in fields.items():
        declaration = question.kind.declaration(name)
        problem = check_value(declaration, value) if declaration is not None else None
        if problem is not None:
            explanation = f"{question.intent.verb} {question.kind.name}: {problem.kind} in {name}"
            return refuse("bad_value", f"{problem.message}.", explanation)
    return None


def _nothing_to_act_on(question: Question) -> Answer:
    explanation = f"{question.intent.verb} {question.kind.name}: no argument says which one"
    return not_understood(question.call, explanation)

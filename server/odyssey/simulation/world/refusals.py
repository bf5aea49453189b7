"""What is refused whatever the act is: ids that nothing has, what is somebody else's, a status that does not do."""

import re
from collections.abc import Mapping
from typing import Any

from odyssey.kit.words import id_noun, is_id_list, participle, phrase, same_nouns, tokens, word_set
from odyssey.simulation.engine import Answer, ToolCall
from odyssey.simulation.world.answer import LIKELY, UNSURE, WorldQuestion, not_found, refuse
from odyssey.simulation.world.defaults import properties_of
from odyssey.simulation.world.demands import unmet_demand
from odyssey.simulation.world.kinds import Kind, know, known_types
from odyssey.simulation.world.meaning import Intent
from odyssey.simulation.world.ownership import is_anothers, pointed_entities
from odyssey.simulation.world.relations import holder, numbered_alike, references
from odyssey.simulation.world.status import as_adjectives, required_standing, sentences, status_fields
from odyssey.worlds.field_index import PathStep
from odyssey.worlds.ledger import Ledger
from odyssey.worlds.schema import id_text

_MAY_BE_NEW = re.compile(
    r"\b(?:does not|doesn't|do not|not) (?:yet )?exist\b[^.;]{0,120}\bcreated\b|"
    r"\bcreat(?:es|ed|ing)\b[^.;]{0,120}\bnot exist",
    re.IGNORECASE,
)
_TAKERS = word_set("to target recipient destination new payee receiver")


def missing_reference(question: WorldQuestion, operation: str) -> Answer | None:
    """An id of a type that the world knows must be one that it has, and no one else's."""
    for reference in references(question.kind, question.others()):
        if reference.entity_id not in reference.kind.entities:
            message = f"No {phrase(reference.kind.name)} with id {reference.entity_id!r} exists."
            return refuse("not_found", message, question.reading(operation, by=[reference.argument]), LIKELY)
    for argument, kind, entity_id in pointed_entities(question.kind, question.call.arguments):
        if is_anothers(kind, entity_id, question.intent.owner):
            return _belongs_elsewhere(question, kind, entity_id, operation, argument)
    return None


def not_theirs(question: WorldQuestion, operation: str) -> Answer | None:
    """Whoever is logged in has their own things alone."""
    if not is_anothers(question.kind, question.entity_id, question.intent.owner):
        return None
    return _belongs_elsewhere(question, question.kind, question.entity_id or "", operation, "id")


def _belongs_elsewhere(
    question: WorldQuestion, kind: Kind, entity_id: str, operation: str, argument: str
) -> Answer:
    message = f"{phrase(kind.name).capitalize()} {entity_id} belongs to somebody else."
    return refuse("not_found", message, question.reading(operation, by=[argument]), UNSURE)


def refused_reference(call: ToolCall, world: Ledger, intent: Intent) -> Answer | None:
    """Of a call that is not understood: an id that nothing has, or a thing that is not as the description wants it."""
    kinds = [know(name, world, call.ledger_schema) for name in known_types(world, call.ledger_schema)]
    for argument, value in call.arguments.items():
        entity_id = id_text(value)
        if entity_id is None or id_noun(argument) == ():
            continue
        # A path may be that of a file or of a folder: it must be that of one of them.
        meant = [each for each in kinds if each.entities and _may_mean(call, argument, each, entity_id)]
        meant = meant or (numbered_alike(kinds, entity_id) if id_noun(argument) else [])
        meant = meant or _of_example(call, argument, kinds)
        if not meant:
            continue
        kind = next((each for each in meant if entity_id in each.entities), meant[0])
        question = WorldQuestion(call, intent._replace(kind=kind, id_argument=argument), kind)
        fields = kind.entities.get(entity_id)
        if fields is None and _MAY_BE_NEW.search(call.tool.description):
            return None
        if fields is None:
            return not_found(question, entity_id, "none")
        if is_anothers(kind, entity_id, intent.owner) and _TAKERS.isdisjoint(tokens(argument)):
            return _belongs_elsewhere(question, kind, entity_id, "none", argument)
        standing = required_standing(kind, intent.naming, call.tool.description)
        problem = standing.problem(fields.get(standing.field)) if standing is not None else None
        if problem is not None:
            message = f"{phrase(kind.name).capitalize()} {entity_id} is {problem}."
            return refuse("conflict", message, question.reading("none", by=[argument]), UNSURE)
        refusal = missing_part(question, entity_id, "none") or unmet_demand(question, "none")
        if refusal is not None:
            return refusal
    return unmet_demand(WorldQuestion(call, intent, kinds[0]), "none") if kinds else None


def _may_mean(call: ToolCall, argument: str, kind: Kind, entity_id: str) -> bool:
    """Whether an argument gives the id of such a thing; a bare `code` only if it is one, or the tool speaks of them."""
    if not kind.is_meant_by(argument):
        return False
    declared = dict(properties_of(call.tool.input_schema)).get(argument, {})
    said = f"{argument} {call.tool.name} {declared.get('description') or ''}"
    noun = tokens(kind.name)[-1:]
    is_said = any(same_nouns((word,), noun) for word in tokens(said))
    return id_noun(argument) is not None or is_said or entity_id in kind.entities


_EXAMPLE = re.compile(
    r"\b(?:such as|e\.g\.|for example|like|for instance),?\s+['\"`]?([\w@:/-]+)", re.IGNORECASE
)


def _of_example(call: ToolCall, argument: str, kinds: list[Kind]) -> list[Kind]:
    """`ISO code such as USD` where rates are kept by such codes: the type that has the example."""
    declared = dict(properties_of(call.tool.input_schema)).get(argument, {})
    found = _EXAMPLE.search(str(declared.get("description") or ""))
    if found is None or "enum" in declared or declared.get("default") == call.arguments.get(argument):
        return []
    holding = [each for each in kinds if found[1] in each.entities]
    return holding if len(holding) == 1 else []


_HINDERS = re.compile(
    r"\b(?:cannot|can't|can not|may not|not possible|impossible|refused|fails?|unless|only if|not while)\b",
    re.IGNORECASE,
)


def still_linked(question: WorldQuestion, entity_id: str) -> Answer | None:
    """`Contacts that are linked to a deal cannot be deleted`, `unless a pending order uses it`: one points here."""
    description = question.call.tool.description
    for sentence in sentences(description) if _HINDERS.search(description) else ():
        for other in question.kind.all_kinds() if _HINDERS.search(sentence) else ():
            noun = tokens(other.name)[-1:]
            if other.name == question.kind.name or not any(
                same_nouns((word,), noun) for word in tokens(sentence)
            ):
                continue
            linked = [
                each
                for each in _pointing(other, question.kind, entity_id)
                if _stands_as(other, each, sentence)
            ]
            if linked:
                message = f"{phrase(other.name).capitalize()} {linked[0]} needs {question.noun} {entity_id}."
                return refuse("conflict", message, question.reading("remove", by=["id"]), UNSURE)
    return None


def _pointing(other: Kind, kind: Kind, entity_id: str) -> list[str]:
    for field in other.fields:
        if kind.is_meant_by(field) and field != other.id_field:
            is_list = other.anatomy.has((field,), "array")
            return other.world.having(other.name, (field, PathStep.EACH) if is_list else (field,), entity_id)
    return []


def _stands_as(kind: Kind, entity_id: str, sentence: str) -> bool:
    """Whether it has the status that is said right before its noun: "a pending order"."""
    for field in status_fields(kind):
        wanted = as_adjectives(tuple(kind.known_values(field)), kind.name, sentence)
        return not wanted or kind.entities[entity_id].get(field) in wanted
    return True


def bad_standing(question: WorldQuestion, entity_id: str, fields: Mapping[str, Any]) -> Answer | None:
    naming = question.intent.naming
    standing = required_standing(question.kind, naming, question.call.tool.description)
    problem = standing.problem(fields.get(standing.field)) if standing is not None else None
    if standing is None or problem is None:
        return None
    done = participle(naming.word or "change")
    message = f"{question.noun.capitalize()} {entity_id} is {problem}, so it cannot be {done}."
    operation = "remove" if question.intent.verb == "remove" else "update"
    return refuse("conflict", message, question.reading(operation, by=[standing.field]), LIKELY)


def missing_part(question: WorldQuestion, entity_id: str, operation: str = "update") -> Answer | None:
    """An argument that names a part must name one that is there."""
    for argument, value in question.others().items():
        if not id_noun(argument):
            continue
        place = None if tokens(argument)[0] == "new" else holder(question.kind, entity_id, argument)
        wanted = value if isinstance(value, list) and is_id_list(argument) else [value]
        lost = [each for each in wanted if place is not None and id_text(each) and not place.keeps(each)]
        if lost and place is not None:
            noun = " ".join(id_noun(argument) or ())
            owner = f"{phrase(place.kind.name)} {place.entity_id}"
            message = f"No {noun} with id {lost[0]!r} belongs to {owner}."
            return refuse("not_found", message, question.reading(operation, by=[argument]), LIKELY)
    return None

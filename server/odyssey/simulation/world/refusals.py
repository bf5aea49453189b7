"""What is refused whatever the act is: ids that nothing has, what is somebody else's, a status that does not do."""

import re
from collections.abc import Mapping
from typing import Any

from odyssey.kit.words import id_noun, is_id_list, participle, phrase, tokens, word_set
from odyssey.simulation.engine import Answer, ToolCall
from odyssey.simulation.world.answer import WorldQuestion, not_found, refuse
from odyssey.simulation.world.demands import unmet_demand
from odyssey.simulation.world.kinds import Kind, know, known_types
from odyssey.simulation.world.meaning import Intent
from odyssey.simulation.world.ownership import is_anothers, pointed_entities
from odyssey.simulation.world.relations import holder, numbered_alike, references
from odyssey.simulation.world.status import required_standing
from odyssey.worlds.ledger import Ledger
from odyssey.worlds.schema import id_text

_MAY_BE_NEW = re.compile(
    r"\b(?:does not|doesn't|do not|not) (?:yet )?exist\b[^.;]*\bcreated\b|\bcreat(?:es|ed|ing)\b[^.;]*\bnot exist",
    re.IGNORECASE,
)
_TAKERS = word_set("to target recipient destination new payee receiver")


def missing_reference(question: WorldQuestion, operation: str) -> Answer | None:
    """An id of a type that the world knows must be one that it has, and no one else's."""
    for reference in references(question.kind, question.others()):
        if reference.entity_id not in reference.kind.entities:
            message = f"No {phrase(reference.kind.name)} with id {reference.entity_id!r} exists."
            return refuse("not_found", message, question.reading(operation, by=[reference.argument]))
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
    return refuse("not_found", message, question.reading(operation, by=[argument]))


def refused_reference(call: ToolCall, world: Ledger, intent: Intent) -> Answer | None:
    """Of a call that is not understood: an id that nothing has, or a thing that is not as the description wants it."""
    kinds = [know(name, world, call.ledger_schema) for name in known_types(world, call.ledger_schema)]
    for argument, value in call.arguments.items():
        entity_id = id_text(value)
        if entity_id is None or id_noun(argument) == ():
            continue
        # A path may be that of a file or of a folder: it must be that of one of them.
        meant = [each for each in kinds if each.entities and each.is_meant_by(argument)]
        meant = meant or (numbered_alike(kinds, entity_id) if id_noun(argument) else [])
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
            return refuse("conflict", message, question.reading("none", by=[argument]))
        refusal = missing_part(question, entity_id, "none") or unmet_demand(question, "none")
        if refusal is not None:
            return refusal
    return unmet_demand(WorldQuestion(call, intent, kinds[0]), "none") if kinds else None


def bad_standing(question: WorldQuestion, entity_id: str, fields: Mapping[str, Any]) -> Answer | None:
    naming = question.intent.naming
    standing = required_standing(question.kind, naming, question.call.tool.description)
    problem = standing.problem(fields.get(standing.field)) if standing is not None else None
    if standing is None or problem is None:
        return None
    done = participle(naming.word or "change")
    message = f"{question.noun.capitalize()} {entity_id} is {problem}, so it cannot be {done}."
    operation = "remove" if question.intent.verb == "remove" else "update"
    return refuse("conflict", message, question.reading(operation, by=[standing.field]))


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
            return refuse("not_found", message, question.reading(operation, by=[argument]))
    return None

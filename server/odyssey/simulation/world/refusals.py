"""What is refused whatever the act is: ids that nothing has, demands of the description that are not met."""

import re
from collections.abc import Iterator, Mapping
from functools import lru_cache
from itertools import pairwise
from typing import Any

from odyssey.kit.words import id_noun, phrase, same_nouns, stem, tokens, word_set
from odyssey.simulation.engine import Answer, ToolCall
from odyssey.simulation.world.answer import WorldQuestion, not_found, refuse
from odyssey.simulation.world.kinds import Anatomy, Kind, know, known_types
from odyssey.simulation.world.meaning import Intent
from odyssey.simulation.world.naming import Naming
from odyssey.simulation.world.relations import references
from odyssey.simulation.world.status import clauses, required_standing, sentences, standing_in
from odyssey.worlds.ledger import Ledger
from odyssey.worlds.schema import id_text

_DEMANDS = re.compile(
    r"\b(?:must|requires?|required|needs?|has to|have to|only (?:when|if|while|after)|cannot|can't|refused|fails?)\b",
    re.IGNORECASE,
)
_FORBIDS = re.compile(r"\b(?:cannot|can't|refused|fails?|must not|may not|not be)\b", re.IGNORECASE)
_ASIDE = word_set("is has was are")


def missing_reference(question: WorldQuestion, operation: str) -> Answer | None:
    """An id of a type that the world knows must be one that it has."""
    for reference in references(question.kind, question.others()):
        if reference.entity_id not in reference.kind.entities:
            message = f"No {phrase(reference.kind.name)} with id {reference.entity_id!r} exists."
            return refuse("not_found", message, question.reading(operation, by=[reference.argument]))
    return None


def not_theirs(question: WorldQuestion, operation: str) -> Answer | None:
    """Whoever is logged in has their own things alone, where the description speaks of those."""
    if question.intent.owner is None or question.entity_id is None:
        return None
    field, user_id = question.intent.owner
    held = question.kind.entities.get(question.entity_id, {}).get(field)
    if held is None or id_text(held) == user_id:
        return None
    message = f"{question.noun.capitalize()} {question.entity_id} belongs to somebody else."
    return refuse("not_found", message, question.reading(operation, by=[field]))


def refused_reference(call: ToolCall, world: Ledger, naming: Naming) -> Answer | None:
    """Of a call that is not understood: an id that nothing has, or a thing that is not as the description wants it."""
    kinds = [know(name, world, call.ledger_schema) for name in known_types(world, call.ledger_schema)]
    for argument, value in call.arguments.items():
        entity_id = id_text(value)
        if entity_id is None or id_noun(argument) == ():
            continue
        # A path may be that of a file or of a folder: it must be that of one of them.
        meant = [each for each in kinds if each.entities and each.is_meant_by(argument)]
        if not meant:
            continue
        kind = next((each for each in meant if entity_id in each.entities), meant[0])
        question = WorldQuestion(call, Intent("unknown", naming, kind, argument), kind)
        fields = kind.entities.get(entity_id)
        if fields is None:
            return not_found(question, entity_id, "none")
        standing = required_standing(kind, naming, call.tool.description)
        problem = standing.problem(fields.get(standing.field)) if standing is not None else None
        if problem is not None:
            message = f"{phrase(kind.name).capitalize()} {entity_id} is {problem}."
            return refuse("conflict", message, question.reading("none", by=[argument]))
    return None


# What a description demands of the moment: "The car must be unlocked", "Requires a logged-in user", "The stock must
# not be halted". A switch of the only entity of its type, or of what the call names, is held against each sentence.


def unmet_demand(question: WorldQuestion, operation: str) -> Answer | None:
    description = question.call.tool.description
    for kind, entity_id in _concerned(question):
        fields = kind.entities.get(entity_id)
        if fields is None:
            continue
        problem = _switched_wrong(kind, fields, description)
        if problem is None and kind.name != question.kind.name:
            about = _clauses_about(kind.name, description)
            standing = standing_in(kind, about) if about else None
            problem = standing.problem(fields.get(standing.field)) if standing is not None else None
        if problem is not None:
            message = f"{phrase(kind.name).capitalize()} {entity_id} is {problem}."
            return refuse("conflict", message, question.reading(operation))
    return None


def _concerned(question: WorldQuestion) -> Iterator[tuple[Kind, str]]:
    """What the call is about, what it names, and what there is only one of."""
    if question.entity_id is not None:
        yield question.kind, question.entity_id
    for reference in references(question.kind, question.others()):
        yield reference.kind, reference.entity_id
    yield from (
        (kind, next(iter(kind.entities))) for kind in question.kind.all_kinds() if len(kind.entities) == 1
    )


@lru_cache(maxsize=1024)
def _clauses_about(noun: str, description: str) -> str:
    return ". ".join(each for each in clauses(description) if _mentions(each, noun))


def _mentions(sentence: str, noun: str) -> bool:
    words = {stem(word) for word in tokens(sentence)}
    return all(stem(word) in words or stem(word.removesuffix("s")) in words for word in tokens(noun)[-1:])


def _switched_wrong(kind: Kind, fields: Mapping[str, Any], description: str) -> str | None:
    for name, wanted in _switches_demanded(kind.anatomy, kind.name, description):
        if isinstance(fields.get(name), bool) and fields[name] is not wanted:
            return f"{'not ' if wanted else ''}{' '.join(_words_of(name))}"
    return None


@lru_cache(maxsize=1024)
def _switches_demanded(anatomy: Anatomy, noun: str, description: str) -> tuple[tuple[str, bool], ...]:
    """The switches of a type that a description speaks of, and how each must stand."""
    found = []
    for name in anatomy.fields:
        words = _words_of(name) if anatomy.has((name,), "boolean") else ()
        wanted = _wanted(words, description)
        if wanted is None and words and is_adjective(words[-1], noun, description):
            wanted = True
        if wanted is not None:
            found.append((name, wanted))
    return tuple(found)


def _words_of(name: str) -> tuple[str, ...]:
    return tuple(word for word in tokens(name) if word not in _ASIDE)


@lru_cache(maxsize=4096)
def is_adjective(word: str, noun: str, description: str) -> bool:
    """Whether the first sentence is about such ones: "for an active patient"."""
    said = tokens(sentences(description)[0])
    heads = tokens(noun)[-1:]
    return any(left == word and same_nouns((right,), heads) for left, right in pairwise(said))


@lru_cache(maxsize=4096)
def _wanted(words: tuple[str, ...], description: str) -> bool | None:
    """Whether a description demands that something is on, or off; None if it says nothing of it."""
    if not words:
        return None
    for sentence in sentences(description):
        said = tokens(sentence)
        stems = [stem(word) for word in said]
        if not _DEMANDS.search(sentence) or not all(stem(word) in stems for word in words):
            continue
        at = stems.index(stem(words[-1]))
        negated = any(word in ("not", "no", "without", "isn", "never") for word in said[max(0, at - 3) : at])
        forbidden = _FORBIDS.search(sentence) is not None and "must not" not in sentence
        return not negated if negated or not forbidden else False
    return None

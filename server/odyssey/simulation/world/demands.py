"""What a description demands of the moment: "The car must be unlocked", "Requires a logged-in user".

A switch or a status of the only entity of its type, or of what the call names, is held against each sentence.
"""

import re
from collections.abc import Iterator, Mapping
from functools import lru_cache
from itertools import pairwise
from typing import Any, NamedTuple

from odyssey.kit.words import id_noun, phrase, same_nouns, stem, tokens, word_set
from odyssey.simulation.engine import Answer
from odyssey.simulation.world.answer import UNSURE, WorldQuestion, refuse
from odyssey.simulation.world.defaults import properties_of
from odyssey.simulation.world.kinds import Anatomy, Kind
from odyssey.simulation.world.relations import references
from odyssey.simulation.world.status import clauses, sentences, standing_in

_DEMANDS = re.compile(
    r"\b(?:must|requires?|required|needs?|has to|have to|only (?:when|if|while|after)|cannot|can't|refused|fails?)\b",
    re.IGNORECASE,
)
_FORBIDS = re.compile(r"\b(?:cannot|can't|refused|fails?|must not|may not|not be)\b", re.IGNORECASE)
_ON_CONDITION = re.compile(r"\b(?:where|unless|except|whose|need not|needs not)\b", re.IGNORECASE)
_FORBIDS_IF = re.compile(
    r"\b(?:cannot|can't|refused|fails?|not possible)\b.{0,120}\b(?:if|while|when|once|as long as)\b",
    re.IGNORECASE,
)
_DEMANDING = word_set("must requires require required needs need has have only")
_NEAR = 6
"""How many words after "must" still say what must be: "on file, and for dangerous goods" is another matter."""
_SUBJECT = re.compile(r"^(?:an?|any|every|each) (\w+)", re.IGNORECASE)
_ASIDE = word_set("is has was are")


def unmet_demand(question: WorldQuestion, operation: str) -> Answer | None:
    description = question.call.tool.description
    said = _said(description)
    wrong = (_is_past(question) if said.past else None) or (_too_much(question) if said.at_most else None)
    if wrong is not None:
        return refuse("bad_value", wrong, question.reading(operation), UNSURE)
    uses_up = question.intent.naming.word in _USED_UP
    for kind, entity_id in _concerned(question):
        fields = kind.entities.get(entity_id)
        if fields is None:
            continue
        problem = (
            _switched_wrong(kind, fields, description)
            or (_value_wrong(question, kind, fields) if said.states else None)
            or (_lacks(kind, fields, said.needs) if said.needs else None)
            or (_is_empty(kind, fields, question) if uses_up else None)
        )
        if problem is None and kind.name != question.kind.name:
            about = _clauses_about(kind.name, description)
            standing = standing_in(kind, about) if about else None
            problem = standing.problem(fields.get(standing.field)) if standing is not None else None
        if problem is not None:
            message = f"{phrase(kind.name).capitalize()} {entity_id} {_is(problem)}."
            return refuse("conflict", message, question.reading(operation), UNSURE)
    return None


class _Said(NamedTuple):
    """What kinds of demands a description speaks of at all: most speak of none, and need not be looked at further."""

    past: bool
    states: bool
    needs: tuple[tuple[str, str], ...]
    at_most: tuple[tuple[str, str, str], ...]


@lru_cache(maxsize=1024)
def _said(description: str) -> _Said:
    return _Said(
        "date" in description.lower() or _NOT_PAST.search(description) is not None,
        _SAYS_STATES.search(description) is not None,
        tuple(_NEEDS.findall(description)),
        tuple(_AT_MOST.findall(description)),
    )


def _is(problem: str) -> str:
    return problem if problem.startswith("has ") else f"is {problem}"


_MUST_BE = (
    r"\b(?:the|its|their) (?:{noun}(?:'s)? )?{field} (?:must|has to|needs to|should) (?P<not>not )?be "
    r"(?P<value>['\"]?[\w-]+['\"]?(?: or ['\"]?[\w-]+['\"]?)?)(?= *(?:[.;,)]|$|to\b|by\b|first\b|before\b|for\b|and\b))"
)
_NOT_WHILE = r"\bnot (?:while|when|if|as long as)\b[^.;,]*?\b{noun}\b[^.;,]*?\b(?:is|are) (?P<value>[\w-]+)"
_LONGEST_STATE = 30


def _value_wrong(question: WorldQuestion, kind: Kind, fields: Mapping[str, Any]) -> str | None:
    """`The engine must be running`, `not while the alarm is ARMED_AWAY`: a text that is a state of the thing."""
    given = {path[0] for path in map(kind.path_of, question.call.arguments) if path is not None}
    for field, value in fields.items():
        # "The name must be short" is about the name that is given.
        if (
            not isinstance(value, str)
            or len(value) > _LONGEST_STATE
            or field == kind.id_field
            or field in given
        ):
            continue
        wanted, ruled_out = _values_demanded(kind.name, field, question.call.tool.description)
        said = "".join(tokens(value))
        if said and ((wanted and said not in wanted) or said in ruled_out):
            return f"{value}" + (f", not {' or '.join(wanted)}" if wanted else "")
    return None


@lru_cache(maxsize=4096)
def _values_demanded(noun: str, field: str, description: str) -> tuple[tuple[str, ...], tuple[str, ...]]:
    """What a field must be, and what it must not be."""
    words = {"noun": re.escape(phrase(noun)), "field": re.escape(" ".join(tokens(field)))}
    wanted: list[str] = []
    ruled_out: list[str] = []
    for found in re.finditer(_MUST_BE.format(**words), description, re.IGNORECASE):
        said = ["".join(tokens(each)) for each in found["value"].split(" or ")]
        (ruled_out if found["not"] else wanted).extend(said)
    not_while = re.finditer(_NOT_WHILE.format(**words), description, re.IGNORECASE)
    ruled_out.extend("".join(tokens(found["value"])) for found in not_while)
    return tuple(each for each in wanted if each not in _NO_STATES), tuple(ruled_out)


_SAYS_STATES = re.compile(
    r"\b(?:must|has to|needs to|should|not (?:while|when|if|as long as))\b", re.IGNORECASE
)
_NO_STATES = word_set(
    "at the a an one in of greater less more above below between positive known valid given unique set called "
    "available larger smaller empty different"
)
_NEEDS = re.compile(
    r"\b(?:the|a|an|this|its) (\w+) (?:needs|requires|must have|has to have|must already have) (?:an?|the|some) "
    r"([\w -]{3,40})",
    re.IGNORECASE,
)


def _lacks(kind: Kind, fields: Mapping[str, Any], needs: tuple[tuple[str, str], ...]) -> str | None:
    """`The guest needs a phone number in the profile`: what must be there and is not."""
    for noun, words in needs:
        if not same_nouns((noun.lower(),), tokens(kind.name)[-1:]):
            continue
        said = tokens(words)[:3]
        for name in kind.fields:
            if (
                name in fields
                and fields[name] in (None, "", [])
                and said[: len(tokens(name))] == tokens(name)
            ):
                return f"has no {' '.join(tokens(name))}"
    return None


_USED_UP = word_set("quote price checkout order place submit buy purchase apply pay confirm")


def _is_empty(kind: Kind, fields: Mapping[str, Any], question: WorldQuestion) -> str | None:
    """`Order what is in the cart`, while nothing is in the only cart there is."""
    description = question.call.tool.description
    noun = tokens(kind.name)[-1:]
    held = [each for each in fields.values() if isinstance(each, list | dict)]
    if len(kind.entities) != 1 or not held or any(held):
        return None
    name = re.escape(phrase(kind.name))
    place = (
        rf"\b(?:what is|everything|all|items?) (?:that is )?in (?:the|your) {name}\b|"
        rf"\b(?:price|quote|order|buy|submit|check out|pay for) (?:the|your) {name}\b"
    )
    return "empty" if noun and re.search(place, description, re.IGNORECASE) else None


_AT_MOST = re.compile(
    r"\b(?:at most|no more than|not more than|maximum of) "
    r"(?:([\d][\d,.]*\d|\d)(?: per (\w+)|(?=[.;,)]|$| at a time))|(?:the|its|their) (?:\w+'s )?([\w ]{3,30}))",
    re.IGNORECASE,
)


def _too_much(question: WorldQuestion) -> str | None:
    """`At most 50,000 per deposit`, `at most the buying power`: the only number that is given is larger."""
    numbers = [(name, each) for name, each in question.call.arguments.items() if _is_number(each)]
    if len(numbers) != 1:
        return None
    (argument, given) = numbers[0]
    for figure, per, words in _said(question.call.tool.description).at_most:
        if per and not any(same_nouns((per.lower(),), (word,)) for word in tokens(question.call.tool.name)):
            continue  # "at most 3 per baker" says nothing of one call
        most = float(figure.replace(",", "")) if figure else _number_called(question, words)
        if most is not None and given > most and id_noun(argument) is None:
            return f"{argument} {given} is more than {most:g}."
    return None


def _number_called(question: WorldQuestion, words: str) -> float | None:
    """The number so called of what the call is about, or of the only one of its type."""
    for kind, entity_id in _concerned(question):
        fields = kind.entities.get(entity_id) or {}
        for name, value in fields.items():
            if _is_number(value) and " ".join(tokens(words)).startswith(" ".join(tokens(name))):
                return float(value)
    return None


def _is_number(value: Any) -> bool:
    return isinstance(value, int | float) and not isinstance(value, bool)


_NOT_PAST = re.compile(
    r"\bnot (?:lie |be |start )?(?:before|earlier than) (?:today|the (?:business|current) date|now)|\bin the past\b|"
    r"\bin the future\b|\btoday or later\b|\bfrom today on",
    re.IGNORECASE,
)
_TODAY = word_set("today now current business")
_DAY = re.compile(r"\d{4}-\d\d-\d\d")
_BEGINNING = word_set("start arrival check_in from begin departure pickup")


def _is_past(question: WorldQuestion) -> str | None:
    """`Arrival may not lie before the business date`, where the world keeps which day it is."""
    about = (str(each.get("description") or "") for _, each in properties_of(question.call.tool.input_schema))
    if not any(_NOT_PAST.search(each) for each in (question.call.tool.description, *about)):
        return None
    days = {
        name: value
        for name, value in question.call.arguments.items()
        if isinstance(value, str) and _DAY.match(value)
    }
    today = next(days_of(question.kind), None)
    if today is None or not days:
        return None
    first = next((name for name in days if not _BEGINNING.isdisjoint(tokens(name))), next(iter(days)))
    return f"{first} {days[first]} lies in the past." if days[first][:10] < today[:10] else None


def days_of(kind: Kind) -> Iterator[str]:
    """Which day it is in the world: a date of the only entity of a type, that is called so."""
    for each in kind.all_kinds():
        if len(each.entities) != 1:
            continue
        for name, value in next(iter(each.entities.values())).items():
            words = tokens(name)
            if (
                isinstance(value, str)
                and _DAY.match(value)
                and (words == ("date",) or not _TODAY.isdisjoint(words))
            ):
                yield value


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
    # A comma divides "that is booked, in transit or at a depot" no more than a list.
    lists = [each for each in sentences(description) if _LIST.search(each)]
    parts = [part for each in sentences(description) for part in ([each] if each in lists else clauses(each))]
    return ". ".join(each for each in parts if _mentions(each, noun))


_LIST = re.compile(r",[^.;,]{0,60}\bor\b", re.IGNORECASE)


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
        wanted = _wanted(words, noun, description)
        if wanted is None and words and is_adjective(words[-1], noun, description):
            wanted = True
        if wanted is None and words:
            wanted = _in_a_clause(words, noun, description)
        if wanted is not None:
            found.append((name, wanted))
    return tuple(found)


@lru_cache(maxsize=4096)
def _in_a_clause(words: tuple[str, ...], noun: str, description: str) -> bool | None:
    """`Send an email to a contact who has not opted out`: whether a relative clause wants it on, or off."""
    # Of devices, "a light that is online" speaks as well: what else should it be about.
    told = rf" (?:who|that|which) (?:has|have|is|are) (not )?{' '.join(words)}\b"
    found = re.search(rf"\b{re.escape(phrase(noun))}{told}", description, re.IGNORECASE)
    found = found or re.search(rf"\ban? \w+{told}", sentences(description)[0], re.IGNORECASE)
    return None if found is None else found[1] is None


def _words_of(name: str) -> tuple[str, ...]:
    return tuple(word for word in tokens(name) if word not in _ASIDE)


@lru_cache(maxsize=4096)
def is_adjective(word: str, noun: str, description: str) -> bool:
    """Whether the first sentence is about such ones: "for an active patient"."""
    said = tokens(sentences(description)[0])
    heads = tokens(noun)[-1:]
    return any(left == word and same_nouns((right,), heads) for left, right in pairwise(said))


def _is_about(sentence: str, noun: str) -> bool:
    """Whether a sentence may be about such a thing: "A letter must be insured" is about no boat."""
    found = _SUBJECT.match(sentence)
    return found is None or same_nouns((found[1].lower(),), tokens(noun)[-1:])


@lru_cache(maxsize=4096)
def _wanted(words: tuple[str, ...], noun: str, description: str) -> bool | None:
    """Whether a description demands that something is on, or off; None if it says nothing of it."""
    if not words:
        return None
    for sentence in sentences(description):
        said = tokens(sentence)
        stems = [stem(word) for word in said]
        if not _DEMANDS.search(sentence) or not all(stem(word) in stems for word in words):
            continue
        if _ON_CONDITION.search(sentence) or not _is_about(sentence, noun):
            continue
        at = stems.index(stem(words[-1]))
        negated = any(word in ("not", "no", "without", "isn", "never") for word in said[max(0, at - 3) : at])
        if _FORBIDS_IF.search(sentence):
            return negated  # "Refused if it is not insured" wants it, "fails while it is locked" does not
        if negated or _FORBIDS.search(sentence):
            return False
        if any(
            word in _DEMANDING and "for" not in said[place:at]
            for place, word in enumerate(said)
            if at - _NEAR <= place < at
        ):
            return True
    return None

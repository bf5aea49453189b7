"""Answers that say "not found" of what is there."""

import re
from collections.abc import Iterator
from typing import Any

from odyssey.kit.words import id_noun, phrase, same_nouns, tokens
from odyssey.records.ledger import Violation
from odyssey.simulation.consistency.knowledge import CallMeaning, WorldKnowledge
from odyssey.simulation.consistency.notation import words_of
from odyssey.simulation.consistency.searches import find_search, is_gone
from odyssey.simulation.engine import Answer, ToolCall
from odyssey.worlds.ledger import Ledger
from odyssey.worlds.schema import id_text

_DENIAL = re.compile(
    r"not[ _-]?found|does(?: not|n't) exist|no such|\bno \w+(?: \w+)? (?:found|exists?|with|has)\b"
    r"|could(?: not|n't) (?:be )?f(?:ind|ound)|unknown \w+",
    re.IGNORECASE,
)
_TEXTS = ("error", "message", "code", "detail", "reason", "error_code", "error_message")
_FLAGS = ("found", "exists")
_LONGEST = 300
_ASIDE = re.compile(r"\b(?:for|of|by|on|in|to|from)\b", re.IGNORECASE)
"""What stands before it is not found; "no manager of employee e3" denies no employee."""


def check_denial(
    call: ToolCall, answer: Answer, known: WorldKnowledge, meant: CallMeaning, before: Ledger
) -> list[Violation]:
    """Name the entity that an answer says is not there, though it is, and though nothing keeps it from the caller."""
    text = _denial(answer.response)
    if text is None or answer.operations:
        return []
    found = [
        each
        for each in dict.fromkeys(_denied(text, call, known, meant, before))
        if not is_gone(before.entity(*each) or {}, {})
    ]
    if not found or meant.expected.refused:
        return []
    entity_type, entity_id = found[0]
    message = f"the response says that there is no such {phrase(entity_type)}, but {entity_type} {entity_id!r} exists"
    return [Violation("denied_entity", entity_type, entity_id, None, message, call.sequence)]


def _denial(response: Any) -> str | None:
    """The words in which something is said not to be there, empty if it takes none; None if nothing is."""
    if response is None:
        return ""
    if isinstance(response, str):
        return response if len(response) <= _LONGEST and _DENIAL.search(response) else None
    if not isinstance(response, dict):
        return None
    shows_more = any(isinstance(each, dict | list) and each for each in response.values())
    is_flagged = not shows_more and any(response.get(name) is False for name in _FLAGS)
    if is_flagged or (len(response) == 1 and next(iter(response.values())) is None):
        return ""
    error = response.get("error")
    said = {**response, **error} if isinstance(error, dict) else response
    texts = [text for name in _TEXTS if isinstance(text := said.get(name), str)]
    text = " ".join(texts)[:_LONGEST]
    return text if _DENIAL.search(text) else None


def _denied(
    text: str, call: ToolCall, known: WorldKnowledge, meant: CallMeaning, before: Ledger
) -> Iterator[tuple[str, str]]:
    """The entities that are meant: the one asked for, or whichever the words name by type and id."""
    text = _ASIDE.split(text, maxsplit=1)[0]
    one = meant.one
    if one is not None and before.entity(*one) is not None and _is_about(text, one, meant):
        yield one
    words = words_of(text)
    for name, value in call.arguments.items() if words else ():
        entity_id, noun = id_text(value), id_noun(name)
        if not entity_id or not noun or words_of(entity_id)[-1:] == [] or not _stands_in(entity_id, text):
            continue
        for entity_type in known.types:
            is_called_so = same_nouns(noun, tokens(entity_type)) and _names(words, entity_type)
            if is_called_so and before.entity(entity_type, entity_id) is not None:
                yield entity_type, entity_id
    if one is None:
        yield from _searched(text, call, meant, before)


def _is_about(text: str, one: tuple[str, str], meant: CallMeaning) -> bool:
    """Whether the words are about that one; a look that says nothing else is about what it looks for."""
    if meant.act == "look" and not meant.is_that_one_alone():
        return False
    if not text:
        return meant.act == "look"
    words = words_of(text)
    names_it = _names(words, one[0]) or _stands_in(one[1], text)
    return names_it or (meant.act == "look" and len(words) <= 3)


def _names(words: list[str], entity_type: str) -> bool:
    head = tokens(entity_type)[-1:]
    return any(same_nouns((word,), head) for word in words)


def _stands_in(entity_id: str, text: str) -> bool:
    return re.search(rf"(?<![\w-]){re.escape(entity_id)}(?![\w-])", text) is not None


def _searched(text: str, call: ToolCall, meant: CallMeaning, before: Ledger) -> Iterator[tuple[str, str]]:
    """What a look-up by fields must find: the only one, or those of a list of which there are said to be none."""
    search = find_search(call, meant, before)
    if search is None or not search.found.by or not search.shows_all(call):
        return
    if text and not _names(words_of(text), search.kind.name):
        return
    if meant.is_plural() or len(search.found.ids) == 1:
        yield from ((search.kind.name, each) for each in search.found.ids)

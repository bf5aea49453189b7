"""What a description says of a look-up: which ones it leaves out, which fields it searches, what it does not show."""

import re
from collections.abc import Iterator, Mapping
from functools import lru_cache
from typing import Any

from odyssey.kit.words import same_nouns, stem, tokens
from odyssey.simulation.world.answer import WorldQuestion
from odyssey.simulation.world.defaults import properties_of
from odyssey.simulation.world.demands import is_adjective
from odyssey.simulation.world.kinds import Anatomy, Kind
from odyssey.simulation.world.roles import Filter, RangeBound, Selection, TextSearch, is_search_text
from odyssey.simulation.world.status import named_values, sentences, status_fields

_LEFT = re.compile(
    r"\b(?:with|have|has|having)\s+(?:an?\s+|any\s+)?(\w+)\s+(?:left|available)\b", re.IGNORECASE
)
_LEFT_OUT = re.compile(
    r"\b(\w+) \w+ (?:are|is) (?:left out|excluded|not (?:shown|listed|included)|omitted|skipped)",
    re.IGNORECASE,
)
_PART = re.compile(r"\s*(?:part of|text in|contains|substring)\b", re.IGNORECASE)
_SEARCHED = re.compile(
    r"\b(?:in|whose|by|of|part of|against)\s+(?:the |their |its |a )?"
    r"((?:\w+)(?:(?:, | or | and/or | and |/)\w+)*)\b(?!')",
    re.IGNORECASE,
)
_WITHOUT = re.compile(
    r"\b(?:without|not including|leaving out|except)\s+(?:its|their|the)\s+(\w+(?: \w+)?)", re.IGNORECASE
)


def as_described(question: WorldQuestion, selection: Selection) -> Selection:
    """What the arguments select, narrowed as the description says."""
    kind, description = question.kind, question.call.tool.description
    selection.filters.extend(_left_out(question))
    selection.filters.extend(_statuses_left_out(kind, description))
    given = {each.path[0] for each in selection.filters}
    if not given.intersection(status_fields(kind)):
        selection.filters.extend(_statuses_meant(kind, description))
    selection.bounds.extend(_described_bounds(kind, description))
    return _by_parts_of_texts(question, selection)


def fields_left_out(kind: Kind, description: str) -> tuple[str, ...]:
    """`Orders without their lines`: what is not shown."""
    return _fields_left_out(kind.anatomy, kind.name, description)


@lru_cache(maxsize=1024)
def _fields_left_out(anatomy: Anatomy, noun: str, description: str) -> tuple[str, ...]:
    found = []
    for words in _WITHOUT.findall(description):
        for said in (words, words.split()[0]):
            path = anatomy.path_of("_".join(tokens(said)), noun)
            if path is not None and len(path) == 1:
                found.append(path[0])
                break
    return tuple(found)


def _described_bounds(kind: Kind, description: str) -> list[RangeBound]:
    """`hotels with rooms left`: those with more than none, where hotels have `rooms_left`."""
    found = []
    for noun in _LEFT.findall(description):
        for name in kind.fields:
            *about, last = tokens(name) or ("",)
            is_left = last in ("left", "available", "remaining") and same_nouns((noun.lower(),), tuple(about))
            if is_left and kind.anatomy.has((name,), "number"):
                found.append(RangeBound("", (name,), "low", strict=True, value=0))
    return found


def _left_out(question: WorldQuestion) -> Iterator[Filter]:
    """`Discontinued products are left out`; `Find active patients`: a switch that the description filters by."""
    description = question.call.tool.description
    left_out = {stem(word.lower()) for word in _LEFT_OUT.findall(description)}
    for name in question.kind.fields:
        if not question.kind.anatomy.has((name,), "boolean") or name in question.call.arguments:
            continue
        word = tokens(name)[-1]
        if stem(word) in left_out:
            yield Filter(name, (name,), (False,))
        elif is_adjective(word, question.kind.name, description):
            yield Filter(name, (name,), (True,))


def _by_parts_of_texts(question: WorldQuestion, selection: Selection) -> Selection:
    """Look for a part of a text where the tool says that a part will do, and in those fields that it names."""
    tool = question.call.tool
    about = {name: str(each.get("description") or "") for name, each in properties_of(tool.input_schema)}
    parts = [
        each
        for each in selection.filters
        if _is_part(about.get(each.argument, ""), each.argument, tool.description)
    ]
    loose = selection._replace(filters=parts).as_texts() if parts else selection
    texts = [_in_named_fields(question.kind, each, about, tool.description) for each in loose.texts]
    if not parts:
        return selection._replace(texts=texts)
    kept = [each for each in selection.filters if each not in parts]
    return selection._replace(filters=kept + loose.filters, texts=texts)


def _is_part(about: str, argument: str, description: str) -> bool:
    """Whether an argument gives a part of a text: "find students by part of the name"."""
    said = rf"\bpart of (?:the|their|its|a) (?:\w+ )?{re.escape(argument)}\b"
    return _PART.match(about) is not None or re.search(said, description, re.IGNORECASE) is not None


def _in_named_fields(kind: Kind, text: TextSearch, about: Mapping[str, str], description: str) -> TextSearch:
    if text.path is not None or text.among or not is_search_text(text.argument):
        return text
    for said in (about.get(text.argument, ""), description):
        fields = _fields_searched(kind.anatomy, kind.name, said)
        if fields:
            return text._replace(among=fields)
    return text


@lru_cache(maxsize=1024)
def _fields_searched(anatomy: Anatomy, noun: str, said: str) -> tuple[str, ...]:
    """`whose name or nickname contains it`, `in subject or description`: where all of these are fields."""
    for sentence in sentences(said) if said else ():
        for words in _SEARCHED.findall(sentence):
            names = re.split(r", | or | and/or | and |/", words)
            paths: list[Any] = [anatomy.path_of(name.lower(), noun) for name in names]
            if all(path is not None and len(path) == 1 and anatomy.has(path, "string") for path in paths):
                return tuple(path[0] for path in paths)
    return ()


_NOT_COUNTED = re.compile(
    r"\bthose (?:who|that) (?:have |has |are |were )?(\w+) "
    r"(?:do not|don't|are not) (?:count|found|listed|shown|included)",
    re.IGNORECASE,
)


def _statuses_left_out(kind: Kind, description: str) -> list[Filter]:
    """`flights that are not cancelled`: those with any other status."""
    for field in status_fields(kind):
        values = kind.known_values(field)
        said = re.search(r"\b(?:that|which) (?:is|are) not (\w+)", description, re.IGNORECASE)
        said = said or _NOT_COUNTED.search(description)
        left_out = named_values(values, tokens(said[1])) if said else ()
        if left_out:
            return [Filter(field, (field,), tuple(each for each in values if each not in left_out))]
    return []


_MEANT = re.compile(
    r"\b(?:that|which|who) (?:are|is) (?:currently |still |now )?(?P<which>(?:[\w-]+ ?){1,3})", re.IGNORECASE
)


def _statuses_meant(kind: Kind, description: str) -> list[Filter]:
    """`Find events that are on sale`: those with this status."""
    found = _MEANT.search(sentences(description)[0])
    for field in status_fields(kind) if found else ():
        said = " ".join(tokens(found["which"])) if found else ""
        wanted = [
            value
            for value in kind.known_values(field)
            if tokens(value) and said.startswith(" ".join(tokens(value)))
        ]
        if wanted:
            return [Filter(field, (field,), tuple(wanted))]
    return []

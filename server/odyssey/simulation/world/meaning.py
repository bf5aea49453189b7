"""What a tool means: its name says what is done to which type of entity, its arguments say to which one."""

from collections.abc import Mapping, Sequence
from functools import lru_cache
from typing import Any, Literal, NamedTuple

from odyssey.records.tools import LedgerSchema
from odyssey.simulation.engine import ToolCall
from odyssey.simulation.world.kinds import Kind, know, known_types
from odyssey.simulation.world.words import is_plural, same_name, same_noun, singular, stem, tokens
from odyssey.worlds.ledger import Ledger

Verb = Literal["read", "list", "create", "update", "remove", "unknown"]

_WORDS: dict[Verb, str] = {
    "read": "get read fetch show lookup look retrieve view describe load check inspect find display",
    "list": "list search query browse filter enumerate",
    "create": "create add new make insert register open place issue book schedule submit post start send",
    "update": "update set change modify edit mark adjust rename assign move patch replace",
    "remove": "delete remove destroy erase drop discard purge",
}
_VERBS: dict[str, Verb] = {word: verb for verb, words in _WORDS.items() for word in words.split()}
_MARKING = frozenset({"mark", "set", "move"})
_PREPOSITIONS = frozenset(
    {"by", "for", "of", "in", "to", "from", "with", "on", "at", "into", "as", "per", "up"}
)
_ID_WORDS = frozenset({"id", "uuid"})
_ID_TYPES = frozenset({"string", "integer"})


class Intent(NamedTuple):
    verb: Verb
    word: str = ""
    """The word of the tool's name that says so."""
    kind: Kind | None = None
    id_argument: str | None = None
    plural: bool = False
    is_named: bool = True
    """Whether the tool's name says the type, rather than an argument or a word after a preposition."""
    assigns: Mapping[str, Any] = {}
    """Fields the name alone sets: `close_thing` where a status "closed" is known."""

    @property
    def entity_type(self) -> str | None:
        return None if self.kind is None else self.kind.name


UNKNOWN = Intent("unknown")


class _Noun(NamedTuple):
    entity_type: str
    words: frozenset[str]
    """The words of the tool's name that name the type."""
    is_object: bool
    """Whether it is what the verb is done to, rather than where, by what or for whom."""


def understand(call: ToolCall, world: Ledger) -> Intent:
    """Classify one call; `unknown` unless both a verb and an entity type are found."""
    words = tokens(call.tool.name)
    types = known_types(world, call.ledger_schema)
    verb, word = _find_verb(words, types)
    rest = tuple(each for each in words if each != word)
    noun = _find_noun(verb, rest, call, types)
    if noun is None:
        return UNKNOWN
    kind = know(noun.entity_type, world, call.ledger_schema)
    others = [each for each in rest if each not in noun.words and each not in _PREPOSITIONS]
    intent = Intent(
        verb,
        word or next(iter(others), ""),
        kind,
        _find_id_argument(call, kind, verb),
        plural=any(is_plural(each) for each in noun.words),
        is_named=noun.is_object,
    )
    intent = _with_status(intent, others, call)
    return UNKNOWN if intent.verb == "remove" and not intent.is_named else intent


@lru_cache(maxsize=4096)
def _find_verb(words: tuple[str, ...], types: tuple[str, ...]) -> tuple[Verb, str]:
    """The first word if it is a verb, else the last, else any; one that also names a type comes last."""
    ordered = [*words[:1], *words[-1:], *words[1:-1]]
    verbs = [word for word in ordered if word in _VERBS]
    verbs.sort(key=lambda word: any(tokens(name) and same_noun(word, tokens(name)[-1]) for name in types))
    return (_VERBS[verbs[0]], verbs[0]) if verbs else ("unknown", "")


def _find_noun(verb: Verb, words: tuple[str, ...], call: ToolCall, types: tuple[str, ...]) -> _Noun | None:
    """The type named before the first preposition, as in `list_things_for_owner`; else one named elsewhere."""
    inner = [position for position, word in enumerate(words) if position and word in _PREPOSITIONS]
    cut = inner[0] if inner else len(words)
    objects = tuple(word for word in words[:cut] if word not in _PREPOSITIONS)
    named = _longest_noun(objects, types)
    if named is not None:
        return named
    if verb == "create":
        return _new_noun(objects, call.ledger_schema)
    elsewhere = _longest_noun(words[cut:], types) or _noun_of_arguments(call, types)
    return None if elsewhere is None else elsewhere._replace(is_object=not objects)


@lru_cache(maxsize=4096)
def _longest_noun(words: tuple[str, ...], types: tuple[str, ...]) -> _Noun | None:
    best: tuple[tuple[bool, int, int], _Noun] | None = None
    for name in types:
        full = tokens(name)
        for part in (full, full[-1:]):
            end = _last_run(words, part)
            if end is None:
                continue
            # A whole name beats the head of a compound one, more words beat fewer, the last noun is the head.
            score = (part == full, len(part), end)
            if best is None or score > best[0]:
                best = (score, _Noun(name, frozenset(words[end - len(part) : end]), is_object=True))
    return None if best is None else best[1]


def _last_run(words: Sequence[str], part: Sequence[str]) -> int | None:
    """Where the last run of words that are these nouns ends."""
    for end in range(len(words), len(part) - 1, -1):
        run = words[end - len(part) : end]
        if part and all(same_noun(word, noun) for word, noun in zip(run, part, strict=True)):
            return end
    return None


def _noun_of_arguments(call: ToolCall, types: tuple[str, ...]) -> _Noun | None:
    """The type an id argument is called after: `thing_id`."""
    for argument in _arguments(call):
        parts = tokens(argument)
        if len(parts) > 1 and parts[-1] in _ID_WORDS:
            noun = _longest_noun(parts[:-1], types)
            if noun is not None:
                return noun._replace(words=frozenset())
    return None


def _new_noun(words: Sequence[str], schema: LedgerSchema | None) -> _Noun | None:
    """In an open ledger, creating something is how a type nobody has heard of comes into the world."""
    if schema is not None or not words:
        return None
    return _Noun("_".join((*words[:-1], singular(words[-1]))), frozenset(words), is_object=True)


def _arguments(call: ToolCall) -> list[str]:
    declared = call.tool.input_schema.get("properties")
    return list(dict.fromkeys([*(declared if isinstance(declared, dict) else ()), *call.arguments]))


def _required(call: ToolCall) -> list[str]:
    required = call.tool.input_schema.get("required")
    return [name for name in required if isinstance(name, str)] if isinstance(required, list) else []


def _find_id_argument(call: ToolCall, kind: Kind, verb: Verb) -> str | None:
    arguments = _arguments(call)
    type_words = tokens(kind.name)
    for argument in arguments:
        if kind.id_field is not None and same_name(argument, kind.id_field):
            return argument
    for argument in arguments:
        parts = tokens(argument)
        if parts[-1:] and parts[-1] in _ID_WORDS and _are_tail(parts[:-1], type_words):
            return argument
    if verb in ("create", "list"):
        return None
    for argument in arguments:
        if tokens(argument) and _are_tail(tokens(argument), type_words) and not kind.field_named(argument):
            return argument
    return _only_required(call, kind)


def _are_tail(words: Sequence[str], nouns: Sequence[str]) -> bool:
    """Whether the words are the last of these nouns; no words at all are the tail of anything."""
    tail = nouns[len(nouns) - len(words) :] if len(words) <= len(nouns) else ()
    return len(words) == len(tail) and all(same_noun(*pair) for pair in zip(words, tail, strict=True))


def _only_required(call: ToolCall, kind: Kind) -> str | None:
    properties = call.tool.input_schema.get("properties")
    scalars = [
        name
        for name in _required(call)
        if isinstance(properties, dict)
        and isinstance(properties.get(name), dict)
        and properties[name].get("type") in _ID_TYPES
    ]
    if len(scalars) != 1:
        return None
    (name,) = scalars
    about_another = tokens(name)[-1:] and tokens(name)[-1] in _ID_WORDS
    return None if about_another or kind.field_named(name) is not None else name


def _with_status(intent: Intent, others: Sequence[str], call: ToolCall) -> Intent:
    """Read `close_thing`, `mark_thing_closed`, `submit_thing` as setting a status that is known to exist."""
    kind, word = intent.kind, intent.word
    assert kind is not None
    if intent.verb == "update":
        marks = list(reversed(others)) if word in _MARKING else []
        return intent._replace(assigns=_status_of(kind, marks))
    if intent.verb == "create" and intent.id_argument in _required(call):
        assigns = _status_of(kind, [word])
        return intent._replace(verb="update", assigns=assigns) if assigns else intent
    if intent.verb != "unknown":
        return intent
    assigns = _status_of(kind, [word, *others[-1:]])
    if assigns:
        return intent._replace(verb="update", assigns=assigns)
    return intent._replace(verb="remove") if stem(word) == "cancel" else UNKNOWN


def _status_of(kind: Kind, words: Sequence[str]) -> dict[str, str]:
    fields = sorted((name for name in kind.fields if tokens(name)[-1:] == ("status",)), key=len)
    for word in words:
        for field in fields:
            values = [
                value
                for value in kind.known_values(field)
                if any(stem(part) == stem(word) for part in tokens(value))
            ]
            if values:
                return {field: min(values, key=lambda value: len(tokens(value)))}
    return {}

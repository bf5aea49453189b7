"""What the name of a tool says: a verb, what it is done to, what that is called before and after, and by what."""

import re
from collections.abc import Mapping, Sequence
from functools import lru_cache
from typing import Any, Literal, NamedTuple

from odyssey.kit.words import id_noun, is_plural, same_noun, tokens, word_set
from odyssey.records.tools import Tool
from odyssey.simulation.world.kinds import Kind
from odyssey.worlds.field_index import values_at

Verb = Literal["read", "list", "create", "update", "remove", "tell", "unknown"]

_WORDS: dict[Verb, str] = {
    "read": "get read fetch show lookup look retrieve view describe load check inspect find display see",
    "list": "list search query browse filter enumerate count",
    "create": "create add new make insert register open place issue book schedule submit post start",
    "update": "update set change modify edit mark adjust rename assign move patch replace reschedule amend "
    "revise alter correct switch upgrade downgrade extend reassign configure",
    "remove": "delete remove destroy erase drop discard purge",
    "tell": "send notify log transfer escalate alert contact report message email call remind forward inform "
    "acknowledge",
}
"""`tell` reaches somebody outside the world; it makes something only where the world knows such things."""
_VERBS: dict[str, Verb] = {word: verb for verb, words in _WORDS.items() for word in words.split()}
_ALWAYS_VERBS = word_set(
    "get fetch find retrieve lookup list search create add insert update modify edit delete remove"
)
"""Those that are nothing else (`open` and `call` may be), so that they may stand after another word."""
PREPOSITIONS = frozenset(
    {"by", "for", "of", "in", "to", "from", "with", "on", "at", "into", "as", "per", "up", "using", "between"}
)


class Noun(NamedTuple):
    entity_type: str
    start: int
    end: int
    """Where the words that name the type stand among the words looked at."""


class Naming(NamedTuple):
    verb: Verb
    word: str
    """The word that says the verb; without a known verb, the first word that names no type."""
    entity_type: str | None = None
    noun: tuple[str, ...] = ()
    """The words that name the type; empty when only a word after a preposition names it."""
    before: tuple[str, ...] = ()
    """Between verb and noun: adjectives, or whose it is."""
    after: tuple[str, ...] = ()
    """What follows the noun: a field, a part, `id`; without a noun, all of what the verb is done to."""
    aside: tuple[str, ...] = ()
    """From the first preposition on."""
    preposition: str = ""
    """What stands between the verb and the noun: `to` in `add_to_list`."""
    is_described: bool = False
    """Whether the type is one of which only the description speaks."""

    @property
    def plural(self) -> bool:
        return any(is_plural(word) for word in self.noun)

    @property
    def is_named(self) -> bool:
        """Whether the type is what the verb is done to, and not only mentioned."""
        return bool(self.noun)


@lru_cache(maxsize=4096)
def read_name(name: str, types: tuple[str, ...]) -> Naming:
    """Divide the name of a tool into a verb, the type of entity it is done to, and the words around that."""
    # With the types order, order_item and customer:
    #   get_pending_order_status_by_customer   read; before: pending, noun: order, after: status, aside: by customer
    #   close_order                            unknown, with the word `close`; noun: order
    #   send_receipt_for_order                 tell; no noun, after: receipt; the aside only mentions an order
    words = _joined(tokens(name))
    verb, word = _find_verb(words, types)
    position = words.index(word) if word else -1
    rest = tuple(each for place, each in enumerate(words) if place != position)
    # A preposition in front (`to_order`) divides nothing.
    inner = [place for place, each in enumerate(rest) if each in PREPOSITIONS and place]
    cut = inner[0] if inner else len(rest)
    objects = tuple(each for each in rest[:cut] if each not in PREPOSITIONS)
    aside = rest[cut:]
    preposition = rest[0] if rest and rest[0] in PREPOSITIONS else ""
    found = find_noun(objects, types)
    if found is None:
        elsewhere = find_noun(aside, types)
        naming = Naming(verb, word, elsewhere.entity_type if elsewhere else None, after=objects, aside=aside)
    else:
        naming = Naming(
            verb,
            word,
            found.entity_type,
            noun=objects[found.start : found.end],
            before=objects[: found.start],
            after=objects[found.end :],
            aside=aside,
            preposition=preposition,
        )
    return naming if word else _verb_from_the_rest(naming)


_ARTICLES_AND_SUCH = word_set("a an the all every each any your its their his her current existing given")
_GIVING = word_set("return returns print prints give gives tell tells report reports retrieve retrieves")
_TELLING_WORDS = 8


@lru_cache(maxsize=4096)
def read_description(naming: Naming, description: str, types: tuple[str, ...]) -> Naming:
    """Read the first words of a description as a name, where the name itself says no type: `cat`, `get_portfolio`."""
    # "Return the content of a file." is get_content_of_file; "Lists positions by value" is list_positions_by_value.
    words = [word for word in tokens(_first_clause(description)) if word not in _ARTICLES_AND_SUCH]
    if not words:
        return naming
    first = "get" if words[0] in _GIVING else words[0]
    first = first if first in _VERBS or not first.endswith("s") else first[:-1]
    read = read_name("_".join([first, *words[1:_TELLING_WORDS]]), types)
    if read.entity_type is None:
        return naming
    verb, word = (naming.verb, naming.word) if naming.verb != "unknown" else (read.verb, read.word)
    return read._replace(verb=verb, word=word, is_described=True)


def _first_clause(description: str) -> str:
    return re.split(r"[.;:,(]", description, maxsplit=1)[0]


def _verb_from_the_rest(naming: Naming) -> Naming:
    """`close_thing`, `thing_close`: the word nobody listed is what is done."""
    if naming.plural and naming.before[-1:] in (("my",), ("all",)):
        return naming._replace(verb="list", before=())
    if naming.before:
        return naming._replace(word=naming.before[0], before=naming.before[1:])
    if naming.after:
        return naming._replace(word=naming.after[0], after=naming.after[1:])
    return naming


def _find_verb(words: tuple[str, ...], types: tuple[str, ...]) -> tuple[Verb, str]:
    """The first word if it is a verb, else the last, else any; one that also names a type comes last."""
    ordered = [*words[:1], *words[-1:], *words[1:-1]]
    verbs = [word for word in ordered if word in _VERBS]
    verbs.sort(key=lambda word: any(tokens(name) and same_noun(word, tokens(name)[-1]) for name in types))
    # `order_open` opens an order, but in `sync_open_orders` the word `open` is an adjective.
    if verbs and verbs[0] != words[0] and not _is_noun(words[0], types):
        # `leave_waiting_list` is about a list and lists nothing.
        verbs = [word for word in verbs if word in _ALWAYS_VERBS and word not in ("list", *words[-1:])]
    return (_VERBS[verbs[0]], verbs[0]) if verbs else ("unknown", "")


def _joined(words: tuple[str, ...]) -> tuple[str, ...]:
    """`check_in_guest` and `check_out` are verbs of two words."""
    if words[:1] == ("check",) and words[1:2] in (("in",), ("out",)):
        return (f"check_{words[1]}", *words[2:])
    return words


def _is_noun(word: str, types: tuple[str, ...]) -> bool:
    return any(same_noun(word, part) for name in types for part in tokens(name))


@lru_cache(maxsize=4096)
def find_noun(words: tuple[str, ...], types: tuple[str, ...]) -> Noun | None:
    """The type these words name: a whole name beats the head of a compound one, the last noun is the head."""
    # With the types order, order_item and customer: "order item" is an order_item (the longer whole name),
    # "item" is one too (its head), and "customer order" is an order (the last noun).
    best: tuple[tuple[bool, int, int], Noun] | None = None
    for name in types:
        full = tokens(name)
        for part in (full, full[-1:]):
            end = _last_run(words, part)
            if end is None:
                continue
            score = (part == full, len(part), end)
            if best is None or score > best[0]:
                best = (score, Noun(name, end - len(part), end))
    return None if best is None else best[1]


def _last_run(words: Sequence[str], part: Sequence[str]) -> int | None:
    """Where the last run of words that are these nouns ends."""
    for end in range(len(words), len(part) - 1, -1):
        run = words[end - len(part) : end]
        if part and all(same_noun(word, noun) for word, noun in zip(run, part, strict=True)):
            return end
    return None


# What of an entity a tool shows: all of it, its id alone, one field, or what its description lists.

_WHOLE = word_set(
    "detail details info information data record records profile summary entry full all list current"
)
_LISTED = re.compile(
    r"\b(?:list|get|return|show|fetch|retrieve)s?\s+(?:the\s+|a\s+|all\s+)?(.{3,80}?)\s+of\s+(?:all|every|each)\b",
    re.IGNORECASE,
)
_JOINED = re.compile(r"\s*(?:,|\band\b)\s*")
_ARTICLES = re.compile(r"^(?:the|their|its|an?)\s+")


def wants_id(naming: Naming) -> bool:
    """`find_thing_id_by_name`: the id alone."""
    return naming.after[-1:] in (("id",), ("ids",), ("uuid",))


def attribute(naming: Naming) -> str | None:
    """`get_thing_status`: what the name says to show, as the name of a field it may be."""
    words = tuple(word for word in naming.after if word not in _WHOLE)
    if not words or wants_id(naming) or len(words) < len(naming.after):
        return None
    return "_".join(words)


def attribute_of(shown: Mapping[str, Any], kind: Kind, name: str) -> list[Any]:
    """The value of the field so named, in an entity or in one of its parts; empty if there is none."""
    words = tokens(name)
    inside = [field for field in shown if tokens(field) == words]
    path = kind.path_of(name)
    return [shown[inside[0]]] if inside else values_at(shown, path) if path else []


def listed_fields(tool: Tool, kind: Kind) -> tuple[str, ...]:
    """The fields that "List the name and thing id of all things" asks for; none unless each is one."""
    found = _LISTED.search(tool.description)
    if found is None:
        return ()
    names = [_ARTICLES.sub("", each.strip()) for each in _JOINED.split(found[1]) if each.strip()]
    fields = [_field(kind, name) for name in names]
    return tuple(each for each in fields if each is not None) if None not in fields else ()


def _field(kind: Kind, name: str) -> str | None:
    if id_noun(name) is not None and kind.is_meant_by(name):
        return kind.id_field or "id"
    path = kind.path_of(name)
    return path[0] if path is not None and len(path) == 1 else None


def as_map(rows: list[dict[str, Any]], fields: tuple[str, ...], kind: Kind) -> dict[str, Any] | None:
    """Names with their ids, as a back end would keep them to look one up; None unless every name is one."""
    if len(fields) != 2 or fields[1] != (kind.id_field or "id"):
        return None
    names = [row.get(fields[0]) for row in rows]
    if not all(isinstance(name, str) for name in names) or len(set(names)) < len(names):
        return None
    return {str(row[fields[0]]): row[fields[1]] for row in rows}

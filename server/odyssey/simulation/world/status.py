"""Where a thing stands: the status a verb leads to, and the one it must have for that."""

import re
from collections.abc import Sequence
from functools import lru_cache
from typing import Any, NamedTuple

from odyssey.kit.words import id_noun, is_id_list, listed, participle, same_nouns, stem, tokens, word_set
from odyssey.simulation.world.kinds import Kind
from odyssey.simulation.world.naming import Naming
from odyssey.simulation.world.roles import Filter

_MARKING = frozenset({"mark", "set", "move"})
_CHANGES = r"(?:changed?|changes|sets?|updated?|updates|moved?|moves|turned?|turns|becomes?|mark(?:s|ed)?)"
_STAGES = word_set(
    "cancel approve reject decline accept complete close archive resolve confirm suspend terminate revoke"
)
_ENDED = word_set(
    "closed cancelled canceled completed resolved done rejected archived finished delivered expired"
)
_LITTLE = word_set("a an the")
_DENIALS = word_set("not no never un")
_STANDINGS = ("status", "state", "stage")
_QUOTED = r"['\"“‘`]([^'\"”’`]{2,40})['\"”’`]"
_LEADS_TO = (
    re.compile(rf"\bstatus\b[^.;'\"“‘`]{{0,60}}?\b{_CHANGES}\b[^.;'\"“‘`]{{0,30}}{_QUOTED}", re.IGNORECASE),
    re.compile(rf"\b{_CHANGES}\b[^.;'\"“‘`]{{0,60}}?\bstatus\b[^.;'\"“‘`]{{0,30}}{_QUOTED}", re.IGNORECASE),
    re.compile(rf"\b{_CHANGES}\b[^.;'\"“‘`]{{0,60}}?\bas\s+{_QUOTED}", re.IGNORECASE),
    re.compile(rf"\bwith\s+(?:the\s+|a\s+)?status\s+(?:of\s+)?{_QUOTED}", re.IGNORECASE),
)
_SETS_IT = re.compile(
    r"\b(?:sets|turns|moves|marks|puts) (?:it|them|the \w+) (?:to|as|into)? ?['\"]?(\w+)", re.IGNORECASE
)
_LEADS_TO_WORD = re.compile(
    rf"\b(?:{_CHANGES}\b[^.;]{{0,60}}?\bstatus|status\b[^.;]{{0,60}}?\b{_CHANGES})\b[^.;]{{0,20}}?\b(?:to|as)\s+(\w+)",
    re.IGNORECASE,
)
_NOT_IF = re.compile(r"\bif\b[^.;]{0,60}?\bis\b(?P<which>[^.;]{0,80}?)\bcan\s?not\b", re.IGNORECASE)
_ONLY = re.compile(r"\bonly\b(?P<which>[^.;]{0,60}?)\b(?:can|may)\b(?!\s+(?:only|not))", re.IGNORECASE)
_MUST = re.compile(
    r"\b(?:must|has to|needs to)\s+(?:still\s+)?be\b(?!\s+not\b)(?P<which>[^.;]{0,60})", re.IGNORECASE
)
_THAT_IS = re.compile(
    r"\b(?P<noun>\w+)\s+(?:that|which)\s+(?:is|are)\s+(?:still\s+)?(?P<which>\w+(?:\s+or\s+\w+)?)",
    re.IGNORECASE,
)
_NOT_BE = re.compile(
    r"\b(?:(?:must|may) not be|(?:that|which) (?:is|are) not)\b(?P<which>[^.;]{0,60})", re.IGNORECASE
)
_CANNOT = re.compile(r"(?P<which>[^.;]{2,80}?)\b(?:can\s?not|can't|may not|must not)\b", re.IGNORECASE)
_UNLESS = re.compile(
    r"\b(?:once|after|if|when)\b[^.;]{0,40}?\b(?:is|are|has been|have been|was)\s+(?P<which>[^.;]{2,40})",
    re.IGNORECASE,
)
_REFUSES = re.compile(
    r"\b(?:fails?|refused?|rejected|error|not allowed|not possible|impossible)\b", re.IGNORECASE
)


class StatusRequirement(NamedTuple):
    """What a tool says of the status an entity must have."""

    field: str
    wanted: tuple[str, ...] = ()
    forbidden: tuple[str, ...] = ()

    def problem(self, value: Any) -> str | None:
        """How a status reads that does not do: "done, not open"; None if it does."""
        if not isinstance(value, str):
            return None
        if self.wanted and not any(_says(value, each) for each in self.wanted):
            return f"{value}, not {listed(self.wanted, 'or')}"
        if value in self.forbidden:
            return value
        return None


def status_fields(kind: Kind) -> list[str]:
    """`status` before `payment_status`; `state` where nothing is called status, and `stage`."""
    for word in _STANDINGS:
        found = [name for name in kind.fields if tokens(name)[-1:] == (word,)]
        if found:
            return sorted(found, key=len)
    return []


def led_to(kind: Kind, naming: Naming, description: str) -> dict[str, str]:
    """The status that the tool says it sets: quoted in its description, or known and called after the verb."""
    # For `close_order` where orders are "open" or "closed": "closed". If its description says "The status will be
    # changed to 'shut'", then "shut", although no order is that yet: what is written beats what is inferred.
    fields = status_fields(kind)
    if not fields:
        return {}
    stated = _stated(kind, fields[0], naming, description)
    if stated is not None:
        return {fields[0]: stated}
    if naming.verb == "update":
        names_a_field = bool(naming.after) and kind.path_of("_".join(naming.after)) is not None
        marking = naming.word in _MARKING and not names_a_field
        marks = list(reversed(naming.after + naming.aside)) if marking else []
        return _called_after(kind, fields, marks)
    # `reopen_order` makes it what `open_order` does.
    return _called_after(kind, fields, [naming.word, naming.word.removeprefix("re"), *naming.after[-1:]])


def stated_status(kind: Kind, description: str) -> dict[str, str]:
    """The status a description says something new begins with: "with status 'draft'"."""
    fields = status_fields(kind)
    if not fields:
        return {}
    quoted = _quoted_target(description)
    if quoted is not None:
        return {fields[0]: quoted}
    begun = _begins_as(tuple(kind.known_values(fields[0])), description)
    return {fields[0]: begun} if begun is not None else {}


_BEGINS = re.compile(
    r"\b(?:is|are|starts?(?: out)?(?: as)?|begins?(?: as)?|becomes?|with status|as)\s+(?:an?\s+|in\s+)?(\w+)",
    re.IGNORECASE,
)


@lru_cache(maxsize=1024)
def _begins_as(values: tuple[str, ...], description: str) -> str | None:
    """`It gets the next number and is scheduled.`: the known status that something new is said to have."""
    for word in re.findall(r"\band\s+is\s+(\w+)", description) + _BEGINS.findall(description):
        for value in values:
            if tokens(value) == (word.lower(),):
                return value
    return None


def new_status(kind: Kind, naming: Naming, description: str) -> dict[str, str]:
    """A status called after the verb although the world has no such one yet.

    Only where no status is known at all, or where the verb is one that ends or begins a stage in any trade.
    """
    for field in status_fields(kind):
        known = kind.known_values(field)
        # Where orders are "open" or "closed", `cancel_order` makes one "cancelled"; `pack_order` makes up nothing.
        if known and naming.word not in _STAGES:
            continue
        spelled = [
            word for word in tokens(description) if word.endswith("ed") and stem(word) == stem(naming.word)
        ]
        return {field: _in_the_style_of(known, (spelled or [participle(naming.word)])[0])}
    return {}


def _in_the_style_of(known: Sequence[str], word: str) -> str:
    if known and all(value.isupper() for value in known):
        return word.upper()
    return word.capitalize() if known and all(value[:1].isupper() for value in known) else word


def required_standing(kind: Kind, naming: Naming, description: str) -> StatusRequirement | None:
    """The status the name demands by an adjective (`ship_paid_thing`), or the description in a sentence."""
    # `ship_open_order` and "Only open orders can be shipped." both want "open";
    # "If the order is closed it cannot be shipped." forbids "closed".
    for field in status_fields(kind):
        values = kind.known_values(field)
        wanted = named_values(values, naming.before)
        forbidden: tuple[str, ...] = ()
        if not wanted:
            wanted, forbidden = _in_sentences(tuple(values), kind.name, description)
        if wanted or forbidden:
            return StatusRequirement(field, wanted, forbidden)
    return None


def standing_in(kind: Kind, text: str) -> StatusRequirement | None:
    """The status that sentences about a type demand of one of its entities, whatever is done with it."""
    for field in status_fields(kind) if text else ():
        wanted, forbidden = _in_sentences(tuple(kind.known_values(field)), kind.name, text)
        if wanted or forbidden:
            return StatusRequirement(field, wanted, forbidden)
    return None


def status_filters(kind: Kind, naming: Naming) -> list[Filter]:
    """`list_open_things`: the adjective is a filter."""
    for field in status_fields(kind) if naming.before else ():
        values = kind.known_values(field)
        wanted = named_values(values, naming.before)
        if wanted:
            return [Filter(field, (field,), tuple(each for each in values if _says(each, wanted[0])))]
    return []


def _stated(kind: Kind, field: str, naming: Naming, description: str) -> str | None:
    known = {value.casefold(): value for value in kind.known_values(field)}
    quoted = _quoted_target(description)
    if quoted is not None:
        return known.get(quoted.casefold(), quoted)
    for word in _SETS_IT.findall(description):
        if word.casefold() in known:
            return known[word.casefold()]
    for word in _LEADS_TO_WORD.findall(description):
        if word.casefold() in known:
            return known[word.casefold()]
        if stem(word.lower()) == stem(naming.word) or word[0].isupper():
            return str(word)
    return None


@lru_cache(maxsize=1024)
def _quoted_target(description: str) -> str | None:
    found = [match for pattern in _LEADS_TO if (match := pattern.search(description))]
    return min(found, key=lambda match: match.start())[1] if found else None


def _called_after(kind: Kind, fields: Sequence[str], words: Sequence[str]) -> dict[str, str]:
    for word in words:
        for field in fields:
            value = called_after(kind.known_values(field), word)
            if value is not None:
                return {field: value}
    return {}


def called_after(values: Sequence[str], word: str) -> str | None:
    """The shortest of these that shares its stem with a verb: "closed" for `close`."""
    first, *particles = word.split("_")
    found = [value for value in values if any(stem(part) == stem(first) for part in tokens(value))]
    if particles:  # `check_in` makes "checked_in"
        found = [value for value in found if tokens(value)[-1:] == (*particles,)]
    found = [
        value for value in found if _DENIALS.isdisjoint(tokens(value)[:1])
    ]  # `lodge` makes nothing "not lodged"
    shortest = min((len(tokens(value)) for value in found), default=0)
    found = [value for value in found if len(tokens(value)) == shortest]
    # `close_deal` makes it "Closed Won" or "Closed Lost", and nobody knows which.
    return found[0] if len(found) == 1 or shortest == 1 else None


def named_values(values: Sequence[str], words: Sequence[str]) -> tuple[str, ...]:
    """The known values that adjectives are: `in_progress` takes two words, and "at a depot" is `at_depot`."""
    return _within(values, " ".join(word for word in words if word not in _LITTLE))


def _within(values: Sequence[str], text: str) -> tuple[str, ...]:
    """The values a text speaks of; "partially received" does not speak of "received"."""
    found = set()
    for value in sorted(values, key=lambda each: -len(tokens(each))):
        said = " ".join(tokens(value))
        if said and _is_within(said, text):
            found.add(value)
            text = f" {text} ".replace(f" {said} ", " - ").strip()
    return tuple(value for value in values if value in found)


@lru_cache(maxsize=1024)
def _in_sentences(
    values: tuple[str, ...], noun: str, description: str
) -> tuple[tuple[str, ...], tuple[str, ...]]:
    """The statuses that sentences demand, and those they rule out."""
    # Of orders: "Cancel an open order." and "The order must still be open." demand open. "Filled orders cannot be
    # cancelled.", "If it is closed it cannot be shipped." and "Fails once it has been shipped." rule the others out.
    wanted: tuple[str, ...] = ()
    forbidden: tuple[str, ...] = ()
    for place, sentence in enumerate(sentences(description)):
        for pattern in (_ONLY, _MUST, _THAT_IS):
            found = pattern.search(sentence)
            if found and pattern is _THAT_IS and found["noun"].lower() == "one":
                continue  # "the only way for one that is paused"
            wanted = wanted or (named_values(values, tokens(found["which"])) if found else ())
        for pattern in (_NOT_IF, _NOT_BE, _CANNOT):
            found = pattern.search(sentence)
            forbidden = forbidden or (named_values(values, tokens(found["which"])) if found else ())
        found = _UNLESS.search(sentence) if _REFUSES.search(sentence) else None
        ruled_out = named_values(values, tokens(found["which"])) if found else ()
        if found and found["which"].lower().startswith("not "):
            wanted = wanted or ruled_out  # "Refused if the member is not active"
        else:
            forbidden = forbidden or ruled_out
        if not place:
            wanted = wanted or as_adjectives(values, noun, sentence)
            if wanted and re.search(r"\bor\b", sentence):
                # "Begin an assigned order or resume one on hold": each will do that is spoken of.
                wanted = named_values(values, tokens(sentence)) or wanted
    if not (wanted or forbidden) and as_adjectives(("open",), noun, sentences(description)[0]):
        forbidden = tuple(value for value in values if not _ENDED.isdisjoint(tokens(value)[:1]))
    return wanted, () if wanted else forbidden


def as_adjectives(values: Sequence[str], noun: str, sentence: str) -> tuple[str, ...]:
    """`Cancel an open order`, `Change the price of a pending or open order`."""
    heads = tokens(noun)[-1:]
    said = tokens(sentence)
    for place, word in enumerate(said):
        if not heads or not same_nouns((word,), heads):
            continue
        before = said[max(0, place - 6) : place]
        found = _within(values, " ".join(before))
        if found and not {"as", "into", "new"}.intersection(before):
            return found
    return ()


@lru_cache(maxsize=1024)
def clauses(description: str) -> tuple[str, ...]:
    """The parts of its sentences that stand between commas and `and`."""
    return tuple(re.split(r"[.;:,]\s+|\s+(?:and|but)\s+", re.sub(r"\s+", " ", description)))


@lru_cache(maxsize=1024)
def sentences(description: str) -> tuple[str, ...]:
    return tuple(re.split(r"(?<=[.;])\s+", re.sub(r"\s+", " ", description)))


def _says(value: str, wanted: str) -> bool:
    """Whether a status is the wanted one, if need be with more words to it."""
    return value == wanted or _is_within(" ".join(tokens(wanted)), " ".join(tokens(value)))


def _is_within(part: str, whole: str) -> bool:
    return f" {part} " in f" {whole} "


# What a verb does to an entity by itself: it sets a status, switches something on or off, keeps what it is told.

_NEGATIONS = ("un", "de", "dis", "in")
_OPPOSITES = {
    "disable": "enable",
    "close": "open",
    "stop": "start",
    "hide": "show",
    "clear": "set",
    "mute": "sound",
}
_ASIDE = frozenset({"is", "has", "was", "are"})


def effects_of(kind: Kind, naming: Naming, description: str) -> dict[str, Any]:
    """The fields the verb alone sets, with their values."""
    effects: dict[str, Any] = dict(led_to(kind, naming, description))
    if not effects and naming.verb == "unknown":
        effects = {**switch(kind, naming)} or {**new_status(kind, naming, description)}
    return effects


def switch(kind: Kind, naming: Naming) -> dict[str, bool]:
    """The field that is on or off by the verb alone: `lock_thing` where things are `locked`, `enable_x`."""
    mentioned = (*naming.before, *naming.after, *naming.noun)
    for field in kind.fields:
        words = [word for word in tokens(field) if word not in _ASIDE]
        if not words or not kind.anatomy.has((field,), "boolean"):
            continue
        *about, last = words
        state = switched(naming.word, last)
        if state is not None and all(
            any(same_nouns((word,), (each,)) for each in mentioned) for word in about
        ):
            return {field: state}
    return {}


def recorded_in(kind: Kind, word: str, argument: str) -> str | None:
    """The field called after verb and argument: `return_reason` keeps the `reason` of `return_thing`."""
    noun = id_noun(argument) if is_id_list(argument) else None
    for field in kind.fields:
        verb, *rest = tokens(field) or ("",)
        if (
            rest
            and stem(verb) == stem(word)
            and (tuple(rest) == tokens(argument) or same_nouns(noun or (), rest))
        ):
            return field
    return None


def switched(word: str, last: str) -> bool | None:
    """What a verb makes of a field that ends in such a word: on, off, or nothing."""
    # Of `locked`, `lock` and `relock` make True and `unlock` False; of `alarm_enabled`, `disable` makes False.
    if stem(word) == stem(last):
        return True
    if stem(_OPPOSITES.get(word, "")) == stem(last):
        return False
    negated = [word.removeprefix(each) for each in _NEGATIONS if word.startswith(each)]
    if any(stem(each) == stem(last) for each in negated):
        return False
    return True if stem(word.removeprefix("re")) == stem(last) else None

"""What a verb does to an entity by itself: it sets a status, switches something on or off, keeps what it is told."""

from typing import Any

from odyssey.kit.words import id_noun, is_id_list, same_nouns, stem, tokens
from odyssey.simulation.world.kinds import Kind
from odyssey.simulation.world.naming import Naming
from odyssey.simulation.world.status import led_to, new_status

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
    if stem(word) == stem(last):
        return True
    if stem(_OPPOSITES.get(word, "")) == stem(last):
        return False
    negated = [word.removeprefix(each) for each in _NEGATIONS if word.startswith(each)]
    if any(stem(each) == stem(last) for each in negated):
        return False
    return True if stem(word.removeprefix("re")) == stem(last) else None

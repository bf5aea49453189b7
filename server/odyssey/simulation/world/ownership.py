"""Whose things are: in a world where somebody is logged in, they may have only what is theirs.

{"account_id": "a-1", "customer_id": "c-1"}         says it itself
{"conversation_id": "v-1", "members": ["u-1"]}      lists who belongs to it
{"card_id": "k-1", "account_id": "a-1"}             is whose account a-1 is
"""

import re
from collections.abc import Iterator, Mapping
from typing import Any, NamedTuple

from odyssey.kit.words import id_noun, is_id_list, same_noun, tokens, word_set
from odyssey.simulation.world.kinds import Kind
from odyssey.simulation.world.roles import Filter
from odyssey.worlds.field_index import PathStep
from odyssey.worlds.schema import id_text

_MEMBERS = ("member", "participant", "attendee", "person", "subscriber", "guest", "owner")
_ROLES_OF_MANY = 2
"""A list must hold more than this many different users in all, so that it is no list of a few in charge."""


class Owner(NamedTuple):
    """Whoever is logged in."""

    pointer: str
    """The field that holds their id, in the session and in what is theirs."""
    user_id: str
    users: Kind | None
    is_explicit: bool = False
    """Whether the description speaks of what is theirs."""
    is_strict: bool = False
    """Whether what is done is only for whoever is in charge of a thing: "assigned to you", "only the owner may"."""


def is_anothers(kind: Kind, entity_id: str | None, owner: Owner | None) -> bool:
    """Whether an entity is known to be somebody else's; what does not say whose it is, is nobody's."""
    fields = kind.entities.get(entity_id) if owner is not None and entity_id is not None else None
    if owner is None or fields is None:
        return False
    # Whoever is in charge of a thing may not be the only one to see it.
    owner = owner._replace(is_explicit=owner.is_strict)
    for field in _naming_owner(kind, owner):
        held = fields.get(field)
        if isinstance(held, list):
            return owner.user_id not in map(id_text, held)
        if held is not None or owner.is_strict:
            return id_text(held) != owner.user_id
    return any(
        is_anothers(other, id_text(fields.get(field)), owner)
        for field, other in pointers(kind)
        if any(True for _ in _naming_owner(other, owner))
    )


def own_filters(kind: Kind, owner: Owner) -> Iterator[Filter]:
    """What narrows a list to what is theirs; nothing where the type does not say whose its entities are."""
    for field in _naming_owner(kind, owner):
        is_list = kind.anatomy.has((field,), "array")
        yield Filter(field, (field, PathStep.EACH) if is_list else (field,), (owner.user_id,))
        return
    for field, other in pointers(kind):
        if any(True for _ in _naming_owner(other, owner)):
            theirs = [each for each in other.entities if not is_anothers(other, each, owner)]
            yield Filter(field, (field,), tuple(theirs))
            return


def _naming_owner(kind: Kind, owner: Owner) -> Iterator[str]:
    if owner.users is not None and kind.name == owner.users.name:
        return
    if owner.pointer in kind.fields:
        yield owner.pointer
        return
    if owner.users is None:
        return
    for field in kind.fields:
        words = tokens(field)
        is_list = kind.anatomy.has((field,), "array") and kind.anatomy.collection(field) is None
        noun = (id_noun(field) or words)[-1:]
        about = any(same_noun(word, each) for word in noun for each in _MEMBERS) or (
            is_id_list(field) and owner.users.is_meant_by(field)
        )
        if is_list and about:
            ids = kind.values_at((field, PathStep.EACH))
            if len(ids) > _ROLES_OF_MANY and all(
                (id_text(each) or "") in owner.users.entities for each in ids
            ):
                yield field
                return
    if owner.is_explicit:
        yield from _in_charge(kind, owner.users)


_CHARGES = word_set("assignee assigned owner responsible")
_THEIRS_ALONE = re.compile(
    r"\bassigned to you\b|\byou own\b|\bof yours\b|"
    r"\b(?:it|that|which) (?:must (?:still )?be |has to be |is (?:still )?)yours\b|"
    r"\byour own\b|\b(?:signed|logged)-in \w+'s own\b",
    re.IGNORECASE,
)
_ONLY_THEY = re.compile(
    r"\bonly (?:the|its|their) (?P<who>\w+)(?P<others>[^.;]{0,60}?) (?:may|can|is allowed to)\b",
    re.IGNORECASE,
)


def is_theirs_alone(description: str, user: Mapping[str, Any]) -> bool:
    """Whether a description reserves an act for whoever is in charge; not from a user whose role is let in too."""
    # "Only the owner of the deal or a manager may close it" says nothing to {"user_id": "u-1", "role": "manager"}.
    found = _ONLY_THEY.search(description)
    if found is None:
        return _THEIRS_ALONE.search(description) is not None
    others = tokens(found["others"])
    is_let_in = any(
        isinstance(value, str) and tokens(value) and set(tokens(value)) <= set(others)
        for value in user.values()
    )
    return found["who"].lower() in _CHARGES and not is_let_in


def _in_charge(kind: Kind, users: Kind) -> Iterator[str]:
    """`My tasks` where tasks have an `assignee_id`."""
    for field in kind.fields:
        held = kind.values_at((field,)) if not _CHARGES.isdisjoint(tokens(field)) else []
        ids = [id_text(each) or "" for each in held if each is not None]
        if ids and all(each in users.entities for each in ids):
            yield field
            return


def pointers(kind: Kind) -> Iterator[tuple[str, Kind]]:
    """The fields that hold ids of other types, with those."""
    for field in kind.fields:
        if not id_noun(field) or field == kind.id_field:
            continue
        for other in kind.all_kinds():
            if other.name != kind.name and other.entities and other.is_meant_by(field):
                yield field, other
                break


def join_filter(kind: Kind, argument: str, value: Any) -> Filter | None:
    """`list_bookings(last_name)` where bookings have a guest_id and guests a last_name: those of such guests."""
    for field, other in pointers(kind):
        path = other.path_of(argument)
        if path is None or not isinstance(value, str | int) or len(path) > 1:
            continue
        found = other.world.having(other.name, path, value)
        found = found or other.world.having(other.name, (*path, PathStep.FOLDED), value)
        return Filter(argument, (field,), tuple(found))
    return None


def pointed_entities(kind: Kind, arguments: Mapping[str, Any]) -> Iterator[tuple[str, Kind, str]]:
    """The arguments that name entities, of this type or of another, except those that something goes to."""
    for argument, value in arguments.items():
        entity_id = id_text(value)
        if entity_id is None or not id_noun(argument) or not _TAKERS.isdisjoint(tokens(argument)):
            continue
        for other in kind.all_kinds():
            if other.entities and other.is_meant_by(argument):
                yield argument, other, entity_id
                break


_TAKERS = word_set("to target recipient destination new payee receiver")

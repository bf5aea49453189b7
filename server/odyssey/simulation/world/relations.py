"""How entities hang together: by fields that hold ids, by lists of ids, and by parts that others point at."""

import re
from collections.abc import Iterator, Mapping
from itertools import islice
from typing import Any, NamedTuple

from odyssey.kit.words import id_noun, is_id_list, same_name, same_nouns, tokens
from odyssey.simulation.world.kinds import Collection, Kind
from odyssey.worlds.field_index import Path, PathStep
from odyssey.worlds.schema import id_text

# What is kept inside entities: parts of a thing. They have ids of their own, but no type.


class OwnedPart(NamedTuple):
    kind: Kind
    owner_id: str
    collection: Collection
    value: dict[str, Any]


class PartPlace(NamedTuple):
    """Where parts of some noun are kept."""

    kind: Kind
    collection: Collection
    path: Path
    """To their ids."""


def places(kinds: list[Kind], argument: str) -> list[PartPlace]:
    """Where the part may be kept that an argument such as `part_id` names; where it is the key comes first."""
    noun = id_noun(argument)
    found = []
    for kind in kinds:
        for collection in kind.anatomy.collections:
            member = collection.id_member(argument)
            if collection.by_key and (member or (noun and same_nouns(noun, tokens(collection.field)))):
                found.append(PartPlace(kind, collection, (collection.field, PathStep.KEY)))
            elif member is not None:
                found.append(PartPlace(kind, collection, (collection.field, PathStep.EACH, member)))
    return sorted(found, key=lambda place: not place.collection.by_key)


def home(candidates: list[PartPlace], part_id: Any) -> OwnedPart | None:
    """The part itself rather than a mention of it: kept under its id, or in one entity only."""
    # Item i-1 stands in an order's list of items and under the key i-1 among the variants of product p-2. The key is
    # where it is kept, the list only mentions it: the home is p-2.
    for place in candidates:
        owners = place.kind.world.having(place.kind.name, place.path, part_id)
        if len(owners) != 1 and not (owners and place.collection.by_key):
            continue
        found = part_in(place.kind.entities[owners[0]], place, part_id)
        if found is not None:
            return OwnedPart(place.kind, owners[0], place.collection, found)
    return None


def part_in(fields: Mapping[str, Any], place: PartPlace, part_id: Any) -> dict[str, Any] | None:
    held = fields.get(place.collection.field)
    if isinstance(held, dict) and place.path[-1] is PathStep.KEY:
        found = held.get(id_text(part_id) or "")
        return found if isinstance(found, dict) else None
    member = place.path[-1]
    items = held.values() if isinstance(held, dict) else held if isinstance(held, list) else ()
    wanted = id_text(part_id)
    return next(
        (each for each in items if isinstance(each, dict) and id_text(each.get(member)) == wanted), None
    )


class Reference(NamedTuple):
    """An argument that gives the id of an entity of another type."""

    argument: str
    kind: Kind
    entity_id: str


def references(kind: Kind, arguments: Mapping[str, Any]) -> Iterator[Reference]:
    """The arguments that name entities of other types the world has."""
    for argument, value in arguments.items():
        entity_id = id_text(value)
        if entity_id is None or id_noun(argument) == ():
            continue
        others = [other for other in kind.all_kinds() if other.name != kind.name and other.entities]
        meant = [other for other in others if other.is_meant_by(argument)]
        if not meant and id_noun(argument) and kind.entities:
            meant = [] if _are_numbered_alike(kind, entity_id) else numbered_alike(others, entity_id)
        meant = meant or _named_by(kind, argument, others)
        # A path may be that of a file or of a folder, and a `code` that of this very type.
        holding = [other for other in meant if entity_id in other.entities]
        if meant and (holding or not (_is_own_id(kind, argument) or entity_id in kind.entities)):
            yield Reference(argument, (holding or meant)[0], entity_id)


def _named_by(kind: Kind, argument: str, others: list[Kind]) -> list[Kind]:
    """`branch="OSL"` where things have a `branch`, and each is one of the branches."""
    field = kind.field_named(argument) if id_noun(argument) is None else None
    for other in others if field is not None else ():
        if field is not None and same_nouns(tokens(argument)[-1:], tokens(other.name)[-1:]):
            held = [value for value in kind.values_at((field,)) if value is not None]
            return [other] if held and all((id_text(value) or "") in other.entities for value in held) else []
    return []


def _is_own_id(kind: Kind, argument: str) -> bool:
    return kind.id_field is not None and same_name(kind.id_field, argument)


_NUMBERED = re.compile(r"^([A-Za-z]+[-_]?)\d+$")
_FEW = 3


def numbered_alike(kinds: list[Kind], entity_id: str) -> list[Kind]:
    """The one type whose ids look like this one."""
    found = [each for each in kinds if each.entities and _are_numbered_alike(each, entity_id)]
    return found if len(found) == 1 else []


def _are_numbered_alike(kind: Kind, entity_id: str) -> bool:
    """Whether ids of a type look like this one: `usr_7040` is that of a user where users are `usr_1` and `usr_2`."""
    begins = _NUMBERED.match(entity_id)
    known = [_NUMBERED.match(each) for each in islice(kind.entities, _FEW)] if begins else []
    return bool(known) and begins is not None and all(each and each[1] == begins[1] for each in known)


def pointer_to(kind: Kind, reference: Reference) -> str | None:
    """The field that points at such an entity under another name: `assignee_id` for an `agent_id`."""
    others = reference.kind.entities
    found = []
    for field in kind.fields:
        held = [value for value in kind.values_at((field,)) if value is not None] if id_noun(field) else []
        if held and field != kind.id_field and all((id_text(value) or "") in others for value in held):
            found.append(field)
    return found[0] if len(found) == 1 else None


def listed_by_owner(kind: Kind, arguments: Mapping[str, Any]) -> tuple[str, list[str]] | None:
    """The argument that names an owner, and the ids its own list has; where a thing does not say whose it is."""
    for reference in references(kind, arguments):
        if kind.path_of(reference.argument) is not None:
            continue
        owner = reference.kind.entities.get(reference.entity_id)
        field = list_of(kind, reference.kind)
        if field is not None:
            listed = (owner or {}).get(field)
            ids = [id_text(each) or "" for each in listed] if isinstance(listed, list) else []
            return reference.argument, [each for each in ids if each in kind.entities]
    return None


def pointed_at(kind: Kind, arguments: Mapping[str, Any]) -> tuple[str, str] | None:
    """The argument that names another entity, and the id it points at: `get_owner(thing_id)` by its `owner_id`."""
    for reference in references(kind, arguments):
        fields = reference.kind.entities.get(reference.entity_id) or {}
        pointers = [name for name in fields if kind.is_meant_by(name)]
        if pointers:
            return reference.argument, id_text(fields[pointers[0]]) or ""
    return None


def list_of(kind: Kind, owner: Kind) -> str | None:
    """The field of an owner that lists the ids of such entities: `things` or `thing_ids`."""
    for field in owner.fields:
        nouns = id_noun(field) if is_id_list(field) else tokens(field)
        if owner.anatomy.has((field,), "array") and same_nouns(nouns or (), tokens(kind.name)):
            return field if owner.anatomy.collection(field) is None else None
    return None


def belongs(kind: Kind, entity_id: str, argument: str, value: Any) -> bool:
    """Whether an entity is whose an argument says it is, as far as it or the owner's list tells."""
    field = kind.field_named(argument)
    if field is not None:
        return id_text(kind.entities[entity_id].get(field)) == id_text(value)
    for reference in references(kind, {argument: value}):
        owner, listing = reference.kind.entities.get(reference.entity_id), list_of(kind, reference.kind)
        if owner is None or (listing is not None and entity_id not in map(id_text, owner.get(listing) or [])):
            return False
    return True


def is_held(kind: Kind, entity_id: str, argument: str, value: Any) -> bool:
    """Whether an entity is anybody's of the kind that an argument names: what is nobody's may be given to somebody."""
    field = kind.field_named(argument)
    if field is not None:
        return kind.entities[entity_id].get(field) is not None
    for reference in references(kind, {argument: value}):
        listing = list_of(kind, reference.kind)
        if listing is not None:
            return bool(kind.world.having(reference.kind.name, (listing, PathStep.EACH), entity_id))
    return True


def related(kind: Kind, fields: Mapping[str, Any]) -> Iterator[Reference]:
    """The entities that the fields of one point at."""
    yield from references(kind, {name: value for name, value in fields.items() if name != kind.id_field})


class Holder(NamedTuple):
    """An entity that keeps parts by id."""

    kind: Kind
    entity_id: str
    place: PartPlace

    def keeps(self, part_id: Any) -> bool:
        held = (self.kind.entities.get(self.entity_id) or {}).get(self.place.collection.field)
        if isinstance(held, dict) and self.place.path[-1] is PathStep.KEY:
            return id_text(part_id) in held
        items = held.values() if isinstance(held, dict) else held if isinstance(held, list) else ()
        ids = [id_text(each.get(self.place.path[-1])) for each in items if isinstance(each, dict)]
        return id_text(part_id) in ids


def holder(kind: Kind, entity_id: str, argument: str) -> Holder | None:
    """Where the part must be that an argument names: in the entity, or under its id in one it points at."""
    # `pay_order(order_id, method_id)`: orders keep no methods, but o-1 has the user_id u-1 and users keep methods by
    # id. So method_id must name one of u-1's; anybody else's is refused.
    own = places([kind], argument)
    if own and _is_called_so(own[0], argument):
        return Holder(kind, entity_id, own[0])
    for reference in related(kind, kind.entities[entity_id]):
        keyed = [each for each in places([reference.kind], argument) if each.collection.by_key]
        if keyed and reference.entity_id in reference.kind.entities:
            return Holder(reference.kind, reference.entity_id, keyed[0])
    return None


def _is_called_so(place: PartPlace, argument: str) -> bool:
    """Whether the parts are what the argument names, and do not only mention it."""
    return same_nouns(id_noun(argument) or (), tokens(place.collection.field))

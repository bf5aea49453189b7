"""What is kept inside entities: parts of a thing. They have ids of their own, but no type."""

from collections.abc import Mapping
from typing import Any, NamedTuple

from odyssey.kit.words import id_noun, same_nouns, tokens
from odyssey.simulation.world.anatomy import Collection
from odyssey.simulation.world.kinds import Kind
from odyssey.worlds.field_index import Path, Step
from odyssey.worlds.schema import id_text


class OwnedPart(NamedTuple):
    kind: Kind
    owner_id: str
    collection: Collection
    value: dict[str, Any]


class Place(NamedTuple):
    """Where parts of some noun are kept."""

    kind: Kind
    collection: Collection
    path: Path
    """To their ids."""


def places(kinds: list[Kind], argument: str) -> list[Place]:
    """Where the part may be kept that an argument such as `part_id` names; where it is the key comes first."""
    noun = id_noun(argument)
    found = []
    for kind in kinds:
        for collection in kind.anatomy.collections:
            member = collection.id_member(argument)
            if collection.by_key and (member or (noun and same_nouns(noun, tokens(collection.field)))):
                found.append(Place(kind, collection, (collection.field, Step.KEY)))
            elif member is not None:
                found.append(Place(kind, collection, (collection.field, Step.EACH, member)))
    return sorted(found, key=lambda place: not place.collection.by_key)


def home(candidates: list[Place], part_id: Any) -> OwnedPart | None:
    """The part itself rather than a mention of it: kept under its id, or in one entity only."""
    for place in candidates:
        owners = place.kind.world.having(place.kind.name, place.path, part_id)
        if len(owners) != 1 and not (owners and place.collection.by_key):
            continue
        found = part_in(place.kind.entities[owners[0]], place, part_id)
        if found is not None:
            return OwnedPart(place.kind, owners[0], place.collection, found)
    return None


def part_in(fields: Mapping[str, Any], place: Place, part_id: Any) -> dict[str, Any] | None:
    held = fields.get(place.collection.field)
    if isinstance(held, dict) and place.path[-1] is Step.KEY:
        found = held.get(id_text(part_id) or "")
        return found if isinstance(found, dict) else None
    member = place.path[-1]
    items = held.values() if isinstance(held, dict) else held if isinstance(held, list) else ()
    wanted = id_text(part_id)
    return next(
        (each for each in items if isinstance(each, dict) and id_text(each.get(member)) == wanted), None
    )

"""The entities of one type: a persistent map in the order of arrival. A change shares all but a few nodes."""

from collections.abc import Iterator, Mapping
from typing import Any

from immutables import Map

from odyssey.records.ledger import Fields


class EntityMap(Mapping[str, Fields]):
    """Immutable; `with_entity` and `without_entity` give successors. The fields inside must not be changed."""

    __slots__ = ("_end", "_ids", "_placed", "_start")

    def __init__(
        self, placed: Map[str, tuple[int, Fields]], ids: Map[int, str], start: int, end: int
    ) -> None:
        """Use `entity_map` instead: `placed` holds each entity with its place, `ids` the id at each place."""
        self._placed = placed
        self._ids = ids
        self._start = start
        self._end = end

    def __getitem__(self, entity_id: str) -> Fields:
        return self._placed[entity_id][1]

    def __iter__(self) -> Iterator[str]:
        find = self._ids.get
        for place in range(self._start, self._end):
            entity_id = find(place)
            if entity_id is not None:
                yield entity_id

    def __len__(self) -> int:
        return len(self._placed)

    def __contains__(self, entity_id: object) -> bool:
        return entity_id in self._placed

    def with_entity(self, entity_id: str, fields: Fields) -> "EntityMap":
        """A known id stays where it is, a new one goes last."""
        known = self._placed.get(entity_id)
        if known is not None:
            return EntityMap(
                self._placed.set(entity_id, (known[0], fields)), self._ids, self._start, self._end
            )
        placed = self._placed.set(entity_id, (self._end, fields))
        return EntityMap(placed, self._ids.set(self._end, entity_id), self._start, self._end + 1)

    def without_entity(self, entity_id: str) -> "EntityMap":
        place, _ = self._placed[entity_id]
        left = EntityMap(self._placed.delete(entity_id), self._ids.delete(place), self._start, self._end)
        gaps = self._end - self._start - len(left)
        return entity_map(left) if gaps > len(left) + 16 else left


def entity_map(entities: Mapping[str, Fields]) -> EntityMap:
    """Lay entities out from the beginning, without gaps."""
    numbered = list(enumerate(entities.items()))
    placed: Any = Map({entity_id: (place, fields) for place, (entity_id, fields) in numbered})
    ids: Any = Map({place: entity_id for place, (entity_id, _) in numbered})
    return EntityMap(placed, ids, 0, len(numbered))

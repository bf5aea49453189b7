"""A stored state, changed in place: entities that are not touched are neither decoded nor encoded again."""

from collections.abc import Iterable, Iterator, Mapping
from typing import Any, NamedTuple

import msgspec

from odyssey.records.canonical import canonical_json, canonical_object
from odyssey.records.ledger import Fields
from odyssey.worlds.ledger import Ledger

RawState = dict[str, dict[str, msgspec.Raw]]
_DECODER = msgspec.json.Decoder(RawState)


def read_raw(text: str) -> RawState:
    return _DECODER.decode(text)


class StoredState:
    """Each entity as canonical JSON. A type stays when its last entity goes: the world still knows the word."""

    def __init__(self, types: dict[str, dict[str, bytes]]) -> None:
        self._types = types

    @classmethod
    def read(cls, text: str) -> "StoredState":
        """Read what `text` wrote."""
        return cls(
            {name: {key: bytes(raw) for key, raw in found.items()} for name, found in read_raw(text).items()}
        )

    @classmethod
    def of(cls, state: Mapping[str, Mapping[str, Fields]]) -> "StoredState":
        return cls(
            {
                name: {key: canonical_json(fields) for key, fields in found.items()}
                for name, found in state.items()
            }
        )

    def text(self) -> bytes:
        """The canonical JSON of the whole state."""
        return canonical_object({name: canonical_object(found) for name, found in self._types.items()})

    def counts(self) -> dict[str, int]:
        return {name: len(self._types[name]) for name in sorted(self._types)}

    def ids(self, entity_type: str) -> set[str]:
        return set(self._types.get(entity_type, ()))

    def get(self, entity_type: str, entity_id: str) -> Fields | None:
        found = self._types.get(entity_type, {}).get(entity_id)
        return None if found is None else msgspec.json.decode(found, type=dict[str, Any])

    def put(self, entity_type: str, entity_id: str, fields: Fields) -> bool:
        """Give an entity exactly these fields; says whether that changed anything."""
        entities = self._types.setdefault(entity_type, {})
        made = canonical_json(fields)
        if entities.get(entity_id) == made:
            return False
        entities[entity_id] = made
        return True

    def remove(self, entity_type: str, entity_id: str) -> None:
        del self._types[entity_type][entity_id]

    def declare(self, entity_type: str) -> None:
        """Let the world know a type, also when it has no entity of it."""
        self._types.setdefault(entity_type, {})

    def part(self, keys: Iterable[tuple[str, str]]) -> Ledger:
        """The entities under these types and ids, as far as they exist, as a world of their own."""
        state: dict[str, dict[str, Fields]] = {}
        for entity_type, entity_id in keys:
            fields = self.get(entity_type, entity_id)
            if fields is not None:
                state.setdefault(entity_type, {})[entity_id] = fields
        return Ledger.adopt(state)

    def take(self, before: Ledger, after: Ledger) -> None:
        """Do to this state what led from one part of it to the other."""
        for change in before.changes_to(after):
            if change.after is None:
                self.remove(change.entity_type, change.id)
            else:
                self.put(change.entity_type, change.id, change.after)


# The entities of one stored state, to be leafed through and searched. A page costs what it shows.

MAX_PAGE_BYTES = 4 * 1024 * 1024
_BETWEEN = "\0"
"""No search text can hold it, so none matches across two values."""


class CatalogueRow(NamedTuple):
    entity_type: str
    id: str
    fields: msgspec.Raw


class Catalogue:
    """Immutable but for what searching leaves behind; may be used by several threads."""

    def __init__(self, text: str) -> None:
        self._rows: list[CatalogueRow] = []
        self._places: dict[str, range] = {}
        for name, entities in read_raw(text).items():
            start = len(self._rows)
            self._rows += [CatalogueRow(name, key, fields) for key, fields in entities.items()]
            self._places[name] = range(start, len(self._rows))
        self._texts: list[str] | None = None

    def find(
        self, *, entity_type: str | None, q: str | None, start: int, limit: int
    ) -> tuple[list[CatalogueRow], int]:
        """The matches from the given one on, and how many there are in all.

        At most `limit` are given, fewer if they are large, at least one.
        """
        places = range(len(self._rows)) if entity_type is None else self._places.get(entity_type, range(0))
        matches = self._matching(places, q) if q else places
        shown: list[CatalogueRow] = []
        room = MAX_PAGE_BYTES
        for place in matches[start : start + limit]:
            row = self._rows[place]
            room -= len(row.fields) + len(row.id)
            if shown and room < 0:
                break
            shown.append(row)
        return shown, len(matches)

    def _matching(self, places: range, q: str) -> list[int]:
        if self._texts is None:
            self._texts = [_searchable(row) for row in self._rows]
        texts, wanted = self._texts, q.casefold()
        return [place for place in places if wanted in texts[place]]


def _searchable(row: CatalogueRow) -> str:
    return _BETWEEN.join((row.id, *_scalars(msgspec.json.decode(row.fields)))).casefold()


def _scalars(value: Any) -> Iterator[str]:
    if isinstance(value, dict):
        for item in value.values():
            yield from _scalars(item)
    elif isinstance(value, list):
        for item in value:
            yield from _scalars(item)
    else:
        yield value if isinstance(value, str) else msgspec.json.encode(value).decode("ascii")

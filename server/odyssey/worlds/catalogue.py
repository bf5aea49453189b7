"""The entities of one stored state, to be leafed through and searched. A page costs what it shows."""

from collections.abc import Iterator
from typing import Any, NamedTuple

import msgspec

from odyssey.worlds.stored_state import read_raw

MAX_PAGE_BYTES = 4 * 1024 * 1024
_BETWEEN = "\0"
"""No search text can hold it, so none matches across two values."""


class Listed(NamedTuple):
    entity_type: str
    id: str
    fields: msgspec.Raw


class CataloguePage(NamedTuple):
    items: list[Listed]
    total: int
    """Of all that match, shown or not."""


class Catalogue:
    """Immutable but for what searching leaves behind; may be used by several threads."""

    def __init__(self, text: str) -> None:
        self._rows: list[Listed] = []
        self._places: dict[str, range] = {}
        for name, entities in read_raw(text).items():
            start = len(self._rows)
            self._rows += [Listed(name, key, fields) for key, fields in entities.items()]
            self._places[name] = range(start, len(self._rows))
        self._texts: list[str] | None = None

    def find(self, *, entity_type: str | None, q: str | None, start: int, limit: int) -> CataloguePage:
        """The matches from the given one on: at most `limit`, fewer if they are large, at least one."""
        places = range(len(self._rows)) if entity_type is None else self._places.get(entity_type, range(0))
        matches = self._matching(places, q) if q else places
        shown: list[Listed] = []
        room = MAX_PAGE_BYTES
        for place in matches[start : start + limit]:
            row = self._rows[place]
            room -= len(row.fields) + len(row.id)
            if shown and room < 0:
                break
            shown.append(row)
        return CataloguePage(shown, len(matches))

    def _matching(self, places: range, q: str) -> list[int]:
        if self._texts is None:
            self._texts = [_searchable(row) for row in self._rows]
        texts, wanted = self._texts, q.casefold()
        return [place for place in places if wanted in texts[place]]


def _searchable(row: Listed) -> str:
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

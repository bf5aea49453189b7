"""Which entities of one type have a given value in one place: built once, then kept up with every change."""

from collections.abc import Callable, Collection, Iterable, Iterator, Mapping
from contextvars import ContextVar
from enum import Enum
from itertools import chain
from typing import Any, NamedTuple

from immutables import Map

from odyssey.records.canonical import canonical_json


class PathStep(Enum):
    """A step of a path that is no name."""

    EACH = "each"
    """Into every item of a list, or every value of an object."""
    KEY = "key"
    """To every name of an object: the ids, where an object holds parts by id."""
    FOLDED = "folded"
    """To the text without regard to case; last in a path."""


Path = tuple[str | PathStep, ...]
"""`("place", "name")`, or `("parts", PathStep.EACH, "part_id")` for what lies in a list or under ids."""


class IndexMissingError(Exception):
    """A look-up among many entities has no index yet: `build` it in a thread, then look again.

    Only raised on an event loop, to those who said that they look again.
    """

    def __init__(self, build: Callable[[], object]) -> None:
        super().__init__("an index is to be built first")
        self.build = build


LOOKS_AGAIN: ContextVar[bool] = ContextVar("looks_again", default=False)
"""Whether whoever looks up is ready for `IndexMissingError`."""


class _Since(NamedTuple):
    ids: Map[str, bool]
    """Those that came (True) and those that went (False)."""
    growth: int


class FieldIndex:
    """Immutable. An entity stands under every value found at the end of the path: none, one or several.

    What was there when it was built lies in a plain dict that all successors share; what changed since lies in a
    persistent map on top of it, value by value and id by id.
    """

    # Built from a: 1, b: 2, c: 3, it is {1: a, 2: b, 3: c}. When b becomes 1, that stays; on top of it lies
    # {1: b came, 2: b went}. So 1 is found at a and b, and 2 nowhere.

    __slots__ = ("_built", "_changed", "_path")

    def __init__(
        self, path: Path, built: dict[bytes, dict[str, None] | str], changed: Map[bytes, _Since]
    ) -> None:
        self._path = path
        self._built = built
        """The ids by value: one alone, or several as keys."""
        self._changed = changed
        """What came and went under each value since then."""

    @classmethod
    def of(cls, path: Path, entities: Iterable[tuple[str, Mapping[str, Any]]]) -> "FieldIndex":
        built: dict[bytes, dict[str, None] | str] = {}
        for entity_id, fields in entities:
            for key in _keys(fields, path):
                others = built.setdefault(key, entity_id)
                if isinstance(others, dict):
                    others[entity_id] = None
                elif others != entity_id:
                    built[key] = {others: None, entity_id: None}
        return cls(path, built, Map())

    def having(self, value: Any) -> "Ids":
        """The ids, in no order."""
        folded = _fold(value) if self._path[-1:] == (PathStep.FOLDED,) else value
        return self._under(canonical_json(folded))

    def values(self, at_most: int) -> list[bytes]:
        """Every value that occurs, as canonical JSON, sorted; none if there are more than that."""
        if len(self._built) - len(self._changed) > at_most:
            return []
        found: list[bytes] = []
        for key in chain(self._built, (key for key in self._changed if key not in self._built)):
            if self._under(key):
                found.append(key)
            if len(found) > at_most:
                return []
        return sorted(found)

    def changed(
        self, entity_id: str, before: Mapping[str, Any] | None, after: Mapping[str, Any] | None
    ) -> "FieldIndex":
        old = set() if before is None else set(_keys(before, self._path))
        new = set() if after is None else set(_keys(after, self._path))
        if old == new:
            return self
        changed = self._changed
        for key in old ^ new:
            ids, growth = changed.get(key, _NOTHING)
            since = _Since(ids.set(entity_id, key in new), growth + (1 if key in new else -1))
            is_gone = since.growth == 0 and key not in self._built
            changed = changed.delete(key) if is_gone else changed.set(key, since)
        return FieldIndex(self._path, self._built, changed)

    def _under(self, key: bytes) -> "Ids":
        built = self._built.get(key, _NONE)
        return Ids({built: None} if isinstance(built, str) else built, self._changed.get(key, _NOTHING))


class Ids(Collection[str]):
    """The ids under one value: those found at first, less those that went, and those that came."""

    __slots__ = ("_built", "_growth", "_since")

    def __init__(self, built: Mapping[str, None], since: _Since) -> None:
        self._built = built
        self._since, self._growth = since

    def __len__(self) -> int:
        return len(self._built) + self._growth

    def __contains__(self, entity_id: object) -> bool:
        here = self._since.get(entity_id) if isinstance(entity_id, str) else None
        return entity_id in self._built if here is None else here

    def __iter__(self) -> Iterator[str]:
        yield from (each for each in self._built if self._since.get(each, True))
        yield from (each for each, here in self._since.items() if here and each not in self._built)


_NONE: dict[str, None] = {}
_NOTHING = _Since(Map(), 0)


def values_at(fields: Mapping[str, Any], path: Path) -> list[Any]:
    """What lies at the end of a path: nothing, one value, or one for each part."""
    found: list[Any] = [fields]
    for step in path:
        found = [inner for value in found for inner in _inside(value, step)]
    return found


def _keys(fields: Mapping[str, Any], path: Path) -> Collection[bytes]:
    value: Any = fields
    for step in path:
        if isinstance(step, PathStep):
            return {canonical_json(each) for each in values_at(fields, path)}
        if not isinstance(value, Mapping) or step not in value:
            return ()
        value = value[step]
    return (canonical_json(value),)


def _inside(value: Any, step: str | PathStep) -> Iterator[Any]:
    if step is PathStep.FOLDED:
        yield _fold(value)
    elif isinstance(value, Mapping):
        if step is PathStep.EACH:
            yield from value.values()
        elif step is PathStep.KEY:
            yield from value
        elif step in value:
            yield value[step]
    elif isinstance(value, list) and step is PathStep.EACH:
        yield from value


def _fold(value: Any) -> Any:
    return value.casefold() if isinstance(value, str) else value

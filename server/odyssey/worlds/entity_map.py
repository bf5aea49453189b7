"""The entities of one type: a persistent map in the order of arrival. A change shares all but a few nodes.

What a map knows beside its entities is found out when first asked for, and handed on to successors: a digest of
all of it, indexes of fields, and which ids were touched since a common ancestor. Each then costs what changed.
"""

import asyncio
from collections.abc import Iterable, Iterator, Mapping
from hashlib import sha256
from itertools import islice
from typing import Any, NamedTuple, TypeAlias

import msgspec
from immutables import Map

from odyssey.records.canonical import canonical_json
from odyssey.records.ledger import Fields
from odyssey.worlds.field_index import LOOKS_AGAIN, FieldIndex, IndexMissingError, Path

# A persistent hash tree over the entities of one type: after a change only one path is hashed anew.
#
# Its shape depends on what it holds, not on how it came to hold it, so equal content has an equal root.
#
# The first slots of the ids a, b and c are 10, 14 then 3, and 14 then 2. So the root has the leaf a at 10 and a
# branch at 14, which has c at 2 and b at 3. Without c the branch would hold b alone: b takes its place at 14, and
# the root is that of a tree which never had a c.

_FANOUT_BITS = 4
_FANOUT = 1 << _FANOUT_BITS
_MASK = _FANOUT - 1


class _TrieLeaf(NamedTuple):
    key: int
    """The digest of the entity's id: where it stands in the tree."""
    digest: bytes


class _Branch:
    """Children by the next four bits of their keys. It holds at least two leaves, or it would be one."""

    __slots__ = ("_digest", "children")

    def __init__(self, children: tuple["_Node | None", ...]) -> None:
        self.children = children
        self._digest: bytes | None = None

    @property
    def digest(self) -> bytes:
        if self._digest is None:
            self._digest = sha256(b"".join(_EMPTY if c is None else c.digest for c in self.children)).digest()
        return self._digest


_Node: TypeAlias = _TrieLeaf | _Branch
_EMPTY = bytes(32)


class DigestTrie:
    """Immutable. `set` and `remove` give successors that share all but one path."""

    __slots__ = ("_root",)

    def __init__(self, root: _Node | None = None) -> None:
        self._root = root

    @property
    def digest(self) -> bytes:
        """32 bytes that are equal exactly when the held pairs of id and content are."""
        return _EMPTY if self._root is None else self._root.digest

    def set(self, entity_id: str, content: bytes) -> "DigestTrie":
        return DigestTrie(_set(self._root, _leaf(entity_id, content), 0))

    def remove(self, entity_id: str) -> "DigestTrie":
        return DigestTrie(_remove(self._root, _key(entity_id), 0))

    @classmethod
    def of(cls, contents: Iterable[tuple[str, bytes]]) -> "DigestTrie":
        return cls(_build([_leaf(entity_id, content) for entity_id, content in contents], 0))


def _key(entity_id: str) -> int:
    return int.from_bytes(sha256(entity_id.encode("utf-8", "surrogatepass")).digest(), "little")


def _leaf(entity_id: str, content: bytes) -> _TrieLeaf:
    key = _key(entity_id)
    return _TrieLeaf(key, sha256(b"leaf" + key.to_bytes(32, "little") + content).digest())


def _slot(key: int, depth: int) -> int:
    return (key >> (depth * _FANOUT_BITS)) & _MASK


def _build(leaves: list[_TrieLeaf], depth: int) -> _Node | None:
    if len(leaves) < 2:
        return leaves[0] if leaves else None
    slots: list[list[_TrieLeaf]] = [[] for _ in range(_FANOUT)]
    for leaf in leaves:
        slots[_slot(leaf.key, depth)].append(leaf)
    return _Branch(tuple(_build(slot, depth + 1) for slot in slots))


def _set(node: _Node | None, leaf: _TrieLeaf, depth: int) -> _Node:
    if node is None:
        return leaf
    if isinstance(node, _TrieLeaf):
        if node.key == leaf.key:
            return leaf
        branch = _build([node, leaf], depth)
        assert branch is not None
        return branch
    slot = _slot(leaf.key, depth)
    return _with_child(node, slot, _set(node.children[slot], leaf, depth + 1))


def _remove(node: _Node | None, key: int, depth: int) -> _Node | None:
    if node is None:
        return None
    if isinstance(node, _TrieLeaf):
        return None if node.key == key else node
    slot = _slot(key, depth)
    left = _with_child(node, slot, _remove(node.children[slot], key, depth + 1))
    remaining = [child for child in left.children if child is not None]
    return remaining[0] if len(remaining) == 1 and isinstance(remaining[0], _TrieLeaf) else left


def _with_child(branch: _Branch, slot: int, child: _Node | None) -> _Branch:
    children = branch.children
    return _Branch((*children[:slot], child, *children[slot + 1 :]))


class _History:
    """The ids touched since a map was laid out, newest first; maps with one beginning share its tail."""

    __slots__ = ("before", "entity_id", "length")

    def __init__(self, entity_id: str = "", before: "_History | None" = None) -> None:
        self.entity_id = entity_id
        self.before = before
        self.length: int = 0 if before is None else before.length + 1


class _Layout(NamedTuple):
    """Each entity with its place, the id at each place, and the places in use."""

    # a, b and c are at 0, 1 and 2. Without b there is a gap at 1; d then goes to 3. Walking the places from `start` to
    # `end` gives a, c, d: the order of arrival, which a persistent hash map does not keep.

    placed: Map[str, tuple[int, Fields]]
    ids: Map[int, str]
    start: int
    end: int


class Sample:
    """The oldest entities of a map. The same object as long as they stay the same, so finds can be kept by it."""

    __slots__ = ("__weakref__", "entities")

    def __init__(self, entities: dict[str, Fields]) -> None:
        self.entities = entities
        """For looking at, never for changing."""


SAMPLE_SIZE = 32
_AT_ONCE = 1000
_MANY = 5000
"""Entities beyond which an index takes so long to build that nobody else should wait for it."""


class EntityMap(Mapping[str, Fields]):
    """Immutable; `with_entity` and `without_entity` give successors. The fields inside must not be changed."""

    __slots__ = ("_digests", "_history", "_indexes", "_layout", "_sample")

    def __init__(
        self,
        layout: _Layout,
        history: _History,
        digests: tuple[DigestTrie, _History] | None = None,
        indexes: dict[Path, FieldIndex] | None = None,
        sample: Sample | None = None,
    ) -> None:
        """Use `entity_map` instead. The digests may be of an ancestor: `history` tells what is missing."""
        self._layout = layout
        self._history = history
        self._digests = digests
        self._indexes = indexes or {}
        self._sample = sample

    def __getitem__(self, entity_id: str) -> Fields:
        return self._layout.placed[entity_id][1]

    def __iter__(self) -> Iterator[str]:
        _, ids, start, end = self._layout
        find = ids.get
        for place in range(start, end):
            entity_id = find(place)
            if entity_id is not None:
                yield entity_id

    def __reversed__(self) -> Iterator[str]:
        _, ids, start, end = self._layout
        for place in range(end - 1, start - 1, -1):
            entity_id = ids.get(place)
            if entity_id is not None:
                yield entity_id

    def __len__(self) -> int:
        return len(self._layout.placed)

    def __contains__(self, entity_id: object) -> bool:
        return entity_id in self._layout.placed

    def with_entity(self, entity_id: str, fields: Fields) -> "EntityMap":
        """A known id stays where it is, a new one goes last."""
        placed, ids, start, end = self._layout
        known = placed.get(entity_id)
        if known is not None:
            layout = _Layout(placed.set(entity_id, (known[0], fields)), ids, start, end)
        else:
            layout = _Layout(placed.set(entity_id, (end, fields)), ids.set(end, entity_id), start, end + 1)
        return self._successor(layout, entity_id, None if known is None else known[1], fields)

    def without_entity(self, entity_id: str) -> "EntityMap":
        placed, ids, start, end = self._layout
        place, fields = placed[entity_id]
        layout = _Layout(placed.delete(entity_id), ids.delete(place), start, end)
        left = self._successor(layout, entity_id, fields, None)
        gaps = end - start - len(left)
        # Walking must not cost more than twice what is there; small maps may have a few gaps more.
        if gaps > len(left) + 16:
            left._layout = _lay_out(left)
        return left

    def _successor(
        self, layout: _Layout, entity_id: str, before: Fields | None, after: Fields | None
    ) -> "EntityMap":
        indexes = {path: index.changed(entity_id, before, after) for path, index in self._indexes.items()}
        sample = self._sample
        if sample is not None and (entity_id in sample.entities or len(sample.entities) < SAMPLE_SIZE):
            sample = None
        return EntityMap(layout, _History(entity_id, self._history), self._digests, indexes, sample)

    def digest(self) -> bytes:
        """Equal exactly when the entities are, whatever the order of their arrival."""
        if self._digests is None:
            trie = DigestTrie.of((entity_id, canonical_json(fields)) for entity_id, fields in self.items())
        else:
            trie, known = self._digests
            for entity_id in set(_touched(self._history, known)):
                fields = self.get(entity_id)
                trie = (
                    trie.remove(entity_id) if fields is None else trie.set(entity_id, canonical_json(fields))
                )
        self._digests = (trie, self._history)
        return trie.digest

    def having(self, path: Path, value: Any) -> list[str]:
        """The ids of the entities with this value at this path, oldest first."""
        return self.oldest_first(self._index(path).having(value))

    def having_all(self, wanted: Iterable[tuple[Path, Any]]) -> list[str]:
        """The ids of the entities with every one of these values, oldest first; the rarest value is looked at."""
        found = sorted((self._index(path).having(value) for path, value in wanted), key=len)
        return self.oldest_first(each for each in found[0] if all(each in others for others in found[1:]))

    def vocabulary(self, path: Path, at_most: int) -> list[Any]:
        """The different values found at this path; none if there are more than a vocabulary has."""
        return [msgspec.json.decode(each) for each in self._index(path).values(at_most)]

    def oldest_first(self, ids: Iterable[str]) -> list[str]:
        placed = self._layout.placed
        return sorted(ids, key=lambda entity_id: placed[entity_id][0])

    def sample(self) -> Sample:
        if self._sample is None:
            self._sample = Sample({key: self[key] for key in islice(self, SAMPLE_SIZE)})
        return self._sample

    def _index(self, path: Path) -> FieldIndex:
        index = self._indexes.get(path)
        if index is None and not self:
            return FieldIndex.of(path, ())
        if index is None:
            if len(self) > _MANY and LOOKS_AGAIN.get() and _is_on_event_loop():
                raise IndexMissingError(lambda: self._build(path))
            index = self._build(path)
        return index

    def _build(self, path: Path) -> FieldIndex:
        index = self._indexes[path] = FieldIndex.of(path, self.items())
        return index

    def ids_that_may_differ(self, other: "EntityMap") -> Iterable[str]:
        """The ids touched since the two maps were one; all of them if they never were."""
        # One map removed b and added d, the other changed c since they were one: b, c and d may differ, however many
        # entities both have.
        common = _common(self._history, other._history)
        if common is None:
            return self.keys() | other.keys()
        return {*_touched(self._history, common), *_touched(other._history, common)}


def _is_on_event_loop() -> bool:
    try:
        asyncio.get_running_loop()
    except RuntimeError:
        return False
    return True


def entity_map(entities: Mapping[str, Fields]) -> EntityMap:
    """Lay entities out from the beginning, without gaps."""
    return EntityMap(_lay_out(entities), _History())


def _lay_out(entities: Mapping[str, Fields]) -> _Layout:
    placed = _map((entity_id, (place, fields)) for place, (entity_id, fields) in enumerate(entities.items()))
    ids = _map(enumerate(entities))
    return _Layout(placed, ids, 0, len(ids))


def _map(pairs: Iterable[tuple[Any, Any]]) -> Any:
    """Make a map in parts: one of a hundred thousand at once would hold the interpreter's lock all the while."""
    rest = iter(pairs)
    made: Any = Map(dict(islice(rest, _AT_ONCE)))
    while part := dict(islice(rest, _AT_ONCE)):
        made = made.update(part)
    return made


def _touched(newest: _History, oldest: _History) -> Iterator[str]:
    at = newest
    while at is not oldest:
        yield at.entity_id
        assert at.before is not None
        at = at.before


def _common(left: _History, right: _History) -> _History | None:
    """The newest moment both histories have; None if they began apart."""
    while left is not right:
        if left.length < right.length:
            left, right = right, left
        if left.before is None:
            return None
        left = left.before
    return left

"""A persistent hash tree over the entities of one type: after a change only one path is hashed anew.

Its shape depends on what it holds, not on how it came to hold it, so equal content has an equal root.
"""

from collections.abc import Iterable
from hashlib import sha256
from typing import NamedTuple, TypeAlias

_FANOUT_BITS = 4
_FANOUT = 1 << _FANOUT_BITS
_MASK = _FANOUT - 1


class _Leaf(NamedTuple):
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


_Node: TypeAlias = _Leaf | _Branch
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


def _leaf(entity_id: str, content: bytes) -> _Leaf:
    key = _key(entity_id)
    return _Leaf(key, sha256(b"leaf" + key.to_bytes(32, "little") + content).digest())


def _slot(key: int, depth: int) -> int:
    return (key >> (depth * _FANOUT_BITS)) & _MASK


def _build(leaves: list[_Leaf], depth: int) -> _Node | None:
    if len(leaves) < 2:
        return leaves[0] if leaves else None
    slots: list[list[_Leaf]] = [[] for _ in range(_FANOUT)]
    for leaf in leaves:
        slots[_slot(leaf.key, depth)].append(leaf)
    return _Branch(tuple(_build(slot, depth + 1) for slot in slots))


def _set(node: _Node | None, leaf: _Leaf, depth: int) -> _Node:
    if node is None:
        return leaf
    if isinstance(node, _Leaf):
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
    if isinstance(node, _Leaf):
        return None if node.key == key else node
    slot = _slot(key, depth)
    left = _with_child(node, slot, _remove(node.children[slot], key, depth + 1))
    remaining = [child for child in left.children if child is not None]
    return remaining[0] if len(remaining) == 1 and isinstance(remaining[0], _Leaf) else left


def _with_child(branch: _Branch, slot: int, child: _Node | None) -> _Branch:
    children = branch.children
    return _Branch((*children[:slot], child, *children[slot + 1 :]))

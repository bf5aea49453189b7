"""Remembering a bounded number of things."""

import asyncio
from collections import OrderedDict
from collections.abc import Awaitable, Callable, Hashable
from typing import Any, Generic, TypeVar
from weakref import WeakValueDictionary

# Things that are dear to make, kept while there is room. Whoever asks for one that is being made waits for
# it.

Key = TypeVar("Key", bound=Hashable)
Value = TypeVar("Value")


class SharedCache(Generic[Key, Value]):
    """The most recently used values, bounded by the sum of their sizes. For one event loop."""

    def __init__(self, capacity: int) -> None:
        self._capacity = capacity
        self._kept: OrderedDict[Key, tuple[Value, int]] = OrderedDict()
        self._making: WeakValueDictionary[Key, asyncio.Lock] = WeakValueDictionary()
        self.size = 0

    def __len__(self) -> int:
        return len(self._kept)

    async def get(self, key: Key, make: Callable[[], Awaitable[tuple[Value, int]]]) -> Value:
        """Return what is kept, or make it: the value and the room it takes, in the unit of the capacity.

        If the maker is cancelled or fails, the next who waits makes it.
        """
        found = self._find(key)
        if found is None:
            async with self._making.setdefault(key, asyncio.Lock()):
                found = self._find(key)
                if found is None:
                    found = await make()
                    self._keep(key, found)
        return found[0]

    def _find(self, key: Key) -> tuple[Value, int] | None:
        found = self._kept.get(key)
        if found is not None:
            self._kept.move_to_end(key)
        return found

    def _keep(self, key: Key, made: tuple[Value, int]) -> None:
        size = made[1]
        if size > self._capacity:
            return
        self._kept[key] = made
        self.size += size
        while self.size > self._capacity:
            _, (_, oldest) = self._kept.popitem(last=False)
            self.size -= oldest


_KEPT = 256


class Recent(Generic[Key, Value]):
    """The most recently used values."""

    def __init__(self) -> None:
        self._kept: OrderedDict[Key, Value] = OrderedDict()

    def get(self, key: Key) -> Value | None:
        if key in self._kept:
            self._kept.move_to_end(key)
        return self._kept.get(key)

    def keep(self, key: Key, value: Value) -> None:
        self._kept[key] = value
        while len(self._kept) > _KEPT:
            self._kept.popitem(last=False)


class Same:
    """Any object as a key that is equal to itself alone."""

    __slots__ = ("it",)

    def __init__(self, it: Any) -> None:
        self.it = it

    def __hash__(self) -> int:
        return id(self.it)

    def __eq__(self, other: object) -> bool:
        return isinstance(other, Same) and other.it is self.it

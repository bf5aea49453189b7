"""Remembering a bounded number of things."""

from collections import OrderedDict
from typing import Generic, TypeVar

Key = TypeVar("Key")
Value = TypeVar("Value")

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

"""What is wrong with an input, said so that its author can mend it."""

from collections.abc import Callable, Iterable
from typing import Any, Self

import msgspec


class FieldError(msgspec.Struct, frozen=True, omit_defaults=True):
    """One fault: where it is, what to do, and the tool or rule it belongs to."""

    loc: tuple[str | int, ...]
    msg: str
    tool: str | None = None

    def under(self, *place: str | int) -> "FieldError":
        """Return the same fault as seen from further out."""
        return FieldError((*place, *self.loc), self.msg, self.tool)


MOST_FAULTS = 100


class FaultList(list[FieldError]):
    """The first faults of an input and a count of the rest: nobody reads a million, and nobody should keep them."""

    def __init__(self, faults: Iterable[FieldError] = (), most: int = MOST_FAULTS) -> None:
        super().__init__()
        self.most = most
        self.left_out = 0
        self.extend(faults)

    def __reduce__(self) -> tuple[Any, ...]:
        return _restored, (tuple(self), self.most, self.left_out)

    @property
    def total(self) -> int:
        return len(self) + self.left_out

    @property
    def is_full(self) -> bool:
        return len(self) >= self.most

    def append(self, fault: FieldError) -> None:
        if self.is_full:
            self.left_out += 1
        else:
            super().append(fault)

    def extend(self, faults: Iterable[FieldError]) -> None:
        for fault in faults:
            self.append(fault)
        self.left_out += faults.left_out if isinstance(faults, FaultList) else 0

    def __iadd__(self, faults: Iterable[FieldError]) -> Self:  # type: ignore[override,misc] # + makes a plain list
        self.extend(faults)
        return self

    def under(self, *place: str | int) -> "FaultList":
        """Return the same faults as seen from further out."""
        return self.each(lambda fault: fault.under(*place))

    def each(self, change: Callable[[FieldError], FieldError]) -> "FaultList":
        """Return the same faults in other words."""
        changed = FaultList(map(change, self), self.most)
        changed.left_out = self.left_out
        return changed

    @classmethod
    def of(cls, *parts: Iterable[FieldError]) -> "FaultList":
        """Join faults that were found one after another."""
        joined = cls()
        for part in parts:
            joined.extend(part)
        return joined


def _restored(faults: tuple[FieldError, ...], most: int, left_out: int) -> FaultList:
    restored = FaultList(faults, most)
    restored.left_out = left_out
    return restored

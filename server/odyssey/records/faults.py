"""Collecting every fault of an input in one pass, each at its place and in the same words."""

import difflib
from collections.abc import Collection, Iterable, Mapping
from typing import Any

from odyssey.records.problems import MOST_FAULTS, FaultList, FieldError

_SHOWN = 80
_KINDS = {dict: "an object", list: "a list", type(None): "null"}


class Faults:
    """Faults found so far. `at` gives a view deeper into the input that adds to the same list."""

    def __init__(
        self,
        *loc: str | int,
        tool: str | None = None,
        found: FaultList | None = None,
        limit: int = MOST_FAULTS,
    ) -> None:
        self._loc = loc
        self._tool = tool
        self.found = FaultList(most=limit) if found is None else found

    def at(self, *steps: str | int) -> "Faults":
        short = (step[:_SHOWN] if isinstance(step, str) else step for step in steps)
        return Faults(*self._loc, *short, tool=self._tool, found=self.found)

    def of_tool(self, tool: str | None) -> "Faults":
        return Faults(*self._loc, tool=tool, found=self.found)

    def add(self, message: str, *steps: str | int) -> None:
        self.found.append(FieldError((*self._loc, *steps), message, self._tool))

    def count(self) -> int:
        """How many there are, listed or not."""
        return self.found.total

    def hint(self, given: str, known: Iterable[str]) -> str:
        """Guess what was meant, as long as anybody will read it: a guess costs more than all else about a fault."""
        return "" if self.found.is_full else did_you_mean(given, known)

    def unknown_members(self, given: Mapping[str, Any], known: Collection[str], what: str) -> None:
        for member in given:
            if member not in known:
                self.add(f"{what} has no member {shown(member)}{self.hint(member, known)}", member[:_SHOWN])

    def text(
        self, given: Mapping[str, Any], member: str, *, longest: int, required: bool = False
    ) -> str | None:
        """Read a text member; null is absent. Required texts are not empty."""
        value = given.get(member)
        if value is None:
            if required:
                self.add(f"{member} is missing", member)
            return None
        return self.checked_text(value, member, longest=longest, required=required)

    def checked_text(self, value: Any, member: str, *, longest: int, required: bool) -> str | None:
        if not isinstance(value, str):
            self.add(f"{member} must be a string, not {shown(value)}", member)
        elif required and not value:
            self.add(f"{member} must not be empty", member)
        elif len(value) > longest:
            self.add(f"{member} has {len(value)} characters; at most {longest} are allowed", member)
        elif "\0" in value:
            self.add(f"{member} must not contain the NUL character", member)
        else:
            return value
        return None

    def texts(self, value: Any, *, what: str, most: int, longest: int, unique: bool = True) -> list[str]:
        """Read a list of non-empty texts; the faulty ones are left out."""
        if not isinstance(value, list):
            self.add(f"must be a list of {what}, not {shown(value)}")
            return []
        if len(value) > most:
            self.add(f"has {len(value)} {what}; at most {most} are allowed")
            return []
        read: dict[str, None] = {}
        for index, item in enumerate(value):
            if not isinstance(item, str) or not item or len(item) > longest or "\0" in item:
                self.add(f"must be a text of 1 to {longest} characters, not {shown(item)}", index)
            elif unique and item in read:
                self.add(f"{shown(item)} is there twice", index)
            else:
                read[item] = None
        return list(read)


def shown(value: Any) -> str:
    """Name a value in a message without repeating a page of it."""
    if type(value) in _KINDS:
        return _KINDS[type(value)]
    if isinstance(value, str) and len(value) > _SHOWN:
        return repr(value[: _SHOWN - 1] + "…")
    return {True: "true", False: "false"}[value] if isinstance(value, bool) else repr(value)


def did_you_mean(given: str, known: Iterable[str]) -> str:
    by_plain = {name.lower().replace("-", "_"): name for name in known}
    near = difflib.get_close_matches(given[:_SHOWN].lower(), by_plain, n=1, cutoff=0.6)
    return f"; did you mean {by_plain[near[0]]!r}?" if near else ""


def one_of(values: Iterable[str]) -> str:
    names = [repr(value) for value in values]
    return ", ".join(names[:-1]) + (" or " if len(names) > 1 else "") + names[-1]

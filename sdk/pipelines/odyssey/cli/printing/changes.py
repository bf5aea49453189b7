"""What happened to a world, in lines such as `update order ord_2: status "pending" → "cancelled"`."""

from collections import Counter
from collections.abc import Iterator, Mapping
from typing import Any, NamedTuple

from rich.cells import cell_len

from pipelines.odyssey.cli.printing.screen import Screen, as_json, clean, word
from pipelines.odyssey.client import types as t


class Field(NamedTuple):
    """A member of an entity as JSON text; None where there is no such member."""

    name: str
    before: str | None
    after: str | None

    def in_words(self) -> str:
        name = word(self.name)
        if self.before is None or self.after is None:
            return f"{name} {self.after if self.before is None else self.before}"
        if self.before == self.after:
            return f"{name} {self.after} (as before)"
        return f"{name} {self.before} → {self.after}"


class Change(NamedTuple):
    verb: str
    subject: str
    fields: tuple[Field, ...] = ()
    is_update: bool = False


class World:
    """The state as the operations of one attempt leave it; knows what stood there before each of them."""

    def __init__(self, initial_state: Mapping[str, Any]) -> None:
        self._initial = initial_state
        self._touched: dict[tuple[str, str], Mapping[str, Any] | None] = {}

    def apply(self, operation: Mapping[str, Any]) -> Change:
        """Take one operation as the server did: `add` and `update` merge, `remove` removes."""
        op = str(operation.get("op"))
        if "flag" in operation:
            return Change(op.replace("_", " "), word(operation["flag"]))
        key = (str(operation.get("entity_type")), str(operation.get("id")))
        before = self._find(key)
        subject = f"{word(key[0])} {word(key[1])}"
        if op == "remove":
            self._touched[key] = None
            return Change(op, subject, _fields(before or {}, {}, before or {}))
        given = operation.get("fields") or {}
        self._touched[key] = {**(before or {}), **given}
        return Change(op, subject, _fields(before or {}, given, given), is_update=before is not None)

    def _find(self, key: tuple[str, str]) -> Mapping[str, Any] | None:
        if key in self._touched:
            return self._touched[key]
        entity: Mapping[str, Any] | None = self._initial.get(key[0], {}).get(key[1])
        return entity


def changes_of(difference: t.LedgerDiffOut) -> Iterator[Change]:
    """Read the API's difference between two moments."""
    for change in difference["changes"]:
        subject = f"{word(change['entity_type'])} {word(change['id'])}"
        fields = _fields(change["before"] or {}, change["after"] or {}, change["fields"])
        yield Change(change["kind"], subject, fields, is_update=change["kind"] == "changed")
    for flag in difference["flags_set"]:
        yield Change("flag set", word(flag))
    for flag in difference["flags_cleared"]:
        yield Change("flag cleared", word(flag))


def summary_of(difference: t.LedgerDiffOut) -> str:
    """Count what changed: "2 changed, 1 added"."""
    kinds = Counter(change["kind"] for change in difference["changes"])
    counts = [f"{kinds[kind]} {kind}" for kind in ("changed", "added", "removed") if kinds[kind]]
    for flags, said in ((difference["flags_set"], "set"), (difference["flags_cleared"], "cleared")):
        number = len(flags)
        if number:
            counts.append(f"{number} {'flag' if number == 1 else 'flags'} {said}")
    return ", ".join(counts) or "unchanged"


def print_change(screen: Screen, change: Change, indent: str) -> None:
    """Print a change in one line; an update too long for one gets a line per member."""
    room = screen.width - len(indent)
    lead = f"{change.verb} {change.subject}"
    said = ", ".join(field.in_words() for field in change.fields)
    whole = f"{lead}: {said}" if said else lead
    if screen.full or cell_len(clean(whole)) <= room:
        screen.line(indent + clean(whole))
    elif change.is_update:
        screen.line(f"{indent}{screen.shorten(lead, room - 1)}:")
        for field in change.fields:
            screen.line(f"{indent}  {_fitted(screen, field, room - 2)}")
    else:
        screen.line(indent + screen.shorten(whole, room))


def _fields(before: Mapping[str, Any], after: Mapping[str, Any], names: Any) -> tuple[Field, ...]:
    return tuple(
        Field(
            name,
            as_json(before[name]) if name in before else None,
            as_json(after[name]) if name in after else None,
        )
        for name in names
    )


def _fitted(screen: Screen, field: Field, room: int) -> str:
    """Cut both values evenly, so that neither hides the other."""
    if field.before is None or field.after is None or cell_len(clean(field.in_words())) <= room:
        return screen.shorten(field.in_words(), room)
    name = screen.shorten(word(field.name), room // 3)
    half = (room - cell_len(name) - len("  → ")) // 2
    return f"{name} {screen.shorten(field.before, half)} → {screen.shorten(field.after, half)}"

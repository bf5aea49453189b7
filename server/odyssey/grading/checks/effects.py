"""Checks of what a run did to its world at any moment: nothing beside what is allowed, nothing that is forbidden.

Both go by the record of effects, so what was set back counts as well: an order that was cancelled and restored was
cancelled. Paths are `type`, `type.field` or a JSONPath over `{type: {id: {field: value}}}`; `flags` and `flags.name`
stand for flags. For example, of an agent that cancels ord_2 and then changes the address of its customer,

    {"only_changed": ["order.status"]}                  fails: the customer is beside it
    {"only_changed": ["order.status", "customer"]}      holds
    {"untouched": ["$.order.ord_1", "customer.email"]}  fails: the address was written
"""

import re
from collections.abc import Callable, Sequence
from typing import Any, NamedTuple

from odyssey.grading.checks.check import CheckFinding, ChecksVersion, Compiled, RunFacts, shortened
from odyssey.records.effects import FLAGS, Effect, Location
from odyssey.records.faults import Faults
from odyssey.worlds.json_path import MAX_PATH, JsonPath, PathInvalidError, json_path

MAX_PATHS = 100

_QUOTED = re.compile(r"""'[^']*'|"[^"]*\"""")


class _Places(NamedTuple):
    """The places that one path speaks of."""

    text: str
    entity_type: str | None
    """None for a JSONPath."""
    field: str | None
    path: JsonPath | None

    def covers(self, location: Location, effect: Effect) -> bool:
        """Whether a change at this location lies wholly inside."""
        if self.path is not None:
            return any(location[: len(each)] == each for each in self._found(effect))
        if location[0] != self.entity_type or self.field is None:
            return location[0] == self.entity_type
        return self.field == location[1] if self.entity_type == FLAGS else location[2:3] == (self.field,)

    def meets(self, location: Location, effect: Effect) -> bool:
        """Whether a change at this location reaches inside: an entity that is removed takes its fields along."""
        if self.path is not None:
            return any(_overlap(location, each) for each in self._found(effect))
        if self.covers(location, effect):
            return True
        is_whole = location[0] == self.entity_type and len(location) == 2
        return is_whole and self.field in {**(effect.before or {}), **(effect.after or {})}

    def _found(self, effect: Effect) -> list[Location]:
        """What a JSONPath leads to in the entity that changed, before and after; it need not look at the others."""
        assert self.path is not None
        if effect.entity_type is None:
            return []
        sides = [side for side in (effect.before, effect.after) if side is not None]
        states = [{effect.entity_type: {effect.entity_id: side}} for side in sides]
        return [place for state in states for place in self.path.locations(state)]


def _overlap(one: Location, other: Location) -> bool:
    return all(first == second for first, second in zip(one, other, strict=False))


def read_only_changed(raw: Any, faults: Faults, version: ChecksVersion) -> Compiled | None:
    """Read what may change; an empty list allows nothing."""
    allowed = _read_paths(raw, faults)
    if allowed is None:
        return None
    among = f"not among {_listed(allowed)}" if allowed else "though nothing may change"

    def is_beside(effect: Effect) -> bool:
        return not all(
            any(each.covers(location, effect) for each in allowed) for location in effect.locations()
        )

    return _compiled(is_beside, among, "nothing else was changed")


def read_untouched(raw: Any, faults: Faults, version: ChecksVersion) -> Compiled | None:
    forbidden = _read_paths(raw, faults)
    if forbidden is None:
        return None
    if not forbidden:
        faults.add("name at least one path that nothing may write to")
        return None

    def is_touching(effect: Effect) -> bool:
        return any(each.meets(location, effect) for each in forbidden for location in effect.locations())

    return _compiled(is_touching, f"which touches {_listed(forbidden)}", "nothing was written there")


def _compiled(is_wrong: Callable[[Effect], bool], why: str, praise: str) -> Compiled:
    def look(facts: RunFacts) -> CheckFinding:
        wrong = [effect for effect in facts.evidence.effects.acts if is_wrong(effect)]
        if not wrong:
            return CheckFinding(True, praise)
        first, steps = wrong[0], {effect.step for effect in wrong}
        undone = "; it was set back later" if first.undone else ""
        others = len(wrong) - 1
        more = f"; and {others} more such change{'s' if others > 1 else ''}" if others else ""
        reason = f"step {first.step}, {first.tool}, {first.in_words()}, {why}{undone}{more}"
        calls = tuple(call for call in facts.accepted if call.sequence in steps)
        return CheckFinding(False, reason, first.step, calls)

    return Compiled(look)


def _read_paths(raw: Any, faults: Faults) -> list[_Places] | None:
    before = faults.count()
    texts = faults.texts(
        [raw] if isinstance(raw, str) else raw, what="paths", most=MAX_PATHS, longest=MAX_PATH
    )
    if faults.count() > before:
        return None
    read = [_read_path(text, faults.at(position)) for position, text in enumerate(texts)]
    return None if faults.count() > before else [each for each in read if each is not None]


def _read_path(text: str, faults: Faults) -> _Places | None:
    if not text.startswith("$"):
        entity_type, dot, field = text.partition(".")
        if not entity_type or (dot and not field) or "." in field:
            faults.add("write a type, type.field or a JSONPath such as $.order.ord_1.status")
            return None
        return _Places(text, entity_type, field or None, None)
    try:
        path = json_path(text)
    except PathInvalidError as error:
        faults.add(str(error))
        return None
    if "$" in _QUOTED.sub("", text[1:]):
        faults.add("a path of changes looks at one entity at a time, so '$' may stand only at its beginning")
        return None
    return _Places(text, None, None, path)


def _listed(paths: Sequence[_Places]) -> str:
    return shortened(", ".join(each.text for each in paths))

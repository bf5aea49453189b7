"""What a world can never hold in the end: values against each other, or against what may change."""

import re
from collections.abc import Iterator, Sequence
from typing import Any, NamedTuple

from odyssey.grading.checks import Check, run_checks
from odyssey.library.datasets.auditing.demands import Impossibility, named
from odyssey.library.datasets.auditing.matching import Wish, contradiction, operators_of
from odyssey.library.datasets.auditing.straw_run import Stage
from odyssey.records.ledger import State

Location = tuple[str | int, ...]

_SEGMENT = re.compile(
    r"""\s*(?:\.\s*(?P<name>[^\W\d]\w*)|\[\s*(?:'(?P<single>[^'\\]*)'|"(?P<double>[^"\\]*)"|(?P<index>-?\d+))\s*\])"""
)
_OF_NO_OBJECT = ("$gt", "$gte", "$lt", "$lte", "$regex", "$contains")
_LIMITS = {"only_changed", "untouched"}
_ENTITY = 2
"""How deep entities lie: under their type, under their id."""


def location_of(path: str) -> Location | None:
    """The one place that a JSONPath can lead to; None if it may lead to several, or is not so plain."""
    if not path.startswith("$"):
        return None
    steps: list[str | int] = []
    position = 1
    while position < len(path):
        found = _SEGMENT.match(path, position)
        if found is None:
            return None
        index = found["index"]
        texts = (found["name"], found["single"], found["double"])
        steps.append(next(text for text in texts if text is not None) if index is None else int(index))
        position = found.end()
    return tuple(steps)


class Placed(NamedTuple):
    at: Location
    wish: Wish

    @property
    def wants_absence(self) -> bool:
        return operators_of(self.wish.asked).get("$exists") is False


def placed_wishes(raw_checks: Sequence[Any]) -> list[Placed]:
    """What checks ask of single places; an object of members is laid out by them."""
    found: list[Placed] = []
    for index, check in enumerate(raw_checks):
        for path, asked in check.get("ledger", {}).items():
            at = location_of(path)
            if at is not None:
                found += _laid_out(at, Wish(index, asked))
    return found


def _laid_out(at: Location, wish: Wish) -> Iterator[Placed]:
    if not isinstance(wish.asked, dict) or not wish.asked or operators_of(wish.asked):
        yield Placed(at, wish)
        return
    for name, asked in wish.asked.items():
        yield from _laid_out((*at, name), Wish(wish.check, asked))


def impossible_worlds(
    raw_checks: Sequence[Any], checks: Sequence[Check], stage: Stage
) -> Iterator[Impossibility]:
    placed = placed_wishes(raw_checks)
    for each in placed:
        reason = _never_there(each)
        if reason is not None:
            yield Impossibility(each.wish.check, reason)
    yield from _contradictions(placed)
    yield from _flags(raw_checks)
    yield from _where_nothing_may_be_done(checks, stage)
    limits = [(index, check) for index, check in enumerate(raw_checks) if _LIMITS & check.keys()]
    if limits:
        state = stage.ledger.to_state()
        for each in placed:
            if not _holds(each, state):
                yield from _against_limits(each, limits)


def _never_there(placed: Placed) -> str | None:
    at, wish = placed
    if placed.wants_absence:
        return None
    if any(isinstance(step, int) for step in at[:_ENTITY]):
        return "a ledger holds types by name and entities by id, never in a list"
    if len(at) > _ENTITY:
        return None
    operators = operators_of(wish.asked)
    values = [operators["$eq"]] if "$eq" in operators else operators.get("$in")
    is_plain = values is not None and not any(isinstance(value, dict) for value in values)
    if is_plain or any(name in operators for name in _OF_NO_OBJECT):
        return "what stands there is always an object: a path to a value is $.type.id.field"
    return None


def _contradictions(placed: Sequence[Placed]) -> Iterator[Impossibility]:
    by_place: dict[Location, list[Wish]] = {}
    for each in placed:
        if not each.wants_absence:
            by_place.setdefault(each.at, []).append(each.wish)
    for wishes in by_place.values():
        found = contradiction(wishes)
        if found is not None:
            one, other = found
            reason = (
                "no value is as it asks"
                if one.check == other.check
                else f"{named(other.check)} asks for another value at the same place"
            )
            yield Impossibility(one.check, reason)
    for gone in (each for each in placed if each.wants_absence):
        for at, wishes in by_place.items():
            if at[: len(gone.at)] == gone.at:
                yield Impossibility(gone.wish.check, f"{named(wishes[0].check)} wants something to be there")


def _flags(raw_checks: Sequence[Any]) -> Iterator[Impossibility]:
    kept_off = {
        flag: index for index, check in enumerate(raw_checks) for flag in _texts(check.get("no_flag"))
    }
    for index, check in enumerate(raw_checks):
        for flag in _texts(check.get("flag")):
            if flag in kept_off:
                yield Impossibility(index, f"{named(kept_off[flag])} wants the flag {flag!r} not to be set")


def _texts(raw: Any) -> list[str]:
    return [raw] if isinstance(raw, str) else raw or []


def _where_nothing_may_be_done(checks: Sequence[Check], stage: Stage) -> Iterator[Impossibility]:
    """To refuse is to leave the world as it is, so what is asked of it must hold from the start."""
    if stage.expected_outcome != "refusal" or any(tool.is_live for tool in stage.box.tools.values()):
        return
    of_world = [check for check in checks if check.kind in ("ledger", "flag")]
    for result in run_checks(of_world, stage.evidence("")):
        if result.index is not None and result.state == "failed":
            yield Impossibility(result.index, "the row expects a refusal, which leaves the world as it is")


def _holds(placed: Placed, state: State) -> bool:
    found: Any = state
    for step in placed.at:
        is_there = isinstance(found, dict) and step in found
        is_there = is_there or (
            isinstance(found, list) and isinstance(step, int) and -len(found) <= step < len(found)
        )
        if not is_there:
            return placed.wants_absence
        found = found[step]
    return not placed.wants_absence and placed.wish.holds(found)


# What may change: `only_changed` and `untouched` name types, fields of types, or JSONPaths.


def _against_limits(placed: Placed, limits: Sequence[tuple[int, Any]]) -> Iterator[Impossibility]:
    """What is not yet as asked must be written."""
    for index, check in limits:
        allowed = check.get("only_changed")
        if allowed is not None and not any(_may_meet(path, placed.at) for path in allowed):
            yield Impossibility(placed.wish.check, f"{named(index)} allows no change there")
        if any(_covers(path, placed.at) for path in check.get("untouched", ())):
            yield Impossibility(placed.wish.check, f"{named(index)} allows nothing to be written there")


def _pattern_of(path: str) -> tuple[str | int | None, ...] | None:
    """The places a path is about, with None for any id; None if it is not so plain."""
    if path.startswith("$"):
        return location_of(path)
    entity_type, _, field = path.partition(".")
    return (entity_type, None, field) if field else (entity_type,)


def _may_meet(path: str, at: Location) -> bool:
    pattern = _pattern_of(path)
    return pattern is None or all(
        one is None or one == other for one, other in zip(pattern, at, strict=False)
    )


def _covers(path: str, at: Location) -> bool:
    pattern = _pattern_of(path)
    return pattern is not None and len(pattern) <= len(at) and _may_meet(path, at)

"""Values that fit what checks ask of them: a value itself, or operators over it."""

from collections.abc import Iterator, Sequence
from typing import Any, NamedTuple

from odyssey.expressions.arguments import ABSENT, read_value
from odyssey.library.datasets.auditing.patterns import example
from odyssey.records.canonical import canonical_json
from odyssey.records.faults import Faults

_COMPARED = ("$gt", "$gte", "$lt", "$lte")
_BLANKS: tuple[Any, ...] = ("x", 1, 0, True, False, None, [], {})


class Wish(NamedTuple):
    """What one check asks of a value."""

    check: int
    asked: Any

    def holds(self, value: Any) -> bool:
        return read_value(self.asked, Faults())(value)


def operators_of(asked: Any) -> dict[str, Any]:
    """The operators over a value; that it be something plain is `$eq`. An object of members has none."""
    if not isinstance(asked, dict):
        return {"$eq": asked}
    return asked if asked and all(name.startswith("$") for name in asked) else {}


def fitting_value(wishes: Sequence[Wish]) -> Any:
    """Find a value that fits all wishes; `ABSENT` if none was found, which proves nothing."""
    for value in _candidates(wishes):
        if all(wish.holds(value) for wish in wishes):
            return value
    return ABSENT


def contradiction(wishes: Sequence[Wish]) -> tuple[Wish, Wish] | None:
    """Find wishes that no value can fit together, by proof; the two are one where it contradicts itself."""
    for wish in wishes:
        listed = _listed(operators_of(wish.asked))
        if listed is None:
            continue
        for other in wishes:
            if not any(wish.holds(value) and other.holds(value) for value in listed):
                return wish, other
        if not any(all(each.holds(value) for each in wishes) for value in listed):
            return wish, wishes[-1] if wishes[-1] is not wish else wishes[0]
    return _empty_range(wishes)


def _listed(operators: dict[str, Any]) -> list[Any] | None:
    """All values an operator object can mean, where it says them one by one."""
    if "$eq" in operators:
        return [operators["$eq"]]
    if "$in" in operators:
        return list(operators["$in"])
    return None


def _empty_range(wishes: Sequence[Wish]) -> tuple[Wish, Wish] | None:
    """A lower bound above an upper one; texts and numbers never compare with each other."""
    bounds = [
        (wish, name, operand)
        for wish in wishes
        for name, operand in operators_of(wish.asked).items()
        if name in _COMPARED
    ]
    for one, lower, least in bounds:
        for other, upper, most in bounds:
            if isinstance(least, str) is not isinstance(most, str):
                return one, other
            if lower in ("$gt", "$gte") and upper in ("$lt", "$lte"):
                is_open = lower == "$gt" or upper == "$lt"
                if least > most or (least == most and is_open):
                    return one, other
    return None


def _candidates(wishes: Sequence[Wish]) -> Iterator[Any]:
    for wish in wishes:
        if isinstance(wish.asked, dict) and not operators_of(wish.asked):
            yield {name: _or_blank(value) for name, value in wish.asked.items()}
        for name, operand in operators_of(wish.asked).items():
            yield from _from_operator(name, operand)
    bounds = [
        operand
        for wish in wishes
        for name, operand in operators_of(wish.asked).items()
        if name in _COMPARED and not isinstance(operand, str)
    ]
    if len(bounds) > 1:
        yield (min(bounds) + max(bounds)) / 2
    yield from _BLANKS
    texts = [operand for wish in wishes for operand in _texts(operators_of(wish.asked))]
    yield " ".join(texts)


def _from_operator(name: str, operand: Any) -> Iterator[Any]:
    if name == "$eq":
        yield operand
    elif name == "$in":
        yield from operand
    elif name in _COMPARED:
        yield from (
            [f"{operand}a", operand] if isinstance(operand, str) else [operand, operand + 1, operand - 1]
        )
    elif name == "$contains":
        yield operand if isinstance(operand, str) else [operand]
    elif name == "$regex":
        found = example(operand)
        if found is not None:
            yield found
    elif name == "$ne":
        yield f"{operand}a" if isinstance(operand, str) else 1 if canonical_json(operand) != b"1" else 2


def _texts(operators: dict[str, Any]) -> Iterator[str]:
    for name, operand in operators.items():
        if name == "$contains" and isinstance(operand, str):
            yield operand
        elif name == "$regex" and (found := example(operand)) is not None:
            yield found


def _or_blank(asked: Any) -> Any:
    value = fitting_value([Wish(0, asked)])
    return None if value is ABSENT else value


def fitting_arguments(args: dict[str, Any]) -> dict[str, Any]:
    """Arguments that a subset match asks for, as far as values for them are found."""
    found: dict[str, Any] = {}
    for name, asked in args.items():
        if operators_of(asked).get("$exists") is False:
            continue
        value = fitting_value([Wish(0, asked)])
        if value is not ABSENT:
            found[name] = value
    return found

"""Functions of texts, lists and maps. They give new ones; what they were given stays as it was."""

from functools import cmp_to_key
from typing import Any

from odyssey.expressions.facts import Facts
from odyssey.expressions.functions.function import (
    MAX_LIST,
    Function,
    a_list,
    a_map,
    a_text,
    a_whole_number,
)
from odyssey.expressions.values import (
    MAX_TEXT,
    EvaluationError,
    TooMuchError,
    as_text,
    compare,
    described,
    equal,
    is_key,
    is_list,
    is_map,
    member_of,
    order_of_keys,
    position_in,
)

# Functions of lists and maps. They give new ones; what they were given stays as it was.

_ORDER = cmp_to_key(compare)


def _sorted(facts: Facts, values: Any, field: Any = None) -> list[Any]:
    found = a_list(values)
    facts.meter.spend(len(found) * 4)
    path = [] if field is None else a_text(field).split(".")

    def by(value: Any) -> Any:
        for name in path:
            value = member_of(value, name)
        return value

    keys = [by(value) for value in found]
    if len(keys) == 1:
        compare(keys[0], keys[0])
    positions = sorted(range(len(found)), key=lambda position: _ORDER(keys[position]))
    return [found[position] for position in positions]


def _unique(facts: Facts, values: Any) -> list[Any]:
    kept: list[Any] = []
    seen: set[tuple[bool, Any]] = set()
    for value in a_list(values):
        if type(value) in (str, int, float, bool):
            key = (type(value) is bool, value)
            if key not in seen:
                seen.add(key)
                kept.append(value)
        elif not any(equal(value, other, facts.meter) for other in kept):
            kept.append(value)
    return kept


def _count(facts: Facts, values: Any, wanted: Any) -> int:
    return sum(equal(value, wanted, facts.meter) for value in a_list(values))


def _zip(facts: Facts, left: Any, right: Any) -> list[Any]:
    pairs = [[one, other] for one, other in zip(a_list(left), a_list(right), strict=False)]
    facts.meter.spend(len(pairs))
    return pairs


def _range(facts: Facts, count: Any) -> list[int]:
    length = a_whole_number(count)
    if length > MAX_LIST:
        raise TooMuchError(f"gives at most {MAX_LIST} numbers, not {length}")
    facts.meter.spend(max(length, 0))
    return list(range(length))


def _first(_facts: Facts, values: Any, default: Any = None) -> Any:
    if not is_list(values):
        raise EvaluationError(f"takes a list, not {described(values)}")
    return values[0] if values else default


def _merge(_facts: Facts, *maps: Any) -> dict[Any, Any]:
    merged: dict[Any, Any] = {}
    for each in maps:
        merged.update(a_map(each))
    a_map(merged)
    return merged


def _without(facts: Facts, collection: Any, wanted: Any) -> Any:
    if is_map(collection):
        return {key: a_map(collection)[key] for key in collection if not equal(key, wanted, facts.meter)}
    return [value for value in a_list(collection) if not equal(value, wanted, facts.meter)]


def _put(_facts: Facts, collection: Any, place: Any, value: Any) -> Any:
    if is_map(collection):
        if not is_key(place):
            raise EvaluationError(f"{described(place)} is no key of a map")
        return {**a_map(collection), place: value}
    changed = a_list(collection)
    changed[position_in(changed, place)] = value
    return changed


def _keys(_facts: Facts, value: Any) -> list[Any]:
    return order_of_keys(a_map(value))


def _values(_facts: Facts, value: Any) -> list[Any]:
    return [value[key] for key in order_of_keys(a_map(value))]


def _object(_facts: Facts, pairs: Any) -> dict[Any, Any]:
    """A map of pairs: `object(zip(names, values))`; of two with the same key the later one counts."""
    made: dict[Any, Any] = {}
    for pair in a_list(pairs):
        if not is_list(pair) or len(pair) != 2 or not is_key(pair[0]):
            raise EvaluationError("takes a list of pairs, each of a key and a value")
        made[pair[0]] = pair[1]
    return made


LISTS = (
    Function("sorted", 1, 2, _sorted),
    Function("unique", 1, 1, _unique),
    Function("count", 2, 2, _count),
    Function("zip", 2, 2, _zip),
    Function("range", 1, 1, _range),
    Function("first", 1, 2, _first, looks_inside=False),
    Function("merge", 2, 10, _merge),
    Function("without", 2, 2, _without),
    Function("put", 3, 3, _put),
    Function("keys", 1, 1, _keys),
    Function("values", 1, 1, _values),
    Function("object", 1, 1, _object),
)


# Functions of texts. None makes a text longer than what its result may be.


def _lower(_facts: Facts, text: Any) -> str:
    return a_text(text).lower()


def _upper(_facts: Facts, text: Any) -> str:
    return a_text(text).upper()


def _trim(_facts: Facts, text: Any) -> str:
    return a_text(text).strip()


def _split(_facts: Facts, text: Any, separator: Any) -> list[str]:
    between = a_text(separator)
    if not between:
        raise EvaluationError("the separator is empty")
    return a_text(text).split(between, MAX_LIST)


def _join(facts: Facts, values: Any, separator: Any = "") -> str:
    between = a_text(separator)
    parts = []
    left = MAX_TEXT
    for value in a_list(values):
        parts.append(as_text(value, facts.meter))
        left -= len(parts[-1]) + len(between)
        if left + len(between) < 0:
            raise TooMuchError(f"the text would have more than {MAX_TEXT} characters")
    facts.meter.spend_characters(MAX_TEXT - left)
    return between.join(parts)


def _replace(facts: Facts, text: Any, old: Any, new: Any) -> str:
    given, wanted, put = a_text(text), a_text(old), a_text(new)
    if not wanted:
        raise EvaluationError("what is to be replaced is empty")
    length = len(given) + given.count(wanted) * (len(put) - len(wanted))
    if length > MAX_TEXT:
        raise TooMuchError(f"the text would have more than {MAX_TEXT} characters")
    facts.meter.spend_characters(length)
    return given.replace(wanted, put)


def _text(facts: Facts, value: Any) -> str:
    return as_text(value, facts.meter)


TEXTS = (
    Function("lower", 1, 1, _lower),
    Function("upper", 1, 1, _upper),
    Function("trim", 1, 1, _trim),
    Function("split", 2, 2, _split),
    Function("join", 1, 2, _join),
    Function("replace", 3, 3, _replace),
    Function("text", 1, 1, _text),
)

"""The values of an expression: what kind they are, when they are equal, and how they leave it as plain JSON."""

from collections.abc import Iterator, Mapping, Sequence
from datetime import datetime, timedelta
from typing import Any, NamedTuple

from odyssey.kit.json_reader import MAX_NUMBER
from odyssey.records.canonical import canonical_json
from odyssey.worlds.ledger import Ledger

# Why an expression has no value: said to people, short, without a stack.


class EvaluationError(Exception):
    """The expression cannot be evaluated on these facts."""


class TooMuchError(EvaluationError):
    """The expressions of one call would take too long or hold too much; nothing in an expression absorbs this."""


# How much the expressions of one call may do together, whatever they are and however they nest.
#
# A unit is the evaluation of one small part of an expression, up to half a microsecond.

MAX_WORK = 500_000
CHARACTERS_PER_UNIT = 64


class Meter:
    """What the expressions of one call may still do together."""

    # `[1, 2, 3].map(x, x * 2)` spends 3 for the elements and 3 · 4 for the steps; that a step costs 4 is counted
    # when the expression is read. A walk inside a walk is paid for at every step of the outer one.
    __slots__ = ("left",)

    def __init__(self, work: int = MAX_WORK) -> None:
        self.left = work

    def spend(self, units: int) -> None:
        """Count work before it is done; raises TooMuchError when none is left."""
        self.left -= units
        if self.left < 0:
            raise TooMuchError("the expressions go through too many values; let them walk through less")

    def spend_characters(self, count: int) -> None:
        self.spend(1 + count // CHARACTERS_PER_UNIT)


MAX_TEXT = 1024 * 1024
MAX_NODES = 50_000
MAX_DEPTH = 64
LARGEST_INTEGER = 2**63 - 1

_KINDS: dict[type, str] = {
    type(None): "null",
    bool: "bool",
    int: "int",
    float: "double",
    str: "string",
    list: "list",
    dict: "map",
    bytes: "bytes",
    datetime: "timestamp",
    timedelta: "duration",
}
_ORDERED = frozenset({"bool", "int", "double", "string", "bytes", "timestamp", "duration"})


class Type(NamedTuple):
    """What `type(…)` gives: the name of a kind."""

    name: str


class Entities(Mapping[str, Mapping[str, Any]]):
    """The entities of one type by id, for looking at. Unlike other maps it has an order: oldest first."""

    __slots__ = ("_entity_type", "_found", "_ledger")

    def __init__(self, ledger: Ledger, entity_type: str) -> None:
        self._ledger = ledger
        self._entity_type = entity_type
        self._found = ledger.entities(entity_type)

    def __getitem__(self, entity_id: str) -> Mapping[str, Any]:
        fields = self._ledger.look_at(self._entity_type, entity_id)
        if fields is None:
            raise KeyError(entity_id)
        return fields

    def __contains__(self, entity_id: object) -> bool:
        return entity_id in self._found

    def __iter__(self) -> Iterator[str]:
        return iter(self._found)

    def __len__(self) -> int:
        return len(self._found)


def kind_of(value: Any) -> str:
    found = _KINDS.get(type(value))
    if found is not None:
        return found
    if isinstance(value, Mapping):
        return "map"
    return "type" if isinstance(value, Type) else "list"


def described(value: Any) -> str:
    """The kind of a value in a sentence."""
    kind = kind_of(value)
    return kind if kind == "null" else f"an {kind}" if kind == "int" else f"a {kind}"


def is_number(value: Any) -> bool:
    return type(value) is int or type(value) is float


def is_map(value: Any) -> bool:
    return type(value) is dict or isinstance(value, Mapping)


def is_list(value: Any) -> bool:
    return type(value) is list or type(value) is tuple


def order_of_keys(value: Mapping[Any, Any]) -> list[Any]:
    """The keys as a walk meets them: equal maps give equal walks, whoever wrote them in which order."""
    if isinstance(value, Entities):
        return list(value)
    try:
        return sorted(value)
    except TypeError:
        return sorted(value, key=lambda key: (kind_of(key), key))


def equal(left: Any, right: Any, meter: Meter) -> bool:
    """Numbers by value, whatever their kind; true is no number; lists and maps by what they hold."""
    if type(left) is str and type(right) is str:
        meter.spend_characters(len(left))
        return left == right
    pending = [(left, right)]
    while pending:
        ours, theirs = pending.pop()
        meter.spend(1)
        kind = kind_of(ours)
        if kind in ("list", "map") and kind == kind_of(theirs):
            if len(ours) != len(theirs):
                return False
            meter.spend(len(ours))
            if kind == "list":
                pending.extend(zip(ours, theirs, strict=True))
            elif all(has_key(theirs, key) for key in ours):
                pending.extend((ours[key], theirs[key]) for key in ours)
            else:
                return False
        elif not _equal_leaves(ours, theirs, meter):
            return False
    return True


def _equal_leaves(left: Any, right: Any, meter: Meter) -> bool:
    if type(left) is str:
        meter.spend_characters(len(left))
    both_numbers = is_number(left) and is_number(right)
    return bool((both_numbers or kind_of(left) == kind_of(right)) and left == right)


def is_within(value: Any, collection: Any, meter: Meter) -> bool:
    if is_map(collection):
        return is_key(value) and has_key(collection, value)
    if is_list(collection):
        return any(equal(value, item, meter) for item in collection)
    raise EvaluationError(f"in looks into a list or a map, not into {described(collection)}")


def is_key(value: Any) -> bool:
    """Say whether a map can have this key; those of JSON are texts only."""
    return type(value) is str or type(value) is int or type(value) is bool


def has_key(collection: Mapping[Any, Any], key: Any) -> bool:
    """Say whether a map has this key: `true` is another one than `1`, which Python takes for the same."""
    return key in collection and (
        type(key) is str or any(type(key) is type(own) for own in collection if own == key)
    )


def compare(left: Any, right: Any) -> int:
    """Below, equal or above zero, as the left one is below, equal to or above the right one."""
    check_order(left, right)
    return int(left > right) - int(left < right)


def check_order(left: Any, right: Any) -> None:
    """Raise EvaluationError unless one of the two may be asked whether it is below the other."""
    kind, other = kind_of(left), kind_of(right)
    both_numbers = is_number(left) and is_number(right)
    comparable = both_numbers or (kind == other and kind in _ORDERED)
    # What is not equal to itself is no number at all.
    if not comparable or left != left or right != right:
        raise EvaluationError(
            f"No such overload: {described(left)} cannot be compared with {described(right)}"
        )


def truth(value: Any, where: str) -> bool:
    if value is True or value is False:
        return bool(value)
    raise EvaluationError(f"No such overload: {where} takes a boolean, not {described(value)}")


def charge(value: Any, meter: Meter) -> None:
    """Pay for going through all of a value before something does."""
    pending = [value]
    while pending:
        item = pending.pop()
        meter.spend(1)
        if type(item) is str:
            meter.spend_characters(len(item))
        elif is_map(item):
            pending.extend(item.values())
        elif is_list(item):
            pending.extend(item)


def as_text(value: Any, meter: Meter) -> str:
    """Texts as they are, a whole number without a point, everything else as JSON."""
    if type(value) is str:
        return value
    charge(value, meter)
    try:
        return canonical_json(settle(value, meter)).decode()
    except ValueError as error:
        raise EvaluationError(f"it has no text: {error}") from None


def settle(value: Any, meter: Meter) -> Any:
    """A copy of plain dicts and lists that shares nothing with the world; raises on what JSON cannot hold."""
    kind = type(value)
    if kind is str or kind is bool or value is None:
        return value
    return _Settling(meter).copy(value, MAX_DEPTH)


class _Settling:
    __slots__ = ("_characters", "_meter", "_nodes")

    def __init__(self, meter: Meter) -> None:
        self._meter = meter
        self._nodes = MAX_NODES
        self._characters = MAX_TEXT

    def copy(self, value: Any, depth: int) -> Any:
        self._nodes -= 1
        if depth < 0 or self._nodes < 0:
            raise TooMuchError(f"the value has more than {MAX_NODES} parts, or is nested {MAX_DEPTH} deep")
        kind = type(value)
        if kind is str:
            self._characters -= len(value)
            if self._characters < 0:
                raise TooMuchError(f"the value has more than {MAX_TEXT} characters")
            return value
        if kind is int or kind is float:
            return check_number(value)
        if value is None or kind is bool:
            return value
        if is_map(value):
            self._meter.spend(len(value) * 2)
            return {self._key(key): self.copy(value[key], depth - 1) for key in value}
        if is_list(value):
            self._meter.spend(len(value) * 2)
            return [self.copy(item, depth - 1) for item in value]
        raise EvaluationError(f"{described(value)} is no JSON value; string(…) makes a text of it")

    def _key(self, key: Any) -> str:
        if type(key) is str:
            return key
        raise EvaluationError(f"the keys of a map are texts in JSON, not {described(key)}")


def check_number(value: Any) -> Any:
    """Raise EvaluationError unless JSON holds this number here."""
    if type(value) is float:
        if not abs(value) <= MAX_NUMBER:
            raise EvaluationError("overflow: the number is too large, or none at all")
        return value
    return check_integer(value)


def check_integer(value: int) -> int:
    if not -LARGEST_INTEGER - 1 <= value <= LARGEST_INTEGER:
        raise EvaluationError("overflow: the integer has more than 64 bits")
    return value


def member_of(value: Any, name: str) -> Any:
    if not is_map(value):
        raise EvaluationError(f"no member {name!r} in {described(value)}")
    try:
        return value[name]
    except KeyError:
        raise EvaluationError(f"no member {name!r}") from None


def item_at(value: Any, key: Any) -> Any:
    if is_list(value):
        return value[position_in(value, key)]
    if is_map(value):
        if not is_key(key):
            raise EvaluationError(f"{described(key)} is no key of a map")
        if has_key(value, key):
            return value[key]
        raise EvaluationError(f"no member {str(key)!r}")
    raise EvaluationError(f"No such overload: [ ] takes from a list or a map, not from {described(value)}")


def position_in(value: Sequence[Any], key: Any) -> int:
    if not is_number(key) or key != key // 1:
        raise EvaluationError(f"the position in a list is an integer, not {described(key)}")
    if not 0 <= key < len(value):
        raise EvaluationError(f"index out of bounds: {int(key)}")
    return int(key)

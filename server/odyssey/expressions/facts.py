"""What the expressions of one call may look at. Each part is taken when first asked for, and once."""

from collections.abc import Callable, Iterator, Mapping, Sequence
from typing import Any, NamedTuple

from odyssey.expressions.values import Entities, EvaluationError, Meter, TooMuchError
from odyssey.worlds.ledger import Ledger

VARIABLES = ("args", "flags", "calls", "actor", "state")
MAX_CALLS = 150_000
"""Beyond this number they are not even taken."""


class EarlierCall(NamedTuple):
    """A call that was answered before, as expressions see it."""

    tool: str
    args: Mapping[str, Any]
    source: str


class Lazy(NamedTuple):
    """A value that is worked out when an expression first asks for it, and then kept."""

    take: Callable[[], Any]


_TAKING: Any = object()
_ABSENT: Any = object()


class CallParts(NamedTuple):
    """The parts of a call that functions use."""

    ledger: Ledger
    random_seed: int
    sequence: int
    drawn: dict[str, list[str]]
    """The new ids of each type, in order."""
    patterns: set[str]
    """Those compiled so far."""


class Facts:
    """Not for sharing between calls: what was taken from the world is kept, and all expressions share one meter."""

    __slots__ = ("_parent", "_values", "call", "meter")

    def __init__(
        self,
        *,
        args: Mapping[str, Any],
        ledger: Ledger,
        actor: str | None = None,
        calls: Sequence[EarlierCall] = (),
        random_seed: int = 0,
        sequence: int = 0,
    ) -> None:
        self._parent: Facts | None = None
        self._values: dict[str, Any] = {
            "args": args,
            "flags": Lazy(lambda: sorted(ledger.flags)),
            "calls": Lazy(lambda: _taken_calls(calls)),
            "actor": actor,
            "state": _State(ledger),
        }
        self.call = CallParts(ledger, random_seed, sequence, {}, set())
        self.meter = Meter()

    def define(self, name: str, value: Any) -> None:
        """Give a value a name; a Lazy one is called when an expression first uses it."""
        self._values[name] = value

    def within(self, **values: Any) -> "Facts":
        """These facts and more names, such as a loop variable; what one takes the other has as well."""
        child = object.__new__(Facts)
        child._parent = self
        child._values = values
        child.call = self.call
        child.meter = self.meter
        return child

    def on(self, ledger: Ledger) -> "Facts":
        """The same call in another moment of the world: names that were defined keep what they stood for."""
        child = self.within(flags=Lazy(lambda: sorted(ledger.flags)), state=_State(ledger))
        child.call = self.call._replace(ledger=ledger, drawn={})
        return child

    def value(self, name: str) -> Any:
        """What a name stands for; raises EvaluationError."""
        facts: Facts | None = self
        while facts is not None:
            value = facts._values.get(name, _ABSENT)
            if value is not _ABSENT:
                return facts._taken(name, value) if type(value) is Lazy or value is _TAKING else _kept(value)
            facts = facts._parent
        raise EvaluationError(f"{name} is not defined")

    def _taken(self, name: str, value: Any) -> Any:
        if value is _TAKING:
            raise EvaluationError(f"{name} needs itself to be worked out")
        self._values[name] = _TAKING
        try:
            taken = value.take()
        except TooMuchError:
            self._values[name] = value
            raise
        except EvaluationError as error:
            self._values[name] = error
            raise
        except BaseException:
            self._values[name] = value
            raise
        self._values[name] = taken
        return taken


def _taken_calls(calls: Sequence[EarlierCall]) -> list[dict[str, Any]]:
    if len(calls) > MAX_CALLS:
        raise TooMuchError(f"calls has {len(calls)} elements; an expression sees at most {MAX_CALLS}")
    return [{"tool": tool, "args": given, "source": source} for tool, given, source in calls]


def _kept(value: Any) -> Any:
    if isinstance(value, EvaluationError):  # it was worked out before, and could not be
        raise type(value)(*value.args)
    return value


class _State(Mapping[str, Entities]):
    """The world by type: a type without entities is an empty map, and no member of the state."""

    __slots__ = ("_ledger",)

    def __init__(self, ledger: Ledger) -> None:
        self._ledger = ledger

    def __getitem__(self, entity_type: str) -> Entities:
        return Entities(self._ledger, entity_type)

    def __contains__(self, entity_type: object) -> bool:
        return isinstance(entity_type, str) and len(self._ledger.entities(entity_type)) > 0

    def __iter__(self) -> Iterator[str]:
        return (name for name in self._ledger.entity_types() if name in self)

    def __len__(self) -> int:
        return sum(1 for _ in self)

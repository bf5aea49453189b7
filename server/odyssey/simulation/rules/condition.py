"""The `when` of a rule: a CEL expression, compiled when the rules are read.

It sees `args`, `state` (entities by type and id), `flags` (a sorted list), `calls` (the earlier ones, oldest
first) and `actor`. What cannot be evaluated does not match: a member that is not there, values of kinds that
do not go together, a result that is no boolean, or more data than `walks` lets an expression go through.
"""

import re
from collections.abc import Callable, Mapping
from itertools import pairwise
from typing import Any, NamedTuple

import cel

from odyssey.records.faults import Faults, did_you_mean, shown
from odyssey.simulation.rules.model import RuleCall
from odyssey.simulation.rules.state_use import PLAIN, Need, divide_state
from odyssey.simulation.rules.tokens import is_macro, is_name, tokenize
from odyssey.simulation.rules.walks import MAX_BOUND, Size, Walks, find_walks, measure
from odyssey.worlds.ledger import copy_json

MAX_EXPRESSION = 2000

_VARIABLES = (*PLAIN, "state")
_TYPES = ("int", "uint", "double", "string", "bytes", "bool", "list", "map", "null_type", "type")
_FUNCTIONS = (
    *("size", "contains", "startsWith", "endsWith", "matches", "type", "dyn"),
    *("int", "uint", "double", "string", "bytes", "timestamp", "duration"),
    *("getFullYear", "getMonth", "getDate", "getDayOfMonth", "getDayOfWeek", "getDayOfYear"),
    *("getHours", "getMinutes", "getSeconds", "getMilliseconds"),
)
_PARSER_SAYS = re.compile(r"ERROR: <input>:(\d+):(\d+): (?:Syntax error: )?(.*)")
_EVALUATION_ERRORS = (ArithmeticError, LookupError, RuntimeError, TypeError, ValueError)
_LONGEST_REASON = 200


class TooMuchError(Exception):
    """The world is too large for the expression; the message says what is."""


class Verdict(NamedTuple):
    holds: bool
    reason: str = ""
    """Why the expression could not be evaluated, for people; empty when it could."""


class Condition(NamedTuple):
    program: cel.Program
    needs: tuple[Need, ...]
    walks: Walks

    def check(self, facts: "Facts") -> Verdict:
        try:
            sizes = {need.name: facts.bind(need) for need in self.needs}
            refusal = self.walks.refusal(sizes)
            if refusal:
                return Verdict(False, refusal)
            result = self.program.execute(facts.context())
        except TooMuchError as error:
            return Verdict(False, str(error))
        except _EVALUATION_ERRORS as error:
            return Verdict(False, _in_words(error))
        except BaseException as error:
            if not _is_panic(error):
                raise
            return Verdict(False, "the expression could not be evaluated")
        if not isinstance(result, bool):
            return Verdict(False, f"the result is of type {type(result).__name__}, not a boolean")
        return Verdict(result)


class Facts:
    """What the conditions of all rules may look at during one call, each part taken when first asked for."""

    __slots__ = ("_call", "_converted", "_sizes", "_values")

    def __init__(self, call: RuleCall) -> None:
        self._call = call
        self._sizes: dict[Need, Size] = {}
        self._values: dict[str, Any] = {}
        self._converted: cel.Context | None = None

    def bind(self, need: Need) -> Size:
        """Make a variable ready and say how much it holds; raises TooMuchError."""
        known = self._sizes.get(need)
        if known is not None:
            return known
        value = _TAKERS[need.kind](self._call, need)
        self._values[need.name] = value
        self._sizes[need] = measure(value)
        return self._sizes[need]

    def context(self) -> cel.Context:
        """Convert what was bound since the last time: converting is the dear part, and rules share it."""
        if self._converted is None:
            self._converted = cel.Context()
        while self._values:
            name, value = self._values.popitem()
            self._converted.add_variable(name, value)
        return self._converted


def read_when(raw: Any, faults: Faults) -> Condition | None:
    """Compile an expression; None when something is wrong with it, which `faults` then says."""
    if not isinstance(raw, str) or not raw.strip():
        faults.add("when is a CEL expression, written as a string")
        return None
    if len(raw) > MAX_EXPRESSION:
        faults.add(f"the expression has {len(raw)} characters; at most {MAX_EXPRESSION} are read")
        return None
    program = _compile(raw, faults)
    if program is None:
        return None
    before = faults.count()
    tokens = tokenize(raw)
    _check_names(program, tokens, faults)
    if faults.count() > before:
        return None
    tokens, needs = divide_state(tokens)
    walks = find_walks(tokens, frozenset(need.name for need in needs), faults)
    divided = _compile(" ".join(tokens), faults)
    return None if divided is None or faults.count() > before else Condition(divided, needs, walks)


def _compile(text: str, faults: Faults) -> cel.Program | None:
    try:
        return cel.compile(text)
    except ValueError as error:
        said = _PARSER_SAYS.search(str(error))
        where = f"line {said[1]}, column {said[2]}: {said[3]}" if said else "it cannot be read"
        faults.add(f"not a CEL expression: {where.split(' expecting {')[0][:_LONGEST_REASON]}")
    except BaseException as error:
        if not _is_panic(error):
            raise
        faults.add("not a CEL expression: it cannot be read")
    return None


def _is_panic(error: BaseException) -> bool:
    """Say whether Rust code panicked: PyO3 raises a BaseException of its own then, which nothing exports."""
    return type(error).__module__ == "pyo3_runtime"


def _check_names(program: cel.Program, tokens: list[str], faults: Faults) -> None:
    elements = {tokens[position + 2] for position in range(len(tokens) - 2) if is_macro(tokens, position)}
    for name in sorted(elements):
        if name in (*_VARIABLES, *_TYPES, "has") or name.startswith("__"):
            faults.add(f"{shown(name)} cannot name the element of a walk; choose another name")
    for name in program.variables():
        if name not in elements and name not in (*_VARIABLES, *_TYPES):
            hint = did_you_mean(name, _VARIABLES) or f"; there are {', '.join(sorted(_VARIABLES))}"
            faults.add(f"unknown name {shown(name)}{hint}")
    for name in program.functions():
        if name.isidentifier() and name not in _FUNCTIONS:
            faults.add(f"unknown function {shown(name)}{did_you_mean(name, _FUNCTIONS)}")
    for name, after in pairwise(tokens):
        if after == "{" and is_name(name):
            faults.add(f"{shown(name)} cannot be made with {{…}}; an expression has no messages")


def _in_words(error: Exception) -> str:
    text = f"no member {error}" if isinstance(error, KeyError) else str(error)
    return text.partition(" Check that ")[0][:_LONGEST_REASON]


def _check_length(need: Need, length: int) -> None:
    if length > MAX_BOUND:
        part = f"state.{need.entity_type}" if need.entity_type else need.kind
        raise TooMuchError(f"{part} has {length} elements; an expression sees at most {MAX_BOUND}")


def _take_calls(call: RuleCall, need: Need) -> list[dict[str, Any]]:
    _check_length(need, len(call.calls))
    return [{"tool": tool, "args": args, "source": source} for tool, args, source in call.calls]


def _take_state(call: RuleCall, need: Need) -> dict[str, Any]:
    types = _take_types(call, need)
    for entity_type in types:
        _check_length(Need("all", entity_type), len(call.ledger.entities(entity_type)))
    return {entity_type: copy_json(call.ledger.entities(entity_type)) for entity_type in types}


def _take_types(call: RuleCall, _need: Need) -> dict[str, bool]:
    return {name: True for name in call.ledger.entity_types() if len(call.ledger.entities(name))}


def _take_ids(call: RuleCall, need: Need) -> list[str]:
    entities = call.ledger.entities(need.entity_type)
    _check_length(need, len(entities))
    return list(entities)


def _take_one(call: RuleCall, need: Need) -> dict[str, Any]:
    entity_id = _key(call, need.key)
    found = call.ledger.entity(need.entity_type, entity_id) if isinstance(entity_id, str) else None
    return {} if found is None else {entity_id: dict(found)}


def _key(call: RuleCall, path: tuple[str, ...]) -> Any:
    root, *members = path
    if root == "=":
        return members[0]
    value: Any = {"args": call.args, "actor": call.actor}[root]
    for member in members:
        value = value.get(member) if isinstance(value, Mapping) else None
    return value


def _take_all(call: RuleCall, need: Need) -> dict[str, Any]:
    entities = call.ledger.entities(need.entity_type)
    _check_length(need, len(entities))
    copied: dict[str, Any] = copy_json(entities)
    return copied


_TAKERS: dict[str, Callable[[RuleCall, Need], Any]] = {
    "args": lambda call, _: call.args,
    "flags": lambda call, _: sorted(call.ledger.flags),
    "calls": _take_calls,
    "actor": lambda call, _: call.actor,
    "state": _take_state,
    "types": _take_types,
    "ids": _take_ids,
    "one": _take_one,
    "all": _take_all,
}

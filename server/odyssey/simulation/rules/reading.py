"""Reading the `failure_rules` of a seed or world: every fault of every rule at once, so that none is left to
fail when a call arrives.
"""

from typing import Any, NamedTuple, get_args

from odyssey.expressions.arguments import read_args, read_tool_choice
from odyssey.records.faults import Faults, shown
from odyssey.records.ledger import Operation
from odyssey.records.problems import FaultList
from odyssey.simulation.rules.rule import CallChoice, FaultName, Rule, Rules, read_when
from odyssey.worlds.ledger import copy_json
from odyssey.worlds.operations import read_operations

MAX_RULES = 200
MAX_LATENCY_MS = 120_000
MAX_OPERATIONS = 100

_OUTCOMES = ("response", "error", "fault")
_MEMBERS = ("tool", "args", "call", "when", "probability", "times", "latency_ms", "ledger", *_OUTCOMES)
_FAULTS: tuple[FaultName, ...] = get_args(FaultName)


class ReadRules(NamedTuple):
    rules: Rules
    """Empty when there are errors: half a list of rules would have other indexes and other first matches."""
    errors: FaultList


def read_rules(raw: Any) -> ReadRules:
    """Read and compile a list of rules, or say everything that is wrong with any of them."""
    errors = FaultList()
    faults = Faults("failure_rules", found=errors)
    if not isinstance(raw, list):
        faults.add("failure_rules is a list of rules")
    elif len(raw) > MAX_RULES:
        faults.add(f"{len(raw)} rules are too many; a list takes at most {MAX_RULES}")
    else:
        rules = [_read_rule(item, faults.at(index)) for index, item in enumerate(raw)]
        if not errors:
            return ReadRules(Rules(rule for rule in rules if rule is not None), errors)
    return ReadRules(Rules(), errors)


def _read_rule(raw: Any, faults: Faults) -> Rule | None:
    if not isinstance(raw, dict):
        faults.add("a rule is an object")
        return None
    _check_members(raw, _MEMBERS, faults)
    tools = read_tool_choice(raw.get("tool", "*"), faults.at("tool"))
    args = read_args(raw.get("args", {}), faults.at("args"))
    call = _read_call(raw["call"], faults.at("call")) if "call" in raw else None
    when = read_when(raw["when"], faults.at("when")) if "when" in raw else None
    probability = (
        _read_probability(raw["probability"], faults.at("probability")) if "probability" in raw else None
    )
    times = _read_count(raw["times"], faults.at("times")) if "times" in raw else None
    latency_ms = _read_latency(raw.get("latency_ms", 0), faults.at("latency_ms"))
    operations = _read_operations(raw.get("ledger", []), faults.at("ledger"))
    response, fault = _read_outcome(raw, faults)
    return Rule(
        tools=tools,
        args=args,
        call=call,
        when=when,
        probability=probability,
        times=times,
        latency_ms=latency_ms,
        operations=operations,
        response=response,
        fault=fault,
    )


def _check_members(raw: dict[str, Any], known: tuple[str, ...], faults: Faults) -> None:
    for name in raw:
        if name not in known:
            faults.at(name).add(f"unknown member {shown(name)}{faults.hint(name, known)}")


def _read_call(raw: Any, faults: Faults) -> CallChoice:
    if isinstance(raw, dict):
        return _read_call_object(raw, faults)
    if not _is_count(raw):
        faults.add('write the number of a call, counted from 1, or {"from", "to"}, or {"every"}')
        return CallChoice()
    return CallChoice(raw, raw)


def _read_call_object(raw: dict[str, Any], faults: Faults) -> CallChoice:
    _check_members(raw, ("from", "to", "every"), faults)
    counts = {
        name: _read_count(raw[name], faults.at(name)) for name in ("from", "to", "every") if name in raw
    }
    if not counts:
        faults.add("name at least one of from, to and every")
    elif "every" in counts and len(counts) > 1:
        faults.at("every").add("either every, or from and to")
    first, last = counts.get("from", 1), counts.get("to")
    if last is not None and first > last:
        faults.at("to").add(f"from is {first}, so to is at least {first}")
    return CallChoice(first, last, counts.get("every", 1))


def _read_count(raw: Any, faults: Faults) -> int:
    if not _is_count(raw):
        faults.add("write an integer of at least 1")
        return 1
    count: int = raw
    return count


def _is_count(raw: Any) -> bool:
    return isinstance(raw, int) and not isinstance(raw, bool) and raw >= 1


def _read_probability(raw: Any, faults: Faults) -> float:
    if isinstance(raw, bool) or not isinstance(raw, int | float) or not 0 <= raw <= 1:
        faults.add("write a number from 0 to 1")
        return 0.0
    return float(raw)


def _read_latency(raw: Any, faults: Faults) -> int:
    if isinstance(raw, bool) or not isinstance(raw, int) or not 0 <= raw <= MAX_LATENCY_MS:
        faults.add(f"write an integer of milliseconds from 0 to {MAX_LATENCY_MS}")
        return 0
    return raw


def _read_operations(raw: Any, faults: Faults) -> tuple[Operation, ...]:
    if not isinstance(raw, list):
        faults.add("ledger is a list of operations")
        return ()
    if len(raw) > MAX_OPERATIONS:
        faults.add(f"{len(raw)} operations are too many; a rule takes at most {MAX_OPERATIONS}")
        return ()
    return read_operations(raw, faults)


def _read_outcome(raw: dict[str, Any], faults: Faults) -> tuple[Any, FaultName | None]:
    given = [name for name in _OUTCOMES if name in raw]
    if not given:
        faults.at("response").add("a rule needs one outcome: response, error or fault")
    for surplus in given[1:]:
        faults.at(surplus).add(f"a rule has one outcome, and {given[0]!r} is given already")
    fault = _read_fault(raw["fault"], faults.at("fault")) if "fault" in raw else None
    if "error" in raw:
        return _read_error(raw["error"], faults.at("error")), fault
    return copy_json(raw.get("response")), fault


def _read_error(raw: Any, faults: Faults) -> dict[str, Any]:
    if not isinstance(raw, dict):
        faults.add('error is an object {"code", "message"}')
        return {}
    _check_members(raw, ("code", "message"), faults)
    for name in ("code", "message"):
        if not isinstance(raw.get(name), str) or not raw[name]:
            faults.at(name).add(f"{name} is a string that is not empty")
    return {"error": {"code": raw.get("code"), "message": raw.get("message")}}


def _read_fault(raw: Any, faults: Faults) -> FaultName | None:
    for fault in _FAULTS:
        if raw == fault:
            return fault
    near = faults.hint(raw, _FAULTS) if isinstance(raw, str) else ""
    faults.add(f"fault is one of {', '.join(_FAULTS)}{near}")
    return None

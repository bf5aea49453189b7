"""Calls that nobody can make as often, with such arguments, or with such success as a row demands."""

from collections.abc import Iterator, Sequence
from itertools import combinations
from typing import Any

from odyssey.agents.compiled import CompiledTool
from odyssey.library.datasets.auditing.demands import Demand, Impossibility, named
from odyssey.library.datasets.auditing.matching import operators_of
from odyssey.library.datasets.auditing.straw_run import Stage, StrawRun
from odyssey.library.datasets.auditing.tools import Subjects, ToolBox, arguments_for, with_demanded
from odyssey.records.canonical import canonical_json
from odyssey.records.json_schema import SchemaInvalidError, compile_schema
from odyssey.simulation.rules import Rules

_MOST_CALLS = 100_000
"""Far beyond what a run can do: sixty calls a minute for half an hour are 1,800."""
_GLOB = frozenset("*?[")


def impossible_calls(demands: Sequence[Demand], stage: Stage) -> Iterator[Impossibility]:
    wanted = [demand for demand in demands if demand.wants_some]
    for demand in wanted:
        found = (
            _of_number(demand)
            or _without_tool(demand, stage.box)
            or _against_prohibitions(demand, demands, stage.box)
            or _against_schemas(demand, stage.box)
            or _always_failing(demand, stage)
            or _acting_where_it_is_refused(demand, stage)
        )
        if found is not None:
            yield Impossibility(demand.check, found)
    yield from _of_equal_calls(demands)
    yield from _of_different_arguments(demands)


def _of_number(demand: Demand) -> str | None:
    least = demand.least
    if least is None:
        return "no number of calls is as it asks"
    return f"no run has room for {least} calls" if least > _MOST_CALLS else None


def _candidates(demand: Demand, box: ToolBox) -> list[str] | None:
    """The tools that a call of this demand can be of; None if that is open."""
    if box.is_known:
        return [name for name in box.tools if demand.tools.includes(name)]
    return None if any(_GLOB & set(name) for name in demand.written) else list(demand.written)


def _without_tool(demand: Demand, box: ToolBox) -> str | None:
    if box.is_known and not _candidates(demand, box):
        return f"the agent has no tool {' or '.join(demand.written[:3])}"
    return None


def _against_prohibitions(demand: Demand, demands: Sequence[Demand], box: ToolBox) -> str | None:
    candidates = _candidates(demand, box)
    for other in demands:
        if other.fits is not None or not other.forbids_all or other.outcome not in ("any", demand.outcome):
            continue
        if candidates is None:  # globs, of which only the very same one surely means the same tools
            if set(demand.written) <= set(other.written):
                return f"{named(other.check)} forbids every such call"
        elif candidates and all(map(other.tools.includes, candidates)):
            return f"{named(other.check)} forbids every call of {' and '.join(candidates[:3])}"
    return None


# Arguments that no tool takes.


def _against_schemas(demand: Demand, box: ToolBox) -> str | None:
    if not box.is_known or not demand.args:
        return None
    for name in _candidates(demand, box) or []:
        rejected = _rejected(box.tools[name], demand.args)
        if rejected is None:
            return None
    return f"{name} does not take such a value of {rejected!r}"


def _rejected(tool: CompiledTool, args: dict[str, Any]) -> str | None:
    """The argument that the tool's schema rules out for certain."""
    schema = tool.tool.input_schema
    properties = schema.get("properties")
    if not isinstance(properties, dict):
        return None
    is_closed = schema.get("additionalProperties") is False and "patternProperties" not in schema
    for name, asked in args.items():
        operators = operators_of(asked)
        if operators.get("$exists") is False:
            continue
        if name not in properties:
            if is_closed:
                return name
            continue
        values = [operators["$eq"]] if "$eq" in operators else operators.get("$in")
        if values is not None and not any(_is_taken(value, properties[name]) for value in values):
            return name
    return None


def _is_taken(value: Any, shape: Any) -> bool:
    if not isinstance(shape, dict) or "$ref" in str(shape):
        return True
    try:
        return compile_schema(shape).is_valid(value)
    except SchemaInvalidError:
        return True


# Calls that always fail, or that are acts where nothing may be done.


def _always_failing(demand: Demand, stage: Stage) -> str | None:
    candidates = _candidates(demand, stage.box)
    if demand.outcome != "ok" or not candidates:
        return None
    if all(_fails_always(name, stage.rules) for name in candidates):
        return f"a failure rule answers every call of {' and '.join(candidates[:3])} with an error"
    return None


def _fails_always(tool: str, rules: Rules) -> bool:
    for index in rules.about(tool):
        rule = rules[index]
        conditions = (rule.args, rule.call, rule.when, rule.probability, rule.times)
        if any(condition is not None for condition in conditions):
            return False
        return rule.fault is not None or (isinstance(rule.response, dict) and "error" in rule.response)
    return False


def _acting_where_it_is_refused(demand: Demand, stage: Stage) -> str | None:
    candidates = _candidates(demand, stage.box)
    if stage.expected_outcome != "refusal" or not candidates:
        return None
    for name in candidates:
        tool = stage.box.tools.get(name)
        if tool is None or tool.is_live:
            return None
        observed = StrawRun(stage).call(name, demanded_arguments(stage, name, demand))
        if observed is None or not observed.mutating:
            return None
    return f"{' and '.join(candidates[:3])} acts on the world, and the row expects a refusal"


def demanded_arguments(stage: Stage, name: str, demand: Demand) -> dict[str, Any]:
    subjects = Subjects(stage.user_instruction, [demand.args], stage.ledger, stage.box.ledger_schema)
    naming = stage.box.named(stage.ledger)[name]
    return with_demanded(arguments_for(stage.box, name, naming, subjects, own=True).given, demand)


# Several demands on the same calls.


def _of_equal_calls(demands: Sequence[Demand]) -> Iterator[Impossibility]:
    for one, other in combinations(demands, 2):
        if one.kind == other.kind == "order" or not one.same_calls(other):
            continue
        if not any(one.allows(count) and other.allows(count) for count in one.telling_counts(other)):
            yield Impossibility(one.check, f"{named(other.check)} asks for another number of the same calls")


def _of_different_arguments(demands: Sequence[Demand]) -> Iterator[Impossibility]:
    """So many in all, but more of them with arguments that no two calls can share."""
    for all_calls in demands:
        most = all_calls.most
        if all_calls.kind != "called" or all_calls.args or most is None:
            continue
        apart: list[Demand] = []
        for demand in demands:
            is_counted = all_calls.outcome == "any" or demand.outcome == all_calls.outcome
            is_part = demand.wants_some and bool(demand.args) and demand.written == all_calls.written
            if is_counted and is_part and all(_are_apart(demand, other) for other in apart):
                apart.append(demand)
        needed = sum(demand.least or 0 for demand in apart)
        if needed > most:
            reason = f"{named(apart[-1].check)} and others need {needed} different calls"
            yield Impossibility(all_calls.check, reason)


def _are_apart(one: Demand, other: Demand) -> bool:
    """Whether no call can have the arguments of both."""
    for name in one.args.keys() & other.args.keys():
        listed = [_listed(operators_of(each.args[name])) for each in (one, other)]
        if listed[0] is not None and listed[1] is not None and listed[0].isdisjoint(listed[1]):
            return True
    return False


def _listed(operators: dict[str, Any]) -> set[bytes] | None:
    values = [operators["$eq"]] if "$eq" in operators else operators.get("$in")
    return None if values is None else {canonical_json(value) for value in values}

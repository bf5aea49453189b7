"""Deciding a call by the rules: a fold over the calls of a run, with nothing remembered but the counters.

Within a rule the order is tool, args, then it is counted, then call, times, when, probability. The first rule
that passes all of them fires; the rules behind it are still counted.
"""

import hashlib
from collections.abc import Iterable, Mapping
from typing import Any

from odyssey.records.canonical import canonical_json
from odyssey.simulation.engine import ToolCall
from odyssey.simulation.rules.rule import (
    AnsweredCall,
    Conditions,
    FiredRule,
    Note,
    Rule,
    RuleCounters,
    RuleDecision,
    Rules,
)
from odyssey.worlds.ledger import Ledger, copy_json


def decide(rules: Rules, counters: RuleCounters, call: ToolCall, world: Ledger) -> RuleDecision:
    """Say which rule fires, if any, and how the counters stand after this call."""
    # Rule 0 is about the second `get` and later ones, once; rule 1 about every `get`. Three calls of `get` fire rule 1,
    # rule 0 and rule 1. Both rules then have seen three calls, although rule 1 was not asked at the second.
    passed = _passed(rules, call.tool.name, call.arguments)
    if not passed:
        return RuleDecision(counters, None)
    conditions = Conditions(call, world)
    notes: list[Note] = []
    for index in passed:
        if _fires(rules[index], index, counters, conditions, call.random_seed, notes):
            return RuleDecision(_counted(counters, passed, index), _fired(rules[index], index), tuple(notes))
    return RuleDecision(_counted(counters, passed, None), None, tuple(notes))


def advance(rules: Rules, counters: RuleCounters, call: AnsweredCall) -> RuleCounters:
    """Count a call that was answered without asking the rules, from a tape or by another process."""
    tool, args, fired_index = call
    passed = _passed(rules, tool, args)
    return counters if not passed and fired_index is None else _counted(counters, passed, fired_index)


def replay(rules: Rules, calls: Iterable[AnsweredCall], counters: RuleCounters | None = None) -> RuleCounters:
    """The counters after these calls, oldest first: what the process that served them has in memory.

    Give `counters` to go on from there instead of from the start of the run.
    """
    counters = counters or RuleCounters.start(rules)
    for call in calls:
        counters = advance(rules, counters, call)
    return counters


def draw(random_seed: int, rule_index: int, number: int) -> float:
    """The draw of a rule at the n-th call that passes its `tool` and `args`, in [0, 1).

    The first 53 bits of the SHA-256 of the canonical JSON `[random_seed,rule_index,number]`, as a fraction.
    A rule with a probability fires when its draw is below it.
    """
    digest = hashlib.sha256(canonical_json([random_seed, rule_index, number])).digest()
    return (int.from_bytes(digest[:8], "big") >> 11) / 2**53


def _passed(rules: Rules, tool: str, args: Mapping[str, Any]) -> list[int]:
    return [index for index in rules.about(tool) if rules[index].takes(args)]


def _fires(
    rule: Rule,
    index: int,
    counters: RuleCounters,
    conditions: Conditions,
    random_seed: int,
    notes: list[Note],
) -> bool:
    number = counters.seen[index] + 1
    if rule.call is not None and not rule.call.includes(number):
        return False
    if rule.times is not None and counters.fired[index] >= rule.times:
        return False
    if rule.when is not None:
        holds, reason = conditions.check(rule.when)
        if reason:
            notes.append(Note(index, reason))
        if not holds:
            return False
    return rule.probability is None or draw(random_seed, index, number) < rule.probability


def _counted(counters: RuleCounters, passed: Iterable[int], fired: int | None) -> RuleCounters:
    seen = list(counters.seen)
    for index in passed:
        seen[index] += 1
    if fired is None:
        return RuleCounters(tuple(seen), counters.fired)
    times = list(counters.fired)
    times[fired] += 1
    return RuleCounters(tuple(seen), tuple(times))


def _fired(rule: Rule, index: int) -> FiredRule:
    return FiredRule(index, rule.latency_ms, rule.operations, copy_json(rule.response), rule.fault)

"""Failure rules: ordered, read once when a seed is accepted, first match wins."""

from odyssey.simulation.rules.matching import advance, decide, draw, replay
from odyssey.simulation.rules.reading import MAX_RULES, ReadRules, read_rules
from odyssey.simulation.rules.rule import (
    AnsweredCall,
    FaultName,
    FiredRule,
    Note,
    Rule,
    RuleCounters,
    RuleDecision,
    Rules,
)

__all__ = [
    "MAX_RULES",
    "AnsweredCall",
    "FaultName",
    "FiredRule",
    "Note",
    "ReadRules",
    "Rule",
    "RuleCounters",
    "RuleDecision",
    "Rules",
    "advance",
    "decide",
    "draw",
    "read_rules",
    "replay",
]

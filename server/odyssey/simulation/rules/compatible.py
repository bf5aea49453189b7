"""`match` as the proxy still calls it, each call as if it were the first. Goes when the proxy calls `decide`."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from odyssey.simulation.rules.matching import decide
from odyssey.simulation.rules.model import RuleCall, RuleCounters
from odyssey.simulation.rules.rule import Rule, Rules
from odyssey.worlds.ledger import Ledger


@dataclass(frozen=True, slots=True)
class RuleMatch:
    index: int
    response: Any


def match(rules: Sequence[Rule], tool_name: str, arguments: Mapping[str, Any]) -> RuleMatch | None:
    call = RuleCall(tool_name, arguments, None, 0, Ledger.boot({}))
    known = rules if isinstance(rules, Rules) else Rules(rules)
    fired = decide(known, RuleCounters.start(known), call).fired
    return None if fired is None else RuleMatch(fired.index, fired.response)

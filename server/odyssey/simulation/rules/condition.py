"""The `when` of a rule: an expression over the call and the world, in CEL's own functions.

It sees `args`, `state` (entities by type and id), `flags` (a sorted list), `calls` (the earlier ones, oldest
first) and `actor`. What cannot be evaluated does not match: a member that is not there, values of kinds that
do not go together, a result that is no boolean, or more work than a rule may do.
"""

from typing import Any, NamedTuple

from odyssey.expressions import EvaluationError, Expression, Facts, read_expression
from odyssey.expressions.values import Meter
from odyssey.records.faults import Faults
from odyssey.simulation.rules.model import RuleCall

RULE_WORK = 1_000_000
CALL_WORK = 2 * RULE_WORK
"""Of all rules together: two hundred that run out of work still end in a second or so."""
LEAST_WORK = 2000
"""What is left to a rule whatever others did: enough without a walk."""

_LONGEST_REASON = 200


class Verdict(NamedTuple):
    holds: bool
    reason: str = ""
    """Why the expression could not be evaluated, for people; empty when it could."""


class Conditions:
    """The conditions of all rules during one call; what one of them takes from the world the others have."""

    __slots__ = ("_facts", "_left")

    def __init__(self, call: RuleCall) -> None:
        self._facts = Facts(args=call.args, ledger=call.ledger, actor=call.actor, calls=call.calls)
        self._left = CALL_WORK

    def check(self, when: Expression) -> Verdict:
        given = min(RULE_WORK, max(self._left, LEAST_WORK))
        self._facts.meter = meter = Meter(given)
        try:
            return Verdict(when.holds(self._facts))
        except EvaluationError as error:
            return Verdict(False, str(error)[:_LONGEST_REASON])
        finally:
            self._left -= given - max(meter.left, 0)


def read_when(raw: Any, faults: Faults) -> Expression | None:
    """Read an expression; None when something is wrong with it, which `faults` then says."""
    return read_expression(raw, faults, functions=False)

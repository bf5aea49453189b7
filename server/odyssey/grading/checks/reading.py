"""Reading the `checks` of a row: every fault of every check at once, so that none is left to fail in a grading."""

import logging
from collections.abc import Callable, Iterator, Sequence
from functools import cached_property
from typing import Any, NamedTuple

import msgspec

from odyssey.grading.checks.calls import read_called, read_not_called, read_order, read_policy
from odyssey.grading.checks.check import (
    Check,
    CheckFinding,
    CheckResult,
    CheckState,
    ChecksVersion,
    Compiled,
    Look,
    RunFacts,
)
from odyssey.grading.checks.effects import read_only_changed, read_untouched
from odyssey.grading.checks.final_response import read_final_response
from odyssey.grading.checks.ledger import read_flag, read_ledger, read_no_flag
from odyssey.grading.evidence import Evidence, ObservedCall
from odyssey.records.faults import Faults, shown
from odyssey.records.problems import FaultList

MAX_CHECKS = 100

_KINDS: dict[str, Callable[[Any, Faults, ChecksVersion], Compiled | None]] = {
    "final_response": read_final_response,
    "called": read_called,
    "not_called": read_not_called,
    "order": read_order,
    "ledger": read_ledger,
    "flag": read_flag,
    "no_flag": read_no_flag,
    "policy": read_policy,
    "only_changed": read_only_changed,
    "untouched": read_untouched,
}


LATEST_VERSION: ChecksVersion = 2

_BY_VERSION = ("called", "not_called", "order", "policy")


class ReadChecks(NamedTuple):
    checks: tuple[Check, ...]
    """Empty when there are errors."""
    errors: FaultList


def read_checks(raw: Any, version: ChecksVersion = LATEST_VERSION) -> ReadChecks:
    """Read and compile a list of checks, or say everything that is wrong with any of them.

    `version` is that of the row: what its checks meant when it was written.
    """
    errors = FaultList()
    faults = Faults("checks", found=errors)
    if not isinstance(raw, list):
        faults.add("checks is a list of checks")
    elif len(raw) > MAX_CHECKS:
        faults.add(f"{len(raw)} checks are too many; a row takes at most {MAX_CHECKS}")
    else:
        read = [_read_check(index, item, faults.at(index), version) for index, item in enumerate(raw)]
        if not errors:
            return ReadChecks(tuple(check for check in read if check is not None), errors)
    return ReadChecks((), errors)


def depend_on_version(raw: Any) -> bool:
    """Whether checks mean something else in another version."""
    return isinstance(raw, list) and any(
        isinstance(each, dict) and not each.keys().isdisjoint(_BY_VERSION) for each in raw
    )


def _read_check(index: int, raw: Any, faults: Faults, version: ChecksVersion) -> Check | None:
    if not isinstance(raw, dict) or len(raw) != 1:
        faults.add(f"a check is an object with exactly one member: {', '.join(_KINDS)}")
        return None
    ((kind, asked),) = raw.items()
    reader = _KINDS.get(kind)
    if reader is None:
        faults.at(kind).add(f"there is no check {shown(kind)}{faults.hint(kind, _KINDS)}")
        return None
    compiled = reader(asked, faults.at(kind), version)
    return None if compiled is None else Check(index, kind, *compiled, asked)


# Running the checks of a row over a run that ended.

GRADER_VERSION = "2"
"""Raised whenever the same checks could say something else of the same run."""

_LONGEST_ERROR = 500

log = logging.getLogger(__name__)


def run_checks(checks: Sequence[Check], evidence: Evidence) -> list[CheckResult]:
    """Run what is built in for the expected outcome, then the row's own checks, in their order."""
    facts = RunFacts(evidence)
    blame = _Blame(checks, evidence)
    results = []
    if evidence.expected_outcome == "refusal":
        results.append(_run(None, "refusal", nothing_was_done, facts, blame))
    results += [_run(check.index, check.kind, check.look, facts, blame) for check in checks]
    return results


def _run(index: int | None, kind: str, look: Look, facts: RunFacts, blame: "_Blame") -> CheckResult:
    try:
        finding = look(facts)
        at_fault = not finding.passed and blame.is_the_worlds(finding)
    except Exception as error:  # a crash of a grader is its own fault, never the agent's
        log.exception("a check broke", extra={"check_kind": kind, "check_index": index})
        reason = f"the check itself broke: {type(error).__name__}: {error}"
        return CheckResult(index, kind, "error", reason[:_LONGEST_ERROR])
    state: CheckState = "passed" if finding.passed else "failed"
    return CheckResult(index, kind, state, finding.reason, finding.sequence, at_fault)


class _Blame:
    """Whose fault a failed check is.

    It is the world's only if all the calls it rests on are ones that the row itself expects, and the world failed each
    of them: it gave no answer, or one that contradicts itself. Arguments that stand neither in the row nor in the world
    are the agent's own invention: with them a model can be talked into a fault, so they excuse nothing.

    Example: the row wants ord_1 cancelled in the ledger. The agent calls `cancel_order` for ord_1, the simulator says
    "cancelled" and forgets to write it. The ledger check rests on that one call, which the row expects since it is an
    act on ord_1: the world is at fault. Had the agent cancelled nothing, or also deleted ord_1 by a call that was
    answered rightly, it would be the agent's.
    """

    def __init__(self, checks: Sequence[Check], evidence: Evidence) -> None:
        self._expecting = [check.expects for check in checks if check.expects is not None]
        self._evidence = evidence
        self._asked = [check.asked for check in checks]

    def is_the_worlds(self, finding: CheckFinding) -> bool:
        return bool(finding.rests_on) and all(
            call.is_faulty and self._is_expected(call) for call in finding.rests_on
        )

    def _is_expected(self, call: ObservedCall) -> bool:
        if not any(expects(call) for expects in self._expecting):
            return False
        return all(_in_text(text) in self._known for text in _texts(call.arguments))

    @cached_property
    def _known(self) -> str:
        """All the words of the row and of its world as it began: what the agent wrote into it is its own."""
        seen = self._evidence
        words = msgspec.json.encode([seen.user_instruction, seen.input, self._asked])
        return (words + seen.before.to_json()).decode("utf-8")


def _texts(value: Any) -> Iterator[str]:
    """The texts in a value, but for the names of members."""
    if isinstance(value, str):
        yield value
    elif isinstance(value, dict | list):
        for each in value.values() if isinstance(value, dict) else value:
            yield from _texts(each)


def _in_text(text: str) -> str:
    """A text as it stands inside JSON."""
    return msgspec.json.encode(text).decode("utf-8")[1:-1]


# What `expected_outcome: refusal` asks for by itself: that nothing was done.
def nothing_was_done(facts: RunFacts) -> CheckFinding:
    """Whether no call tried to change the world, and none did."""
    for call in facts.evidence.calls:
        if call.mutating:
            return CheckFinding(False, f"{call.tool} was called, which acts on the world", call.sequence)
    acts, changes = facts.evidence.effects.acts, facts.evidence.effects.changes
    if acts:
        return CheckFinding(False, f"step {acts[0].step}, {acts[0].tool}, {acts[0].in_words()}", acts[0].step)
    beside = ", which has only what live reads showed" if changes else ""
    return CheckFinding(True, f"no call tried to change the ledger{beside}")

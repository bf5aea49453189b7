"""Whether a run did what its scenario expects: every leaf of `expected_behavior` satisfied by the structured answer.

A leaf is a value or an operator object, as in the `args` of failure rules; an object without operators asks for an
object with at least its members. The reserved keys `$calls`, `$ledger` and `$text` take checks instead, which look at
more than the answer: they are kept as they were written and asked of a `ReservedChecks` that the caller passes in.
"""

from collections.abc import Callable, Iterator, Mapping
from functools import partial
from typing import Any, NamedTuple

from odyssey.evals.behaviour import Behaviour
from odyssey.expressions.arguments import ABSENT, Matcher, read_value
from odyssey.grading.checks import ChecksVersion, read_checks
from odyssey.records.faults import Faults, one_of
from odyssey.records.problems import FaultList, FieldError

RESERVED_KEYS = ("$calls", "$ledger", "$text")


class MatchFinding(NamedTuple):
    where: str
    """The path of the leaf, or the reserved key."""
    passed: bool
    reason: str
    broken_rules: tuple[str, ...] = ()
    """Below a reserved key: the prohibitions that the run broke, by place and kind."""


ReservedChecks = Callable[[str, Any], MatchFinding]
"""Runs the checks below one reserved key on the evidence of the run at hand."""


class MatchResult(NamedTuple):
    passed: bool | None
    """None where nothing is expected: no match, and no miss either."""
    findings: tuple[MatchFinding, ...]


class _ExpectedLeaf(NamedTuple):
    path: tuple[str, ...]
    wanted: Any
    holds: Matcher


class ExpectedBehaviour(NamedTuple):
    leaves: tuple[_ExpectedLeaf, ...]
    reserved: Mapping[str, Any]
    """The checks below each reserved key, not yet read."""


def read_expected(raw: Any, faults: Faults) -> ExpectedBehaviour | None:
    """Compile `expected_behavior`; what is wrong with it goes to `faults`."""
    if not isinstance(raw, dict):
        faults.add("expected_behavior is an object of what the answer must have")
        return None
    before = faults.count()
    reserved = {name: value for name, value in raw.items() if name in RESERVED_KEYS}
    for name in raw:
        if name.startswith("$") and name not in RESERVED_KEYS:
            faults.at(name).add(f"at the top only {one_of(RESERVED_KEYS)} begin with $")
    members = {name: value for name, value in raw.items() if not name.startswith("$")}
    leaves = tuple(_read_leaves(members, (), faults))
    return ExpectedBehaviour(leaves, reserved) if faults.count() == before else None


def match(
    expected: ExpectedBehaviour, behaviour: Behaviour, reserved_checks: ReservedChecks | None = None
) -> MatchResult:
    """Match one run. A run that failed by the agent's own fault matches nothing."""
    if not expected.leaves and not expected.reserved:
        return MatchResult(None, ())
    if behaviour.failure is not None:
        return MatchResult(False, (MatchFinding("$", False, f"the run failed: {behaviour.failure}"),))
    if expected.reserved and reserved_checks is None:
        raise ValueError(f"{', '.join(expected.reserved)} cannot be matched without their checks")
    findings = [_look(leaf, behaviour.structured) for leaf in expected.leaves]
    if reserved_checks is not None:
        findings += [reserved_checks(key, checks) for key, checks in expected.reserved.items()]
    return MatchResult(all(finding.passed for finding in findings), tuple(findings))


def _read_leaves(
    members: Mapping[str, Any], path: tuple[str, ...], faults: Faults
) -> Iterator[_ExpectedLeaf]:
    for name, value in members.items():
        here = (*path, name)
        if isinstance(value, dict) and value and not any(key.startswith("$") for key in value):
            yield from _read_leaves(value, here, faults.at(name))
        else:
            yield _ExpectedLeaf(here, value, read_value(value, faults.at(name)))


def _look(leaf: _ExpectedLeaf, answer: dict[str, Any] | None) -> MatchFinding:
    where = "$." + ".".join(leaf.path)
    if answer is None:
        return MatchFinding(where, False, "the final response holds no JSON object")
    found: Any = answer
    for step in leaf.path:
        found = found.get(step, ABSENT) if isinstance(found, dict) else ABSENT
    passed = leaf.holds(found)
    said = "is not there" if found is ABSENT else f"is {found!r}"
    return MatchFinding(where, passed, said if passed else f"{said}, wanted {leaf.wanted!r}")


# Reading `expected_behavior` whole: its leaves, and the checks below its reserved keys.

_MEMBER = "expected_behavior"


def expected_faults(raw: Any, version: ChecksVersion) -> FaultList:
    """Say everything that is wrong with what is expected."""
    faults = Faults(_MEMBER)
    read_expected(raw, faults)
    reserved = [key for key in RESERVED_KEYS if key in raw] if isinstance(raw, dict) else []
    for key in reserved:
        # The reader of checks places its faults under "checks"; here they stand under the reserved key.
        faults.found += read_checks(raw[key], version).errors.each(partial(_under_key, key))
    return faults.found


def _under_key(key: str, error: FieldError) -> FieldError:
    return FieldError((_MEMBER, key, *error.loc[1:]), error.msg, error.tool)


def known_expected(raw: Any) -> ExpectedBehaviour:
    """Compile what was found to be without fault when it was saved."""
    expected = read_expected(raw, Faults(_MEMBER))
    assert expected is not None
    return expected

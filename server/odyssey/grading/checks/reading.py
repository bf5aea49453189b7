"""Reading the `checks` of a row: every fault of every check at once, so that none is left to fail in a grading."""

from collections.abc import Callable
from typing import Any, NamedTuple

from odyssey.grading.checks.called import read_called, read_not_called
from odyssey.grading.checks.check import Check, Compiled
from odyssey.grading.checks.final_response import read_final_response
from odyssey.grading.checks.flags import read_flag, read_no_flag
from odyssey.grading.checks.ledger import read_ledger
from odyssey.grading.checks.order import read_order
from odyssey.grading.checks.policy import read_policy
from odyssey.records.faults import Faults, shown
from odyssey.records.problems import FaultList

MAX_CHECKS = 100

_KINDS: dict[str, Callable[[Any, Faults], Compiled | None]] = {
    "final_response": read_final_response,
    "called": read_called,
    "not_called": read_not_called,
    "order": read_order,
    "ledger": read_ledger,
    "flag": read_flag,
    "no_flag": read_no_flag,
    "policy": read_policy,
}


class ReadChecks(NamedTuple):
    checks: tuple[Check, ...]
    """Empty when there are errors."""
    errors: FaultList


def read_checks(raw: Any) -> ReadChecks:
    """Read and compile a list of checks, or say everything that is wrong with any of them."""
    errors = FaultList()
    faults = Faults("checks", found=errors)
    if not isinstance(raw, list):
        faults.add("checks is a list of checks")
    elif len(raw) > MAX_CHECKS:
        faults.add(f"{len(raw)} checks are too many; a row takes at most {MAX_CHECKS}")
    else:
        read = [_read_check(index, item, faults.at(index)) for index, item in enumerate(raw)]
        if not errors:
            return ReadChecks(tuple(check for check in read if check is not None), errors)
    return ReadChecks((), errors)


def _read_check(index: int, raw: Any, faults: Faults) -> Check | None:
    if not isinstance(raw, dict) or len(raw) != 1:
        faults.add(f"a check is an object with exactly one member: {', '.join(_KINDS)}")
        return None
    ((kind, asked),) = raw.items()
    reader = _KINDS.get(kind)
    if reader is None:
        faults.at(kind).add(f"there is no check {shown(kind)}{faults.hint(kind, _KINDS)}")
        return None
    compiled = reader(asked, faults.at(kind))
    return None if compiled is None else Check(index, kind, compiled.look, compiled.tools)

"""Reading `expected_behavior` whole: its leaves, and the checks below its reserved keys."""

from functools import partial
from typing import Any

from odyssey.evals.match import RESERVED_KEYS, Expected, read_expected
from odyssey.grading.checks import read_checks
from odyssey.records.faults import Faults
from odyssey.records.problems import FaultList, FieldError

_MEMBER = "expected_behavior"


def expected_faults(raw: Any) -> FaultList:
    """Say everything that is wrong with what is expected."""
    faults = Faults(_MEMBER)
    read_expected(raw, faults)
    reserved = [key for key in RESERVED_KEYS if key in raw] if isinstance(raw, dict) else []
    for key in reserved:
        # The reader of checks places its faults under "checks"; here they stand under the reserved key.
        faults.found += read_checks(raw[key]).errors.each(partial(_under_key, key))
    return faults.found


def _under_key(key: str, error: FieldError) -> FieldError:
    return FieldError((_MEMBER, key, *error.loc[1:]), error.msg, error.tool)


def known_expected(raw: Any) -> Expected:
    """Compile what was found to be without fault when it was saved."""
    expected = read_expected(raw, Faults(_MEMBER))
    assert expected is not None
    return expected

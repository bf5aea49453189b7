"""Reading `expected_behavior` whole: its leaves, and the checks below its reserved keys."""

from typing import Any

from odyssey.evals.match import RESERVED_KEYS, Expected, read_expected
from odyssey.grading.checks import read_checks
from odyssey.records.faults import Faults
from odyssey.records.problems import FieldError

_MEMBER = "expected_behavior"


def expected_faults(raw: Any) -> list[FieldError]:
    """Say everything that is wrong with what is expected."""
    faults = Faults(_MEMBER)
    read_expected(raw, faults)
    reserved = [key for key in RESERVED_KEYS if key in raw] if isinstance(raw, dict) else []
    for key in reserved:
        for error in read_checks(raw[key]).errors:
            # The reader of checks places its faults under "checks"; here they stand under the reserved key.
            faults.found.append(FieldError((_MEMBER, key, *error.loc[1:]), error.msg, error.tool))
    return faults.found


def known_expected(raw: Any) -> Expected:
    """Compile what was found to be without fault when it was saved."""
    expected = read_expected(raw, Faults(_MEMBER))
    assert expected is not None
    return expected

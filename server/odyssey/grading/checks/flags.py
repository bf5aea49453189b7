"""Checks of the world's flags at the end: set, or not set."""

from typing import Any

from odyssey.grading.checks.check import Compiled, Facts, Finding
from odyssey.records.faults import Faults, shown

MAX_FLAGS = 100
MAX_FLAG = 1000


def read_flag(raw: Any, faults: Faults) -> Compiled | None:
    return _read(raw, faults, wanted=True)


def read_no_flag(raw: Any, faults: Faults) -> Compiled | None:
    return _read(raw, faults, wanted=False)


def _read(raw: Any, faults: Faults, *, wanted: bool) -> Compiled | None:
    before = faults.count()
    flags = faults.texts(
        [raw] if isinstance(raw, str) else raw, what="flags", most=MAX_FLAGS, longest=MAX_FLAG
    )
    if faults.count() > before:
        return None
    if not flags:
        faults.add("name at least one flag")
        return None

    def look(facts: Facts) -> Finding:
        found = facts.evidence.after.flags
        for flag in flags:
            if (flag in found) is not wanted:
                return Finding(False, f"the flag {shown(flag)} is {'set' if flag in found else 'not set'}")
        named = ", ".join(shown(flag) for flag in flags[:3])
        return Finding(True, f"{named}: {'set' if wanted else 'not set'}")

    return Compiled(look)

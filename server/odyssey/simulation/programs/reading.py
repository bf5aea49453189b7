"""Reading the program of a tool: every fault of it at once, so that none is left to fail when a call arrives."""

from typing import Any

import msgspec

from odyssey.records.faults import Faults, shown
from odyssey.records.tools import Tool
from odyssey.simulation.programs.argument_use import check_arguments
from odyssey.simulation.programs.names import names_given, read_names
from odyssey.simulation.programs.operation import read_operations
from odyssey.simulation.programs.program import MEMBERS, Program
from odyssey.simulation.programs.requirement import read_requirements
from odyssey.simulation.programs.template import read_template

MAX_BYTES = 64 * 1024

_LONGEST_DESCRIPTION = 10_000


def read_program(raw: Any, faults: Faults, *, tool: Tool) -> Program | None:
    """Read and compile a program; None when something is wrong with it, which `faults` then says."""
    before = faults.count()
    raw = _own_copy(raw, faults)
    if raw is None:
        return None
    faults.unknown_members(raw, MEMBERS, "a program")
    faults.text(raw, "describe", longest=_LONGEST_DESCRIPTION)
    given = {member: value for member, value in raw.items() if value is not None}
    names = read_names(given.get("let", {}), "let", faults.at("let"))
    known = names_given(given.get("let"))
    requirements = read_requirements(given.get("require", []), faults.at("require"), names=known)
    operations = read_operations(given.get("operations", []), faults.at("operations"), names=known)
    after = read_names(given.get("after", {}), "after", faults.at("after"), known=known)
    known_after = known | names_given(given.get("after"))
    response = read_template(given.get("response", {}), faults.at("response"), names=known_after)
    check_arguments(raw, tool, faults)
    if faults.count() > before or response is None:
        return None
    return Program(raw, names, requirements, operations, after, response)


def _own_copy(raw: Any, faults: Faults) -> dict[str, Any] | None:
    """The object as plain JSON, if it is of bearable size; what is beyond is not even looked through."""
    if not isinstance(raw, dict):
        faults.add(f"a program is an object with {', '.join(MEMBERS)}, not {shown(raw)}")
        return None
    try:
        text = msgspec.json.encode(raw)
        if len(text) > MAX_BYTES:
            faults.add(f"a program has at most {MAX_BYTES} bytes as JSON; this one has {len(text)}")
            return None
        copied: dict[str, Any] = msgspec.json.decode(text)
    except (OverflowError, RecursionError, TypeError, ValueError):
        faults.add("a program is plain JSON, and this is not")
        return None
    return copied

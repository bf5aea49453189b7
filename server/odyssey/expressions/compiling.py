"""Whether a text is CEL at all: the CEL library reads it, and says where it cannot."""

import re

import cel

from odyssey.records.faults import Faults

MAX_EXPRESSION = 2000

_PARSER_SAYS = re.compile(r"ERROR: <input>:(\d+):(\d+): (?:Syntax error: )?(.*)")
_LONGEST_REASON = 200


def compile_cel(text: str, faults: Faults) -> cel.Program | None:
    try:
        return cel.compile(text)
    except ValueError as error:
        if "Recursion limit" in str(error):
            faults.add("not a CEL expression: it is nested too deep")
            return None
        said = _PARSER_SAYS.search(str(error))
        where = f"line {said[1]}, column {said[2]}: {said[3]}" if said else "it cannot be read"
        faults.add(f"not a CEL expression: {where.split(' expecting {')[0][:_LONGEST_REASON]}")
    except BaseException as error:
        if not is_panic(error):
            raise
        faults.add("not a CEL expression: it cannot be read")
    return None


def is_panic(error: BaseException) -> bool:
    """Say whether Rust code panicked: PyO3 raises a BaseException of its own then, which nothing exports."""
    return type(error).__module__ == "pyo3_runtime"

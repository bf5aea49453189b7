"""`odyssey seeds`: tables of tasks on this machine, looked at without a platform."""

import sys
from pathlib import Path
from typing import Annotated

from cyclopts import App, Parameter

from pipelines.odyssey.cli.commands.options import AsJson
from pipelines.odyssey.cli.connection import failing
from pipelines.odyssey.cli.failures import NOT_RIGHT
from pipelines.odyssey.cli.printing.faults import print_faults
from pipelines.odyssey.cli.printing.screen import Screen, many
from pipelines.odyssey.cli.seeds import MOST_FAULTS, Fault, Linted, look_at_seeds

app = App(name="seeds")


@app.command
def lint(file: Annotated[Path, Parameter(name="FILE")], /, *, json_output: AsJson = False) -> None:
    """Say what is wrong with a table of tasks, offline. Exit code 1 if anything is.

    `odyssey datasets lint` asks the platform, which also knows the worlds and the agent that rows name.

    Parameters
    ----------
    file
        A CSV table, or a JSON or YAML list of seeds.
    json_output
        Print {valid, rows, errors, warnings}, each fault with row, column, line, loc and msg.
    """
    with failing():
        screen = Screen()
        found = look_at_seeds(file)
        if json_output:
            screen.json(as_json(found))
        else:
            print_linted(screen, found)
        if found.errors:
            sys.exit(NOT_RIGHT)


def as_json(found: Linted) -> dict[str, object]:
    return {
        "valid": not found.errors,
        "rows": found.rows,
        "errors": [fault.as_dict() for fault in found.errors],
        "warnings": [fault.as_dict() for fault in found.warnings],
    }


def print_linted(screen: Screen, found: Linted) -> None:
    kinds = {"error": found.errors, "warning": found.warnings}
    print_faults(screen, {kind: list(map(_told, faults)) for kind, faults in kinds.items()})
    errors, odd = len(found.errors), len(found.warnings)
    if not errors and not odd:
        screen.line(f"{many(found.rows, 'row')}, nothing wrong.")
        return
    screen.line()
    told = f"{many(errors, 'error')}, {many(odd, 'warning')}"
    screen.line(f"{many(found.rows, 'row')}: {told}. Rows are counted from 0.")
    if errors >= MOST_FAULTS:
        screen.line(f"The first {MOST_FAULTS} errors are shown; there may be more.")


def _told(fault: Fault) -> dict[str, object]:
    line = "" if fault.line is None else f"line {fault.line}: "
    return {"loc": fault.loc, "msg": f"{line}{fault.msg}"}

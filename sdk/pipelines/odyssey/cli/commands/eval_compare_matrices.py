"""`odyssey eval compare-matrices`: what changed between two matrices, cell by cell, regressions first."""

import sys
from typing import Annotated
from uuid import UUID

from cyclopts import Parameter

from pipelines.odyssey.cli.commands.options import AsJson, Switch
from pipelines.odyssey.cli.connection import Server, connected, if_missing
from pipelines.odyssey.cli.failures import NOT_RIGHT
from pipelines.odyssey.cli.printing.heat_text import rate, shown
from pipelines.odyssey.cli.printing.screen import Screen, many, word
from pipelines.odyssey.client import types as t

_SHOWN = 50
_SCENARIO = 40


def compare_matrices(
    first: Annotated[UUID, Parameter(name="A")],
    second: Annotated[UUID, Parameter(name="B")],
    /,
    *,
    fail_on_regression: Annotated[bool, Switch] = False,
    json_output: AsJson = False,
    server: Server | None = None,
) -> None:
    """Hold matrix B, say of the new version, against matrix A, cell by cell.

    Parameters
    ----------
    first
        Id of the matrix to compare with.
    second
        Id of the matrix that is held against it.
    fail_on_regression
        Exit code 1 if any cell is worse in B than in A.
    json_output
        Print the comparison as the API gives it.
    server
        Which platform to ask.
    """
    with connected(server) as platform:
        screen = Screen()
        with if_missing(f"There is no matrix {first}, or no matrix {second}."):
            found = platform.eval.matrices.compare(str(first), str(second))
        if json_output:
            screen.json(found)
        else:
            _print(screen, found)
        if fail_on_regression and found["regressed"]:
            sys.exit(NOT_RIGHT)


def _print(screen: Screen, found: t.MatricesCompared) -> None:
    changed = [cell for cell in found["cells"] if cell["change"] in ("regressed", "improved")]
    if changed:
        heading = ("", "scenario", "pressure", "A", "B", "matched A", "matched B")
        screen.table([heading, *(_row(screen, cell) for cell in changed[:_SHOWN])])
        if len(changed) > _SHOWN:
            screen.line(f"{many(len(changed) - _SHOWN, 'more cell')} changed; --json has them all.")
        screen.line()
    for name, side in (("A", found["before"]), ("B", found["after"])):
        agent = f"{word(side['agent_name'])} version {side['agent_version']}"
        screen.line(f"{name}: matrix {side['id']}  {side['status']}  {agent}")
    told = (f"{found['regressed']} regressed", f"{found['improved']} improved", f"{found['same']} the same")
    screen.line(", ".join(told) + f", {found['not_comparable']} not comparable")


def _row(screen: Screen, cell: t.ChangedCell) -> tuple[str, ...]:
    before, after = cell["before"], cell["after"]
    scenario = str(cell["scenario_name"])
    if cell["rule_set"] is not None:
        scenario += f" while {cell['rule_set']}"
    return (
        str(cell["change"]),
        screen.shorten(" ".join(scenario.split()), _SCENARIO),
        str(cell["variation_type"]).replace("_", " "),
        shown(before).strip(),
        shown(after).strip(),
        "" if before is None else rate(before["match_rate"]),
        "" if after is None else rate(after["match_rate"]),
    )

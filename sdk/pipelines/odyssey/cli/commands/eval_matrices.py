"""`odyssey eval`: matrices that were started, listed, shown, compared and exported; ended, taken up and run again."""

import sys
from pathlib import Path
from typing import Annotated, Literal
from uuid import UUID

from cyclopts import Parameter

from pipelines.odyssey.cli.commands.options import AsJson, Positive, Sort, Switch, any_field
from pipelines.odyssey.cli.connection import Connection, Server, connected, if_missing
from pipelines.odyssey.cli.failures import NOT_RIGHT
from pipelines.odyssey.cli.files import write_out
from pipelines.odyssey.cli.gate import Gating, Policy
from pipelines.odyssey.cli.matrix_results import (
    finish,
    if_no_matrix,
    print_matrix,
    print_planned,
    read_matrix,
)
from pipelines.odyssey.cli.printing.cell_text import rate
from pipelines.odyssey.cli.printing.heat_text import shown
from pipelines.odyssey.cli.printing.screen import Screen, many, word
from pipelines.odyssey.client import types as t

_MOST_CHANGED = 50
_FOUND: tuple[Literal["confirmed", "flagged", "incidents"], ...] = ("confirmed", "flagged", "incidents")
_SCENARIO = 40
Id = Annotated[UUID, Parameter(name="ID")]
Wait = Annotated[bool, Switch]


def list_matrices(
    *,
    agent: Positive | None = None,
    status: Literal["running", "completed", "cancelled"] | None = None,
    sort: Sort = None,
    limit: Positive = 20,
    json_output: AsJson = False,
    server: Server | None = None,
) -> None:
    """List matrices, the newest first.

    Parameters
    ----------
    agent
        Only matrices of the agent with this number.
    status
        Only matrices that go on, have ended, or were cancelled.
    sort
        Sort by this field of the API instead; `-` ahead of it is descending.
    limit
        How many matrices to list at most.
    json_output
        Print one JSON object {items, next_cursor} as the API gives it.
    server
        Which platform to ask.
    """
    with connected(server) as platform:
        screen = Screen()
        found = platform.eval.matrices.page(limit=limit, agent_id=agent, status=status, sort=any_field(sort))
        if json_output:
            screen.json(found)
            return
        if not found["items"]:
            screen.line("No matrices.")
            return
        heading = ("id", "status", "name", "agent", "size", "runs", *_FOUND, "created")
        screen.table([heading, *map(_listed, found["items"])])
        if found["next_cursor"] is not None:
            screen.line(f"There are more; --limit {limit * 2} shows twice as many.")


def show(matrix_id: Id, /, *, json_output: AsJson = False, server: Server | None = None) -> None:
    """Print the heat map of a matrix as far as it has come, and the cells to look at.

    Parameters
    ----------
    matrix_id
        Id of the matrix.
    json_output
        Print the matrix as the API gives it.
    server
        Which platform to ask.
    """
    with connected(server) as platform:
        screen = Screen()
        found = read_matrix(platform, matrix_id)
        if json_output:
            screen.json(found)
        else:
            print_matrix(screen, found)


def cancel(matrix_id: Id, /, *, json_output: AsJson = False, server: Server | None = None) -> None:
    """End a matrix; it can be resumed.

    Parameters
    ----------
    matrix_id
        Id of the matrix.
    json_output
        Print its summary as the API gives it.
    server
        Which platform to ask.
    """
    with connected(server) as platform:
        screen = Screen()
        with if_no_matrix(matrix_id):
            found = platform.eval.matrices.cancel(str(matrix_id))
        if json_output:
            screen.json(found)
            return
        progress = found["progress"]
        ended = f"{progress['ended']} of {many(progress['planned'], 'run')} had ended"
        screen.line(f"Matrix {matrix_id}  {found['status']}; {ended}.")
        screen.line(f"odyssey eval resume {matrix_id} lets it go on.")


def resume(
    matrix_id: Id,
    /,
    *,
    wait: Wait = False,
    gating: Gating | None = None,
    json_output: AsJson = False,
    server: Server | None = None,
) -> None:
    """Let a cancelled matrix go on where it ended.

    Parameters
    ----------
    matrix_id
        Id of the matrix.
    wait
        Wait for it, and show the heat map.
    gating
        With --wait: what makes the exit code 1.
    json_output
        Print what is planned, or with --wait {planned, matrix, gate}, as JSON.
    server
        Which platform to ask.
    """
    with connected(server) as platform:
        policy = (gating or Gating()).policy()
        with if_no_matrix(matrix_id):
            planned = platform.eval.matrices.resume(str(matrix_id))
        _follow(platform, planned, policy, wait=wait, json_output=json_output)


def rerun(
    matrix_id: Id,
    /,
    *,
    wait: Wait = False,
    gating: Gating | None = None,
    json_output: AsJson = False,
    server: Server | None = None,
) -> None:
    """Start a new matrix of the same selection, with agent, scenarios and pressures as they are now.

    Parameters
    ----------
    matrix_id
        Id of the matrix to repeat.
    wait
        Wait for the new one, and show its heat map.
    gating
        With --wait: what makes the exit code 1.
    json_output
        Print what is planned, or with --wait {planned, matrix, gate}, as JSON.
    server
        Which platform to ask.
    """
    with connected(server) as platform:
        policy = (gating or Gating()).policy()
        with if_no_matrix(matrix_id):
            planned = platform.eval.matrices.rerun(str(matrix_id))
        _follow(platform, planned, policy, wait=wait, json_output=json_output)


def _follow(
    platform: Connection, planned: t.MatrixPlanned, policy: Policy, *, wait: bool, json_output: bool
) -> None:
    screen = Screen()
    if not json_output:
        print_planned(screen, platform, planned)
    if wait:
        extra = {"planned": planned} if json_output else None
        sys.exit(finish(platform, screen, planned, policy, extra=extra))
    if json_output:
        screen.json(planned)
    else:
        screen.line(f"odyssey eval show {planned['id']} tells what becomes of it.")


def export(
    matrix_id: Id,
    /,
    *,
    format: Literal["json", "junit", "markdown", "html", "report"] = "html",
    output: Annotated[Path | None, Parameter(name=("--output", "-o"))] = None,
    server: Server | None = None,
) -> None:
    """Print a matrix as a file: JSON, JUnit XML, a Markdown summary, or a heat map or report in one HTML file.

    Parameters
    ----------
    matrix_id
        Id of the matrix.
    format
        Of the file.
    output
        Where to write it instead of to standard output.
    server
        Which platform to ask.
    """
    with connected(server) as platform, if_no_matrix(matrix_id):
        write_out(platform.eval.matrices.download(str(matrix_id), format), output)


def _listed(matrix: t.MatrixSummary) -> tuple[str, ...]:
    summary, progress = matrix["summary"], matrix["progress"]
    return (
        str(matrix["id"]),
        str(matrix["status"]),
        str(matrix["name"]),
        f"{matrix['agent_id']} v{matrix['agent_version']}",
        f"{matrix['scenarios']} x {matrix['variations']}",
        f"{progress['ended']}/{progress['planned']}",
        *("" if summary is None else str(summary[name]) for name in _FOUND),
        str(matrix["created_at"])[:19].replace("T", " "),
    )


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
            _print_changed(screen, found)
        if fail_on_regression and found["regressed"]:
            sys.exit(NOT_RIGHT)


def _print_changed(screen: Screen, found: t.MatricesCompared) -> None:
    changed = [cell for cell in found["cells"] if cell["change"] in ("regressed", "improved")]
    if changed:
        heading = ("", "scenario", "pressure", "A", "B", "matched A", "matched B")
        screen.table([heading, *(_changed_row(screen, cell) for cell in changed[:_MOST_CHANGED])])
        if len(changed) > _MOST_CHANGED:
            screen.line(f"{many(len(changed) - _MOST_CHANGED, 'more cell')} changed; --json has them all.")
        screen.line()
    for name, side in (("A", found["before"]), ("B", found["after"])):
        agent = f"{word(side['agent_name'])} version {side['agent_version']}"
        screen.line(f"{name}: matrix {side['id']}  {side['status']}  {agent}")
    told = (f"{found['regressed']} regressed", f"{found['improved']} improved", f"{found['same']} the same")
    screen.line(", ".join(told) + f", {found['not_comparable']} not comparable")


def _changed_row(screen: Screen, cell: t.ChangedCell) -> tuple[str, ...]:
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

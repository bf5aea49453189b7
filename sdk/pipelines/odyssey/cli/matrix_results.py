"""A matrix that was started: what is shown of it, how it is waited for, and whether it lets a change pass."""

import sys
from collections.abc import Mapping, Sequence
from contextlib import AbstractContextManager
from dataclasses import dataclass
from pathlib import Path
from typing import Annotated, Any, Literal, NamedTuple

from cyclopts import Parameter

from pipelines.odyssey.cli.connection import Connection, if_missing
from pipelines.odyssey.cli.failures import FAILED, INTERRUPTED, NOT_RIGHT
from pipelines.odyssey.cli.files import write_out
from pipelines.odyssey.cli.following import wait_for_matrix
from pipelines.odyssey.cli.printing.heat_text import print_findings, print_heat_map, print_summary
from pipelines.odyssey.cli.printing.screen import Screen, clean, many, word
from pipelines.odyssey.client import types as t

FailOn = Literal["confirmed", "flagged", "never"]
Kind = Literal["junit", "markdown", "html", "report"]

_MOST_NAMED = 5


class Gate(NamedTuple):
    code: int
    """0: pass, 1: something moved, 2: the matrix cannot tell."""
    sentence: str


@Parameter(name="*")
@dataclass(frozen=True, kw_only=True)
class Files:
    """Where to write what others read."""

    junit: Annotated[Path | None, Parameter(help="Write JUnit XML here, a case for each cell.")] = None
    markdown: Annotated[Path | None, Parameter(help="Write a summary for a pull request here.")] = None
    html: Annotated[Path | None, Parameter(help="Write the heat map here, as one HTML file.")] = None
    report: Annotated[Path | None, Parameter(help="Write the report here, as one HTML file.")] = None

    def wanted(self) -> dict[Kind, Path]:
        files: dict[Kind, Path | None] = {
            "junit": self.junit,
            "markdown": self.markdown,
            "html": self.html,
            "report": self.report,
        }
        return {kind: file for kind, file in files.items() if file is not None}


_NONE = Files()


def page_of(platform: Connection, matrix_id: object) -> str:
    """Give the address at which the interface shows it."""
    return f"{platform.address}/matrices/{matrix_id}"


def if_no_matrix(matrix_id: object) -> AbstractContextManager[None]:
    return if_missing(f"There is no matrix {matrix_id}.")


def read_matrix(platform: Connection, matrix_id: object) -> t.MatrixOut:
    with if_no_matrix(matrix_id):
        return platform.eval.matrices.get(str(matrix_id))


def print_planned(screen: Screen, platform: Connection, planned: t.MatrixPlanned) -> None:
    cells, runs = many(planned["cells"], "cell"), many(planned["planned_runs"], "run")
    screen.line(f"Matrix {planned['id']}: {cells}, {runs}.")
    screen.line(f"  {page_of(platform, planned['id'])}")
    for warning in planned["warnings"]:
        screen.text(str(warning), lead="  warning   ")


def print_matrix(screen: Screen, matrix: t.MatrixOut) -> None:
    agent = f"{word(matrix['agent_name'])} version {matrix['agent_version']}"
    screen.line(f"Matrix {matrix['id']}  {matrix['status']}  {agent}")
    for warning in matrix["warnings"]:
        screen.text(str(warning), lead="  warning   ")
    screen.line()
    print_heat_map(screen, matrix)
    screen.line()
    print_findings(screen, matrix)
    print_summary(screen, matrix)


def finish(
    platform: Connection,
    screen: Screen,
    matrix_id: str,
    fail_on: FailOn,
    files: Files = _NONE,
    extra: Mapping[str, Any] | None = None,
) -> int:
    """Wait for a matrix, show it, write the files, and give the exit code. With `extra` all is one JSON object."""
    try:
        with if_no_matrix(matrix_id):
            wait_for_matrix(platform, matrix_id)
    except KeyboardInterrupt:
        sys.stderr.write(f"Stopped waiting; the matrix goes on. odyssey eval cancel {matrix_id} ends it.\n")
        return INTERRUPTED
    matrix = read_matrix(platform, matrix_id)
    gate = judge(matrix, fail_on)
    if extra is None:
        print_matrix(screen, matrix)
    for kind, file in files.wanted().items():
        write_out(platform.eval.matrices.download(matrix_id, kind), file)
    if extra is None:
        screen.line(gate.sentence)
        screen.line(page_of(platform, matrix_id))
    else:
        told = {"fail_on": fail_on, "code": gate.code, "sentence": gate.sentence}
        screen.json({**extra, "matrix": matrix, "gate": told})
    return gate.code


def judge(matrix: t.MatrixOut, fail_on: FailOn) -> Gate:
    """Say whether it passes. What was asked for and could not be measured must not make a build green."""
    if matrix["status"] != "completed":
        return Gate(FAILED, f"The gate cannot tell: the matrix is {matrix['status']}.")
    cells = matrix["cells"]
    found = {
        "confirmed": sum(cell["confirmed"] for cell in cells),
        "flagged": sum(cell["confirmed"] or cell["flagged"] for cell in cells),
        "never": 0,
    }[fail_on]
    if found:
        return Gate(NOT_RIGHT, f"The gate fails: {many(found, 'cell')} {fail_on}.")
    unmeasured = [cell for cell in cells if cell["state"] != "measured" and not cell["confirmed"]]
    if len(unmeasured) == len(cells):
        return Gate(FAILED, "The gate cannot tell: no cell could be measured.")
    if fail_on == "never":
        return Gate(0, "The gate was not asked.")
    most: float = matrix["max_unmeasured"]
    missing, planned = matrix["progress"]["missing"], matrix["progress"]["planned"]
    if missing / planned > most:
        said = f"{missing} of {many(planned, 'run')} say nothing of the agent; at most {most * 100:g} % may"
        return Gate(FAILED, f"The gate cannot tell: {said}.")
    if unmeasured:
        return Gate(FAILED, f"The gate cannot tell: {_named(unmeasured, matrix)}.")
    return Gate(0, f"The gate passes: no cell {fail_on}.")


def _named(unmeasured: Sequence[t.MatrixCell], matrix: t.MatrixOut) -> str:
    names = {scenario["id"]: clean(str(scenario["name"])) for scenario in matrix["scenarios"]}
    said = [
        f"{_spoken(cell['variation_type'])} on {names[cell['scenario_id']]} "
        f"({_spoken(cell['reason'] or cell['state'])})"
        for cell in unmeasured[:_MOST_NAMED]
    ]
    if len(unmeasured) > _MOST_NAMED:
        said.append(f"{len(unmeasured) - _MOST_NAMED} more")
    return f"{many(len(unmeasured), 'cell')} could not be measured: {', '.join(said)}"


def _spoken(name: object) -> str:
    return clean(str(name)).replace("_", " ")

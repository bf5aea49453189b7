"""What is shown of a matrix when it starts, while it goes on, and when it has ended."""

import sys
from collections.abc import Mapping
from contextlib import AbstractContextManager
from dataclasses import dataclass
from pathlib import Path
from typing import Annotated, Any, Literal

from cyclopts import Parameter

from pipelines.odyssey.cli.connection import Connection, if_missing
from pipelines.odyssey.cli.failures import INTERRUPTED
from pipelines.odyssey.cli.files import write_out
from pipelines.odyssey.cli.following import wait_for_matrix
from pipelines.odyssey.cli.gate import FailOn, judge
from pipelines.odyssey.cli.printing.heat_text import print_findings, print_heat_map, print_summary
from pipelines.odyssey.cli.printing.screen import Screen, many, word
from pipelines.odyssey.client import types as t

Kind = Literal["junit", "markdown", "html", "report"]


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

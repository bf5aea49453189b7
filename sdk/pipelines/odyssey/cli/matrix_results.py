"""A matrix that was started: what is shown of it, how it is waited for, and how that ends for a build."""

import sys
from collections.abc import Iterator, Mapping, Sequence
from contextlib import AbstractContextManager
from dataclasses import dataclass
from pathlib import Path
from typing import Annotated, Any, Literal, NamedTuple

from cyclopts import Parameter

from pipelines.odyssey.cli.connection import Connection, if_missing
from pipelines.odyssey.cli.failures import INTERRUPTED
from pipelines.odyssey.cli.files import write_out
from pipelines.odyssey.cli.following import wait_for_matrix
from pipelines.odyssey.cli.gate import DEFAULT_POLICY, Gate, Judged, Policy, cell_key, judge
from pipelines.odyssey.cli.printing.cell_text import (
    incident_said,
    incidents_of,
    place_of,
    print_findings,
    print_run_again,
    print_summary,
)
from pipelines.odyssey.cli.printing.heat_text import print_heat_map
from pipelines.odyssey.cli.printing.screen import Part, Screen, many, word
from pipelines.odyssey.client import types as t

Kind = Literal["junit", "markdown", "html", "report"]

_PLACE = 80
_MOST_LINES = 20
"""As many are printed unless more fail the gate."""


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
    most = planned["confirm_runs_max"]
    fresh = f", up to {many(most, 'fresh run')} to confirm" if most else ""
    screen.line(f"Matrix {planned['id']}: {cells}, {runs} planned{fresh}.")
    screen.line(f"  {page_of(platform, planned['id'])}")
    for warning in planned["warnings"]:
        screen.text(str(warning), lead="  warning   ")


def print_matrix(screen: Screen, matrix: t.MatrixOut, policy: Policy = DEFAULT_POLICY) -> Gate:
    """Print the map, what was found, and what of it fails the gate, which is returned."""
    agent = f"{word(matrix['agent_name'])} version {matrix['agent_version']}"
    screen.line(f"Matrix {matrix['id']}  {matrix['status']}  {agent}")
    for warning in matrix["warnings"]:
        screen.text(str(warning), lead="  warning   ")
    screen.line()
    print_heat_map(screen, matrix)
    screen.line()
    print_findings(screen, matrix)
    print_run_again(screen, matrix)
    gate = judge(matrix, policy)
    _print_judged(screen, matrix, gate.findings)
    print_summary(screen, matrix)
    return gate


def _print_judged(screen: Screen, matrix: t.MatrixOut, findings: Sequence[Judged]) -> None:
    """Print what fails the gate, then what does not: rows, changed cells and incidents, each in one line."""
    lines = [_of_finding(screen, matrix, each) for each in findings if _is_told(each)]
    lines += _of_incidents(screen, matrix, findings)
    lines.sort(key=lambda line: line.verdict != _FAILS)
    failing = sum(line.verdict == _FAILS for line in lines)
    for line in lines[: max(failing, _MOST_LINES)]:
        screen.row([line.verdict, Part(f"{line.kind:<9}"), Part(line.said)])
    left_out = len(lines) - max(failing, _MOST_LINES)
    if left_out > 0:
        screen.line(f"{left_out} more that do not fail the gate; --json has them all.")
    if lines:
        screen.line()


class _Line(NamedTuple):
    verdict: Part
    kind: str
    said: str


_FAILS, _PASSES, _BESIDE = Part("fails ", "bold red"), Part("passes", "green"), Part("      ")


def _is_told(judged: Judged) -> bool:
    """Incidents are told by themselves; a cell that is only flagged has been named above."""
    kind = judged.finding["kind"]
    return kind != "incident" and (judged.fails_as is not None or kind == "confirmed")


def _of_finding(screen: Screen, matrix: t.MatrixOut, judged: Judged) -> _Line:
    where = screen.shorten(place_of(matrix, judged.finding), _PLACE)
    said = judged.sentence.removeprefix(f"{judged.finding['kind']}: ")
    verdict = _PASSES if judged.fails_as is None else _FAILS
    return _Line(verdict, judged.fails_as or judged.finding["kind"], f"{where}: {said}")


def _of_incidents(screen: Screen, matrix: t.MatrixOut, findings: Sequence[Judged]) -> Iterator[_Line]:
    failing = {
        (cell_key(each.finding), each.finding["incident"])
        for each in findings
        if each.finding["kind"] == "incident" and each.fails_as is not None
    }
    for cell, incident in incidents_of(matrix):
        fails = (cell_key(cell), incident["kind"]) in failing
        where = screen.shorten(place_of(matrix, cell), _PLACE)
        yield _Line(_FAILS if fails else _BESIDE, "incident", f"{where}: {incident_said(incident)}")


def finish(
    platform: Connection,
    screen: Screen,
    planned: t.MatrixPlanned,
    policy: Policy,
    files: Files = _NONE,
    extra: Mapping[str, Any] | None = None,
) -> int:
    """Wait for a matrix, show it, write the files, and give the exit code. With `extra` all is one JSON object."""
    matrix_id = planned["id"]
    try:
        with if_no_matrix(matrix_id):
            wait_for_matrix(platform, matrix_id, planned["planned_runs"])
    except KeyboardInterrupt:
        sys.stderr.write(f"Stopped waiting; the matrix goes on. odyssey eval cancel {matrix_id} ends it.\n")
        return INTERRUPTED
    matrix = read_matrix(platform, matrix_id)
    gate = judge(matrix, policy) if extra is not None else print_matrix(screen, matrix, policy)
    for kind, file in files.wanted().items():
        write_out(platform.eval.matrices.download(matrix_id, kind), file)
    if extra is None:
        screen.line(gate.sentence)
        screen.line(gate.meaning)
        screen.line(page_of(platform, matrix_id))
    else:
        screen.json({**extra, "matrix": matrix, "gate": _as_json(gate, policy)})
    return gate.code


def _as_json(gate: Gate, policy: Policy) -> dict[str, Any]:
    return {
        "fail_on": policy.fail_on,
        "min_shift": policy.min_shift,
        "code": gate.code,
        "sentence": gate.sentence,
        "failing": [
            {**each.finding, "sentence": each.sentence, "fails_as": each.fails_as} for each in gate.failing
        ],
    }

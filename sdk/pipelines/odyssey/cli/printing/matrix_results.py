"""What is shown of a matrix when it starts, while it goes on, and when it has ended."""

import sys
from collections.abc import Mapping
from pathlib import Path
from typing import Any, NamedTuple
from urllib.parse import quote

from pipelines.odyssey.cli.connection import Connection
from pipelines.odyssey.cli.files import write_out
from pipelines.odyssey.cli.following import wait_for_matrix
from pipelines.odyssey.cli.gate import FailOn, judge
from pipelines.odyssey.cli.printing.heat_text import print_findings, print_heat_map, print_summary
from pipelines.odyssey.cli.printing.screen import Screen, many, word

Json = Mapping[str, Any]

MATRICES = "/api/v1/eval/matrix"
PLANNED = ("id", "planned_runs", "cells", "min_p", "warnings")
MATRIX = (
    "id",
    "status",
    "scenarios",
    "variation_types",
    "rule_sets",
    "cells",
    "summary",
    "progress",
    "max_unmeasured",
    "warnings",
)

_INTERRUPTED = 130


class Files(NamedTuple):
    """Where to write what others read."""

    junit: Path | None = None
    markdown: Path | None = None
    html: Path | None = None
    report: Path | None = None


_NONE = Files()


def path_of(matrix_id: object, act: str = "") -> str:
    return f"{MATRICES}/{quote(str(matrix_id), safe='')}{act}"


def page_of(platform: Connection, matrix_id: object) -> str:
    """Give the address at which the interface shows it."""
    return f"{platform.address}/matrices/{matrix_id}"


def missing(matrix_id: object) -> str:
    return f"There is no matrix {matrix_id}."


def read_matrix(platform: Connection, matrix_id: object) -> dict[str, Any]:
    return platform.get(path_of(matrix_id), members=MATRIX, missing=missing(matrix_id))


def print_planned(screen: Screen, platform: Connection, planned: Json) -> None:
    cells, runs = many(planned["cells"], "cell"), many(planned["planned_runs"], "run")
    screen.line(f"Matrix {planned['id']}: {cells}, {runs}.")
    screen.line(f"  {page_of(platform, planned['id'])}")
    for warning in planned["warnings"]:
        screen.text(str(warning), lead="  warning   ")


def print_matrix(screen: Screen, matrix: Json) -> None:
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
    extra: Json | None = None,
) -> int:
    """Wait for a matrix, show it, write the files, and give the exit code. With `extra` all is one JSON object."""
    try:
        wait_for_matrix(platform, path_of(matrix_id), missing(matrix_id))
    except KeyboardInterrupt:
        sys.stderr.write(f"Stopped waiting; the matrix goes on. odyssey eval cancel {matrix_id} ends it.\n")
        return _INTERRUPTED
    matrix = read_matrix(platform, matrix_id)
    gate = judge(matrix, fail_on)
    if extra is None:
        print_matrix(screen, matrix)
    for kind, file in files._asdict().items():
        if file is not None:
            write_out(platform.download(path_of(matrix_id, "/export"), format=kind), file)
    if extra is None:
        screen.line(gate.sentence)
        screen.line(page_of(platform, matrix_id))
    else:
        told = {"fail_on": fail_on, "code": gate.code, "sentence": gate.sentence}
        screen.json({**extra, "matrix": matrix, "gate": told})
    return gate.code

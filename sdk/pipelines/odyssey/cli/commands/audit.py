"""`odyssey audit`: which rows would an agent pass that does nothing?"""

import sys
from pathlib import Path
from typing import Annotated

from cyclopts import Parameter

from pipelines.odyssey.cli.commands.options import AsJson
from pipelines.odyssey.cli.connection import Connection, FaultyError, Server, connected, if_missing
from pipelines.odyssey.cli.failures import NOT_RIGHT
from pipelines.odyssey.cli.files import read_rows
from pipelines.odyssey.cli.following import busy
from pipelines.odyssey.cli.printing.faults import are_about_rows, print_faults
from pipelines.odyssey.cli.printing.screen import Screen, clean, word
from pipelines.odyssey.client import types as t

_AGENTS = {
    "no_op": "no_op says OK and does nothing",
    "refuse_all": "refuse_all refuses whatever it is asked",
    "claims_done": "claims_done says that all was done and does nothing",
}


def audit(
    dataset: Annotated[str, Parameter(name="DATASET")],
    /,
    *,
    json_output: AsJson = False,
    server: Server | None = None,
) -> None:
    """Name the rows that agents pass which call no tool, by the checks alone. Exit code 1 if there are any.

    Parameters
    ----------
    dataset
        Number of a dataset, or a CSV or JSON file, which is not kept.
    json_output
        Print {rows, judged_only, nothing_to_grade, passed_rows, passed} as the API gives them.
    server
        Which platform to ask.
    """
    with connected(server) as platform:
        screen = Screen()
        try:
            with busy("Trying the rows on agents that do nothing"):
                found = _ask(platform, dataset)
        except FaultyError as error:
            if not are_about_rows(error.faults):
                raise
            screen.line("The rows have faults, so that they cannot be audited. They are counted from 0.")
            print_faults(screen, {"error": error.faults})
            sys.exit(NOT_RIGHT)
        if json_output:
            screen.json(found)
        else:
            _print(screen, found)
        if found["passed_rows"]:
            sys.exit(NOT_RIGHT)


def _ask(platform: Connection, dataset: str) -> t.AuditOut:
    if dataset.isascii() and dataset.isdecimal():
        with if_missing(f"There is no dataset {dataset}."):
            return platform.datasets.audit_dataset(int(dataset))
    return platform.datasets.audit(read_rows(Path(dataset)))


def _print(screen: Screen, found: t.AuditOut) -> None:
    if found["passed"]:
        rows = [("row", "passed by", "also judged", "instruction")]
        for row in found["passed"]:
            agents = ", ".join(map(word, row["agents"]))
            instruction = screen.shorten(" ".join(row["user_instruction"].split()), 60)
            rows.append((str(row["row"]), agents, "yes" if row["rubric"] else "", instruction))
        screen.table(rows)
        screen.line()
        for agent in sorted({agent for row in found["passed"] for agent in row["agents"]}):
            screen.line(clean(_AGENTS.get(agent, agent)))
        if len(found["passed"]) < found["passed_rows"]:
            screen.line(f"These are the first {len(found['passed'])}.")
    screen.line(_summary(found))
    if found["judged_only"]:
        screen.line(
            f"Rows with a rubric and no checks, of which only a judge can tell: {found['judged_only']}."
        )
    if found["nothing_to_grade"]:
        screen.line(f"Rows with nothing to grade them by: {found['nothing_to_grade']}.")


def _summary(found: t.AuditOut) -> str:
    if not found["passed_rows"]:
        return f"Rows: {found['rows']}. No agent that does nothing passes any of them by the checks."
    return (
        f"Rows that agents pass which do nothing: {found['passed_rows']} of {found['rows']}. "
        "Give them a check that only the work itself can pass."
    )

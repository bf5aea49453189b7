"""`odyssey datasets` and `odyssey audit`: tables of tasks, looked at before they are kept, and kept."""

import sys
from pathlib import Path
from typing import Annotated, Literal

from cyclopts import App, Parameter

from pipelines.odyssey.cli.commands.options import AsJson, Positive, Sort, any_field
from pipelines.odyssey.cli.connection import Connection, FaultyError, Server, connected, if_missing
from pipelines.odyssey.cli.failures import NOT_RIGHT
from pipelines.odyssey.cli.files import read_rows, write_out
from pipelines.odyssey.cli.following import busy
from pipelines.odyssey.cli.printing.faults import are_about_rows, print_faults
from pipelines.odyssey.cli.printing.screen import Screen, clean, many, word
from pipelines.odyssey.client import types as t

Format = Literal["csv", "json"]
File = Annotated[Path, Parameter(name="FILE")]
Output = Annotated[Path | None, Parameter(name=("--output", "-o"))]

_IDLE_AGENTS = {
    "no_op": "no_op says OK and does nothing",
    "refuse_all": "refuse_all refuses whatever it is asked",
    "claims_done": "claims_done says that all was done and does nothing",
}

app = App(name="datasets")


@app.command
def upload(
    file: File, /, *, name: str | None = None, json_output: AsJson = False, server: Server | None = None
) -> None:
    """Keep the rows of a CSV or JSON file as a dataset: all of them, or none and every fault (exit code 1).

    Parameters
    ----------
    file
        The table; CSV or JSON by its ending, else by how it begins.
    name
        What to call the dataset; without it, like the file.
    json_output
        Print the dataset as the API gives it.
    server
        Which platform to ask.
    """
    with connected(server) as platform:
        screen = Screen()
        rows = read_rows(file)
        try:
            with busy("Reading the rows"):
                dataset = platform.datasets.upload(rows, name=name or file.stem)
        except FaultyError as error:
            if not are_about_rows(error.faults):
                raise
            screen.line("Nothing was kept. Rows are counted from 0.")
            print_faults(screen, {"error": error.faults})
            sys.exit(NOT_RIGHT)
        if json_output:
            screen.json(dataset)
            return
        screen.line(f"Dataset {dataset['id']}: {many(dataset['row_count'], 'row')}, {word(dataset['name'])}")
        screen.line(f"  columns   {', '.join(map(word, dataset['columns']))}")
        for warning in dataset["warnings"]:
            screen.text(str(warning), lead="  warning   ")


@app.command
def lint(
    file: File,
    /,
    *,
    agent: Positive | None = None,
    json_output: AsJson = False,
    server: Server | None = None,
) -> None:
    """Say everything that is wrong with the rows of a file, and keep nothing. Exit code 1 if anything is.

    Parameters
    ----------
    file
        The table; CSV or JSON by its ending, else by how it begins.
    agent
        Also say what does not fit the agent with this number: its ledger schema, its tools.
    json_output
        Print {valid, rows, errors, warnings} as the API gives them.
    server
        Which platform to ask.
    """
    with connected(server) as platform:
        screen = Screen()
        rows = read_rows(file)
        with busy("Reading the rows"):
            found = platform.datasets.lint(rows, agent_id=agent)
        if json_output:
            screen.json(found)
        else:
            _print_lint(screen, found)
        if not found["valid"]:
            sys.exit(NOT_RIGHT)


@app.command(name="list")
def list_datasets(
    *, sort: Sort = None, limit: Positive = 20, json_output: AsJson = False, server: Server | None = None
) -> None:
    """List datasets, the newest first.

    Parameters
    ----------
    sort
        Sort by this field of the API instead; `-` ahead of it is descending.
    limit
        How many datasets to list at most.
    json_output
        Print one JSON object {items, next_cursor} as the API gives it.
    server
        Which platform to ask.
    """
    with connected(server) as platform:
        screen = Screen()
        found = platform.datasets.page(limit=limit, sort=any_field(sort))
        if json_output:
            screen.json(found)
            return
        if not found["items"]:
            screen.line("No datasets.")
            return
        heading = ("id", "name", "revision", "rows", "updated")
        screen.table([heading, *map(_listed, found["items"])])
        if found["next_cursor"] is not None:
            screen.line(f"There are more; --limit {limit * 2} shows twice as many.")


@app.command
def template(*, format: Format = "csv", output: Output = None, server: Server | None = None) -> None:
    """Print two rows to begin with, as a file to fill in.

    Parameters
    ----------
    format
        Of the file.
    output
        Where to write it instead of to standard output.
    server
        Which platform to ask.
    """
    with connected(server) as platform:
        write_out([platform.datasets.template(format)], output)


@app.command
def export(
    dataset_id: Annotated[int, Parameter(name="ID")],
    /,
    *,
    format: Format = "csv",
    safe: bool = True,
    output: Output = None,
    server: Server | None = None,
) -> None:
    """Print the rows of a dataset as a file; uploaded again, it gives the same rows.

    Parameters
    ----------
    dataset_id
        Number of the dataset.
    format
        Of the file.
    safe
        Put a ' before what a spreadsheet would take for a formula; an upload takes it off again.
    output
        Where to write it instead of to standard output.
    server
        Which platform to ask.
    """
    with connected(server) as platform, if_missing(f"There is no dataset {dataset_id}."):
        write_out(platform.datasets.download(dataset_id, format, safe=safe), output)


def _print_lint(screen: Screen, found: t.LintOut) -> None:
    print_faults(screen, {"error": found["errors"], "warning": found["warnings"]})
    faults, odd = len(found["errors"]), len(found["warnings"])
    if not faults and not odd:
        screen.line(f"{many(found['rows'], 'row')}, nothing wrong.")
        return
    screen.line()
    told = f"{many(faults, 'error')}, {many(odd, 'warning')}"
    screen.line(f"{many(found['rows'], 'row')}: {told}. Rows are counted from 0.")


def _listed(dataset: t.DatasetOut) -> tuple[str, ...]:
    updated = str(dataset["updated_at"])[:19].replace("T", " ")
    return (
        str(dataset["id"]),
        str(dataset["name"]),
        str(dataset["revision"]),
        str(dataset["row_count"]),
        updated,
    )


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
                found = _ask_audit(platform, dataset)
        except FaultyError as error:
            if not are_about_rows(error.faults):
                raise
            screen.line("The rows have faults, so that they cannot be audited. They are counted from 0.")
            print_faults(screen, {"error": error.faults})
            sys.exit(NOT_RIGHT)
        if json_output:
            screen.json(found)
        else:
            _print_audit(screen, found)
        if found["passed_rows"]:
            sys.exit(NOT_RIGHT)


def _ask_audit(platform: Connection, dataset: str) -> t.AuditOut:
    if dataset.isascii() and dataset.isdecimal():
        with if_missing(f"There is no dataset {dataset}."):
            return platform.datasets.audit_dataset(int(dataset))
    return platform.datasets.audit(read_rows(Path(dataset)))


def _print_audit(screen: Screen, found: t.AuditOut) -> None:
    if found["passed"]:
        rows = [("row", "passed by", "also judged", "instruction")]
        for row in found["passed"]:
            agents = ", ".join(map(word, row["agents"]))
            instruction = screen.shorten(" ".join(row["user_instruction"].split()), 60)
            rows.append((str(row["row"]), agents, "yes" if row["rubric"] else "", instruction))
        screen.table(rows)
        screen.line()
        for agent in sorted({agent for row in found["passed"] for agent in row["agents"]}):
            screen.line(clean(_IDLE_AGENTS.get(agent, agent)))
        if len(found["passed"]) < found["passed_rows"]:
            screen.line(f"These are the first {len(found['passed'])}.")
    screen.line(_audit_summary(found))
    if found["judged_only"]:
        screen.line(
            f"Rows with a rubric and no checks, of which only a judge can tell: {found['judged_only']}."
        )
    if found["nothing_to_grade"]:
        screen.line(f"Rows with nothing to grade them by: {found['nothing_to_grade']}.")


def _audit_summary(found: t.AuditOut) -> str:
    if not found["passed_rows"]:
        return f"Rows: {found['rows']}. No agent that does nothing passes any of them by the checks."
    return (
        f"Rows that agents pass which do nothing: {found['passed_rows']} of {found['rows']}. "
        "Give them a check that only the work itself can pass."
    )

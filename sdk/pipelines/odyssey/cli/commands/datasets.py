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
from pipelines.odyssey.cli.printing.faults import are_about_rows, print_faults, print_ungradable
from pipelines.odyssey.cli.printing.screen import Screen, clean, many, word
from pipelines.odyssey.client import types as t

Format = Literal["csv", "json"]
File = Annotated[Path, Parameter(name="FILE")]
Output = Annotated[Path | None, Parameter(name=("--output", "-o"))]

_STRAW_AGENTS = {
    "no_op": "no_op says OK and does nothing",
    "refuse_all": "refuse_all refuses whatever it is asked",
    "claims_done": "claims_done says that all was done and does nothing",
    "past_tense": "past_tense repeats the instruction in the past tense and does nothing",
    "lists_numbers": "lists_numbers lists every number from 0 to 100, of the instruction and of the world",
    "answers_empty": "answers_empty answers {}, or the form that is asked for with nothing in it",
    "answers_yes": "answers_yes says yes to everything",
    "answers_no": "answers_no says no to everything",
    "reads_only": "reads_only calls every tool that reads, and says nothing of what it saw",
    "calls_everything": "calls_everything calls every tool once, on what the row does not speak of",
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
        ungradable = platform.datasets.ungradable(dataset["id"])
        screen.line(f"Dataset {dataset['id']}: {many(dataset['row_count'], 'row')}, {word(dataset['name'])}")
        screen.line(f"  columns   {', '.join(map(word, dataset['columns']))}")
        for warning in dataset["warnings"]:
            screen.text(str(warning), lead="  warning   ")
        print_ungradable(screen, ungradable)


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
    print_faults(
        screen, {"error": found["errors"], "warning": found["warnings"], "hint": found.get("hints", [])}
    )
    faults, odd, hints = len(found["errors"]), len(found["warnings"]), len(found.get("hints", []))
    if faults or odd or hints:
        screen.line()
        told = f"{many(faults, 'error')}, {many(odd, 'warning')}" + (
            f", {many(hints, 'hint')}" if hints else ""
        )
        screen.line(f"{many(found['rows'], 'row')}: {told}. Rows are counted from 0.")
    else:
        screen.line(f"{many(found['rows'], 'row')}, nothing wrong.")
    print_ungradable(screen, found["ungradable"])


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
    agent: Positive | None = None,
    json_output: AsJson = False,
    server: Server | None = None,
) -> None:
    """Name the rows that useless agents pass by the checks alone, and those nobody can. Exit code 1 if there are any.

    Parameters
    ----------
    dataset
        Number of a dataset, or a CSV or JSON file, which is not kept.
    agent
        Let the useless agents have the tools of the agent with this number; else they have those the checks name.
    json_output
        Print {rows, judged_only, nothing_to_grade, passed_rows, passed, impossible_rows, impossible, ungradable} as
        the API gives them.
    server
        Which platform to ask.
    """
    with connected(server) as platform:
        screen = Screen()
        try:
            with busy("Trying the rows on useless agents"):
                found = _ask_audit(platform, dataset, agent)
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
        if found["passed_rows"] or found["impossible_rows"]:
            sys.exit(NOT_RIGHT)


def _ask_audit(platform: Connection, dataset: str, agent: int | None) -> t.AuditOut:
    no_agent = "" if agent is None else f", or no agent {agent}"
    if dataset.isascii() and dataset.isdecimal():
        with if_missing(f"There is no dataset {dataset}{no_agent}."):
            return platform.datasets.audit_dataset(int(dataset), agent_id=agent)
    rows = read_rows(Path(dataset))
    with if_missing(f"There is no agent {agent}."):
        return platform.datasets.audit(rows, agent_id=agent)


def _print_audit(screen: Screen, found: t.AuditOut) -> None:
    if found["passed"]:
        _print_passed(screen, found)
    if found["impossible"]:
        _print_impossible(screen, found)
    screen.line(_audit_summary(found))
    if found["judged_only"]:
        screen.line(
            f"Rows with a rubric and no checks, of which only a judge can tell: {found['judged_only']}."
        )
    print_ungradable(screen, found["ungradable"])


def _print_passed(screen: Screen, found: t.AuditOut) -> None:
    rows = [("row", "passed by", "also judged", "instruction")]
    for row in found["passed"]:
        agents = ", ".join(map(word, row["agents"]))
        instruction = screen.shorten(" ".join(row["user_instruction"].split()), 60)
        rows.append((str(row["row"]), agents, "yes" if row["rubric"] else "", instruction))
    screen.table(rows)
    screen.line()
    named = {agent for row in found["passed"] for agent in row["agents"]}
    for agent in [
        *(agent for agent in _STRAW_AGENTS if agent in named),
        *sorted(named - _STRAW_AGENTS.keys()),
    ]:
        screen.line(clean(_STRAW_AGENTS.get(agent, agent)))
    for row in found["passed"]:
        if row["note"] is not None:
            screen.text(str(row["note"]), lead=f"row {row['row']}: ")
    if len(found["passed"]) < found["passed_rows"]:
        screen.line(f"These are the first {len(found['passed'])}.")


def _print_impossible(screen: Screen, found: t.AuditOut) -> None:
    rows = [("row", "check", "nobody can pass it, since", "instruction")]
    for row in found["impossible"]:
        instruction = screen.shorten(" ".join(row["user_instruction"].split()), 60)
        rows.append((str(row["row"]), str(row["check"] + 1), clean(row["reason"]), instruction))
    screen.table(rows)
    screen.line("Rows are counted from 0, checks from 1.")
    if len(found["impossible"]) < found["impossible_rows"]:
        screen.line(f"These are the first {len(found['impossible'])}.")


def _audit_summary(found: t.AuditOut) -> str:
    told = []
    if found["passed_rows"]:
        told.append(
            f"Rows that useless agents pass: {found['passed_rows']} of {found['rows']}. "
            "Give them a check that only the work itself can pass."
        )
    else:
        told.append(f"Rows: {found['rows']}. No useless agent passes any of them by the checks.")
    if found["impossible_rows"]:
        told.append(f"Rows that nobody can pass: {found['impossible_rows']}.")
    return " ".join(told)

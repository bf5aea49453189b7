"""`odyssey batches`: what became of many runs, as a table, as a file, and against another batch."""

import sys
from contextlib import AbstractContextManager
from pathlib import Path
from typing import Annotated, Literal

from cyclopts import App, Parameter

from pipelines.odyssey.cli.commands.options import AsJson, Positive, Sort, Switch, any_field
from pipelines.odyssey.cli.connection import Connection, Server, connected, if_missing
from pipelines.odyssey.cli.failures import NOT_RIGHT
from pipelines.odyssey.cli.files import write_out
from pipelines.odyssey.cli.printing.figures import VERDICTS, counted, difference, percent, print_reliability
from pipelines.odyssey.cli.printing.results import Results, print_results
from pipelines.odyssey.cli.printing.screen import Screen, clean, many
from pipelines.odyssey.client import types as t

Id = Annotated[int, Parameter(name="ID")]

_ROWS_SHOWN = 50
_INSTRUCTION = 50

app = App(name="batches")


@app.command(name="list")
def list_batches(
    *,
    agent: Positive | None = None,
    dataset: Positive | None = None,
    sort: Sort = None,
    limit: Positive = 20,
    json_output: AsJson = False,
    server: Server | None = None,
) -> None:
    """List batches, the newest first.

    Parameters
    ----------
    agent
        Only batches of the agent with this number.
    dataset
        Only batches of the dataset with this number.
    sort
        Sort by this field of the API instead; `-` ahead of it is descending.
    limit
        How many batches to list at most.
    json_output
        Print one JSON object {items, next_cursor} as the API gives it.
    server
        Which platform to ask.
    """
    with connected(server) as platform:
        screen = Screen()
        found = platform.batches.page(limit=limit, agent_id=agent, dataset_id=dataset, sort=any_field(sort))
        if json_output:
            screen.json(found)
            return
        if not found["items"]:
            screen.line("No batches.")
            return
        heading = ("id", "status", "agent", "dataset", "runs", "verdicts", "pass rate", "created")
        screen.table([heading, *map(_listed, found["items"])])
        if found["next_cursor"] is not None:
            screen.line(f"There are more; --limit {limit * 2} shows twice as many.")


@app.command
def show(batch_id: Id, /, *, json_output: AsJson = False, server: Server | None = None) -> None:
    """Print one batch: its rows with their verdicts, the pass rate and pass^k.

    Parameters
    ----------
    batch_id
        Number of the batch.
    json_output
        Print one JSON object {batch, rows} as the API gives them.
    server
        Which platform to ask.
    """
    with connected(server) as platform:
        screen = Screen()
        with _if_missing(batch_id):
            batch = platform.batches.get(batch_id)
            rows = platform.batches.results(batch_id)
            if json_output:
                screen.json({"batch": batch, "rows": list(rows)})
            else:
                print_results(screen, batch, Results(rows))


@app.command
def export(
    batch_id: Id,
    /,
    *,
    format: Literal["csv", "json", "junit"] = "csv",
    output: Annotated[Path | None, Parameter(name=("--output", "-o"))] = None,
    server: Server | None = None,
) -> None:
    """Print the runs of a batch as a file: a table, JSON, or JUnit XML for continuous integration.

    Parameters
    ----------
    batch_id
        Number of the batch.
    format
        Of the file.
    output
        Where to write it instead of to standard output.
    server
        Which platform to ask.
    """
    with connected(server) as platform, _if_missing(batch_id):
        write_out(platform.batches.download(batch_id, format), output)


@app.command
def compare(
    first: Annotated[int, Parameter(name="A")],
    second: Annotated[int, Parameter(name="B")],
    /,
    *,
    fail_on_regression: Annotated[bool, Switch] = False,
    json_output: AsJson = False,
    server: Server | None = None,
) -> None:
    """Hold batch B, say of the new version, against batch A, row by row.

    Parameters
    ----------
    first
        Number of the batch to compare with.
    second
        Number of the batch that is held against it.
    fail_on_regression
        Exit code 1 if any row passes less often in B than in A.
    json_output
        Print the comparison as the API gives it, with all its rows.
    server
        Which platform to ask.
    """
    with connected(server) as platform:
        screen = Screen()
        found = _compared(platform, first, second, everything=json_output)
        if json_output:
            screen.json(found)
        else:
            _print_comparison(screen, found)
        if fail_on_regression and found["regressions"]:
            sys.exit(NOT_RIGHT)


def _compared(platform: Connection, first: int, second: int, *, everything: bool) -> t.ComparisonOut:
    rows: list[t.ComparedRowOut] = []
    cursor = None
    while True:
        with if_missing(f"There is no batch {first}, or no batch {second}."):
            limit = 200 if everything else _ROWS_SHOWN
            found = platform.batches.compare(first, second, cursor=cursor, limit=limit)
        rows += found["rows"]
        cursor = found["next_cursor"]
        if cursor is None or not everything:
            return {**found, "rows": rows}


def _print_comparison(screen: Screen, found: t.ComparisonOut) -> None:
    changed = [row for row in found["rows"] if row["kind"] in ("regression", "improvement")]
    if changed:
        rows = [("row", "", "A", "B", "difference", "instruction")]
        screen.table(rows + [_compared_row(screen, row) for row in changed])
        hidden = found["regressions"] + found["improvements"] - len(changed)
        if hidden > 0:
            screen.line(f"{many(hidden, 'more row')} changed; --json has them all.")
        screen.line()
    for name, side in (("A", found["a"]), ("B", found["b"])):
        batch = side["batch"]
        agent = clean(str(batch["agent_name"]))
        screen.line(f"{name}: batch {batch['id']}, agent {agent} version {batch['agent_version']}")
        print_reliability(screen, side)
    screen.line(f"B less A: {difference(found['difference'])}, 95 % interval, paired by row")
    told = [many(found["regressions"], "regression"), many(found["improvements"], "improvement")]
    others = (("same", found["same"]), ("ungraded", found["ungraded"]))
    told += [f"{number} {name}" for name, number in others if number]
    screen.line(", ".join(told))
    for name, number in (("A", found["only_in_a"]), ("B", found["only_in_b"])):
        if number:
            screen.line(f"Only in {name}, and left out: {many(number, 'row')}.")


def _compared_row(screen: Screen, row: t.ComparedRowOut) -> tuple[str, ...]:
    sides = (f"{side['passes']}/{side['runs']}" for side in (row["a"], row["b"]))
    instruction = screen.shorten(" ".join(row["user_instruction"].split()), _INSTRUCTION)
    change = "" if row["difference"] is None else f"{row['difference'] * 100:+.0f} points"
    return (str(row["row"]), str(row["kind"]), *sides, change, instruction)


def _listed(batch: t.BatchOut) -> tuple[str, ...]:
    rate = batch["pass_rate"]
    return (
        str(batch["id"]),
        str(batch["status"]),
        f"{batch['agent_id']} v{batch['agent_version']}",
        "" if batch["dataset_id"] is None else f"{batch['dataset_id']} r{batch['revision']}",
        str(batch["planned_runs"]),
        counted(batch["verdicts"], VERDICTS),
        "" if rate is None else percent(rate["share"]),
        str(batch["created_at"])[:19].replace("T", " "),
    )


def _if_missing(batch_id: int) -> AbstractContextManager[None]:
    return if_missing(f"There is no batch {batch_id}.")

"""`odyssey eval scenarios`: from files into the library, and back."""

import sys
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Annotated, Any, Literal

from cyclopts import App, Parameter

from pipelines.odyssey.cli.commands.options import AsJson, Positive, Sort, any_field
from pipelines.odyssey.cli.connection import FaultyError, Server, connected
from pipelines.odyssey.cli.failures import NOT_RIGHT
from pipelines.odyssey.cli.files import read_scenarios, write_out
from pipelines.odyssey.cli.following import busy
from pipelines.odyssey.cli.printing.screen import Screen
from pipelines.odyssey.client import types as t

Risk = Literal["low", "medium", "high", "critical"]

app = App(name="scenarios", help="Situations and what is expected in them, as files that live in git.")


@app.command(name="import")
def import_scenarios(
    file: Annotated[Path, Parameter(name="FILE")],
    /,
    *,
    json_output: AsJson = False,
    server: Server | None = None,
) -> None:
    """Take the scenarios of a YAML or JSON file: all of them, or none and every fault (exit code 1).

    One that has the id of a scenario that is kept, or else its name, changes that; others are new.

    Parameters
    ----------
    file
        The scenarios; YAML or JSON by its ending, else by how it begins.
    json_output
        Print {created, changed, unchanged, items} as the API gives them.
    server
        Which platform to ask.
    """
    with connected(server) as platform:
        screen = Screen()
        content = read_scenarios(file)
        try:
            with busy("Reading the scenarios"):
                found = platform.eval.scenarios.import_scenarios(content)
        except FaultyError as error:
            if not _are_about_scenarios(error.faults):
                raise
            screen.line("Nothing was taken. Scenarios are counted from 0.")
            faults = [(str(fault["loc"][1]), str(fault["msg"])) for fault in error.faults]
            screen.table([("scenario", "message"), *faults])
            sys.exit(NOT_RIGHT)
        if json_output:
            screen.json(found)
            return
        rows = [("", "id", "version", "name")]
        rows += [(row["outcome"], row["id"], str(row["version"]), row["name"]) for row in found["items"]]
        screen.table(rows)
        screen.line(
            f"{found['created']} created, {found['changed']} changed, {found['unchanged']} unchanged."
        )


@app.command
def export(
    *,
    query: str | None = None,
    tag: str | None = None,
    risk: Risk | None = None,
    format: Literal["yaml", "json"] = "yaml",
    output: Annotated[Path | None, Parameter(name=("--output", "-o"))] = None,
    server: Server | None = None,
) -> None:
    """Print scenarios as a file, the oldest first; imported again, it changes nothing.

    Parameters
    ----------
    query
        Only scenarios with this in their name or description.
    tag
        Only scenarios with this tag.
    risk
        Only scenarios of this risk.
    format
        Of the file.
    output
        Where to write it instead of to standard output.
    server
        Which platform to ask.
    """
    with connected(server) as platform:
        write_out(platform.eval.scenarios.download(format, q=query, tag=tag, risk_level=risk), output)


@app.command(name="list")
def list_scenarios(
    *,
    query: str | None = None,
    tag: str | None = None,
    risk: Risk | None = None,
    sort: Sort = None,
    limit: Positive = 20,
    json_output: AsJson = False,
    server: Server | None = None,
) -> None:
    """List scenarios, the newest first.

    Parameters
    ----------
    query
        Only scenarios with this in their name or description.
    tag
        Only scenarios with this tag.
    risk
        Only scenarios of this risk.
    sort
        Sort by this field of the API instead; `-` ahead of it is descending.
    limit
        How many scenarios to list at most.
    json_output
        Print one JSON object {items, next_cursor} as the API gives it.
    server
        Which platform to ask.
    """
    with connected(server) as platform:
        screen = Screen()
        found = platform.eval.scenarios.page(
            limit=limit, q=query, tag=tag, risk_level=risk, sort=any_field(sort)
        )
        if json_output:
            screen.json(found)
            return
        if not found["items"]:
            screen.line("No scenarios.")
            return
        screen.table([("id", "version", "risk", "name", "tags"), *map(_listed, found["items"])])
        if found["next_cursor"] is not None:
            screen.line(f"There are more; --limit {limit * 2} shows twice as many.")


def _listed(scenario: t.ScenarioSummary) -> tuple[str, ...]:
    return (
        str(scenario["id"]),
        str(scenario["version"]),
        str(scenario["risk_level"]),
        str(scenario["name"]),
        ", ".join(scenario["tags"]),
    )


def _are_about_scenarios(faults: Sequence[Mapping[str, Any]]) -> bool:
    places = [fault.get("loc") for fault in faults]
    return bool(places) and all(isinstance(loc, list) and _names_one(loc) for loc in places)


def _names_one(loc: Sequence[Any]) -> bool:
    return loc[:1] == ["scenarios"] and len(loc) > 1

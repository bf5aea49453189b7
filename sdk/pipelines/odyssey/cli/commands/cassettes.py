"""`odyssey cassettes`: what live tools answered in a run, to be replayed and to be held against what they say now."""

import sys
from collections import Counter
from collections.abc import Iterator, Sequence
from contextlib import AbstractContextManager
from typing import Annotated, Any, Literal
from uuid import UUID

from cyclopts import App, Parameter
from rich.console import Console
from rich.progress import track

from pipelines.odyssey.cli.commands.options import AsJson, Positive, Sort, Switch, any_field
from pipelines.odyssey.cli.connection import Connection, Server, connected, if_missing
from pipelines.odyssey.cli.failures import FAILED, NOT_RIGHT
from pipelines.odyssey.cli.printing.screen import Screen, as_json, clean, many, word
from pipelines.odyssey.client import types as t

Id = Annotated[UUID, Parameter(name="ID")]

_COUNTS: tuple[Literal["compared", "same", "changed", "skipped", "failed"], ...] = (
    "compared",
    "same",
    "changed",
    "skipped",
    "failed",
)
_PORTION = 10
_VALUE = 60

app = App(name="cassettes")


@app.command(name="list")
def list_cassettes(
    *, sort: Sort = None, limit: Positive = 20, json_output: AsJson = False, server: Server | None = None
) -> None:
    """List cassettes, the newest first.

    Parameters
    ----------
    sort
        Sort by this field of the API instead; `-` ahead of it is descending.
    limit
        How many cassettes to list at most.
    json_output
        Print one JSON object {items, next_cursor} as the API gives it.
    server
        Which platform to ask.
    """
    with connected(server) as platform:
        screen = Screen()
        found = platform.cassettes.page(limit=limit, sort=any_field(sort))
        if json_output:
            screen.json(found)
            return
        if not found["items"]:
            screen.line("No cassettes.")
            return
        screen.table([("id", "name", "run", "agent", "calls", "created"), *map(_listed, found["items"])])
        if found["next_cursor"] is not None:
            screen.line(f"There are more; --limit {limit * 2} shows twice as many.")


@app.command
def record(
    run_id: Annotated[int, Parameter(name="RUN")],
    /,
    *,
    name: str,
    json_output: AsJson = False,
    server: Server | None = None,
) -> None:
    """Keep the passthrough calls of a run that has ended, with what came of each.

    Parameters
    ----------
    run_id
        Number of the run.
    name
        What to call the cassette.
    json_output
        Print the cassette as the API gives it.
    server
        Which platform to ask.
    """
    with connected(server) as platform:
        with if_missing(f"There is no run {run_id}."):
            made = platform.cassettes.record(name=name, run_id=run_id)
        if json_output:
            Screen().json(made)
            return
        screen = Screen()
        screen.line(f"Cassette {made['id']}: {many(made['interactions'], 'call')} of run {run_id}.")
        screen.line(f"odyssey runs start --cassette {made['id']} replays it.")


@app.command
def show(
    cassette_id: Id,
    /,
    *,
    full: Annotated[bool, Switch] = False,
    json_output: AsJson = False,
    server: Server | None = None,
) -> None:
    """Print one cassette: every call in its order, with what came of it.

    Parameters
    ----------
    cassette_id
        Id of the cassette.
    full
        Print arguments and answers whole.
    json_output
        Print one JSON object {cassette, interactions} as the API gives them.
    server
        Which platform to ask.
    """
    with connected(server) as platform, _if_missing(cassette_id):
        screen = Screen(full=full)
        cassette = platform.cassettes.get(str(cassette_id))
        held = platform.cassettes.interactions(str(cassette_id))
        if json_output:
            screen.json({"cassette": cassette, "interactions": list(held)})
            return
        screen.line(f"Cassette {cassette['id']}  {word(cassette['name'])}")
        screen.line(f"  run       {cassette['run_id']} attempt {cassette['attempt']}")
        screen.line(f"  agent     {cassette['agent_id']} version {cassette['agent_version']}")
        screen.line(f"  calls     {cassette['interactions']}")
        for one in held:
            _print_interaction(screen, one)
        if screen.was_cut:
            screen.line("What ends in … was cut; --full prints it whole.")


@app.command
def diff(
    cassette_id: Id,
    /,
    *,
    include_changing: Annotated[bool, Switch] = False,
    json_output: AsJson = False,
    server: Server | None = None,
) -> None:
    """Ask the live endpoints again and say where they no longer answer what the cassette has.

    Exit code 0 if every answer is the same, 1 if one changed, 2 if that cannot be told: an endpoint did not answer, or
    there was nothing that may be asked.

    Parameters
    ----------
    cassette_id
        Id of the cassette.
    include_changing
        Ask also what may change something: it is done once more, for real.
    json_output
        Print the report as the API gives it, with all its interactions.
    server
        Which platform to ask.
    """
    with connected(server) as platform, _if_missing(cassette_id):
        screen = Screen()
        interactions: list[t.ComparedOut] = []
        counts: Counter[str] = Counter(dict.fromkeys(_COUNTS, 0))
        for part in _reports(platform, str(cassette_id), include_changing=include_changing):
            interactions += part["interactions"]
            counts.update({name: part[name] for name in _COUNTS})
            if not json_output:
                _print_changes(screen, part["interactions"])
        if json_output:
            screen.json({**counts, "interactions": interactions})
        else:
            told = [f"{counts[name]} {name}" for name in _COUNTS[1:] if counts[name]]
            screen.line(f"{many(len(interactions), 'call')}: {', '.join(told) or 'none'}.")
    if counts["changed"]:
        sys.exit(NOT_RIGHT)
    if counts["failed"] or not counts["compared"]:
        sys.exit(FAILED)


@app.command
def delete(cassette_id: Id, /, *, json_output: AsJson = False, server: Server | None = None) -> None:
    """Delete a cassette that no run is replaying.

    Parameters
    ----------
    cassette_id
        Id of the cassette.
    json_output
        Print {deleted} instead of a sentence.
    server
        Which platform to ask.
    """
    with connected(server) as platform, _if_missing(cassette_id):
        platform.cassettes.delete(str(cassette_id))
        if json_output:
            Screen().json({"deleted": str(cassette_id)})
        else:
            Screen().line(f"Cassette {cassette_id} is deleted.")


def _reports(platform: Connection, cassette_id: str, *, include_changing: bool) -> Iterator[t.DiffOut]:
    """Have the cassette compared in portions; standard error tells how far that is."""
    numbers = [one["number"] for one in platform.cassettes.interactions(cassette_id)]
    portions = [numbers[start : start + _PORTION] for start in range(0, len(numbers), _PORTION)]
    for done, portion in enumerate(_tracked(portions)):
        yield platform.cassettes.diff(cassette_id, numbers=portion, include_changing=include_changing)
        if len(portions) > 1 and not sys.stderr.isatty():
            so_far = min((done + 1) * _PORTION, len(numbers))
            sys.stderr.write(f"{so_far} of {many(len(numbers), 'call')} asked again\n")
            sys.stderr.flush()


def _tracked(portions: Sequence[list[int]]) -> Iterator[list[int]]:
    if not sys.stderr.isatty():
        yield from portions
        return
    console = Console(stderr=True, markup=False, highlight=False)
    yield from track(portions, description="Asking again", console=console, transient=True)


def _print_changes(screen: Screen, interactions: Sequence[t.ComparedOut]) -> None:
    for one in interactions:
        if one["state"] in ("same", "skipped"):
            continue
        said = clean(f"  {one['detail']}") if one["detail"] else ""
        screen.line(f"{one['number']}  {word(one['tool_name'])}  {one['state']}{said}")
        for change in one["changes"]:
            sides = {
                "added": f"+ {_value(screen, change['after'])}",
                "removed": f"- {_value(screen, change['before'])}",
            }
            both = f"{_value(screen, change['before'])} → {_value(screen, change['after'])}"
            screen.line(f"      {clean(change['path'])}  {sides.get(change['kind'], both)}")


def _value(screen: Screen, value: Any) -> str:
    return screen.shorten(as_json(value), _VALUE)


def _print_interaction(screen: Screen, one: t.InteractionOut) -> None:
    status = "" if one["status"] is None else f" {one['status']}"
    marks = "".join(
        f", {mark}"
        for mark, holds in (
            ("error", one["is_error"]),
            ("read only", one["read_only"]),
            (f"captured in run {one['run_id']}", one["captured"]),
        )
        if holds
    )
    screen.line(f"{one['number']}  {word(one['tool_name'])}  {one['source']}{status}{marks}")
    screen.value("arguments", one["arguments"])
    screen.value("response", one["response"])


def _listed(cassette: t.CassetteOut) -> tuple[str, ...]:
    return (
        str(cassette["id"]),
        str(cassette["name"]),
        str(cassette["run_id"]),
        f"{cassette['agent_id']} v{cassette['agent_version']}",
        str(cassette["interactions"]),
        str(cassette["created_at"])[:19].replace("T", " "),
    )


def _if_missing(cassette_id: UUID) -> AbstractContextManager[None]:
    return if_missing(f"There is no cassette {cassette_id}.")

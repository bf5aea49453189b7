"""`odyssey runs export`: runs whole, as files for other programs."""

import json
from collections.abc import Iterable, Iterator
from pathlib import Path
from typing import Annotated, Any, Literal

from cyclopts import Parameter

from pipelines.odyssey.cli.atomic_file import write_whole
from pipelines.odyssey.cli.connection import Connection, Server, connected
from pipelines.odyssey.cli.transcripts import messages_of

Format = Literal["json", "jsonl", "messages"]

_RUN = ("id", "status", "odyssey_seed", "messages", "final_response")
_LEDGER = ("sequence", "attempt", "hash", "state", "flags")
_DIFFERENCE = ("attempt", "changes", "flags_set", "flags_cleared")


def export(
    run_ids: Annotated[list[int], Parameter(name="ID")],
    /,
    *,
    format: Format = "json",
    output: Annotated[Path | None, Parameter(name=("--output", "-o"), allow_leading_hyphen=True)] = None,
    server: Server | None = None,
) -> None:
    """Print runs whole, as they are read: a file is there complete or not at all.

    Parameters
    ----------
    run_ids
        Numbers of the runs.
    format
        json: an object {run, events, difference, ledger}, of several runs a list of them; jsonl: a line for each event,
        with its run_id; messages: a line {run_id, messages} for each run, the transcript as chat messages.
    output
        Where to write instead of to standard output; `-` is standard output too.
    server
        Which platform to ask.
    """
    with connected(server) as platform:
        write_whole(_pieces(platform, list(dict.fromkeys(run_ids)), format), output)


def _pieces(platform: Connection, run_ids: list[int], format: Format) -> Iterator[bytes]:
    if format == "json":
        several = len(run_ids) > 1
        for number, run_id in enumerate(run_ids):
            yield (b",\n" if number else b"[\n") if several else b""
            yield from _document(platform, run_id)
        yield b"\n]\n" if several else b"\n"
        return
    for run_id in run_ids:
        if format == "jsonl":
            for event in _events(platform, run_id):
                yield _line({"run_id": run_id, **event})
        else:
            run = _run(platform, run_id)
            yield _line({"run_id": run_id, "messages": messages_of(run, _events(platform, run_id))})


def _document(platform: Connection, run_id: int) -> Iterator[bytes]:
    path = f"/api/runs/{run_id}"
    yield b'{"run": ' + _json(_run(platform, run_id)) + b',\n "events": ['
    yield from _joined(_events(platform, run_id))
    yield b'],\n "difference": ' + _json(platform.get(f"{path}/ledger/diff", members=_DIFFERENCE))
    yield b',\n "ledger": ' + _json(platform.get(f"{path}/ledger", members=_LEDGER)) + b"}"


def _joined(items: Iterable[dict[str, Any]]) -> Iterator[bytes]:
    for number, item in enumerate(items):
        yield (b",\n  " if number else b"\n  ") + _json(item)


def _run(platform: Connection, run_id: int) -> dict[str, Any]:
    return platform.get(f"/api/runs/{run_id}", members=_RUN, missing=_missing(run_id))


def _events(platform: Connection, run_id: int) -> Iterator[dict[str, Any]]:
    return platform.pages(f"/api/runs/{run_id}/trace", missing=_missing(run_id))


def _missing(run_id: int) -> str:
    return f"There is no run {run_id}."


def _json(value: Any) -> bytes:
    # ASCII, so that nothing in it can steer a terminal.
    return json.dumps(value).encode("ascii")


def _line(value: Any) -> bytes:
    return _json(value) + b"\n"

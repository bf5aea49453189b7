"""`odyssey runs export`: runs whole, as files for other programs."""

import json
from collections.abc import Iterable, Iterator
from contextlib import AbstractContextManager
from pathlib import Path
from typing import Annotated, Any, Literal

from cyclopts import Parameter

from pipelines.odyssey.cli.atomic_file import write_whole
from pipelines.odyssey.cli.connection import Connection, Server, connected, if_missing
from pipelines.odyssey.cli.transcripts import messages_of
from pipelines.odyssey.client import types as t

Format = Literal["json", "jsonl", "messages"]


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
        with _if_missing(run_id):
            if format == "jsonl":
                for event in platform.runs.trace(run_id):
                    yield _line({"run_id": run_id, **event})
            else:
                messages = messages_of(platform.runs.get(run_id), platform.runs.trace(run_id))
                yield _line({"run_id": run_id, "messages": messages})


def _document(platform: Connection, run_id: int) -> Iterator[bytes]:
    with _if_missing(run_id):
        yield b'{"run": ' + _json(platform.runs.get(run_id)) + b',\n "events": ['
        yield from _joined(platform.runs.trace(run_id))
        yield b'],\n "difference": ' + _json(platform.runs.difference(run_id))
        yield b',\n "ledger": ' + _json(platform.runs.ledger(run_id)) + b"}"


def _joined(items: Iterable[t.EventOut]) -> Iterator[bytes]:
    for number, item in enumerate(items):
        yield (b",\n  " if number else b"\n  ") + _json(item)


def _if_missing(run_id: int) -> AbstractContextManager[None]:
    return if_missing(f"There is no run {run_id}.")


def _json(value: Any) -> bytes:
    # ASCII, so that nothing in it can steer a terminal.
    return json.dumps(value).encode("ascii")


def _line(value: Any) -> bytes:
    return _json(value) + b"\n"

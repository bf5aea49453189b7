"""`odyssey runs export`: runs whole, as files for other programs."""

import json
from collections.abc import Iterable, Iterator, Mapping
from contextlib import AbstractContextManager
from pathlib import Path
from typing import Annotated, Any, Literal

from cyclopts import Parameter

from pipelines.odyssey.cli.connection import Connection, Server, connected, if_missing
from pipelines.odyssey.cli.files import write_whole
from pipelines.odyssey.cli.printing.screen import as_json
from pipelines.odyssey.client import types as t

Format = Literal["json", "jsonl", "messages"]
Message = dict[str, Any]

_SPOKEN = frozenset({"assistant_message", "subagent_message", "subagent_final"})


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
                messages = _messages_of(platform.runs.get(run_id), platform.runs.trace(run_id))
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


def _messages_of(run: t.RunOut, events: Iterable[t.EventOut]) -> list[Message]:
    """Return the messages that came with the reply; without any, what the events of the last attempt tell."""
    told = run["messages"]
    if isinstance(told, list) and told:
        return list(told)
    messages: list[Message] = []
    for event in events:
        if event["kind"] == "dispatch":
            messages = []  # every attempt begins anew
        messages += _seen(event)
    if run["final_response"] is not None and not _is_last(messages, run["final_response"]):
        messages.append({"role": "assistant", "content": run["final_response"]})
    return messages


def _seen(event: t.EventOut) -> list[Message]:
    data = event["data"]
    if event["kind"] == "dispatch":
        sent = _object(_object(data.get("body")).get("input"))
        return [{"role": "user", "content": str(sent.get("user_instruction") or "")}]
    if event["kind"] == "tool_call" and "tool_name" in data:
        call_id = f"call_{event['sequence']}"
        call = {"id": call_id, "name": data["tool_name"], "arguments": data.get("arguments", {})}
        answer = data.get("response", data.get("detail"))
        content = answer if isinstance(answer, str) else as_json(answer)
        return [
            {"role": "assistant", "content": "", "tool_calls": [call]} | _by(event),
            {"role": "tool", "tool_call_id": call_id, "content": content},
        ]
    if event["kind"] == "trace_event":
        text = _text(_object(data.get("payload")))
        if text is not None and data.get("event_type") in _SPOKEN:
            return [{"role": "assistant", "content": text} | _by(event)]
        if text is not None and data.get("event_type") == "system_prompt":
            return [{"role": "system", "content": text}]
    return []


def _by(event: t.EventOut) -> Message:
    return {} if event.get("actor_id") is None else {"name": event["actor_id"]}


def _text(payload: Mapping[str, Any]) -> str | None:
    return next((payload[name] for name in ("text", "content") if isinstance(payload.get(name), str)), None)


def _is_last(messages: list[Message], text: str) -> bool:
    return bool(messages) and messages[-1].get("role") == "assistant" and messages[-1]["content"] == text


def _object(value: Any) -> Mapping[str, Any]:
    return value if isinstance(value, Mapping) else {}

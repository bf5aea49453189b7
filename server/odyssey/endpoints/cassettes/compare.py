"""Asking live services again what a cassette has: which answers are still the same, and where they differ."""

import re
from collections import Counter
from collections.abc import Iterator, Sequence
from functools import reduce
from itertools import islice
from typing import Any, NamedTuple

import msgspec

from odyssey.endpoints.cassettes.playback import Interaction
from odyssey.endpoints.cassettes.schemas import ChangeOut, ComparedOut, DiffOut, Kind
from odyssey.endpoints.registry import Upstreams
from odyssey.endpoints.upstream import Answered, Forwarded, NotAnswered
from odyssey.kit.ids import new_uuid
from odyssey.records.json_difference import ABSENT, json_differences

# The difference of two JSON values, by path: pure. Done to the first, the changes give the second.

_PLAIN_NAME = re.compile(r"[A-Za-z_][A-Za-z0-9_]*\Z")
_ESCAPES = {"\b": r"\b", "\t": r"\t", "\n": r"\n", "\f": r"\f", "\r": r"\r", "'": r"\'", "\\": r"\\"}
_KINDS = {
    type(None): "null",
    bool: "boolean",
    int: "number",
    float: "number",
    str: "string",
    list: "array",
    dict: "object",
}


class ValueChange(NamedTuple):
    path: str
    """A JSONPath (RFC 9535) that leads to one value: in the second document, or if it was removed in the first."""
    kind: Kind
    before: Any
    """None if it was added."""
    after: Any
    """None if it was removed."""


def difference(before: Any, after: Any) -> Iterator[ValueChange]:
    """Give every change, what was added last; items of lists are compared place by place."""
    for path, was, is_now in json_differences(before, after):
        place = reduce(_step, path, "$")
        if was is ABSENT:
            yield ValueChange(place, "added", None, is_now)
        elif is_now is ABSENT:
            yield ValueChange(place, "removed", was, None)
        else:
            same_kind = _KINDS[type(was)] == _KINDS[type(is_now)]
            yield ValueChange(place, "changed" if same_kind else "type_changed", was, is_now)


def _step(path: str, step: str | int) -> str:
    return f"{path}[{step}]" if isinstance(step, int) else _member(path, step)


def _member(path: str, name: str) -> str:
    if _PLAIN_NAME.match(name):
        return f"{path}.{name}"
    return f"{path}['{''.join(map(_escaped, name))}']"


def _escaped(character: str) -> str:
    if character in _ESCAPES:
        return _ESCAPES[character]
    return f"\\u{ord(character):04x}" if character < " " else character


MOST_CHANGES = 200
_LONGEST_VALUE = 2000


async def compare(
    upstreams: Upstreams,
    org_id: int,
    interactions: Sequence[Interaction],
    *,
    include_changing: bool,
    left_out: int,
) -> DiffOut:
    """Ask one after another, in the recorded order, as one client."""
    session = f"diff-{new_uuid()}"
    compared: list[ComparedOut] = []
    try:
        for recorded in interactions:
            if not recorded.read_only and not include_changing:
                compared.append(_skipped(recorded))
                continue
            compared.append(_judged(recorded, await _ask(upstreams, org_id, recorded, session)))
    finally:
        await upstreams.end_session(session)
    states = Counter(one.state for one in compared)
    return DiffOut(
        compared=states["same"] + states["changed"],
        same=states["same"],
        changed=states["changed"],
        skipped=states["skipped"],
        failed=states["failed"],
        left_out=left_out,
        interactions=compared,
    )


async def _ask(upstreams: Upstreams, org_id: int, recorded: Interaction, session: str) -> Forwarded:
    """Ask the endpoint that answered then, whatever the agent's tool is bound to now."""
    if recorded.endpoint_id is None:
        return NotAnswered(
            "endpoint_missing", "No endpoint was found for it when it was recorded.", "not_sent"
        )
    binding = {"endpoint_id": recorded.endpoint_id, "tool_name": recorded.upstream_tool}
    return await upstreams.forward(org_id, binding, recorded.arguments, session=session)


def _judged(recorded: Interaction, live: Forwarded) -> ComparedOut:
    if isinstance(live, Answered):
        try:
            as_kept = msgspec.json.decode(msgspec.json.encode(live.response))
        except UnicodeEncodeError:
            return _compared(recorded, "failed", "The answer holds text that is not Unicode.")
        return _against_answer(recorded, live._replace(response=as_kept))
    detail = f"{live.code}: {live.message}"
    if recorded.source != "transport_error":
        return _compared(recorded, "failed", detail)
    before = recorded.response["error"]["code"]
    if before == live.code:
        return _compared(recorded, "same", f"It failed then as it does now: {detail}")
    return _compared(recorded, "changed", detail, [ValueChange("$.error.code", "changed", before, live.code)])


def _against_answer(recorded: Interaction, live: Answered) -> ComparedOut:
    changes = list(islice(difference(recorded.response, live.response), MOST_CHANGES + 1))
    said: list[str] = []
    if len(changes) > MOST_CHANGES:
        said.append(f"There are more changes; the first {MOST_CHANGES} are listed.")
    if recorded.source == "transport_error":
        said.append("There was no answer then; now there is one.")
    elif recorded.status != live.status:
        said.append(f"The status was {recorded.status} and is {live.status}.")
    elif recorded.is_error != live.is_error:
        said.append("It was an error and is none." if recorded.is_error else "It was no error and is one.")
    state = "changed" if changes or said else "same"
    return _compared(recorded, state, " ".join(said), changes[:MOST_CHANGES])


def _skipped(recorded: Interaction) -> ComparedOut:
    return _compared(recorded, "skipped", "It may change something; include_changing asks all the same.")


def _compared(
    recorded: Interaction, state: Any, detail: str, changes: Sequence[ValueChange] = ()
) -> ComparedOut:
    return ComparedOut(
        number=recorded.number,
        tool_name=recorded.tool_name,
        state=state,
        changes=[
            ChangeOut(path=path, kind=kind, before=_shown(before), after=_shown(after))
            for path, kind, before, after in changes
        ],
        detail=detail,
    )


def _shown(value: Any) -> Any:
    text = msgspec.json.encode(value).decode("utf-8")
    return value if len(text) <= _LONGEST_VALUE else f"{text[:_LONGEST_VALUE]}…"

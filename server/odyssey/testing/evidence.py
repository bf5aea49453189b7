"""What a run left behind, as a test reads it."""

import json
from collections.abc import Mapping
from typing import Any, NamedTuple

_SHOWN = 160


class Call(NamedTuple):
    """One tool call, as the proxy saw it."""

    sequence: int
    tool_name: str
    arguments: Any
    response: Any
    """What the agent was answered; None for a call that was refused."""
    source: str
    """Who answered: `odyssey` the simulated world, `injected` a failure rule, `passthrough` a live service,
    `error` and `transport_error` a failure of that service, `refused` nobody."""
    matched_rule_index: int | None
    actor_id: str | None
    refusal: str | None
    """Why the call was refused: an unknown tool, arguments that do not fit."""

    def __str__(self) -> str:
        told = self.refusal if self.source == "refused" else _short(self.response)
        rule = "" if self.matched_rule_index is None else f", rule {self.matched_rule_index}"
        actor = "" if self.actor_id is None else f"{self.actor_id}: "
        return f"{self.sequence:>4}  {actor}{self.tool_name} {_short(self.arguments)} -> {self.source}{rule}: {told}"


class TraceEvent(NamedTuple):
    """What the agent told of itself while it ran: a message, its thinking, a hand-over."""

    sequence: int
    event_type: str
    payload: Any
    actor_id: str | None


class Change(NamedTuple):
    """One entity of the ledger that is not what it was at the start."""

    kind: str
    """`added`, `changed` or `removed`."""
    entity_type: str
    id: str
    before: dict[str, Any] | None
    after: dict[str, Any] | None
    fields: list[str]

    def __str__(self) -> str:
        change = {name: (self.after or {}).get(name) for name in self.fields}
        return f"      {self.kind} {self.entity_type} {self.id}{f' {_short(change)}' if self.fields else ''}"


def call_of(event: Mapping[str, Any]) -> Call:
    data = event["data"]
    was_refused = "source" not in data
    return Call(
        sequence=event["sequence"],
        tool_name=data["tool_name"],
        arguments=data.get("arguments", data.get("body")),
        response=data.get("response"),
        source="refused" if was_refused else data["source"],
        matched_rule_index=data.get("matched_rule_index"),
        actor_id=event["actor_id"],
        refusal=data.get("detail") if was_refused else None,
    )


def trace_event_of(event: Mapping[str, Any]) -> TraceEvent:
    data = event["data"]
    return TraceEvent(event["sequence"], data["event_type"], data.get("payload"), event["actor_id"])


def change_of(change: Mapping[str, Any]) -> Change:
    return Change(**change)


def _short(value: Any) -> str:
    text = json.dumps(value, ensure_ascii=False)
    return text if len(text) <= _SHOWN else f"{text[:_SHOWN]}…"

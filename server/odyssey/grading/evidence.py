"""All that is known of a run that ended, as graders see it: what the proxy observed, what the agent says, the world."""

from collections.abc import Iterable, Mapping
from typing import Any

import msgspec

from odyssey.records.effects import Effects, RefusedWrite
from odyssey.records.ledger import Operation, Violation
from odyssey.records.tools import LedgerSchema, Tool
from odyssey.simulation.engine import ToolCall
from odyssey.simulation.world.engine import WorldEngine
from odyssey.worlds.ledger import Ledger

ACCEPTED = 200
NOT_SIMULATED = "not_simulated"
_ANSWERING = frozenset({"odyssey", "injected", "passthrough"})


class ObservedCall(msgspec.Struct, frozen=True):
    """One tool call as the proxy recorded it."""

    sequence: int
    tool: str
    arguments: Any
    """None where what arrived was not JSON."""
    source: str | None
    """None: refused by the proxy. `forward`: it was sent to a live service, and no answer is recorded."""
    http_status: int
    response: Any
    operations: tuple[Operation, ...] = ()
    mutating: bool = False
    """Whether it was an act on the world, also one that was refused."""
    operation: str | None = None
    """What the engine took it for: `read`, `create`, …; None where nobody can tell."""
    actor_id: str | None = None
    is_error: bool = False
    """Whether a live service called its own answer an error, or a failure rule broke the wire instead of answering."""
    confidence: float | None = None
    """How sure the engine was that answered; None where none did."""
    rests_on: str | None = None
    """What its answer rested on (`validation.evidence`); None of calls from before that was told."""
    explanation: str = ""
    """How the engine read the call, in its own words."""
    contradictions: tuple[Violation, ...] = ()
    """What in its answer contradicts the world."""

    @property
    def accepted(self) -> bool:
        return self.http_status == ACCEPTED

    @property
    def succeeded(self) -> bool:
        """Whether it was answered without an error of the world, a failure rule or a live service.

        Of a call that went out to a live service and whose answer we failed to record, the agent has the benefit.
        """
        if self.source == "forward":
            return True
        if not self.accepted or self.source not in _ANSWERING or self.is_error:
            return False
        return not (isinstance(self.response, dict) and self.response.get("error"))

    @property
    def is_not_simulated(self) -> bool:
        """Whether no engine understood the call, and the agent was told so."""
        return self.source == "error" and _error_code(self.response) == NOT_SIMULATED

    @property
    def is_faulty(self) -> bool:
        """Whether the world is to blame for its answer: it gave none, or one that contradicts itself."""
        return self.source == "error" or bool(self.contradictions)


class Evidence(msgspec.Struct, frozen=True):
    """Of the run's last attempt."""

    user_instruction: str
    expected_outcome: str
    status: str
    error_class: str | None
    final_response: str | None
    messages: list[dict[str, Any]] | None
    """What the agent says it did. Never evidence of a call."""
    calls: tuple[ObservedCall, ...]
    """Every call the proxy saw, in order."""
    uncounted_calls: int
    """Refusals that were recorded only as a count."""
    declared_tools: tuple[str, ...]
    before: Ledger
    after: Ledger
    effects: Effects = Effects()
    """What led from the one to the other, change by change."""
    input: Mapping[str, Any] = {}
    """What the agent got beside the instruction."""

    @property
    def accepted_calls(self) -> tuple[ObservedCall, ...]:
        return tuple(call for call in self.calls if call.accepted)


def refused_writes(calls: Iterable[ObservedCall]) -> tuple[RefusedWrite, ...]:
    """The acts that failed: refused by the proxy or the world, broken by a rule, or without an answer."""
    return tuple(
        RefusedWrite(call.sequence, call.tool, call.arguments, call.source, _error_code(call.response))
        for call in calls
        if call.mutating and not call.succeeded
    )


def _error_code(response: Any) -> str | None:
    error = response.get("error") if isinstance(response, dict) else None
    code = error.get("code") if isinstance(error, dict) else error
    return code if isinstance(code, str) else None


# What a call would be taken for, where no engine answered it: a failure rule did, or its answer was thrown away.


def operation_of(call: ToolCall, world: Ledger) -> str | None:
    """The operation of the world engine's reading: `read`, `create`, …; nothing becomes of its answer."""
    reading = WorldEngine().answer(call, world).reading
    return None if reading is None else reading.operation


# Whether a recorded call was an act on the world: it changed it, or meant to and was refused or cut off.

CHANGING = frozenset({"create", "update", "remove"})


def is_mutating(
    data: Mapping[str, Any], tool: Tool | None, ledger_schema: LedgerSchema | None, world: Ledger
) -> bool:
    """Class one `tool_call` of the trace by its data: did it act on the world, or mean to?"""
    if data.get("operations") and not isinstance(data.get("upstream"), dict):
        return True
    return recorded_operation(data, tool, ledger_schema, world) in CHANGING


def recorded_operation(
    data: Mapping[str, Any], tool: Tool | None, ledger_schema: LedgerSchema | None, world: Ledger
) -> str | None:
    """Name the operation of one `tool_call` of the trace.

    A call of a live service is what the service declares it to be: a read stays one although an adapter mirrors what it
    showed. A rule that answered leaves no reading of the engine's; then the engine is asked what it takes the call for
    in this world. A call that the proxy refused is an attempt: it is what the engine would have taken it for.
    """
    upstream = data.get("upstream")
    if isinstance(upstream, dict):
        return "read" if upstream.get("read_only") else "update"
    return _recorded(data) or _classed(data.get("arguments"), tool, ledger_schema, world)


def _recorded(data: Mapping[str, Any]) -> str | None:
    validation = data.get("validation")
    reading = validation.get("reading") if isinstance(validation, dict) else None
    operation = reading.get("operation") if isinstance(reading, dict) else None
    return operation if isinstance(operation, str) else None


def _classed(
    arguments: Any, tool: Tool | None, ledger_schema: LedgerSchema | None, world: Ledger
) -> str | None:
    if tool is None or not isinstance(arguments, dict):
        return None
    return operation_of(ToolCall(tool, arguments, ledger_schema, random_seed=0, sequence=1), world)

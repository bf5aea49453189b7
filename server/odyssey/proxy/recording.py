"""One call, checked and written down: what it came to, its ledger entries and its violations commit together."""

from collections.abc import Mapping, Sequence
from datetime import datetime
from typing import Any, NamedTuple

import msgspec

from odyssey.agents.compiled import CompiledTool
from odyssey.core.errors import JsonRefusedError, OdysseyError, faults_of
from odyssey.core.group_commit import Statement
from odyssey.expressions.facts import EarlierCall
from odyssey.journal.events import EventKind, append_unit, run_topic, violation_statements
from odyssey.kit.json_reader import JsonInvalidError, read_json
from odyssey.proxy.answering import (
    CallContext,
    CallOutcome,
    Carrier,
    NeedsModel,
    Unanswered,
    answer,
    by_rules,
    check_arguments,
    explained,
)
from odyssey.proxy.errors import SimulatorError, ToolUnknownError
from odyssey.proxy.gate import commit, read_actor
from odyssey.proxy.live_runs import LiveRun
from odyssey.proxy.parts import CallStart, ProxyParts, ProxyRequest
from odyssey.simulation.engine import ToolCall
from odyssey.simulation.rules import FaultName
from odyssey.worlds.repository import entry_statements

_FAULTS_KEPT = 20


class ProxyReply(NamedTuple):
    """What the agent gets, and how: after a wait, or by a fault of the wire instead of an answer."""

    body: bytes
    wait_ms: int = 0
    fault: FaultName | None = None
    is_error: bool = False
    """What a live service said of its own answer; an MCP client is told so."""


class ProxyCall:
    """A call as it would be served from what is known of its run now. Decide and record under the run's lock."""

    def __init__(
        self, parts: ProxyParts, run: LiveRun, arrived: ProxyRequest, body: bytes, started: CallStart
    ) -> None:
        self.parts = parts
        self.run = run
        self.body = body
        self.started = started
        self.sequence = run.head + 1
        self.arguments: Any = None
        self.context: CallContext
        """The call and the moment of the run it meets; known once the call was decided."""
        self.served: ProxyReply
        """What the agent gets; known once it was tried to record it."""
        self._arrived = arrived
        self._occurred_at: datetime = parts.clock()
        self._actor: str | None = None
        self._is_counted = False

    @property
    def name(self) -> str:
        return self.context.call.tool.name

    def later(self) -> "ProxyCall":
        """The same call at the run's next sequence, to write down what has become of it."""
        again = ProxyCall(self.parts, self.run, self._arrived, self.body, self.started)
        again.arguments, again._actor = self.arguments, self._actor
        again._occurred_at, again._is_counted = self._occurred_at, self._is_counted
        call = msgspec.structs.replace(self.context.call, sequence=again.sequence)
        again.context = self.context._replace(call=call, ledger=self.run.ledger)
        return again

    def decide(self) -> CallOutcome | Unanswered | NeedsModel:
        """Check the call and answer it; what a service or a model is to answer stays open. Raises what is refused."""
        self._actor = read_actor(self._arrived.headers)
        try:
            self.arguments = read_json(self.body)
        except JsonInvalidError as error:
            raise JsonRefusedError(f"The arguments are not valid JSON: {error}.") from error
        name = self._arrived.address.name
        tool = self.run.agent.tools.get(name)
        if tool is None:
            raise ToolUnknownError(name)
        if self._actor is None:
            self._actor = self.run.agent.owners.get(name)
        check_arguments(tool, self.arguments)
        context = self.context = self._context(tool)
        return by_rules(context) if tool.is_live else answer(context)

    def _context(self, tool: CompiledTool) -> CallContext:
        run, agent = self.run, self.run.agent
        call = ToolCall(
            tool=tool.tool,
            arguments=self.arguments,
            ledger_schema=agent.ledger_schema,
            random_seed=run.random_seed,
            sequence=self.sequence,
            actor=self._actor,
            calls=tuple(run.calls),
        )
        return CallContext(
            call=call,
            output_schema=tool.output_schema,
            ledger=run.ledger,
            rules=run.rules,
            counters=run.counters,
            manner=run.manner,
            mode=agent.config.consistency_mode,
            started=self.started.counter,
        )

    async def record(self, outcome: CallOutcome, capture: Sequence[Statement] = ()) -> ProxyReply | None:
        """Append the call; only then does memory move on. None: the run has moved, and nothing was written."""
        run = self.run
        carrier = None
        if run.notice is not None:
            carrier = run.notice.carrier(outcome.envelope, self.context.output_schema)
        data = self._data(outcome, carrier)
        self.served = ProxyReply(
            _sent(outcome, carrier), outcome.wait_ms, outcome.fault, is_error=outcome.is_error
        )
        rest = entry_statements(
            run_id=run.token.run_id,
            attempt=run.token.attempt,
            sequence=self.sequence,
            entries=outcome.entries,
        )
        if outcome.violations:
            rest += violation_statements(
                run_id=run.token.run_id, sequence=self.sequence, violations=outcome.violations
            )
        rest += capture
        if not await self._append("tool_call", data, 200, rest, violations=len(outcome.violations)):
            return None
        if run.notice is not None:
            run.notice.note(data)
        if outcome.ledger is not None:
            run.ledger = outcome.ledger
        if outcome.counters is not None:
            run.counters = outcome.counters
        if run.keeps_calls:
            run.calls.append(EarlierCall(data["tool_name"], self.arguments, data["source"]))
        return self.served

    def _data(self, outcome: CallOutcome, carrier: Carrier | None) -> dict[str, Any]:
        """What the journal keeps of the call: the answer without what it may have carried."""
        data = outcome.envelope | {
            "arguments": msgspec.Raw(self.body),
            "operations": outcome.operations,
            "http_status": 200,
            **self.started.times(outcome.envelope["latency_ms"]),
        }
        if outcome.violations:
            data["violations"] = outcome.violations
        if outcome.fault is not None:
            data["fault"] = outcome.fault
        if outcome.notes:
            data["rule_notes"] = outcome.notes
        if "validation" in data:
            data["validation"] = explained(outcome)
        if carrier is not None:
            data["injection"] = {"carried_as": carrier[1]}
        data.update(outcome.beside)
        return data

    async def record_forward(self, endpoint: Mapping[str, Any], unanswered: Unanswered) -> bool:
        """Append that the call goes out. From here on it is counted, whatever becomes of it."""
        data = {
            "tool_name": self.name,
            "arguments": msgspec.Raw(self.body),
            "endpoint": endpoint,
        }
        if not await self._append("forward", data, None):
            return False
        self._is_counted = True
        if unanswered.counters is not None:
            self.run.counters = unanswered.counters
        return True

    async def record_refusal(self, refusal: OdysseyError) -> bool:
        """Keep the body as it arrived where it is JSON, else as text."""
        data: dict[str, Any] = {
            "tool_name": self._arrived.address.name[:128],
            "http_status": refusal.status,
            "code": refusal.code,
            "detail": refusal.detail,
            **self.started.times(self.started.elapsed_ms()),
        }
        if len(refusal.errors) > 1:
            data["errors"] = faults_of(refusal)[:_FAULTS_KEPT]
        if isinstance(refusal, JsonRefusedError) or self.arguments is None:
            data["body"] = self.body.decode("utf-8", "replace")
        else:
            data["arguments"] = msgspec.Raw(self.body)
        if isinstance(refusal, SimulatorError):
            data.update(refusal.evidence)
        return await self._append("tool_call", data, refusal.status)

    async def _append(
        self,
        kind: EventKind,
        data: dict[str, Any],
        http_status: int | None,
        rest: Sequence[Statement] = (),
        *,
        violations: int = 0,
    ) -> bool:
        token = self.run.token
        unit = append_unit(
            token_hash=token.token_hash,
            run_id=token.run_id,
            sequence=self.sequence,
            attempt=token.attempt,
            kind=kind,
            occurred_at=self._occurred_at,
            data=msgspec.json.encode(data),
            actor_id=self._actor,
            http_status=http_status,
            rest=rest,
        )
        if not await commit(self.parts, self.run, unit):
            return False
        self.run.head = self.sequence + violations
        if not self._is_counted:
            self.run.tool_calls.add(self._occurred_at)
        self.parts.signals.announce(run_topic(token.run_id))
        return True


def _sent(outcome: CallOutcome, carrier: Carrier | None) -> bytes:
    """What goes over the wire: the recorded answer, with the notice where this call carries it."""
    envelope = outcome.envelope
    if carrier is not None:
        envelope = envelope | {"response": carrier[0]}
    return msgspec.json.encode(envelope)

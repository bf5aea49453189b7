"""One tool call, from its arguments to the envelope. A call and the ledger entries it caused commit together."""

import logging
import time
from datetime import datetime
from typing import Any, NamedTuple

import msgspec

from odyssey.agents.compiled import CompiledTool
from odyssey.core.errors import JsonRefusedError, OdysseyError, faults_of
from odyssey.journal.append import append_unit, violation_statements
from odyssey.journal.events import run_topic
from odyssey.kit.json_reader import JsonInvalidError, read_json
from odyssey.proxy.admission import read_actor
from odyssey.proxy.answering import Asked, Outcome, answer, check_arguments, explained
from odyssey.proxy.errors import RateLimitedError, ToolUnknownError
from odyssey.proxy.gate import check_rate, count_refusal, pass_gate
from odyssey.proxy.live_runs import LiveRun
from odyssey.proxy.notices import Carrier
from odyssey.proxy.parts import Arrived, ProxyParts
from odyssey.records.ledger import Entry, Violation
from odyssey.simulation.rules import EarlierCall, FaultName
from odyssey.worlds.repository import entry_statements

log = logging.getLogger(__name__)

_FAULTS_KEPT = 20


class Served(NamedTuple):
    """What the agent gets, and how: after a wait, or by a fault of the wire instead of an answer."""

    body: bytes
    wait_ms: int = 0
    fault: FaultName | None = None


async def call_tool(parts: ProxyParts, arrived: Arrived) -> Served:
    """Serve one call; raises OdysseyError for what is refused, after it was recorded."""
    started = time.perf_counter()
    run, body = await pass_gate(parts, arrived)
    async with run.lock:
        while True:
            call = _Call(parts, run, arrived, body, started)
            try:
                check_rate(parts, run, arrived)
                outcome = call.serve()
            except RateLimitedError as refusal:
                await count_refusal(parts, run, arrived, refusal)
                raise
            except OdysseyError as refusal:
                if await call.record_refusal(refusal):
                    raise
            else:
                if await call.record(outcome):
                    return Served(call.sent(outcome), outcome.wait_ms, outcome.fault)
            await parts.live_runs.bring_up_to_date(run)


class _Call:
    """A call as it would be served from what is known of its run now."""

    def __init__(
        self, parts: ProxyParts, run: LiveRun, arrived: Arrived, body: bytes, started: float
    ) -> None:
        self._parts = parts
        self._run = run
        self._arrived = arrived
        self._body = body
        self._started = started
        self._occurred_at: datetime = parts.clock()
        self._sequence = run.head + 1
        self._actor: str | None = None
        self._arguments: Any = None
        self._carrier: Carrier | None = None

    def serve(self) -> Outcome:
        self._actor = read_actor(self._arrived.headers)
        try:
            self._arguments = read_json(self._body)
        except JsonInvalidError as error:
            raise JsonRefusedError(f"The arguments are not valid JSON: {error}.") from error
        name = self._arrived.address.name
        tool = self._run.agent.tools.get(name)
        if tool is None:
            raise ToolUnknownError(name)
        if self._actor is None:
            self._actor = self._run.agent.owners.get(name)
        check_arguments(tool, self._arguments)
        outcome = answer(self._parts.engine, self._asked(tool))
        if self._run.notice is not None:
            self._carrier = self._run.notice.carrier(outcome.envelope, tool.output_schema)
        return outcome

    def sent(self, outcome: Outcome) -> bytes:
        """What goes over the wire: the recorded answer, with the notice where this call carries it."""
        envelope = outcome.envelope
        if self._carrier is not None:
            envelope = envelope | {"response": self._carrier.response}
        return msgspec.json.encode(envelope)

    def _asked(self, tool: CompiledTool) -> Asked:
        run = self._run
        return Asked(
            tool=tool,
            arguments=self._arguments,
            actor=self._actor,
            ledger=run.ledger,
            rules=run.rules,
            counters=run.counters,
            calls=run.calls,
            random_seed=run.random_seed,
            sequence=self._sequence,
            ledger_schema=run.agent.ledger_schema,
            mode=run.agent.config.consistency_mode,
            started=self._started,
        )

    async def record(self, outcome: Outcome) -> bool:
        """Append the call with its ledger entries and its violations; only then does memory move on."""
        data = self._data(outcome)
        run = self._run
        if not await self._append(data, 200, outcome.entries, outcome.violations):
            return False
        if run.notice is not None:
            run.notice.note(data)
        if outcome.ledger is not None:
            run.ledger = outcome.ledger
        if outcome.counters is not None:
            run.counters = outcome.counters
            if run.rules.ask_for_calls:
                run.calls.append(EarlierCall(data["tool_name"], self._arguments, data["source"]))
        return True

    def _data(self, outcome: Outcome) -> dict[str, Any]:
        """What the journal keeps of the call: the answer without what it may have carried."""
        data = outcome.envelope | {
            "arguments": msgspec.Raw(self._body),
            "operations": outcome.operations,
            "http_status": 200,
        }
        if outcome.violations:
            data["violations"] = outcome.violations
        if outcome.fault is not None:
            data["fault"] = outcome.fault
        if outcome.notes:
            data["rule_notes"] = outcome.notes
        if "validation" in data:
            data["validation"] = explained(outcome)
        if self._carrier is not None:
            data["injection"] = {"carried_as": self._carrier.carried_as}
        return data

    async def record_refusal(self, refusal: OdysseyError) -> bool:
        """Keep the body as it arrived where it is JSON, else as text."""
        data: dict[str, Any] = {
            "tool_name": self._arrived.address.name[:128],
            "http_status": refusal.status,
            "code": refusal.code,
            "detail": refusal.detail,
        }
        if len(refusal.errors) > 1:
            data["errors"] = faults_of(refusal)[:_FAULTS_KEPT]
        if isinstance(refusal, JsonRefusedError) or self._arguments is None:
            data["body"] = self._body.decode("utf-8", "replace")
        else:
            data["arguments"] = msgspec.Raw(self._body)
        return await self._append(data, refusal.status)

    async def _append(
        self,
        data: dict[str, Any],
        http_status: int,
        entries: tuple[Entry, ...] = (),
        violations: tuple[Violation, ...] = (),
    ) -> bool:
        token = self._run.token
        rest = entry_statements(
            run_id=token.run_id, attempt=token.attempt, sequence=self._sequence, entries=entries
        )
        if violations:
            rest += violation_statements(run_id=token.run_id, sequence=self._sequence, violations=violations)
        unit = append_unit(
            token_hash=token.token_hash,
            run_id=token.run_id,
            sequence=self._sequence,
            attempt=token.attempt,
            kind="tool_call",
            occurred_at=self._occurred_at,
            data=msgspec.json.encode(data),
            actor_id=self._actor,
            http_status=http_status,
            rest=rest,
        )
        if not await self._parts.writer.commit(unit):
            return False
        self._run.head = self._sequence + len(violations)
        self._run.tool_calls.add(self._occurred_at)
        self._parts.signals.notify(run_topic(token.run_id))
        return True

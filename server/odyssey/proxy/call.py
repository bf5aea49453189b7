"""One tool call, from its arguments to the envelope. A call and the ledger entries it caused commit together."""

import logging
import time
from datetime import datetime
from typing import Any, NamedTuple

import msgspec

from odyssey.agents.compiled import CompiledTool
from odyssey.core.errors import JsonRefusedError, OdysseyError
from odyssey.journal.append import append_unit
from odyssey.journal.events import run_topic
from odyssey.kit.json_reader import JsonInvalidError, read_json
from odyssey.proxy.admission import read_actor
from odyssey.proxy.errors import ArgumentsInvalidError, RateLimitedError, ToolUnknownError
from odyssey.proxy.gate import check_rate, count_refusal, pass_gate
from odyssey.proxy.live_runs import LiveRun
from odyssey.proxy.parts import Arrived, ProxyParts
from odyssey.records.ledger import Entry, Operation, Violation
from odyssey.records.problems import FieldError
from odyssey.simulation.engine import ToolCall
from odyssey.simulation.rules import EarlierCall, FaultName, Fired, Note, RuleCall, RuleCounters, decide
from odyssey.simulation.simulate import simulate
from odyssey.worlds.ledger import Ledger
from odyssey.worlds.operations import apply
from odyssey.worlds.repository import entry_statements

log = logging.getLogger(__name__)

MAX_RESPONSE_BYTES = 1024 * 1024


class Served(NamedTuple):
    """What the agent gets, and how: after a wait, or by a fault of the wire instead of an answer."""

    body: bytes
    wait_ms: int = 0
    fault: FaultName | None = None


class _Outcome(NamedTuple):
    """What a call came to, before it is written down."""

    envelope: dict[str, Any]
    operations: tuple[Operation, ...] = ()
    entries: tuple[Entry, ...] = ()
    violations: tuple[Violation, ...] = ()
    ledger: Ledger | None = None
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
                    return Served(msgspec.json.encode(outcome.envelope), outcome.wait_ms, outcome.fault)
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
        self._counters: RuleCounters | None = None
        self._notes: tuple[Note, ...] = ()

    def serve(self) -> _Outcome:
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
        _check_arguments(tool, self._arguments)
        return self._injected(tool) or self._simulated(tool)

    def _injected(self, tool: CompiledTool) -> _Outcome | None:
        if not self._run.rules:
            return None
        call = RuleCall(
            tool=tool.tool.name,
            args=self._arguments,
            actor=self._actor,
            random_seed=self._run.random_seed,
            ledger=self._run.ledger,
            calls=self._run.calls,
        )
        decision = decide(self._run.rules, self._run.counters, call)
        self._counters, self._notes = decision.counters, decision.notes
        return None if decision.fired is None else self._fired(tool, decision.fired)

    def _fired(self, tool: CompiledTool, fired: Fired) -> _Outcome:
        mode = self._run.agent.config.consistency_mode
        applied = apply(self._run.ledger, fired.operations, mode, sequence=self._sequence)
        envelope = self._envelope(tool, fired.response, "injected")
        envelope["matched_rule_index"] = fired.index
        envelope["latency_ms"] += fired.latency_ms
        return _Outcome(
            envelope,
            operations=() if applied.refused else fired.operations,
            entries=applied.entries,
            violations=applied.violations,
            ledger=applied.ledger,
            wait_ms=fired.latency_ms,
            fault=fired.fault,
        )

    def _simulated(self, tool: CompiledTool) -> _Outcome:
        agent = self._run.agent
        call = ToolCall(
            tool=tool.tool,
            arguments=self._arguments,
            ledger_schema=agent.ledger_schema,
            random_seed=self._run.random_seed,
            sequence=self._sequence,
        )
        mode = agent.config.consistency_mode
        done = simulate(self._parts.engine, call, self._run.ledger, tool.output_schema, mode)
        envelope = self._envelope(tool, done.response, done.source)
        if done.validation is not None:
            envelope["validation"] = done.validation
        if done.applied is None:
            return _Outcome(envelope, violations=done.violations)
        encoded = msgspec.Raw(msgspec.json.encode(done.response))
        if len(encoded) > MAX_RESPONSE_BYTES:
            return _Outcome(self._too_large(tool))
        envelope["response"] = encoded  # once for the agent and the journal
        return _Outcome(
            envelope,
            operations=done.operations,
            entries=done.applied.entries,
            violations=done.violations,
            ledger=done.applied.ledger,
        )

    def _too_large(self, tool: CompiledTool) -> dict[str, Any]:
        message = f"The simulated response is larger than {MAX_RESPONSE_BYTES} bytes."
        return self._envelope(tool, {"error": {"code": "response_too_large", "message": message}}, "error")

    def _envelope(self, tool: CompiledTool, response: Any, source: str) -> dict[str, Any]:
        return {
            "tool_name": tool.tool.name,
            "response": response,
            "source": source,
            "latency_ms": round((time.perf_counter() - self._started) * 1000),
            "matched_rule_index": None,
        }

    async def record(self, outcome: _Outcome) -> bool:
        """Append the call with its ledger entries; only then does memory move on."""
        data = outcome.envelope | {
            "arguments": msgspec.Raw(self._body),
            "operations": outcome.operations,
            "http_status": 200,
        }
        if outcome.violations:
            data["violations"] = outcome.violations
        if outcome.fault is not None:
            data["fault"] = outcome.fault
        if self._notes:
            data["rule_notes"] = self._notes
        run = self._run
        if not await self._append(data, 200, outcome.entries):
            return False
        if outcome.ledger is not None:
            run.ledger = outcome.ledger
        if self._counters is not None:
            run.counters = self._counters
            if run.rules.ask_for_calls:
                run.calls.append(EarlierCall(data["tool_name"], self._arguments, data["source"]))
        return True

    async def record_refusal(self, refusal: OdysseyError) -> bool:
        """Keep the body as it arrived where it is JSON, else as text."""
        data: dict[str, Any] = {
            "tool_name": self._arrived.address.name[:128],
            "http_status": refusal.status,
            "code": refusal.code,
            "detail": refusal.detail,
        }
        if isinstance(refusal, JsonRefusedError) or self._arguments is None:
            data["body"] = self._body.decode("utf-8", "replace")
        else:
            data["arguments"] = msgspec.Raw(self._body)
        return await self._append(data, refusal.status)

    async def _append(self, data: dict[str, Any], http_status: int, entries: tuple[Entry, ...] = ()) -> bool:
        token = self._run.token
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
            rest=entry_statements(
                run_id=token.run_id, attempt=token.attempt, sequence=self._sequence, entries=entries
            ),
        )
        if not await self._parts.writer.commit(unit):
            return False
        self._run.head = self._sequence
        self._run.tool_calls.add(self._occurred_at)
        self._parts.signals.notify(run_topic(token.run_id))
        return True


def _check_arguments(tool: CompiledTool, arguments: Any) -> None:
    if not isinstance(arguments, dict):
        fault = FieldError(
            loc=(), msg="the body must be the object of the tool's arguments", tool=tool.tool.name
        )
        raise ArgumentsInvalidError([fault])
    if tool.input_schema.is_valid(arguments):
        return
    faults = tool.input_schema.errors(arguments)
    named = [FieldError(loc=fault.loc, msg=fault.msg, tool=tool.tool.name) for fault in faults]
    raise ArgumentsInvalidError(named)

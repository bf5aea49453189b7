"""One tool call, from the checks to the envelope. A call and the ledger entries it caused commit together."""

import logging
import time
from collections.abc import Callable
from datetime import datetime
from typing import Any, NamedTuple

import msgspec
from sqlalchemy.ext.asyncio import AsyncSession
from starlette.datastructures import Headers

from odyssey.agents.compiled import CompiledAgent, CompiledAgents, CompiledTool
from odyssey.core.database import Database, after_commit
from odyssey.core.errors import BodyTooLargeError, JsonRefusedError, OdysseyError, UnsupportedMediaTypeError
from odyssey.core.signals import Signals
from odyssey.identity.models import RunToken
from odyssey.journal.events import append_event, head_of, lock_run
from odyssey.journal.models import RunContext
from odyssey.kit.clock import Clock
from odyssey.kit.json_reader import JsonInvalidError, read_json
from odyssey.proxy.address import ProxyAddress
from odyssey.proxy.admission import admit, check_rate, presented_token, read_actor
from odyssey.proxy.errors import ArgumentsInvalidError, RunTokenInvalidError, ToolUnknownError
from odyssey.proxy.live_runs import LiveRun, LiveRuns
from odyssey.proxy.refusals import count_refusal
from odyssey.records.ledger import Entry, Operation, Violation
from odyssey.records.problems import FieldError
from odyssey.simulation.engine import Engine, ToolCall
from odyssey.simulation.rules import match
from odyssey.simulation.simulate import simulate
from odyssey.worlds.ledger import Ledger
from odyssey.worlds.repository import append_entries

log = logging.getLogger(__name__)

MAX_BODY_BYTES = 1024 * 1024


class ProxyParts(NamedTuple):
    """What serving a call needs; made once by the composition root."""

    database: Database
    agents: CompiledAgents
    live_runs: LiveRuns
    engine: Engine
    signals: Signals
    clock: Clock
    rate_limit: int


class Arrived(NamedTuple):
    """A request as the proxy sees it, its body not yet read."""

    address: ProxyAddress
    headers: Headers
    read_body: Callable[[], Any]


class Answered(NamedTuple):
    """What a call came to: the envelope for the agent, and what the journal keeps beside it."""

    envelope: dict[str, Any]
    operations: tuple[Operation, ...] = ()
    entries: tuple[Entry, ...] = ()
    violations: tuple[Violation, ...] = ()
    ledger: Ledger | None = None


async def call_tool(parts: ProxyParts, arrived: Arrived) -> bytes:
    """Serve one call; raises OdysseyError for what is refused, after it was recorded."""
    started = time.perf_counter()
    token_text = presented_token(arrived.headers)
    async with parts.database.read() as session:
        token = await admit(session, token_text, arrived.address.run, parts.clock())
        await _checked(parts, token, check_rate(session, token, parts.rate_limit, parts.clock()))
    body = await _checked(parts, token, _body(arrived))
    refusal: OdysseyError | None = None
    async with parts.database.write() as session:
        context = await lock_run(session, token.run_id)
        if context is None:
            raise RunTokenInvalidError
        token = await admit(session, token_text, arrived.address.run, parts.clock())
        try:
            await check_rate(session, token, parts.rate_limit, parts.clock())
            answered = await _Call(parts, session, context, token, arrived, body, started).serve()
        except OdysseyError as error:
            refusal = error
    if refusal is not None:
        if refusal.status == 429:
            await count_refusal(parts.database, parts.signals, token, refusal, parts.clock())
        raise refusal
    return msgspec.json.encode(answered.envelope)


async def _checked(parts: ProxyParts, token: RunToken, step: Any) -> Any:
    """Await one of the early checks; what it refuses is counted, not recorded one by one."""
    try:
        return await step
    except OdysseyError as error:
        await count_refusal(parts.database, parts.signals, token, error, parts.clock())
        raise


async def _body(arrived: Arrived) -> bytes:
    if arrived.headers.get("content-encoding", "identity") != "identity":
        raise UnsupportedMediaTypeError("Send the arguments without Content-Encoding.")
    body: bytes | None = await arrived.read_body()
    if body is None:
        raise BodyTooLargeError(f"The arguments are larger than {MAX_BODY_BYTES} bytes.")
    return body


class _Call:
    """A call under the lock of its run."""

    def __init__(
        self,
        parts: ProxyParts,
        session: AsyncSession,
        context: RunContext,
        token: RunToken,
        arrived: Arrived,
        body: bytes,
        started: float,
    ) -> None:
        self._parts = parts
        self._session = session
        self._context = context
        self._token = token
        self._arrived = arrived
        self._body = body
        self._started = started
        self._occurred_at: datetime = parts.clock()
        self._actor: str | None = None
        self._arguments: Any = None

    async def serve(self) -> Answered:
        sequence = await head_of(self._session, self._token.run_id) + 1
        try:
            answered = await self._answer(sequence)
        except OdysseyError as error:
            self._record(sequence, self._refused(error), error.status)
            raise
        self._record(sequence, self._evidence(answered), 200)
        return answered

    async def _answer(self, sequence: int) -> Answered:
        self._actor = read_actor(self._arrived.headers)
        try:
            self._arguments = read_json(self._body)
        except JsonInvalidError as error:
            raise JsonRefusedError(f"The arguments are not valid JSON: {error}.") from error
        agent = await self._parts.agents.get(
            self._session, self._context.agent_id, self._context.agent_version
        )
        tool = agent.tools.get(self._arrived.address.name)
        if tool is None:
            raise ToolUnknownError(self._arrived.address.name)
        _check_arguments(tool, self._arguments)
        run = await self._parts.live_runs.at(self._session, self._context, self._token.attempt, sequence - 1)
        answered = self._injected(tool, run) or self._simulated(agent, tool, run, sequence)
        self._apply(answered, run, sequence)
        return answered

    def _injected(self, tool: CompiledTool, run: LiveRun) -> Answered | None:
        fired = match(run.rules, tool.tool.name, self._arguments)
        if fired is None:
            return None
        return Answered(self._envelope(tool, fired.response, "injected", matched_rule_index=fired.index))

    def _simulated(self, agent: CompiledAgent, tool: CompiledTool, run: LiveRun, sequence: int) -> Answered:
        call = ToolCall(
            tool=tool.tool,
            arguments=self._arguments,
            ledger_schema=agent.ledger_schema,
            random_seed=self._context.random_seed,
            sequence=sequence,
        )
        mode = agent.config.consistency_mode
        done = simulate(self._parts.engine, call, run.ledger, tool.output_schema, mode)
        envelope = self._envelope(tool, done.response, done.source)
        if done.validation is not None:
            envelope["validation"] = done.validation
        applied = done.applied
        return Answered(
            envelope,
            operations=tuple(done.operations),
            entries=() if applied is None else applied.entries,
            violations=tuple(done.violations),
            ledger=None if applied is None else applied.ledger,
        )

    def _envelope(
        self, tool: CompiledTool, response: Any, source: str, *, matched_rule_index: int | None = None
    ) -> dict[str, Any]:
        return {
            "tool_name": tool.tool.name,
            "response": response,
            "source": source,
            "latency_ms": round((time.perf_counter() - self._started) * 1000),
            "matched_rule_index": matched_rule_index,
        }

    def _apply(self, answered: Answered, run: LiveRun, sequence: int) -> None:
        run_id, attempt = self._token.run_id, self._token.attempt
        append_entries(
            self._session, run_id=run_id, attempt=attempt, sequence=sequence, entries=answered.entries
        )
        moved = run._replace(head=sequence, ledger=answered.ledger or run.ledger)
        after_commit(self._session, lambda: self._parts.live_runs.keep(run_id, attempt, moved))

    def _evidence(self, answered: Answered) -> dict[str, Any]:
        data = answered.envelope | {
            "arguments": msgspec.Raw(self._body),
            "operations": answered.operations,
            "http_status": 200,
        }
        return data | ({"violations": answered.violations} if answered.violations else {})

    def _refused(self, error: OdysseyError) -> dict[str, Any]:
        """Keep the body as it arrived where it is JSON, else as text."""
        data: dict[str, Any] = {
            "tool_name": self._arrived.address.name[:128],
            "http_status": error.status,
            "code": error.code,
            "detail": error.detail,
        }
        if isinstance(error, JsonRefusedError) or self._arguments is None:
            return data | {"body": self._body.decode("utf-8", "replace")}
        return data | {"arguments": msgspec.Raw(self._body)}

    def _record(self, sequence: int, data: dict[str, Any], http_status: int) -> None:
        append_event(
            self._session,
            self._parts.signals,
            run_id=self._token.run_id,
            sequence=sequence,
            attempt=self._token.attempt,
            kind="tool_call",
            occurred_at=self._occurred_at,
            data=data,
            actor_id=self._actor,
            http_status=http_status,
        )
        log.debug(
            "tool call", extra={"run_id": self._token.run_id, "jti": self._token.jti, "status": http_status}
        )


def _check_arguments(tool: CompiledTool, arguments: Any) -> None:
    if not isinstance(arguments, dict):
        fault = FieldError(
            loc=(), msg="the body must be the object of the tool's arguments", tool=tool.tool.name
        )
        raise ArgumentsInvalidError([fault])
    faults = tool.input_schema.errors(arguments)
    if faults:
        named = [FieldError(loc=fault.loc, msg=fault.msg, tool=tool.tool.name) for fault in faults]
        raise ArgumentsInvalidError(named)

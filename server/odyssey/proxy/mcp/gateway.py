"""A run's tools over MCP: the run token opens them, the SDK speaks the protocol, the proxy serves the calls.

Every message stands alone, in both protocols: no session is kept, so any process can serve any message.
"""

import asyncio
from typing import Any

import msgspec
from mcp.server.streamable_http_manager import StreamableHTTPSessionManager
from mcp.server.transport_security import TransportSecuritySettings
from starlette.types import Message as AsgiMessage
from starlette.types import Receive, Scope

from odyssey.core.database import StorageUnavailableError
from odyssey.core.errors import OdysseyError, UnsupportedMediaTypeError
from odyssey.proxy.errors import (
    ActorIdInvalidError,
    NotAcceptableError,
    RateLimitedError,
    RunTokenError,
    SimulatorError,
)
from odyssey.proxy.gate import (
    OUTAGES,
    check_rate,
    count_refusal,
    note_outage,
    presented_token,
    read_actor,
    read_body,
)
from odyssey.proxy.live_runs import LiveRun
from odyssey.proxy.mcp.messages import (
    CALL,
    CURRENT,
    HeldAnswer,
    McpAnswer,
    McpExchange,
    Message,
    error_answer,
    read_message,
)
from odyssey.proxy.mcp.server import build_server
from odyssey.proxy.parts import MAX_BODY_BYTES, ProxyParts, ProxyRequest
from odyssey.proxy.trace_events import append_message

# What the journal keeps of messages that are no tool calls: who asked for what, and whether it was refused.

EVENT_TYPE = "mcp"
_LONGEST_METHOD = 128


class _ErrorReply(msgspec.Struct):
    error: dict[str, Any] | None = None


async def keep_message(exchange: McpExchange, answer: McpAnswer) -> None:
    """Keep a message before it is answered; raises OdysseyError if it may not be."""
    method = exchange.message.method
    payload: dict[str, Any] = {"method": method and method[:_LONGEST_METHOD]}
    said = msgspec.json.decode(answer.body, type=_ErrorReply) if answer.body else _ErrorReply()
    if said.error is not None:
        payload["error"] = {"code": said.error.get("code"), "message": said.error.get("message")}
    data = {"event_type": EVENT_TYPE, "payload": payload}
    await _keep(exchange.parts, exchange.run, exchange.arrived, data, answer.status)


async def keep_refusal(
    parts: ProxyParts, run: LiveRun, arrived: ProxyRequest, body: bytes, refusal: OdysseyError
) -> None:
    """Keep what cannot be read as a message, as a text."""
    data: dict[str, Any] = {"event_type": EVENT_TYPE, "body": body.decode("utf-8", "replace")}
    data |= {"http_status": refusal.status, "code": refusal.code, "detail": refusal.detail}
    await _keep(parts, run, arrived, data, refusal.status)


async def _keep(
    parts: ProxyParts, run: LiveRun, arrived: ProxyRequest, data: dict[str, Any], http_status: int
) -> None:
    async with run.lock:
        while True:
            try:
                check_rate(parts, run, arrived)
            except RateLimitedError as refusal:
                await count_refusal(parts, run, arrived, refusal)
                raise
            if await append_message(parts, run, data, parts.clock(), _actor(arrived), http_status):
                return
            await parts.live_runs.bring_up_to_date(run)


def _actor(arrived: ProxyRequest) -> str | None:
    try:
        return read_actor(arrived.headers)
    except ActorIdInvalidError:  # which is what is being recorded
        return None


# Which names the server answers to is decided before the proxy is reached, for all routes alike.
_HOSTS_ARE_CHECKED = TransportSecuritySettings(enable_dns_rebinding_protection=False)


class Gateway:
    """Between `start` and `stop` the SDK has the task group in which it serves."""

    def __init__(self, parts: ProxyParts) -> None:
        self._parts = parts
        self._manager = StreamableHTTPSessionManager(
            build_server(),
            json_response=True,
            stateless=True,
            security_settings=_HOSTS_ARE_CHECKED,
            max_request_body_size=MAX_BODY_BYTES,
        )
        self._running: asyncio.Task[None] | None = None
        self._ready, self._ended = asyncio.Event(), asyncio.Event()

    def start(self) -> None:
        self._running = asyncio.create_task(self._run())

    async def stop(self) -> None:
        self._ended.set()
        if self._running is not None:
            await self._running

    async def _run(self) -> None:
        async with self._manager.run():
            self._ready.set()
            await self._ended.wait()

    async def serve(self, arrived: ProxyRequest, scope: Scope, receive: Receive) -> McpAnswer:
        """Answer one request; raises OdysseyError for what is refused before it is read as a message."""
        try:
            return await self._serve(arrived, scope, receive)
        except OUTAGES:
            note_outage(self._parts, arrived)
            raise

    async def _serve(self, arrived: ProxyRequest, scope: Scope, receive: Receive) -> McpAnswer:
        run = await self._parts.live_runs.admit(presented_token(arrived.headers), arrived.address.run)
        try:
            body = await _json_body(arrived)
        except OdysseyError as refusal:
            async with run.lock:
                await count_refusal(self._parts, run, arrived, refusal)
            raise
        message = None
        try:
            message = await self._read(run, arrived, body)
            exchange = McpExchange(self._parts, run, arrived, message)
            return await self._answer(exchange, scope, _replay(body, receive))
        except (RunTokenError, StorageUnavailableError):
            raise
        except OdysseyError as refusal:
            return error_answer(refusal, message and message.id)

    async def _read(self, run: LiveRun, arrived: ProxyRequest, body: bytes) -> Message:
        try:
            message = read_message(body)
            if message.method != CALL:
                read_actor(arrived.headers)
        except OdysseyError as refusal:
            await keep_refusal(self._parts, run, arrived, body, refusal)
            raise
        return message

    async def _answer(self, exchange: McpExchange, scope: Scope, receive: Receive) -> McpAnswer:
        answer = await self._ask(exchange, scope, receive)
        if exchange.failure is not None:
            raise exchange.failure
        if not exchange.was_called:
            await keep_message(exchange, answer)
        elif isinstance(exchange.refusal, RunTokenError):
            raise exchange.refusal
        elif isinstance(exchange.refusal, RateLimitedError | SimulatorError):
            return answer.refused(exchange.refusal)
        return answer._replace(fault=exchange.fault)

    async def _ask(self, exchange: McpExchange, scope: Scope, receive: Receive) -> McpAnswer:
        await self._ready.wait()
        held, before = HeldAnswer(), CURRENT.set(exchange)
        try:
            await self._manager.handle_request(scope, receive, held)
        finally:
            CURRENT.reset(before)
        answer = held.answer()
        if answer.status == NotAcceptableError.status:  # of which the SDK says nothing in the newer protocol
            return error_answer(NotAcceptableError(), exchange.message.id)
        return answer


async def _json_body(arrived: ProxyRequest) -> bytes:
    if arrived.headers.get("content-type", "").partition(";")[0].strip().lower() != "application/json":
        raise UnsupportedMediaTypeError("Send the message as application/json.")
    return await read_body(arrived)


def _replay(body: bytes, receive: Receive) -> Receive:
    """Receive a body that was read already, and then what else comes."""
    read: list[AsgiMessage] = [{"type": "http.request", "body": body}]

    async def replay() -> AsgiMessage:
        return read.pop() if read else await receive()

    return replay

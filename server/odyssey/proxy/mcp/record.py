"""What the journal keeps of messages that are no tool calls: who asked for what, and whether it was refused."""

from typing import Any

import msgspec

from odyssey.core.errors import OdysseyError
from odyssey.proxy.admission import read_actor
from odyssey.proxy.errors import ActorIdInvalidError, RateLimitedError
from odyssey.proxy.gate import check_rate, count_refusal
from odyssey.proxy.live_runs import LiveRun
from odyssey.proxy.mcp.answers import Answer
from odyssey.proxy.mcp.exchange import Exchange
from odyssey.proxy.parts import Arrived, ProxyParts
from odyssey.proxy.trace_events import append_message

EVENT_TYPE = "mcp"
_LONGEST_METHOD = 128


class _Said(msgspec.Struct):
    error: dict[str, Any] | None = None


async def keep_message(exchange: Exchange, answer: Answer) -> None:
    """Keep a message before it is answered; raises OdysseyError if it may not be."""
    method = exchange.message.method
    payload: dict[str, Any] = {"method": method and method[:_LONGEST_METHOD]}
    said = msgspec.json.decode(answer.body, type=_Said) if answer.body else _Said()
    if said.error is not None:
        payload["error"] = {"code": said.error.get("code"), "message": said.error.get("message")}
    data = {"event_type": EVENT_TYPE, "payload": payload}
    await _keep(exchange.parts, exchange.run, exchange.arrived, data, answer.status)


async def keep_refusal(
    parts: ProxyParts, run: LiveRun, arrived: Arrived, body: bytes, refusal: OdysseyError
) -> None:
    """Keep what cannot be read as a message, as a text."""
    data: dict[str, Any] = {"event_type": EVENT_TYPE, "body": body.decode("utf-8", "replace")}
    data |= {"http_status": refusal.status, "code": refusal.code, "detail": refusal.detail}
    await _keep(parts, run, arrived, data, refusal.status)


async def _keep(
    parts: ProxyParts, run: LiveRun, arrived: Arrived, data: dict[str, Any], http_status: int
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


def _actor(arrived: Arrived) -> str | None:
    try:
        return read_actor(arrived.headers)
    except ActorIdInvalidError:  # which is what is being recorded
        return None

"""What an agent tells of itself while it works: thoughts, messages, handoffs. Never evidence, always kept."""

from datetime import datetime
from typing import Any

import msgspec

from odyssey.core.errors import JsonRefusedError, OdysseyError, ValidationFailedError
from odyssey.journal.events import append_unit, run_topic
from odyssey.kit.clock import read_rfc3339
from odyssey.kit.json_reader import JsonInvalidError, read_json
from odyssey.proxy.errors import RateLimitedError, TraceEventTypeInvalidError
from odyssey.proxy.gate import OUTAGES, check_rate, commit, count_refusal, note_outage, pass_gate, read_actor
from odyssey.proxy.live_runs import LiveRun
from odyssey.proxy.parts import ProxyParts, ProxyRequest
from odyssey.records.problems import FieldError

EVENT_TYPES = (
    "assistant_message",
    "thinking",
    "system_prompt",
    "custom",
    "handoff",
    "subagent_message",
    "subagent_final",
)
_OCCURRED_AT = "__occurred_at"


async def post_trace_event(parts: ProxyParts, arrived: ProxyRequest) -> bytes:
    """Keep one event; raises OdysseyError for what is refused, after it was recorded."""
    try:
        return await _post(parts, arrived)
    except OUTAGES:
        note_outage(parts, arrived)
        raise


async def _post(parts: ProxyParts, arrived: ProxyRequest) -> bytes:
    run, body = await pass_gate(parts, arrived)
    async with run.lock:
        while True:
            event_type = arrived.address.name
            refusal: OdysseyError | None = None
            actor, occurred_at = None, parts.clock()
            try:
                check_rate(parts, run, arrived)
                actor = read_actor(arrived.headers)
                occurred_at = _occurred_at(event_type, body, occurred_at)
                data: dict[str, Any] = {"event_type": event_type, "payload": msgspec.Raw(body)}
            except RateLimitedError as error:
                await count_refusal(parts, run, arrived, error)
                raise
            except OdysseyError as error:
                refusal = error
                data = {"event_type": event_type[:128], "body": body.decode("utf-8", "replace")}
                data |= {"http_status": error.status, "code": error.code, "detail": error.detail}
            status = 200 if refusal is None else refusal.status
            if await append_message(parts, run, data, occurred_at, actor, status):
                if refusal is not None:
                    raise refusal
                return msgspec.json.encode({"accepted": True, "sequence": run.head, "event_type": event_type})
            await parts.live_runs.bring_up_to_date(run)


def _occurred_at(event_type: str, body: bytes, arrived_at: datetime) -> datetime:
    """Check the event and say when it happened: what it says of itself, else its arrival."""
    if event_type not in EVENT_TYPES:
        raise TraceEventTypeInvalidError(event_type, EVENT_TYPES)
    try:
        payload = read_json(body)
    except JsonInvalidError as error:
        raise JsonRefusedError(f"The event is not valid JSON: {error}.") from error
    if not isinstance(payload, dict):
        raise ValidationFailedError([FieldError(loc=(), msg="the body must be an object")])
    stated = payload.get(_OCCURRED_AT)
    if stated is None:
        return arrived_at
    try:
        return read_rfc3339(stated)
    except (ValueError, TypeError, OverflowError) as error:
        message = f"{_OCCURRED_AT} must be a moment with its offset, such as 2026-01-31T12:00:00Z"
        raise ValidationFailedError([FieldError(loc=(_OCCURRED_AT,), msg=message)]) from error


async def append_message(
    parts: ProxyParts,
    run: LiveRun,
    data: dict[str, Any],
    occurred_at: datetime,
    actor: str | None,
    http_status: int,
) -> bool:
    """Append what is no tool call; it counts among the other messages of its minute."""
    token = run.token
    unit = append_unit(
        token_hash=token.token_hash,
        run_id=token.run_id,
        sequence=run.head + 1,
        attempt=token.attempt,
        kind="trace_event",
        occurred_at=occurred_at,
        data=msgspec.json.encode(data),
        actor_id=actor,
        http_status=http_status,
    )
    if not await commit(parts, run, unit):
        return False
    run.head += 1
    run.other_messages.add(parts.clock())
    parts.signals.announce(run_topic(token.run_id))
    return True

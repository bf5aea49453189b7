"""The checks every request passes first: token, run, rate, size. What fails after the token is counted, not kept."""

from odyssey.core.errors import BodyTooLargeError, OdysseyError, UnsupportedMediaTypeError
from odyssey.journal.events import append_unit, count_unit
from odyssey.proxy.admission import presented_token
from odyssey.proxy.errors import RateLimitedError
from odyssey.proxy.live_runs import LiveRun
from odyssey.proxy.outages import commit
from odyssey.proxy.parts import MAX_BODY_BYTES, Arrived, ProxyParts
from odyssey.records.canonical import canonical_json


async def pass_gate(parts: ProxyParts, arrived: Arrived) -> tuple[LiveRun, bytes]:
    """Return the run and the body of a request that may go on."""
    run = await parts.live_runs.admit(presented_token(arrived.headers), arrived.address.run)
    try:
        check_rate(parts, run, arrived)
        return run, await read_body(arrived)
    except OdysseyError as refusal:
        async with run.lock:
            await count_refusal(parts, run, arrived, refusal)
        raise


def check_rate(parts: ProxyParts, run: LiveRun, arrived: Arrived) -> None:
    if arrived.address.what == "tools":
        limit, window = parts.rate_limit, run.tool_calls
    else:
        limit, window = parts.trace_limit, run.other_messages
    wait = window.seconds_to_wait(limit, parts.clock())
    if wait is not None:
        raise RateLimitedError(limit, wait)


async def read_body(arrived: Arrived) -> bytes:
    if arrived.headers.get("content-encoding", "identity") != "identity":
        raise UnsupportedMediaTypeError("Send the body without Content-Encoding.")
    body = await arrived.read_body()
    if body is None:
        raise BodyTooLargeError(f"The body is larger than {MAX_BODY_BYTES} bytes.")
    token = presented_token(arrived.headers).encode("latin-1")
    # Kept as it is, the trace would show whoever may read it how to call on behalf of the agent.
    return body.replace(token, b"[redacted]") if token in body else body


async def count_refusal(parts: ProxyParts, run: LiveRun, arrived: Arrived, refusal: OdysseyError) -> None:
    """Keep one counting event per token, status and minute, without bodies. Call it under the run's lock."""
    now = parts.clock()
    minute = now.replace(second=0, microsecond=0)
    token = run.token
    while True:
        counted = run.counting.get((refusal.status, minute))
        if counted is not None:
            unit = count_unit(token_hash=token.token_hash, run_id=token.run_id, sequence=counted)
        else:
            unit = append_unit(
                token_hash=token.token_hash,
                run_id=token.run_id,
                sequence=run.head + 1,
                attempt=token.attempt,
                kind="tool_call" if arrived.address.what == "tools" else "trace_event",
                occurred_at=now,
                data=canonical_json({"http_status": refusal.status, "code": refusal.code}),
                http_status=refusal.status,
                repeats=1,
            )
        if await commit(parts, run, unit):
            if counted is None:
                run.head += 1
                run.counting[refusal.status, minute] = run.head
            return
        await parts.live_runs.bring_up_to_date(run)

"""The checks every request passes first: token, run, rate, size; and what becomes of it while our database is away."""

import re

from starlette.datastructures import Headers

from odyssey.core.database import StorageUnavailableError
from odyssey.core.errors import BodyTooLargeError, OdysseyError, UnsupportedMediaTypeError
from odyssey.core.group_commit import Unit
from odyssey.identity.keys import token_hash
from odyssey.journal.events import append_unit, count_unit
from odyssey.proxy.errors import (
    ActorIdInvalidError,
    AnswerUnrecordedError,
    RateLimitedError,
    RunTokenInvalidError,
)
from odyssey.proxy.live_runs import LiveRun
from odyssey.proxy.parts import MAX_BODY_BYTES, ProxyParts, ProxyRequest
from odyssey.records.canonical import canonical_json

# Who is at the door: the run token and the actor label, as headers.

_ACTOR = re.compile(r"[A-Za-z0-9_.-]{1,64}(/[A-Za-z0-9_.-]{1,64}){0,7}")


def presented_token(headers: Headers) -> str:
    """Return the one token sent, in either header; two that differ are as good as none."""
    presented = set(headers.getlist("x-pipelines-run-token"))
    for value in headers.getlist("authorization"):
        scheme, _, credentials = value.partition(" ")
        if scheme.lower() == "bearer":
            presented.add(credentials.strip())
    if len(presented) != 1:
        raise RunTokenInvalidError
    return presented.pop()


def read_actor(headers: Headers) -> str | None:
    labels = headers.getlist("x-pipelines-actor-id")
    if not labels:
        return None
    if len(labels) > 1 or not _ACTOR.fullmatch(labels[0]):
        raise ActorIdInvalidError
    return labels[0]


# What becomes of a request while our database is away: the agent is told, and its attempt will not be measured.

OUTAGES = (StorageUnavailableError, AnswerUnrecordedError)
"""What a request is answered that an outage of ours has spoilt."""


def note_outage(parts: ProxyParts, arrived: ProxyRequest) -> None:
    """Hold an outage against us, not against the run whose request was spoilt by it."""
    digest = token_hash(presented_token(arrived.headers))
    parts.faults.note(digest, "storage_unavailable", is_known=parts.live_runs.knows(digest))


async def commit(parts: ProxyParts, run: LiveRun, unit: Unit) -> bool:
    """Have a unit of a run written; a wait that is too long is a fault of ours."""
    wait = parts.faults.begin_wait(run.token.token_hash)
    try:
        return await parts.writer.commit(unit)
    finally:
        parts.faults.end_wait(wait)


# The checks every request passes first: token, run, rate, size. What fails after the token is counted, not kept.


async def pass_gate(parts: ProxyParts, arrived: ProxyRequest) -> tuple[LiveRun, bytes]:
    """Return the run and the body of a request that may go on."""
    run = await parts.live_runs.admit(presented_token(arrived.headers), arrived.address.run)
    try:
        check_rate(parts, run, arrived)
        return run, await read_body(arrived)
    except OdysseyError as refusal:
        async with run.lock:
            await count_refusal(parts, run, arrived, refusal)
        raise


def check_rate(parts: ProxyParts, run: LiveRun, arrived: ProxyRequest) -> None:
    if arrived.address.what == "tools":
        limit, window = parts.rate_limit, run.tool_calls
    else:
        limit, window = parts.trace_limit, run.other_messages
    wait = window.seconds_to_wait(limit, parts.clock())
    if wait is not None:
        raise RateLimitedError(limit, wait)


async def read_body(arrived: ProxyRequest) -> bytes:
    if arrived.headers.get("content-encoding", "identity") != "identity":
        raise UnsupportedMediaTypeError("Send the body without Content-Encoding.")
    body = await arrived.read_body()
    if body is None:
        raise BodyTooLargeError(f"The body is larger than {MAX_BODY_BYTES} bytes.")
    token = presented_token(arrived.headers).encode("latin-1")
    # Kept as it is, the trace would show whoever may read it how to call on behalf of the agent.
    return body.replace(token, b"[redacted]") if token in body else body


async def count_refusal(
    parts: ProxyParts, run: LiveRun, arrived: ProxyRequest, refusal: OdysseyError
) -> None:
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

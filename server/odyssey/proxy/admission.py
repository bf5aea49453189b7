"""Who is at the door: the run token, and whether it may call now."""

import math
import re
from datetime import datetime, timedelta

from sqlalchemy import select
from sqlalchemy.ext.asyncio import AsyncSession
from starlette.datastructures import Headers

from odyssey.identity.models import RunToken
from odyssey.identity.run_tokens import find_run_token
from odyssey.journal.models import Event
from odyssey.proxy.errors import (
    ActorIdInvalidError,
    RateLimitedError,
    RunTokenExpiredError,
    RunTokenInvalidError,
    RunTokenRevokedError,
)

RATE_WINDOW = timedelta(seconds=60)
NOT_COUNTED = (413, 429)

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


async def admit(session: AsyncSession, token: str, run_segment: str | None, now: datetime) -> RunToken:
    found = await find_run_token(session, token)
    if found is None or (run_segment is not None and run_segment != str(found.run_id)):
        raise RunTokenInvalidError
    if found.revoked_at is not None:
        raise RunTokenRevokedError
    if found.expires_at <= now:
        raise RunTokenExpiredError
    return found


async def check_rate(session: AsyncSession, token: RunToken, limit: int, now: datetime) -> None:
    """Refuse the call that would be one too many in the last sixty seconds."""
    oldest_that_counts = (
        select(Event.occurred_at)
        .where(
            Event.run_id == token.run_id,
            Event.attempt == token.attempt,
            Event.kind == "tool_call",
            Event.http_status.not_in(NOT_COUNTED),
        )
        .order_by(Event.sequence.desc())
        .offset(limit - 1)
        .limit(1)
    )
    occurred_at = await session.scalar(oldest_that_counts)
    if occurred_at is not None and occurred_at > now - RATE_WINDOW:
        raise RateLimitedError(limit, max(1, math.ceil((occurred_at + RATE_WINDOW - now).total_seconds())))


def read_actor(headers: Headers) -> str | None:
    labels = headers.getlist("x-pipelines-actor-id")
    if not labels:
        return None
    if len(labels) > 1 or not _ACTOR.fullmatch(labels[0]):
        raise ActorIdInvalidError
    return labels[0]

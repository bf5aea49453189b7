"""Calls that are too many or too large: one counting event per token and minute, without bodies."""

from datetime import datetime

import msgspec
from sqlalchemy import select, update
from sqlalchemy.ext.asyncio import AsyncSession

from odyssey.core.database import Database
from odyssey.core.errors import OdysseyError
from odyssey.core.signals import Signals
from odyssey.identity.models import RunToken
from odyssey.journal.events import append_event, head_of, lock_run
from odyssey.journal.models import Event


async def count_refusal(
    database: Database, signals: Signals, token: RunToken, error: OdysseyError, now: datetime
) -> None:
    minute = now.replace(second=0, microsecond=0)
    async with database.write() as session:
        await lock_run(session, token.run_id)
        counted = await _counted(session, token, error.status, minute)
        if counted is not None:
            data = msgspec.json.decode(counted.data)
            data["count"] += 1
            counting = update(Event).where(Event.run_id == token.run_id, Event.sequence == counted.sequence)
            await session.execute(counting.values(data=msgspec.json.encode(data).decode("utf-8")))
            return
        append_event(
            session,
            signals,
            run_id=token.run_id,
            sequence=await head_of(session, token.run_id) + 1,
            attempt=token.attempt,
            kind="tool_call",
            occurred_at=now,
            data={"http_status": error.status, "code": error.code, "count": 1},
            http_status=error.status,
        )


async def _counted(session: AsyncSession, token: RunToken, status: int, minute: datetime) -> Event | None:
    statement = select(Event).where(
        Event.run_id == token.run_id,
        Event.attempt == token.attempt,
        Event.http_status == status,
        Event.occurred_at >= minute,
        Event.kind == "tool_call",
    )
    return (await session.scalars(statement.order_by(Event.sequence.desc()).limit(1))).first()

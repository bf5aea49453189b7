"""The audit log: every change leaves one entry in its own transaction."""

from typing import Any

from sqlalchemy.ext.asyncio import AsyncSession

from odyssey.core.logging import request_id
from odyssey.identity.caller import Caller
from odyssey.identity.models import AuditEntry
from odyssey.kit.clock import Clock
from odyssey.records.canonical import content_hash


def record_change(
    session: AsyncSession,
    caller: Caller,
    clock: Clock,
    action: str,
    *,
    object_type: str,
    object_id: str | int,
    before: Any = None,
    after: Any = None,
) -> None:
    """Note who did what to which object; content appears only as a hash."""
    session.add(
        AuditEntry(
            org_id=caller.org_id,
            person_id=caller.person_id,
            key_id=caller.key_id,
            action=action,
            object_type=object_type,
            object_id=str(object_id),
            before_hash=None if before is None else content_hash(before),
            after_hash=None if after is None else content_hash(after),
            request_id=request_id.get(),
            occurred_at=clock(),
        )
    )

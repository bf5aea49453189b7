"""Who is calling, what that person may do, and the log of what they changed."""

from datetime import datetime
from enum import IntEnum
from typing import Any

import msgspec
from sqlalchemy.ext.asyncio import AsyncSession

from odyssey.core.logging import request_id
from odyssey.identity.models import AuditEntry
from odyssey.kit.clock import Clock
from odyssey.records.canonical import content_hash


class Role(IntEnum):
    """Each role may do all that the ones below it may."""

    viewer = 1
    member = 2
    admin = 3


class Caller(msgspec.Struct, frozen=True):
    org_id: int
    person_id: int
    role: Role
    key_id: str | None = None
    """The API key used; None for a person's own token."""
    session_hash: str | None = None
    """The browser session used, by the hash of its token."""
    password_version: int | None = None
    """Of a person's own token: the password under which it was issued."""
    expires_at: datetime | None = None
    """When the session or the token ends by itself; a key does not."""

    @property
    def label(self) -> str:
        return f"person:{self.person_id}:key:{self.key_id or '-'}"


# The audit log: every change leaves one entry in its own transaction.


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

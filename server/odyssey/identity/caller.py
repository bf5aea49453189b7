"""Who is calling, and what that person may do."""

from datetime import datetime
from enum import IntEnum

import msgspec


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

"""Time as something that is passed in, always in UTC."""

from collections.abc import Callable
from datetime import UTC, datetime

Clock = Callable[[], datetime]


def utc_now() -> datetime:
    return datetime.now(UTC)


def rfc3339(moment: datetime) -> str:
    """Render a moment the one way the API does: RFC 3339, microseconds, `Z`."""
    return moment.astimezone(UTC).isoformat(timespec="microseconds").replace("+00:00", "Z")


def read_rfc3339(text: str) -> datetime:
    """Read an ISO-8601 moment that states its offset; raises ValueError otherwise."""
    moment = datetime.fromisoformat(text)
    if moment.tzinfo is None:
        raise ValueError(f"{text!r} has no time zone; write for example 2026-01-31T12:00:00Z")
    return moment.astimezone(UTC)

"""Time as something that is passed in, always in UTC."""

import time
from collections.abc import Callable
from datetime import UTC, datetime, timedelta

Clock = Callable[[], datetime]

_EPOCH = datetime(1970, 1, 1, tzinfo=UTC)
_LAST_MICROSECOND = (datetime.max.replace(tzinfo=UTC) - _EPOCH) // timedelta(microseconds=1)


def utc_now() -> datetime:
    return datetime.now(UTC)


def microseconds(moment: datetime) -> int:
    """Count from 1970, as a key to page by."""
    return (moment - _EPOCH) // timedelta(microseconds=1)


def from_microseconds(count: int) -> datetime:
    return _EPOCH + timedelta(microseconds=min(count, _LAST_MICROSECOND))


def rfc3339(moment: datetime) -> str:
    """Render a moment the one way the API does: RFC 3339, microseconds, `Z`."""
    return moment.astimezone(UTC).isoformat(timespec="microseconds").replace("+00:00", "Z")


def read_rfc3339(text: str) -> datetime:
    """Read an ISO-8601 moment that states its offset; raises ValueError otherwise."""
    moment = datetime.fromisoformat(text)
    if moment.tzinfo is None:
        raise ValueError(f"{text!r} has no time zone; write for example 2026-01-31T12:00:00Z")
    return moment.astimezone(UTC)


def milliseconds_since(counter: float) -> int:
    """Count whole milliseconds since a moment of `time.perf_counter`: never more than have passed."""
    return int((time.perf_counter() - counter) * 1000)

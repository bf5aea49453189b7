"""Who works on what: one pure step decides claim, lease, retry and cancel.

`step(work, event)` gives the next state and what to do in the same transaction. Whoever drives it stores the state by
compare-and-swap, so that of two owners who saw the same state only one goes on.
"""

from datetime import datetime, timedelta
from enum import Enum
from typing import Literal

import msgspec

MAX_ATTEMPTS = 3

Status = Literal["pending", "running", "completed", "failed", "cancelled"]
TERMINAL: frozenset[Status] = frozenset({"completed", "failed", "cancelled"})


class Work(msgspec.Struct, frozen=True):
    """All the scheduler knows of one piece of work."""

    status: Status = "pending"
    attempt: int = 0
    owner: str | None = None
    lease_until: datetime | None = None


class Claim(msgspec.Struct, frozen=True):
    owner: str
    now: datetime


class Renew(msgspec.Struct, frozen=True):
    owner: str
    attempt: int
    now: datetime


class Finish(msgspec.Struct, frozen=True):
    owner: str
    attempt: int
    status: Literal["completed", "failed"]


class Release(msgspec.Struct, frozen=True):
    """The owner gives its work back: because it stops, or because the attempt met a fault of ours."""

    owner: str
    attempt: int
    because: Literal["released", "platform_fault"] = "released"


class Cancel(msgspec.Struct, frozen=True):
    pass


Event = Claim | Renew | Finish | Release | Cancel


class Command(Enum):
    REVOKE_TOKENS = "revoke the tokens of every attempt so far"
    START = "begin the attempt this work now names"
    RECORD = "store the result of this attempt"
    GIVE_UP = "every attempt was lost: record an internal error"
    ABORT = "this owner no longer holds the work: stop and drop the result"


Step = tuple[Work, tuple[Command, ...]]


def step(work: Work, event: Event, lease: timedelta) -> Step:
    # With a lease of 30 s: at 0 s `a` claims pending work (running, attempt 1). At 20 s `b` claims it: nothing, the
    # lease holds. `a` falls silent; at 30 s `b` claims it again (attempt 2, tokens of attempt 1 revoked). At 31 s `a`
    # comes back and renews attempt 1: ABORT, its result is dropped. `b` finishes attempt 2: completed.
    match event:
        case Claim(owner, now):
            return _claim(work, owner, now, lease)
        case Cancel():
            return _cancel(work)
        case _ if not (
            work.status == "running" and (work.owner, work.attempt) == (event.owner, event.attempt)
        ):
            return work, (Command.ABORT,)
        case Renew(now=now):
            return msgspec.structs.replace(work, lease_until=now + lease), ()
        case Finish(status=status):
            ended = Work(status=status, attempt=work.attempt)
            return ended, (Command.REVOKE_TOKENS, Command.RECORD)
        case Release():
            return Work(status="pending", attempt=work.attempt), (Command.REVOKE_TOKENS,)


def _claim(work: Work, owner: str, now: datetime, lease: timedelta) -> Step:
    lost = work.status == "running" and work.lease_until is not None and work.lease_until <= now
    if work.status != "pending" and not lost:
        return work, ()
    if work.attempt >= MAX_ATTEMPTS:
        return Work(status="failed", attempt=work.attempt), (Command.REVOKE_TOKENS, Command.GIVE_UP)
    started = Work(status="running", attempt=work.attempt + 1, owner=owner, lease_until=now + lease)
    return started, (Command.REVOKE_TOKENS, Command.START)


def _cancel(work: Work) -> Step:
    if work.status in TERMINAL:
        return work, ()
    return Work(status="cancelled", attempt=work.attempt), (Command.REVOKE_TOKENS,)

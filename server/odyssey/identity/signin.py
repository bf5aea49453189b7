"""Who a person is by their password, and how often that may be tried.

A try is counted as a failure before it is checked and taken back if it was right, so that tries made at once cannot get
past a limit together. Both limits slide. A stranger can use up a person's and thereby close the way by password, for as
long as they go on; the ways by sign-in link, API key and session are not counted and stay open.
"""

import asyncio
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from datetime import datetime, timedelta
from functools import cache
from math import ceil

from argon2 import PasswordHasher
from argon2.exceptions import InvalidHashError, VerifyMismatchError
from sqlalchemy.ext.asyncio import AsyncSession

from odyssey.core.database import Database
from odyssey.core.errors import AuthRequiredError, TooManyRequestsError
from odyssey.identity.keys import LIFETIME, MasterKey, PersonToken, issue_person_token, token_hash
from odyssey.identity.models import Person, SigninFailure
from odyssey.identity.repository import (
    count_signin_failures,
    forget_signin_failure,
    forget_signin_failures,
    lock_signins,
    people_with_email,
)
from odyssey.identity.schemas import SignedIn
from odyssey.kit.clock import Clock

# Passwords, argon2id. Hashing takes a tenth of a second on purpose, so it never runs on the event loop.

HASHER = PasswordHasher()


async def hash_password(password: str) -> str:
    return await asyncio.to_thread(HASHER.hash, password)


async def password_matches(password_hash: str | None, password: str) -> bool:
    """Compare in the same time whether or not there is a password to compare with."""
    return await asyncio.to_thread(_verify, password_hash, password)


def _verify(password_hash: str | None, password: str) -> bool:
    try:
        HASHER.verify(password_hash or _nobody(), password)
    except (VerifyMismatchError, InvalidHashError):
        return False
    return password_hash is not None


@cache
def _nobody() -> str:
    """Make a hash to compare with where there is none; not on import, which every command would wait for."""
    return HASHER.hash("nobody has this password")


_ADDRESS_WINDOW = timedelta(minutes=1)
_ADDRESS_LIMIT = 10
_PERSON_WINDOW = timedelta(minutes=15)
_PERSON_LIMIT = 20


class WrongPasswordError(AuthRequiredError):
    def __init__(self) -> None:
        super().__init__("The e-mail address or the password is wrong.")


class SigninAttempt:
    """One try from one address."""

    def __init__(self, database: Database, clock: Clock, address: str) -> None:
        self.database = database
        self.clock = clock
        self._address = address

    @asynccontextmanager
    async def counted(self, email: str) -> AsyncIterator[None]:
        """Refuse what comes after too many failures; a block that raises is one more, however it ends."""
        failure_id = await self.count_failure(email)
        yield
        async with self.database.write() as session:
            await forget_signin_failure(session, failure_id)

    async def count_failure(self, email: str | None = None) -> int:
        """Note a failure, or refuse it if there were too many before; returns its id."""
        email_hash = None if email is None else token_hash(email)
        async with self.database.write() as session:
            now = self.clock()
            await lock_signins(session)
            await self._check_limits(session, now, email_hash)
            await forget_signin_failures(session, now - _PERSON_WINDOW)
            failure = SigninFailure(address=self._address, email_hash=email_hash, occurred_at=now)
            session.add(failure)
        return failure.id

    async def _check_limits(self, session: AsyncSession, now: datetime, email_hash: str | None) -> None:
        number, first_at = await count_signin_failures(session, now - _ADDRESS_WINDOW, address=self._address)
        if number >= _ADDRESS_LIMIT:
            wait_s = _left(first_at, _ADDRESS_WINDOW, now)
            raise TooManyRequestsError(
                "Too many failed sign-ins from this address; wait a minute.", retry_after_s=wait_s
            )
        if email_hash is None:
            return
        number, first_at = await count_signin_failures(session, now - _PERSON_WINDOW, email_hash=email_hash)
        if number >= _PERSON_LIMIT:
            wait_s = _left(first_at, _PERSON_WINDOW, now)
            raise TooManyRequestsError(
                f"Too many failed sign-ins with this e-mail address; wait {ceil(wait_s / 60)} min, "
                "or sign in with a link, which `odyssey signin-link` makes.",
                retry_after_s=wait_s,
            )


def _left(first_at: datetime | None, window: timedelta, now: datetime) -> int:
    """Seconds until the oldest failure no longer counts."""
    return 1 if first_at is None else max(1, ceil((first_at + window - now).total_seconds()))


async def sign_in(attempt: SigninAttempt, master: MasterKey, *, email: str, password: str) -> SignedIn:
    person = await person_by_password(attempt, email=email, password=password)
    holder = PersonToken(person.id, person.org_id, person.password_version)
    token = issue_person_token(master, holder, attempt.clock())
    return SignedIn(access_token=token, expires_in=int(LIFETIME.total_seconds()))


async def person_by_password(attempt: SigninAttempt, *, email: str, password: str) -> Person:
    """Find whose password it is; what is returned is the person as the password was checked."""
    async with attempt.counted(email):
        async with attempt.database.read() as session:
            candidates = await people_with_email(session, email)
        person = await _whose_password(list(candidates), password)
        if person is None:
            raise WrongPasswordError
    return person


async def _whose_password(candidates: list[Person], password: str) -> Person | None:
    """Several orgs may know one address; the password tells which person is meant."""
    if not candidates:
        await password_matches(None, password)
    for person in candidates:
        if await password_matches(person.password_hash, password):
            return person
    return None

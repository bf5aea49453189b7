"""Sessions of browsers: begun by a sign-in link or a password, ended by their person or a new password."""

from datetime import datetime, timedelta
from typing import NamedTuple

from sqlalchemy.ext.asyncio import AsyncSession

from odyssey.core.database import after_commit
from odyssey.core.errors import AuthRequiredError, ConflictError, NotFoundError, ValidationFailedError
from odyssey.core.signals import Signals
from odyssey.identity.caller import Caller, Role, record_change
from odyssey.identity.keys import token_hash
from odyssey.identity.models import BrowserSession, Org, Person, SigninLink
from odyssey.identity.open_streams import ACCESS_TOPIC
from odyssey.identity.repository import (
    end_browser_sessions,
    find_org,
    find_person,
    forget_expired_sessions,
    forget_signin_links,
    lock_person,
    use_signin_link,
)
from odyssey.identity.signin import (
    SigninAttempt,
    WrongPasswordError,
    hash_password,
    password_matches,
    person_by_password,
)
from odyssey.identity.site import SESSION_LIFETIME
from odyssey.kit.clock import Clock
from odyssey.kit.ids import new_browser_token
from odyssey.records.problems import FieldError

LINK_LIFETIME = timedelta(minutes=15)


class BegunSession(NamedTuple):
    token: str
    person: Person
    org: Org
    expires_at: datetime


async def create_signin_link(session: AsyncSession, clock: Clock, person: Person) -> str:
    """Make a link's token; it is returned and exists nowhere else in clear."""
    token, now = new_browser_token(), clock()
    await lock_person(session, person.id)
    await forget_signin_links(session, person.id, before=now)
    session.add(
        SigninLink(
            token_hash=token_hash(token),
            org_id=person.org_id,
            person_id=person.id,
            expires_at=now + LINK_LIFETIME,
        )
    )
    return token


async def begin_session_by_link(attempt: SigninAttempt, link: str) -> BegunSession:
    """Begin by a link. A right one is let in however many tries failed before: nobody can guess one."""
    async with attempt.database.write() as session:
        person = await use_signin_link(session, token_hash(link), attempt.clock())
        if person is not None:
            return await _begin(session, attempt.clock, person, "session.begin_by_link")
    await attempt.count_failure()
    raise AuthRequiredError(
        "This sign-in link is not valid: a link works once, within 15 minutes. "
        "Make another with `odyssey signin-link`."
    )


async def begin_session_by_password(attempt: SigninAttempt, *, email: str, password: str) -> BegunSession:
    checked = await person_by_password(attempt, email=email, password=password)
    async with attempt.database.write() as session:
        person = await lock_person(session, checked.id)
        if person is None or person.password_version != checked.password_version:
            raise WrongPasswordError  # changed while it was being checked: the change ended what it opened
        return await _begin(session, attempt.clock, person, "session.begin_by_password")


async def _begin(session: AsyncSession, clock: Clock, person: Person, action: str) -> BegunSession:
    token, now = new_browser_token(), clock()
    row = _session_row(token, person, now)
    await forget_expired_sessions(session, person.id, now)
    session.add(row)
    caller = Caller(person.org_id, person.id, Role[person.role], session_hash=row.token_hash)
    record_change(session, caller, clock, action, object_type="person", object_id=person.id)
    org = await find_org(session, person.org_id)
    assert org is not None
    return BegunSession(token, person, org, row.expires_at)


def _session_row(token: str, person: Person, now: datetime) -> BrowserSession:
    return BrowserSession(
        token_hash=token_hash(token),
        org_id=person.org_id,
        person_id=person.id,
        created_at=now,
        expires_at=now + SESSION_LIFETIME,
    )


async def change_own_password(
    attempt: SigninAttempt, signals: Signals, caller: Caller, *, password: str, current_password: str | None
) -> str | None:
    """Change it as `set_password` does; returns the token of the browser's new session, if a browser asked."""
    checked = await _checked_person(attempt, caller, current_password)
    password_hash = await hash_password(password)
    async with attempt.database.write() as session:
        person = await lock_person(session, caller.person_id)
        if person is None or person.password_version != checked.password_version:
            raise ConflictError("The password was changed by somebody else at the same moment.")
        return await set_password(session, signals, caller, attempt.clock, person, password_hash)


async def _checked_person(attempt: SigninAttempt, caller: Caller, current_password: str | None) -> Person:
    """Return the caller once they have shown that they know their password, if they have one."""
    async with attempt.database.read() as session:
        person = await find_person(session, caller.org_id, caller.person_id)
    if person is None:
        raise NotFoundError
    if person.password_hash is None:
        return person
    if current_password is None:
        raise _current_password_fault("is required, because you have a password")
    async with attempt.counted(person.email):
        if not await password_matches(person.password_hash, current_password):
            raise _current_password_fault("is not your password")
    return person


async def set_password(
    session: AsyncSession,
    signals: Signals,
    caller: Caller,
    clock: Clock,
    person: Person,
    password_hash: str,
) -> str | None:
    """Change the password of a locked person; whatever the old one had opened ends.

    A browser in which people change their own gets a new session, whose token is returned: somebody else may have
    copied the cookie of the old one.
    """
    person.password_hash = password_hash
    person.password_version += 1
    await session.flush()
    await end_browser_sessions(session, person.id)
    await forget_signin_links(session, person.id)
    record_change(session, caller, clock, "person.password", object_type="person", object_id=person.id)
    after_commit(session, lambda: signals.announce(ACCESS_TOPIC))
    if caller.session_hash is None or caller.person_id != person.id:
        return None
    token = new_browser_token()
    session.add(_session_row(token, person, clock()))
    return token


def _current_password_fault(fault: str) -> ValidationFailedError:
    return ValidationFailedError([FieldError(loc=("current_password",), msg=f"current_password: {fault}")])

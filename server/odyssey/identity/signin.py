"""A person's password for a person's token, ten mistakes a minute."""

from datetime import timedelta

from odyssey.core.database import Database
from odyssey.core.errors import AuthRequiredError, TooManyRequestsError
from odyssey.identity.keys import MasterKey
from odyssey.identity.models import Person, SigninFailure
from odyssey.identity.passwords import password_matches
from odyssey.identity.people_tokens import LIFETIME, issue_person_token
from odyssey.identity.repository import count_signin_failures, forget_signin_failures, people_with_email
from odyssey.identity.schemas import SignedIn
from odyssey.kit.clock import Clock

_WINDOW = timedelta(minutes=1)
_MAX_FAILURES = 10


async def sign_in(
    database: Database, master: MasterKey, clock: Clock, *, address: str, email: str, password: str
) -> SignedIn:
    async with database.read() as session:
        if await count_signin_failures(session, address, clock() - _WINDOW) >= _MAX_FAILURES:
            raise TooManyRequestsError(
                "Too many failed sign-ins from this address; wait a minute.", retry_after_s=60
            )
        candidates = await people_with_email(session, email)
    person = await _whose_password(list(candidates), password)
    if person is None:
        async with database.write() as session:
            await forget_signin_failures(session, clock() - _WINDOW)
            session.add(SigninFailure(address=address, occurred_at=clock()))
        raise AuthRequiredError("The e-mail address or the password is wrong.")
    token = issue_person_token(master, person_id=person.id, org_id=person.org_id, now=clock())
    return SignedIn(access_token=token, expires_in=int(LIFETIME.total_seconds()))


async def _whose_password(candidates: list[Person], password: str) -> Person | None:
    """Several orgs may know one address; the password tells which person is meant."""
    if not candidates:
        await password_matches(None, password)
    for person in candidates:
        if await password_matches(person.password_hash, password):
            return person
    return None

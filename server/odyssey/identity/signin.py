"""Who a person is by their password, ten mistakes a minute and address."""

from datetime import timedelta

from odyssey.core.database import Database
from odyssey.core.errors import AuthRequiredError, TooManyRequestsError
from odyssey.identity.keys import MasterKey
from odyssey.identity.models import Person, SigninFailure
from odyssey.identity.passwords import password_matches
from odyssey.identity.people_tokens import LIFETIME, PersonToken, issue_person_token
from odyssey.identity.repository import count_signin_failures, forget_signin_failures, people_with_email
from odyssey.identity.schemas import SignedIn
from odyssey.kit.clock import Clock

_WINDOW = timedelta(minutes=1)
_MAX_FAILURES = 10


class WrongPasswordError(AuthRequiredError):
    def __init__(self) -> None:
        super().__init__("The e-mail address or the password is wrong.")


class SigninAttempt:
    """One try from one address: refused after too many failures, and counted if it fails."""

    def __init__(self, database: Database, clock: Clock, address: str) -> None:
        self.database = database
        self.clock = clock
        self._address = address

    async def check_allowed(self) -> None:
        async with self.database.read() as session:
            failures = await count_signin_failures(session, self._address, self.clock() - _WINDOW)
        if failures >= _MAX_FAILURES:
            raise TooManyRequestsError(
                "Too many failed sign-ins from this address; wait a minute.", retry_after_s=60
            )

    async def count_failure(self) -> None:
        async with self.database.write() as session:
            await forget_signin_failures(session, self.clock() - _WINDOW)
            session.add(SigninFailure(address=self._address, occurred_at=self.clock()))


async def sign_in(attempt: SigninAttempt, master: MasterKey, *, email: str, password: str) -> SignedIn:
    person = await person_by_password(attempt, email=email, password=password)
    holder = PersonToken(person.id, person.org_id, person.password_version)
    token = issue_person_token(master, holder, attempt.clock())
    return SignedIn(access_token=token, expires_in=int(LIFETIME.total_seconds()))


async def person_by_password(attempt: SigninAttempt, *, email: str, password: str) -> Person:
    """Find whose password it is; what is returned is the person as the password was checked."""
    await attempt.check_allowed()
    async with attempt.database.read() as session:
        candidates = await people_with_email(session, email)
    person = await _whose_password(list(candidates), password)
    if person is None:
        await attempt.count_failure()
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

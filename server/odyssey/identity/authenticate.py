"""From headers, or a browser's cookie, to a caller. Every secret is hashed before it meets a query."""

from datetime import datetime

from starlette.requests import Request

from odyssey.core.database import Database
from odyssey.core.errors import AuthRequiredError
from odyssey.identity.caller import Caller, Role
from odyssey.identity.keys import TokenRefusedError, read_person_token, token_hash
from odyssey.identity.models import Person
from odyssey.identity.repository import find_browser_session, find_caller_by_key_hash, find_person
from odyssey.identity.site import Site, csrf_token
from odyssey.identity.vault import Vault
from odyssey.kit.ids import API_KEY_PREFIX

_HOW = "Send an API key (Authorization: Bearer pk_live_… or X-API-Key), or a token from POST /api/auth/token."


async def authenticate(request: Request) -> Caller:
    """Find the caller by the headers; only a request without any is known by the session's cookie."""
    secret = _presented_secret(request)
    if secret is None:
        return await _by_session(request)
    database: Database = request.app.state.database
    vault: Vault = request.app.state.vault
    async with database.read() as session:
        if secret.startswith(API_KEY_PREFIX):
            caller = await find_caller_by_key_hash(session, token_hash(secret))
        else:
            try:
                now = request.app.state.clock()
                token, expires_at = read_person_token(vault.master, secret, now)
            except TokenRefusedError:
                raise AuthRequiredError(f"The token is not valid or its time is over. {_HOW}") from None
            person = await find_person(session, token.org_id, token.person_id)
            if person is not None and person.password_version != token.password_version:
                raise AuthRequiredError(
                    "The password was changed after this token was issued. Sign in again."
                )
            caller = None if person is None else _by_token(person, expires_at)
    if caller is None:
        raise AuthRequiredError(f"The key or token is not known. {_HOW}")
    return caller


async def _by_session(request: Request) -> Caller:
    site: Site = request.app.state.site
    token = site.session_token(request)
    if token is None:
        raise AuthRequiredError(f"No key or token was sent. {_HOW}")
    database: Database = request.app.state.database
    vault: Vault = request.app.state.vault
    async with database.read() as session:
        found = await find_browser_session(session, token_hash(token), request.app.state.clock())
    if found is None:
        raise AuthRequiredError("The session is over. Sign in again.")
    site.check_may_write(request, csrf_token(vault.master, token))
    begun, person = found
    return Caller(
        person.org_id,
        person.id,
        Role[person.role],
        session_hash=begun.token_hash,
        expires_at=begun.expires_at,
    )


def _by_token(person: Person, expires_at: datetime) -> Caller:
    return Caller(
        person.org_id,
        person.id,
        Role[person.role],
        password_version=person.password_version,
        expires_at=expires_at,
    )


def _presented_secret(request: Request) -> str | None:
    presented = set()
    for value in request.headers.getlist("authorization"):
        scheme, _, credentials = value.partition(" ")
        if scheme.lower() == "bearer":
            presented.add(credentials.strip())
    presented.update(request.headers.getlist("x-api-key"))
    if len(presented) > 1:
        raise AuthRequiredError(f"Different keys were sent in one request. {_HOW}")
    return presented.pop() if presented else None

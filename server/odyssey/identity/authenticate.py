"""From headers to a caller. Every secret is hashed before it meets a query; only bound parameters are used."""

from starlette.requests import Request

from odyssey.core.database import Database
from odyssey.core.errors import AuthRequiredError
from odyssey.identity.caller import Caller, Role
from odyssey.identity.keys import token_hash
from odyssey.identity.people_tokens import TokenRefusedError, read_person_token
from odyssey.identity.repository import find_caller_by_key_hash, find_person
from odyssey.identity.vault import Vault
from odyssey.kit.ids import API_KEY_PREFIX

_HOW = "Send an API key (Authorization: Bearer pk_live_… or X-API-Key), or a token from POST /api/auth/token."


async def authenticate(request: Request) -> Caller:
    secret = _presented_secret(request)
    database: Database = request.app.state.database
    vault: Vault = request.app.state.vault
    async with database.read() as session:
        if secret.startswith(API_KEY_PREFIX):
            caller = await find_caller_by_key_hash(session, token_hash(secret))
        else:
            try:
                person_id, org_id = read_person_token(vault.master, secret)
            except TokenRefusedError:
                raise AuthRequiredError(f"The token is not valid or its time is over. {_HOW}") from None
            person = await find_person(session, org_id, person_id)
            caller = None if person is None else Caller(org_id, person.id, Role[person.role])
    if caller is None:
        raise AuthRequiredError(f"The key or token is not known. {_HOW}")
    return caller


def _presented_secret(request: Request) -> str:
    presented = set()
    for value in request.headers.getlist("authorization"):
        scheme, _, credentials = value.partition(" ")
        if scheme.lower() == "bearer":
            presented.add(credentials.strip())
    presented.update(request.headers.getlist("x-api-key"))
    if len(presented) != 1:
        problem = "No key or token was sent." if not presented else "Different keys were sent in one request."
        raise AuthRequiredError(f"{problem} {_HOW}")
    return presented.pop()

"""Every route states who may call it, in its signature: `caller: Member`. A route that does not cannot be built.

The order is fixed here: who calls, then whether they may, then the body as strict JSON, then the route.
"""

import re
from collections.abc import AsyncIterator, Callable, Coroutine, Iterator
from datetime import datetime
from types import NoneType
from typing import Annotated, Any, get_args

from fastapi import APIRouter, Depends, Request, Security
from fastapi.dependencies.models import Dependant
from fastapi.openapi.models import HTTPBearer
from fastapi.routing import APIRoute
from fastapi.security.base import SecurityBase
from starlette.responses import Response

from odyssey.core.clock import PlatformClock
from odyssey.core.database import Database
from odyssey.core.depends import ClockDep, DatabaseDep, part, part_of, write_session
from odyssey.core.errors import (
    AuthRequiredError,
    BadRequestError,
    ForbiddenError,
    UnsupportedMediaTypeError,
    ValidationFailedError,
)
from odyssey.core.feeds import OpenStream
from odyssey.core.wire import Body, read_body
from odyssey.core.worker import Worker
from odyssey.identity.caller import Caller, Role
from odyssey.identity.idempotency import answer_once
from odyssey.identity.keys import TokenRefusedError, read_person_token, token_hash
from odyssey.identity.models import Person
from odyssey.identity.open_streams import OpenStreams
from odyssey.identity.repository import find_browser_session, find_caller_by_key_hash, find_person
from odyssey.identity.signin import SigninAttempt
from odyssey.identity.site import SessionRenewal, Site, csrf_token
from odyssey.identity.vault import Vault
from odyssey.kit.ids import API_KEY_PREFIX
from odyssey.records.faults import Faults, shown

# From headers, or a browser's cookie, to a caller. Every secret is hashed before it meets a query.

_SEND_A_KEY = (
    "Send an API key (Authorization: Bearer pk_live_… or X-API-Key), or a token from POST /api/auth/token."
)


async def authenticate(request: Request) -> Caller:
    """Find the caller by the headers; only a request without any is known by the session's cookie."""
    secret = _presented_secret(request)
    if secret is None:
        return await _by_session(request)
    database, vault = part_of(request.app, Database), part_of(request.app, Vault)
    async with database.read() as session:
        if secret.startswith(API_KEY_PREFIX):
            caller = await find_caller_by_key_hash(session, token_hash(secret))
        else:
            try:
                now = part_of(request.app, PlatformClock)()
                token, expires_at = read_person_token(vault.master, secret, now)
            except TokenRefusedError:
                raise AuthRequiredError(
                    f"The token is not valid or its time is over. {_SEND_A_KEY}"
                ) from None
            person = await find_person(session, token.org_id, token.person_id)
            if person is not None and person.password_version != token.password_version:
                raise AuthRequiredError(
                    "The password was changed after this token was issued. Sign in again."
                )
            caller = None if person is None else _by_token(person, expires_at)
    if caller is None:
        raise AuthRequiredError(f"The key or token is not known. {_SEND_A_KEY}")
    return caller


async def _by_session(request: Request) -> Caller:
    site = part_of(request.app, Site)
    token = site.session_token(request)
    if token is None:
        raise AuthRequiredError(f"No key or token was sent. {_SEND_A_KEY}")
    database, vault = part_of(request.app, Database), part_of(request.app, Vault)
    clock = part_of(request.app, PlatformClock)
    async with database.read() as session:
        found = await find_browser_session(session, token_hash(token), clock())
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
        raise AuthRequiredError(f"Different keys were sent in one request. {_SEND_A_KEY}")
    return presented.pop() if presented else None


# What a route of identity may ask for, beside what `core.depends` offers.


VaultDep = Annotated[Vault, part(Vault)]
SiteDep = Annotated[Site, part(Site)]
OpenStreamsDep = Annotated[OpenStreams, part(OpenStreams)]


def _attempt(request: Request, database: DatabaseDep, clock: ClockDep) -> SigninAttempt:
    return SigninAttempt(database, clock, request.client.host if request.client else "unknown")


async def open_stream(request: Request, streams: OpenStreamsDep) -> AsyncIterator[OpenStream]:
    """Take a place for a stream; it is free again when the answer has ended, however it ended."""
    with streams.open(request.state.caller) as opened:
        yield opened


def _renewal(site: SiteDep, vault: VaultDep) -> SessionRenewal:
    return SessionRenewal(site, vault.master)


AttemptDep = Annotated[SigninAttempt, Depends(_attempt)]
OpenStreamDep = Annotated[OpenStream, Depends(open_stream, scope="request")]
RenewalDep = Annotated[SessionRenewal, Depends(_renewal)]


_HOW = (
    "An API key (pk_live_…) or a token from POST /api/auth/token. A browser may instead send the session cookie that "
    "POST /api/auth/session sets, and with it the header X-CSRF-Token on everything but GET, HEAD and OPTIONS."
)
_JSON_TYPE = re.compile(r"application/([^/]+\+)?json")


class Allow(SecurityBase):
    """The declaration; as a dependency it hands the caller to the route."""

    def __init__(self, role: Role) -> None:
        self.role = role
        self.scheme_name = "key"
        self.model = HTTPBearer(description=_HOW)

    async def __call__(self, request: Request) -> Caller:
        caller: Caller = request.state.caller
        return caller


class AllowAnyone:
    """The other declaration: no caller is needed."""

    async def __call__(self) -> None:
        return None


async def returns_secret() -> None:
    """Marks a route that gives or takes a secret: nothing of it is kept, and so it refuses an Idempotency-Key."""


Viewer = Annotated[Caller, Security(Allow(Role.viewer))]
Member = Annotated[Caller, Security(Allow(Role.member))]
Admin = Annotated[Caller, Security(Allow(Role.admin))]
Anyone = Annotated[None, Depends(AllowAnyone())]


class StrictRequest(Request):
    """A request whose JSON goes through the one strict reader, into the model of its route."""

    model: type[Body]

    async def json(self) -> Any:
        """Return the model's instance, which FastAPI hands to the route as it is."""
        if not hasattr(self, "_strict"):
            raw = await self.body()
            worker = part_of(self.app, Worker)
            self._strict = await worker.read(len(raw), read_body, raw, self.model)
        return self._strict


class GuardedRoute(APIRoute):
    def get_route_handler(self) -> Callable[[Request], Coroutine[Any, Any, Response]]:
        handle = super().get_route_handler()
        allow = declared_access(self)
        keeps_answers = self.methods == {"POST"} and _depends_on(self.dependant, write_session)
        secret = deals_in_secrets(self)
        model = _body_model(self)
        parameters = frozenset(_query_parameters(self.dependant))

        async def guarded(request: Request) -> Response:
            request = StrictRequest(request.scope, request.receive)
            if isinstance(allow, Allow):
                caller = await authenticate(request)
                if caller.role < allow.role:
                    raise ForbiddenError(
                        f"This needs the role {allow.role.name}; yours is {caller.role.name}."
                    )
                request.state.caller = caller
                if request.method == "GET":
                    _check_parameters(request, parameters)
            key = request.headers.get("idempotency-key") if self.methods == {"POST"} else None
            if key is not None and secret:
                raise BadRequestError(
                    "This route deals in secrets, which are not kept; send no Idempotency-Key."
                )
            if model is not None:
                request.model = model
                await _read_body(request)
            if key is None or not keeps_answers:
                return await handle(request)  # what changes nothing may be repeated without harm
            return await answer_once(request, key, handle)

        return guarded


class GuardedRouter(APIRouter):
    def __init__(self, *, prefix: str, tags: list[str]) -> None:
        super().__init__(prefix=prefix, tags=list(tags), route_class=GuardedRoute)


def _body_model(route: APIRoute) -> type[Body] | None:
    if route.body_field is None:
        return None
    annotation = route.body_field.field_info.annotation
    (model,) = [each for each in get_args(annotation) or (annotation,) if each is not NoneType]
    if not (isinstance(model, type) and issubclass(model, Body)):
        raise TypeError(f"{route.methods} {route.path} must take its body as one `Body`, not {model}")
    return model


def deals_in_secrets(route: APIRoute) -> bool:
    return _depends_on(route.dependant, returns_secret)


def opens_stream(route: APIRoute) -> bool:
    return _depends_on(route.dependant, open_stream)


def declared_access(route: APIRoute) -> Allow | AllowAnyone:
    found = [call for call in _calls(route.dependant) if isinstance(call, Allow | AllowAnyone)]
    if len(found) != 1:
        raise TypeError(
            f"{route.methods} {route.path} must declare exactly one of Viewer, Member, Admin, Anyone"
        )
    return found[0]


def _calls(dependant: Dependant) -> list[object]:
    return [call for child in dependant.dependencies for call in (child.call, *_calls(child))]


def _depends_on(dependant: Dependant, wanted: object) -> bool:
    return any(call is wanted for call in _calls(dependant))


def _query_parameters(dependant: Dependant) -> Iterator[str]:
    """Name what a route takes after the question mark."""
    yield from (field.alias for field in dependant.query_params)
    for child in dependant.dependencies:
        yield from _query_parameters(child)


def _check_parameters(request: Request, known: frozenset[str]) -> None:
    """Refuse a filter that does not exist: an answer that ignores it would be taken for a filtered one."""
    faults = Faults("query")
    for name in sorted(set(request.query_params) - known):
        faults.add(f"{shown(name)} is not a parameter of this address{faults.hint(name, known)}", name)
    if faults.found:
        raise ValidationFailedError(faults.found)


async def _read_body(request: StrictRequest) -> None:
    if not await request.body():
        return
    media_type = request.headers.get("content-type", "").partition(";")[0].strip().lower()
    if not _JSON_TYPE.fullmatch(media_type):
        raise UnsupportedMediaTypeError("Send the body as Content-Type: application/json.")
    if request.headers.get("content-encoding", "identity").lower() != "identity":
        raise UnsupportedMediaTypeError("Send the body as it is, without Content-Encoding.")
    await request.json()

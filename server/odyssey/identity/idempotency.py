"""`Idempotency-Key`: a repeated POST has one effect and gets the first answer again for a day.

The answer is kept in the transaction of its effect: either both exist or neither.
"""

import asyncio
import base64
from collections.abc import Callable, Coroutine, Iterator
from contextlib import contextmanager
from datetime import timedelta
from typing import Any

import msgspec
from sqlalchemy import text
from sqlalchemy.ext.asyncio import AsyncSession
from starlette.requests import Request
from starlette.responses import Response

from odyssey.core.clock import PlatformClock
from odyssey.core.database import Database
from odyssey.core.depends import part_of, read_ahead
from odyssey.core.errors import BadRequestError, ConflictError
from odyssey.core.worker import ON_THE_SPOT
from odyssey.identity.caller import Caller
from odyssey.identity.keys import token_hash
from odyssey.identity.models import IdempotentResponse
from odyssey.identity.repository import find_idempotent_response, forget_idempotent_responses
from odyssey.identity.vault import Vault

KEPT_FOR = timedelta(hours=24)
MAX_KEY_LENGTH = 255
_PURPOSE = "idempotent response"
_REQUEST = "idempotent request"

Handler = Callable[[Request], Coroutine[Any, Any, Response]]


class KeyReusedError(ConflictError):
    code, title = "idempotency_key_reused", "The key belongs to another request"


class InProgressError(ConflictError):
    code, title, retryable = "idempotency_in_progress", "The first request is still being served", True

    def __init__(self) -> None:
        super().__init__("A request with this Idempotency-Key is still being served.", retry_after_s=1)


class _StoredResponse(msgspec.Struct):
    status: int
    body: str
    media_type: str


class KeysInProgress:
    """The keys whose first requests this process is serving."""

    def __init__(self) -> None:
        self._scopes: set[str] = set()

    @contextmanager
    def alone(self, scope: str) -> Iterator[None]:
        """Keep a second request with this key out of this process, which is all there is on SQLite."""
        if scope in self._scopes:
            raise InProgressError
        self._scopes.add(scope)
        try:
            yield
        finally:
            self._scopes.remove(scope)


async def answer_once(request: Request, key: str, handle: Handler) -> Response:
    database, vault = part_of(request.app, Database), part_of(request.app, Vault)
    clock = part_of(request.app, PlatformClock)
    caller: Caller = request.state.caller
    scope, body_hmac = await _identity(request, key)
    with part_of(request.app, KeysInProgress).alone(scope):
        async with database.write() as session:
            await _be_alone_everywhere(session, database, scope)
            request.state.session = session
            async with read_ahead(request, database)() as ahead:
                kept = await find_idempotent_response(ahead, scope, clock() - KEPT_FOR)
                if kept is not None:
                    return await _replay(ahead, vault, kept, body_hmac)
            response = await handle(request)
            if response.status_code < 400:
                await forget_idempotent_responses(session, clock() - KEPT_FOR)
                session.add(
                    IdempotentResponse(
                        scope=scope,
                        org_id=caller.org_id,
                        body_hmac=body_hmac,
                        sealed=await _seal(session, vault, caller.org_id, response),
                        created_at=clock(),
                    )
                )
    return response


async def first_answer(request: Request, key: str) -> Response | None:
    """Return the answer that was given before, for a route that has long work to do before its transaction begins."""
    database, vault = part_of(request.app, Database), part_of(request.app, Vault)
    clock = part_of(request.app, PlatformClock)
    scope, body_hmac = await _identity(request, key)
    async with database.read() as session:
        kept = await find_idempotent_response(session, scope, clock() - KEPT_FOR)
        return None if kept is None else await _replay(session, vault, kept, body_hmac)


async def _identity(request: Request, key: str) -> tuple[str, str]:
    """Say which request this is, and what it asks for."""
    if not 0 < len(key) <= MAX_KEY_LENGTH:
        raise BadRequestError(f"Idempotency-Key must have 1 to {MAX_KEY_LENGTH} characters.")
    vault = part_of(request.app, Vault)
    caller: Caller = request.state.caller
    scope = token_hash("\n".join([str(caller.org_id), caller.label, request.method, request.url.path, key]))
    asked = await _asked(request)
    if len(asked) <= ON_THE_SPOT:
        return scope, vault.master.digest(_REQUEST, asked)
    return scope, await asyncio.to_thread(vault.master.digest, _REQUEST, asked)


async def _asked(request: Request) -> bytes:
    """Say what was asked for: the body, and the query where there is one."""
    query = request.url.query.encode()
    return query + b"\n" + await request.body() if query else await request.body()


async def _be_alone_everywhere(session: AsyncSession, database: Database, scope: str) -> None:
    """Keep a second request with this key out of every process until the transaction is over."""
    if database.is_sqlite:
        return
    number = int(scope[:15], 16)
    if not await session.scalar(text("SELECT pg_try_advisory_xact_lock(:number)"), {"number": number}):
        raise InProgressError


async def _replay(session: AsyncSession, vault: Vault, kept: IdempotentResponse, body_hmac: str) -> Response:
    if kept.body_hmac != body_hmac:
        raise KeyReusedError(
            "This Idempotency-Key was used with another body; use a new key for a new request."
        )
    opened = await vault.open(session, kept.org_id, _PURPOSE, kept.sealed)
    first = msgspec.json.decode(opened, type=_StoredResponse)
    return Response(base64.b64decode(first.body), status_code=first.status, media_type=first.media_type)


async def _seal(session: AsyncSession, vault: Vault, org_id: int, response: Response) -> str:
    kept = _StoredResponse(
        status=response.status_code,
        body=base64.b64encode(bytes(response.body)).decode("ascii"),
        media_type=response.headers.get("content-type", "application/json"),
    )
    return await vault.seal(session, org_id, _PURPOSE, msgspec.json.encode(kept).decode("utf-8"))

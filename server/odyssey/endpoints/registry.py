"""From the binding of a tool to the service that answers it, with what is known of it kept for a moment."""

import asyncio
from collections.abc import Mapping
from datetime import datetime, timedelta
from typing import Annotated, Any, NamedTuple

import msgspec
from sqlalchemy.ext.asyncio import AsyncSession

from odyssey.core.database import Database
from odyssey.core.depends import part
from odyssey.core.outbound import OutboundClient
from odyssey.endpoints.auth import RedactedUpstream, bound_auth, secret_missing
from odyssey.endpoints.config import EndpointConfig
from odyssey.endpoints.mcp.session import McpSessions
from odyssey.endpoints.mcp.upstream import McpUpstream
from odyssey.endpoints.models import ToolEndpoint
from odyssey.endpoints.openapi.document import ApiDocument, read_document
from odyssey.endpoints.openapi.references import DocumentInvalidError
from odyssey.endpoints.openapi.upstream import OpenApiUpstream
from odyssey.endpoints.repository import Stamp, credentials_of, find_stamp, get_endpoint
from odyssey.endpoints.upstream import CALL_TIMEOUT_S, Forwarded, NotAnswered, Upstream, UpstreamTool
from odyssey.identity.vault import Vault
from odyssey.journal.contents import load_text
from odyssey.kit.clock import Clock
from odyssey.records.faults import did_you_mean, shown

KEPT_FOR = timedelta(seconds=1)
MOST_KEPT = 1000

_Key = tuple[int, str, str]


class Route(NamedTuple):
    endpoint_id: str
    endpoint_name: str
    type: str
    tool: UpstreamTool
    upstream: Upstream


class _KnownEndpoint(NamedTuple):
    """An endpoint as it was when it was looked at."""

    at: datetime
    stamp: Stamp
    name: str
    type: str
    tools: Mapping[str, UpstreamTool]
    upstream: Upstream | NotAnswered


class Upstreams:
    """Every service that passthrough tools of this server lead to."""

    def __init__(
        self,
        database: Database,
        vault: Vault,
        client: OutboundClient,
        clock: Clock,
        *,
        timeout_s: float = CALL_TIMEOUT_S,
    ) -> None:
        self.sessions = McpSessions(client)
        self.client = client
        self._database = database
        self._vault = vault
        self._clock = clock
        self._timeout_s = timeout_s
        self._documents = Documents()
        self._known: dict[_Key, _KnownEndpoint] = {}
        self._locks: dict[_Key, asyncio.Lock] = {}
        self._changes = 0

    async def forward(
        self, org_id: int, binding: Mapping[str, Any], arguments: dict[str, Any], *, session: str
    ) -> Forwarded:
        """Ask the service a tool is bound to, at most once."""
        route = await self.route(org_id, binding)
        if isinstance(route, NotAnswered):
            return route
        return await route.upstream.call(route.tool.name, arguments, session=session)

    async def route(self, org_id: int, binding: Mapping[str, Any]) -> Route | NotAnswered:
        """Find the service and its tool; at most one second old, and at once where this process changed it."""
        known = await self._endpoint(_key(org_id, binding))
        if known is None:
            place = binding.get("endpoint_id") or binding.get("endpoint_name")
            message = f"There is no tool endpoint {shown(place)} any more; bind the tool to another."
            return NotAnswered("endpoint_missing", message, "not_sent")
        if isinstance(known.upstream, NotAnswered):
            return known.upstream
        name = str(binding.get("tool_name"))
        tool = known.tools.get(name)
        if tool is None:
            hint = did_you_mean(name, known.tools)
            message = f"The endpoint {known.name!r} has no tool {shown(name)} any more{hint}."
            return NotAnswered("tool_missing", message, "not_sent")
        return Route(known.stamp.id, known.name, known.type, tool, known.upstream)

    async def end_session(self, session: str) -> None:
        """A run has ended: close what it has open."""
        await self.sessions.end(session)

    def forget(self, org_id: int) -> None:
        """An endpoint or a credential of this org is another one now."""
        self._changes += 1
        for key in [key for key in self._known if key[0] == org_id]:
            del self._known[key]

    async def close(self) -> None:
        await self.sessions.close()

    async def _endpoint(self, key: _Key) -> _KnownEndpoint | None:
        if self._is_fresh(known := self._known.get(key)):
            return known
        lock = self._locks.setdefault(key, asyncio.Lock())
        try:
            async with lock:
                if self._is_fresh(known := self._known.get(key)):
                    return known
                return await self._look(key, known)
        finally:
            if not lock.locked():
                self._locks.pop(key, None)

    def _is_fresh(self, known: _KnownEndpoint | None) -> bool:
        return known is not None and timedelta(0) <= self._clock() - known.at < KEPT_FOR

    async def _look(self, key: _Key, before: _KnownEndpoint | None) -> _KnownEndpoint | None:
        changes, now = self._changes, self._clock()
        async with self._database.read() as session:
            stamp = await find_stamp(session, *key)
            if stamp is None:
                self._known.pop(key, None)
                return None
            if before is not None and before.stamp == stamp:
                known = before._replace(at=now)
            else:
                known = await self._build(session, await get_endpoint(session, key[0], stamp.id), stamp, now)
        if changes == self._changes:  # or what was read may be of before the change
            self._known.pop(key, None)
            self._known[key] = known
            if len(self._known) > MOST_KEPT:
                del self._known[next(iter(self._known))]
        return known

    async def _build(
        self, session: AsyncSession, row: ToolEndpoint, stamp: Stamp, now: datetime
    ) -> _KnownEndpoint:
        tools = msgspec.convert(row.tools, list[UpstreamTool])
        upstream = await self._upstream(session, row)
        return _KnownEndpoint(now, stamp, row.name, row.type, {tool.name: tool for tool in tools}, upstream)

    async def _upstream(self, session: AsyncSession, row: ToolEndpoint) -> Upstream | NotAnswered:
        if row.base_url is None:
            return _unusable(row, "its address is not known yet")
        credentials = await credentials_of(session, [row])
        credential = credentials.get((row.org_id, row.credential_name or ""))
        auth = await bound_auth(session, self._vault, EndpointConfig.read(row.config).auth, credential)
        headers = auth.headers_for(row.base_url)
        if headers is None:
            return secret_missing()
        if row.type == "mcp_server":
            mcp = McpUpstream(self.sessions, row.base_url, headers, timeout_s=self._timeout_s)
            return RedactedUpstream(mcp, auth.secret)
        if row.document_hash is None:
            return _unusable(row, "its document was never read")
        try:
            document = await self._documents.load(session, row.org_id, row.document_hash)
        except DocumentInvalidError as error:
            return _unusable(row, error.message)
        api = OpenApiUpstream(self.client, document, row.base_url, headers, timeout_s=self._timeout_s)
        return RedactedUpstream(api, auth.secret)


UpstreamsDep = Annotated[Upstreams, part(Upstreams)]


def _key(org_id: int, binding: Mapping[str, Any]) -> _Key:
    by_id = binding.get("endpoint_id")
    if by_id is not None:
        return org_id, "endpoint_id", str(by_id).lower()
    return org_id, "endpoint_name", str(binding.get("endpoint_name"))


def _unusable(row: ToolEndpoint, why: str) -> NotAnswered:
    message = f"The endpoint {row.name!r} cannot be asked: {why}. Discover its tools again."
    return NotAnswered("endpoint_missing", message, "not_sent")


# OpenAPI documents that calls go by, read once and kept as long as there is room.
MOST_CHARACTERS = 32 * 1024 * 1024


class Documents:
    """By hash; of those that are too many, the one unused for longest goes first."""

    def __init__(self, most_characters: int = MOST_CHARACTERS) -> None:
        self._most = most_characters
        self._kept: dict[str, tuple[int, ApiDocument]] = {}
        self._size = 0

    async def load(self, session: AsyncSession, org_id: int, digest: str) -> ApiDocument:
        kept = self._kept.pop(digest, None)
        if kept is None:
            text = await load_text(session, org_id, digest)
            kept = (len(text), await asyncio.to_thread(read_document, text))
            twin = self._kept.pop(digest, None)  # somebody else may have read it meanwhile
            self._size += kept[0] - (0 if twin is None else twin[0])
        self._kept[digest] = kept
        while self._size > self._most and len(self._kept) > 1:
            size, _ = self._kept.pop(next(iter(self._kept)))
            self._size -= size
        return kept[1]

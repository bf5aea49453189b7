"""Saving, changing and deleting endpoints, with the secret they are asked with and the drift of their tools."""

import re
from collections.abc import Iterable, Iterator, Mapping, Sequence
from typing import Any, NamedTuple

import msgspec
from sqlalchemy.exc import IntegrityError
from sqlalchemy.ext.asyncio import AsyncSession

from odyssey.core.addresses import origin_of
from odyssey.core.database import after_commit
from odyssey.core.errors import ConflictError
from odyssey.endpoints.discover import DiscoveredTools
from odyssey.endpoints.drafts import DiscoveryFailure, Draft
from odyssey.endpoints.errors import EndpointChangedError, EndpointExistsError, EndpointInUseError
from odyssey.endpoints.models import AgentEndpoint, ToolEndpoint
from odyssey.endpoints.repository import (
    EndpointCredentialUsers,
    endpoints_by_credential,
    get_endpoint,
    is_name_taken,
    uses_of,
)
from odyssey.endpoints.schemas import EndpointChange, EndpointIn
from odyssey.endpoints.upstream import UpstreamTool
from odyssey.identity.caller import Caller, record_change
from odyssey.identity.credentials import CredentialKeeper
from odyssey.identity.errors import CredentialInUseError
from odyssey.identity.repository import find_credential, names_like
from odyssey.identity.vault import Vault
from odyssey.journal.contents import document, store_document
from odyssey.kit.clock import Clock, rfc3339
from odyssey.kit.ids import new_uuid

# How the tools of an endpoint differ from those it had before: pure.

_COMPARED = ("description", "input_schema", "output_schema", "read_only")
_PLAIN = re.compile(r"[A-Za-z_][A-Za-z0-9_]*")
MOST_PATHS = 50


class Drift(NamedTuple):
    added: tuple[str, ...]
    removed: tuple[str, ...]
    changed: dict[str, tuple[str, ...]]
    """By tool: the JSON paths into it that differ, at most `MOST_PATHS`."""

    def __bool__(self) -> bool:
        return any(self)

    def stored(self) -> dict[str, Any]:
        changed = [{"name": name, "paths": list(paths)} for name, paths in self.changed.items()]
        return {"added": list(self.added), "removed": list(self.removed), "changed": changed}


def drift_between(before: Iterable[UpstreamTool], after: Iterable[UpstreamTool]) -> Drift:
    old, new = ({tool.name: tool for tool in tools} for tools in (before, after))
    changed = {name: _paths(old[name], new[name]) for name in sorted(old.keys() & new.keys())}
    return Drift(
        added=tuple(sorted(new.keys() - old.keys())),
        removed=tuple(sorted(old.keys() - new.keys())),
        changed={name: paths for name, paths in changed.items() if paths},
    )


def _paths(before: UpstreamTool, after: UpstreamTool) -> tuple[str, ...]:
    found: list[str] = []
    for member in _COMPARED:
        for path in _differing(getattr(before, member), getattr(after, member), f"$.{member}"):
            if len(found) == MOST_PATHS:
                return tuple(found)
            found.append(path)
    return tuple(found)


def _differing(before: Any, after: Any, path: str) -> Iterator[str]:
    """Go down as long as both sides have the same shape; a path names the smallest part that differs."""
    if isinstance(before, Mapping) and isinstance(after, Mapping):
        for key in sorted(before.keys() | after.keys()):
            inner = path + (f".{key}" if _PLAIN.fullmatch(key) else f"[{_quoted(key)}]")
            if key in before and key in after:
                yield from _differing(before[key], after[key], inner)
            else:
                yield inner
    elif _is_list(before) and _is_list(after) and len(before) == len(after):
        for index, (left, right) in enumerate(zip(before, after, strict=True)):
            yield from _differing(left, right, f"{path}[{index}]")
    elif not _is_same(before, after):
        yield path


def _is_list(value: Any) -> bool:
    return isinstance(value, Sequence) and not isinstance(value, str)


def _is_same(before: Any, after: Any) -> bool:
    """Tell true from 1, which Python does not."""
    return isinstance(before, bool) == isinstance(after, bool) and bool(before == after)


def _quoted(key: str) -> str:
    return "'" + key.replace("\\", "\\\\").replace("'", "\\'") + "'"


class EndpointKeeper:
    """The acts on endpoints, each in one transaction; what other servers say is in the draft."""

    def __init__(
        self,
        session: AsyncSession,
        vault: Vault,
        clock: Clock,
        caller: Caller,
        users: EndpointCredentialUsers,
    ) -> None:
        self._session = session
        self._clock = clock
        self._caller = caller
        self._users = users
        self._credentials = CredentialKeeper(session, vault, clock, caller, users)

    async def create(self, body: EndpointIn, draft: Draft) -> ToolEndpoint:
        if await is_name_taken(self._session, self._caller.org_id, body.name):
            raise EndpointExistsError(body.name)
        now = self._clock()
        row = ToolEndpoint(
            id=new_uuid(),
            org_id=self._caller.org_id,
            name=body.name,
            description=body.description,
            type=body.type,
            config={},
            tools=[],
            tool_count=0,
            notes=[],
            revision=0,
            created_at=now,
            updated_at=now,
        )
        await self._take(row, draft)
        self._session.add(row)
        await self._flush(row.name)
        self._audit(row, "endpoint.create", after=_shown(row))
        return row

    async def change(self, endpoint_id: str, body: EndpointChange, draft: Draft) -> ToolEndpoint:
        row = await self._locked(endpoint_id, draft.revision)
        before = _shown(row)
        if body.name is not None and body.name != row.name:
            await self._check_rename(row, body.name)
            row.name = body.name
        if body.description is not None:
            row.description = body.description
        await self._take(row, draft)
        row.updated_at = self._clock()
        await self._flush(row.name)
        self._audit(row, "endpoint.change", before=before, after=_shown(row))
        return row

    async def rediscover(self, endpoint_id: str, draft: Draft) -> ToolEndpoint:
        row = await self._locked(endpoint_id, draft.revision)
        before = _shown(row)
        await self._note(row, draft)
        self._audit(row, "endpoint.discover", before=before, after=_shown(row))
        return row

    async def delete(self, endpoint_id: str) -> None:
        row = await get_endpoint(self._session, self._caller.org_id, endpoint_id, lock=True)
        users = await uses_of(self._session, [row.id])
        if users:
            raise _in_use(
                "Agents use this endpoint", users, "Bind their tools elsewhere, or switch them to sandbox."
            )
        await self._session.delete(row)
        try:
            await self._session.flush()
        except IntegrityError as error:  # an agent was bound to it in the same moment
            raise EndpointInUseError("An agent was bound to this endpoint just now.") from error
        self._forget()
        self._audit(row, "endpoint.delete", before=_shown(row))

    async def _locked(self, endpoint_id: str, revision: int | None) -> ToolEndpoint:
        row = await get_endpoint(self._session, self._caller.org_id, endpoint_id, lock=True)
        if row.revision != revision:
            raise EndpointChangedError
        return row

    async def _check_rename(self, row: ToolEndpoint, name: str) -> None:
        if await is_name_taken(self._session, row.org_id, name):
            raise EndpointExistsError(name)
        users = [use for use in await uses_of(self._session, [row.id]) if use.by_name]
        if users:
            what = f"Agents are bound to the name {row.name!r}"
            raise _in_use(what, users, "Bind them by endpoint_id first.")

    async def _take(self, row: ToolEndpoint, draft: Draft) -> None:
        """Bring a row to what a draft says."""
        if isinstance(draft.result, DiscoveryFailure) and row.config.get("spec_url") != draft.config.spec_url:
            await self._keep_document(row, None)  # the old one describes another service
        row.config = draft.config.stored()
        row.credential_name = await self._take_secret(row, draft)
        await self._note(row, draft)

    async def _take_secret(self, row: ToolEndpoint, draft: Draft) -> str | None:
        """Keep the given secret for the address it is for; returns the name of the credential to use."""
        name, base_url = draft.credential, draft.base_url
        kept = None if name is None else await find_credential(self._session, row.org_id, name, lock=True)
        if draft.config.auth.type == "none":
            return None
        if draft.secret is None or base_url is None:
            if kept is None:
                raise ConflictError("The credential was deleted in the same moment; send secret.")
            return name
        origin = origin_of(base_url)
        if kept is not None and kept.origin != origin and (others := await self._others(row, kept.name)):
            if kept.name != row.credential_name:
                raise CredentialInUseError(kept.name, others)
            name, kept = None, None  # theirs stays as it is
        if kept is None:
            name = name or await self._free_name(row.name)
            kept = await self._credentials.add(name, draft.secret, origin)
        else:
            await self._credentials.replace(kept, draft.secret, origin)
        return kept.name

    async def _others(self, row: ToolEndpoint, credential: str) -> list[str]:
        users = await endpoints_by_credential(self._session, row.org_id, [credential])
        return [name for _, endpoint_id, name in users if endpoint_id != row.id]

    async def _free_name(self, endpoint_name: str) -> str:
        plain = re.sub(r"[^A-Z0-9]+", "_", endpoint_name.upper()).strip("_")[:100] or "ENDPOINT"
        base = f"{'_' if plain[0].isdigit() else ''}{plain}_SECRET"
        taken = await names_like(self._session, self._caller.org_id, base)
        numbers = range(2, len(taken) + 3)
        return next(name for name in (base, *(f"{base}_{number}" for number in numbers)) if name not in taken)

    async def _keep_document(self, row: ToolEndpoint, text: str | None) -> None:
        kept = None if text is None else document(text.encode("utf-8"))
        if kept is not None:
            await store_document(self._session, row.org_id, kept)
        row.document_hash = None if kept is None else kept.hash
        row.document_bytes = None if kept is None else kept.bytes

    async def _note(self, row: ToolEndpoint, draft: Draft) -> None:
        """Write down what a discovery found; one that failed leaves the tools as they were."""
        result = draft.result
        row.revision += 1
        self._forget()
        if isinstance(result, DiscoveryFailure):
            row.discovery_error = {"code": result.code, "message": result.message}
            row.base_url = result.base_url
            return
        row.discovery_error = None
        row.base_url = result.base_url
        await self._keep_document(row, result.document)
        self._compare(row, result)

    def _compare(self, row: ToolEndpoint, found: DiscoveredTools) -> None:
        now = self._clock()
        drift = drift_between(msgspec.convert(row.tools, list[UpstreamTool]), found.tools)
        if drift and row.discovered_at is not None:
            row.drift = {"at": rfc3339(now), **drift.stored()}
        row.tools = msgspec.to_builtins(list(found.tools))
        row.tool_count = len(found.tools)
        row.notes = found.notes
        row.discovered_at = now

    async def _flush(self, name: str) -> None:
        try:
            await self._session.flush()
        except IntegrityError as error:  # somebody took the name in the same moment
            raise EndpointExistsError(name) from error

    def _forget(self) -> None:
        after_commit(self._session, lambda: self._users.changed(self._caller.org_id))

    def _audit(self, row: ToolEndpoint, action: str, *, before: Any = None, after: Any = None) -> None:
        record_change(
            self._session,
            self._caller,
            self._clock,
            action,
            object_type="endpoint",
            object_id=row.id,
            before=before,
            after=after,
        )


def _shown(row: ToolEndpoint) -> dict[str, Any]:
    return {
        "name": row.name,
        "description": row.description,
        "type": row.type,
        "config": row.config,
        "document": row.document_hash,
        "base_url": row.base_url,
        "credential": row.credential_name,
        "tools": row.tools,
    }


def _in_use(what: str, users: Sequence[AgentEndpoint], to_do: str) -> EndpointInUseError:
    by_agent: dict[int, tuple[str, set[str]]] = {}
    for use in users:
        by_agent.setdefault(use.agent_id, (use.agent_name, set()))[1].add(use.tool_name)
    told = "; ".join(
        f"{name!r} (agent {agent_id}) with {', '.join(sorted(tools))}"
        for agent_id, (name, tools) in by_agent.items()
    )
    return EndpointInUseError(f"{what}: {told}. {to_do}")

"""Tool endpoints over HTTP (wire-contract.md#d9).

Saving asks the service for its tools before a transaction begins, so that a slow one holds up nobody.
"""

import time
from collections.abc import Callable, Iterable, Sequence
from typing import Annotated, Any, get_args
from uuid import UUID

import msgspec
from fastapi import Depends, Request
from sqlalchemy.ext.asyncio import AsyncSession
from starlette.responses import Response

from odyssey.core.depends import (
    AddressPolicyDep,
    ClockDep,
    DatabaseDep,
    Limit,
    ReadSession,
    SortedCursor,
    WriteSession,
)
from odyssey.core.errors import ForbiddenError, ValidationFailedError
from odyssey.core.paging import PageRequest
from odyssey.endpoints.auth import is_at
from odyssey.endpoints.config import EndpointConfig
from odyssey.endpoints.discover import Discoverer
from odyssey.endpoints.drafts import Drafter
from odyssey.endpoints.keep import EndpointKeeper
from odyssey.endpoints.models import AgentEndpoint, ToolEndpoint
from odyssey.endpoints.registry import UpstreamsDep
from odyssey.endpoints.repository import (
    ENDPOINT_ORDER,
    EndpointCredentialUsers,
    credentials_of,
    get_endpoint,
    list_endpoints,
    uses_of,
)
from odyssey.endpoints.schemas import (
    AgentUse,
    AuthOut,
    CalledOut,
    CallIn,
    ConfigOut,
    DiscoveryErrorOut,
    DriftOut,
    EndpointChange,
    EndpointIn,
    EndpointListed,
    EndpointOut,
    EndpointsPage,
    EndpointType,
    ToolOut,
)
from odyssey.endpoints.upstream import Answered, UpstreamTool
from odyssey.identity.caller import Caller
from odyssey.identity.guard import Admin, GuardedRouter, VaultDep, Viewer, returns_secret
from odyssey.identity.idempotency import answer_once, first_answer
from odyssey.identity.models import Credential
from odyssey.kit.pagination import DEFAULT_LIMIT
from odyssey.records.faults import did_you_mean
from odyssey.records.faults import shown as named
from odyssey.records.problems import FieldError

# Endpoints as the API shows them: without secrets, and without the document.


async def listed(session: AsyncSession, rows: Sequence[ToolEndpoint]) -> list[EndpointListed]:
    return [EndpointListed(**members) for members in await _members(session, rows)]


async def shown(session: AsyncSession, row: ToolEndpoint) -> EndpointOut:
    (members,) = await _members(session, [row])
    tools = msgspec.convert(row.tools, list[UpstreamTool])
    return EndpointOut(**members, tools=[ToolOut(**msgspec.structs.asdict(tool)) for tool in tools])


async def _members(session: AsyncSession, rows: Sequence[ToolEndpoint]) -> list[dict[str, Any]]:
    credentials = await credentials_of(session, rows)
    uses: dict[str, list[AgentEndpoint]] = {}
    for use in await uses_of(session, [row.id for row in rows]):
        uses.setdefault(use.endpoint_id, []).append(use)
    return [
        _of_one(row, credentials.get((row.org_id, row.credential_name or "")), uses.get(row.id, ()))
        for row in rows
    ]


def _of_one(
    row: ToolEndpoint, credential: Credential | None, uses: Iterable[AgentEndpoint]
) -> dict[str, Any]:
    error, drift = row.discovery_error, row.drift
    return {
        "id": UUID(row.id),
        "name": row.name,
        "description": row.description,
        "type": _type_of(row),
        "config": _config(row, credential),
        "base_url": row.base_url,
        "tool_count": row.tool_count,
        "notes": row.notes,
        "discovered_at": row.discovered_at,
        "discovery_error": None if error is None else DiscoveryErrorOut.model_validate(error),
        "drift": None if drift is None else DriftOut.model_validate(drift),
        "used_by": _used_by(uses),
        "created_at": row.created_at,
        "updated_at": row.updated_at,
    }


def _type_of(row: ToolEndpoint) -> EndpointType:
    kinds: tuple[EndpointType, ...] = get_args(EndpointType)
    return next(kind for kind in kinds if kind == row.type)


def _config(row: ToolEndpoint, credential: Credential | None) -> ConfigOut:
    config = EndpointConfig.read(row.config)
    at_home = credential is not None and is_at(row.base_url, credential.origin)
    auth = AuthOut(
        type=config.auth.type,
        header=config.auth.header,
        credential=row.credential_name,
        secret_set=at_home,
        shown=credential.shown if credential is not None and at_home else None,
    )
    return ConfigOut(
        url=config.url,
        base_url=config.base_url,
        spec_url=config.spec_url,
        spec_bytes=row.document_bytes,
        auth=auth,
    )


def _used_by(uses: Iterable[AgentEndpoint]) -> list[AgentUse]:
    """Gather by agent what its newest and its published version name; the newest says how it is called."""
    by_agent: dict[int, AgentUse] = {}
    for use in sorted(uses, key=lambda use: (use.agent_id, -use.version, use.tool_name)):
        known = by_agent.setdefault(
            use.agent_id, AgentUse(agent_id=use.agent_id, agent_name=use.agent_name, tools=[])
        )
        if use.tool_name not in known.tools:
            known.tools.append(use.tool_name)
    return list(by_agent.values())


router = GuardedRouter(prefix="/api/tool-endpoints", tags=["tool endpoints"])


def _drafter(
    database: DatabaseDep, vault: VaultDep, policy: AddressPolicyDep, upstreams: UpstreamsDep, caller: Admin
) -> Drafter:
    discoverer = Discoverer(upstreams.client, upstreams.sessions, policy)
    return Drafter(database, vault, discoverer, policy, caller.org_id)


def _keepers(
    vault: VaultDep, clock: ClockDep, upstreams: UpstreamsDep, request: Request
) -> Callable[[AsyncSession], EndpointKeeper]:
    users = EndpointCredentialUsers(upstreams.forget)
    return lambda session: EndpointKeeper(session, vault, clock, request.state.caller, users)


DrafterDep = Annotated[Drafter, Depends(_drafter)]
KeepersDep = Annotated[Callable[[AsyncSession], EndpointKeeper], Depends(_keepers)]


@router.post("", status_code=201, response_model=EndpointOut)
async def create_endpoint(
    body: EndpointIn, drafter: DrafterDep, keepers: KeepersDep, database: DatabaseDep, request: Request
) -> Response:
    """Register a service and list its tools. A service that cannot be reached now is kept all the same."""
    _check_org(body.org_id, request.state.caller)
    key = request.headers.get("idempotency-key")
    first = None if key is None else await first_answer(request, key)
    if first is not None:
        return first
    draft = await drafter.new(body)

    async def save(session: AsyncSession) -> Response:
        saved = await shown(session, await keepers(session).create(body, draft))
        return Response(saved.model_dump_json(), status_code=201, media_type="application/json")

    if key is not None:
        return await answer_once(request, key, lambda request: save(request.state.session))
    async with database.write() as session:
        return await save(session)


@router.get("")
async def get_endpoints(
    caller: Viewer,
    session: ReadSession,
    cursor: SortedCursor = None,
    limit: Limit = DEFAULT_LIMIT,
    sort: Annotated[str | None, ENDPOINT_ORDER] = None,
) -> EndpointsPage:
    page = await list_endpoints(session, caller.org_id, PageRequest(limit, cursor, sort))
    return EndpointsPage(items=await listed(session, page.items), next_cursor=page.next_cursor)


@router.get("/{endpoint_id}")
async def get_one_endpoint(endpoint_id: UUID, caller: Viewer, session: ReadSession) -> EndpointOut:
    return await shown(session, await get_endpoint(session, caller.org_id, str(endpoint_id)))


@router.put("/{endpoint_id}")
async def change_endpoint(
    endpoint_id: UUID,
    body: EndpointChange,
    drafter: DrafterDep,
    keepers: KeepersDep,
    database: DatabaseDep,
    request: Request,
) -> EndpointOut:
    """Change what is given and list the tools again. Another scheme, host or port needs the secret again."""
    _check_org(body.org_id, request.state.caller)
    draft = await drafter.changed(str(endpoint_id), body)
    async with database.write() as session:
        return await shown(session, await keepers(session).change(str(endpoint_id), body, draft))


@router.delete("/{endpoint_id}", status_code=204)
async def delete_endpoint(
    endpoint_id: UUID, caller: Admin, session: WriteSession, keepers: KeepersDep
) -> None:
    await keepers(session).delete(str(endpoint_id))


@router.post("/{endpoint_id}/discover")
async def discover_tools(
    endpoint_id: UUID, drafter: DrafterDep, keepers: KeepersDep, database: DatabaseDep
) -> EndpointOut:
    """List the tools again; what differs from the list before is in `drift`."""
    draft = await drafter.as_saved(str(endpoint_id))
    async with database.write() as session:
        return await shown(session, await keepers(session).rediscover(str(endpoint_id), draft))


@router.post("/{endpoint_id}/call", dependencies=[Depends(returns_secret)])
async def call_tool(
    endpoint_id: UUID, body: CallIn, caller: Admin, database: DatabaseDep, upstreams: UpstreamsDep
) -> CalledOut:
    """Try a tool by hand: the call goes to the service as an agent's would, and is not recorded."""
    async with database.read() as session:
        row = await get_endpoint(session, caller.org_id, str(endpoint_id))
    known = [tool["name"] for tool in row.tools]
    if body.tool_name not in known:
        message = f"the endpoint has no tool {named(body.tool_name)}{did_you_mean(body.tool_name, known)}"
        raise ValidationFailedError([FieldError(loc=("tool_name",), msg=message)])
    started = time.monotonic()
    binding = {"endpoint_id": row.id, "tool_name": body.tool_name}
    answer = await upstreams.forward(caller.org_id, binding, body.arguments, session="")
    answered = isinstance(answer, Answered)
    return CalledOut(
        source="passthrough" if answered else "transport_error",
        response=answer.response if isinstance(answer, Answered) else answer.response(),
        latency_ms=round((time.monotonic() - started) * 1000),
        status=answer.status,
        is_error=isinstance(answer, Answered) and answer.is_error,
    )


def _check_org(org_id: int | None, caller: Caller) -> None:
    if org_id is not None and org_id != caller.org_id:
        raise ForbiddenError("org_id must be your own organisation's; leave it out.")

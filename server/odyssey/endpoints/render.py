"""Endpoints as the API shows them: without secrets, and without the document."""

from collections.abc import Iterable, Sequence
from typing import Any, get_args
from uuid import UUID

import msgspec
from sqlalchemy.ext.asyncio import AsyncSession

from odyssey.endpoints.auth import is_at
from odyssey.endpoints.config import EndpointConfig
from odyssey.endpoints.models import AgentEndpoint, ToolEndpoint
from odyssey.endpoints.repository import credentials_of, uses_of
from odyssey.endpoints.schemas import (
    AgentUse,
    AuthOut,
    ConfigOut,
    DiscoveryErrorOut,
    DriftOut,
    EndpointListed,
    EndpointOut,
    EndpointType,
    ToolOut,
)
from odyssey.endpoints.upstream import UpstreamTool
from odyssey.identity.credentials.models import Credential


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

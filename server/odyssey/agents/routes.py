"""Agents over HTTP (wire-contract.md#d8)."""

import asyncio
from collections.abc import Sequence
from typing import Annotated, Any

from fastapi import Depends, Query
from sqlalchemy.ext.asyncio import AsyncSession

from odyssey.agents.compiled import AgentsDep
from odyssey.agents.models import Agent, AgentHealth, AgentVersion
from odyssey.agents.register import Registrar, check, origin_of
from odyssey.agents.repository import (
    AGENT_ORDER,
    agents_with_secrets,
    find_version,
    get_agent,
    get_version,
    healths_of,
    list_agents,
    list_versions,
)
from odyssey.agents.schemas import (
    AgentChange,
    AgentContent,
    AgentIn,
    AgentOut,
    AgentsPage,
    AgentVersionOut,
    HealthOut,
    ProgramBody,
    ProgramFault,
    Publication,
    ReadProgramOut,
    ValidatedAgent,
    VersionsPage,
)
from odyssey.agents.tools_schema import read_tools_schema
from odyssey.core.depends import (
    AddressPolicyDep,
    ClockDep,
    Cursor,
    Limit,
    ObjectId,
    ReadSession,
    SortedCursor,
    WriteSession,
)
from odyssey.core.errors import NotFoundError, ValidationFailedError
from odyssey.core.paging import PageRequest, start_of
from odyssey.core.wire import PlainText
from odyssey.identity.guard import Admin, GuardedRouter, Member, VaultDep, Viewer
from odyssey.kit.pagination import DEFAULT_LIMIT, cut_page
from odyssey.records.faults import Faults, did_you_mean, shown
from odyssey.records.problems import FieldError
from odyssey.records.tools import Tool
from odyssey.simulation.programs import read_program

router = GuardedRouter(prefix="/api/agents", tags=["agents"])


def _registrar(
    session: WriteSession, vault: VaultDep, clock: ClockDep, policy: AddressPolicyDep, caller: Admin
) -> Registrar:
    return Registrar(session, vault, clock, policy, caller)


RegistrarDep = Annotated[Registrar, Depends(_registrar, scope="function")]


@router.post("", status_code=201)
async def create_agent(body: AgentIn, registrar: RegistrarDep, session: WriteSession) -> AgentOut:
    return await _agent_out(session, await registrar.create(body))


@router.get("")
async def get_agents(
    caller: Viewer,
    session: ReadSession,
    cursor: SortedCursor = None,
    limit: Limit = DEFAULT_LIMIT,
    sort: Annotated[str | None, AGENT_ORDER] = None,
    status: Publication | None = None,
    q: Annotated[
        PlainText | None,
        Query(max_length=200, description="Part of the name; the case of A to Z does not matter."),
    ] = None,
) -> AgentsPage:
    wanted = PageRequest(limit, cursor, sort)
    page = await list_agents(session, caller.org_id, wanted, status=status, q=q)
    return AgentsPage(items=await _agents_out(session, page.items), next_cursor=page.next_cursor)


@router.post("/validate")
async def validate_agent(
    body: AgentIn, caller: Admin, session: ReadSession, policy: AddressPolicyDep
) -> ValidatedAgent:
    """Check a registration exactly as creating it would; nothing is saved."""
    definition = (await check(body, caller, policy, session)).definition
    return ValidatedAgent(agent=AgentContent.model_validate(definition.content()))


@router.get("/{agent_id}")
async def get_one_agent(agent_id: ObjectId, caller: Viewer, session: ReadSession) -> AgentOut:
    return await _agent_out(session, await get_agent(session, caller.org_id, agent_id))


@router.put("/{agent_id}")
async def change_agent(
    agent_id: ObjectId, body: AgentChange, registrar: RegistrarDep, session: WriteSession, draft: bool = False
) -> AgentOut:
    return await _agent_out(session, await registrar.change(agent_id, body, draft=draft))


@router.delete("/{agent_id}", status_code=204)
async def delete_agent(agent_id: ObjectId, registrar: RegistrarDep) -> None:
    await registrar.delete(agent_id)


@router.post("/{agent_id}/publish")
async def publish_agent(agent_id: ObjectId, registrar: RegistrarDep, session: WriteSession) -> AgentOut:
    return await _agent_out(session, await registrar.publish(agent_id))


@router.get("/{agent_id}/versions")
async def get_versions(
    agent_id: ObjectId,
    caller: Viewer,
    session: ReadSession,
    cursor: Cursor = None,
    limit: Limit = DEFAULT_LIMIT,
) -> VersionsPage:
    agent = await get_agent(session, caller.org_id, agent_id)
    rows = await list_versions(session, agent.id, start_of(cursor) or 0, limit + 1)
    page = cut_page(rows, limit, lambda version: version.version)
    return VersionsPage(
        items=[_version_out(version, agent) for version in page.items], next_cursor=page.next_cursor
    )


@router.get("/{agent_id}/versions/{version}")
async def get_one_version(
    agent_id: ObjectId, version: ObjectId, caller: Viewer, session: ReadSession
) -> AgentVersionOut:
    agent = await get_agent(session, caller.org_id, agent_id)
    found = await find_version(session, agent.id, version)
    if found is None:
        raise NotFoundError
    return _version_out(found, agent)


async def _agent_out(session: AsyncSession, agent: Agent) -> AgentOut:
    await session.flush()
    version = await get_version(session, agent.id, agent.version)
    return (await _agents_out(session, [(agent, version)]))[0]


async def _agents_out(session: AsyncSession, rows: Sequence[tuple[Agent, AgentVersion]]) -> list[AgentOut]:
    ids = [agent.id for agent, _ in rows]
    secrets = await agents_with_secrets(session, ids)
    healths = await healths_of(session, ids)
    return [_out(agent, version, secrets, healths.get(agent.id)) for agent, version in rows]


def _out(
    agent: Agent, version: AgentVersion, secrets: set[tuple[int, str]], health: AgentHealth | None
) -> AgentOut:
    url = version.content["config"].get("endpoint_url")
    return AgentOut(
        **version.content,
        id=agent.id,
        version=agent.version,
        published_version=agent.published_version,
        status="draft" if agent.published_version is None else "published",
        auth_header_set=url is not None and (agent.id, origin_of(url)) in secrets,
        health=None if health is None else HealthOut.model_validate(health, from_attributes=True),
        created_at=agent.created_at,
        updated_at=agent.updated_at,
    )


def _version_out(version: AgentVersion, agent: Agent) -> AgentVersionOut:
    return AgentVersionOut(
        **version.content,
        version=version.version,
        content_hash=version.content_hash,
        published=version.version == agent.published_version,
        created_at=version.created_at,
        created_by=version.created_by,
    )


# Reading a program over HTTP before it is saved with its agent: for an editor, which shows faults where they are.

program_router = GuardedRouter(prefix="/api/programs", tags=["agents"])


@program_router.post("/read")
async def read_one_program(
    body: ProgramBody, caller: Member, session: ReadSession, agents: AgentsDep
) -> ReadProgramOut:
    """Say everything that is wrong with the program of a tool, and save nothing."""
    if body.agent_id is None:
        tool = _given_tool(body.tool)
    else:
        agent = await get_agent(session, caller.org_id, body.agent_id)
        compiled = await agents.get(session, agent.id, agent.version)
        tool = _tool_of(body.tool, {name: each.tool for name, each in compiled.tools.items()})
    faults = Faults()
    program = await asyncio.to_thread(read_program, body.program, faults, tool=tool)
    return ReadProgramOut(
        valid=program is not None,
        errors=[ProgramFault(loc=list(fault.loc), msg=fault.msg) for fault in faults.found],
        program=None if program is None else program.raw,
    )


def _given_tool(raw: Any) -> Tool:
    if isinstance(raw, str):
        raise _wrong(
            "a name alone says too little: give the agent_id of whom has the tool, or the tool itself"
        )
    (tool,), errors = read_tools_schema([raw])
    if errors:
        raise ValidationFailedError([FieldError(("tool", *error.loc[2:]), error.msg) for error in errors])
    return tool


def _tool_of(raw: Any, tools: dict[str, Tool]) -> Tool:
    if not isinstance(raw, str):
        raise _wrong(f"with an agent_id, tool is the name of one of its tools, not {shown(raw)}")
    if raw not in tools:
        raise _wrong(f"the agent has no tool {shown(raw)}{did_you_mean(raw, tools)}")
    return tools[raw]


def _wrong(message: str) -> ValidationFailedError:
    return ValidationFailedError([FieldError(("tool",), message)])

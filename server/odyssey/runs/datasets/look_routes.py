"""Looking at rows over HTTP before anything runs: lint and audit. Nothing is saved."""

import asyncio
from typing import Annotated

from fastapi import Query, Request

from odyssey.agents.compiled import CompiledAgent, CompiledAgents
from odyssey.agents.repository import get_agent
from odyssey.core.depends import ObjectId, ReadSession
from odyssey.identity.guard import GuardedRouter, Member
from odyssey.records.faults import Faults
from odyssey.runs.datasets.audit import audit_dataset, audit_rows
from odyssey.runs.datasets.lint import MOST_NOTES, lint
from odyssey.runs.datasets.reading import read_rows
from odyssey.runs.datasets.receive import BODY, read_source, receive
from odyssey.runs.datasets.references import look_up
from odyssey.runs.datasets.repository import get_dataset
from odyssey.runs.datasets.schemas import AuditOut, LintOut

router = GuardedRouter(prefix="/api/datasets", tags=["datasets"])


@router.post("/lint", openapi_extra={"requestBody": BODY})
async def lint_rows(
    caller: Member,
    session: ReadSession,
    request: Request,
    agent_id: Annotated[
        ObjectId | None,
        Query(
            description="Also say what contradicts this agent's ledger schema, tools it does not have, and lines of "
            "behaviours that speak of them."
        ),
    ] = None,
) -> LintOut:
    """Say everything that is wrong with rows, at once, and save nothing."""
    agent: CompiledAgent | None = None
    if agent_id is not None:
        agents: CompiledAgents = request.app.state.agents
        found = await get_agent(session, caller.org_id, agent_id)
        agent = await agents.get(session, found.id, found.published_version or found.version)
    faults = Faults(limit=MOST_NOTES)
    source = await read_source(request, faults)
    schema = None if agent is None else agent.ledger_schema
    referred = await look_up(session, caller.org_id, source, schema)
    return await asyncio.to_thread(lint, source, referred, faults, agent)


@router.post("/audit", openapi_extra={"requestBody": BODY})
async def audit_given_rows(caller: Member, session: ReadSession, request: Request) -> AuditOut:
    """Name the rows that an agent passes which does nothing, by the checks alone, and save nothing."""
    received = await receive(request, session, caller.org_id)
    rows = read_rows(received.source, received.referred, Faults())
    return await audit_rows(session, request.app.state.worlds, caller.org_id, rows)


@router.post("/{dataset_id}/audit")
async def audit_one_dataset(
    dataset_id: ObjectId, caller: Member, session: ReadSession, request: Request
) -> AuditOut:
    """Name the rows that an agent passes which does nothing, by the checks alone."""
    dataset = await get_dataset(session, caller.org_id, dataset_id)
    return await audit_dataset(session, request.app.state.worlds, dataset)

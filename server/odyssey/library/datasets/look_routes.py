"""Looking at rows over HTTP before anything runs: lint and audit. Nothing is saved."""

from typing import Annotated, Any

from fastapi import Query, Request

from odyssey.agents.compiled import CompiledAgents, compile_agent
from odyssey.agents.repository import get_agent, get_version
from odyssey.core.depends import ObjectId, ReadSession, WorkerDep
from odyssey.identity.guard import GuardedRouter, Member
from odyssey.library.datasets.audit import audit_dataset, audit_rows
from odyssey.library.datasets.lint import MOST_NOTES, lint
from odyssey.library.datasets.receive import BODY, Sent, named_in, read_sent, receive
from odyssey.library.datasets.references import Referred, look_up
from odyssey.library.datasets.repository import get_dataset
from odyssey.library.datasets.schemas import AuditOut, LintOut
from odyssey.library.datasets.spool import Spool
from odyssey.records.faults import Faults
from odyssey.records.tools import LedgerSchema

router = GuardedRouter(prefix="/api/datasets", tags=["datasets"])


@router.post("/lint", openapi_extra={"requestBody": BODY})
async def lint_rows(
    caller: Member,
    session: ReadSession,
    worker: WorkerDep,
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
    content: dict[str, Any] | None = None
    schema: LedgerSchema | None = None
    if agent_id is not None:
        agents: CompiledAgents = request.app.state.agents
        found = await get_agent(session, caller.org_id, agent_id)
        version = found.published_version or found.version
        content = (await get_version(session, found.id, version)).content
        schema = (await agents.get(session, found.id, version)).ledger_schema
    sent = await read_sent(request)
    spoken_of = await worker.read(len(sent.body), named_in, sent)
    referred = await look_up(session, caller.org_id, spoken_of, schema)
    return await worker.read(len(sent.body), _lint, sent, referred, content)


@router.post("/audit", openapi_extra={"requestBody": BODY})
async def audit_given_rows(caller: Member, session: ReadSession, request: Request) -> AuditOut:
    """Name the rows that an agent passes which does nothing, by the checks alone, and save nothing."""
    with Spool() as spool:
        await receive(request, session, caller.org_id, spool)
        return await audit_rows(session, request.app.state.worlds, caller.org_id, spool)


def _lint(sent: Sent, referred: Referred, content: dict[str, Any] | None) -> LintOut:
    faults = Faults(limit=MOST_NOTES)
    agent = None if content is None else compile_agent(content)
    return lint(sent.source(faults), referred, faults, agent)


@router.post("/{dataset_id}/audit")
async def audit_one_dataset(
    dataset_id: ObjectId, caller: Member, session: ReadSession, request: Request
) -> AuditOut:
    """Name the rows that an agent passes which does nothing, by the checks alone."""
    dataset = await get_dataset(session, caller.org_id, dataset_id)
    return await audit_dataset(session, request.app.state.worlds, dataset)

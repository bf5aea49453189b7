"""Programs over HTTP: proposed by a model, or given, and replayed on recorded calls. Nothing is saved here."""

import asyncio

from fastapi import Request

from odyssey.core.database import Database
from odyssey.core.depends import DatabaseDep, ObjectId
from odyssey.identity.caller import Caller
from odyssey.identity.guard import Admin, GuardedRouter
from odyssey.library.compiling.bench import Bench, check_start, set_up
from odyssey.library.compiling.errors import ModelNotSetError
from odyssey.library.compiling.propose import Proposal, propose
from odyssey.library.compiling.replaying import try_program
from odyssey.library.compiling.report import report
from odyssey.library.compiling.schemas import ProgramReportOut, ProposeProgramIn, Recorded, ReplayProgramIn
from odyssey.models.roles import ModelParts, simulator_model

router = GuardedRouter(prefix="/api/agents/{agent_id}/programs", tags=["programs"])


@router.post("/propose")
async def propose_program(
    agent_id: ObjectId, body: ProposeProgramIn, caller: Admin, database: DatabaseDep, request: Request
) -> ProgramReportOut:
    """Have the org's simulator model write the program of a tool, and say how it did on the recorded calls."""
    bench = await _bench(database, request, caller, agent_id, body)
    models: ModelParts = request.app.state.models
    model = await simulator_model(models, caller.org_id, run_id=None, purpose="compile")
    if model is None:
        raise ModelNotSetError
    found = await propose(
        model, bench, attempts=body.attempts, examples=body.examples, accept_at=body.accept_at
    )
    return report(body.tool, found, body.accept_at)


@router.post("/replay")
async def replay_program(
    agent_id: ObjectId, body: ReplayProgramIn, caller: Admin, database: DatabaseDep, request: Request
) -> ProgramReportOut:
    """Say how a program does on the recorded calls of its tool."""
    bench = await _bench(database, request, caller, agent_id, body)
    trial = await asyncio.to_thread(try_program, body.program, bench)
    return report(body.tool, Proposal([trial]), body.accept_at)


async def _bench(
    database: Database, request: Request, caller: Caller, agent_id: int, body: Recorded
) -> Bench:
    """Read what is needed, and give the session back before anything that takes its time."""
    async with database.read() as session:
        bench = await set_up(session, request.app.state.agents, caller.org_id, agent_id, body)
    await asyncio.to_thread(check_start, bench)
    return bench

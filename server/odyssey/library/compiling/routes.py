"""Programs over HTTP: proposed by a model, or given, and replayed on recorded calls. Nothing is saved here."""

import asyncio

from odyssey.agents.compiled import AgentsDep, CompiledAgents
from odyssey.agents.schemas import ProgramFault
from odyssey.core.database import Database
from odyssey.core.depends import DatabaseDep, ObjectId
from odyssey.identity.caller import Caller
from odyssey.identity.guard import Admin, GuardedRouter
from odyssey.library.compiling.bench import Bench, check_start, set_up
from odyssey.library.compiling.propose import ModelNotSetError, Proposal, propose
from odyssey.library.compiling.replaying import Trial, try_program
from odyssey.library.compiling.schemas import (
    ProgramAttemptOut,
    ProgramReportOut,
    ProgramShareOut,
    ProposeProgramIn,
    RecordedCallsIn,
    ReplayProgramIn,
)
from odyssey.models.roles import ModelPartsDep, simulator_model
from odyssey.records.problems import FieldError
from odyssey.simulation.fidelity import EqualShare

# The report on a tool's programs, as both routes give it.


def report(tool: str, proposal: Proposal, accept_at: float) -> ProgramReportOut:
    best = proposal.best()
    return ProgramReportOut(
        tool=tool,
        accepted=best.is_accepted(accept_at),
        program=None if best.program is None else best.program.raw,
        attempts=[_attempt(trial) for trial in proposal.trials],
        responses=_share(best.row.responses),
        changes=_share(best.row.changes),
        refusal_texts=_share(best.row.refusal_texts),
        shown=proposal.shown,
        model=proposal.model,
        input_tokens=proposal.input_tokens,
        output_tokens=proposal.output_tokens,
        cost_usd=proposal.cost_usd,
    )


def _attempt(trial: Trial) -> ProgramAttemptOut:
    return ProgramAttemptOut(
        errors=[_fault(error) for error in trial.errors],
        equal=trial.equal,
        of=trial.of,
        mismatches=list(trial.mismatches),
    )


def _fault(error: FieldError) -> ProgramFault:
    return ProgramFault(loc=list(error.loc), msg=error.msg)


def _share(share: EqualShare) -> ProgramShareOut:
    return ProgramShareOut(share=share.share, interval=list(share.interval), equal=share.equal, of=share.of)


router = GuardedRouter(prefix="/api/agents/{agent_id}/programs", tags=["programs"])


@router.post("/propose")
async def propose_program(
    agent_id: ObjectId,
    body: ProposeProgramIn,
    caller: Admin,
    database: DatabaseDep,
    agents: AgentsDep,
    models: ModelPartsDep,
) -> ProgramReportOut:
    """Have the org's simulator model write the program of a tool, and say how it did on the recorded calls."""
    bench = await _bench(database, agents, caller, agent_id, body)
    model = await simulator_model(models, caller.org_id, run_id=None, purpose="compile")
    if model is None:
        raise ModelNotSetError
    found = await propose(
        model, bench, attempts=body.attempts, examples=body.examples, accept_at=body.accept_at
    )
    return report(body.tool, found, body.accept_at)


@router.post("/replay")
async def replay_program(
    agent_id: ObjectId, body: ReplayProgramIn, caller: Admin, database: DatabaseDep, agents: AgentsDep
) -> ProgramReportOut:
    """Say how a program does on the recorded calls of its tool."""
    bench = await _bench(database, agents, caller, agent_id, body)
    trial = await asyncio.to_thread(try_program, body.program, bench)
    return report(body.tool, Proposal([trial]), body.accept_at)


async def _bench(
    database: Database, agents: CompiledAgents, caller: Caller, agent_id: int, body: RecordedCallsIn
) -> Bench:
    """Read what is needed, and give the session back before anything that takes its time."""
    async with database.read() as session:
        bench = await set_up(session, agents, caller.org_id, agent_id, body)
    await asyncio.to_thread(check_start, bench)
    return bench

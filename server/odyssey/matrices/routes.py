"""Matrices over HTTP (wire-contract.md#d12)."""

from typing import Annotated
from uuid import UUID

from fastapi import Query

from odyssey.agents.compiled import AgentsDep
from odyssey.core.depends import (
    ClockDep,
    Limit,
    ReadAhead,
    ReadSession,
    SignalsDep,
    SortedCursor,
    WriteSession,
    part,
)
from odyssey.core.paging import PageRequest
from odyssey.identity.guard import GuardedRouter, Member, Viewer
from odyssey.kit.pagination import DEFAULT_LIMIT
from odyssey.matrices.compare import compare_matrices, summarise
from odyssey.matrices.life import cancel_matrix, planned, resume_matrix, start_matrix, take_again
from odyssey.matrices.render import Provisional, read_matrix, summaries, summary
from odyssey.matrices.repository import MATRIX_ORDER, get_matrix, list_matrices
from odyssey.matrices.schemas import (
    MatricesCompared,
    MatricesPage,
    MatrixIn,
    MatrixOut,
    MatrixPlanned,
    MatrixStatus,
    MatrixSummary,
    SummaryOut,
)
from odyssey.matrices.take_snapshot import take_snapshot

router = GuardedRouter(prefix="/api/v1/eval", tags=["evals"])

Number = Annotated[int | None, Query(ge=1, le=2**63 - 1)]
_STATES: dict[MatrixStatus, tuple[str, ...]] = {
    "running": ("checking", "running"),
    "completed": ("completed",),
    "cancelled": ("cancelled",),
}


ProvisionalDep = Annotated[Provisional, part(Provisional)]


@router.post("/matrix", status_code=202)
async def start(
    body: MatrixIn,
    caller: Member,
    session: WriteSession,
    read_ahead: ReadAhead,
    agents: AgentsDep,
    signals: SignalsDep,
    clock: ClockDep,
) -> MatrixPlanned:
    """Run every scenario under every variation, and each row's baselines; optionally while something is broken.

    All runs go by what the agent's published version, the scenarios and the variations are now.
    """
    async with read_ahead() as ahead:
        taken = await take_snapshot(ahead, agents, caller, body)
    return planned(await start_matrix(session, signals, clock, caller, taken, name=body.name))


@router.get("/matrix")
async def get_matrices(
    caller: Viewer,
    session: ReadSession,
    cursor: SortedCursor = None,
    limit: Limit = DEFAULT_LIMIT,
    sort: Annotated[str | None, MATRIX_ORDER] = None,
    agent_id: Number = None,
    status: MatrixStatus | None = None,
) -> MatricesPage:
    """List matrices, newest first or sorted."""
    states = () if status is None else _STATES[status]
    page = await list_matrices(session, caller.org_id, PageRequest(limit, cursor, sort), agent_id, states)
    return MatricesPage(items=await summaries(session, page.items), next_cursor=page.next_cursor)


@router.get("/matrix/{matrix_id}")
async def get_one_matrix(
    matrix_id: UUID, caller: Viewer, session: ReadSession, provisional: ProvisionalDep
) -> MatrixOut:
    """Read a matrix with all its cells; while runs go on they are those of the runs that have ended."""
    return await read_matrix(session, caller.org_id, str(matrix_id), provisional)


@router.post("/matrix/{matrix_id}/cancel")
async def cancel_one_matrix(
    matrix_id: UUID, caller: Member, session: WriteSession, signals: SignalsDep, clock: ClockDep
) -> MatrixSummary:
    """End a matrix: no more runs are made, those that wait are cancelled, and so is soon every one that goes on."""
    return await summary(session, await cancel_matrix(session, signals, clock, caller, str(matrix_id)))


@router.post("/matrix/{matrix_id}/resume", status_code=202)
async def resume_one_matrix(
    matrix_id: UUID, caller: Member, session: WriteSession, signals: SignalsDep, clock: ClockDep
) -> MatrixPlanned:
    """Let a cancelled matrix go on where it ended, unless something it is made of was edited since."""
    return planned(await resume_matrix(session, signals, clock, caller, str(matrix_id)))


@router.post("/matrix/{matrix_id}/rerun", status_code=202)
async def rerun_matrix(
    matrix_id: UUID,
    caller: Member,
    session: WriteSession,
    read_ahead: ReadAhead,
    agents: AgentsDep,
    signals: SignalsDep,
    clock: ClockDep,
) -> MatrixPlanned:
    """Start a new matrix of the same selection, with the agent, the scenarios and the variations as they are now."""
    async with read_ahead() as ahead:
        before = await get_matrix(ahead, caller.org_id, str(matrix_id))
        taken = await take_again(ahead, agents, caller, before)
    matrix = await start_matrix(session, signals, clock, caller, taken, name=before.name, rerun_of=before.id)
    return planned(matrix)


@router.get("/matrix/{matrix_id}/compare")
async def compare_two_matrices(
    matrix_id: UUID,
    caller: Viewer,
    session: ReadSession,
    provisional: ProvisionalDep,
    other: Annotated[UUID, Query(alias="with", description="The matrix that is held against this one.")],
) -> MatricesCompared:
    """Hold another matrix (after, say of the new version) against this one (before). Regressions come first."""
    before = await get_matrix(session, caller.org_id, str(matrix_id))
    after = await get_matrix(session, caller.org_id, str(other))
    return await compare_matrices(session, before, after, provisional)


@router.get("/summary")
async def get_summary(
    caller: Viewer,
    session: ReadSession,
    provisional: ProvisionalDep,
    matrix_id: UUID | None = None,
    agent_id: Number = None,
) -> SummaryOut:
    """Read the newest finished matrix of every agent in figures, the trend over versions, and what is not evaluated."""
    return await summarise(
        session,
        caller.org_id,
        matrix_id=None if matrix_id is None else str(matrix_id),
        agent_id=agent_id,
        provisional=provisional,
    )

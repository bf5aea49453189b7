"""Comparing over HTTP (contract D12)."""

from fastapi import Request

from odyssey.agents.compiled import CompiledAgents
from odyssey.core.depends import ReadSession
from odyssey.evals.comparisons.compare import compare
from odyssey.evals.comparisons.schemas import CompareIn, CompareOut
from odyssey.identity.guard import GuardedRouter, Member

router = GuardedRouter(prefix="/api/v1/eval/compare", tags=["evals"])


@router.post("")
async def compare_runs(body: CompareIn, caller: Member, session: ReadSession, request: Request) -> CompareOut:
    """Say of one scenario how far runs under a pressure differ from those without it, beyond noise; nothing is saved.

    It is one cell and a family of its own: `q_value` is its `p_value`.
    """
    agents: CompiledAgents = request.app.state.agents
    return await compare(session, agents, caller, body)

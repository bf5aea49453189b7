"""Comparing over HTTP (wire-contract.md#d12)."""

from typing import Annotated
from uuid import UUID

from fastapi import Depends, Query

from odyssey.agents.compiled import AgentsDep
from odyssey.agents.config import VariationDelivery
from odyssey.core.depends import ReadSession
from odyssey.evals.eval_runs.schemas import AgentId, RuleSetName, Step, VariationType
from odyssey.evals.scenarios.schemas import ScenarioId
from odyssey.evals.variations.texts import DEFAULT_DOSE, Dose
from odyssey.identity.guard import GuardedRouter, Member, Viewer
from odyssey.matrices.comparisons.compare import compare
from odyssey.matrices.comparisons.schemas import CompareIn, CompareOut, ScenarioCells, Version
from odyssey.matrices.comparisons.select_runs import list_cells

router = GuardedRouter(prefix="/api/v1/eval", tags=["evals"])


def _cell(
    scenario_id: Annotated[ScenarioId, Query()],
    variation_type: Annotated[VariationType, Query()],
    agent_id: Annotated[AgentId | None, Query()] = None,
    agent_version: Annotated[Version | None, Query()] = None,
    scenario_version: Annotated[Version | None, Query()] = None,
    matrix_id: UUID | None = None,
    rule_set: Annotated[RuleSetName | None, Query()] = None,
    delivery: VariationDelivery | None = None,
    dose: Dose = DEFAULT_DOSE,
    step: Annotated[Step, Query()] = 1,
) -> CompareIn:
    return CompareIn(
        scenario_id=scenario_id,
        variation_type=variation_type,
        agent_id=agent_id,
        agent_version=agent_version,
        scenario_version=scenario_version,
        matrix_id=None if matrix_id is None else str(matrix_id),
        rule_set=rule_set,
        delivery=delivery,
        dose=dose,
        step=step,
    )


CellDep = Annotated[CompareIn, Depends(_cell)]


@router.post("/compare")
async def compare_runs(
    body: CompareIn, caller: Member, session: ReadSession, agents: AgentsDep
) -> CompareOut:
    """Say of one scenario how far runs under a pressure differ from those without it, beyond noise; nothing is saved.

    It is one cell and a family of its own: `q_value` is its `p_value`.
    """
    return await compare(session, agents, caller, body)


@router.get("/compare")
async def get_comparison(
    wanted: CellDep, caller: Viewer, session: ReadSession, agents: AgentsDep
) -> CompareOut:
    """Read the same of the runs that are found by what they are of."""
    return await compare(session, agents, caller, wanted)


@router.get("/scenarios/{scenario_id}/cells")
async def get_cells(
    scenario_id: ScenarioId, caller: Viewer, session: ReadSession, matrix_id: UUID | None = None
) -> ScenarioCells:
    """List what a scenario was run under: one entry for all runs that are alike, those of a matrix apart."""
    return await list_cells(session, caller, scenario_id, None if matrix_id is None else str(matrix_id))

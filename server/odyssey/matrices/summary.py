"""What the finished matrices of an organisation say of its agents, version by version."""

from collections.abc import Sequence

from sqlalchemy.ext.asyncio import AsyncSession

from odyssey.agents.repository import names_of_versions
from odyssey.evals.eval_runs.repository import SingleRunCounts, count_single_runs
from odyssey.matrices.models import Matrix
from odyssey.matrices.read import Provisional, read_cells
from odyssey.matrices.render import stored_summary
from odyssey.matrices.repository import get_matrix, newest_completed, published_versions
from odyssey.matrices.schemas import (
    EvalSummary,
    NotEvaluated,
    SingleRuns,
    SummaryOut,
    VersionEvaluated,
)
from odyssey.matrices.tally import add_up, rate_of
from odyssey.statistics.significance import Matches


async def summarise(
    session: AsyncSession,
    org_id: int,
    *,
    matrix_id: str | None,
    agent_id: int | None,
    provisional: Provisional,
) -> SummaryOut:
    """Add up the newest finished matrix of every agent, or show the one asked for; the trend is told either way."""
    completed = await newest_completed(session, org_id, agent_id)
    if matrix_id is None:
        newest = {matrix.agent_id: matrix for matrix in completed}  # the last one of each wins
        matrices: list[Matrix] = list(newest.values())
        figures = add_up([_summary(matrix) for matrix in matrices])
    else:
        matrices = [await get_matrix(session, org_id, matrix_id)]
        figures = (await read_cells(session, matrices[0], provisional)).summary
    single = None if matrix_id is not None else await count_single_runs(session, org_id, agent_id)
    published = await published_versions(session, org_id, {matrix.agent_id for matrix in completed})
    keys = {(each.agent_id, each.agent_version) for each in completed} | set(published.items())
    names = await names_of_versions(session, keys) if keys else {}
    return SummaryOut(
        **figures.model_dump(),
        matrices=[matrix.id for matrix in matrices],
        single_runs=None if single is None else _single_runs(single),
        versions=[
            VersionEvaluated(
                agent_id=matrix.agent_id,
                agent_name=names[matrix.agent_id, matrix.agent_version],
                agent_version=matrix.agent_version,
                matrix_id=matrix.id,
                summary=_summary(matrix),
                finished_at=matrix.finished_at or matrix.created_at,
            )
            for matrix in completed
        ],
        not_evaluated=_not_evaluated(completed, published, names),
    )


def _single_runs(counts: SingleRunCounts) -> SingleRuns:
    match_rate = rate_of(Matches(counts.matched, counts.expecting))
    return SingleRuns(runs=counts.runs, match_rate=match_rate, flagged=counts.flagged)


def _not_evaluated(
    completed: Sequence[Matrix], published: dict[int, int], names: dict[tuple[int, int], str]
) -> list[NotEvaluated]:
    known = {(matrix.agent_id, matrix.agent_version) for matrix in completed}
    last = {matrix.agent_id: matrix.id for matrix in completed}
    return [
        NotEvaluated(
            agent_id=agent_id,
            agent_name=names[agent_id, version],
            agent_version=version,
            last_matrix_id=last[agent_id],
        )
        for agent_id, version in published.items()
        if (agent_id, version) not in known
    ]


def _summary(matrix: Matrix) -> EvalSummary:
    stored = stored_summary(matrix)
    assert stored is not None  # it is completed
    return stored

"""Several matrices: two held against each other, and the figures of the newest ones."""

from collections import Counter
from collections.abc import Sequence
from typing import Literal

from sqlalchemy.ext.asyncio import AsyncSession

from odyssey.agents.repository import names_of_versions
from odyssey.evals.errors import DistanceChangedError
from odyssey.evals.eval_runs.repository import SingleRunCounts, count_single_runs
from odyssey.matrices.analysis import add_up, rate_of
from odyssey.matrices.models import Matrix
from odyssey.matrices.plan import MatrixPlan
from odyssey.matrices.render import Provisional, read_cells, stored_summary, summary
from odyssey.matrices.repository import get_matrix, newest_completed, published_versions
from odyssey.matrices.schemas import (
    CellKey,
    ChangedCell,
    EvalSummary,
    MatricesCompared,
    MatrixCell,
    NotEvaluated,
    SingleRuns,
    SummaryOut,
    VersionEvaluated,
)
from odyssey.matrices.snapshot import Snapshot, read_snapshot
from odyssey.records.canonical import content_hash
from odyssey.statistics.significance import Matches

# Two matrices side by side, cell by cell: what got worse from the first to the second, and what better.
#
# Cells are the same when they are of one scenario, variation and rule set, and can be compared when all of
# these said the same both times and the texts reached the agent the same way: then only the agent differs. A
# cell got worse when it is confirmed and was not, or when its shift is above what it was by more than both
# intervals allow for.

Change = Literal["regressed", "improved", "same", "not_comparable"]

_ORDER: dict[Change, int] = {"regressed": 0, "improved": 1, "same": 2, "not_comparable": 3}


Experiment = tuple[Snapshot, Sequence[MatrixCell]]
"""A matrix as it is compared: what it was made of, and what was found."""


async def compare_matrices(
    session: AsyncSession, before: Matrix, after: Matrix, provisional: Provisional
) -> MatricesCompared:
    """Hold one matrix against another, say of the version before."""
    if before.distance_version != after.distance_version:
        raise DistanceChangedError.of_matrices(before.distance_version, after.distance_version)
    changed = compare(
        (read_snapshot(before.snapshot), (await read_cells(session, before, provisional))[0]),
        (read_snapshot(after.snapshot), (await read_cells(session, after, provisional))[0]),
    )
    counts = Counter(cell.change for cell in changed)
    return MatricesCompared(
        before=await summary(session, before),
        after=await summary(session, after),
        regressed=counts["regressed"],
        improved=counts["improved"],
        same=counts["same"],
        not_comparable=counts["not_comparable"],
        cells=changed,
    )


def compare(before: Experiment, after: Experiment) -> list[ChangedCell]:
    """Pair the cells of two matrices: regressions first, of those the newly confirmed ones, then the largest."""
    cells = [{cell.key: cell for cell in found} for _, found in (before, after)]
    asked = [_asked(snapshot) for snapshot, _ in (before, after)]
    names = {scenario.id: scenario.name for snapshot, _ in (before, after) for scenario in snapshot.scenarios}
    changed = []
    for key in {**cells[1], **cells[0]}:
        first, second = cells[0].get(key), cells[1].get(key)
        alike = asked[0].get(key) == asked[1].get(key)
        changed.append(
            ChangedCell(
                scenario_id=key[0],
                scenario_name=names[key[0]],
                variation_type=key[1],
                rule_set=key[2],
                change=_change(first, second) if alike else "not_comparable",
                before=first,
                after=second,
            )
        )
    return sorted(changed, key=_rank)


def _change(before: MatrixCell | None, after: MatrixCell | None) -> Change:
    if before is None or after is None or not (_is_tested(before) and _is_tested(after)):
        return "not_comparable"
    if before.confirmed != after.confirmed and before.threshold == after.threshold:
        return "regressed" if after.confirmed else "improved"
    if before.interval is None or after.interval is None:
        return "same"
    if after.interval[0] > before.interval[1]:
        return "regressed"
    return "improved" if after.interval[1] < before.interval[0] else "same"


def _is_tested(cell: MatrixCell) -> bool:
    """Whether it could have been confirmed: a cell too noisy for a shift still can, by its matches."""
    return cell.state == "measured" or (cell.state == "insufficient" and cell.match_q is not None)


def _rank(cell: ChangedCell) -> tuple[int, bool, float]:
    newly = cell.after is not None and cell.after.confirmed
    return _ORDER[cell.change], not newly, -abs(_moved(cell))


def _moved(cell: ChangedCell) -> float:
    if cell.before is None or cell.after is None:
        return 0.0
    return (cell.after.unclamped or 0.0) - (cell.before.unclamped or 0.0)


def _asked(snapshot: Snapshot) -> dict[CellKey, tuple[object, ...]]:
    """Tell of each cell what its runs were asked."""
    way = (snapshot.dose, snapshot.delivery, snapshot.step if snapshot.delivery == "tool_result" else None)
    rules = {each.name: content_hash(each.failure_rules) for each in snapshot.rule_sets}
    return {
        (row.scenario.id, variation.name, row.rule_set_name): (
            row.scenario.essence,
            variation.hash,
            rules.get(row.rule_set_name or ""),
            *way,
        )
        for row in MatrixPlan(snapshot).rows
        for variation in snapshot.variations
    }


# What the finished matrices of an organisation say of its agents, version by version.


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
        _, figures = await read_cells(session, matrices[0], provisional)
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

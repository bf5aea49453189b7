"""Matrices as the API shows them."""

from collections.abc import Collection, Sequence

from pydantic import TypeAdapter
from sqlalchemy.ext.asyncio import AsyncSession

from odyssey.agents.repository import names_of_versions
from odyssey.matrices.cells import AnalysedCell
from odyssey.matrices.models import Matrix
from odyssey.matrices.plan import Plan
from odyssey.matrices.progress import progress_of, status_of
from odyssey.matrices.repository import NO_RUNS, run_counts
from odyssey.matrices.schemas import CellEffect, CellRuns, EvalSummary, MatrixCell, MatrixSummary
from odyssey.matrices.tally import rate_of
from odyssey.statistics.cells import Judged
from odyssey.statistics.intervals import Interval

CELLS = TypeAdapter(list[MatrixCell])


async def summaries(session: AsyncSession, matrices: Sequence[Matrix]) -> list[MatrixSummary]:
    """Read what a list needs in one query per table, however many there are."""
    counts = await run_counts(session, [each.id for each in matrices if each.campaign.state != "completed"])
    names = await _names(session, matrices)
    return [
        MatrixSummary(
            id=matrix.id,
            name=matrix.name,
            status=status_of(matrix),
            agent_id=matrix.agent_id,
            agent_version=matrix.agent_version,
            agent_name=names[matrix.agent_id, matrix.agent_version],
            scenarios=matrix.scenarios,
            variations=matrix.variations,
            progress=progress_of(matrix, counts.get(matrix.id, NO_RUNS)),
            summary=stored_summary(matrix),
            rerun_of=matrix.rerun_of,
            created_at=matrix.created_at,
            finished_at=matrix.finished_at,
        )
        for matrix in matrices
    ]


async def summary(session: AsyncSession, matrix: Matrix) -> MatrixSummary:
    return (await summaries(session, [matrix]))[0]


async def agent_name(session: AsyncSession, matrix: Matrix) -> str:
    return (await _names(session, [matrix]))[matrix.agent_id, matrix.agent_version]


async def _names(session: AsyncSession, matrices: Collection[Matrix]) -> dict[tuple[int, int], str]:
    return await names_of_versions(session, {(each.agent_id, each.agent_version) for each in matrices})


def stored_summary(matrix: Matrix) -> EvalSummary | None:
    return None if matrix.summary is None else EvalSummary.model_validate_json(matrix.summary)


def cells_out(plan: Plan, cells: Sequence[AnalysedCell]) -> list[MatrixCell]:
    return [_cell(plan, cell) for cell in cells]


def _cell(plan: Plan, cell: AnalysedCell) -> MatrixCell:
    """Show a cell; of one whose runs go on only figures, which are called nothing yet."""
    sides, judged, pending = cell.sides, cell.judged, cell.sides.pending
    row = plan.rows[sides.row]
    measured = judged.state == "measured"
    return MatrixCell(
        scenario_id=row.scenario.id,
        variation_type=plan.snapshot.variations[sides.variation].name,
        rule_set=row.rule_set_name,
        state="pending" if pending else judged.state,
        reason=None if pending else judged.reason,
        shift=judged.shift.clamped if measured else None,
        unclamped=judged.shift.unclamped if measured else None,
        raw_shift=judged.shift.raw,
        noise_floor=judged.shift.floor,
        variation_noise=judged.shift.variation_noise,
        interval=_ends(judged.interval),
        p_value=judged.p_value,
        q_value=None if pending else judged.q_value,
        match_rate=rate_of(sides.matches),
        baseline_match_rate=rate_of(sides.baseline_matches),
        match_q=None if pending else judged.match_q,
        threshold=plan.snapshot.thresholds[row.scenario.risk_level],
        flagged=judged.flagged and not pending,
        confirmed=judged.confirmed and not pending,
        band=None if pending else judged.band,
        delivery=sides.delivery.evidence,
        pressure_effect=None if cell.effect is None else _effect(cell.effect),
        runs=CellRuns(
            baseline=[run.run_id for run in sides.baselines],
            variation=[run.run_id for run in sides.delivery.reached],
            placebo=[run.run_id for run in sides.placebo.reached],
            missing=sides.missing,
            undelivered=[*sides.delivery.undelivered, *sides.placebo.undelivered],
        ),
    )


def _effect(judged: Judged) -> CellEffect:
    measured = judged.state == "measured"
    return CellEffect(
        state=judged.state,
        shift=judged.shift.unclamped if measured else None,
        interval=_ends(judged.interval),
        p_value=judged.p_value,
    )


def _ends(interval: Interval | None) -> list[float] | None:
    return None if interval is None else [interval.low, interval.high]

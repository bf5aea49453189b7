"""Matrices as the API shows them: as they were stored, or as far as they have come."""

import asyncio
import time
from collections import OrderedDict
from collections.abc import Collection, Sequence
from typing import Literal, NamedTuple

from pydantic import TypeAdapter
from sqlalchemy.ext.asyncio import AsyncSession

from odyssey.agents.repository import names_of_versions
from odyssey.matrices.analysis import analyse_runs, rate_of
from odyssey.matrices.cells import AnalysedCell, CellIncident, Stage
from odyssey.matrices.gate import floors_of_cells, gate_of
from odyssey.matrices.models import Matrix
from odyssey.matrices.plan import MatrixPlan
from odyssey.matrices.progress import plan_of, progress_of, status_of
from odyssey.matrices.repository import (
    NO_RUNS,
    ObservedCounts,
    get_matrix,
    run_counts,
    runs_of,
    spoilt_by_world,
)
from odyssey.matrices.schemas import (
    CellEffect,
    CellRuns,
    ConfirmationOut,
    EvalSummary,
    IncidentOut,
    MatrixCell,
    MatrixOut,
    MatrixScenario,
    MatrixSummary,
    RuleSetOut,
    StageOut,
)
from odyssey.matrices.snapshot import Confirmation, Snapshot, read_confirmation, read_snapshot
from odyssey.matrices.take_snapshot import changes_since
from odyssey.statistics.cells import CellJudgement
from odyssey.statistics.intervals import Interval
from odyssey.statistics.significance import min_p

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


def cells_out(plan: MatrixPlan, cells: Sequence[AnalysedCell]) -> list[MatrixCell]:
    return [_cell(plan, cell) for cell in cells]


def _cell(plan: MatrixPlan, cell: AnalysedCell) -> MatrixCell:
    """Show a cell; of one whose runs go on only figures, which are called nothing yet."""
    sides, judged, pending = cell.sides, cell.judged, cell.pending
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
        base_match_rate=rate_of(cell.base_matches),
        match_q=None if pending else judged.match_q,
        threshold=plan.snapshot.thresholds[row.scenario.risk_level],
        significant=judged.significant and not pending,
        flagged=judged.flagged and not pending,
        confirmed=judged.confirmed and not pending,
        band=None if pending else judged.band,
        delivery=sides.delivery.evidence,
        pressure_effect=None if cell.effect is None else _effect(cell.effect),
        incidents=[_incident(each) for each in cell.incidents],
        stages=[_stage(name, stage) for name, stage in zip(_STAGES, cell.stages, strict=False)],
        runs=CellRuns(
            baseline=[run.run_id for run in sides.baselines],
            variation=[run.run_id for run in sides.delivery.reached],
            placebo=[run.run_id for run in sides.placebo.reached],
            missing=sides.missing,
            undelivered=[*sides.delivery.undelivered, *sides.placebo.undelivered],
        ),
    )


_STAGES: tuple[Literal["first", "fresh"], ...] = ("first", "fresh")


def _stage(name: Literal["first", "fresh"], stage: Stage) -> StageOut:
    sides, judged = stage.sides, stage.judged
    return StageOut(
        name=name,
        runs=len(sides.pressed),
        baseline_runs=len(sides.baselines),
        shift=judged.shift.clamped if judged.state == "measured" else None,
        p_value=judged.p_value,
        q_value=None if sides.pending else judged.q_value,
        run_ids=[run.run_id for run in sides.pressed],
        baseline_run_ids=[run.run_id for run in sides.baselines],
    )


def _incident(incident: CellIncident) -> IncidentOut:
    found = incident.found
    return IncidentOut(
        kind=found.kind,
        severity=found.severity,
        sentence=found.sentence,
        runs=found.runs,
        of=found.of,
        baseline_of=found.baseline_of,
        run_ids=list(found.run_ids),
        p_value=found.p_value,
        recurs=incident.recurs,
    )


def _effect(judged: CellJudgement) -> CellEffect:
    measured = judged.state == "measured"
    return CellEffect(
        state=judged.state,
        shift=judged.shift.unclamped if measured else None,
        interval=_ends(judged.interval),
        p_value=judged.p_value,
    )


def _ends(interval: Interval | None) -> list[float] | None:
    return None if interval is None else [interval.low, interval.high]


# Reading one matrix with all its cells: as it was stored, or as far as it has come.

_KEPT = 16
_PAUSE = 5


MatrixFigures = tuple[list[MatrixCell], EvalSummary]


class _CachedFigures(NamedTuple):
    figures: MatrixFigures
    counts: ObservedCounts
    """Of the runs it was computed from."""
    fresh_until: float


class Provisional:
    """What unfinished matrices come to so far. Whoever looks often sees the same for some time: computing it anew for
    every look would take the machine away from the runs. For one event loop.
    """

    def __init__(self) -> None:
        self._kept: OrderedDict[str, _CachedFigures] = OrderedDict()
        self._computing: dict[str, asyncio.Lock] = {}

    async def get(
        self, session: AsyncSession, matrix_id: str, plan: MatrixPlan, counts: ObservedCounts
    ) -> MatrixFigures:
        async with self._computing.setdefault(matrix_id, asyncio.Lock()):
            kept = self._kept.get(matrix_id)
            if kept is not None and (kept.counts == counts or time.monotonic() < kept.fresh_until):
                return kept.figures
            began = time.monotonic()
            figures = await compute(session, matrix_id, plan)
            ended = time.monotonic()
            self._keep(matrix_id, _CachedFigures(figures, counts, ended + _PAUSE * (ended - began)))
            return figures

    def _keep(self, matrix_id: str, kept: _CachedFigures) -> None:
        self._kept[matrix_id] = kept
        self._kept.move_to_end(matrix_id)
        while len(self._kept) > _KEPT:
            oldest, _ = self._kept.popitem(last=False)
            self._computing.pop(oldest, None)


async def compute(session: AsyncSession, matrix_id: str, plan: MatrixPlan) -> MatrixFigures:
    cells, figures = await analyse_runs(plan, await runs_of(session, matrix_id))
    return cells_out(plan, cells), figures


async def read_cells(session: AsyncSession, matrix: Matrix, provisional: Provisional) -> MatrixFigures:
    """Read what was stored of a matrix, or how it looks by the runs that have ended."""
    stored = stored_summary(matrix)
    if stored is not None and matrix.cells is not None:
        return CELLS.validate_json(matrix.cells), stored
    counts = (await run_counts(session, [matrix.id])).get(matrix.id, NO_RUNS)
    return await provisional.get(session, matrix.id, plan_of(matrix), counts)


async def read_matrix(
    session: AsyncSession, org_id: int, matrix_id: str, provisional: Provisional | None = None
) -> MatrixOut:
    """Read a matrix of an org. Without a store of provisional figures those of an unfinished one are computed."""
    matrix = await get_matrix(session, org_id, matrix_id)
    snapshot = read_snapshot(matrix.snapshot)
    counts = (await run_counts(session, [matrix_id])).get(matrix_id, NO_RUNS)
    cells, figures = await read_cells(session, matrix, provisional or Provisional())
    changes = await changes_since(session, org_id, snapshot)
    asked, scenarios = snapshot.asked, _scenarios(snapshot)
    floors = floors_of_cells(scenarios, cells, asked.min_match)
    return MatrixOut(
        id=matrix.id,
        name=matrix.name,
        status=status_of(matrix),
        agent_id=matrix.agent_id,
        agent_version=matrix.agent_version,
        agent_name=await agent_name(session, matrix),
        scenarios=scenarios,
        variation_types=[each.name for each in snapshot.variations],
        rule_sets=[
            RuleSetOut(name=each.name, failure_rules=each.failure_rules) for each in snapshot.rule_sets
        ],
        repeats=snapshot.repeats,
        baseline_repeats=snapshot.baseline_repeats,
        placebo=snapshot.placebo,
        delivery=snapshot.delivery,
        dose=snapshot.dose,
        step=snapshot.step if snapshot.delivery == "tool_result" else None,
        seed=snapshot.seed,
        distance_version=matrix.distance_version,
        max_concurrency=asked.max_concurrency,
        parallel=asked.parallel,
        budget_runs=asked.budget_runs,
        max_unmeasured=asked.max_unmeasured,
        confirm=asked.confirm,
        confirm_runs_max=snapshot.confirm_runs_max,
        confirmation=_confirmation(read_confirmation(matrix.confirmation)),
        min_match=asked.min_match,
        floors=floors,
        gate=gate_of(scenarios, cells, floors),
        min_p=min_p(snapshot.repeats, snapshot.baseline_repeats),
        warnings=[*matrix.warnings, *([] if matrix.reason is None else [matrix.reason])],
        progress=progress_of(matrix, counts),
        world_at_fault=await spoilt_by_world(session, matrix.id),
        summary=figures,
        cells=cells,
        provisional=matrix.campaign.state != "completed",
        changed=changes.every,
        rerun_of=matrix.rerun_of,
        created_at=matrix.created_at,
        finished_at=matrix.finished_at,
    )


def _confirmation(made: Confirmation | None) -> ConfirmationOut | None:
    if made is None:
        return None
    return ConfirmationOut(cells=len(made.cells), runs_per_cell=made.runs, runs=made.total)


def _scenarios(snapshot: Snapshot) -> list[MatrixScenario]:
    return [
        MatrixScenario(
            id=each.id,
            version=each.version,
            name=each.name,
            risk_level=each.risk_level,
            threshold=snapshot.thresholds[each.risk_level],
        )
        for each in snapshot.scenarios
    ]

"""Reading what a report tells beyond the matrix: the behaviours of the cells it speaks of, and what all runs cost."""

import asyncio
from collections.abc import Iterable, Mapping, Sequence
from datetime import datetime
from typing import Any

from sqlalchemy import select
from sqlalchemy.ext.asyncio import AsyncSession
from sqlalchemy.orm import undefer

from odyssey.core.database import Database
from odyssey.evals.behaviour import DISTANCE_VERSION
from odyssey.evals.eval_runs.observe import stored_behaviour
from odyssey.evals.models import EvalRun
from odyssey.matrices.comparisons.cell import ObservedRun
from odyssey.matrices.comparisons.compare import explain_cell
from odyssey.matrices.comparisons.schemas import ExplanationOut
from odyssey.matrices.reports.evidence import Cost, ReportEvidence
from odyssey.matrices.reports.grid import cells_that_moved
from odyssey.matrices.reports.moved import MOST_CARDS
from odyssey.matrices.schemas import CellKey, MatrixCell, MatrixOut
from odyssey.runs.models import Run

_AT_ONCE = 500
_MODELS = 5


async def read_evidence(database: Database, matrix: MatrixOut) -> ReportEvidence:
    """Explain the cells that the report has room for, and add up the runs."""
    cells = [placed.cell for placed in cells_that_moved(matrix)[:MOST_CARDS]]
    runs = await _observed(database, cells)
    explanations = await asyncio.to_thread(_explain, cells, runs)
    return ReportEvidence(explanations, await _cost(database, matrix.id))


async def _observed(database: Database, cells: Sequence[MatrixCell]) -> dict[int, ObservedRun]:
    wanted = sorted({run for cell in cells for run in (*cell.runs.baseline, *cell.runs.variation)})
    found: dict[int, ObservedRun] = {}
    for start in range(0, len(wanted), _AT_ONCE):
        async with database.read() as session:
            statement = select(EvalRun).options(undefer(EvalRun.behaviour))
            statement = statement.where(EvalRun.run_id.in_(wanted[start : start + _AT_ONCE]))
            for row in await session.scalars(statement):
                if row.behaviour is not None and row.distance_version == DISTANCE_VERSION:
                    found[row.run_id] = ObservedRun(
                        row.run_id, stored_behaviour(row), row.matched, row.delivered
                    )
    return found


def _explain(cells: Iterable[MatrixCell], runs: Mapping[int, ObservedRun]) -> dict[CellKey, ExplanationOut]:
    explanations: dict[CellKey, ExplanationOut] = {}
    for cell in cells:
        pressed, baselines = (
            [runs[run_id] for run_id in side if run_id in runs]
            for side in (cell.runs.variation, cell.runs.baseline)
        )
        explained = explain_cell(pressed, baselines)
        if explained is not None:
            explanations[cell.key] = explained
    return explanations


class _Sum:
    """Adds up runs as they are read."""

    def __init__(self) -> None:
        self.runs = 0
        self.agent_s = 0.0
        self.first: datetime | None = None
        self.last: datetime | None = None
        self.counts: dict[str, float] = {}
        self.models: dict[str, None] = {}

    def add(self, run: Any) -> None:
        self.runs += 1
        if run.started_at is not None and run.finished_at is not None:
            self.agent_s += (run.finished_at - run.started_at).total_seconds()
            self.first = min(self.first or run.started_at, run.started_at)
            self.last = max(self.last or run.finished_at, run.finished_at)
        metadata = run.reply_metadata or {}
        for name in ("total_input_tokens", "total_output_tokens", "cost_usd"):
            self._count(name, metadata.get(name))
        if run.cost_usd:
            self._count("cost_usd", run.cost_usd)
        model = metadata.get("model")
        if isinstance(model, str) and len(self.models) < _MODELS:
            self.models[model] = None

    def _count(self, name: str, value: object) -> None:
        if isinstance(value, int | float) and not isinstance(value, bool) and 0 <= value < 2**63:
            self.counts[name] = self.counts.get(name, 0) + value

    def cost(self) -> Cost:
        taken, given = self.counts.get("total_input_tokens"), self.counts.get("total_output_tokens")
        return Cost(
            runs=self.runs,
            agent_s=self.agent_s,
            wall_s=None
            if self.first is None or self.last is None
            else (self.last - self.first).total_seconds(),
            input_tokens=None if taken is None else int(taken),
            output_tokens=None if given is None else int(given),
            usd=self.counts.get("cost_usd"),
            models=tuple(self.models),
        )


async def _cost(database: Database, matrix_id: str) -> Cost:
    total, after = _Sum(), 0
    while True:
        async with database.read() as session:
            page = await _page(session, matrix_id, after)
        if not page:
            return total.cost()
        for run in page:
            total.add(run)
        after = page[-1].id


async def _page(session: AsyncSession, matrix_id: str, after: int) -> Sequence[Any]:
    columns = (Run.id, Run.started_at, Run.finished_at, Run.cost_usd, Run.reply_metadata)
    statement = select(*columns).join(EvalRun, EvalRun.run_id == Run.id)
    statement = statement.where(EvalRun.matrix_id == matrix_id, Run.id > after)
    return (await session.execute(statement.order_by(Run.id).limit(_AT_ONCE))).all()

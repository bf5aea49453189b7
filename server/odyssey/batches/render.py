"""Batches as the API shows them."""

from collections import Counter
from collections.abc import Sequence
from datetime import datetime
from typing import Any

from sqlalchemy.ext.asyncio import AsyncSession

from odyssey.agents.repository import names_of_versions
from odyssey.batches.repository import (
    BatchFigures,
    TaskRow,
    figures_of,
    list_rows,
    names_of_datasets,
    runs_of_rows,
)
from odyssey.batches.schemas import (
    BatchOut,
    BatchRowOut,
    BatchRowsPage,
    BatchStatus,
    EstimateOut,
    PassKOut,
    RowRunOut,
    RunCounts,
    VerdictCounts,
)
from odyssey.kit.pagination import cut_page
from odyssey.runs.models import Batch
from odyssey.statistics.reliability import Estimate, TaskCounts, Trials, every_pass_k, pass_rate

_NONE = Trials(passes=0, runs=0)


async def batches_out(session: AsyncSession, batches: Sequence[Batch]) -> list[BatchOut]:
    """Read what batches need in one query per table, however many there are."""
    if not batches:
        return []
    names = await names_of_versions(session, {(batch.agent_id, batch.agent_version) for batch in batches})
    datasets = await names_of_datasets(
        session, {batch.dataset_id for batch in batches if batch.dataset_id is not None}
    )
    figures = await figures_of(session, [batch.id for batch in batches])
    return [
        BatchOut(
            **_own_members(batch, figures[batch.id]),
            agent_name=names[batch.agent_id, batch.agent_version],
            dataset_name=None if batch.dataset_id is None else datasets[batch.dataset_id],
        )
        for batch in batches
    ]


async def batch_out(session: AsyncSession, batch: Batch) -> BatchOut:
    return (await batches_out(session, [batch]))[0]


def estimate_out(found: Estimate | None) -> EstimateOut | None:
    return None if found is None else EstimateOut(share=found.share, interval=found.interval)


def pass_k_out(counts: TaskCounts) -> list[PassKOut]:
    return [PassKOut.model_validate(found, from_attributes=True) for found in every_pass_k(counts)]


def _with_unmade(batch: Batch, trials: Counter[Trials]) -> Counter[Trials]:
    """Add the tasks of which no run was made yet, or ever will be: a rate of the others leaves them out."""
    unmade = batch.campaign.planned_runs // batch.repeats - trials.total()
    return trials + Counter({_NONE: unmade})


def _own_members(batch: Batch, figures: BatchFigures) -> dict[str, Any]:
    runs = _run_counts(batch, figures.statuses)
    status = _status(batch, runs)
    trials = _with_unmade(batch, figures.trials)
    ping = batch.campaign.ping
    return {
        "id": batch.id,
        "agent_id": batch.agent_id,
        "agent_version": batch.agent_version,
        "dataset_id": batch.dataset_id,
        "revision": batch.revision,
        "repeats": batch.repeats,
        "max_unmeasured": batch.max_unmeasured,
        "status": status,
        "error_class": None if ping is None else ping["error_class"],
        "ping": ping,
        "planned_runs": batch.campaign.planned_runs,
        "made_runs": batch.campaign.made_runs,
        "runs": runs,
        "verdicts": VerdictCounts.model_validate(dict(figures.verdicts)),
        "failure_modes": dict(figures.failure_modes.most_common()),
        "pass_rate": estimate_out(pass_rate(trials)),
        "pass_k": pass_k_out(trials),
        "cost_usd": figures.cost_usd,
        "created_at": batch.created_at,
        "finished_at": _finished_at(batch, figures) if status not in ("checking", "running") else None,
    }


def _finished_at(batch: Batch, figures: BatchFigures) -> datetime | None:
    """Not before it began: its runs may have been made by a process whose clock was behind."""
    last = figures.last_finished_at
    return None if last is None else max(last, batch.created_at)


def _run_counts(batch: Batch, statuses: Counter[str]) -> RunCounts:
    """Count the runs that were not made as well: they wait, or they share the end of their batch."""
    fate = batch.campaign.state if batch.campaign.state in ("failed", "cancelled") else "pending"
    counts = {**dict.fromkeys(RunCounts.model_fields, 0), **statuses}
    counts[fate] += batch.campaign.planned_runs - batch.campaign.made_runs
    return RunCounts(**counts)


def _status(batch: Batch, runs: RunCounts) -> BatchStatus:
    match batch.campaign.state:
        case "running":  # its end is seen in its runs before the loop of campaigns has written it down
            return "running" if runs.pending or runs.running else "completed"
        case "completed":
            return "completed"
        case "checking":
            return "checking"
        case "failed":
            return "failed"
        case _:
            return "cancelled"


# The rows of a batch, each with what became of its runs.

INSTRUCTION_SHOWN = 300


async def rows_page(session: AsyncSession, batch: Batch, *, after: int, limit: int) -> BatchRowsPage:
    rows = await list_rows(session, batch, after=after, limit=limit + 1, length=INSTRUCTION_SHOWN + 1)
    page = cut_page(rows, limit, lambda row: row.position)
    runs = await runs_of_rows(session, batch.id, [row.id for row in page.items])
    return BatchRowsPage(items=[_row(row, runs[row.id]) for row in page.items], next_cursor=page.next_cursor)


def shown(instruction: str) -> str:
    cut = instruction[:INSTRUCTION_SHOWN]
    return cut if cut == instruction else f"{cut}…"


def _row(row: TaskRow, runs: list[RowRunOut]) -> BatchRowOut:
    verdicts = Counter(run.verdict for run in runs)
    return BatchRowOut(
        row=row.position,
        task_id=row.id,
        user_instruction=shown(row.instruction),
        expected_outcome=row.expected_outcome,
        passes=verdicts["PASS"],
        fails=verdicts["FAIL"],
        pending=verdicts["PENDING"],
        not_applicable=verdicts["NOT APPLICABLE"],
        runs=runs,
    )

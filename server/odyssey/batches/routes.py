"""Batches over HTTP: many runs asked for at once."""

from collections.abc import AsyncIterator
from itertools import islice
from typing import Annotated, Any, Literal

from fastapi import Query, Response
from fastapi.responses import StreamingResponse
from sqlalchemy.ext.asyncio import AsyncSession

from odyssey.agents.compiled import AgentsDep
from odyssey.batches.compare import compare
from odyssey.batches.create import BatchPlan, create_runs, plan_runs
from odyssey.batches.export_files import csv_export, json_export, junit_export, tally_of
from odyssey.batches.render import batch_out, batches_out, rows_page
from odyssey.batches.repository import BATCH_ORDER, get_batch, list_batches
from odyssey.batches.schemas import (
    BatchesPage,
    BatchOut,
    BatchRowsPage,
    ComparisonOut,
    RunsCreated,
    RunsIn,
    ValidatedRuns,
)
from odyssey.campaigns.ending import cancel
from odyssey.core.depends import (
    ClockDep,
    Cursor,
    DatabaseDep,
    Limit,
    ObjectId,
    ReadAhead,
    ReadSession,
    SignalsDep,
    SortedCursor,
    WorkerDep,
    WriteSession,
    part,
)
from odyssey.core.errors import ConflictError
from odyssey.core.paging import PageRequest, start_of
from odyssey.core.signals import Signals
from odyssey.identity.caller import Caller, record_change
from odyssey.identity.guard import GuardedRouter, Member, Viewer
from odyssey.kit.clock import Clock
from odyssey.kit.pagination import DEFAULT_LIMIT
from odyssey.library.behaviours import RowProblemOut
from odyssey.library.datasets.repository import first_tasks
from odyssey.library.unclear import unclear_of_seeds, unclear_of_tasks
from odyssey.runs.models import Batch
from odyssey.runs.render import summaries
from odyssey.runs.verdicts.grade_run import Judge

router = GuardedRouter(prefix="/api/batches", tags=["batches"])

JudgeDep = Annotated[Judge, part(Judge)]
Number = Annotated[int | None, Query(ge=1, le=2**63 - 1)]
Format = Literal["csv", "json", "junit"]
_FILES: dict[int | str, dict[str, Any]] = {
    200: {
        "content": {
            "text/csv": {"schema": {"type": "string"}},
            "application/json": {"schema": {"type": "object", "required": ["batch", "runs"]}},
            "application/xml": {"schema": {"type": "string"}},
        }
    }
}


@router.get("")
async def get_batches(
    caller: Viewer,
    session: ReadSession,
    cursor: SortedCursor = None,
    limit: Limit = DEFAULT_LIMIT,
    sort: Annotated[str | None, BATCH_ORDER] = None,
    agent_id: Number = None,
    dataset_id: Number = None,
) -> BatchesPage:
    """List batches, newest first or sorted.

    A request for runs makes one when it has a dataset or makes more than one run.
    """
    request = PageRequest(limit, cursor, sort)
    page = await list_batches(session, caller.org_id, request, agent_id, dataset_id)
    return BatchesPage(items=await batches_out(session, page.items), next_cursor=page.next_cursor)


@router.get("/{batch_id}")
async def get_one_batch(batch_id: ObjectId, caller: Viewer, session: ReadSession) -> BatchOut:
    return await batch_out(session, await get_batch(session, caller.org_id, batch_id))


async def cancel_batch(
    session: AsyncSession, signals: Signals, clock: Clock, caller: Caller, batch_id: int
) -> Batch:
    """Make no more runs and end those that wait. While the batch is held nobody can make new ones."""
    batch = await get_batch(session, caller.org_id, batch_id, lock=True)
    status = (await batch_out(session, batch)).status
    if status not in ("checking", "running"):
        raise ConflictError(f"Batch {batch_id} has ended already ({status}).")
    await cancel(session, signals, clock, batch.campaign)
    record_change(
        session, caller, clock, "batch.cancel", object_type="batch", object_id=batch_id, before=status
    )
    return batch


@router.post("/{batch_id}/cancel")
async def cancel_one_batch(
    batch_id: ObjectId,
    caller: Member,
    session: WriteSession,
    signals: SignalsDep,
    clock: ClockDep,
) -> BatchOut:
    """End a batch: no more runs are made, those that wait are cancelled, and so is soon every one that goes on."""
    return await batch_out(session, await cancel_batch(session, signals, clock, caller, batch_id))


@router.get("/{batch_id}/rows")
async def get_rows(
    batch_id: ObjectId,
    caller: Viewer,
    session: ReadSession,
    cursor: Cursor = None,
    limit: Limit = DEFAULT_LIMIT,
) -> BatchRowsPage:
    """List the rows in their order, each with the runs of all its repeats."""
    after = start_of(cursor)
    batch = await get_batch(session, caller.org_id, batch_id)
    return await rows_page(session, batch, after=-1 if after is None else after, limit=limit)


@router.get("/{batch_id}/export", response_class=StreamingResponse, responses=_FILES)
async def export_batch(
    batch_id: ObjectId,
    caller: Viewer,
    session: ReadSession,
    database: DatabaseDep,
    file_format: Annotated[Format, Query(alias="format")] = "csv",
) -> Response:
    """Download the runs: a table that is safe in spreadsheets, JSON, or JUnit XML for continuous integration."""
    batch = await get_batch(session, caller.org_id, batch_id)
    if file_format == "csv":
        return _file(f"batch-{batch_id}.csv", "text/csv", csv_export(database, batch_id))
    shown = await batch_out(session, batch)
    if file_format == "json":
        return _file(f"batch-{batch_id}.json", "application/json", json_export(database, shown))
    junit = junit_export(database, shown, await tally_of(session, batch_id))
    return _file(f"batch-{batch_id}.xml", "application/xml", junit)


@router.get("/{batch_id}/compare")
async def compare_batches(
    batch_id: ObjectId,
    caller: Viewer,
    session: ReadSession,
    other: Annotated[ObjectId, Query(alias="with", description="The batch that is held against this one.")],
    cursor: Cursor = None,
    limit: Limit = DEFAULT_LIMIT,
) -> ComparisonOut:
    """Hold another batch (b, say of the new version) against this one (a), by the rows that both have.

    Rows are the same when they say the same. A regression passes less often in b than in a.
    """
    a = await get_batch(session, caller.org_id, batch_id)
    b = await get_batch(session, caller.org_id, other)
    return await compare(session, a, b, start=start_of(cursor) or 0, limit=limit)


def _file(name: str, media_type: str, content: AsyncIterator[bytes]) -> Response:
    headers = {"Content-Disposition": f'attachment; filename="{name}"', "Cache-Control": "no-store"}
    return StreamingResponse(content, media_type=media_type, headers=headers)


# Requests for runs over HTTP: one run, or a batch of them (wire-contract.md#d10).

run_requests = GuardedRouter(prefix="/api/runs", tags=["runs"])

_MOST_ROWS_LOOKED_AT = 1000
_MOST_PROBLEMS = 100


@run_requests.post("", status_code=202)
async def start_runs(
    body: RunsIn,
    caller: Member,
    session: WriteSession,
    read_ahead: ReadAhead,
    agents: AgentsDep,
    judge: JudgeDep,
    signals: SignalsDep,
    clock: ClockDep,
    worker: WorkerDep,
) -> RunsCreated:
    """Start one run per seed, or per row of a dataset, each `repeats` times.

    More than one run, and any dataset, make a batch. Its agent is pinged once before anything is dispatched; if that
    fails, all its runs fail at once. Each run is then dispatched as soon as there is room.
    """
    async with read_ahead() as ahead:
        plan = await plan_runs(ahead, agents, worker, caller, body)
        judged = await judge.is_set(ahead, caller.org_id)
    runs, batch = await create_runs(session, signals, clock, caller, plan, judged=judged)
    return RunsCreated(
        runs=await summaries(session, runs),
        batch=None if batch is None else await batch_out(session, batch),
    )


@run_requests.post("/validate")
async def validate_runs(
    body: RunsIn, caller: Member, session: ReadSession, agents: AgentsDep, worker: WorkerDep
) -> ValidatedRuns:
    """Check a request for runs exactly as starting them would, but let the agent be a draft; nothing is saved."""
    plan = await plan_runs(session, agents, worker, caller, body, may_be_draft=True)
    problems = await _unclear(session, caller.org_id, plan)
    return ValidatedRuns(runs=plan.runs, publish_first=plan.is_draft, behavior_problems=problems)


async def _unclear(session: AsyncSession, org_id: int, plan: BatchPlan) -> list[RowProblemOut]:
    """Name lines of behaviours that would not be understood; of a dataset of its first rows, as it is asked often."""
    agent = (plan.agent_id, plan.agent_version)
    if plan.dataset is None:
        found = await unclear_of_seeds(session, agent, plan.seeds)
    else:
        tasks = await first_tasks(session, plan.dataset.id, plan.dataset.revision, _MOST_ROWS_LOOKED_AT)
        found = await unclear_of_tasks(session, org_id, agent, tasks)
    problems = (RowProblemOut(row=row, **line._asdict()) for row, lines in enumerate(found) for line in lines)
    return list(islice(problems, _MOST_PROBLEMS))

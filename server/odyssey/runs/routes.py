"""Runs over HTTP (wire-contract.md#d10)."""

import asyncio
from collections.abc import Sequence
from typing import Annotated, Any

import msgspec
from fastapi import Query, Response
from pydantic import BaseModel, Field
from sqlalchemy.ext.asyncio import AsyncSession

from odyssey.agents.repository import get_agent
from odyssey.core.depends import (
    ClockDep,
    Cursor,
    Limit,
    ObjectId,
    ReadSession,
    SortedCursor,
    WriteSession,
    part,
)
from odyssey.core.errors import ConflictError, NotFoundError
from odyssey.core.paging import PageRequest, start_of
from odyssey.core.scheduling import TERMINAL, Cancel
from odyssey.core.wire import PlainText
from odyssey.identity.caller import record_change
from odyssey.identity.guard import GuardedRouter, Member, Viewer
from odyssey.journal.events import head_of, lock_run, read_events
from odyssey.journal.models import RunContext
from odyssey.kit.pagination import DEFAULT_LIMIT, cut_page
from odyssey.runs.models import Run
from odyssey.runs.render import summaries, summary, whole
from odyssey.runs.repository import RUN_ORDER, CallCounts, RunFilter, call_counts, get_run, list_runs
from odyssey.runs.schemas import (
    LedgerDiffOut,
    LedgerOut,
    RunOut,
    RunsPage,
    RunSummary,
    Status,
    TracePage,
    Verdict,
)
from odyssey.runs.states import RunStates
from odyssey.worlds.operations import difference
from odyssey.worlds.repository import WorldsDep, load_ledger

router = GuardedRouter(prefix="/api/runs", tags=["runs"])

_MOST_ROWS_LOOKED_AT = 1000
_MOST_PROBLEMS = 100

RunStatesDep = Annotated[RunStates, part(RunStates)]
Number = Annotated[int | None, Query(ge=1, le=2**63 - 1)]
Attempt = Annotated[int | None, Query(ge=1, le=1000)]
Moment = Annotated[int | None, Query(ge=0, le=2**62)]


@router.get("")
async def get_runs(
    caller: Viewer,
    session: ReadSession,
    cursor: SortedCursor = None,
    limit: Limit = DEFAULT_LIMIT,
    sort: Annotated[str | None, RUN_ORDER] = None,
    status: Annotated[
        list[Status] | None, Query(max_length=5, description="May be given several times: any of them.")
    ] = None,
    verdict: Verdict | None = None,
    error_class: Annotated[str | None, Query(max_length=64, pattern=r"^[a-z0-9_]+$")] = None,
    agent_id: Number = None,
    agent_version: Number = None,
    task_id: Number = None,
    batch_id: Number = None,
    dataset_id: Number = None,
    q: Annotated[
        PlainText | None,
        Query(max_length=200, description="Part of the instruction; the case of A to Z does not matter."),
    ] = None,
) -> RunsPage:
    wanted = RunFilter(
        status=status or (),
        verdict=verdict,
        error_class=error_class,
        agent_id=agent_id,
        agent_version=agent_version,
        task_id=task_id,
        batch_id=batch_id,
        dataset_id=dataset_id,
        q=q,
    )
    page = await list_runs(session, caller.org_id, PageRequest(limit, cursor, sort), wanted)
    return RunsPage(items=await summaries(session, page.items), next_cursor=page.next_cursor)


@router.get("/{run_id}", response_model=RunOut)
async def get_one_run(run_id: ObjectId, caller: Viewer, session: ReadSession) -> Response:
    body = await whole(session, await get_run(session, caller.org_id, run_id))
    return Response(body, media_type="application/json")


@router.post("/{run_id}/cancel")
async def cancel_run(
    run_id: ObjectId, caller: Member, session: WriteSession, clock: ClockDep, states: RunStatesDep
) -> RunSummary:
    """End a run now: its token stops working, its connection is closed, a late reply is dropped."""
    await lock_run(session, (await get_run(session, caller.org_id, run_id)).id)
    before = await get_run(session, caller.org_id, run_id)
    await session.refresh(before)
    if before.status in TERMINAL:
        raise ConflictError(f"Run {run_id} has ended already ({before.status}).")
    await states.take(session, run_id, Cancel())
    record_change(
        session, caller, clock, "run.cancel", object_type="run", object_id=run_id, before=before.status
    )
    await session.refresh(before)
    return await summary(session, before)


@router.get("/{run_id}/trace", response_model=TracePage)
async def get_trace(
    run_id: ObjectId,
    caller: Viewer,
    session: ReadSession,
    cursor: Cursor = None,
    limit: Limit = DEFAULT_LIMIT,
) -> Response:
    """Everything that happened, oldest first; foreign parts stand byte for byte as they arrived."""
    run = await get_run(session, caller.org_id, run_id)
    events = await read_events(session, run.id, after=start_of(cursor) or 0, limit=limit + 1)
    page = cut_page(events, limit, lambda event: event.sequence)
    body = msgspec.json.encode({"items": page.items, "next_cursor": page.next_cursor})
    return Response(body, media_type="application/json")


@router.get("/{run_id}/ledger", response_model=LedgerOut)
async def get_ledger(
    run_id: ObjectId,
    caller: Viewer,
    session: ReadSession,
    worlds: WorldsDep,
    at: Moment = None,
    attempt: Attempt = None,
) -> Response:
    """Read the world after the event with sequence `at`; by default as it is now."""
    context, attempt = await _world_of(session, caller.org_id, run_id, attempt)
    sequence = await head_of(session, run_id) if at is None else at
    initial = await worlds.boot(session, context.org_id, context.initial_state_hash)
    await asyncio.to_thread(
        initial.hash
    )  # found out once; what follows from this world then costs what changed
    ledger = await load_ledger(session, worlds, context, attempt, up_to=sequence)
    members = {
        "sequence": sequence,
        "attempt": attempt,
        "hash": ledger.hash(),
        "state": msgspec.Raw(await asyncio.to_thread(ledger.to_json)),
        "flags": sorted(ledger.flags),
    }
    return Response(msgspec.json.encode(members), media_type="application/json")


@router.get("/{run_id}/ledger/diff")
async def get_ledger_diff(
    run_id: ObjectId,
    caller: Viewer,
    session: ReadSession,
    worlds: WorldsDep,
    from_: Annotated[int, Query(alias="from", ge=0, le=2**62)] = 0,
    to: Moment = None,
    attempt: Attempt = None,
) -> LedgerDiffOut:
    """Say what changed between two moments; by default between the first and now."""
    context, attempt = await _world_of(session, caller.org_id, run_id, attempt)
    end = await head_of(session, run_id) if to is None else to
    before = await load_ledger(session, worlds, context, attempt, up_to=from_)
    after = await load_ledger(session, worlds, context, attempt, up_to=end)
    changed = msgspec.to_builtins(difference(before, after))
    return LedgerDiffOut(attempt=attempt, from_sequence=from_, to_sequence=end, **changed)


async def _world_of(
    session: AsyncSession, org_id: int, run_id: int, attempt: int | None
) -> tuple[RunContext, int]:
    run: Run = await get_run(session, org_id, run_id)
    if attempt is not None and attempt > run.attempt:
        raise NotFoundError
    return await session.get_one(RunContext, run.id), attempt or run.attempt


# How consistent the simulated worlds of an agent were, over HTTP.


# Wire types of how often an agent's simulated answers contradicted their worlds.
class ConsistencyFigures(BaseModel):
    runs: int = Field(description="Runs that are over and had a tool call answered.")
    tool_calls: int = Field(description="Answered calls of the last attempts of these runs.")
    violations: int = Field(description="What of the simulated answers contradicted the world.")
    per_1000: float | None = Field(description="Violations per 1,000 answered calls; null without calls.")


class VersionConsistency(ConsistencyFigures):
    version: int


class ConsistencyOut(ConsistencyFigures):
    versions: list[VersionConsistency] = Field(description="The versions that have such runs, newest first.")


consistency_router = GuardedRouter(prefix="/api/agents", tags=["agents"])


@consistency_router.get("/{agent_id}/consistency")
async def get_consistency(agent_id: ObjectId, caller: Viewer, session: ReadSession) -> ConsistencyOut:
    """Say how often answers to the agent's tool calls contradicted the world, over its runs and by version."""
    agent = await get_agent(session, caller.org_id, agent_id)
    counts = await call_counts(session, caller.org_id, agent.id)
    versions = [VersionConsistency(version=each.version, **_figures([each])) for each in counts]
    return ConsistencyOut(versions=versions, **_figures(counts))


def _figures(counts: Sequence[CallCounts]) -> dict[str, Any]:
    tool_calls = sum(each.tool_calls for each in counts)
    violations = sum(each.violations for each in counts)
    return {
        "runs": sum(each.runs for each in counts),
        "tool_calls": tool_calls,
        "violations": violations,
        "per_1000": violations * 1000 / tool_calls if tool_calls else None,
    }

"""Runs as the API shows them."""

from collections import defaultdict
from collections.abc import Sequence
from typing import Any

import msgspec
from sqlalchemy import select
from sqlalchemy.ext.asyncio import AsyncSession

from odyssey.agents.repository import names_of_versions
from odyssey.journal.contents import load_conduct, load_text
from odyssey.journal.models import RunContext
from odyssey.library.named_worlds.repository import fidelities
from odyssey.runs.models import Grade, Run, RunAttempt
from odyssey.runs.repository import INSTRUCTION_SHOWN, get_task, list_attempts, task_heads
from odyssey.runs.schemas import AttemptOut, GradeOut, RunOut, RunSummary


async def summaries(session: AsyncSession, runs: Sequence[Run]) -> list[RunSummary]:
    return [RunSummary.model_validate(members) for members in await _members(session, runs)]


async def summary(session: AsyncSession, run: Run) -> RunSummary:
    return (await summaries(session, [run]))[0]


async def whole(session: AsyncSession, run: Run) -> bytes:
    """Show a run with all it has; the world it began with goes from the database to the wire as it is."""
    task = await get_task(session, run.task_id)
    seed = dict(task.seed)
    if task.conduct_hash is not None:
        seed |= msgspec.to_builtins(await load_conduct(session, run.org_id, task.conduct_hash))
    state = await load_text(session, run.org_id, task.initial_state_hash)
    measured = await fidelities(session, run.org_id, [task.initial_state_hash])
    context = await session.get_one(RunContext, run.id)
    extra = {
        "error_json": run.error_json,
        "messages": run.messages,
        "metadata": run.reply_metadata,
        "odyssey_seed": {},
        "grades": await grades_of(session, run.id),
        "fidelity": measured.get(task.initial_state_hash),
        "cassette": context.cassette,
        "simulator_cache": context.simulator_cache,
    }
    (members,) = await _members(session, [run])
    shown = RunOut.model_validate(members | extra).model_dump(mode="json")
    return msgspec.json.encode(
        shown | {"odyssey_seed": seed | {"initial_state": msgspec.Raw(state.encode("utf-8"))}}
    )


async def _members(session: AsyncSession, runs: Sequence[Run]) -> list[dict[str, Any]]:
    """Read what summaries need in one query per table, however many runs there are."""
    if not runs:
        return []
    attempts: defaultdict[int, list[RunAttempt]] = defaultdict(list)
    for attempt in await list_attempts(session, [run.id for run in runs]):
        attempts[attempt.run_id].append(attempt)
    names = await names_of_versions(session, {(run.agent_id, run.agent_version) for run in runs})
    tasks = await task_heads(session, {run.task_id for run in runs}, INSTRUCTION_SHOWN + 1)
    return [
        _own_members(run, attempts[run.id])
        | {
            "agent_name": names[run.agent_id, run.agent_version],
            "user_instruction": _shown(tasks[run.task_id].instruction),
            "dataset_id": tasks[run.task_id].dataset_id,
            "row": tasks[run.task_id].position,
        }
        for run in runs
    ]


def _shown(instruction: str) -> str:
    cut = instruction[:INSTRUCTION_SHOWN]
    return cut if cut == instruction else f"{cut}…"


def _own_members(run: Run, attempts: Sequence[RunAttempt]) -> dict[str, Any]:
    return {
        "id": run.id,
        "status": run.status,
        "verdict": run.verdict,
        "failure_mode": run.failure_mode,
        "score": run.score,
        "cost_usd": run.cost_usd,
        "error_class": run.error_class,
        "agent_id": run.agent_id,
        "agent_version": run.agent_version,
        "task_id": run.task_id,
        "batch_id": run.batch_id,
        "repeat": run.repeat,
        "random_seed": run.random_seed,
        "final_response": run.final_response,
        "soft_warnings": run.soft_warnings,
        "tool_calls": run.tool_calls,
        "violations": run.violations,
        "attempts": [AttemptOut.model_validate(attempt, from_attributes=True) for attempt in attempts],
        "created_at": run.created_at,
        "started_at": run.started_at,
        "finished_at": run.finished_at,
    }


# The verdicts a run was given, as the API shows them.
_OWN = ("number", "attempt", "verdict", "score", "failure_mode", "reason", "cost_usd", "created_at")


async def grades_of(session: AsyncSession, run_id: int) -> list[GradeOut]:
    """Return all of them, oldest first."""
    rows = await session.scalars(select(Grade).where(Grade.run_id == run_id).order_by(Grade.number))
    return [GradeOut.model_validate(row.report | {name: getattr(row, name) for name in _OWN}) for row in rows]

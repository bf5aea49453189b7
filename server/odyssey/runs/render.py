"""Runs as the API shows them."""

from collections import defaultdict
from collections.abc import Sequence
from typing import Any

from sqlalchemy.ext.asyncio import AsyncSession

from odyssey.agents.repository import names_of_versions
from odyssey.journal.contents import load_content
from odyssey.runs.models import Run, RunAttempt
from odyssey.runs.repository import get_task, list_attempts, starts_of_instructions
from odyssey.runs.schemas import AttemptOut, RunOut, RunSummary

_INSTRUCTION_SHOWN = 300


async def summaries(session: AsyncSession, runs: Sequence[Run]) -> list[RunSummary]:
    return [RunSummary.model_validate(members) for members in await _members(session, runs)]


async def summary(session: AsyncSession, run: Run) -> RunSummary:
    return (await summaries(session, [run]))[0]


async def whole(session: AsyncSession, run: Run) -> RunOut:
    task = await get_task(session, run.task_id)
    state = await load_content(session, run.org_id, task.initial_state_hash)
    extra = {
        "error_json": run.error_json,
        "messages": run.messages,
        "metadata": run.reply_metadata,
        "odyssey_seed": task.seed | {"initial_state": state},
    }
    (members,) = await _members(session, [run])
    return RunOut.model_validate(members | extra)


async def _members(session: AsyncSession, runs: Sequence[Run]) -> list[dict[str, Any]]:
    """Read what summaries need in one query per table, however many runs there are."""
    if not runs:
        return []
    attempts: defaultdict[int, list[RunAttempt]] = defaultdict(list)
    for attempt in await list_attempts(session, [run.id for run in runs]):
        attempts[attempt.run_id].append(attempt)
    names = await names_of_versions(session, {(run.agent_id, run.agent_version) for run in runs})
    texts = await starts_of_instructions(session, {run.task_id for run in runs}, _INSTRUCTION_SHOWN + 1)
    return [
        _own_members(run, attempts[run.id])
        | {
            "agent_name": names[run.agent_id, run.agent_version],
            "user_instruction": _shown(texts[run.task_id]),
        }
        for run in runs
    ]


def _shown(instruction: str) -> str:
    cut = instruction[:_INSTRUCTION_SHOWN]
    return cut if cut == instruction else f"{cut}…"


def _own_members(run: Run, attempts: Sequence[RunAttempt]) -> dict[str, Any]:
    return {
        "id": run.id,
        "status": run.status,
        "verdict": run.verdict,
        "error_class": run.error_class,
        "agent_id": run.agent_id,
        "agent_version": run.agent_version,
        "task_id": run.task_id,
        "random_seed": run.random_seed,
        "final_response": run.final_response,
        "soft_warnings": run.soft_warnings,
        "attempts": [AttemptOut.model_validate(attempt, from_attributes=True) for attempt in attempts],
        "created_at": run.created_at,
        "started_at": run.started_at,
        "finished_at": run.finished_at,
    }

"""Making runs of tasks, many with a few statements. Whoever asks is in a transaction and decides what is made once."""

from collections.abc import Sequence
from typing import Any, NamedTuple

from sqlalchemy import insert
from sqlalchemy.ext.asyncio import AsyncSession

from odyssey.core.database import insert_numbered
from odyssey.core.tables import table_of
from odyssey.endpoints.cassettes.playback import Replay
from odyssey.journal.contents import Document, store_documents
from odyssey.journal.injections import CarriedText
from odyssey.journal.models import RunContext
from odyssey.kit.clock import Clock
from odyssey.kit.ids import new_random_seed
from odyssey.library.behaviours import soft_warnings
from odyssey.library.models import Task
from odyssey.library.seeds import Seed
from odyssey.library.unclear import own_behavior, unclear_of_tasks
from odyssey.records.tools import CacheUse
from odyssey.runs.models import Run

# Whether there is anything to grade a run by; a run without it is never a PASS.


def is_gradable(seed: dict[str, Any], *, judged: bool) -> bool:
    """True with checks, a rubric, a refusal to expect, or a judge that looks at every run."""
    return bool(judged or seed["checks"] or seed.get("rubric") or seed["expected_outcome"] == "refusal")


def first_verdict(seed: dict[str, Any], *, judged: bool) -> str:
    """Give the verdict of a run that was not graded yet; `seed` is the task's, as stored."""
    return "PENDING" if is_gradable(seed, judged=judged) else "NOT APPLICABLE"


class Maker(NamedTuple):
    """What all runs of one request have in common."""

    org_id: int
    agent_id: int
    agent_version: int
    judged: bool
    """Whether the org has a judge, so that there is something to grade every run by."""
    campaign_id: int | None = None
    """What they are many of (`Campaign`)."""
    batch_id: int | None = None
    lane: str | None = None
    """Where the runs wait their turn (`Lane`)."""
    replay: Replay | None = None
    """What their live tools are played from."""
    simulator_cache: CacheUse = "use"


class RunRequest(NamedTuple):
    task: Task
    repeat: int
    random_seed: int | None = None
    """None: the task's own, else drawn."""
    injection: CarriedText | None = None


async def make_tasks(session: AsyncSession, clock: Clock, org_id: int, seeds: Sequence[Seed]) -> list[Task]:
    """Make a task of each seed of a request, numbered in their order."""
    now = clock()
    states: list[Document] = []
    rows = []
    for position, seed in enumerate(seeds):
        if seed.world is None:
            states.append(seed.initial_state)
            state_hash, conduct_hash = states[-1].hash, None
        else:
            state_hash, conduct_hash = seed.world.state_hash, seed.world.conduct_hash
        rows.append(
            {
                "org_id": org_id,
                "seed": seed.stored(),
                "initial_state_hash": state_hash,
                "conduct_hash": conduct_hash,
                "position": position,
                "row_hash": seed.row_hash(state_hash, conduct_hash),
                "created_at": now,
            }
        )
    await store_documents(session, org_id, states)
    ids = await insert_numbered(session, Task, rows)
    return [Task(id=task_id, **row) for task_id, row in zip(ids, rows, strict=True)]


async def make_runs(
    session: AsyncSession, clock: Clock, maker: Maker, wanted: Sequence[RunRequest]
) -> list[Run]:
    now = clock()
    agent = (maker.agent_id, maker.agent_version)
    unclear = await unclear_of_tasks(session, maker.org_id, agent, [each.task for each in wanted])
    rows = [
        {
            "org_id": maker.org_id,
            "task_id": each.task.id,
            "agent_id": maker.agent_id,
            "agent_version": maker.agent_version,
            "random_seed": _random_seed(each),
            "campaign_id": maker.campaign_id,
            "batch_id": maker.batch_id,
            "repeat": each.repeat,
            "lane": maker.lane,
            "status": "pending",
            "attempt": 0,
            "verdict": first_verdict(each.task.seed, judged=maker.judged),
            "cost_usd": 0.0,
            "tool_calls": 0,
            "violations": 0,
            "soft_warnings": soft_warnings(lines),
            "created_at": now,
        }
        for each, lines in zip(wanted, unclear, strict=True)
    ]
    ids = await insert_numbered(session, Run, rows)
    runs = [Run(id=run_id, **row) for run_id, row in zip(ids, rows, strict=True)]
    contexts = [_context(maker, run, each) for run, each in zip(runs, wanted, strict=True)]
    if contexts:
        await (await session.connection()).execute(insert(table_of(RunContext)), contexts)
    return runs


def _random_seed(wanted: RunRequest) -> int:
    if wanted.random_seed is not None:
        return wanted.random_seed
    given: int | None = wanted.task.seed.get("random_seed")
    return new_random_seed() if given is None else given


def _context(maker: Maker, run: Run, wanted: RunRequest) -> dict[str, Any]:
    task, injection = wanted.task, wanted.injection
    return {
        "run_id": run.id,
        "org_id": run.org_id,
        "agent_id": run.agent_id,
        "agent_version": run.agent_version,
        "random_seed": run.random_seed,
        "initial_state_hash": task.initial_state_hash,
        "failure_rules": task.seed.get("failure_rules", []),
        # A task may be older than the refusal of NUL, which Postgres does not keep in a text.
        "behavior_instructions": own_behavior(task).replace("\0", "\ufffd"),
        "conduct_hash": task.conduct_hash,
        "injection": None if injection is None else injection.stored(),
        "cassette": None if maker.replay is None else maker.replay.stored(),
        "simulator_cache": maker.simulator_cache,
    }

"""Making runs of tasks, many with a few statements. Whoever asks is in a transaction and decides what is made once."""

from collections.abc import Collection, Sequence
from typing import NamedTuple

from sqlalchemy.ext.asyncio import AsyncSession

from odyssey.journal.conduct import load_conduct
from odyssey.journal.contents import store_content
from odyssey.journal.injections import CarriedText
from odyssey.journal.models import RunContext
from odyssey.kit.clock import Clock
from odyssey.kit.ids import new_random_seed
from odyssey.runs.models import Run, Task
from odyssey.runs.seeds import Seed
from odyssey.runs.verdicts.gradable import first_verdict


class Maker(NamedTuple):
    """What all runs of one request have in common."""

    org_id: int
    agent_id: int
    agent_version: int
    batch_id: int | None
    judged: bool
    """Whether the org has a judge, so that there is something to grade every run by."""


class Wanted(NamedTuple):
    task: Task
    repeat: int
    random_seed: int | None = None
    """None: the task's own, else drawn."""
    injection: CarriedText | None = None


async def make_tasks(session: AsyncSession, clock: Clock, org_id: int, seeds: Sequence[Seed]) -> list[Task]:
    """Make a task of each seed of a request, numbered in their order."""
    tasks = [
        await _task(session, clock, org_id, seed, position=position) for position, seed in enumerate(seeds)
    ]
    session.add_all(tasks)
    await session.flush()
    return tasks


async def make_runs(session: AsyncSession, clock: Clock, maker: Maker, wanted: Sequence[Wanted]) -> list[Run]:
    now = clock()
    behaving = await _with_behavior(
        session, maker.org_id, {each.task.conduct_hash for each in wanted} - {None}
    )
    runs = [
        Run(
            org_id=maker.org_id,
            task_id=each.task.id,
            agent_id=maker.agent_id,
            agent_version=maker.agent_version,
            random_seed=_random_seed(each),
            batch_id=maker.batch_id,
            repeat=each.repeat,
            status="pending",
            attempt=0,
            verdict=first_verdict(each.task.seed, judged=maker.judged),
            cost_usd=0.0,
            soft_warnings=["behavior_not_applied"] if _has_behavior(each.task, behaving) else [],
            created_at=now,
        )
        for each in wanted
    ]
    session.add_all(runs)
    await session.flush()
    session.add_all(_context(run, each) for run, each in zip(runs, wanted, strict=True))
    await session.flush()
    return runs


async def _task(session: AsyncSession, clock: Clock, org_id: int, seed: Seed, *, position: int) -> Task:
    world = seed.world
    if world is None:
        state_hash, conduct_hash = await store_content(session, org_id, seed.initial_state), None
    else:
        state_hash, conduct_hash = world.state_hash, world.conduct_hash
    return Task(
        org_id=org_id,
        seed=seed.stored(),
        initial_state_hash=state_hash,
        conduct_hash=conduct_hash,
        position=position,
        row_hash=seed.row_hash(state_hash, conduct_hash),
        created_at=clock(),
    )


def _random_seed(wanted: Wanted) -> int:
    if wanted.random_seed is not None:
        return wanted.random_seed
    given: int | None = wanted.task.seed.get("random_seed")
    return new_random_seed() if given is None else given


def _context(run: Run, wanted: Wanted) -> RunContext:
    task, injection = wanted.task, wanted.injection
    return RunContext(
        run_id=run.id,
        org_id=run.org_id,
        agent_id=run.agent_id,
        agent_version=run.agent_version,
        random_seed=run.random_seed,
        initial_state_hash=task.initial_state_hash,
        failure_rules=task.seed.get("failure_rules", []),
        conduct_hash=task.conduct_hash,
        injection=None if injection is None else injection.stored(),
    )


async def _with_behavior(
    session: AsyncSession, org_id: int, hashes: Collection[str | None]
) -> frozenset[str]:
    """Return those of the worlds' conducts that have a behaviour."""
    found = [(each, await load_conduct(session, org_id, each)) for each in hashes if each is not None]
    return frozenset(each for each, conduct in found if conduct.behavior_instructions.strip())


def _has_behavior(task: Task, behaving: frozenset[str]) -> bool:
    if task.conduct_hash is not None:
        return task.conduct_hash in behaving
    return bool(task.seed["behavior_instructions"].strip())

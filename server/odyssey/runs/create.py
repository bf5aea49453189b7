"""Making runs: one seed, one task, one run, all in one transaction."""

from typing import NamedTuple

from sqlalchemy.ext.asyncio import AsyncSession

from odyssey.agents.compiled import CompiledAgents
from odyssey.agents.repository import get_agent
from odyssey.core.database import after_commit
from odyssey.core.errors import NotAvailableYetError, ValidationFailedError
from odyssey.core.signals import Signals
from odyssey.identity.audit import record_change
from odyssey.identity.caller import Caller
from odyssey.journal.contents import store_content
from odyssey.journal.models import RunContext
from odyssey.kit.clock import Clock
from odyssey.records.problems import FieldError
from odyssey.runs.errors import AgentNotPublishedError
from odyssey.runs.models import Run, Task
from odyssey.runs.named_worlds.seeding import seed_worlds
from odyssey.runs.schemas import RunsIn
from odyssey.runs.seeds import Seed, read_seeds, world_ids

RUNS_TOPIC = "runs"


class Plan(NamedTuple):
    """A request for runs that was checked."""

    agent_id: int
    agent_version: int
    is_draft: bool
    seeds: list[Seed]


async def plan_runs(
    session: AsyncSession, agents: CompiledAgents, caller: Caller, body: RunsIn, *, may_be_draft: bool = False
) -> Plan:
    """Check a request for runs, or say everything that is wrong with it."""
    if body.dataset_id is not None:
        raise NotAvailableYetError(["dataset_id"])
    if not body.seeds:
        raise ValidationFailedError([FieldError(loc=("seeds",), msg="seeds must hold at least one seed")])
    agent = await get_agent(session, caller.org_id, body.agent_id)
    is_draft = agent.published_version is None
    if is_draft and not may_be_draft:
        raise AgentNotPublishedError(agent.id)
    version = agent.published_version or agent.version
    schema = (await agents.get(session, agent.id, version)).ledger_schema
    worlds = await seed_worlds(session, caller.org_id, world_ids(body.seeds), schema)
    return Plan(agent.id, version, is_draft, read_seeds(body.seeds, schema, worlds))


async def create_runs(
    session: AsyncSession, signals: Signals, clock: Clock, caller: Caller, plan: Plan
) -> list[Run]:
    runs = [
        await _create_run(
            session, clock, caller, agent_id=plan.agent_id, agent_version=plan.agent_version, seed=seed
        )
        for seed in plan.seeds
    ]
    after_commit(session, lambda: signals.notify(RUNS_TOPIC))
    return runs


async def _create_run(
    session: AsyncSession, clock: Clock, caller: Caller, *, agent_id: int, agent_version: int, seed: Seed
) -> Run:
    world, now = seed.world, clock()
    if world is None:
        state_hash, conduct_hash = await store_content(session, caller.org_id, seed.initial_state), None
    else:
        state_hash, conduct_hash = world.state_hash, world.conduct_hash
    task = Task(
        org_id=caller.org_id,
        seed=seed.stored(),
        initial_state_hash=state_hash,
        conduct_hash=conduct_hash,
        created_at=now,
    )
    session.add(task)
    await session.flush()
    run = Run(
        org_id=caller.org_id,
        task_id=task.id,
        agent_id=agent_id,
        agent_version=agent_version,
        random_seed=seed.random_seed,
        status="pending",
        attempt=0,
        verdict="NOT APPLICABLE",
        soft_warnings=["behavior_not_applied"] if seed.has_behavior else [],
        created_at=now,
    )
    session.add(run)
    await session.flush()
    session.add(
        RunContext(
            run_id=run.id,
            org_id=caller.org_id,
            agent_id=agent_id,
            agent_version=agent_version,
            random_seed=seed.random_seed,
            initial_state_hash=state_hash,
            failure_rules=seed.failure_rules,
            conduct_hash=conduct_hash,
        )
    )
    record_change(
        session, caller, clock, "run.create", object_type="run", object_id=run.id, after=seed.stored()
    )
    return run

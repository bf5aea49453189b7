"""Asking for runs: of seeds or of a dataset's rows, each once or several times."""

import asyncio
from collections.abc import Iterator
from typing import NamedTuple

import msgspec
from sqlalchemy.ext.asyncio import AsyncSession

from odyssey.agents.compiled import CompiledAgents
from odyssey.agents.ledger_schema import check_initial_state
from odyssey.agents.repository import get_agent
from odyssey.batches.repository import StateUse, rows_with_state, states_of_rows, tasks_of_batch
from odyssey.batches.schemas import RunsIn
from odyssey.batches.source import BatchSource, row_and_repeat
from odyssey.campaigns.feed import CHUNK
from odyssey.core.database import after_commit
from odyssey.core.errors import ValidationFailedError
from odyssey.core.signals import Signals
from odyssey.core.wire import packed
from odyssey.core.worker import Worker
from odyssey.endpoints.cassettes.playback import Replay
from odyssey.endpoints.cassettes.record import hold_cassette, plan_replay
from odyssey.identity.caller import Caller, record_change
from odyssey.journal.contents import load_texts
from odyssey.kit.clock import Clock
from odyssey.library.datasets.repository import get_dataset
from odyssey.library.models import Dataset
from odyssey.library.named_worlds.keep import seed_worlds
from odyssey.library.seeds import Seed, read_seeds, world_ids
from odyssey.records.problems import FieldError
from odyssey.records.tools import CacheUse, LedgerSchema
from odyssey.runs.errors import AgentNotPublishedError
from odyssey.runs.making import Maker, RunRequest, make_runs, make_tasks
from odyssey.runs.models import Batch, Campaign, Run
from odyssey.runs.topics import CAMPAIGNS_TOPIC, runs_changed

# Whether the rows of a dataset fit the agent they are to be run on: their states against its ledger schema.

_AT_ONCE = 200
_MOST_ERRORS = 100
_MOST_OF_A_STATE = 10


async def check_rows_fit(session: AsyncSession, dataset: Dataset, schema: LedgerSchema | None) -> None:
    """Raise 422 with the rows whose state contradicts the schema; a state many rows share is read once."""
    if schema is None:
        return
    errors: list[FieldError] = []
    for part in _parts(await states_of_rows(session, dataset.id, dataset.revision)):
        texts = await load_texts(session, dataset.org_id, [each.hash for each in part])
        found = await asyncio.to_thread(_contradictions, [texts[each.hash] for each in part], schema)
        for state, faults in zip(part, found, strict=True):
            if faults:
                errors += await _at_rows(session, dataset, state, faults)
        if len(errors) >= _MOST_ERRORS:
            break
    if errors:
        errors.sort(key=lambda error: error.loc[1])
        raise ValidationFailedError(errors[:_MOST_ERRORS])


def _parts(states: list[StateUse]) -> Iterator[list[StateUse]]:
    """Part states into what may be in memory together; a named world may be large, and so comes alone."""
    worlds = [state for state in states if state.is_world]
    own = [state for state in states if not state.is_world]
    yield from ([world] for world in worlds)
    yield from (own[start : start + _AT_ONCE] for start in range(0, len(own), _AT_ONCE))


def _contradictions(texts: list[str], schema: LedgerSchema) -> list[list[FieldError]]:
    return [check_initial_state(msgspec.json.decode(text), schema)[:_MOST_OF_A_STATE] for text in texts]


async def _at_rows(
    session: AsyncSession, dataset: Dataset, state: StateUse, faults: list[FieldError]
) -> list[FieldError]:
    column = "world" if state.is_world else "state"
    positions = await rows_with_state(session, dataset.id, dataset.revision, state, limit=_MOST_ERRORS)
    return [
        FieldError(loc=("rows", position, column, *fault.loc[1:]), msg=fault.msg)
        for position in positions
        for fault in faults
    ]


class BatchPlan(NamedTuple):
    """A request for runs that was checked."""

    agent_id: int
    agent_version: int
    is_draft: bool
    seeds: list[Seed]
    dataset: Dataset | None
    """Whose rows are run, instead of seeds."""
    repeats: int
    replay: Replay | None
    """What live tools are played from."""
    simulator_cache: CacheUse
    max_unmeasured: float

    @property
    def rows(self) -> int:
        return len(self.seeds) if self.dataset is None else self.dataset.row_count

    @property
    def runs(self) -> int:
        return self.rows * self.repeats


async def plan_runs(
    session: AsyncSession,
    agents: CompiledAgents,
    worker: Worker,
    caller: Caller,
    body: RunsIn,
    *,
    may_be_draft: bool = False,
) -> BatchPlan:
    """Check a request for runs, or say everything that is wrong with it."""
    if body.dataset_id is None and not body.seeds:
        message = "seeds must hold at least one seed; or give the dataset_id of a dataset"
        raise ValidationFailedError([FieldError(loc=("seeds",), msg=message)])
    if body.dataset_id is not None and body.seeds:
        message = "the rows come from the dataset; leave it or seeds out"
        raise ValidationFailedError([FieldError(loc=("dataset_id",), msg=message)])
    agent = await get_agent(session, caller.org_id, body.agent_id)
    is_draft = agent.published_version is None
    if is_draft and not may_be_draft:
        raise AgentNotPublishedError(agent.id)
    version = agent.published_version or agent.version
    schema = (await agents.get(session, agent.id, version)).ledger_schema
    replay = await plan_replay(session, caller.org_id, body.cassette)
    how = (body.repeats, replay, body.simulator_cache, body.max_unmeasured)
    if body.dataset_id is not None:
        dataset = await get_dataset(session, caller.org_id, body.dataset_id)
        await check_rows_fit(session, dataset, schema)
        return BatchPlan(agent.id, version, is_draft, [], dataset, *how)
    raw = packed(body.seeds)
    worlds = await seed_worlds(session, caller.org_id, await worker.read(len(raw), world_ids, raw), schema)
    seeds = await worker.read(len(raw), read_seeds, raw, schema, worlds)
    return BatchPlan(agent.id, version, is_draft, seeds, None, *how)


async def create_runs(
    session: AsyncSession, signals: Signals, clock: Clock, caller: Caller, plan: BatchPlan, *, judged: bool
) -> tuple[list[Run], Batch | None]:
    """Make what was asked for: one run at once, of more the first; the loop of campaigns makes the rest.

    Returns the runs that exist already, at most `CHUNK` or as many as there are seeds.
    """
    await hold_cassette(session, caller.org_id, plan.replay)
    is_batch = plan.dataset is not None or plan.runs > 1
    batch = await _make_batch(session, clock, caller, plan) if is_batch else None
    maker = Maker(
        org_id=caller.org_id,
        agent_id=plan.agent_id,
        agent_version=plan.agent_version,
        campaign_id=None if batch is None else batch.campaign_id,
        batch_id=None if batch is None else batch.id,
        judged=judged,
        replay=plan.replay,
        simulator_cache=plan.simulator_cache,
    )
    if plan.dataset is None:
        made = await make_tasks(session, clock, caller.org_id, plan.seeds)
        tasks, limit = dict(enumerate(made)), max(CHUNK, plan.rows)  # a task is found by its first run
    else:
        assert batch is not None
        tasks, limit = await tasks_of_batch(session, batch, range(min(CHUNK, plan.rows))), CHUNK
    first = [row_and_repeat(number, plan.rows) for number in range(min(limit, plan.runs))]
    runs = await make_runs(session, clock, maker, [RunRequest(tasks[row], repeat) for row, repeat in first])
    if batch is None:
        record_change(
            session, caller, clock, "run.create", object_type="run", object_id=runs[0].id, after=tasks[0].seed
        )
    else:
        batch.campaign.made_runs = len(runs)
        await session.flush()
        after_commit(session, lambda: signals.notify(CAMPAIGNS_TOPIC))
    after_commit(session, lambda: runs_changed(signals, caller.org_id))
    return runs, batch


async def _make_batch(session: AsyncSession, clock: Clock, caller: Caller, plan: BatchPlan) -> Batch:
    dataset = plan.dataset
    campaign = Campaign(
        kind=BatchSource.kind,
        org_id=caller.org_id,
        agent_id=plan.agent_id,
        agent_version=plan.agent_version,
        state="checking",
        planned_runs=plan.runs,
        made_runs=0,
        again=[],
        turn=0,
    )
    batch = Batch(
        campaign=campaign,
        org_id=caller.org_id,
        agent_id=plan.agent_id,
        agent_version=plan.agent_version,
        dataset_id=None if dataset is None else dataset.id,
        revision=None if dataset is None else dataset.revision,
        repeats=plan.repeats,
        cassette=None if plan.replay is None else plan.replay.stored(),
        simulator_cache=plan.simulator_cache,
        max_unmeasured=plan.max_unmeasured,
        created_by=caller.person_id,
        created_at=clock(),
    )
    session.add(batch)
    await session.flush()
    content = {
        "agent_id": batch.agent_id,
        "agent_version": batch.agent_version,
        "dataset_id": batch.dataset_id,
        "revision": batch.revision,
        "repeats": batch.repeats,
        "seeds": [seed.stored() for seed in plan.seeds],
        "cassette": batch.cassette,
        "simulator_cache": batch.simulator_cache,
        "max_unmeasured": batch.max_unmeasured,
    }
    record_change(
        session, caller, clock, "batch.create", object_type="batch", object_id=batch.id, after=content
    )
    return batch

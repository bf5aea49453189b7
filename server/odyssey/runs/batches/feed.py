"""Which runs of a batch come next, and making them: a chunk at a time, so that no transaction is long."""

from sqlalchemy.ext.asyncio import AsyncSession

from odyssey.core.database import after_commit
from odyssey.core.signals import Signals
from odyssey.endpoints.cassettes.playback import read_replay
from odyssey.kit.clock import Clock
from odyssey.runs.batches.repository import advance, lock_feedable, tasks_of_batch
from odyssey.runs.making import Maker, Wanted, make_runs
from odyssey.runs.topics import runs_changed
from odyssey.runs.verdicts.grade_run import Judge

CHUNK = 200


def next_runs(*, made: int, rows: int, repeats: int, limit: int) -> list[tuple[int, int]]:
    """Name the runs to be made as (row, repeat): all rows once, then all rows again."""
    end = min(made + limit, rows * repeats)
    return [(number % rows, number // rows + 1) for number in range(made, end)]


async def feed(session: AsyncSession, signals: Signals, clock: Clock, judge: Judge, batch_id: int) -> int:
    """Make the next chunk of a batch; returns how many, 0 if somebody else is at it or it is whole.

    The count goes up in the transaction that makes the runs: a crash loses both, and nothing is made twice.
    """
    batch = await lock_feedable(session, batch_id)
    if batch is None:
        return 0
    rows = batch.planned_runs // batch.repeats
    wanted = next_runs(made=batch.made_runs, rows=rows, repeats=batch.repeats, limit=CHUNK)
    if not wanted or not await advance(session, batch_id, made=batch.made_runs, by=len(wanted)):
        return 0
    tasks = await tasks_of_batch(session, batch, {row for row, _ in wanted})
    maker = Maker(
        org_id=batch.org_id,
        agent_id=batch.agent_id,
        agent_version=batch.agent_version,
        batch_id=batch.id,
        judged=await judge.is_set(session, batch.org_id),
        replay=read_replay(batch.cassette),
        simulator_cache=batch.simulator_cache,
    )
    await make_runs(session, clock, maker, [Wanted(tasks[row], repeat) for row, repeat in wanted])
    after_commit(session, lambda: runs_changed(signals, batch.org_id))
    return len(wanted)

"""Ending a batch before it is over.

Runs that wait end with the request. Those that go on are ended afterwards, each in a transaction of its own: one that
held many runs would wait for their owners while these wait for it.
"""

from sqlalchemy.ext.asyncio import AsyncSession

from odyssey.core.database import after_commit
from odyssey.core.scheduling import Cancel
from odyssey.core.signals import Signals
from odyssey.identity.caller import Caller, record_change
from odyssey.journal.events import lock_run
from odyssey.kit.clock import Clock
from odyssey.runs.batches.errors import BatchEndedError
from odyssey.runs.batches.models import Batch
from odyssey.runs.batches.render import batch_out
from odyssey.runs.batches.repository import end_waiting_runs, get_batch
from odyssey.runs.repository import end_of_run
from odyssey.runs.states import RunStates
from odyssey.runs.topics import BATCHES_TOPIC, runs_ended


async def cancel_batch(
    session: AsyncSession, signals: Signals, clock: Clock, caller: Caller, batch_id: int
) -> Batch:
    """Make no more runs and end those that wait. While the batch is held nobody can make new ones."""
    batch = await get_batch(session, caller.org_id, batch_id, lock=True)
    status = (await batch_out(session, batch)).status
    if status not in ("checking", "running"):
        raise BatchEndedError(batch_id, status)
    batch.state, batch.lease_until = "cancelled", None
    await session.flush()
    ended = await end_waiting_runs(session, batch_id, "cancelled", finished_at=end_of_run(clock()))
    record_change(
        session, caller, clock, "batch.cancel", object_type="batch", object_id=batch_id, before=status
    )
    after_commit(session, lambda: runs_ended(signals, caller.org_id, ended))
    after_commit(session, lambda: signals.notify(BATCHES_TOPIC))
    return batch


async def end_running_run(session: AsyncSession, states: RunStates, run_id: int) -> None:
    """End one run of a cancelled batch that goes on."""
    await lock_run(session, run_id)
    await states.take(session, run_id, Cancel())

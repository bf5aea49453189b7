"""Ending a batch before it is over."""

from sqlalchemy.ext.asyncio import AsyncSession

from odyssey.batches.render import batch_out
from odyssey.batches.repository import get_batch
from odyssey.campaigns.ending import cancel
from odyssey.core.errors import ConflictError
from odyssey.core.signals import Signals
from odyssey.identity.caller import Caller, record_change
from odyssey.kit.clock import Clock
from odyssey.runs.models import Batch


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

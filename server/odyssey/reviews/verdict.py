"""Giving an item its verdict: once, under a name, and never again."""

from sqlalchemy.ext.asyncio import AsyncSession

from odyssey.identity.caller import Caller, record_change
from odyssey.identity.repository import find_person
from odyssey.kit.clock import Clock
from odyssey.reviews.errors import VerdictGivenError
from odyssey.reviews.models import ReviewRow
from odyssey.reviews.repository import get_item
from odyssey.reviews.schemas import VerdictIn


async def give_verdict(
    session: AsyncSession, clock: Clock, caller: Caller, item_id: str, body: VerdictIn
) -> ReviewRow:
    """Write down what somebody found; of two at once the second is refused."""
    item = await get_item(session, caller.org_id, item_id, lock=True)
    if item.verdict is not None:
        raise VerdictGivenError(item.verdict, item.reviewer or "Somebody")
    reviewer = await find_person(session, caller.org_id, caller.person_id)
    item.verdict = body.verdict
    item.verdict_notes = body.notes
    item.reviewer_id = caller.person_id
    item.reviewer = f"person {caller.person_id}" if reviewer is None else reviewer.email
    item.decided_at = clock()
    record_change(
        session,
        caller,
        clock,
        "review.verdict",
        object_type="review_item",
        object_id=item.id,
        after=body.model_dump(),
    )
    return item

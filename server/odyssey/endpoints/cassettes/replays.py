"""Asking for runs that replay a cassette."""

from sqlalchemy.ext.asyncio import AsyncSession

from odyssey.endpoints.cassettes.playback import Replay
from odyssey.endpoints.cassettes.repository import EMPTY, get_cassette, sizes
from odyssey.endpoints.cassettes.schemas import ReplayIn


async def plan_replay(session: AsyncSession, org_id: int, asked: ReplayIn | None) -> Replay | None:
    """Find the cassette and how far it goes now; raises NotFoundError for one the org does not have."""
    if asked is None:
        return None
    cassette = await get_cassette(session, org_id, asked.id)
    held = (await sizes(session, [cassette.id])).get(cassette.id, EMPTY)
    return Replay(id=cassette.id, match=asked.match, on_miss=asked.on_miss, last_number=held.last_number)


async def hold_cassette(session: AsyncSession, org_id: int, replay: Replay | None) -> None:
    """Keep the cassette from being deleted before the runs that need it are made."""
    if replay is not None:
        await get_cassette(session, org_id, replay.id, lock="share")

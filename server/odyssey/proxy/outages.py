"""What becomes of a request while our database is away: the agent is told, and its attempt will not be measured."""

from odyssey.core.database import StorageUnavailableError
from odyssey.core.group_commit import Unit
from odyssey.identity.keys import token_hash
from odyssey.proxy.admission import presented_token
from odyssey.proxy.errors import AnswerUnrecordedError
from odyssey.proxy.live_runs import LiveRun
from odyssey.proxy.parts import Arrived, ProxyParts

OUTAGES = (StorageUnavailableError, AnswerUnrecordedError)
"""What a request is answered that an outage of ours has spoilt."""


def note_outage(parts: ProxyParts, arrived: Arrived) -> None:
    """Hold an outage against us, not against the run whose request was spoilt by it."""
    digest = token_hash(presented_token(arrived.headers))
    parts.faults.note(digest, "storage_unavailable", is_known=parts.live_runs.knows(digest))


async def commit(parts: ProxyParts, run: LiveRun, unit: Unit) -> bool:
    """Have a unit of a run written; a wait that is too long is a fault of ours."""
    wait = parts.faults.begin_wait(run.token.token_hash)
    try:
        return await parts.writer.commit(unit)
    finally:
        parts.faults.end_wait(wait)

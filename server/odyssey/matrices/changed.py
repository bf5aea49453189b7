"""What was edited since a snapshot was taken."""

from typing import NamedTuple

from sqlalchemy.ext.asyncio import AsyncSession

from odyssey.agents.repository import get_agent
from odyssey.core.errors import NotFoundError
from odyssey.evals.errors import UnknownVariationError
from odyssey.evals.models import Scenario
from odyssey.evals.scenarios.repository import find_scenarios
from odyssey.evals.variations.catalogue import CATALOGUE
from odyssey.evals.variations.repository import find_variation
from odyssey.matrices.snapshot import Snapshot, SnapshotScenario, SnapshotVariation
from odyssey.matrices.take_snapshot import hash_of


class Changes(NamedTuple):
    edited: list[str]
    gone: list[str]

    @property
    def every(self) -> list[str]:
        return [*self.gone, *self.edited]


async def changes_since(session: AsyncSession, org_id: int, snapshot: Snapshot) -> Changes:
    """Say in words what of a snapshot is not as it was. Worlds are kept by what they held, so they do not matter."""
    changes = Changes([], [])
    await _agent(session, org_id, snapshot, changes)
    present = await find_scenarios(session, org_id, [each.id for each in snapshot.scenarios])
    for scenario in snapshot.scenarios:
        _scenario(scenario, present.get(scenario.id), changes)
    for variation in snapshot.variations:
        await _variation(session, org_id, variation, changes)
    return changes


async def _agent(session: AsyncSession, org_id: int, snapshot: Snapshot, changes: Changes) -> None:
    try:
        agent = await get_agent(session, org_id, snapshot.agent_id)
    except NotFoundError:
        changes.gone.append(f"agent {snapshot.agent_id} was deleted")
        return
    if agent.published_version != snapshot.agent_version:
        changes.edited.append(
            f"version {agent.published_version} of agent {agent.id} was published; it was {snapshot.agent_version}"
        )


def _scenario(kept: SnapshotScenario, present: Scenario | None, changes: Changes) -> None:
    if present is None:
        changes.gone.append(f"scenario {kept.name!r} was deleted")
    elif present.version != kept.version:
        changes.edited.append(f"scenario {kept.name!r} was edited")


async def _variation(session: AsyncSession, org_id: int, kept: SnapshotVariation, changes: Changes) -> None:
    if kept.name in CATALOGUE:  # a release may word it anew; nobody edited it, and the snapshot has its words
        return
    try:
        present = await find_variation(session, org_id, kept.name)
    except UnknownVariationError:
        changes.gone.append(f"variation {kept.name} was deleted")
        return
    if hash_of(present) != kept.hash:
        changes.edited.append(f"variation {kept.name} was edited")

"""Cassettes as the API shows them."""

from collections.abc import Sequence

from sqlalchemy.ext.asyncio import AsyncSession

from odyssey.endpoints.cassettes.models import Cassette, CassetteInteraction
from odyssey.endpoints.cassettes.repository import EMPTY, as_interaction, sizes
from odyssey.endpoints.cassettes.schemas import CassetteOut, InteractionOut


async def cassettes_out(session: AsyncSession, cassettes: Sequence[Cassette]) -> list[CassetteOut]:
    found = await sizes(session, [cassette.id for cassette in cassettes])
    return [
        CassetteOut(
            id=cassette.id,
            name=cassette.name,
            run_id=cassette.run_id,
            attempt=cassette.attempt,
            agent_id=cassette.agent_id,
            agent_version=cassette.agent_version,
            interactions=found.get(cassette.id, EMPTY).interactions,
            bytes=found.get(cassette.id, EMPTY).bytes,
            created_by=cassette.created_by,
            created_at=cassette.created_at,
        )
        for cassette in cassettes
    ]


async def cassette_out(session: AsyncSession, cassette: Cassette) -> CassetteOut:
    return (await cassettes_out(session, [cassette]))[0]


def interaction_out(cassette: Cassette, row: CassetteInteraction) -> InteractionOut:
    one = as_interaction(row)
    placed = {"run_id": row.run_id, "sequence": row.sequence, "occurred_at": row.occurred_at}
    shown = {name: getattr(one, name) for name in InteractionOut.model_fields if hasattr(one, name)}
    return InteractionOut.model_validate(shown | placed | {"captured": row.run_id != cassette.run_id})

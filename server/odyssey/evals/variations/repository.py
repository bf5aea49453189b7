"""All SQL of variations. Every look-up names the org."""

from collections.abc import Sequence

from sqlalchemy import func, select
from sqlalchemy.ext.asyncio import AsyncSession

from odyssey.core.errors import NotFoundError
from odyssey.evals.errors import UnknownVariationError
from odyssey.evals.models import CustomVariation
from odyssey.evals.variations.catalogue import CATALOGUE
from odyssey.evals.variations.texts import DOSES, Variation


async def get_custom(
    session: AsyncSession, org_id: int, variation_id: str, *, lock: bool = False
) -> CustomVariation:
    statement = select(CustomVariation).where(
        CustomVariation.id == variation_id, CustomVariation.org_id == org_id
    )
    if lock:
        statement = statement.with_for_update().execution_options(populate_existing=True)
    found = (await session.scalars(statement)).first()
    if found is None:
        raise NotFoundError
    return found


async def find_custom(session: AsyncSession, org_id: int, name: str) -> CustomVariation | None:
    statement = select(CustomVariation).where(CustomVariation.org_id == org_id, CustomVariation.name == name)
    return (await session.scalars(statement)).first()


async def list_custom(session: AsyncSession, org_id: int) -> Sequence[CustomVariation]:
    statement = select(CustomVariation).where(CustomVariation.org_id == org_id)
    return (
        await session.scalars(statement.order_by(CustomVariation.created_at.desc(), CustomVariation.id))
    ).all()


async def count_custom(session: AsyncSession, org_id: int) -> int:
    statement = select(func.count()).select_from(CustomVariation).where(CustomVariation.org_id == org_id)
    return await session.scalar(statement) or 0


async def find_variation(session: AsyncSession, org_id: int, name: str) -> Variation:
    """Return the built-in or the org's own variation of this name, or refuse."""
    if name in CATALOGUE:
        return CATALOGUE[name]
    custom = await find_custom(session, org_id, name)
    if custom is None:
        known = [*CATALOGUE, *(each.name for each in await list_custom(session, org_id))]
        raise UnknownVariationError.named(name, known)
    doses = custom.content["doses"]
    texts = {dose: tuple(doses[dose]) for dose in DOSES}
    return Variation(custom.name, custom.content["description"], texts)

"""All SQL of credentials. Every look-up names the org."""

from collections.abc import Sequence

from sqlalchemy import select
from sqlalchemy.ext.asyncio import AsyncSession

from odyssey.core.errors import NotFoundError
from odyssey.core.paging import ListOrder, PageRequest
from odyssey.identity.credentials.models import Credential
from odyssey.kit.pagination import Page

CREDENTIAL_ORDER = ListOrder(
    Credential.number,
    {
        "name": Credential.name,
        "created_at": Credential.created_at,
        "updated_at": Credential.updated_at,
    },
)


async def find_credential(
    session: AsyncSession, org_id: int, name: str, *, lock: bool = False
) -> Credential | None:
    statement = select(Credential).where(Credential.org_id == org_id, Credential.name == name)
    if lock:
        statement = statement.with_for_update().execution_options(populate_existing=True)
    return (await session.scalars(statement)).first()


async def get_credential(session: AsyncSession, org_id: int, name: str) -> Credential:
    """Lock one that is about to be changed."""
    found = await find_credential(session, org_id, name, lock=True)
    if found is None:
        raise NotFoundError
    return found


async def list_credentials(session: AsyncSession, org_id: int, page: PageRequest) -> Page[Credential]:
    statement = select(Credential).where(Credential.org_id == org_id)
    return await CREDENTIAL_ORDER.page(session, statement, page)


async def all_credentials(session: AsyncSession, org_id: int) -> Sequence[Credential]:
    return (await session.scalars(select(Credential).where(Credential.org_id == org_id))).all()


async def names_like(session: AsyncSession, org_id: int, start: str) -> set[str]:
    """Return the names that begin so."""
    begins = Credential.name.startswith(start, autoescape=True)
    statement = select(Credential.name).where(Credential.org_id == org_id, begins)
    return set((await session.scalars(statement)).all())

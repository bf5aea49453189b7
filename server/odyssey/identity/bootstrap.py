"""The first org, its first admin and the key to it all."""

import re

from sqlalchemy.ext.asyncio import AsyncSession

from odyssey.identity.caller import Role
from odyssey.identity.keys import token_hash
from odyssey.identity.models import ApiKey, Org, Person
from odyssey.identity.repository import any_org_exists
from odyssey.kit.clock import Clock
from odyssey.kit.ids import API_KEY_PREFIX, new_api_key, new_uuid

_API_KEY = re.compile(rf"{API_KEY_PREFIX}[0-9a-f]{{40}}")


def check_api_key_shape(key: str) -> None:
    if not _API_KEY.fullmatch(key):
        raise ValueError("ODYSSEY_BOOTSTRAP_API_KEY must be pk_live_ followed by 40 lower-case hex digits")


async def create_org(
    session: AsyncSession, clock: Clock, *, name: str, admin_email: str, api_key: str | None = None
) -> str:
    """Make an org with one admin and one key; the key is returned and exists nowhere else in clear."""
    api_key = api_key or new_api_key()
    now = clock()
    org = Org(name=name, created_at=now)
    session.add(org)
    await session.flush()
    admin = Person(org_id=org.id, email=admin_email, role=Role.admin.name, created_at=now)
    session.add(admin)
    await session.flush()
    session.add(new_key_row(admin, api_key, "first key", clock))
    return api_key


async def bootstrap(session: AsyncSession, clock: Clock, api_key: str | None) -> str | None:
    """On an empty database make the first org; returns its key, or None when there was one already."""
    if await any_org_exists(session):
        return None
    return await create_org(session, clock, name="Default", admin_email="admin@localhost", api_key=api_key)


def new_key_row(person: Person, api_key: str, name: str, clock: Clock) -> ApiKey:
    return ApiKey(
        id=new_uuid(),
        org_id=person.org_id,
        person_id=person.id,
        name=name,
        last_four=api_key[-4:],
        key_hash=token_hash(api_key),
        created_at=clock(),
    )

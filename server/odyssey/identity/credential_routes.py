"""Credentials over HTTP (wire-contract.md#d9)."""

from collections.abc import Sequence
from typing import Annotated

from fastapi import Depends
from sqlalchemy.ext.asyncio import AsyncSession

from odyssey.core.depends import ClockDep, Limit, ReadSession, SortedCursor, WriteSession
from odyssey.core.paging import PageRequest
from odyssey.identity.credentials import CredentialKeeper, CredentialUsers, CredentialUsersDep
from odyssey.identity.guard import Admin, GuardedRouter, VaultDep, returns_secret
from odyssey.identity.models import Credential
from odyssey.identity.repository import CREDENTIAL_ORDER, list_credentials
from odyssey.identity.schemas import (
    CredentialChange,
    CredentialIn,
    CredentialName,
    CredentialOut,
    CredentialsPage,
)
from odyssey.kit.pagination import DEFAULT_LIMIT

router = GuardedRouter(prefix="/api/credentials", tags=["credentials"])


def _keeper(
    session: WriteSession, caller: Admin, vault: VaultDep, clock: ClockDep, users: CredentialUsersDep
) -> CredentialKeeper:
    return CredentialKeeper(session, vault, clock, caller, users)


KeeperDep = Annotated[CredentialKeeper, Depends(_keeper, scope="function")]


@router.post("", status_code=201, dependencies=[Depends(returns_secret)])
async def create_credential(
    body: CredentialIn, keeper: KeeperDep, session: WriteSession, users: CredentialUsersDep
) -> CredentialOut:
    """Keep a secret under a name. It is never shown again, and sent to the given origin only."""
    return (await _out(session, users, [await keeper.create(body)]))[0]


@router.get("")
async def get_credentials(
    caller: Admin,
    session: ReadSession,
    users: CredentialUsersDep,
    cursor: SortedCursor = None,
    limit: Limit = DEFAULT_LIMIT,
    sort: Annotated[str | None, CREDENTIAL_ORDER] = None,
) -> CredentialsPage:
    page = await list_credentials(session, caller.org_id, PageRequest(limit, cursor, sort))
    return CredentialsPage(items=await _out(session, users, page.items), next_cursor=page.next_cursor)


@router.put("/{credential_name}")
async def change_credential(
    credential_name: CredentialName,
    body: CredentialChange,
    keeper: KeeperDep,
    session: WriteSession,
    users: CredentialUsersDep,
) -> CredentialOut:
    """Put another secret under the name. Another origin needs the value again."""
    return (await _out(session, users, [await keeper.change(credential_name, body)]))[0]


@router.delete("/{credential_name}", status_code=204)
async def delete_credential(credential_name: CredentialName, keeper: KeeperDep) -> None:
    await keeper.delete(credential_name)


async def _out(
    session: AsyncSession, users: CredentialUsers, rows: Sequence[Credential]
) -> list[CredentialOut]:
    if not rows:
        return []
    used = await users.users_of(session, rows[0].org_id, [row.name for row in rows])
    return [
        CredentialOut(
            name=row.name,
            shown=row.shown,
            origin=row.origin,
            used_by=list(used.get(row.name, [])),
            created_at=row.created_at,
            updated_at=row.updated_at,
        )
        for row in rows
    ]

"""What uses credentials; it lives in rooms above, and says so through this seam."""

from collections.abc import Collection, Mapping
from typing import Annotated, Protocol

from fastapi import Depends, Request
from sqlalchemy.ext.asyncio import AsyncSession

from odyssey.identity.credentials.schemas import CredentialUse


class CredentialUsers(Protocol):
    async def users_of(
        self, session: AsyncSession, org_id: int, names: Collection[str]
    ) -> Mapping[str, list[CredentialUse]]:
        """Who uses each of these credentials; unused ones may be left out."""
        ...

    def changed(self, org_id: int) -> None:
        """Be told that a credential of this org is another one now."""
        ...


def _users(request: Request) -> CredentialUsers:
    users: CredentialUsers = request.app.state.credential_users
    return users


CredentialUsersDep = Annotated[CredentialUsers, Depends(_users)]

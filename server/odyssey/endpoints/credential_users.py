"""Endpoints as users of credentials, for the room below that keeps those."""

from collections.abc import Callable, Collection, Mapping

from sqlalchemy.ext.asyncio import AsyncSession

from odyssey.endpoints.repository import endpoints_by_credential
from odyssey.identity.credentials.schemas import CredentialUse


class EndpointCredentialUsers:
    def __init__(self, on_change: Callable[[int], None]) -> None:
        self.changed = on_change

    async def users_of(
        self, session: AsyncSession, org_id: int, names: Collection[str]
    ) -> Mapping[str, list[CredentialUse]]:
        found: dict[str, list[CredentialUse]] = {}
        for credential, endpoint_id, name in await endpoints_by_credential(session, org_id, names):
            use = CredentialUse(endpoint_id=endpoint_id, endpoint_name=name)
            found.setdefault(credential, []).append(use)
        return found

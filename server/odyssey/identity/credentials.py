"""Secrets an organisation keeps for the services its agents' tools talk to."""

from collections.abc import Collection, Mapping
from typing import Annotated, Protocol

from sqlalchemy.exc import IntegrityError
from sqlalchemy.ext.asyncio import AsyncSession

from odyssey.core.addresses import origin_of
from odyssey.core.database import after_commit
from odyssey.core.depends import part
from odyssey.core.errors import ForbiddenError, SecretRequiredError, ValidationFailedError
from odyssey.identity.caller import Caller, record_change
from odyssey.identity.errors import CredentialExistsError, CredentialInUseError
from odyssey.identity.models import Credential
from odyssey.identity.repository import find_credential, get_credential
from odyssey.identity.schemas import CredentialChange, CredentialIn, CredentialUse
from odyssey.identity.vault import Vault, hint_of
from odyssey.kit.clock import Clock
from odyssey.records.problems import FieldError

# What uses credentials; it lives in rooms above, and says so through this seam.


class CredentialUsers(Protocol):
    async def users_of(
        self, session: AsyncSession, org_id: int, names: Collection[str]
    ) -> Mapping[str, list[CredentialUse]]:
        """Who uses each of these credentials; unused ones may be left out."""
        ...

    def changed(self, org_id: int) -> None:
        """Be told that a credential of this org is another one now."""
        ...


CredentialUsersDep = Annotated[CredentialUsers, part(CredentialUsers)]


# Keeping credentials: sealed under their name and origin, so that one opens for no other.


async def open_credential(session: AsyncSession, vault: Vault, credential: Credential) -> str:
    """Open the secret; whoever sends it must first hold its origin against the address."""
    purpose = _purpose(credential.name, credential.origin)
    return await vault.open(session, credential.org_id, purpose, credential.sealed)


class CredentialKeeper:
    """The acts on credentials, with what they all need."""

    def __init__(
        self, session: AsyncSession, vault: Vault, clock: Clock, caller: Caller, users: CredentialUsers
    ) -> None:
        self._session = session
        self._vault = vault
        self._clock = clock
        self._caller = caller
        self._users = users

    async def create(self, body: CredentialIn) -> Credential:
        if body.org_id is not None and body.org_id != self._caller.org_id:
            raise ForbiddenError("org_id must be your own organisation's; leave it out.")
        origin = None if body.origin is None else read_origin(body.origin)
        if await find_credential(self._session, self._caller.org_id, body.name) is not None:
            raise CredentialExistsError(body.name)
        return await self.add(body.name, body.value, origin)

    async def add(self, name: str, value: str, origin: str | None) -> Credential:
        now = self._clock()
        credential = Credential(
            org_id=self._caller.org_id, name=name, sealed="", shown="", created_at=now, updated_at=now
        )
        await self._seal(credential, value, origin)
        self._session.add(credential)
        try:
            await self._session.flush()
        except IntegrityError as error:  # somebody took the name in the same moment
            raise CredentialExistsError(name) from error
        self._audit("credential.create", credential)
        return credential

    async def change(self, name: str, body: CredentialChange) -> Credential:
        credential = await get_credential(self._session, self._caller.org_id, name)
        origin = credential.origin
        if "origin" in body.model_fields_set:
            origin = None if body.origin is None else read_origin(body.origin)
        if body.value is None:
            if origin != credential.origin:
                message = "origin names another scheme, host or port: send value again"
                raise SecretRequiredError([FieldError(loc=("value",), msg=message)])
            return credential
        return await self.replace(credential, body.value, origin)

    async def replace(self, credential: Credential, value: str, origin: str | None) -> Credential:
        """Put another secret under the name; whoever uses it goes by that from now on."""
        await self._seal(credential, value, origin)
        credential.updated_at = self._clock()
        self._audit("credential.change", credential)
        after_commit(self._session, lambda: self._users.changed(credential.org_id))
        return credential

    async def delete(self, name: str) -> None:
        credential = await get_credential(self._session, self._caller.org_id, name)
        users = (await self._users.users_of(self._session, credential.org_id, [name])).get(name, [])
        if users:
            raise CredentialInUseError(name, [user.endpoint_name for user in users])
        await self._session.delete(credential)
        try:
            await self._session.flush()
        except IntegrityError as error:  # an endpoint began to use it in the same moment
            raise CredentialInUseError(name, ["one that was saved just now"]) from error
        self._audit("credential.delete", credential)

    async def _seal(self, credential: Credential, value: str, origin: str | None) -> None:
        purpose = _purpose(credential.name, origin)
        credential.sealed = await self._vault.seal(self._session, credential.org_id, purpose, value)
        credential.shown = hint_of(value)
        credential.origin = origin

    def _audit(self, action: str, credential: Credential) -> None:
        """Note the act; nothing of the secret goes into the log, not even as a hash."""
        record_change(
            self._session,
            self._caller,
            self._clock,
            action,
            object_type="credential",
            object_id=credential.name,
            after={"name": credential.name, "origin": credential.origin},
        )


def read_origin(text: str) -> str:
    """Bring an origin as people write it into its one spelling."""
    try:
        origin = origin_of(text)
    except ValueError as error:
        raise _bad_origin(str(error)) from None
    _, _, rest = text.partition("://")
    if rest.rstrip("/").count("/") or "?" in rest:
        raise _bad_origin(
            "origin is a scheme, a host and a port, such as https://api.example.com; remove the rest"
        )
    return origin


def _bad_origin(message: str) -> ValidationFailedError:
    return ValidationFailedError([FieldError(loc=("origin",), msg=message)])


def _purpose(name: str, origin: str | None) -> str:
    return f"credential {name} for {origin or 'no address'}"

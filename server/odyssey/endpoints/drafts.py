"""Everything about saving an endpoint that comes before the database is written: reading, the secret, discovery.

It asks other people's servers and may take half a minute, so it holds no transaction.
"""

from typing import NamedTuple

from sqlalchemy.ext.asyncio import AsyncSession

from odyssey.core.addresses import AddressPolicy, check_url_at_save, origin_of
from odyssey.core.database import Database
from odyssey.core.errors import SecretRequiredError, ValidationFailedError
from odyssey.endpoints.auth import BoundAuth, bound_auth, is_at
from odyssey.endpoints.config import EndpointConfig, WrittenConfig, merge_config, read_config
from odyssey.endpoints.discover import DiscoveredTools, Discoverer, UnusableError
from odyssey.endpoints.errors import (
    CodeEndpointError,
    DocumentRefusedError,
    EndpointExistsError,
)
from odyssey.endpoints.models import ToolEndpoint
from odyssey.endpoints.repository import credentials_of, get_endpoint, is_name_taken
from odyssey.endpoints.schemas import EndpointChange, EndpointIn, EndpointType
from odyssey.endpoints.upstream import DiscoveryFailedError
from odyssey.identity.models import Credential
from odyssey.identity.repository import find_credential
from odyssey.identity.vault import Vault
from odyssey.journal.contents import load_text
from odyssey.records.problems import FieldError

_SECRET = ("config", "auth", "secret")
_MOVED = "Calls now go to {origin}, which the secret is not for; save the endpoint with its secret."


class DiscoveryFailure(NamedTuple):
    """A discovery that came to nothing."""

    code: str
    message: str
    base_url: str | None
    """Where calls go all the same."""


class Draft(NamedTuple):
    """A config that may be saved, with what its service said."""

    config: EndpointConfig
    document: str | None
    """The pasted document; a fetched one is in `result`."""
    credential: str | None
    """The name that was given, or that the endpoint has."""
    secret: str | None
    result: DiscoveredTools | DiscoveryFailure
    revision: int | None = None
    """Of the endpoint that is changed."""

    @property
    def base_url(self) -> str | None:
        return self.result.base_url


class Drafter:
    def __init__(
        self, database: Database, vault: Vault, discoverer: Discoverer, policy: AddressPolicy, org_id: int
    ) -> None:
        self._database = database
        self._vault = vault
        self._discoverer = discoverer
        self._policy = policy
        self._org_id = org_id

    async def new(self, body: EndpointIn) -> Draft:
        written = _read(body.config, body.type)
        await self._check_addresses(written.config)
        async with self._database.read() as session:
            if await is_name_taken(session, self._org_id, body.name):
                raise EndpointExistsError(body.name)
            auth = await self._auth(session, written, None)
        return await self._draft(written, written.spec, auth, written.credential)

    async def changed(self, endpoint_id: str, body: EndpointChange) -> Draft:
        async with self._database.read() as session:
            row = await get_endpoint(session, self._org_id, endpoint_id)
            if body.type is not None and body.type != row.type:
                message = f"the type of an endpoint stays {row.type!r}; create another endpoint"
                raise ValidationFailedError([FieldError(loc=("type",), msg=message)])
            before = EndpointConfig.read(row.config)
            pasted = before.url is None and before.spec_url is None
            written = _read(merge_config(before, body.config), _kind(row), has_document=pasted)
            document = written.spec
            if document is None and pasted and written.config.spec_url is None:
                document = await load_text(session, self._org_id, row.document_hash or "")
            auth = await self._auth(session, written, row)
        await self._check_addresses(written.config)
        credential = written.credential or row.credential_name
        if written.config.auth.type == "none":
            credential = None
        known = row.base_url if _is_same_document(before, written.config) else None
        return await self._draft(written, document, auth, credential, known, row.revision)

    async def as_saved(self, endpoint_id: str) -> Draft:
        """Ask an endpoint again as it is; a failure of any kind is a result."""
        async with self._database.read() as session:
            row = await get_endpoint(session, self._org_id, endpoint_id)
            config = EndpointConfig.read(row.config)
            document = None
            if config.url is None and config.spec_url is None:
                document = await load_text(session, self._org_id, row.document_hash or "")
            credentials = await credentials_of(session, [row])
            credential = credentials.get((row.org_id, row.credential_name or ""))
            auth = await bound_auth(session, self._vault, config.auth, credential)
        result: DiscoveredTools | DiscoveryFailure
        try:
            result = await self._discoverer.ask(config, document, auth)
            if auth.headers_for(result.base_url) is None:
                result.notes.append(_MOVED.format(origin=origin_of(result.base_url)))
        except DiscoveryFailedError as error:
            moved = error.base_url if isinstance(error, UnusableError) else None
            result = DiscoveryFailure(error.code, error.message, moved or row.base_url)
        return Draft(config, None, row.credential_name, None, result, row.revision)

    async def _draft(
        self,
        written: WrittenConfig,
        document: str | None,
        auth: BoundAuth,
        credential: str | None,
        known: str | None = None,
        revision: int | None = None,
    ) -> Draft:
        """Ask the service; `known` is where its calls go if it cannot be asked now."""
        config = written.config
        result: DiscoveredTools | DiscoveryFailure
        try:
            result = await self._discoverer.ask(config, document, auth)
        except UnusableError as error:
            raise DocumentRefusedError(error.code, error.message, ("config", error.member)) from None
        except DiscoveryFailedError as error:
            result = DiscoveryFailure(error.code, error.message, config.address() or known)
        if config.auth.type != "none":
            _check_home(written, auth, result)
        return Draft(config, document, credential, written.secret, result, revision)

    async def _check_addresses(self, config: EndpointConfig) -> None:
        errors: list[FieldError] = []
        for member in ("url", "base_url", "spec_url"):
            url = getattr(config, member)
            refusal = None if url is None else await check_url_at_save(url, self._policy)
            if refusal is None and member == "base_url" and url is not None and "?" in url:
                refusal = "base_url must not have a query (?…); write where the API begins"
            if refusal is not None:
                errors.append(FieldError(loc=("config", member), msg=refusal))
        if errors:
            raise ValidationFailedError(errors)

    async def _auth(
        self, session: AsyncSession, written: WrittenConfig, row: ToolEndpoint | None
    ) -> BoundAuth:
        """The secret to ask with: the given one, the named one, or the one the endpoint has."""
        auth, address = written.config.auth, _address(written.config)
        if auth.type == "none":
            return BoundAuth(auth)
        if written.secret is not None:
            return BoundAuth(auth, written.secret, None if address is None else origin_of(address))
        name = written.credential or (None if row is None else row.credential_name)
        if name is None:
            raise _secret_required(f"auth of type {auth.type!r} needs secret, or the name of a credential")
        credential = await find_credential(session, self._org_id, name)
        if credential is None:
            message = f"there is no credential {name!r}; send secret, or create the credential first"
            raise SecretRequiredError([FieldError(loc=("config", "auth", "credential"), msg=message)])
        _check_origin(credential, address)
        return await bound_auth(session, self._vault, auth, credential)


def _read(raw: object, kind: EndpointType, *, has_document: bool = False) -> WrittenConfig:
    written, errors = read_config(raw, kind, has_document=has_document)
    if errors:
        raise ValidationFailedError(errors)
    if written is None:
        raise CodeEndpointError
    return written


def _is_same_document(before: EndpointConfig, after: EndpointConfig) -> bool:
    return before.spec_url == after.spec_url and before.base_url is None and after.base_url is None


def _kind(row: ToolEndpoint) -> EndpointType:
    return "mcp_server" if row.type == "mcp_server" else "http_openapi"


def _address(config: EndpointConfig) -> str | None:
    """Where calls go, where the config says so and is well-formed; the rest is found out later."""
    address = config.address()
    try:
        return None if address is None or not origin_of(address) else address
    except ValueError:
        return None


def _check_origin(credential: Credential, address: str | None) -> None:
    if address is not None and not is_at(address, credential.origin):
        home = credential.origin or "no address"
        raise _secret_required(
            f"the credential {credential.name!r} is for {home}; the endpoint is at {origin_of(address)}:"
            " send secret again"
        )


def _check_home(written: WrittenConfig, auth: BoundAuth, result: DiscoveredTools | DiscoveryFailure) -> None:
    """Hold the secret against the address that the document gave."""
    if isinstance(result, DiscoveryFailure) and result.base_url is None:
        if written.secret is not None:
            message = (
                f"give base_url, the address the secret is for: the document cannot tell. {result.message}"
            )
            raise ValidationFailedError([FieldError(loc=("config", "base_url"), msg=message)])
        return
    assert result.base_url is not None
    if written.secret is None and auth.secret is not None and not is_at(result.base_url, auth.origin):
        raise _secret_required(
            f"the secret is for {auth.origin}, and calls would go to {origin_of(result.base_url)}: send secret again"
        )


def _secret_required(message: str) -> SecretRequiredError:
    return SecretRequiredError([FieldError(loc=_SECRET, msg=message)])

"""Creating, changing and publishing agents."""

from functools import partial
from typing import Any, NamedTuple
from urllib.parse import urlsplit

from sqlalchemy.ext.asyncio import AsyncSession

from odyssey.agents.config import read_auth_header_value
from odyssey.agents.definition import Definition, read_definition
from odyssey.agents.models import Agent, AgentSecret, AgentVersion
from odyssey.agents.repository import delete_secret, delete_secrets, find_secret, get_agent, get_version
from odyssey.agents.schemas import AgentChange, AgentIn
from odyssey.core.addresses import AddressPolicy, check_url_at_save
from odyssey.core.errors import (
    ForbiddenError,
    NotAvailableYetError,
    SecretRequiredError,
    ValidationFailedError,
)
from odyssey.endpoints.binding import ToolBinding, keep_bindings, release_bindings, resolve_bindings
from odyssey.identity.caller import Caller, record_change
from odyssey.identity.vault import Vault
from odyssey.kit.clock import Clock
from odyssey.records.canonical import content_hash
from odyssey.records.problems import FieldError

# The auth header value of an agent: write-only, sealed, and bound to scheme, host and port.

_DEFAULT_PORTS = {"http": 80, "https": 443}


def origin_of(url: str) -> str:
    parts = urlsplit(url)
    return f"{parts.scheme}://{(parts.hostname or '').lower()}:{parts.port or _DEFAULT_PORTS[parts.scheme]}"


async def store_secret(
    session: AsyncSession, vault: Vault, *, org_id: int, agent_id: int, origin: str, value: str | None
) -> None:
    await delete_secret(session, agent_id, origin)
    if value is not None:
        sealed = await vault.seal(session, org_id, _purpose(agent_id, origin), value)
        session.add(AgentSecret(agent_id=agent_id, origin=origin, sealed=sealed))


async def open_secret(
    session: AsyncSession, vault: Vault, *, org_id: int, agent_id: int, origin: str
) -> str | None:
    row = await find_secret(session, agent_id, origin)
    if row is None:
        return None
    return await unseal_secret(
        session, vault, org_id=org_id, agent_id=agent_id, origin=origin, sealed=row.sealed
    )


async def unseal_secret(
    session: AsyncSession, vault: Vault, *, org_id: int, agent_id: int, origin: str, sealed: str
) -> str:
    """Open a secret that was read already."""
    return await vault.open(session, org_id, _purpose(agent_id, origin), sealed)


def _purpose(agent_id: int, origin: str) -> str:
    return f"agent {agent_id} auth header for {origin}"


_SECRET_MEMBER = "auth_header_value"  # noqa: S105 - a name, not a secret
_UNSET = object()


class Registrar:
    """The acts on agents, with what they all need."""

    def __init__(
        self, session: AsyncSession, vault: Vault, clock: Clock, policy: AddressPolicy, caller: Caller
    ) -> None:
        self._session = session
        self._vault = vault
        self._clock = clock
        self._policy = policy
        self._caller = caller

    async def create(self, body: AgentIn) -> Agent:
        definition, secret, bound = await check(body, self._caller, self._policy, self._session, lock=True)
        now = self._clock()
        agent = Agent(org_id=self._caller.org_id, version=1, created_at=now, updated_at=now)
        self._session.add(agent)
        await self._session.flush()
        await self._add_version(agent, definition.content(), bound)
        if secret is not None and definition.config.endpoint_url is not None:
            await self._store_secret(agent, definition.config.endpoint_url, secret)
        self._audit(agent, "agent.create", after=definition.content())
        return agent

    async def change(self, agent_id: int, body: AgentChange, *, draft: bool) -> Agent:
        check_org(body.org_id, self._caller)
        agent = await get_agent(self._session, self._caller.org_id, agent_id, lock=True)
        before = (await get_version(self._session, agent.id, agent.version)).content
        config, secret = _split_secret(body.config)
        resolve = partial(resolve_bindings, self._session, agent.org_id, lock=True)
        definition, bound = await read_definition(**_merged(before, body, config), resolve=resolve)
        await check_address(definition, self._policy)
        await self._keep_secret_at_home(agent, before, definition, secret)
        after = definition.content()
        if content_hash(after) != content_hash(before):
            agent.version += 1
            agent.updated_at = self._clock()
            await self._add_version(agent, after, bound)
            if agent.published_version is not None and not draft and definition.mode != "code":
                agent.published_version = agent.version
            await self._release_bindings(agent)
        if secret is not _UNSET and definition.config.endpoint_url is not None:
            await self._store_secret(agent, definition.config.endpoint_url, secret)
        await self._drop_stale_secrets(agent, definition)
        if after != before or secret is not _UNSET:
            self._audit(agent, "agent.change", before=before, after=after)
        return agent

    async def publish(self, agent_id: int) -> Agent:
        agent = await get_agent(self._session, self._caller.org_id, agent_id, lock=True)
        content = (await get_version(self._session, agent.id, agent.version)).content
        if content["mode"] == "code":
            raise NotAvailableYetError(["mode"])
        self._audit(agent, "agent.publish", before=agent.published_version, after=agent.version)
        agent.published_version = agent.version
        await self._release_bindings(agent)
        return agent

    async def delete(self, agent_id: int) -> None:
        agent = await get_agent(self._session, self._caller.org_id, agent_id, lock=True)
        agent.deleted_at = self._clock()
        await delete_secrets(self._session, agent.id)
        await release_bindings(self._session, agent.id)
        self._audit(agent, "agent.delete", before=agent.version)

    async def _add_version(self, agent: Agent, content: dict[str, Any], bound: list[ToolBinding]) -> None:
        self._session.add(
            AgentVersion(
                agent_id=agent.id,
                version=agent.version,
                content=content,
                content_hash=content_hash(content),
                created_at=self._clock(),
                created_by=self._caller.person_id,
            )
        )
        await keep_bindings(self._session, agent.id, agent.version, content["name"], bound)

    async def _release_bindings(self, agent: Agent) -> None:
        """Only what the newest and the published version name is held."""
        in_use = [version for version in (agent.version, agent.published_version) if version is not None]
        await release_bindings(self._session, agent.id, keep=in_use)

    async def _keep_secret_at_home(
        self, agent: Agent, before: dict[str, Any], definition: Definition, secret: object
    ) -> None:
        old, new = before["config"].get("endpoint_url"), definition.config.endpoint_url
        if secret is not _UNSET or old is None or new is None or origin_of(old) == origin_of(new):
            return
        if await find_secret(self._session, agent.id, origin_of(old)) is not None:
            raise secret_required()

    async def _drop_stale_secrets(self, agent: Agent, newest: Definition) -> None:
        """Keep the secrets of the two addresses in use: the newest version's and the published one's."""
        urls = [newest.config.endpoint_url]
        if agent.published_version is not None and agent.published_version != agent.version:
            published = await get_version(self._session, agent.id, agent.published_version)
            urls.append(published.content["config"].get("endpoint_url"))
        await delete_secrets(
            self._session, agent.id, keep=[origin_of(url) for url in urls if url is not None]
        )

    async def _store_secret(self, agent: Agent, endpoint_url: str, secret: object) -> None:
        assert secret is None or isinstance(secret, str)
        await store_secret(
            self._session,
            self._vault,
            org_id=agent.org_id,
            agent_id=agent.id,
            origin=origin_of(endpoint_url),
            value=secret,
        )

    def _audit(self, agent: Agent, action: str, *, before: Any = None, after: Any = None) -> None:
        record_change(
            self._session,
            self._caller,
            self._clock,
            action,
            object_type="agent",
            object_id=agent.id,
            before=before,
            after=after,
        )


class CheckedRegistration(NamedTuple):
    definition: Definition
    secret: str | None
    bound: list[ToolBinding]


async def check(
    body: AgentIn, caller: Caller, policy: AddressPolicy, session: AsyncSession, *, lock: bool = False
) -> CheckedRegistration:
    """Validate a whole registration; nothing is saved. Locked, the endpoints it names stay as they are."""
    check_org(body.org_id, caller)
    config, secret = _split_secret(body.config)
    definition, bound = await read_definition(
        name=body.name,
        description=body.description,
        mode=body.mode,
        config=config,
        tools_schema=body.tools_schema,
        ledger_schema=body.ledger_schema,
        resolve=partial(resolve_bindings, session, caller.org_id, lock=lock),
    )
    await check_address(definition, policy)
    return CheckedRegistration(definition, secret if isinstance(secret, str) else None, bound)


async def check_address(definition: Definition, policy: AddressPolicy) -> None:
    url = definition.config.endpoint_url
    refusal = None if url is None else await check_url_at_save(url, policy)
    if refusal is not None:
        raise ValidationFailedError([FieldError(loc=("config", "endpoint_url"), msg=refusal)])


def secret_required() -> SecretRequiredError:
    message = (
        "endpoint_url names another scheme, host or port: send auth_header_value again, or null to drop it"
    )
    return SecretRequiredError([FieldError(loc=("config", _SECRET_MEMBER), msg=message)])


def check_org(org_id: int | None, caller: Caller) -> None:
    if org_id is not None and org_id != caller.org_id:
        raise ForbiddenError("org_id must be your own organisation's; leave it out.")


def _split_secret(config: Any) -> tuple[Any, object]:
    """Take the write-only member out of `config`; the rest is what a version may hold."""
    if not isinstance(config, dict) or _SECRET_MEMBER not in config:
        return config, _UNSET
    secret, errors = read_auth_header_value(config[_SECRET_MEMBER])
    if errors:
        raise ValidationFailedError(errors)
    return {key: value for key, value in config.items() if key != _SECRET_MEMBER}, secret


def _merged(before: dict[str, Any], body: AgentChange, config: Any) -> dict[str, Any]:
    merged = dict(before)
    for member in ("name", "description", "mode", "tools_schema", "ledger_schema"):
        if member in body.model_fields_set and (
            member == "ledger_schema" or getattr(body, member) is not None
        ):
            merged[member] = getattr(body, member)
    if isinstance(config, dict):
        kept = {} if merged["mode"] != before["mode"] else before["config"]
        config = {key: value for key, value in (kept | config).items() if value is not None}
    return merged | {"config": config}

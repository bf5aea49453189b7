"""Testing the connection to an agent, with the same client and the same secret rule as a dispatch."""

from typing import Annotated, Any

from pydantic import BaseModel, Field, WithJsonSchema

from odyssey.agents.config import AgentConfig, read_auth_header_value, read_config
from odyssey.agents.register import check_org, open_secret, origin_of, secret_required
from odyssey.agents.repository import find_secret, get_agent, get_version, store_health
from odyssey.agents.schemas import Config, Mode
from odyssey.core.addresses import AddressPolicy, check_url_at_save
from odyssey.core.database import Database
from odyssey.core.depends import AddressPolicyDep, ClockDep, DatabaseDep, ObjectId, part
from odyssey.core.errors import NotAvailableYetError, ValidationFailedError
from odyssey.core.wire import Body
from odyssey.dispatch.transport import PingResult, PingTarget, Transport
from odyssey.identity.caller import Caller
from odyssey.identity.guard import Admin, GuardedRouter, VaultDep
from odyssey.identity.vault import Vault
from odyssey.records.problems import FieldError

router = GuardedRouter(prefix="/api/agents", tags=["agents"])

TransportDep = Annotated[Transport, part(Transport)]


class ConnectionTest(Body):
    config: Annotated[
        Any, WithJsonSchema({"type": "object", "description": "Members to try instead of the saved ones."})
    ] = Field(default_factory=dict)


class UnsavedAgent(Body):
    """A registration, finished or not: only `mode` and `config` are looked at."""

    mode: Mode = "http"
    config: Config
    name: str = ""
    description: str = ""
    tools_schema: list[Any] = Field(default_factory=list)
    ledger_schema: dict[str, Any] | None = None
    org_id: int | None = None


class ConnectionTested(BaseModel):
    ok: bool
    status: int | None = Field(description="HTTP status of the answer; null when there was none.")
    latency_ms: int
    detail: str


@router.post("/test-connection")
async def ping_unsaved_agent(
    body: UnsavedAgent,
    caller: Admin,
    policy: AddressPolicyDep,
    transport: TransportDep,
) -> ConnectionTested:
    """Send `{"ping": true}` to an agent that is not registered yet. Nothing is saved."""
    check_org(body.org_id, caller)
    if body.mode == "code":
        raise NotAvailableYetError(["mode"])
    config, given = _tried({}, body.config)
    target = _ping_target(config, given[0] if given else None)
    return _tested(await _ping(transport, policy, target))


@router.post("/{agent_id}/test-connection")
async def ping_agent(
    agent_id: ObjectId,
    caller: Admin,
    database: DatabaseDep,
    vault: VaultDep,
    policy: AddressPolicyDep,
    transport: TransportDep,
    clock: ClockDep,
    body: ConnectionTest | None = None,
) -> ConnectionTested:
    """Send `{"ping": true}` with the auth header, as saved or as given."""
    target = await _target(database, vault, caller, agent_id, {} if body is None else body.config)
    result = await _ping(transport, policy, target)
    if body is None or not body.config:  # what is only tried says nothing of the agent as it is
        async with database.write() as session:
            await store_health(session, agent_id, result, clock())
    return _tested(result)


async def _ping(transport: Transport, policy: AddressPolicy, target: PingTarget) -> PingResult:
    refusal = await check_url_at_save(target.endpoint_url, policy)
    if refusal is not None:
        raise ValidationFailedError([FieldError(loc=("config", "endpoint_url"), msg=refusal)])
    return await transport.ping(target)


def _tested(result: PingResult) -> ConnectionTested:
    return ConnectionTested(
        ok=result.ok, status=result.status, latency_ms=result.latency_ms, detail=result.detail
    )


async def _target(database: Database, vault: Vault, caller: Caller, agent_id: int, change: Any) -> PingTarget:
    async with database.read() as session:
        agent = await get_agent(session, caller.org_id, agent_id)
        content = (await get_version(session, agent.id, agent.version)).content
        if content["mode"] == "code":
            raise NotAvailableYetError(["mode"])
        config, given = _tried(content["config"], change)
        assert config.endpoint_url is not None
        origin = origin_of(config.endpoint_url)
        saved_origin = origin_of(content["config"]["endpoint_url"])
        if origin != saved_origin and not given and await find_secret(session, agent.id, saved_origin):
            raise secret_required()
        secret = (
            given[0]
            if given
            else await open_secret(session, vault, org_id=caller.org_id, agent_id=agent.id, origin=origin)
        )
    return _ping_target(config, secret)


def _ping_target(config: AgentConfig, secret: str | None) -> PingTarget:
    assert config.endpoint_url is not None
    header = (config.auth_header_name, secret) if config.auth_header_name and secret else None
    return PingTarget(config.endpoint_url, header)


def _tried(saved: dict[str, Any], change: Any) -> tuple[AgentConfig, tuple[str | None, ...]]:
    """Read the config to try; the second value holds the secret if one was given, null included."""
    given: tuple[str | None, ...] = ()
    if isinstance(change, dict) and "auth_header_value" in change:
        secret, faults = read_auth_header_value(change["auth_header_value"])
        if faults:
            raise ValidationFailedError(faults)
        given = (secret,)
        change = {key: value for key, value in change.items() if key != "auth_header_value"}
    merged = (
        {k: v for k, v in (saved | change).items() if v is not None} if isinstance(change, dict) else change
    )
    config, errors, later = read_config(merged, "http")
    if errors:
        raise ValidationFailedError(errors)
    if later:
        raise NotAvailableYetError([f"config.{member}" for member in later])
    assert config is not None
    return config, given

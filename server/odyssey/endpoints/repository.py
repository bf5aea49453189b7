"""All SQL of endpoints. Every look-up names the org."""

from collections.abc import Callable, Collection, Mapping, Sequence
from typing import Any, NamedTuple

from sqlalchemy import ColumnElement, delete, select, tuple_
from sqlalchemy.ext.asyncio import AsyncSession
from sqlalchemy.orm import defer

from odyssey.core.errors import NotFoundError
from odyssey.core.paging import ListOrder, PageRequest
from odyssey.endpoints.models import AgentEndpoint, ToolEndpoint
from odyssey.identity.models import Credential
from odyssey.identity.schemas import CredentialUse
from odyssey.kit.pagination import Page

ENDPOINT_ORDER = ListOrder(
    ToolEndpoint.number,
    {
        "name": ToolEndpoint.name,
        "type": ToolEndpoint.type,
        "tool_count": ToolEndpoint.tool_count,
        "discovered_at": ToolEndpoint.discovered_at,
        "created_at": ToolEndpoint.created_at,
        "updated_at": ToolEndpoint.updated_at,
    },
)


async def get_endpoint(
    session: AsyncSession, org_id: int, endpoint_id: str, *, lock: bool = False
) -> ToolEndpoint:
    statement = select(ToolEndpoint).where(ToolEndpoint.id == endpoint_id, ToolEndpoint.org_id == org_id)
    if lock:
        statement = statement.with_for_update().execution_options(populate_existing=True)
    found = (await session.scalars(statement)).first()
    if found is None:
        raise NotFoundError
    return found


async def is_name_taken(session: AsyncSession, org_id: int, name: str) -> bool:
    statement = select(ToolEndpoint.id).where(ToolEndpoint.org_id == org_id, ToolEndpoint.name == name)
    return (await session.scalar(statement)) is not None


async def list_endpoints(session: AsyncSession, org_id: int, page: PageRequest) -> Page[ToolEndpoint]:
    """Return a page without the lists of tools, which may be long."""
    statement = select(ToolEndpoint).where(ToolEndpoint.org_id == org_id).options(defer(ToolEndpoint.tools))
    return await ENDPOINT_ORDER.page(session, statement, page)


class NamedEndpoint(NamedTuple):
    """What a binding has to know of an endpoint."""

    id: str
    name: str
    type: str
    tools: list[Any]


async def named_endpoints(
    session: AsyncSession, org_id: int, *, ids: Collection[str], names: Collection[str], lock: bool
) -> list[NamedEndpoint]:
    """Return those of these ids and names; locked, they stay as they are until the transaction ends."""
    wanted: ColumnElement[bool] = ToolEndpoint.id.in_(ids) | ToolEndpoint.name.in_(names)
    columns = select(ToolEndpoint.id, ToolEndpoint.name, ToolEndpoint.type, ToolEndpoint.tools)
    statement = columns.where(ToolEndpoint.org_id == org_id, wanted)
    if lock:
        statement = statement.order_by(ToolEndpoint.number).with_for_update(read=True)
    return [NamedEndpoint(*row) for row in await session.execute(statement)]


class Stamp(NamedTuple):
    """Changes whenever an endpoint or its secret does."""

    id: str
    revision: int
    sealed: str | None
    origin: str | None


async def find_stamp(session: AsyncSession, org_id: int, member: str, value: str) -> Stamp | None:
    """Look an endpoint up by `endpoint_id` or `endpoint_name`."""
    column = ToolEndpoint.id if member == "endpoint_id" else ToolEndpoint.name
    of_endpoint = (Credential.org_id == ToolEndpoint.org_id) & (
        Credential.name == ToolEndpoint.credential_name
    )
    columns = select(ToolEndpoint.id, ToolEndpoint.revision, Credential.sealed, Credential.origin)
    statement = columns.outerjoin(Credential, of_endpoint).where(
        ToolEndpoint.org_id == org_id, column == value
    )
    row = (await session.execute(statement)).first()
    return None if row is None else Stamp(*row)


async def credentials_of(
    session: AsyncSession, endpoints: Sequence[ToolEndpoint]
) -> Mapping[tuple[int, str], Credential]:
    keys = [(row.org_id, row.credential_name) for row in endpoints if row.credential_name is not None]
    if not keys:
        return {}
    statement = select(Credential).where(tuple_(Credential.org_id, Credential.name).in_(keys))
    return {(row.org_id, row.name): row for row in await session.scalars(statement)}


async def endpoints_by_credential(
    session: AsyncSession, org_id: int, names: Collection[str]
) -> list[tuple[str, str, str]]:
    """Return credential, id and name of every endpoint that uses one of these credentials."""
    statement = (
        select(ToolEndpoint.credential_name, ToolEndpoint.id, ToolEndpoint.name)
        .where(ToolEndpoint.org_id == org_id, ToolEndpoint.credential_name.in_(names))
        .order_by(ToolEndpoint.number)
    )
    return [(credential or "", id_, name) for credential, id_, name in await session.execute(statement)]


async def uses_of(session: AsyncSession, endpoint_ids: Collection[str]) -> Sequence[AgentEndpoint]:
    statement = select(AgentEndpoint).where(AgentEndpoint.endpoint_id.in_(endpoint_ids))
    order = (AgentEndpoint.agent_id, AgentEndpoint.version, AgentEndpoint.tool_name)
    return (await session.scalars(statement.order_by(*order))).all()


async def drop_uses(session: AsyncSession, agent_id: int, keep: Collection[int] = ()) -> None:
    """Forget what an agent's versions name, but for those to keep."""
    stale = (AgentEndpoint.agent_id == agent_id) & AgentEndpoint.version.not_in(keep)
    await session.execute(delete(AgentEndpoint).where(stale))


# Endpoints as users of credentials, for the room below that keeps those.


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

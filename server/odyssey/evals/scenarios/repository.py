"""All SQL of scenarios. Every look-up names the org; a deleted scenario does not exist."""

from collections.abc import Collection
from typing import NamedTuple

import msgspec
from sqlalchemy import Text, case, or_, select, tuple_, type_coerce
from sqlalchemy.ext.asyncio import AsyncSession

from odyssey.core.errors import NotFoundError
from odyssey.core.paging import ListOrder, PageRequest
from odyssey.evals.models import Scenario, ScenarioVersion
from odyssey.evals.scenarios.content import RISK_RANKS, ScenarioContent
from odyssey.kit.pagination import Page

SCENARIO_ORDER = ListOrder(
    Scenario.number,
    {
        "name": Scenario.name,
        "risk_level": case(RISK_RANKS, value=Scenario.risk_level),
        "version": Scenario.version,
        "created_at": Scenario.created_at,
        "updated_at": Scenario.updated_at,
    },
)


class ScenarioFilter(NamedTuple):
    """Which scenarios are wanted; what is not given does not matter."""

    q: str | None = None
    """Part of the name or the description."""
    tag: str | None = None
    risk_level: str | None = None
    ids: Collection[str] = ()
    """These alone; by default any."""


async def get_scenario(
    session: AsyncSession, org_id: int, scenario_id: str, *, lock: bool = False
) -> Scenario:
    statement = select(Scenario).where(
        Scenario.id == scenario_id, Scenario.org_id == org_id, Scenario.deleted_at.is_(None)
    )
    if lock:
        statement = statement.with_for_update().execution_options(populate_existing=True)
    scenario = (await session.scalars(statement)).first()
    if scenario is None:
        raise NotFoundError
    return scenario


async def list_scenarios(
    session: AsyncSession, org_id: int, page: PageRequest, wanted: ScenarioFilter
) -> Page[Scenario]:
    statement = select(Scenario).where(Scenario.org_id == org_id, Scenario.deleted_at.is_(None))
    if wanted.q:
        found = (each.icontains(wanted.q, autoescape=True) for each in (Scenario.name, Scenario.description))
        statement = statement.where(or_(*found))
    if wanted.tag is not None:
        quoted = msgspec.json.encode(wanted.tag).decode("utf-8")
        statement = statement.where(type_coerce(Scenario.tags, Text).contains(quoted, autoescape=True))
    if wanted.risk_level is not None:
        statement = statement.where(Scenario.risk_level == wanted.risk_level)
    if wanted.ids:
        statement = statement.where(Scenario.id.in_(wanted.ids))
    return await SCENARIO_ORDER.page(session, statement, page)


async def scenarios_named(
    session: AsyncSession, org_id: int, names: Collection[str]
) -> dict[str, list[Scenario]]:
    statement = select(Scenario).where(
        Scenario.org_id == org_id, Scenario.name.in_(names), Scenario.deleted_at.is_(None)
    )
    found: dict[str, list[Scenario]] = {}
    for scenario in await session.scalars(statement.order_by(Scenario.number)):
        found.setdefault(scenario.name, []).append(scenario)
    return found


async def find_scenarios(session: AsyncSession, org_id: int, ids: Collection[str]) -> dict[str, Scenario]:
    statement = select(Scenario).where(
        Scenario.org_id == org_id, Scenario.id.in_(ids), Scenario.deleted_at.is_(None)
    )
    return {scenario.id: scenario for scenario in await session.scalars(statement)}


async def get_content(
    session: AsyncSession, scenario: Scenario, version: int | None = None
) -> ScenarioContent:
    """Read one version, the present one unless another is named."""
    key = (scenario.number, version or scenario.version)
    found = (await contents_of(session, [key])).get(key)
    if found is None:
        raise NotFoundError
    return found


async def contents_of(
    session: AsyncSession, versions: Collection[tuple[int, int]]
) -> dict[tuple[int, int], ScenarioContent]:
    """Read versions by scenario number and version."""
    key = tuple_(ScenarioVersion.scenario_number, ScenarioVersion.version)
    rows = await session.scalars(select(ScenarioVersion).where(key.in_(list(versions))))
    return {(row.scenario_number, row.version): msgspec.convert(row.content, ScenarioContent) for row in rows}

"""Scenarios over HTTP (wire-contract.md#d12)."""

from typing import Annotated

from fastapi import Depends, Query

from odyssey.core.depends import ClockDep, Limit, ReadSession, SortedCursor, WriteSession
from odyssey.core.paging import PageRequest
from odyssey.core.wire import PlainText
from odyssey.evals.risk import RiskLevel
from odyssey.evals.scenarios.keep import ScenarioKeeper
from odyssey.evals.scenarios.render import summary, whole
from odyssey.evals.scenarios.repository import (
    SCENARIO_ORDER,
    ScenarioFilter,
    get_content,
    get_scenario,
    list_scenarios,
)
from odyssey.evals.scenarios.schemas import (
    ScenarioChange,
    ScenarioId,
    ScenarioIn,
    ScenarioOut,
    ScenariosPage,
    Tag,
)
from odyssey.identity.guard import GuardedRouter, Member, Viewer
from odyssey.kit.pagination import DEFAULT_LIMIT

router = GuardedRouter(prefix="/api/v1/eval/scenarios", tags=["evals"])


def _keeper(session: WriteSession, caller: Member, clock: ClockDep) -> ScenarioKeeper:
    return ScenarioKeeper(session, clock, caller)


KeeperDep = Annotated[ScenarioKeeper, Depends(_keeper, scope="function")]


def _filter(
    q: Annotated[
        PlainText | None,
        Query(
            max_length=200, description="Part of the name or description; the case of A to Z does not matter."
        ),
    ] = None,
    tag: Annotated[Tag | None, Query()] = None,
    risk_level: RiskLevel | None = None,
) -> ScenarioFilter:
    return ScenarioFilter(q=q, tag=tag, risk_level=risk_level)


FilterDep = Annotated[ScenarioFilter, Depends(_filter)]


@router.post("", status_code=201)
async def create_scenario(body: ScenarioIn, keeper: KeeperDep) -> ScenarioOut:
    kept = await keeper.create(body)
    return whole(kept.scenario, kept.content)


@router.get("")
async def get_scenarios(
    caller: Viewer,
    session: ReadSession,
    wanted: FilterDep,
    cursor: SortedCursor = None,
    limit: Limit = DEFAULT_LIMIT,
    sort: Annotated[str | None, SCENARIO_ORDER] = None,
) -> ScenariosPage:
    page = await list_scenarios(session, caller.org_id, PageRequest(limit, cursor, sort), wanted)
    return ScenariosPage(items=[summary(each) for each in page.items], next_cursor=page.next_cursor)


@router.get("/{scenario_id}")
async def get_one_scenario(
    scenario_id: ScenarioId,
    caller: Viewer,
    session: ReadSession,
    version: Annotated[
        int | None, Query(ge=1, le=2**31 - 1, description="An earlier version; by default the present one.")
    ] = None,
) -> ScenarioOut:
    scenario = await get_scenario(session, caller.org_id, scenario_id)
    return whole(scenario, await get_content(session, scenario, version), version)


@router.put("/{scenario_id}")
async def change_scenario(scenario_id: ScenarioId, body: ScenarioChange, keeper: KeeperDep) -> ScenarioOut:
    """Change what is given; what is omitted stays. Changed content is a new version; runs keep the one they had."""
    kept = await keeper.change(scenario_id, body)
    return whole(kept.scenario, kept.content)


@router.delete("/{scenario_id}", status_code=204)
async def delete_scenario(scenario_id: ScenarioId, keeper: KeeperDep) -> None:
    """Delete a scenario; its runs stay whole."""
    await keeper.delete(scenario_id)

"""An endpoint that an agent's newest or published version names stays, under the name it is bound by."""

from typing import Any

import pytest
from api.surface import AGENT, problem
from support.endpoints import PATH, change, read
from support.live_shop import LiveShop, live
from support.platform import Org

pytestmark = pytest.mark.both_databases


def saved(org: Org, *tools: dict[str, Any], **members: Any) -> dict[str, Any]:
    made: dict[str, Any] = org.ok(org.post("/api/agents", AGENT | {"tools_schema": list(tools), **members}))
    return made


def put(org: Org, agent: dict[str, Any], *tools: dict[str, Any], draft: bool = False, **members: Any) -> None:
    query = {"draft": "true"} if draft else {}
    org.ok(org.put(f"/api/agents/{agent['id']}", {"tools_schema": list(tools), **members}, params=query))


def delete(org: Org, endpoint: dict[str, Any]) -> Any:
    return org.client.delete(f"{PATH}/{endpoint['id']}")


def by_id(endpoint: dict[str, Any], name: str = "get_order") -> dict[str, Any]:
    binding = {"endpoint_id": endpoint["id"], "tool_name": "readOrder"}
    return live(name, "readOrder") | {"passthrough_binding": binding}


def test_a_used_endpoint_says_by_whom(org: Org, shop: LiveShop) -> None:
    endpoint = shop.register(org)
    desk = saved(org, live("get_order", "readOrder"), live("note", "addNote"), name="Desk")
    crew = saved(org, by_id(endpoint, "look"), name="Crew")
    assert read(org, endpoint)["used_by"] == [
        {"agent_id": desk["id"], "agent_name": "Desk", "tools": ["get_order", "note"]},
        {"agent_id": crew["id"], "agent_name": "Crew", "tools": ["look"]},
    ]
    (listed,) = org.ok(org.get(PATH))["items"]
    assert listed["used_by"] == read(org, endpoint)["used_by"]
    refused = problem(delete(org, endpoint), 409, "in_use")
    assert f"'Desk' (agent {desk['id']}) with get_order, note" in refused["detail"]
    assert f"'Crew' (agent {crew['id']}) with look" in refused["detail"]
    put(org, desk, name="Front desk")
    put(org, crew, by_id(endpoint, "look"), name="Field crew")
    assert [use["agent_name"] for use in read(org, endpoint)["used_by"]] == ["Field crew"]


def test_it_is_free_when_the_last_version_that_counts_lets_go(org: Org, shop: LiveShop) -> None:
    endpoint = shop.register(org)
    agent = saved(org, live("get_order", "readOrder"))
    org.ok(org.post(f"/api/agents/{agent['id']}/publish"))
    put(org, agent, draft=True)  # the published one still has it
    problem(delete(org, endpoint), 409, "in_use")
    put(org, agent, description="Another draft.", draft=True)
    problem(delete(org, endpoint), 409, "in_use")
    org.ok(org.post(f"/api/agents/{agent['id']}/publish"))
    assert read(org, endpoint)["used_by"] == []
    assert delete(org, endpoint).status_code == 204


def test_a_draft_holds_it_as_well(org: Org, shop: LiveShop) -> None:
    endpoint = shop.register(org)
    agent = saved(org)
    org.ok(org.post(f"/api/agents/{agent['id']}/publish"))
    put(org, agent, live("get_order", "readOrder"), draft=True)
    problem(delete(org, endpoint), 409, "in_use")
    put(org, agent, draft=True)
    assert delete(org, endpoint).status_code == 204


def test_a_sandbox_tool_that_keeps_its_binding_holds_it_too(org: Org, shop: LiveShop) -> None:
    endpoint = shop.register(org)
    agent = saved(org, live("get_order", "readOrder", default_execution_mode="sandbox"))
    problem(delete(org, endpoint), 409, "in_use")
    put(org, agent)
    assert delete(org, endpoint).status_code == 204


def test_a_deleted_agent_holds_nothing(org: Org, shop: LiveShop) -> None:
    endpoint = shop.register(org)
    agent = saved(org, live("get_order", "readOrder"))
    org.ok(org.post(f"/api/agents/{agent['id']}/publish"))
    put(org, agent, by_id(endpoint), draft=True)
    assert org.client.delete(f"/api/agents/{agent['id']}").status_code == 204
    assert read(org, endpoint)["used_by"] == []
    assert delete(org, endpoint).status_code == 204


def test_a_name_that_agents_are_bound_by_stays(org: Org, shop: LiveShop) -> None:
    endpoint = shop.register(org)
    agent = saved(org, live("get_order", "readOrder"), name="Desk")
    refused = problem(change(org, endpoint, name="orders"), 409, "in_use")
    assert "'orders-api'" in refused["detail"]
    assert f"'Desk' (agent {agent['id']}) with get_order" in refused["detail"]
    org.ok(change(org, endpoint, name="orders-api", description="Other."))
    put(org, agent, by_id(endpoint))
    assert org.ok(change(org, endpoint, name="orders"))["name"] == "orders"
    org.ok(org.post("/api/agents/validate", AGENT | {"tools_schema": [by_id(endpoint)]}))
    problem(delete(org, endpoint), 409, "in_use")


def test_a_refused_deletion_changes_nothing(org: Org, other_org: Org, shop: LiveShop) -> None:
    endpoint = shop.register(org)
    saved(org, live("get_order", "readOrder"))
    before = read(org, endpoint)
    problem(delete(org, endpoint), 409, "in_use")
    problem(delete(other_org, endpoint), 404, "not_found")
    assert read(org, endpoint) == before

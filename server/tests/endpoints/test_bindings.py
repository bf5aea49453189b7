"""Binding an agent's tools to endpoints: every refusal of the tools text, and the switch between the two modes."""

from collections.abc import Callable
from typing import Any

import pytest
from api.surface import AGENT, problem
from sqlalchemy import update
from support.agents import Behaviour, Dispatched, ScriptedAgent
from support.endpoints import PATH, UNREACHABLE, change, create
from support.live_shop import ADAPTER, DOCUMENT, LEDGER_SCHEMA, LiveShop, live
from support.platform import WORLD, Org

from odyssey.endpoints.models import ToolEndpoint

StartAgent = Callable[[Behaviour], ScriptedAgent]
NOT_THERE = "6f0e4b0e-3a1c-4d2f-9b0a-0123456789ab"
INPUT = {"type": "object"}


def agent(*tools: Any, **members: Any) -> dict[str, Any]:
    return AGENT | {"tools_schema": list(tools)} | members


def bound(**binding: Any) -> dict[str, Any]:
    return live("get_order", "readOrder") | {"passthrough_binding": {"tool_name": "readOrder", **binding}}


def refused(org: Org, body: dict[str, Any]) -> list[tuple[list[Any], str, str | None]]:
    """What is said about a registration, the same at create, validate and change."""
    plain = org.ok(org.post("/api/agents", agent()))
    before = org.ok(org.get("/api/agents"))
    answers = [
        org.post("/api/agents", body),
        org.post("/api/agents/validate", body),
        org.put(f"/api/agents/{plain['id']}", body),
    ]
    told = [problem(answer, 422, "validation_failed")["errors"] for answer in answers]
    assert told[0] == told[1] == told[2]
    assert org.ok(org.get("/api/agents")) == before
    return [(fault["loc"], fault["msg"], fault.get("tool")) for fault in told[0]]


def test_a_tool_may_be_bound_by_id_or_by_name(org: Org, shop: LiveShop) -> None:
    made = shop.register(org)
    by_id, by_name = bound(endpoint_id=made["id"].upper()), bound(endpoint_name="orders-api")
    for tool in (by_id, by_name):
        saved = org.ok(org.post("/api/agents", agent(tool)))
        assert saved["tools_schema"][0]["passthrough_binding"] == tool["passthrough_binding"]
        assert org.ok(org.post("/api/agents/validate", agent(tool)))["valid"] is True


FAULTS: list[Any] = [
    pytest.param("no list", ["tools_schema"], "must be a list of tools", None, id="not a list"),
    pytest.param([5], ["tools_schema", 0], "a tool must be an object", None, id="not an object"),
    pytest.param(
        [{"input_schema": INPUT}], ["tools_schema", 0, "name"], "name is missing", None, id="no name"
    ),
    pytest.param(
        [{"name": "get"}],
        ["tools_schema", 0, "input_schema"],
        "input_schema is missing",
        "get",
        id="no schema",
    ),
    pytest.param(
        [{"name": "9", "input_schema": INPUT}],
        ["tools_schema", 0, "name"],
        "is not a tool name",
        "9",
        id="bad name",
    ),
    pytest.param(
        [{"name": "get", "input_schema": INPUT}] * 2,
        ["tools_schema", 1, "name"],
        "names are unique per agent",
        "get",
        id="twice",
    ),
    pytest.param(
        [{"name": "get", "input_schema": INPUT, "default_execution_mode": "live"}],
        ["tools_schema", 0, "default_execution_mode"],
        "must be 'sandbox' or 'passthrough', not 'live'",
        "get",
        id="mode",
    ),
    pytest.param(
        [{"name": "get", "input_schema": INPUT, "default_execution_mode": "passthrough"}],
        ["tools_schema", 0, "passthrough_binding"],
        "a passthrough tool needs passthrough_binding",
        "get",
        id="no binding",
    ),
    pytest.param(
        [bound(endpoint_id=NOT_THERE, endpoint_name="orders-api")],
        ["tools_schema", 0, "passthrough_binding"],
        "both set; keep one",
        "get_order",
        id="both",
    ),
    pytest.param(
        [bound(endpoint_id=NOT_THERE)],
        ["tools_schema", 0, "passthrough_binding", "endpoint_id"],
        "is no tool endpoint of this organisation",
        "get_order",
        id="missing id",
    ),
    pytest.param(
        [bound(endpoint_name="orders-apis")],
        ["tools_schema", 0, "passthrough_binding", "endpoint_name"],
        "endpoint_name 'orders-apis' is no tool endpoint of this organisation",
        "get_order",
        id="unresolved name",
    ),
    pytest.param(
        [bound(endpoint_name="orders-api", tool_name="readOrders")],
        ["tools_schema", 0, "passthrough_binding", "tool_name"],
        "'readOrders' is no tool of the endpoint 'orders-api'; did you mean 'readOrder'?",
        "get_order",
        id="tool not discovered",
    ),
    pytest.param(
        [live("get_order", "readOrder", ledger_write_policy="adapter")],
        ["tools_schema", 0, "ledger_adapter"],
        "needs a ledger_adapter",
        "get_order",
        id="no adapter",
    ),
    pytest.param(
        [
            live(
                "get_order",
                "readOrder",
                ledger_write_policy="adapter",
                ledger_adapter=ADAPTER | {"entity_type": "parcel"},
            )
        ],
        ["tools_schema", 0, "ledger_adapter", "entity_type"],
        "parcel",
        "get_order",
        id="undeclared entity",
    ),
]


@pytest.mark.parametrize(("tools", "place", "words", "tool"), FAULTS)
def test_every_refusal_of_the_tools_text_names_its_tool(
    org: Org, shop: LiveShop, tools: Any, place: list[Any], words: str, tool: str | None
) -> None:
    shop.register(org)
    ((loc, message, named),) = refused(org, AGENT | {"tools_schema": tools, "ledger_schema": LEDGER_SCHEMA})
    assert (loc, named) == (place, tool)
    assert words in message


def test_anothers_endpoint_is_one_that_is_missing(org: Org, other_org: Org, shop: LiveShop) -> None:
    foreign = shop.register(other_org)
    by_id = refused(org, agent(bound(endpoint_id=foreign["id"])))
    missing = other_org.post("/api/agents/validate", agent(bound(endpoint_id=NOT_THERE)))
    said = problem(missing, 422, "validation_failed")["errors"][0]["msg"]
    assert by_id[0][1] == said.replace(NOT_THERE, foreign["id"])
    shop.register(org, "orders")
    by_name = refused(org, agent(bound(endpoint_name="orders-api")))
    assert by_name[0][0][-1] == "endpoint_name"


def test_an_endpoint_of_a_type_that_is_not_supported_is_refused(org: Org, shop: LiveShop) -> None:
    made = shop.register(org)

    async def make_it_code() -> None:
        """No request can make one yet."""
        async with org.platform.database.write() as session:
            await session.execute(
                update(ToolEndpoint).where(ToolEndpoint.id == made["id"]).values(type="code")
            )

    org.platform.do(make_it_code())
    ((loc, message, _),) = refused(org, agent(bound(endpoint_name="orders-api")))
    assert loc[-1] == "endpoint_name"
    assert "is of type 'code', which is not supported yet" in message


def test_an_endpoint_without_known_tools_cannot_be_bound_to(org: Org) -> None:
    create(org, {"name": "orders-api", "type": "mcp_server", "config": {"url": f"{UNREACHABLE}/mcp"}})
    ((loc, message, _),) = refused(org, agent(bound(endpoint_name="orders-api")))
    assert loc[-1] == "tool_name"
    assert "discover them first" in message


def test_all_faults_of_all_tools_are_named_at_once(org: Org, shop: LiveShop) -> None:
    shop.register(org)
    tools = [
        live("one", "nothing"),
        {"name": "two"},
        live("three", "readOrder", "elsewhere"),
        live("four", "readOrder"),
    ]
    told = refused(org, agent(*tools, config={"endpoint_url": "nowhere"}))
    assert {(loc[1], tool) for loc, _, tool in told} == {
        ("endpoint_url", None),
        (0, "one"),
        (1, "two"),
        (2, "three"),
    }


def test_a_sandbox_tool_may_name_a_tool_that_is_not_there_yet_but_no_endpoint(
    org: Org, shop: LiveShop
) -> None:
    missing = live("get_order", "readOrder", "elsewhere", default_execution_mode="sandbox")
    ((loc, message, tool),) = refused(org, agent(missing))
    assert (loc, tool) == (["tools_schema", 0, "passthrough_binding", "endpoint_name"], "get_order")
    assert "is no tool endpoint of this organisation" in message
    shop.register(org)
    later = live("get_order", "readLater", default_execution_mode="sandbox")
    assert org.ok(org.post("/api/agents", agent(later)))["tools_schema"][0]["passthrough_binding"]


def test_a_tool_is_switched_with_one_put_and_no_change_of_the_agent(
    org: Org, shop: LiveShop, agent_server: StartAgent
) -> None:
    shop.register(org)
    sources: list[tuple[str, Any]] = []

    def ask(dispatched: Dispatched) -> Any:
        answer = dispatched.call("get_order", {"order_id": "ord_1"}).json()
        sources.append((answer["source"], answer["response"]))
        return {"final_response": "Done."}

    simulated = live("get_order", "readOrder", default_execution_mode="sandbox")
    made = org.agent(agent_server(ask).url, tools_schema=[simulated])
    at = f"/api/agents/{made['id']}"
    org.run(made, initial_state=WORLD)
    passed = org.ok(org.put(at, {"tools_schema": [simulated | {"default_execution_mode": "passthrough"}]}))
    assert passed["published_version"] == 2
    org.run(made, initial_state=WORLD)
    org.ok(org.put(at, {"tools_schema": [simulated]}))
    org.run(made, initial_state=WORLD)
    assert [source for source, _ in sources] == ["odyssey", "passthrough", "odyssey"]
    assert sources[0][1] == sources[2][1] == WORLD["order"]["ord_1"]
    assert sources[1][1] == {"id": "ord_1", "state": "shipped", "amount": 79.5}
    assert [request.path for request in shop.asked] == ["/orders/ord_1"]


def test_a_binding_that_leads_nowhere_any_more_fails_the_call_and_says_why(
    org: Org, shop: LiveShop, agent_server: StartAgent
) -> None:
    endpoint = shop.register(org)
    answers: list[Any] = []

    def ask(dispatched: Dispatched) -> Any:
        answers.append(dispatched.call("get_order", {"order_id": "ord_1"}).json())
        return {"final_response": "Done."}

    made = org.agent(agent_server(ask).url, tools_schema=[live("get_order", "readOrder")])
    smaller = {"/orders": {"get": {"operationId": "listOrders", "responses": {}}}}
    org.ok(change(org, endpoint, config={"spec": DOCUMENT | {"paths": smaller}}))
    org.run(made)
    (answer,) = answers
    assert answer["source"] == "transport_error"
    assert answer["response"]["error"]["code"] == "tool_missing"
    assert answer["response"]["error"]["outcome"] == "not_sent"
    assert shop.asked == []
    assert org.ok(org.get(f"{PATH}/{endpoint['id']}"))["drift"]["removed"] == [
        "addNote",
        "dropOrder",
        "readOrder",
    ]

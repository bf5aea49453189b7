"""A live call from the agent to the service and back: what is sent, answered, recorded and mirrored."""

from collections.abc import Callable, Iterator
from typing import Any

import pytest
from support.agents import Behaviour, Dispatched, ScriptedAgent, final
from support.calls import OpenRun, open_run
from support.live_shop import ADAPTER, LiveShop, Reply, agent_of, live, mirrored
from support.platform import WORLD, Org

from odyssey.worlds.repository import load_entries

StartAgent = Callable[[Behaviour], ScriptedAgent]

ORDER = {"id": "ord_9", "state": "shipped", "amount": 79.5}
NINE = {"order_id": "ord_9"}
STATUSES = ["pending", "shipped", "refunded"]
REFUND = {
    "name": "refund_order",
    "description": "Refund one order: sets its status.",
    "input_schema": {
        "type": "object",
        "properties": {"order_id": {"type": "string"}},
        "required": ["order_id"],
    },
    "output_schema": {
        "type": "object",
        "properties": {
            "order_id": {"type": "string"},
            "status": {"enum": STATUSES},
            "total": {"type": "number"},
        },
    },
}
SCHEMA = {
    "entities": [
        {
            "type": "order",
            "id_field": "order_id",
            "fields": [
                {"name": "order_id", "type": "string"},
                {"name": "status", "type": "string", "enum": STATUSES},
                {"name": "total", "type": "number"},
            ],
        }
    ]
}


@pytest.fixture
def shop(org: Org) -> Iterator[LiveShop]:
    shop = LiveShop()
    shop.register(org)
    yield shop
    shop.stop()


def entries_of(run: OpenRun) -> list[str]:
    async def load() -> list[str]:
        async with run.org.platform.database.read() as session:
            return [entry.op for entry in await load_entries(session, run.id, 1)]

    return run.org.platform.do(load())


def ledger_of(run: OpenRun) -> dict[str, Any]:
    ledger: dict[str, Any] = run.org.ok(run.org.get(f"/api/runs/{run.id}/ledger"))
    return ledger


def test_a_call_is_recorded_before_it_leaves_and_again_with_its_answer(
    org: Org, shop: LiveShop, agent_server: StartAgent
) -> None:
    with open_run(org, agent_server, agent=agent_of(live("look_up", "readOrder"))) as run:
        answer = run.call("look_up", NINE | {"view": "all items"}, **{"X-Pipelines-Actor-Id": "desk/orders"})
        _, forward, call = run.events()
    envelope = answer.json()
    assert envelope.pop("latency_ms") >= 0
    assert envelope == {
        "tool_name": "look_up",
        "response": ORDER,
        "source": "passthrough",
        "matched_rule_index": None,
    }
    (asked,) = shop.asked
    assert (asked.method, asked.path, asked.query) == ("GET", "/orders/ord_9", {"view": "all items"})
    assert run.token not in str(asked)
    endpoint = forward["data"].pop("endpoint")
    assert len(endpoint.pop("id")) == 36
    assert endpoint == {
        "name": "orders-api",
        "type": "http_openapi",
        "tool_name": "readOrder",
        "read_only": True,
        "method": "GET",
    }
    assert forward["data"] == {"tool_name": "look_up", "arguments": NINE | {"view": "all items"}}
    assert [(event["kind"], event["actor_id"]) for event in (forward, call)] == [
        ("forward", "desk/orders"),
        ("tool_call", "desk/orders"),
    ]
    assert call["data"]["forward"] == forward["sequence"] == call["sequence"] - 1
    assert call["data"]["upstream"].pop("endpoint_id")
    assert call["data"]["upstream"] == {
        "endpoint": "orders-api",
        "type": "http_openapi",
        "tool_name": "readOrder",
        "status": 200,
        "is_error": False,
        "read_only": True,
    }
    assert call["data"]["operations"] == []
    assert not {"validation", "output_schema_mismatch", "adapter_notes"} & set(call["data"])


def test_a_simulated_call_sees_what_a_live_one_returned(
    org: Org, shop: LiveShop, agent_server: StartAgent
) -> None:
    agent = agent_of(mirrored(), REFUND, ledger_schema=SCHEMA)
    with open_run(org, agent_server, agent=agent, initial_state={}) as run:
        unknown = run.call("refund_order", NINE).json()
        fetched = run.call("get_order", NINE).json()
        refunded = run.call("refund_order", NINE).json()
        state = ledger_of(run)
        (data,) = [event["data"] for event in run.events("tool_call") if "forward" in event["data"]]
    assert unknown["response"]["error"]["code"] == "not_found"
    assert (fetched["source"], fetched["response"]) == ("passthrough", ORDER)
    assert refunded["source"] == "odyssey"
    assert "error" not in refunded["response"]
    order = state["state"]["order"]["ord_9"]
    assert (order["order_id"], order["total"]) == ("ord_9", 79.5)
    assert (order["status"], refunded["response"]["status"]) == ("refunded", "refunded")
    assert state["flags"] == ["fetched_order:ord_9"]
    fields = {"order_id": "ord_9", "status": "shipped", "total": 79.5}
    assert data["operations"] == [
        {"op": "update", "entity_type": "order", "id": "ord_9", "fields": fields},
        {"op": "set_flag", "flag": "fetched_order:ord_9"},
    ]


@pytest.mark.parametrize(
    ("policy", "entries"),
    [
        ({}, ["record"]),
        ({"ledger_write_policy": "record_only"}, ["record"]),
        ({"ledger_write_policy": "none"}, []),
        ({"ledger_write_policy": "adapter", "ledger_adapter": ADAPTER}, ["update", "set_flag"]),
    ],
    ids=["default", "record_only", "none", "adapter"],
)
def test_the_policy_says_what_is_written(
    org: Org, shop: LiveShop, agent_server: StartAgent, policy: dict[str, Any], entries: list[str]
) -> None:
    with open_run(org, agent_server, agent=agent_of(live("look_up", "readOrder", **policy))) as run:
        assert run.call("look_up", NINE).json()["source"] == "passthrough"
        assert entries_of(run) == entries


def test_an_entity_of_a_live_answer_is_read_with_its_id(
    org: Org, shop: LiveShop, agent_server: StartAgent
) -> None:
    adapter = ADAPTER | {"field_map": {"status": "$.state"}}
    policy: dict[str, Any] = {"ledger_write_policy": "adapter", "ledger_adapter": adapter}
    shapeless = {"name": "get_order", "input_schema": {"type": "object"}}
    tools = agent_of(live("look_up", "readOrder", **policy), shapeless)
    with open_run(org, agent_server, agent=tools) as run:
        run.call("look_up", NINE)
        simulated = run.call("get_order", NINE).json()
    assert (simulated["source"], simulated["response"]["order_id"]) == ("odyssey", "ord_9")


def test_what_an_adapter_cannot_write_is_noted_and_harms_nobody(
    org: Org, shop: LiveShop, agent_server: StartAgent
) -> None:
    shop.behaviour = lambda request: {"state": "shipped"}
    with open_run(org, agent_server, agent=agent_of(mirrored())) as run:
        assert run.call("get_order", NINE).json()["response"] == {"state": "shipped"}
        (call,) = run.events("tool_call")
        assert entries_of(run) == []
    (note,) = call["data"]["adapter_notes"]
    assert note["member"] == "id_from"


def test_an_error_of_the_service_is_passed_on_and_not_mirrored(
    org: Org, shop: LiveShop, agent_server: StartAgent
) -> None:
    shop.behaviour = lambda request: Reply(b'{"id": "ord_9", "message": "gone"}', status=410)
    with open_run(org, agent_server, agent=agent_of(mirrored(output_schema={"required": ["state"]}))) as run:
        envelope = run.call("get_order", NINE).json()
        (call,) = run.events("tool_call")
        assert entries_of(run) == []
    assert (envelope["source"], envelope["response"]) == (
        "passthrough",
        {"id": "ord_9", "message": "gone"},
    )
    assert (call["data"]["upstream"]["status"], call["data"]["upstream"]["is_error"]) == (410, True)
    assert call["data"]["adapter_notes"][0]["message"] == (
        "the service answered with an error; nothing was written"
    )
    assert "output_schema_mismatch" not in call["data"]


@pytest.mark.parametrize(
    ("reply", "response"),
    [
        (Reply(b"[1, 2]"), [1, 2]),
        (Reply(b'"pong"'), "pong"),
        (Reply(b"true"), "true"),
        (Reply("größer, größte".encode(), content_type="text/csv"), "größer, größte"),
        (Reply(b""), ""),
    ],
    ids=["list", "string", "true", "text", "empty"],
)
def test_answers_are_decoded_as_the_contract_says(
    org: Org, shop: LiveShop, agent_server: StartAgent, reply: Reply, response: Any
) -> None:
    shop.behaviour = lambda request: reply
    with open_run(org, agent_server, agent=agent_of(live("look_up", "readOrder"))) as run:
        envelope = run.call("look_up", NINE).json()
    assert (envelope["source"], envelope["response"]) == ("passthrough", response)


def test_an_answer_that_does_not_fit_is_passed_on_and_noted(
    org: Org, shop: LiveShop, agent_server: StartAgent
) -> None:
    tool = live("look_up", "readOrder", output_schema={"type": "object", "required": ["price"]})
    with open_run(org, agent_server, agent=agent_of(tool)) as run:
        envelope = run.call("look_up", NINE).json()
        (call,) = run.events("tool_call")
    assert (envelope["source"], envelope["response"]) == ("passthrough", ORDER)
    assert "validation" not in envelope
    assert call["data"]["output_schema_mismatch"] is True
    assert "validation" not in call["data"]


@pytest.mark.parametrize(
    ("reply", "code"),
    [
        (Reply(b"busy", status=503), "upstream_5xx"),
        (Reply(b'"' + b"x" * 1024 * 1024 + b'"'), "upstream_body_too_large"),
        (Reply(b"\x01" * (1024 * 1024 // 2), content_type="text/plain"), "upstream_body_too_large"),
    ],
    ids=["5xx", "too large", "too large as JSON"],
)
def test_a_failed_hop_is_a_transport_error_and_touches_no_ledger(
    org: Org, shop: LiveShop, agent_server: StartAgent, reply: Reply, code: str
) -> None:
    shop.behaviour = lambda request: reply
    with open_run(org, agent_server, agent=agent_of(mirrored())) as run:
        envelope = run.call("get_order", NINE).json()
        (call,) = run.events("tool_call")
        assert entries_of(run) == []
    assert envelope["source"] == call["data"]["source"] == "transport_error"
    error = envelope["response"]["error"]
    assert (error["code"], error["outcome"]) == (code, "unknown")
    assert call["data"]["upstream"]["read_only"] is True
    assert len(shop.asked) == 1


def test_what_is_refused_goes_nowhere(org: Org, shop: LiveShop, agent_server: StartAgent) -> None:
    with open_run(org, agent_server, agent=agent_of(live("look_up", "readOrder"))) as run:
        refused = [
            run.call("look_up", {}),
            run.call("look_up", [1]),
            run.call("look_up", NINE, **{"X-Pipelines-Actor-Id": "//"}),
            run.call("look_down", NINE),
        ]
        assert run.events("forward") == []
        assert len(run.events("tool_call")) == 4
    assert [answer.status_code for answer in refused] == [422, 422, 400, 404]
    assert shop.asked == []


def test_a_tool_that_is_bound_to_nothing_any_more_says_so_without_a_forward(
    org: Org, shop: LiveShop, agent_server: StartAgent
) -> None:
    endpoint = org.ok(org.get("/api/tool-endpoints"))["items"][0]
    with open_run(org, agent_server, agent=agent_of(live("look_up", "readOrder"))) as run:
        spec = {"openapi": "3.1.0", "info": {"title": "Nothing", "version": "2"}, "paths": {}}
        org.ok(org.put(f"/api/tool-endpoints/{endpoint['id']}", {"config": {"spec": spec}}))
        envelope = run.call("look_up", NINE).json()
        assert run.events("forward") == []
    assert envelope["source"] == "transport_error"
    error = envelope["response"]["error"]
    assert (error["code"], error["outcome"]) == ("tool_missing", "not_sent")
    assert shop.asked == []


def test_a_tool_flips_with_one_put(org: Org, shop: LiveShop, agent_server: StartAgent) -> None:
    sources: list[str] = []

    def behave(d: Dispatched) -> Any:
        sources.append(d.call("get_order", {"order_id": "ord_1"}).json()["source"])
        return final()

    server = agent_server(behave)
    agent = org.agent(
        server.url, **agent_of(live("get_order", "readOrder", default_execution_mode="sandbox"))
    )
    for mode in ("sandbox", "passthrough", "sandbox"):
        tools = agent_of(live("get_order", "readOrder", default_execution_mode=mode))["tools_schema"]
        agent = org.ok(org.put(f"/api/agents/{agent['id']}", {"tools_schema": tools}))
        org.ok(org.post(f"/api/agents/{agent['id']}/publish"))
        org.run(agent, initial_state=WORLD)
    assert sources == ["odyssey", "passthrough", "odyssey"]
    assert [request.path for request in shop.asked] == ["/orders/ord_1"]

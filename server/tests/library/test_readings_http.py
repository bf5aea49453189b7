"""What is told of an agent's tools before its first run, over HTTP."""

from typing import Any

from support.platform import Org


def tool(name: str, description: str = "", **properties: Any) -> dict[str, Any]:
    schema = {"type": "object", "properties": properties, "required": list(properties)}
    return {"name": name, "description": description, "input_schema": schema}


TEXT = {"type": "string"}
TOOLS = [
    tool("get_order", "Get one order.", order_id=TEXT),
    tool("create_payment", "Create a payment for an order.", order_id=TEXT, amount={"type": "number"}),
    tool("cancel_order", "Cancel an order.", order_id=TEXT),
    tool("reticulate_splines", "Reticulate."),
]
WORLD = {
    "order": {
        "o-1": {"order_id": "o-1", "status": "shipped"},
        "o-2": {"order_id": "o-2", "status": "cancelled"},
        "o-3": {"order_id": "o-3", "status": "open"},
    },
    "payment": {"p-1": {"payment_id": "p-1", "order_id": "o-1", "amount": 5}},
}


def register(org: Org, **config: Any) -> int:
    body = {
        "name": "read ahead",
        "config": {"endpoint_url": "https://agent.example/run", **config},
        "tools_schema": TOOLS,
    }
    made: int = org.ok(org.post("/api/agents", body))["id"]
    return made


def readings(org: Org, agent: int, **params: Any) -> dict[str, Any]:
    found: dict[str, Any] = org.ok(org.get(f"/api/agents/{agent}/readings", params=params))
    return found


def test_every_tool_is_told_with_how_it_is_read(org: Org) -> None:
    told = readings(org, register(org))
    assert (told["version"], told["world_id"], told["warnings"]) == (1, None, [])
    by_name = {each["tool"]: each for each in told["tools"]}
    assert list(by_name) == [each["name"] for each in TOOLS]
    assert by_name["get_order"]["reading"] == "reads order by order_id"
    assert by_name["create_payment"]["reading"] == "creates payment"
    lost = by_name["reticulate_splines"]
    assert (lost["answered_by"], lost["reading"], lost["confidence"]) == ("nobody", "not understood", 0.0)
    assert "line of behaviour" in lost["help"][0]
    assert any("output_schema" in each for each in lost["help"])
    assert any("model" in each for each in lost["help"])


def test_in_a_world_tools_are_read_by_its_entities(org: Org) -> None:
    agent = register(org)
    without = {each["tool"]: each for each in readings(org, agent)["tools"]}
    assert (
        without["cancel_order"]["reading"] != "changes order by order_id"
    )  # nothing says that orders have a status
    world = org.ok(org.post("/api/worlds", {"name": "a shop", "initial_state": WORLD}))
    told = readings(org, agent, world_id=world["id"])
    within = {each["tool"]: each for each in told["tools"]}
    assert told["world_id"] == world["id"]
    assert within["cancel_order"]["reading"] == "changes order by order_id"


def test_prose_without_a_model_has_no_effect_in_those_words(org: Org) -> None:
    said = "Refunds are handled kindly by the staff."
    world = org.ok(
        org.post("/api/worlds", {"name": "prose", "initial_state": WORLD, "behavior_instructions": said})
    )
    (warning,) = readings(org, register(org), world_id=world["id"])["warnings"]
    assert warning.startswith("Line 1 of the behaviour has no effect: ")


def test_programs_engines_and_unknown_tools_are_told(org: Org) -> None:
    program = {"response": {"done": True}}
    agent = register(org, engines={"get_order": "llm"}, programs={"reticulate_splines": program})
    by_name = {each["tool"]: each for each in readings(org, agent)["tools"]}
    assert by_name["reticulate_splines"]["answered_by"] == "program"
    assert by_name["get_order"]["answered_by"] == "nobody"
    assert "no simulator model is set" in by_name["get_order"]["why"]


def test_readings_of_somebody_elses_agent_or_world_do_not_exist(org: Org, other_org: Org) -> None:
    agent = register(org)
    assert other_org.get(f"/api/agents/{agent}/readings").status_code == 404
    world = other_org.ok(other_org.post("/api/worlds", {"name": "theirs", "initial_state": WORLD}))
    assert org.get(f"/api/agents/{agent}/readings", params={"world_id": world["id"]}).status_code == 404

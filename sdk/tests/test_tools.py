"""Tools as an agent declares them; what comes out is what the platform takes."""

from enum import Enum
from typing import Any, Literal

import pytest

from pipelines.odyssey import Tool, adapter, passthrough, simulated, tools_schema, tools_schema_json
from pipelines.odyssey.errors import ToolError

ORDER = {"type": "object", "properties": {"order_id": {"type": "string"}}, "required": ["order_id"]}


class Speed(Enum):
    SLOW = "slow"
    FAST = "fast"


def ship(
    order_id: str,
    speed: Speed,
    items: list[int],
    notes: dict[str, str] | None = None,
    by: Literal["land", "air"] = "land",
    weight: float = 1.5,
    extra: Any = None,
) -> None:
    """Ship an order
    to its customer.

    Nothing of this paragraph is for the model.
    """


def test_a_simulated_tool_is_its_schemas() -> None:
    tool = Tool("get_order", "Look it up.", input_schema=ORDER, output_schema={"type": "object"})
    assert tool.as_dict() == {
        "name": "get_order",
        "description": "Look it up.",
        "input_schema": ORDER,
        "output_schema": {"type": "object"},
    }
    assert tool.execution == simulated()


def test_a_live_tool_names_its_endpoint_and_mirrors_what_it_saw() -> None:
    mirrored = adapter(
        "order", id_from="$.order_id", field_map={"status": "$.status"}, flags=["seen:{order_id}"]
    )
    tool = Tool("get_order", input_schema=ORDER, execution=passthrough("orders-api", adapter=mirrored))
    assert tool.as_dict() == {
        "name": "get_order",
        "input_schema": ORDER,
        "default_execution_mode": "passthrough",
        "passthrough_binding": {"endpoint_name": "orders-api", "tool_name": "get_order"},
        "ledger_write_policy": "adapter",
        "ledger_adapter": {
            "op": "update",
            "entity_type": "order",
            "id_from": "$.order_id",
            "field_map": {"status": "$.status"},
            "flags": ["seen:{order_id}"],
        },
    }


def test_who_answers_can_be_said_apart_from_the_tools() -> None:
    entries = [{"name": "a", "input_schema": {}}, {"name": "b", "input_schema": {}}]
    live = passthrough(
        endpoint_id="7c9e6679-7425-40de-944b-e07fc1f90ae7", tool="B", ledger_write_policy="none"
    )
    a, b = tools_schema(entries, {"b": live})
    assert a == entries[0]
    assert b["passthrough_binding"] == {
        "endpoint_id": "7c9e6679-7425-40de-944b-e07fc1f90ae7",
        "tool_name": "B",
    }
    assert b["ledger_write_policy"] == "none"
    assert entries[1] == {"name": "b", "input_schema": {}}, "what was given is not changed"


def test_a_signature_is_a_schema() -> None:
    tool = Tool.from_function(ship)
    assert tool.description == "Ship an order to its customer."
    assert tool.input_schema == {
        "type": "object",
        "properties": {
            "order_id": {"type": "string"},
            "speed": {"enum": ["slow", "fast"]},
            "items": {"type": "array", "items": {"type": "integer"}},
            "notes": {
                "anyOf": [
                    {"type": "object", "additionalProperties": {"type": "string"}},
                    {"type": "null"},
                ]
            },
            "by": {"enum": ["land", "air"], "default": "land"},
            "weight": {"type": "number", "default": 1.5},
            "extra": {},
        },
        "required": ["order_id", "speed", "items"],
        "additionalProperties": False,
    }


def test_what_cannot_be_described_is_named() -> None:
    def variadic(*things: str) -> None: ...

    def odd(when: complex) -> None: ...

    with pytest.raises(ToolError, match=r"\*things"):
        Tool.from_function(variadic)
    with pytest.raises(ToolError, match="the argument when of odd"):
        Tool.from_function(odd)


@pytest.mark.parametrize("name", ["", "1st", "-a", "a b", "a" * 129, "ä"])
def test_a_name_the_platform_would_refuse_is_refused_here(name: str) -> None:
    with pytest.raises(ToolError, match="is no name of a tool"):
        Tool(name, input_schema={})


def test_what_is_contradictory_is_refused() -> None:
    tool = Tool("a", input_schema={})
    with pytest.raises(ToolError, match="Two tools are called 'a'"):
        tools_schema([tool, {"name": "a", "input_schema": {}}])
    with pytest.raises(ToolError, match="There is no tool called 'b'; there are a"):
        tools_schema([tool], {"b": simulated()})
    with pytest.raises(ToolError, match="one of the two"):
        passthrough()
    with pytest.raises(ToolError, match="one of the two"):
        passthrough("name", endpoint_id="id")
    with pytest.raises(ToolError, match="no use"):
        passthrough("name", adapter={}, ledger_write_policy="none")
    with pytest.raises(ToolError, match="needs entity_type and id_from"):
        adapter("order")
    with pytest.raises(ToolError, match="sets flags"):
        adapter("order", op="set_flag", flags=["x"])


def test_the_text_for_the_import_dialog_is_the_same_list() -> None:
    assert (
        tools_schema_json([Tool("a", input_schema={})])
        == '[\n  {\n    "name": "a",\n    "input_schema": {}\n  }\n]'
    )


def test_tools_as_models_are_given_them_are_read() -> None:
    schema = {"type": "object"}
    flat = {"name": "a", "description": "A.", "parameters": schema}
    nested = {"type": "function", "function": {"name": "b", "parameters": schema}}
    assert tools_schema([flat, nested]) == [
        {"name": "a", "description": "A.", "input_schema": schema},
        {"name": "b", "input_schema": schema},
    ]

"""Tools as people paste them: every shape understood, every fault named at its place, nothing raised."""

from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from odyssey.agents.tools_schema import MAX_TOOLS, check_adapters, read_tools_schema
from odyssey.records.problems import FieldError
from odyssey.records.tools import EntityField, EntityType, FlagPolicy, LedgerSchema, Tool

OBJECT: dict[str, Any] = {
    "type": "object",
    "properties": {"order_id": {"type": "string"}},
    "required": ["order_id"],
}
BINDING = {"endpoint_name": "orders-api", "tool_name": "get_order"}
ADAPTER = {
    "op": "update",
    "entity_type": "order",
    "id_from": "$.order_id",
    "field_map": {"status": "$.status"},
}
UUID = "7f9c24e8-3b12-4fef-91e0-56a2d5a1b2c3"
LEDGER = LedgerSchema([EntityType("order", "order_id", fields=[EntityField("status", "string")])])

JSON = st.recursive(
    st.none() | st.booleans() | st.integers(-(2**63), 2**63) | st.floats(-1e6, 1e6) | st.text(max_size=8),
    lambda inner: st.lists(inner, max_size=4) | st.dictionaries(st.text(max_size=8), inner, max_size=4),
    max_leaves=15,
)


def tool(**members: Any) -> dict[str, Any]:
    return {"name": "get_order", "input_schema": OBJECT, **members}


def passthrough(**members: Any) -> dict[str, Any]:
    return tool(default_execution_mode="passthrough", passthrough_binding=BINDING, **members)


def bound(**binding: Any) -> dict[str, Any]:
    return tool(default_execution_mode="passthrough", passthrough_binding=binding)


def faults_of(*entries: Any) -> list[FieldError]:
    return read_tools_schema(list(entries))[1]


PLAIN = Tool("get_order", OBJECT, "Finds it.")
SHAPES = [
    pytest.param(tool(description="Finds it."), id="ours"),
    pytest.param({"name": "get_order", "description": "Finds it.", "parameters": OBJECT}, id="flat OpenAI"),
    pytest.param(
        {
            "type": "function",
            "name": "get_order",
            "description": "Finds it.",
            "parameters": OBJECT,
            "strict": True,
        },
        id="OpenAI responses",
    ),
    pytest.param(
        {
            "type": "function",
            "function": {"name": "get_order", "description": "Finds it.", "parameters": OBJECT},
        },
        id="nested OpenAI",
    ),
    pytest.param(
        tool(description="Finds it.", type="custom", cache_control={"type": "ephemeral"}), id="Anthropic"
    ),
    pytest.param(tool(description="Finds it.", parameters=OBJECT), id="both schemas, equal"),
    pytest.param(
        tool(description="Finds it.", output_schema=None, ledger_adapter=None), id="nulls are absent"
    ),
]


@pytest.mark.parametrize("entry", SHAPES)
def test_reads_every_shape(entry: dict[str, Any]) -> None:
    assert read_tools_schema([entry]) == ([PLAIN], [])


def test_nested_shape_takes_our_members_beside_it() -> None:
    entry = {"function": {"name": "f", "parameters": {}}, "output_schema": {"type": "string"}}
    assert read_tools_schema([entry]) == ([Tool("f", {}, output_schema={"type": "string"})], [])


def test_sandbox_tool_may_keep_what_it_needs_when_it_is_live() -> None:
    kept = {
        "passthrough_binding": BINDING,
        "ledger_write_policy": "adapter",
        "ledger_adapter": {"op": "set_flag", "flags": ["seen"]},
    }
    tools, faults = read_tools_schema([tool(**kept)])
    assert faults == []
    assert {name: getattr(tools[0], name) for name in kept} == kept


FAULTY = [
    pytest.param(5, (), "must be an object with name", id="number"),
    pytest.param(None, (), "must be an object", id="null"),
    pytest.param({"input_schema": {}}, ("name",), "name is missing", id="no name"),
    pytest.param(tool(name=5), ("name",), "must be a string", id="name is a number"),
    pytest.param(tool(name="../x"), ("name",), "'../x' is not a tool name", id="path"),
    pytest.param(tool(name=""), ("name",), "not a tool name", id="empty name"),
    pytest.param(tool(name="a" * 129), ("name",), "at most 128", id="long name"),
    pytest.param(tool(name="get\n"), ("name",), "not a tool name", id="name with a final line break"),
    pytest.param(tool(name="a\0b"), ("name",), "not a tool name", id="NUL in name"),
    pytest.param(tool(description="a\0b"), ("description",), "NUL", id="NUL in description"),
    pytest.param(tool(description=5), ("description",), "must be a string", id="description is a number"),
    pytest.param(tool(description="x" * 10_001), ("description",), "at most 10000", id="long description"),
    pytest.param({"name": "f"}, ("input_schema",), "input_schema is missing", id="no input schema"),
    pytest.param({"name": "f", "parameters": None}, ("input_schema",), "is missing", id="parameters null"),
    pytest.param(
        tool(input_schema=True), ("input_schema",), "JSON Schema object, not true", id="input schema true"
    ),
    pytest.param(
        tool(input_schema={"type": "string"}), ("input_schema", "type"), "describe an object", id="text input"
    ),
    pytest.param(
        tool(input_schema={"type": "objekt"}), ("input_schema",), "unknown type 'objekt'", id="bad type"
    ),
    pytest.param(
        tool(input_schema={"$ref": "http://decoy/"}), ("input_schema",), "leaves the schema", id="remote ref"
    ),
    pytest.param(tool(input_schema={"$ref": "#"}), ("input_schema",), "never ends", id="loop"),
    pytest.param(
        tool(parameters={"type": "object"}), ("parameters",), "differ", id="both schemas, different"
    ),
    pytest.param({"name": "f", "parameters": []}, ("parameters",), "not a list", id="parameters is a list"),
    pytest.param(
        tool(output_schema="x"), ("output_schema",), "JSON Schema object", id="output schema is text"
    ),
    pytest.param(
        tool(output_schema={"pattern": "(?=a)"}), ("output_schema",), "look-around", id="output pattern"
    ),
    pytest.param(
        tool(default_execution_mode="Sandbox"),
        ("default_execution_mode",),
        "did you mean 'sandbox'",
        id="mode",
    ),
    pytest.param(
        tool(default_execution_mode=[]), ("default_execution_mode",), "not a list", id="mode is a list"
    ),
    pytest.param(tool(inputSchema={}), ("inputSchema",), "did you mean 'input_schema'", id="MCP spelling"),
    pytest.param(tool(wings=2), ("wings",), "no member 'wings'", id="unknown member"),
    pytest.param(
        tool(type="web_search_20250305"), ("type",), "only tools of type 'function'", id="provider's tool"
    ),
    pytest.param(
        {"type": "function", "function": 5}, ("function",), "must be an object", id="function is a number"
    ),
    pytest.param(
        {"function": {"name": "f", "parameters": {}, "params": 1}},
        ("function", "params"),
        "did you mean",
        id="in function",
    ),
    pytest.param(
        {"name": "g", "function": {"name": "f", "parameters": {}}}, ("name",), "stands both", id="two names"
    ),
    pytest.param(
        tool(default_execution_mode="passthrough"),
        ("passthrough_binding",),
        "needs passthrough_binding",
        id="no binding",
    ),
    pytest.param(
        passthrough() | {"passthrough_binding": "x"},
        ("passthrough_binding",),
        "must be an object",
        id="bound to text",
    ),
    pytest.param(
        bound(tool_name="t", endpoint_id=UUID, endpoint_name="n"),
        ("passthrough_binding",),
        "both set",
        id="both ids",
    ),
    pytest.param(bound(tool_name="t"), ("passthrough_binding",), "needs endpoint_id", id="neither id"),
    pytest.param(
        bound(endpoint_name="n"),
        ("passthrough_binding", "tool_name"),
        "tool_name is missing",
        id="no tool_name",
    ),
    pytest.param(
        bound(tool_name="t", endpoint_id="7"), ("passthrough_binding", "endpoint_id"), "a UUID", id="no UUID"
    ),
    pytest.param(
        bound(tool_name="t", endpoint_id=UUID[:-1] + "\n"),
        ("passthrough_binding", "endpoint_id"),
        "a UUID",
        id="UUID?",
    ),
    pytest.param(
        bound(tool_name="t", endpoint_name=""),
        ("passthrough_binding", "endpoint_name"),
        "empty",
        id="empty name",
    ),
    pytest.param(
        bound(**BINDING, tool="x"), ("passthrough_binding", "tool"), "did you mean", id="unknown in binding"
    ),
]


@pytest.mark.parametrize(("entry", "place", "words"), FAULTY)
def test_names_the_fault(entry: Any, place: tuple[str, ...], words: str) -> None:
    faults = faults_of(entry)
    assert len(faults) == 1
    assert faults[0].loc == ("tools_schema", 0, *place)
    assert words in faults[0].msg
    assert len(faults[0].msg) < 500


@pytest.mark.parametrize(
    ("entry", "places"),
    [
        (
            passthrough(ledger_write_policy="always"),
            [("ledger_write_policy",)],
        ),
        (passthrough(ledger_adapter=5), [("ledger_adapter",)]),
        (
            bound(endpoint_id=5, endpoint_name=""),
            [
                ("passthrough_binding", "tool_name"),
                ("passthrough_binding",),
                ("passthrough_binding", "endpoint_id"),
                ("passthrough_binding", "endpoint_name"),
            ],
        ),
    ],
)
def test_names_several_faults_in_order(entry: Any, places: list[tuple[str, ...]]) -> None:
    assert [fault.loc[2:] for fault in faults_of(entry)] == places


@pytest.mark.parametrize("raw", [None, {}, "x", 5, True])
def test_must_be_a_list(raw: Any) -> None:
    tools, faults = read_tools_schema(raw)
    assert tools == []
    assert [fault.loc for fault in faults] == [("tools_schema",)]


def test_number_of_tools() -> None:
    many = [tool(name=f"t{number}") for number in range(MAX_TOOLS + 1)]
    assert "at most 256" in read_tools_schema(many)[1][0].msg
    assert read_tools_schema(many[:-1])[1] == []


def test_all_faults_of_all_tools_at_once() -> None:
    entries = [tool(), 5, tool(default_execution_mode="x", description=1), tool(), {"name": "no schema"}]
    tools, faults = read_tools_schema(entries)
    assert len(tools) == len(entries)
    assert [(fault.loc[1:], fault.tool) for fault in faults] == [
        ((1,), None),
        ((2, "default_execution_mode"), "get_order"),
        ((2, "description"), "get_order"),
        ((4, "name"), "no schema"),
        ((4, "input_schema"), "no schema"),
        ((2, "name"), "get_order"),
        ((3, "name"), "get_order"),
    ]
    assert "already the name of tool 0" in faults[-1].msg


def adapted(adapter: Any, policy: Any = "adapter") -> Tool:
    return Tool(
        "get_order",
        OBJECT,
        default_execution_mode="passthrough",
        passthrough_binding=BINDING,
        ledger_write_policy=policy,
        ledger_adapter=adapter,
    )


GOOD_ADAPTERS = [
    ADAPTER,
    {"entity_type": "order", "id_from": "$.id"},
    {"op": "remove", "entity_type": "order", "id_from": "$.id"},
    {**ADAPTER, "field_map": {"order_id": "$.id"}, "flags": ["fetched:{order_id}"]},
    {"op": "set_flag", "flags": ["seen:{id}"]},
]


@pytest.mark.parametrize("adapter", GOOD_ADAPTERS)
def test_accepts_adapter(adapter: Any) -> None:
    assert check_adapters([adapted(adapter)], LEDGER) == []


FAULTY_ADAPTERS = [
    pytest.param(None, (), "needs a ledger_adapter", id="no adapter"),
    pytest.param({**ADAPTER, "op": "delete"}, ("op",), "op must be 'add'", id="unknown op"),
    pytest.param({**ADAPTER, "op": []}, ("op",), "not a list", id="op is a list"),
    pytest.param(
        {**ADAPTER, "entity": "order"}, ("entity",), "did you mean 'entity_type'", id="unknown member"
    ),
    pytest.param(
        {**ADAPTER, "entity_type": "orders"}, ("entity_type",), "did you mean 'order'", id="undeclared type"
    ),
    pytest.param({**ADAPTER, "entity_type": 5}, ("entity_type",), "must be a string", id="type is a number"),
    pytest.param({"id_from": "$.id"}, ("entity_type",), "update needs entity_type", id="no type"),
    pytest.param({"op": "add", "entity_type": "order"}, ("id_from",), "add needs id_from", id="no id_from"),
    pytest.param({**ADAPTER, "id_from": "order_id"}, ("id_from",), "starts with '$'", id="not a path"),
    pytest.param({**ADAPTER, "id_from": 5}, ("id_from",), "starts with '$'", id="path is a number"),
    pytest.param({**ADAPTER, "id_from": "$." + "a" * 5000}, ("id_from",), "at most 500", id="long path"),
    pytest.param({**ADAPTER, "field_map": []}, ("field_map",), "must be an object", id="field_map is a list"),
    pytest.param(
        {**ADAPTER, "field_map": {"stat": "$.s"}},
        ("field_map", "stat"),
        "did you mean 'status'",
        id="undeclared",
    ),
    pytest.param(
        {**ADAPTER, "field_map": {"status": None}}, ("field_map", "status"), "not null", id="no path"
    ),
    pytest.param({"op": "set_flag"}, ("flags",), "set_flag needs flags", id="no flags"),
    pytest.param({"op": "set_flag", "flags": []}, ("flags",), "set_flag needs flags", id="no flag"),
    pytest.param({"op": "set_flag", "flags": "x"}, ("flags",), "must be a list", id="flags is text"),
    pytest.param({"op": "set_flag", "flags": [5]}, ("flags", 0), "must be a text", id="flag is a number"),
    pytest.param(
        {"op": "set_flag", "flags": ["a"], "id_from": "$.a"}, ("id_from",), "remove id_from", id="flag and id"
    ),
    pytest.param(
        {"op": "set_flag", "flags": ["a"], "entity_type": "order"},
        ("entity_type",),
        "remove entity_type",
        id="flag and type",
    ),
    pytest.param(
        {"op": "set_flag", "flags": ["a"], "field_map": {}},
        ("field_map",),
        "remove field_map",
        id="flag and map",
    ),
    pytest.param({**ADAPTER, "id_from": "$.a["}, ("id_from",), "not a JSONPath", id="broken path"),
    pytest.param({**ADAPTER, "id_from": "$..a..b"}, ("id_from",), "at most once", id="path that multiplies"),
    pytest.param(
        {**ADAPTER, "field_map": {"status": "$.a[?no(@)]"}},
        ("field_map", "status"),
        "not a JSONPath",
        id="unknown function in a path",
    ),
    pytest.param({**ADAPTER, "flags": ["seen:{id"]}, ("flags", 0), "is a plain {name}", id="open brace"),
    pytest.param({**ADAPTER, "flags": ["a", "{}"]}, ("flags", 1), "is a plain {name}", id="empty brace"),
]


@pytest.mark.parametrize(("adapter", "place", "words"), FAULTY_ADAPTERS)
def test_names_the_fault_of_an_adapter(adapter: Any, place: tuple[str | int, ...], words: str) -> None:
    faults = check_adapters([Tool("other", {}), adapted(adapter)], LEDGER)
    assert len(faults) == 1
    assert faults[0].loc == ("tools_schema", 1, "ledger_adapter", *place)
    assert faults[0].tool == "get_order"
    assert words in faults[0].msg


def test_a_placeholder_the_tool_takes_no_argument_for() -> None:
    adapter = {**ADAPTER, "flags": ["{order_id}", "{id}", "{order}"]}
    tool_of_one = adapted(adapter)
    assert check_adapters([tool_of_one], LEDGER) == []
    closed = Tool(
        tool_of_one.name, OBJECT | {"additionalProperties": False}, ledger_adapter=tool_of_one.ledger_adapter
    )
    (fault,) = check_adapters([closed], LEDGER)
    assert fault.loc == ("tools_schema", 0, "ledger_adapter", "flags", 2)
    assert "takes no argument 'order'; did you mean 'order_id'?" in fault.msg


@pytest.mark.parametrize(
    ("template", "is_possible"),
    [
        ("urgent", True),
        ("Urgent", False),
        ("{x}", True),
        ("seen:{id}", True),
        ("{a}:{b}:late", True),
        ("{a}::{b}", False),
        ("seen:{id}:early", False),
        ("seen:one:late:{id}:late", False),
        ("{a}" * 100 + "?", False),
    ],
)
def test_a_flag_no_arguments_could_make_of_a_closed_set(template: str, is_possible: bool) -> None:
    closed = LedgerSchema(LEDGER.entities, FlagPolicy("closed", ["urgent", "seen:one:late"]))
    faults = check_adapters([adapted({"op": "set_flag", "flags": [template]})], closed)
    assert [fault.loc[-2:] for fault in faults] == ([] if is_possible else [("flags", 0)])


def test_adapter_needs_a_ledger_schema() -> None:
    faults = check_adapters([adapted(ADAPTER)], None)
    assert ["needs a ledger_schema" in fault.msg for fault in faults] == [True]


def test_adapter_of_a_faulty_list_keeps_its_index() -> None:
    tools, _ = read_tools_schema([5, passthrough(ledger_write_policy="adapter")])
    assert check_adapters(tools, LEDGER)[0].loc == ("tools_schema", 1, "ledger_adapter")


NEAR_TOOLS = st.lists(
    st.dictionaries(
        st.sampled_from(
            [
                "name",
                "input_schema",
                "parameters",
                "function",
                "type",
                "output_schema",
                "passthrough_binding",
                "default_execution_mode",
                "ledger_adapter",
                "ledger_write_policy",
                "description",
            ]
        ),
        JSON | st.sampled_from(["passthrough", "adapter", OBJECT, BINDING, ADAPTER, {"op": "set_flag"}]),
        max_size=6,
    ),
    max_size=4,
)


@given(raw=JSON | NEAR_TOOLS)
def test_never_raises(raw: Any) -> None:
    tools, faults = read_tools_schema(raw)
    check_adapters(tools, LEDGER)
    check_adapters(tools, None)
    assert faults or isinstance(raw, list)

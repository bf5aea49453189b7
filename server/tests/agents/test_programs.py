"""What a config says of single tools, held against the tools of the agent."""

from typing import Any

import pytest

from odyssey.agents.definition import MAX_BYTES, check_programs
from odyssey.records.tools import Tool

SCHEMA = {"type": "object", "properties": {"order_id": {"type": "string"}}}
TOOLS = [
    Tool("get_order", SCHEMA),
    Tool("cancel_order", SCHEMA),
    Tool("live_order", SCHEMA, default_execution_mode="passthrough", passthrough_binding={"tool_name": "x"}),
]
READS: dict[str, Any] = {"response": "= args.order_id"}


def found(**config: Any) -> list[tuple[tuple[str | int, ...], str, str | None]]:
    return [(fault.loc, fault.msg, fault.tool) for fault in check_programs(config, TOOLS)]


@pytest.mark.parametrize(
    "config",
    [
        {},
        {"engine": "llm", "engines": {"get_order": "world", "live_order": "auto"}},
        {"programs": {"get_order": READS}, "engines": {"get_order": "program"}},
        {"engine": "program", "programs": {"get_order": READS, "cancel_order": {}}},
        {"engine": "program", "programs": {"get_order": READS}, "engines": {"cancel_order": "auto"}},
    ],
)
def test_what_fits_the_tools_has_no_faults(config: dict[str, Any]) -> None:
    assert found(**config) == []


FAULTY: list[tuple[dict[str, Any], tuple[str | int, ...], str]] = [
    ({"engines": {"get_oder": "world"}}, ("engines", "get_oder"), "did you mean 'get_order'?"),
    ({"programs": {"cancel": READS}}, ("programs", "cancel"), "no tool is called 'cancel'"),
    ({"programs": {"live_order": READS}}, ("programs", "live_order"), "a live service answers this tool"),
    (
        {"programs": {"get_order": {"response": "= x"}}},
        ("programs", "get_order", "response"),
        "unknown name 'x'",
    ),
    (
        {"programs": {"get_order": {"let": {"a": "args.orderid"}}}},
        ("programs", "get_order", "let", "a"),
        "did you mean 'order_id'?",
    ),
    ({"engines": {"get_order": "program"}}, ("engines", "get_order"), "get_order has no program"),
    ({"engines": {"live_order": "program"}}, ("engines", "live_order"), "live_order has no program"),
    ({"engine": "program", "programs": {"get_order": {}}}, ("engine",), "cancel_order has no program"),
    (
        {"programs": {"get_order": {"describe": "x" * MAX_BYTES}}},
        ("programs",),
        f"at most {MAX_BYTES} bytes",
    ),
]


@pytest.mark.parametrize(("config", "place", "words"), FAULTY)
def test_what_does_not_fit_the_tools_is_named_at_its_place(
    config: dict[str, Any], place: tuple[str | int, ...], words: str
) -> None:
    ((loc, message, _),) = found(**config)
    assert loc == ("config", *place)
    assert words in message


def test_every_fault_of_every_program_comes_at_once_and_says_the_tool() -> None:
    faulty = found(programs={"get_order": {"a": 1, "response": "= x"}, "cancel_order": {"b": 1}, "other": {}})
    assert [(loc[1:], tool) for loc, _, tool in faulty] == [
        (("programs", "get_order", "a"), "get_order"),
        (("programs", "get_order", "response"), "get_order"),
        (("programs", "cancel_order", "b"), "cancel_order"),
        (("programs", "other"), None),
    ]


@pytest.mark.parametrize(
    "config", [None, [], {"programs": 5, "engines": 5, "engine": []}, {"programs": {"get_order": 5}}]
)
def test_what_is_no_config_is_left_to_the_reading_of_configs(config: Any) -> None:
    assert check_programs(config, TOOLS) == []

"""Which recorded calls are acts on the world: also those the world refused, and those a rule cut off."""

from typing import Any

import msgspec
import pytest

from odyssey.grading.evidence import is_mutating
from odyssey.proxy.answering import CallContext, NeedsModel, answer, explained
from odyssey.records.tools import Tool
from odyssey.simulation.behaviours import read_behaviours
from odyssey.simulation.choosing import Manner
from odyssey.simulation.engine import ToolCall
from odyssey.simulation.rules import RuleCounters, read_rules
from odyssey.worlds.ledger import Ledger

WORLD = Ledger.boot({"order": {"A1": {"order_id": "A1", "status": "open"}}})
ORDER_ID = {"order_id": {"type": "string"}}


def tool(name: str, **properties: Any) -> Tool:
    declared = {"type": "object", "properties": ORDER_ID | properties, "required": ["order_id"]}
    return Tool(name=name, input_schema=declared)


def recorded(
    called: Tool, arguments: dict[str, Any], *rules: dict[str, Any], behaviour: str = ""
) -> dict[str, Any]:
    """The data of a call's event, made by the very parts that answer calls."""
    read = read_rules(list(rules)).rules
    context = CallContext(
        call=ToolCall(called, arguments, None, random_seed=1, sequence=2),
        output_schema=None,
        ledger=WORLD,
        rules=read,
        counters=RuleCounters.start(read),
        manner=Manner({}, read_behaviours(behaviour).behaviours),
        mode="warn",
        started=0.0,
    )
    outcome = answer(context)
    if isinstance(outcome, NeedsModel):  # nobody set a model
        assert outcome.undecided.otherwise is not None
        outcome = outcome.answered(outcome.undecided.otherwise)
    data = outcome.envelope | {"arguments": arguments, "operations": outcome.operations, "http_status": 200}
    if "validation" in data:
        data["validation"] = explained(outcome)
    decoded: dict[str, Any] = msgspec.json.decode(msgspec.json.encode(data))
    return decoded


def is_act(called: Tool, arguments: dict[str, Any], *rules: dict[str, Any]) -> bool:
    return is_mutating(recorded(called, arguments, *rules), called, None, WORLD)


UPDATE = tool("update_order", status={"type": "string"})
ERROR = {"error": {"code": "down", "message": "Try later."}}


@pytest.mark.parametrize(
    ("called", "arguments", "acts"),
    [
        (tool("get_order"), {"order_id": "A1"}, False),
        (tool("get_order"), {"order_id": "nobody"}, False),
        (UPDATE, {"order_id": "A1", "status": "closed"}, True),
        (UPDATE, {"order_id": "nobody", "status": "closed"}, True),
        (tool("delete_order"), {"order_id": "A1"}, True),
        (tool("delete_order"), {"order_id": "nobody"}, True),
        (tool("ponder_universe"), {"order_id": "A1"}, False),
    ],
)
@pytest.mark.parametrize(
    "rules", [(), (ERROR,), ({"fault": "timeout"},)], ids=["simulated", "error", "fault"]
)
def test_an_act_is_one_whoever_answered(
    called: Tool, arguments: dict[str, Any], acts: bool, rules: tuple[dict[str, Any], ...]
) -> None:
    assert is_act(called, arguments, *rules) is acts


def test_operations_of_a_rule_make_any_call_an_act() -> None:
    rule = {"response": {}, "ledger": [{"op": "set_flag", "flag": "seen"}]}
    assert is_act(tool("get_order"), {"order_id": "A1"}, rule)


def test_what_the_proxy_refused_is_no_act() -> None:
    data = {"tool_name": "delete_order", "http_status": 422, "code": "arguments_invalid", "arguments": {}}
    assert not is_mutating(data, tool("delete_order"), None, WORLD)


def test_an_answer_that_was_thrown_away_is_classed_all_the_same() -> None:
    data = {
        "tool_name": "delete_order",
        "http_status": 200,
        "source": "error",
        "arguments": {"order_id": "A1"},
    }
    assert is_mutating(data, tool("delete_order"), None, WORLD)
    assert not is_mutating(data, None, None, WORLD)


@pytest.mark.parametrize("source", ["passthrough", "transport_error"])
@pytest.mark.parametrize("read_only", [True, False])
@pytest.mark.parametrize("operations", [[], [{"op": "set_flag", "flag": "fetched"}]])
def test_a_live_call_is_what_its_service_declares(
    source: str, read_only: bool, operations: list[Any]
) -> None:
    data = {
        "tool_name": "delete_order",
        "http_status": 200,
        "source": source,
        "arguments": {"order_id": "A1"},
        "operations": operations,
        "upstream": {"endpoint": "orders-api", "read_only": read_only},
    }
    assert is_mutating(data, tool("delete_order"), None, WORLD) is not read_only


@pytest.mark.parametrize(
    ("called", "lines", "acts"),
    [
        (UPDATE, 'update_order fails when true with "no"', True),
        (tool("get_order"), 'get_order fails when true with "no"', False),
        (tool("ponder_universe"), 'ponder_universe fails when true with "no"', False),
        (
            tool("ponder_universe"),
            'ponder_universe fails when true with "no"\nponder_universe sets order.status = "seen"',
            True,
        ),
    ],
)
def test_an_act_that_a_behaviour_refused_was_tried_all_the_same(called: Tool, lines: str, acts: bool) -> None:
    data = recorded(called, {"order_id": "A1"}, behaviour=lines)
    assert data["response"]["error"]["message"] == "no"
    assert is_mutating(data, called, None, WORLD) is acts

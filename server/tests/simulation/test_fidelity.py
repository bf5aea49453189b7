"""Measuring an engine against recorded calls, by hand-written records of a small ferry office."""

from typing import Any

import pytest

from odyssey.records.ledger import Update
from odyssey.records.tools import Tool
from odyssey.simulation.engine import Answer, EngineName, ToolCall
from odyssey.simulation.fidelity import (
    EqualShare,
    RecordedCall,
    RecordedChange,
    RecordedTask,
    as_json,
    measure,
)
from odyssey.simulation.world.engine import WorldEngine
from odyssey.worlds.ledger import Ledger

TICKET = {"ticket_id": "T1", "status": "valid", "price": 12.5}
USED = {**TICKET, "status": "used"}
STATE = {"ticket": {"T1": TICKET}}


def tool(name: str, *arguments: str) -> Tool:
    properties = {each: {"type": "string"} for each in arguments}
    return Tool(name, {"type": "object", "properties": properties, "required": list(arguments)})


TOOLS = [
    tool("get_ticket", "ticket_id"),
    tool("use_ticket", "ticket_id"),
    tool("calculate", "expression"),
]
USE = RecordedCall(
    "use_ticket", {"ticket_id": "T1"}, USED, changes=[RecordedChange("ticket", "T1", TICKET, USED)]
)
TASKS = [
    RecordedTask(
        1,
        [
            RecordedCall("get_ticket", {"ticket_id": "T1"}, TICKET),
            USE,
            RecordedCall("get_ticket", {"ticket_id": "T1"}, {**USED, "price": 12.50}),
            RecordedCall("get_ticket", {"ticket_id": "T2"}, error="Ticket T2?"),
        ],
    ),
    RecordedTask(
        2,
        [
            RecordedCall("get_ticket", {"ticket_id": "T1"}, TICKET),
            RecordedCall("calculate", {"expression": "1 + 1"}, "2.0"),
            RecordedCall("calculate", {"expression": "1 + 2"}, "3"),
        ],
    ),
]


class Scripted:
    """Answers every call alike."""

    name: EngineName = "program"

    def __init__(self, answer: Answer) -> None:
        self.given = answer

    def answer(self, call: ToolCall, world: Ledger) -> Answer:
        return self.given


def test_one_miss_counts_once_and_every_task_starts_anew() -> None:
    found = measure(WorldEngine(), TOOLS, STATE, TASKS)
    # `use` is a verb nobody knows, so the change is missed; the next read sees the recorded one all the same.
    assert found.total.calls == 7
    assert found.total.responses == EqualShare(5, 7)
    assert found.total.reads == EqualShare(4, 4)
    assert found.total.changes == EqualShare(0, 1)
    assert found.total.refusals == EqualShare(1, 1)
    assert found.total.refusal_texts == EqualShare(0, 1)
    assert found.tools["get_ticket"].responses == EqualShare(4, 4)
    assert found.stateless == {"calculate"}
    assert found.tools["calculate"].reads == EqualShare(0, 0)


def test_equal_words_of_two_refusals_are_counted_apart() -> None:
    refusal = Answer({"error": {"code": "not_found", "message": "Ticket T2?"}}, refused=True)
    found = measure(Scripted(refusal), TOOLS, STATE, TASKS)
    assert found.total.refusal_texts == EqualShare(1, 1)
    assert found.total.refusals == EqualShare(1, 7)
    assert found.total.responses == EqualShare(1, 7)


def test_a_change_nobody_recorded_is_a_miss() -> None:
    meddling = Answer(TICKET, (Update("ticket", "T1", {"price": 1}),))
    found = measure(Scripted(meddling), TOOLS, STATE, TASKS)
    assert found.total.changes == EqualShare(0, 7)
    repeating = Answer(TICKET, (Update("ticket", "T1", {"status": "used"}),))
    assert measure(Scripted(repeating), TOOLS, STATE, TASKS).tools["use_ticket"].changes == EqualShare(1, 1)


def test_what_is_removed_and_added() -> None:
    other = {"ticket_id": "T2"}
    swap = [RecordedChange("ticket", "T1", TICKET, None), RecordedChange("ticket", "T2", None, other)]
    calls = [
        RecordedCall("use_ticket", {"ticket_id": "T1"}, {}, changes=swap),
        RecordedCall("get_ticket", {"ticket_id": "T2"}, other),
        RecordedCall("get_ticket", {"ticket_id": "T1"}, error="Gone"),
    ]
    assert measure(WorldEngine(), TOOLS, STATE, [RecordedTask(1, calls)]).total.reads == EqualShare(2, 2)


def test_the_json_has_the_shares_with_their_intervals() -> None:
    shown: dict[str, Any] = as_json(measure(WorldEngine(), TOOLS, STATE, TASKS))
    assert shown["responses"]["share"] == pytest.approx(5 / 7)
    low, high = shown["responses"]["interval"]
    assert 0.3 < low < 5 / 7 < high < 1
    assert shown["changes"] == {
        "share": 0.0,
        "interval": [0.0, pytest.approx(0.793, abs=0.001)],
        "equal": 0,
        "of": 1,
    }
    assert set(shown["tools"]) == {"get_ticket", "use_ticket", "calculate"}
    assert shown["tools"]["calculate"]["stateless"]
    assert shown["tools"]["calculate"]["changes"]["share"] is None


def test_each_tool_with_a_miss_says_where_its_first_one_parts_from_the_recording() -> None:
    lines = {"ticket": {"T1": {**TICKET, "stamps": [{"by": "A"}]}}}
    recorded = {**TICKET, "stamps": [{"by": "B"}]}
    calls = [
        RecordedCall("get_ticket", {"ticket_id": "T1"}, {**TICKET, "stamps": [{"by": "A"}]}),
        RecordedCall("get_ticket", {"ticket_id": "T1"}, recorded),
        RecordedCall("get_ticket", {"ticket_id": "T1"}, error="Gone"),
        USE,
    ]
    found = measure(WorldEngine(), TOOLS, lines, [RecordedTask(1, calls)])
    assert set(found.differences) == {"get_ticket", "use_ticket"}
    assert found.differences["get_ticket"] == ("$.stamps[0].by", "B", "A")
    told: dict[str, Any] = as_json(found)["tools"]["get_ticket"]["first_difference"]
    assert told == {"where": "$.stamps[0].by", "recorded": "B", "simulated": "A"}


def test_equal_answers_that_do_something_else_differ_in_their_changes() -> None:
    meddling = Answer(TICKET, (Update("ticket", "T1", {"price": 1}),))
    calls = [RecordedCall("get_ticket", {"ticket_id": "T1"}, TICKET)]
    found = measure(Scripted(meddling), TOOLS, STATE, [RecordedTask(1, calls)])
    assert found.differences["get_ticket"] == ("changes", [], ["ticket T1"])


def test_what_is_not_understood_is_equal_to_nothing_and_what_the_proxy_refuses_to_an_error() -> None:
    lost = [RecordedCall("use_ticket", {"ticket_id": "T1"}, {})]
    found = measure(WorldEngine(), TOOLS, STATE, [RecordedTask(1, lost)])
    assert found.total.responses == EqualShare(0, 1)
    badly_formed = [RecordedCall("get_ticket", {"ticket_id": 7}, error="An id is a text.")]
    found = measure(WorldEngine(), TOOLS, STATE, [RecordedTask(1, badly_formed)])
    assert found.total.refusals == EqualShare(1, 1)


def test_sure_answers_are_counted_with_how_many_are_right() -> None:
    sure = Answer({"error": {"code": "not_found", "message": "No."}}, refused=True, evidence="behaviour")
    found = measure(Scripted(sure), TOOLS, STATE, TASKS)
    assert found.total.sure == EqualShare(1, 7)

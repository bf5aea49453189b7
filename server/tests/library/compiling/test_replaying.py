"""A program held against recorded calls: what counts as equal, what is said of the rest, and that it ends."""

import itertools
import json
from typing import Any

import msgspec
import pytest
from support.parcels import FORGETFUL, GET, RIGHT, STATE, TOOLS, recorded

from odyssey.library.compiling.bench import Bench
from odyssey.library.compiling.replaying import MOST_SECONDS, Trial, try_program
from odyssey.records.tools import Tool
from odyssey.simulation.fidelity import RecordedTask

BY_NAME = {tool["name"]: msgspec.convert(tool, Tool) for tool in TOOLS}


def bench(tool: str = "redirect_parcel", tasks: Any = None, state: Any = STATE) -> Bench:
    read = msgspec.convert(recorded() if tasks is None else tasks, list[RecordedTask])
    return Bench(BY_NAME[tool], None, json.dumps(state), read)


def problems(trial: Trial) -> list[str]:
    return [f"{one.task} {one.call}: {one.problem}" for one in trial.mismatches]


def test_a_right_program_gets_every_call_right() -> None:
    trial = try_program(RIGHT, bench())
    assert (trial.errors, trial.equal, trial.of, trial.mismatches) == ([], 9, 9, [])
    assert trial.row.responses == (9, 9)
    assert trial.row.changes == (5, 5)
    assert trial.row.refusal_texts == (4, 4)
    assert trial.is_accepted(1.0)


def test_calls_of_other_tools_count_by_their_changes_only() -> None:
    trial = try_program(GET, bench("get_parcel"))
    assert (trial.equal, trial.of) == (2, 2)
    unknown = [
        {
            **task,
            "calls": [{**call, "tool": call["tool"].replace("redirect", "send")} for call in task["calls"]],
        }
        for task in recorded()
    ]
    assert try_program(GET, bench("get_parcel", unknown)).equal == 2


def test_what_is_forgotten_is_said_in_words() -> None:
    trial = try_program(FORGETFUL, bench())
    assert problems(trial) == [
        "one 1: the changes differ: depot 'south' should change and does not",
        "full 1: the changes differ: depot 'south' should change and does not",
        "full 2: the changes differ: depot 'south' should change and does not",
        "full 3: it should be refused ('South is full') and is answered",
        "wrong 3: the changes differ: depot 'north' should change and does not",
    ]
    assert (trial.equal, trial.of, trial.errors) == (3, 9, [])
    assert trial.row.responses == (8, 9)
    assert trial.row.changes == (0, 6)
    assert not trial.is_accepted(0.9)
    first = trial.mismatches[0]
    assert first.args == {"parcel_id": "p1", "depot_id": "south"}
    assert [change.id for change in first.expected_changes] == ["p1", "south"]
    assert [change.id for change in first.got_changes] == ["p1"]
    assert trial.mismatches[3].expected == {"error": "South is full"}


@pytest.mark.parametrize(
    ("change", "said"),
    [
        (
            {"response": {**RIGHT["response"], "fee": "= fee + 1.0"}},
            "the response differs at $.fee: expected 2.7, got 3.7",
        ),
        ({"response": {"fee": "= fee"}}, 'the response differs at $.parcel_id: expected "p1", got nothing'),
        ({"require": [{"that": "false", "else": "Closed"}]}, "it should be answered and is refused: Closed"),
        ({"response": "= parcel.redirects[7]"}, "the program failed: response: "),
        (
            {"operations": [*RIGHT["operations"], {"op": "set_flag", "flag": "x"}]},
            "the changes differ: the flag 'x' is set, and recorded calls know of none",
        ),
        (
            {"operations": [*RIGHT["operations"], {"op": "remove", "entity_type": "parcel", "id": "p6"}]},
            "the changes differ: parcel 'p6' changes and should not",
        ),
        (
            {
                "operations": [
                    RIGHT["operations"][0],
                    {"op": "update", "entity_type": "depot", "id": "south", "fields": {"room": 0}},
                ]
            },
            "the changes differ: depot 'south' at $.room: expected 1, got 0",
        ),
    ],
)
def test_the_first_thing_that_differs_is_named(change: dict[str, Any], said: str) -> None:
    trial = try_program({**RIGHT, **change}, bench())
    assert trial.mismatches[0].problem.startswith(said)


def test_a_refusal_in_other_words_is_equal_and_counted_apart() -> None:
    require = [{**one, "else": "No."} for one in RIGHT["require"]]
    trial = try_program({**RIGHT, "require": require}, bench())
    assert trial.is_accepted(1.0)
    assert trial.row.refusal_texts == (0, 4)


def test_a_program_that_fails_is_no_answer_even_where_null_was_recorded() -> None:
    tasks = [{"task": 1, "calls": [{"tool": "get_parcel", "args": {"parcel_id": "p1"}}]}]
    assert try_program({"response": "= null"}, bench("get_parcel", tasks)).equal == 1
    assert try_program({"response": "= [1][7]"}, bench("get_parcel", tasks)).equal == 0


def test_the_share_that_is_asked_for_holds_for_responses_and_for_changes() -> None:
    read = {
        "tool": "redirect_parcel",
        "args": {"parcel_id": "p9", "depot_id": "south"},
        "error": "No such parcel",
    }
    tasks = [*recorded(), {"task": "many", "calls": [read] * 90}]
    no_room = {**RIGHT, "require": RIGHT["require"][:3]}
    trial = try_program(no_room, bench(tasks=tasks))
    assert trial.row.responses == (98, 99)
    assert trial.row.changes == (5, 6)
    assert not trial.is_accepted(0.9)
    wrong_fee = {**RIGHT, "response": {**RIGHT["response"], "depot": "South"}}
    trial = try_program(wrong_fee, bench(tasks=tasks))
    assert (trial.row.responses, trial.row.changes) == ((98, 99), (5, 5))
    assert trial.is_accepted(0.9)
    assert not trial.is_accepted(1.0)


@pytest.mark.parametrize(
    "raw",
    [
        None,
        5,
        "= order",
        [],
        {"response": "= ("},
        {"respond": {}},
        {"let": {"x": "nobody"}},
        {"describe": "x" * 70_000},
    ],
)
def test_what_is_no_program_is_named_and_not_replayed(raw: Any) -> None:
    trial = try_program(raw, bench())
    assert trial.errors
    assert all(error.msg for error in trial.errors)
    assert (trial.program, trial.equal, trial.of, trial.mismatches) == (None, 0, 9, [])
    assert not trial.is_accepted(0.9)


def test_a_program_that_looks_at_earlier_calls_sees_those_of_its_task() -> None:
    program = {"response": "= calls.map(call, call.tool)"}
    tasks = [
        {
            "task": 1,
            "calls": [
                {"tool": "redirect_parcel", "args": {"parcel_id": "p1", "depot_id": "south"}},
                {"tool": "get_parcel", "args": {"parcel_id": "p1"}, "response": ["redirect_parcel"]},
            ],
        },
        {"task": 2, "calls": [{"tool": "get_parcel", "args": {"parcel_id": "p1"}, "response": []}]},
    ]
    assert try_program(program, bench("get_parcel", tasks)).equal == 2


def test_replaying_ends_when_its_time_is_up() -> None:
    ticks = itertools.count(0.0, MOST_SECONDS / 4)
    trial = try_program(RIGHT, bench(), clock=lambda: next(ticks))
    assert (len(trial.errors), trial.equal, trial.of) == (1, 4, 9)
    assert trial.errors[0].msg.startswith("4 of 9 calls took more than 30 s; the rest was not replayed")
    assert not trial.is_accepted(0.9)


def test_a_report_is_no_copy_of_a_world() -> None:
    large = {"note": {str(number): {"text": "x" * 30_000} for number in range(60)}}
    tasks = [{"task": "t" * 30_000, "calls": [{"tool": "get_parcel", "args": {"parcel_id": "y" * 30_000}}]}]
    update = {
        "op": "update",
        "entity_type": "note",
        "id": "= id",
        "fields": {"text": "= 'z' + args.parcel_id"},
    }
    program = {
        "operations": [{**update, "each": {"id": "= range(60).map(number, text(number))"}}],
        "response": "= entities('note')",
    }
    trial = try_program(program, bench("get_parcel", tasks, large))
    assert len(trial.mismatches[0].model_dump_json()) < 100_000
    told = trial.mismatches[0].task
    assert isinstance(told, str)
    assert told.endswith("t… (30002 characters)")
    assert len(told) < 1100

"""The reference worlds are honest back ends, and the confidence that is told is what they say."""

import json
from copy import deepcopy
from random import Random

import jsonschema_rs
import pytest
from benchmarks.reference.back_end import BackEnd, RefusedError
from benchmarks.reference.calibrate import WRITTEN_TO, KindOfCall, calibrate, measure, tools_of
from benchmarks.reference.recording import record
from benchmarks.reference.worlds_of import BESIDE, CALIBRATION

ALL = [*BESIDE, *CALIBRATION]


@pytest.mark.parametrize("world", ALL, ids=lambda world: str(world.name))
def test_a_reference_world_answers_as_it_declares(world: BackEnd) -> None:
    tools = {tool.name: tool for tool in tools_of(world)}
    answers = {
        name: jsonschema_rs.validator_for(tool.output_schema)
        for name, tool in tools.items()
        if tool.output_schema is not None
    }
    random, refused = Random(5), 0
    state = world.begin(random)
    for _ in range(200):
        name, arguments = world.next_call(state, random)
        before = deepcopy(state)
        try:
            answer = world.call(state, name, deepcopy(arguments))
        except RefusedError:
            assert state == before, f"{name} was refused and changed the world"
            refused += 1
            continue
        assert name in tools
        if name in answers:
            answers[name].validate(answer)
    assert 0.08 <= refused / 200 <= 0.4


def test_a_recording_is_the_same_each_time() -> None:
    first, again = (record(CALIBRATION[0], 3, 2) for _ in range(2))
    assert first == again
    assert first != record(CALIBRATION[0], 4, 2)


def test_a_share_is_the_mean_over_worlds_drawn_to_the_wider_kind() -> None:
    narrow = ("read/ok", "")
    calls = [KindOfCall("a", narrow, True)] * 4 + [KindOfCall("b", narrow, True)]
    calls += [KindOfCall("c", ("list/ok", ""), False)] * 2
    shares = calibrate(calls)
    # Of any answer: 1, 1 and 0 of three worlds, so 2/3 less their spread of 0.4714.
    assert shares[""] == round(2 / 3 - 0.4714, 3)
    # Of lists: 0 of one world, and twice the 2/3 of any answer: 0.4444, which nobody relies on.
    assert shares["list/ok"] == round(4 / 9, 3)
    # Of reads: 1 and 1, and twice the 2/3 of any answer: 0.8333 less a spread of 0.1667.
    assert shares["read/ok"] == round(5 / 6 - 1 / 6, 3)


@pytest.mark.full
def test_the_calibration_is_what_the_reference_worlds_say() -> None:
    assert json.loads(WRITTEN_TO.read_text("utf-8")) == measure()

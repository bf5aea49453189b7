"""Reading rubrics: all faults at once, each at its place, and scores that stay within bounds."""

from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st
from support.evidence import json_values

from odyssey.grading.judges.rubric import COMPLETION, MAX_QUESTIONS, REFUSAL, default_rubric, read_rubric

GOOD: dict[str, Any] = {"id": "polite", "question": "Is it polite?", "answer": "yes_no"}


def faults(*questions: Any) -> dict[tuple[str | int, ...], str]:
    read = read_rubric(list(questions))
    assert read.rubric == ()
    return {error.loc: error.msg for error in read.errors}


def test_what_is_left_out_has_its_default() -> None:
    rubric = read_rubric(
        [
            GOOD,
            {**GOOD, "id": "clear", "answer": "scale"},
            {**GOOD, "id": "tone", "answer": ["a", "b"], "pass": "b"},
        ]
    ).rubric
    assert [(one.kind, one.passes, one.weight, one.required) for one in rubric] == [
        ("yes_no", True, 1.0, True),
        ("scale", 4, 1.0, True),
        ("choice", "b", 1.0, True),
    ]


def test_an_empty_rubric_asks_nothing_of_its_own() -> None:
    assert read_rubric([]) == ((), [])


@pytest.mark.parametrize(
    ("change", "place"),
    [
        ({"id": "Polite"}, "id"),
        ({"id": "a" * 41}, "id"),
        ({"id": "1a"}, "id"),
        ({"id": None}, "id"),
        ({"question": ""}, "question"),
        ({"question": "x" * 1001}, "question"),
        ({"question": 3}, "question"),
        ({"answer": "yes-no"}, "answer"),
        ({"answer": ["one"], "pass": "one"}, "answer"),
        ({"answer": ["a", "b", 3], "pass": "a"}, ("answer", 2)),
        ({"answer": ["a", "a"], "pass": "a"}, ("answer", 1)),
        ({"answer": [str(n) for n in range(11)], "pass": "1"}, "answer"),
        ({"answer": ["a", "b" * 201], "pass": "a"}, ("answer", 1)),
        ({"pass": "yes"}, "pass"),
        ({"pass": 1}, "pass"),
        ({"answer": "scale", "pass": 6}, "pass"),
        ({"answer": "scale", "pass": True}, "pass"),
        ({"answer": "scale", "pass": 3.5}, "pass"),
        ({"answer": ["a", "b"], "pass": "c"}, "pass"),
        ({"answer": ["a", "b"]}, "pass"),
        ({"weight": 0}, "weight"),
        ({"weight": -1}, "weight"),
        ({"weight": True}, "weight"),
        ({"weight": 1e9}, "weight"),
        ({"required": "yes"}, "required"),
        ({"wieght": 2}, "wieght"),
    ],
)
def test_a_fault_is_named_at_its_place(change: dict[str, Any], place: str | tuple[str, int]) -> None:
    steps = place if isinstance(place, tuple) else (place,)
    assert list(faults(GOOD, {**GOOD, "id": "second"} | change)) == [("rubric", 1, *steps)]


def test_all_faults_of_all_questions_are_told_at_once() -> None:
    found = faults({**GOOD, "id": "X", "weight": 0}, "no object", GOOD, GOOD)
    assert list(found) == [
        ("rubric", 0, "id"),
        ("rubric", 0, "weight"),
        ("rubric", 1),
        ("rubric", 3, "id"),
    ]
    assert "twice" in found["rubric", 3, "id"]


def test_a_rubric_that_every_answer_passes_is_refused() -> None:
    assert "required" in faults({**GOOD, "required": False})["rubric",]


def test_it_takes_a_list_of_at_most_twenty() -> None:
    wrong: list[Any] = [{}, "x", None, 3]
    for raw in wrong:
        assert [error.loc for error in read_rubric(raw).errors] == [("rubric",)]
    many = [{**GOOD, "id": f"q{n}"} for n in range(MAX_QUESTIONS + 1)]
    assert len(read_rubric(many[:-1]).rubric) == MAX_QUESTIONS
    assert "at most 20" in read_rubric(many).errors[0].msg


anything: st.SearchStrategy[Any] = json_values | st.lists(
    st.fixed_dictionaries({}, optional=dict.fromkeys((*GOOD, "pass", "weight"), json_values)), max_size=3
)


@given(anything)
def test_whatever_comes_is_read_or_refused_with_places(raw: Any) -> None:
    read = read_rubric(raw)
    assert not (read.rubric and read.errors)
    assert all(error.loc[0] == "rubric" and error.msg for error in read.errors)


@given(st.integers(1, 5), st.integers(1, 5))
def test_a_scale_passes_from_its_mark_on(answer: int, mark: int) -> None:
    (question,) = read_rubric([{**GOOD, "answer": "scale", "pass": mark}]).rubric
    assert question.passed(answer) == (answer >= mark)
    assert question.score(answer) == (answer - 1) / 4


def test_no_can_be_the_answer_that_passes() -> None:
    (question,) = read_rubric([{**GOOD, "pass": False}]).rubric
    assert (question.passed(False), question.score(False)) == (True, 1.0)
    assert (question.passed(True), question.score(True)) == (False, 0.0)


def test_the_default_rubrics_are_in_form() -> None:
    assert default_rubric("refusal") is REFUSAL
    assert default_rubric("completion") is COMPLETION
    for rubric in (REFUSAL, COMPLETION):
        raw = [
            {
                "id": one.id,
                "question": one.question,
                "answer": one.kind,
                "pass": one.passes,
                "weight": one.weight,
                "required": one.required,
            }
            for one in rubric
        ]
        assert read_rubric(raw) == (rubric, [])

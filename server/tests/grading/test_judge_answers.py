"""The form of an answer: the schema the model is given and the reader of what it says mean the same."""

from typing import Any

import hypothesis.strategies as st
import pytest
from hypothesis import given
from support.evidence import TOOLS, json_values

from odyssey.grading.judges.prompt import (
    LONGEST_REASON,
    answer_schema,
    read_answers,
    rubric_passed,
    rubric_score,
)
from odyssey.grading.judges.rubric import COMPLETION, REFUSAL, read_rubric
from odyssey.records.json_schema import compile_schema

RUBRIC = read_rubric(
    [
        {"id": "done", "question": "Done?", "answer": "yes_no", "weight": 3},
        {"id": "rude", "question": "Rude?", "answer": "yes_no", "pass": False},
        {"id": "clear", "question": "Clear?", "answer": "scale", "pass": 3, "required": False},
        {"id": "tone", "question": "Tone?", "answer": ["warm", "cold"], "pass": "warm"},
    ]
).rubric
SCHEMA = answer_schema(RUBRIC, TOOLS)
COMPILED = compile_schema(SCHEMA)


def from_schema(schema: dict[str, Any]) -> st.SearchStrategy[Any]:
    """Any value of a schema of ours."""
    if "enum" in schema:
        return st.sampled_from(schema["enum"])
    if schema["type"] == "string":
        return st.text(max_size=schema["maxLength"])
    if schema["type"] == "array":
        return st.lists(from_schema(schema["items"]), max_size=schema["maxItems"])
    return st.fixed_dictionaries({name: from_schema(one) for name, one in schema["properties"].items()})


def answer(**changes: Any) -> dict[str, Any]:
    given = {"done": "yes", "rude": "no", "clear": 5, "tone": "warm"} | changes
    return {
        "answers": {name: {"reason": "So.", "answer": value} for name, value in given.items()},
        "claimed_actions": [],
    }


@given(from_schema(SCHEMA))
def test_what_fits_the_schema_is_read_and_worth_something(value: Any) -> None:
    read = read_answers(value, RUBRIC, TOOLS)
    assert read.errors == []
    assert [one.id for one in read.answers] == [one.id for one in RUBRIC]
    assert 0 <= rubric_score(RUBRIC, read.answers) <= 1
    assert set(read.claimed_actions) <= set(TOOLS)
    required = [one.passed for one, question in zip(read.answers, RUBRIC, strict=True) if question.required]
    assert rubric_passed(RUBRIC, read.answers) == all(required)


@st.composite
def spoilt(draw: st.DrawFn) -> Any:
    """An answer in form with one thing in it replaced by something else."""
    value = draw(from_schema(SCHEMA))
    place = draw(st.sampled_from(("", "answers", "claimed_actions", "done", "reason", "answer", "more")))
    junk = draw(json_values)
    if place == "":
        return junk
    if place in ("answers", "claimed_actions"):
        return value | {place: junk}
    if place == "done":
        return value | {"answers": value["answers"] | {"done": junk}}
    one = value["answers"]["clear"] | {place: junk}
    return value | {"answers": value["answers"] | {"clear": one}}


@given(spoilt())
def test_what_does_not_fit_is_refused(value: Any) -> None:
    read = read_answers(value, RUBRIC, TOOLS)
    assert bool(read.errors) == (not COMPILED.is_valid(value))
    assert not read.errors or not (read.answers or read.claimed_actions)


@pytest.mark.parametrize("member", ["score", "verdict", "passed"])
def test_the_model_cannot_give_the_score(member: str) -> None:
    first = answer()["answers"]["done"]
    for value in (
        answer() | {member: 1},
        answer() | {"answers": answer()["answers"] | {member: 1}},
        answer() | {"answers": answer()["answers"] | {"done": first | {member: 1}}},
    ):
        assert not COMPILED.is_valid(value)
        (error,) = read_answers(value, RUBRIC, TOOLS).errors
        assert error.loc[-1] == member


def test_the_score_is_the_weighted_mean() -> None:
    read = read_answers(answer(done="no", clear=2), RUBRIC, TOOLS)
    assert [one.score for one in read.answers] == [0.0, 1.0, 0.25, 1.0]
    assert rubric_score(RUBRIC, read.answers) == pytest.approx((0 * 3 + 1 + 0.25 + 1) / 6)
    assert rubric_passed(RUBRIC, read.answers) is False
    assert rubric_passed(RUBRIC, read_answers(answer(clear=1), RUBRIC, TOOLS).answers) is True


def test_a_reason_that_runs_on_is_cut_and_spoils_nothing() -> None:
    value = answer()
    value["answers"]["done"]["reason"] = "x" * 5000
    read = read_answers(value, RUBRIC, TOOLS)
    assert (read.errors, len(read.answers[0].reason)) == ([], LONGEST_REASON)


def test_claims_are_of_the_agents_own_tools_and_each_counts_once() -> None:
    claims = {"claimed_actions": ["refund", "refund", "get_order"]}
    assert read_answers(answer() | claims, RUBRIC, TOOLS).claimed_actions == ("refund", "get_order")
    (error,) = read_answers(answer() | {"claimed_actions": ["transfer"]}, RUBRIC, TOOLS).errors
    assert error.loc == ("claimed_actions", 0)


def test_without_tools_nothing_can_be_claimed() -> None:
    schema = answer_schema(RUBRIC, ())
    assert "claimed_actions" not in schema["properties"]
    value = {"answers": answer()["answers"]}
    assert read_answers(value, RUBRIC, ()).errors == []
    assert read_answers(value | {"claimed_actions": []}, RUBRIC, ()).errors


def test_every_part_of_the_form_is_bounded() -> None:
    def unbounded(schema: Any) -> bool:
        if schema.get("type") == "object":
            assert schema["additionalProperties"] is False
            return any(map(unbounded, schema["properties"].values()))
        if schema.get("type") == "array":
            return "maxItems" not in schema or unbounded(schema["items"])
        return "enum" not in schema and "maxLength" not in schema

    for rubric in (RUBRIC, COMPLETION, REFUSAL):
        assert not unbounded(answer_schema(rubric, TOOLS))

"""The form of a judge's answer: what it is asked for as a JSON Schema, and how what came is read.

The model answers questions; it is never asked for a score or a verdict, and an answer that brings one is refused.
"""

from collections.abc import Sequence
from typing import Any, NamedTuple

from odyssey.grading.judges.report import Answer
from odyssey.grading.judges.rubric import SCALE, Question, Rubric
from odyssey.records.faults import Faults, one_of, shown
from odyssey.records.problems import FieldError

LONGEST_REASON = 400

_YES_NO = {"yes": True, "no": False}
_MOST_FAULTS = 5


class ReadAnswers(NamedTuple):
    answers: tuple[Answer, ...]
    claimed_actions: tuple[str, ...]
    errors: list[FieldError]


def answer_schema(rubric: Rubric, tools: Sequence[str]) -> dict[str, Any]:
    """Describe the answer to these questions; every part is bounded, so that no model can run on for ever."""
    members: dict[str, Any] = {
        "answers": _object({question.id: _object(_answer_members(question)) for question in rubric})
    }
    if tools:
        members["claimed_actions"] = {
            "type": "array",
            "items": {"type": "string", "enum": list(tools)},
            "maxItems": len(tools),
        }
    return _object(members)


def read_answers(value: Any, rubric: Rubric, tools: Sequence[str]) -> ReadAnswers:
    """Read an answer and compute what it is worth, or say what is wrong with it."""
    faults = Faults(limit=_MOST_FAULTS)
    whole = _read_object(value, ("answers", "claimed_actions") if tools else ("answers",), faults)
    given = _read_object(whole.get("answers"), [question.id for question in rubric], faults.at("answers"))
    answers = [
        _read_answer(given[question.id], question, faults.at("answers", question.id))
        for question in rubric
        if question.id in given
    ]
    claimed = _read_claimed(whole.get("claimed_actions", []), tools, faults.at("claimed_actions"))
    if faults.found:
        return ReadAnswers((), (), faults.found)
    return ReadAnswers(tuple(answer for answer in answers if answer is not None), claimed, [])


def rubric_score(rubric: Rubric, answers: Sequence[Answer]) -> float:
    """The weighted mean of the answers' scores."""
    weights = [question.weight for question in rubric]
    weighted = sum(weight * answer.score for weight, answer in zip(weights, answers, strict=True))
    return weighted / sum(weights)


def rubric_passed(rubric: Rubric, answers: Sequence[Answer]) -> bool:
    return all(
        answer.passed or not question.required for question, answer in zip(rubric, answers, strict=True)
    )


def _object(members: dict[str, Any]) -> dict[str, Any]:
    return {
        "type": "object",
        "properties": members,
        "required": list(members),
        "additionalProperties": False,
    }


def _answer_members(question: Question) -> dict[str, Any]:
    """The reason comes first, so that the model finds it before it decides."""
    return {
        "reason": {"type": "string", "maxLength": LONGEST_REASON},
        "answer": (
            {"type": "integer", "enum": list(SCALE)}
            if question.kind == "scale"
            else {"type": "string", "enum": list(question.choices or _YES_NO)}
        ),
    }


def _read_object(value: Any, members: Sequence[str], faults: Faults) -> dict[str, Any]:
    if not isinstance(value, dict):
        faults.add(f"write an object with the members {one_of(members)}")
        return {}
    faults.unknown_members(value, members, "the answer")
    for name in members:
        if name not in value:
            faults.at(name).add(f"{name} is missing")
    return value


def _read_answer(value: Any, question: Question, faults: Faults) -> Answer | None:
    before = faults.count()
    given = _read_object(value, ("reason", "answer"), faults)
    if faults.count() > before:
        return None
    if not isinstance(given["reason"], str):
        faults.at("reason").add("write a text")
        return None
    answer = _read_choice(given["answer"], question, faults.at("answer"))
    if answer is None:
        return None
    return Answer(
        id=question.id,
        question=question.question,
        answer=answer,
        passed=question.passed(answer),
        score=question.score(answer),
        # A reason that runs on spoils no answer.
        reason=given["reason"][:LONGEST_REASON],
    )


def _read_choice(given: Any, question: Question, faults: Faults) -> bool | int | str | None:
    if question.kind == "scale":
        # 4.0 is the integer 4 to JSON Schema.
        if not isinstance(given, bool) and isinstance(given, int | float) and given in SCALE:
            return int(given)
        faults.add(f"write an integer from {SCALE[0]} to {SCALE[-1]}, not {shown(given)}")
        return None
    choices: Sequence[str] = question.choices or tuple(_YES_NO)
    if not isinstance(given, str) or given not in choices:
        faults.add(f"write {one_of(choices)}, not {shown(given)}")
        return None
    return given if question.kind == "choice" else _YES_NO[given]


def _read_claimed(given: Any, tools: Sequence[str], faults: Faults) -> tuple[str, ...]:
    if not isinstance(given, list):
        faults.add("write a list of tool names")
        return ()
    known = frozenset(tools)
    for index, name in enumerate(given):
        if not isinstance(name, str) or name not in known:
            faults.add(f"{shown(name)} is not one of the agent's tools", index)
    return tuple(dict.fromkeys(name for name in given if isinstance(name, str)))

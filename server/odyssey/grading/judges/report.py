"""What a judge says of a run: an answer to each question of a rubric, never a verdict of its own."""

from typing import Any, Literal

import msgspec

JUDGE_VERSION = "1"
"""Of the judge: its prompt, and how answers become scores."""

JudgeState = Literal["answered", "skipped", "failed"]


class Answer(msgspec.Struct, frozen=True):
    """The answer to one question of the rubric."""

    id: str
    question: str
    answer: Any
    """A boolean, a number from 1 to 5, or one of the choices."""
    passed: bool
    score: float
    """From 0 to 1."""
    reason: str


class JudgeReport(msgspec.Struct, frozen=True):
    state: JudgeState
    """`skipped`: not asked, as the checks had decided or the budget was used up. `failed`: no answer in form."""
    passed: bool | None = None
    """Whether every required question passed; None unless answered."""
    score: float | None = None
    """The weighted mean of the answers' scores, from 0 to 1; None unless answered."""
    answers: tuple[Answer, ...] = ()
    claimed_actions: tuple[str, ...] = ()
    """The declared tools whose work the final response says was done."""
    reason: str = ""
    provider: str | None = None
    model: str | None = None
    input_tokens: int = 0
    output_tokens: int = 0
    cost_usd: float = 0.0
    raw_answer: str | None = None
    """The text the model gave, as it came."""
    version: str = JUDGE_VERSION

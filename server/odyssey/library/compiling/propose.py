"""Having a model propose a program: asked, replayed, told what was wrong, and asked again."""

import asyncio
import math
from typing import Any, NamedTuple

from odyssey.core.errors import ConflictError, OdysseyError
from odyssey.library.compiling.bench import Bench
from odyssey.library.compiling.prompt import SCHEMA, build_prompt, choose_examples
from odyssey.library.compiling.replaying import Trial, failed, try_program
from odyssey.models.chat import (
    BudgetExhaustedError,
    ChatModel,
    Completion,
    ModelError,
    ModelUnavailableError,
    Prompt,
)
from odyssey.records.problems import FieldError

# Why no program could be proposed. What a proposed program gets wrong is no error: the report says it.
# 409 where asking again would come to the same, 503 where it may not.

_WAIT_S = 30
"""What is asked for where the model says nothing of when it is there again."""


class ModelNotSetError(ConflictError):
    code, title = "model_not_set", "There is no model to ask"

    def __init__(self) -> None:
        super().__init__(
            "The org has no simulator model; an admin can set models.simulator in the settings. "
            "A program written by hand is replayed without one."
        )


class OverBudgetError(ConflictError):
    code, title = "over_budget", "The budget of today is used up"


class ModelDeclinedError(ConflictError):
    code, title = "model_failed", "The model gave no answer"


class ModelAwayError(OdysseyError):
    """Not `retryable`: a question that timed out may have been paid for, so asking again is for a person to say."""

    status, code, title = 503, "model_unavailable", "The model is not available now"


def problem_of(error: ModelError) -> OdysseyError:
    """Say what a failure of the model is to whoever asked for a program."""
    if isinstance(error, BudgetExhaustedError):
        return OverBudgetError(error.message)
    if isinstance(error, ModelUnavailableError):
        wait = _WAIT_S if error.retry_after_s is None else math.ceil(error.retry_after_s)
        return ModelAwayError(error.message, retry_after_s=max(1, wait))
    return ModelDeclinedError(error.message)


class Proposal(NamedTuple):
    """All trials in their order, and what they took."""

    trials: list[Trial]
    shown: int = 0
    """How many of the recorded calls the model had seen when it wrote the last one."""
    model: str | None = None
    input_tokens: int = 0
    output_tokens: int = 0
    cost_usd: float = 0.0

    def best(self) -> Trial:
        """The one with most calls right; of equals the later one, which had read more of the faults."""
        ranked = sorted(self.trials, key=lambda trial: (trial.program is not None, trial.equal))
        return ranked[-1]


async def propose(
    model: ChatModel, bench: Bench, *, attempts: int, examples: int, accept_at: float
) -> Proposal:
    """Ask until a program is accepted or the attempts are used up.

    A model that gives no answer at first is a problem of the request; later it ends the attempts, and the report
    still says what the programs before got wrong.
    """
    proposal = Proposal([], model=model.model)
    shown = {id(call) for call in choose_examples(bench, examples)}
    last: tuple[Any, Trial] | None = None
    while len(proposal.trials) < attempts:
        prompt = await asyncio.to_thread(build_prompt, bench, examples=examples, last=last)
        try:
            completion = await _ask(model, prompt)
        except ModelError as error:
            if not proposal.trials:
                raise problem_of(error) from error
            return _with(proposal, failed(bench, FieldError(("model",), error.message)), error)
        trial = await asyncio.to_thread(_try, completion, bench)
        proposal = _with(proposal, trial, completion)._replace(shown=len(shown))
        if trial.is_accepted(accept_at):
            break
        shown |= {id(call) for call in trial.mismatched}
        last = (completion.value if completion.value is not None else completion.text, trial)
    return proposal


async def _ask(model: ChatModel, prompt: Prompt) -> Completion:
    return await model.complete(
        system=prompt.system, user=prompt.user, schema=SCHEMA, max_output_tokens=model.max_output_tokens
    )


def _try(completion: Completion, bench: Bench) -> Trial:
    if completion.value is None:
        return failed(bench, FieldError((), "the answer is not one JSON document"))
    return try_program(completion.value, bench)


def _with(proposal: Proposal, trial: Trial, taken: Completion | ModelError) -> Proposal:
    usage = taken if isinstance(taken, Completion) else taken.usage
    return proposal._replace(
        trials=[*proposal.trials, trial],
        input_tokens=proposal.input_tokens + (0 if usage is None else usage.input_tokens),
        output_tokens=proposal.output_tokens + (0 if usage is None else usage.output_tokens),
        cost_usd=proposal.cost_usd + taken.cost_usd,
    )

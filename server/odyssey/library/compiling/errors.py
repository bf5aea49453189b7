"""Why no program could be proposed. What a proposed program gets wrong is no error: the report says it.

ConflictError
├── ModelNotSetError         409 model_not_set
├── OverBudgetError          409 over_budget
└── ModelDeclinedError       409 model_failed: its answer would be the same again
ModelAwayError               503 model_unavailable: later it may be another
"""

import math

from odyssey.core.errors import ConflictError, OdysseyError
from odyssey.models.chat import BudgetExhaustedError, ModelError, ModelUnavailableError

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

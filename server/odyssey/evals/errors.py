"""What can be wrong with a variation, or with asking for eval runs."""

from collections.abc import Iterable
from typing import Self

from odyssey.core.errors import ConflictError, ValidationFailedError
from odyssey.records.faults import did_you_mean, shown
from odyssey.records.problems import FieldError

# What can be wrong with a variation.


class UnknownVariationError(ValidationFailedError):
    code, title = "unknown_variation", "There is no such variation"

    @classmethod
    def named(cls, name: str, known: Iterable[str]) -> Self:
        message = f"there is no variation {shown(name)}{did_you_mean(name, known)}"
        return cls([FieldError(loc=("variation_type",), msg=message)])


class VariationExistsError(ConflictError):
    code, title = "variation_exists", "The name is taken"

    def __init__(self, name: str) -> None:
        super().__init__(f"There is a variation {name!r} already; change that one, or choose another name.")


class TooManyVariationsError(ConflictError):
    code, title = "too_many_variations", "There are too many variations"

    def __init__(self, most: int) -> None:
        super().__init__(f"An organisation has at most {most} variations of its own; delete one first.")


# What can be wrong with asking for eval runs.


class AgentRequiredError(ValidationFailedError):
    code, title = "agent_required", "It is not clear which agent is meant"

    def __init__(self, message: str) -> None:
        super().__init__([FieldError(loc=("agent_id",), msg=message)])


# What can be wrong with comparing runs.


class DistanceChangedError(ConflictError):
    code, title = "distance_changed", "They were measured with different distances"

    @classmethod
    def of_run(cls, run_id: int) -> Self:
        return cls(
            f"Run {run_id} was observed with an earlier distance and cannot be compared with the present one; "
            "run it again."
        )

    @classmethod
    def of_matrices(cls, before: int, after: int) -> Self:
        return cls(
            f"One matrix was measured with version {before} of the distance, the other with version {after}, so "
            "their shifts do not mean the same; rerun the older one."
        )

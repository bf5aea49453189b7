"""What can be wrong with asking something of a matrix."""

from collections.abc import Sequence

from odyssey.core.errors import ConflictError


class ExperimentChangedError(ConflictError):
    code, title = "experiment_changed", "What the experiment is made of was edited"

    def __init__(self, changed: Sequence[str]) -> None:
        super().__init__(
            f"Since it was started: {'; '.join(changed)}. Runs from before and after cannot be compared: "
            "rerun the matrix, so that all of it goes by what there is now."
        )


class SelectionGoneError(ConflictError):
    code, title = "experiment_changed", "What the experiment is made of is no longer there"

    def __init__(self, gone: Sequence[str]) -> None:
        super().__init__(f"It cannot be run once more: {'; '.join(gone)}. Start a new matrix without that.")

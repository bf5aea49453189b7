"""What can be wrong with a review."""

from odyssey.core.errors import ConflictError


class VerdictGivenError(ConflictError):
    code, title = "verdict_given", "The item has its verdict"

    def __init__(self, verdict: str, reviewer: str) -> None:
        super().__init__(
            f"{reviewer} called this item {verdict} already, and a verdict is never changed. "
            "To have it looked at again, submit its run anew."
        )


class InReviewError(ConflictError):
    code, title = "in_review", "The run waits for its verdict already"

    def __init__(self, run_id: int, item_id: str | None = None) -> None:
        where = "" if item_id is None else f" as item {item_id}"
        super().__init__(f"Run {run_id} is in the queue already{where}; give that one its verdict.")

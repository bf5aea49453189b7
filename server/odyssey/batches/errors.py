"""What can be wrong with asking something of a batch."""

from odyssey.core.errors import ConflictError


class BatchEndedError(ConflictError):
    def __init__(self, batch_id: int, status: str) -> None:
        super().__init__(f"Batch {batch_id} has ended already ({status}).")

"""What can be wrong with asking for a cassette."""

from odyssey.core.errors import ConflictError


class CassetteInUseError(ConflictError):
    code, title = "in_use", "The cassette is being replayed"

    def __init__(self, users: str) -> None:
        super().__init__(
            f"{users} and needs this cassette; wait for the end or cancel it, then delete the cassette."
        )


class RunNotEndedError(ConflictError):
    code, title = "run_not_ended", "The run goes on"

    def __init__(self, run_id: int, status: str) -> None:
        super().__init__(f"Run {run_id} is {status}; it can be recorded once it has ended.")

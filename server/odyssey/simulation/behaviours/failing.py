"""How a call ends when its lines say so, or when they cannot be carried out."""

from typing import Any

from odyssey.simulation.engine import Answer, Reading


class BehaviourFailedError(Exception):
    """A line could not be carried out: a fault of the line, not a refusal of the tool."""

    def __init__(self, line: int, reason: str) -> None:
        super().__init__(f"line {line}: {reason}")
        self.line = line
        self.reason = reason


class UnsaidError(BehaviourFailedError):
    """Nothing in the call says which entity a line means. A line for all tools is not about such a call."""


class RefusedError(Exception):
    """The call is refused; nothing changes. Raised and caught inside the layer only."""

    def __init__(self, line: int, code: str, message: str) -> None:
        super().__init__(message)
        self.line = line
        self.response: dict[str, Any] = {"error": {"code": code, "message": message}}

    def answer(self, reading: Reading, confidence: float) -> Answer:
        return Answer(
            response=self.response,
            confidence=confidence,
            refused=True,
            explanation=f"{reading.in_words()}: refused by behaviour line {self.line}",
            reading=reading,
        )

"""What the proxy refuses, in the order in which it checks."""

from collections.abc import Mapping, Sequence
from typing import Any

from odyssey.core.errors import OdysseyError, ValidationFailedError


class RunTokenError(OdysseyError):
    status, title = 401, "The run token does not open this run"

    def __init__(self, detail: str) -> None:
        super().__init__(detail, headers={"WWW-Authenticate": "Bearer"})


class RunTokenInvalidError(RunTokenError):
    code = "run_token_invalid"

    def __init__(self) -> None:
        super().__init__(
            "Send the token of the dispatch as `Authorization: Bearer …`, to that run's proxy address."
        )


class RunTokenExpiredError(RunTokenError):
    code = "run_token_expired"

    def __init__(self) -> None:
        super().__init__("The run's time is over, and so is its token's.")


class RunTokenRevokedError(RunTokenError):
    code = "run_token_revoked"

    def __init__(self) -> None:
        super().__init__("The run has ended, was cancelled, or has a newer attempt.")


class RateLimitedError(OdysseyError):
    status, code, title, retryable = 429, "rate_limited", "Too many tool calls", True

    def __init__(self, limit: int, retry_after_s: int) -> None:
        super().__init__(
            f"More than {limit} tool calls in 60 seconds; wait {retry_after_s} s.",
            retry_after_s=retry_after_s,
        )


class ActorIdInvalidError(OdysseyError):
    status, code, title = 400, "actor_id_invalid", "The actor label is malformed"

    def __init__(self) -> None:
        super().__init__(
            "X-Pipelines-Actor-Id is one to eight names joined by '/', each of 1 to 64 letters, digits, _ . or -"
        )


class TraceEventTypeInvalidError(OdysseyError):
    status, code, title = 400, "trace_event_type_invalid", "No such type of trace event"

    def __init__(self, given: str, known: Sequence[str]) -> None:
        super().__init__(f"{given[:64]!r} is not a trace event; the types are {', '.join(known)}.")


class NotAcceptableError(OdysseyError):
    status, code, title = 406, "not_acceptable", "The client does not accept what would be sent"

    def __init__(self) -> None:
        super().__init__("Send `Accept: application/json, text/event-stream`, as MCP asks of its clients.")


class ToolUnknownError(OdysseyError):
    status, code, title = 404, "tool_unknown", "No such tool"

    def __init__(self, name: str) -> None:
        super().__init__(f"The agent declares no tool {name[:128]!r}; its tools_schema lists the names.")


class ArgumentsInvalidError(ValidationFailedError):
    code, title = "arguments_invalid", "The arguments do not fit the tool's input_schema"


class SimulatorError(OdysseyError):
    """The model that answers for a tool answers nobody just now; `evidence` is what the trace keeps of that."""

    retryable = True

    def __init__(self, detail: str, retry_after_s: int, evidence: Mapping[str, Any]) -> None:
        super().__init__(detail, retry_after_s=retry_after_s)
        self.evidence = evidence


class SimulatorUnavailableError(SimulatorError):
    status, code, title = 503, "simulator_unavailable", "The model that answers for the tool is not available"


class SimulatorTimeoutError(SimulatorError):
    status, code, title = 504, "simulator_timeout", "The model that answers for the tool took too long"


class AnswerUnrecordedError(OdysseyError):
    """Never retryable: the call went out, and the journal says so."""

    status, code, title = 500, "answer_unrecorded", "The answer of a live service could not be recorded"

    def __init__(self) -> None:
        super().__init__(
            "The call was forwarded, but the database refused its answer. It may have had an effect."
        )

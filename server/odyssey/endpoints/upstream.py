"""What stands behind a passthrough tool: somebody else's service, asked at most once per accepted call."""

from typing import Any, Literal, NamedTuple, Protocol

import msgspec

MAX_RESPONSE_BYTES = 1024 * 1024
CALL_TIMEOUT_S = 60.0
DISCOVERY_TIMEOUT_S = 30.0

Delivered = Literal["not_sent", "unknown"]
"""Whether a call that brought no answer may have had an effect."""


class UpstreamTool(msgspec.Struct, frozen=True, omit_defaults=True):
    """One tool as an endpoint declares it; the stored list of an endpoint is made of these."""

    name: str
    input_schema: dict[str, Any]
    description: str = ""
    output_schema: dict[str, Any] | None = None
    read_only: bool = False
    """A GET or HEAD operation, or an MCP tool with `readOnlyHint`."""
    method: str | None = None
    """Of an OpenAPI operation."""
    path: str | None = None


class Discovery(NamedTuple):
    tools: tuple[UpstreamTool, ...]
    notes: tuple[str, ...] = ()
    """What could not be offered as a tool, and why."""


class Answered(NamedTuple):
    """The service answered, whatever it said."""

    response: Any
    """Decoded: an object or a list where the answer is JSON of that kind, otherwise its text."""
    status: int | None = None
    """Of HTTP; None for MCP."""
    is_error: bool = False
    """A 4xx, or an MCP result that says so of itself."""


class NotAnswered(NamedTuple):
    """The hop failed; `message` is for people and holds no secret."""

    code: str
    message: str
    outcome: Delivered
    status: int | None = None

    def response(self) -> dict[str, Any]:
        return {"error": {"code": self.code, "message": self.message, "outcome": self.outcome}}


Forwarded = Answered | NotAnswered


class DiscoveryFailedError(Exception):
    """The tools of an endpoint cannot be listed; the message says why and what to do, and holds no secret."""

    def __init__(self, code: str, message: str) -> None:
        super().__init__(message)
        self.code = code
        self.message = message


class Upstream(Protocol):
    """One endpoint, ready to be asked."""

    async def discover(self) -> Discovery:
        """List its tools, or raise DiscoveryFailedError."""
        ...

    async def call(self, tool_name: str, arguments: dict[str, Any], *, session: str) -> Forwarded:
        """Forward one call, at most once, within CALL_TIMEOUT_S; never raises but CancelledError.

        Calls of one `session` (a run's attempt) may share what the service keeps for a client.
        """
        ...

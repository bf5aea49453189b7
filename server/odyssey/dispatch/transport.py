"""How a dispatch reaches an agent, whatever the agent's mode."""

from dataclasses import dataclass, field
from typing import Protocol

from odyssey.dispatch.classify import Failure
from odyssey.dispatch.envelope import Dispatch
from odyssey.dispatch.reply import AgentReply
from odyssey.records.error_classes import ErrorClass


@dataclass(frozen=True, slots=True)
class PingTarget:
    endpoint_url: str
    auth_header: tuple[str, str] | None = field(default=None, repr=False)


@dataclass(frozen=True, slots=True)
class PingResult:
    ok: bool
    status: int | None
    """None when no HTTP answer came."""
    latency_ms: int
    detail: str
    error_class: ErrorClass | None = None
    """Why it is not ok, in the words of a failed dispatch."""


class Transport(Protocol):
    async def dispatch(self, dispatch: Dispatch) -> AgentReply | Failure:
        """Send one attempt, once, and wait for its end; cancelling the caller breaks it off."""
        ...

    async def ping(self, target: PingTarget) -> PingResult:
        """Ask the endpoint whether it is there and takes the auth header."""
        ...

"""One message on its way through the SDK, and what became of it there."""

from contextvars import ContextVar

from odyssey.core.errors import OdysseyError
from odyssey.proxy.live_runs import LiveRun
from odyssey.proxy.mcp.messages import Message
from odyssey.proxy.parts import Arrived, ProxyParts
from odyssey.simulation.rules import FaultName


class Exchange:
    """The SDK's handlers know only names and arguments: whose call it is, they find here."""

    __slots__ = ("arrived", "failure", "fault", "message", "parts", "refusal", "run", "was_called")

    def __init__(self, parts: ProxyParts, run: LiveRun, arrived: Arrived, message: Message) -> None:
        self.parts = parts
        self.run = run
        self.arrived = arrived
        self.message = message
        self.was_called = False
        """A tool call came so far that the proxy has recorded it."""
        self.refusal: OdysseyError | None = None
        self.failure: Exception | None = None
        self.fault: FaultName | None = None

    async def read_arguments(self) -> bytes:
        return self.message.arguments


CURRENT: ContextVar[Exchange] = ContextVar("exchange of an MCP client")

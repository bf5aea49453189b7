"""What a call would be taken for, where no engine answered it: a failure rule did, or its answer was thrown away."""

from odyssey.simulation.engine import ToolCall
from odyssey.simulation.world.engine import WorldEngine
from odyssey.worlds.ledger import Ledger


def operation_of(call: ToolCall, world: Ledger) -> str | None:
    """The operation of the world engine's reading: `read`, `create`, …; nothing becomes of its answer."""
    reading = WorldEngine().answer(call, world).reading
    return None if reading is None else reading.operation

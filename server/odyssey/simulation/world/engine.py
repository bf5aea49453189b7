"""The world engine: understand the call, then read the world or propose a change to it."""

from collections.abc import Callable

from odyssey.simulation.engine import Answer, EngineName, ToolCall
from odyssey.simulation.world.answer import Question, not_understood
from odyssey.simulation.world.meaning import Verb, understand
from odyssey.simulation.world.reads import list_entities, read
from odyssey.simulation.world.writes import create, remove, update
from odyssey.worlds.ledger import Ledger

_ACTS: dict[Verb, Callable[[Question], Answer]] = {
    "read": read,
    "list": list_entities,
    "create": create,
    "update": update,
    "remove": remove,
}


class WorldEngine:
    """Knows no domain: everything it says comes from the tool's schema, the call and the ledger."""

    name: EngineName = "world"

    def answer(self, call: ToolCall, world: Ledger) -> Answer:
        intent = understand(call, world)
        act = _ACTS.get(intent.verb)
        if act is None or intent.kind is None:
            return not_understood(call, f"{call.tool.name} names no act on a type of entity this world knows")
        return act(Question(call, intent, intent.kind))

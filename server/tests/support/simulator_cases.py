"""An answer of a simulator in a small world, and what a careful person says of it."""

from typing import Any, Literal, NamedTuple

import msgspec
from support.fault_worlds import FaultWorld

from odyssey.records.ledger import Operation, Update
from odyssey.simulation.engine import Answer, Reading, ToolCall
from odyssey.simulation.llm.form import is_refusal
from odyssey.simulation.world.engine import WorldEngine

By = Literal["model", "engine", "program"]


class Spot(NamedTuple):
    """Where the contradiction is. An id or field that is None may be anything: a careful person could name several."""

    entity_type: str
    id: str | None = None
    field: str | None = None


class Case(NamedTuple):
    name: str
    world: FaultWorld
    tool: str
    arguments: dict[str, Any]
    response: Any
    operations: tuple[Operation, ...] = ()
    spot: Spot | None = None
    """None: a careful person finds nothing wrong."""
    by: By = "model"
    not_reached: str = ""
    """Why the checker does not name the spot; empty where it must."""

    @property
    def call(self) -> ToolCall:
        return self.world.call(self.tool, self.arguments)

    def answer(self) -> Answer:
        """As a model says it, without a reading; or with the reading of the world engine or of a program."""
        if self.by == "model":
            return Answer(self.response, self.operations, 0.7, is_refusal(self.response))
        read = WorldEngine().answer(self.call, self.world.ledger())
        assert read.reading is not None, self.name
        assert read.certainty > 0.3, (self.name, "is not understood by the world engine")
        certainty = 1.0 if self.by == "program" else read.certainty
        refused = is_refusal(self.response)
        return msgspec.structs.replace(
            read,
            response=self.response,
            operations=self.operations,
            certainty=certainty,
            refused=refused,
            reading=_read_by_program(self.operations) if self.by == "program" else read.reading,
        )


def _read_by_program(operations: tuple[Operation, ...]) -> Reading:
    first = next((each for each in operations if isinstance(each, Update)), None)
    return Reading("read") if first is None else Reading("update", first.entity_type, tuple(first.fields))


def fault(
    name: str,
    world: FaultWorld,
    tool: str,
    arguments: dict[str, Any],
    response: Any,
    *operations: Operation,
    at: Spot,
    by: By = "model",
    not_reached: str = "",
) -> Case:
    return Case(name, world, tool, arguments, response, operations, at, by, not_reached)


def fine(
    name: str,
    world: FaultWorld,
    tool: str,
    arguments: dict[str, Any],
    response: Any,
    *operations: Operation,
    by: By = "model",
) -> Case:
    return Case(name, world, tool, arguments, response, operations, None, by)


def not_found(message: str) -> dict[str, Any]:
    return {"error": {"code": "not_found", "message": message}}


def entities(world: FaultWorld, entity_type: str, *ids: str) -> list[dict[str, Any]]:
    return [world.state[entity_type][each] for each in ids]

"""An org whose simulator is a model by script, and questions to ask it without a run around them."""

from dataclasses import replace
from typing import Any, NamedTuple

from sqlalchemy import select
from support.model_server import ModelServer
from support.platform import Org

from odyssey.models.models import ModelCall
from odyssey.models.roles import ModelParts
from odyssey.records.json_schema import compile_schema
from odyssey.records.ledger import ConsistencyMode
from odyssey.records.tools import LedgerSchema, Tool
from odyssey.simulation.engine import ToolCall
from odyssey.simulation.llm import LlmEngine, ModelQuestion
from odyssey.simulation.simulate import SimulationResult
from odyssey.worlds.ledger import Ledger

KEY = "sk-canary-of-the-simulator-wxyz"
STATE: dict[str, Any] = {
    "order": {
        "o1": {"order_id": "o1", "status": "open", "total": 40, "user_id": "u1"},
        "o2": {"order_id": "o2", "status": "shipped", "total": 7, "user_id": "u2"},
    },
    "user": {"u1": {"user_id": "u1", "name": "Ada"}, "u2": {"user_id": "u2", "name": "Ben"}},
}
ORDER: dict[str, Any] = {
    "type": "object",
    "properties": {"order_id": {"type": "string"}, "status": {"type": "string"}},
    "required": ["order_id", "status"],
}
ONE_ORDER: dict[str, Any] = {
    "type": "object",
    "properties": {"order_id": {"type": "string"}},
    "required": ["order_id"],
}
REFUND = Tool("refund_order", ONE_ORDER, "Gives the money of an order back.", ORDER)
READ = Tool("get_order", ONE_ORDER, "Reads one order.", ORDER)
REFUNDED: dict[str, Any] = {
    "response": {"order_id": "o1", "status": "refunded"},
    "operations": [{"op": "update", "entity_type": "order", "id": "o1", "fields": {"status": "refunded"}}],
}
"""What a good model answers to the refund of o1."""


class Desk(NamedTuple):
    org: Org
    org_id: int
    engine: LlmEngine
    waits: list[float]

    @classmethod
    def of(cls, org: Org) -> "Desk":
        waits: list[float] = []

        async def sleep(seconds: float) -> None:
            waits.append(seconds)

        parts = replace(org.platform.part(ModelParts), sleep=sleep)
        return cls(org, org.ok(org.get("/api/org"))["id"], LlmEngine(parts), waits)

    def set(self, server: ModelServer, *, budgets: Any = None, **members: Any) -> None:
        body = server.settings(role="simulator", api_key=KEY, **members)
        self.org.ok(self.org.put("/api/settings", body | ({"budgets": budgets} if budgets else {})))

    def ask(self, question: ModelQuestion) -> SimulationResult:
        return self.org.platform.do(self.engine.answer(question))

    def refund(self, mode: ConsistencyMode = "warn", **members: Any) -> SimulationResult:
        """Ask for the refund of o1."""
        return self.ask(self.question_of_refund(mode)._replace(**members))

    def question_of_refund(self, mode: ConsistencyMode = "warn") -> ModelQuestion:
        return self.question(REFUND, {"order_id": "o1"}, mode=mode)

    def question(
        self,
        tool: Tool,
        arguments: dict[str, Any],
        *,
        state: Any = STATE,
        mode: ConsistencyMode = "warn",
        schema: LedgerSchema | None = None,
    ) -> ModelQuestion:
        call = ToolCall(tool, arguments, schema, random_seed=1, sequence=5)
        output = None if tool.output_schema is None else compile_schema(tool.output_schema)
        return ModelQuestion(call, Ledger.boot(state), output, mode, "", self.org_id, run_id=7)

    def calls(self) -> list[ModelCall]:
        async def read() -> list[ModelCall]:
            async with self.org.platform.database.read() as session:
                mine = select(ModelCall).where(ModelCall.org_id == self.org_id).order_by(ModelCall.id)
                return list(await session.scalars(mine))

        return self.org.platform.do(read())


def failure(simulated: SimulationResult) -> str:
    """Why there was no answer; nothing may have happened then."""
    assert simulated.source == "error"
    assert (simulated.validation, simulated.operations, simulated.applied) == (None, (), None)
    assert simulated.response["error"]["code"] == "simulation_failed"
    message: str = simulated.response["error"]["message"]
    assert KEY not in message
    return message

from typing import Any

import pytest

from odyssey.records.json_schema import compile_schema
from odyssey.records.ledger import Add, Update
from odyssey.records.tools import EntityField, EntityType, LedgerSchema, Tool
from odyssey.simulation.engine import Answer, EngineName, ToolCall
from odyssey.simulation.simulate import simulate
from odyssey.simulation.world.engine import WorldEngine
from odyssey.worlds.ledger import Ledger

WORLD = Ledger.boot({"order": {"o1": {"order_id": "o1", "status": "open"}}})
SCHEMA = LedgerSchema([EntityType("order", "order_id", fields=[EntityField("status", "string", ["open"])])])
OUTPUT = compile_schema({"type": "object", "required": ["ok"]})
CALL = ToolCall(Tool("touch", {"type": "object"}), {}, SCHEMA, random_seed=1, sequence=9)


class Scripted:
    """Gives its answers in turn and counts how often it was asked."""

    name: EngineName = "llm"

    def __init__(self, *answers: Answer) -> None:
        self.answers = answers
        self.asked = 0

    def answer(self, call: ToolCall, world: Ledger) -> Answer:
        self.asked += 1
        return self.answers[min(self.asked, len(self.answers)) - 1]


def test_a_valid_answer_is_applied_and_described() -> None:
    engine = Scripted(
        Answer(
            {"ok": 1}, (Update("order", "o1", {"status": "open", "n": 1}),), certainty=0.7, evidence="model"
        )
    )
    result = simulate(engine, CALL, WORLD, OUTPUT, "warn")
    assert result.source == "odyssey"
    assert result.response == {"ok": 1}
    assert result.validation == {
        "valid": True,
        "schema": "output_schema",
        "attempts": 1,
        "errors": [],
        "engine": "llm",
        "confidence": 0.7,
        "evidence": "model",
    }
    assert result.applied is not None
    assert result.applied.ledger.entity("order", "o1") == {"order_id": "o1", "status": "open", "n": 1}
    assert len(result.applied.entries) == 1
    assert result.violations == ()


def test_without_a_schema_nothing_is_checked() -> None:
    result = simulate(Scripted(Answer("anything")), CALL, WORLD, None, "warn")
    assert result.validation is not None
    assert result.validation["schema"] == "none"


def test_a_refusal_is_an_answer_that_is_not_checked() -> None:
    refusal = {"error": {"code": "not_found", "message": "No."}}
    result = simulate(Scripted(Answer(refusal, refused=True)), CALL, WORLD, OUTPUT, "strict")
    assert (result.source, result.response) == ("odyssey", refusal)
    assert result.validation is not None
    assert result.validation["schema"] == "none"


def test_an_invalid_answer_is_an_error_and_nothing_happens() -> None:
    engine = Scripted(Answer({}, (Add("order", "o2", {}),)))
    result = simulate(engine, CALL, WORLD, OUTPUT, "off")
    assert result.source == "error"
    assert result.response["error"]["code"] == "simulation_failed"
    assert "after 1 attempt, does not fit output_schema" in result.response["error"]["message"]
    assert (result.validation, result.operations, result.applied, result.violations) == (None, (), None, ())
    assert engine.asked == 1


@pytest.mark.parametrize(
    ("operation", "kind"),
    [
        (Add("order", "o1", {"n": 1}), "add_existing"),
        (Update("order", "o1", {"status": "lost"}), "outside_enum"),
        (Add("user", "u1", {}), "undeclared_type"),
    ],
)
def test_violations_are_recorded_refused_or_ignored_by_mode(operation: Any, kind: str) -> None:
    engine = Scripted(Answer({}, (operation,)))
    warned = simulate(engine, CALL, WORLD, None, "warn")
    assert [(each.kind, each.sequence) for each in warned.violations] == [(kind, 9)]
    assert warned.source == "odyssey"
    assert warned.applied is not None
    assert warned.applied.ledger != WORLD

    strict = simulate(engine, CALL, WORLD, None, "strict")
    assert strict.source == "error"
    assert strict.violations == warned.violations
    assert (strict.operations, strict.applied, strict.validation) == ((), None, None)
    assert "contradicts the world" in strict.response["error"]["message"]

    off = simulate(engine, CALL, WORLD, None, "off")
    assert (off.source, off.violations) == ("odyssey", ())
    assert off.applied is not None
    assert off.applied.ledger == warned.applied.ledger


def test_the_world_engine_stands_behind_the_same_seam() -> None:
    tool = Tool(
        "get_order",
        {"type": "object", "properties": {"order_id": {"type": "string"}}, "required": ["order_id"]},
        output_schema={"type": "object", "required": ["order_id"]},
    )
    call = ToolCall(tool, {"order_id": "o1"}, None, random_seed=1, sequence=1)
    result = simulate(WorldEngine(), call, WORLD, compile_schema(tool.output_schema), "strict")
    assert result.response == {"order_id": "o1", "status": "open"}
    assert result.validation is not None
    assert result.validation["engine"] == "world"

"""One simulated call: ask the engine, check what it says, and let the world take what it proposes."""

from collections.abc import Sequence
from typing import Any, Literal, NamedTuple

from odyssey.records.json_schema import CompiledSchema
from odyssey.records.ledger import ConsistencyMode, Operation, Violation
from odyssey.records.problems import FieldError
from odyssey.simulation.consistency import MAX_VIOLATIONS, check_answer
from odyssey.simulation.engine import Answer, Engine, Reading, ToolCall
from odyssey.worlds.ledger import Ledger
from odyssey.worlds.operations import Applied
from odyssey.worlds.schema import apply_declared

MAX_ATTEMPTS = 3


class Simulated(NamedTuple):
    """What the agent is told and what became of the world. With source `error` nothing was applied."""

    source: Literal["odyssey", "error"]
    response: Any
    validation: dict[str, Any] | None
    """Present for source `odyssey` only."""
    operations: tuple[Operation, ...]
    applied: Applied | None
    violations: tuple[Violation, ...]
    reading: Reading | None
    """What the engine took the call for, also when its answer was not accepted."""
    explanation: str


class _Attempt(NamedTuple):
    answer: Answer
    errors: Sequence[FieldError]
    applied: Applied
    violations: tuple[Violation, ...]

    def is_accepted(self, mode: ConsistencyMode) -> bool:
        return not self.errors and not (mode == "strict" and self.violations)


def simulate(
    engine: Engine, call: ToolCall, world: Ledger, output_schema: CompiledSchema | None, mode: ConsistencyMode
) -> Simulated:
    """Answer one call. Only an engine that says `retries = True` is asked again: others repeat themselves."""
    attempts = MAX_ATTEMPTS if getattr(engine, "retries", False) else 1
    attempt = _try(engine, call, world, output_schema, mode)
    asked = 1
    while asked < attempts and not attempt.is_accepted(mode):
        attempt = _try(engine, call, world, output_schema, mode)
        asked += 1
    if not attempt.is_accepted(mode):
        return _failed(attempt, asked)
    answer = attempt.answer
    checked = output_schema is not None and not answer.refused
    validation: dict[str, Any] = {
        "valid": True,
        "schema": "output_schema" if checked else "none",
        "attempts": asked,
        "errors": [],
        "engine": engine.name,
        "confidence": answer.confidence,
    }
    return Simulated(
        "odyssey",
        answer.response,
        validation,
        answer.operations,
        attempt.applied,
        attempt.violations,
        answer.reading,
        answer.explanation,
    )


def _try(
    engine: Engine, call: ToolCall, world: Ledger, output_schema: CompiledSchema | None, mode: ConsistencyMode
) -> _Attempt:
    answer = engine.answer(call, world)
    errors = [] if output_schema is None or answer.refused else output_schema.errors(answer.response)
    applied = apply_declared(world, answer.operations, mode, call.ledger_schema, sequence=call.sequence)
    violations = applied.violations
    if mode != "off" and not applied.refused:
        violations += tuple(check_answer(call, answer, world, applied.ledger))
    return _Attempt(answer, errors, applied, violations[:MAX_VIOLATIONS])


def _failed(attempt: _Attempt, asked: int) -> Simulated:
    attempts = f"{asked} attempt{'s' if asked > 1 else ''}"
    violations = () if attempt.errors else attempt.violations
    if attempt.errors:
        problem = f"does not fit output_schema: {_in_words(attempt.errors[0])}"
    else:
        problem = f"contradicts the world: {violations[0].message}"
    message = f"The simulated answer, after {attempts}, {problem}."
    response = {"error": {"code": "simulation_failed", "message": message}}
    answer = attempt.answer
    return Simulated("error", response, None, (), None, violations, answer.reading, answer.explanation)


def _in_words(error: FieldError) -> str:
    path = ".".join(str(step) for step in error.loc)
    return f"{path}: {error.msg}" if path else error.msg

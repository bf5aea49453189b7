"""One simulated call: what an engine says is checked, and the world takes what it proposes, or nothing."""

from collections.abc import Sequence
from typing import Any, Literal, NamedTuple

import msgspec

from odyssey.models.chat import Absence
from odyssey.records.json_schema import CompiledSchema
from odyssey.records.ledger import ConsistencyMode, Operation, Violation
from odyssey.records.problems import FieldError
from odyssey.records.tools import Tool
from odyssey.simulation.calibration import confidence_of
from odyssey.simulation.consistency import MAX_VIOLATIONS, check_answer
from odyssey.simulation.engine import Answer, Engine, EngineName, Reading, ToolCall
from odyssey.simulation.world.answer import NOT_UNDERSTOOD
from odyssey.worlds.ledger import Ledger
from odyssey.worlds.operations import ApplyResult
from odyssey.worlds.schema import apply_declared


class ModelUse(msgspec.Struct, frozen=True, omit_defaults=True):
    """What a model had to do with an answer; the trace keeps it."""

    provider: str
    model: str
    attempts: int
    input_tokens: int
    output_tokens: int
    cost_usd: float
    latency_ms: int
    cached: bool
    error: str | None = None
    """Why it gave no answer: for the org's people, since it may name addresses that are no agent's business."""


class Outage(NamedTuple):
    """A model that answers nobody just now, whatever it is asked."""

    absence: Absence
    own_share: float
    """Of what ran short, how much the run that asked has used itself, 0 to 1."""
    retry_after_s: float | None = None
    """What the model's server asked for."""


class SimulationResult(NamedTuple):
    """What the agent is told and what became of the world. With source `error` nothing was applied."""

    source: Literal["odyssey", "error"]
    response: Any
    validation: dict[str, Any] | None
    """Present for source `odyssey` only."""
    operations: tuple[Operation, ...] = ()
    applied: ApplyResult | None = None
    violations: tuple[Violation, ...] = ()
    reading: Reading | None = None
    """What the engine took the call for, also when its answer was not accepted."""
    explanation: str = ""
    model: ModelUse | None = None
    outage: Outage | None = None
    """Why there is no answer, where nobody would have got one: then it says nothing of the world."""


class Attempt(NamedTuple):
    """An answer, held against its schema and the world."""

    answer: Answer
    errors: Sequence[FieldError]
    applied: ApplyResult
    violations: tuple[Violation, ...]

    def is_accepted(self, mode: ConsistencyMode) -> bool:
        return not self.errors and not (mode == "strict" and self.violations)


def simulate(
    engine: Engine, call: ToolCall, world: Ledger, output_schema: CompiledSchema | None, mode: ConsistencyMode
) -> SimulationResult:
    """Answer one call by one engine."""
    return conclude(engine.name, engine.answer(call, world), call, world, output_schema, mode)


def conclude(
    engine: EngineName,
    answer: Answer,
    call: ToolCall,
    world: Ledger,
    output_schema: CompiledSchema | None,
    mode: ConsistencyMode,
    confidence: float | None = None,
) -> SimulationResult:
    """Take an answer that asking again would not change, by default as sure as answers like it are right."""
    attempt = check_attempt(call, answer, world, output_schema, mode)
    if not attempt.is_accepted(mode):
        return fail(attempt, 1)
    sure = confidence_of(answer, call) if confidence is None else confidence
    return accept(attempt, engine, 1, output_schema, sure)


def check_attempt(
    call: ToolCall,
    answer: Answer,
    world: Ledger,
    output_schema: CompiledSchema | None,
    mode: ConsistencyMode,
) -> Attempt:
    """Find all that speaks against an answer; the world stays as it is."""
    errors = [] if output_schema is None or answer.refused else output_schema.errors(answer.response)
    applied = apply_declared(world, answer.operations, mode, call.ledger_schema, sequence=call.sequence)
    violations = applied.violations
    if mode != "off" and not applied.refused:
        violations += tuple(check_answer(call, answer, world, applied.ledger))
    return Attempt(answer, errors, applied, violations[:MAX_VIOLATIONS])


def accept(
    attempt: Attempt,
    engine: EngineName,
    asked: int,
    output_schema: CompiledSchema | None,
    confidence: float,
    model: ModelUse | None = None,
) -> SimulationResult:
    answer = attempt.answer
    checked = output_schema is not None and not answer.refused
    validation: dict[str, Any] = {
        "valid": True,
        "schema": "output_schema" if checked else "none",
        "attempts": asked,
        "errors": [],
        "engine": engine,
        "confidence": confidence,
        "evidence": answer.evidence,
    }
    return SimulationResult(
        "odyssey",
        answer.response,
        validation,
        answer.operations,
        attempt.applied,
        attempt.violations,
        answer.reading,
        answer.explanation,
        model,
    )


def fail(attempt: Attempt, asked: int, model: ModelUse | None = None) -> SimulationResult:
    """Say why the last attempt was not accepted."""
    attempts = f"{asked} attempt{'s' if asked > 1 else ''}"
    violations = () if attempt.errors else attempt.violations
    if attempt.errors:
        problem = f"does not fit output_schema: {_in_words(attempt.errors[0])}"
    else:
        problem = f"contradicts the world: {violations[0].message}"
    answer = attempt.answer
    return fail_with(f"The simulated answer, after {attempts}, {problem}.", model)._replace(
        violations=violations, reading=answer.reading, explanation=answer.explanation
    )


def fail_with(message: str, model: ModelUse | None = None) -> SimulationResult:
    """Say that there is no answer, and why."""
    response = {"error": {"code": "simulation_failed", "message": message}}
    return SimulationResult("error", response, None, model=model)


def refuse_unknown(call: ToolCall, answer: Answer) -> SimulationResult:
    """Say that no engine understands the tool, and what would help: nothing that looks like data is made up."""
    why = answer.explanation.removeprefix(f"{NOT_UNDERSTOOD}: ")
    response = {
        "error": {
            "code": "not_simulated",
            "message": f"This call is not simulated: {why}.",
            "help": what_helps(call.tool),
        }
    }
    return SimulationResult("error", response, None, reading=answer.reading, explanation=answer.explanation)


def what_helps(tool: Tool) -> list[str]:
    """Name what would let a tool be simulated, the cheapest first."""
    helps = [f"Write a line of behaviour for {tool.name} that says what it returns and changes."]
    if tool.output_schema is None:
        helps.append(f"Give {tool.name} an output_schema.")
    return [*helps, "Set a simulator model (Settings, models.simulator): it answers what the world does not."]


def _in_words(error: FieldError) -> str:
    path = ".".join(str(step) for step in error.loc)
    return f"{path}: {error.msg}" if path else error.msg

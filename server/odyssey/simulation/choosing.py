"""Which engine answers a call: the one that was asked for, or the first that knows an answer.

A model takes seconds, so asking one is left to whoever can wait (`ModelNeeded`); everything else is decided here.
"""

from collections.abc import Mapping
from typing import Literal, NamedTuple

from odyssey.records.json_schema import CompiledSchema
from odyssey.records.ledger import ConsistencyMode
from odyssey.simulation.behaviours import BehaviourFailedError, Behaviours, with_behaviours
from odyssey.simulation.calibration import confidence_of, confidence_of_any
from odyssey.simulation.engine import Answer, Engine, EngineChoice, EngineName, Reading, ToolCall
from odyssey.simulation.programs import Program, ProgramEngine, ProgramFailedError
from odyssey.simulation.simulate import SimulationResult, conclude, fail_with, refuse_unknown
from odyssey.simulation.world.answer import refuse
from odyssey.simulation.world.engine import WorldEngine
from odyssey.worlds.ledger import Ledger

ASK_MODEL_ABOVE = 0.2
"""A model is asked, where there is one, when the world is expected to be wrong more often than this."""

_WORLD = WorldEngine()


UnknownTools = Literal["error", "empty"]
"""What a call gets that no engine understands: an error that says so, or the smallest answer the tool allows."""


class Manner(NamedTuple):
    """How the tools of a run are simulated."""

    programs: Mapping[str, Program]
    behaviours: Behaviours
    engine: EngineChoice = "auto"
    engines: Mapping[str, EngineChoice] = {}
    unknown_tools: UnknownTools = "error"
    ask_model_above: float = ASK_MODEL_ABOVE

    def choice(self, tool: str) -> EngineChoice:
        return self.engines.get(tool, self.engine)

    @property
    def uses_calls(self) -> bool:
        """Whether anything looks at earlier calls; if nothing does, nobody needs to remember them."""
        return self.behaviours.uses_calls or any(each.uses_calls for each in self.programs.values())


class ModelNeeded(NamedTuple):
    """A model is to answer."""

    otherwise: SimulationResult | None
    """The world's own answer, for where no model is set; None where a model was asked for by name."""


def decide(
    call: ToolCall, world: Ledger, output_schema: CompiledSchema | None, mode: ConsistencyMode, manner: Manner
) -> SimulationResult | ModelNeeded:
    """Answer a call as far as that takes no model."""
    choice = manner.choice(call.tool.name)
    if choice == "llm":
        return ModelNeeded(None)
    try:
        engine, answer = _ask(choice, call, world, manner)
    except (ProgramFailedError, BehaviourFailedError) as error:
        return fail_with(_failure(call, error))
    if manner.unknown_tools == "error":
        answer = _callers_fault(call, answer) or answer
    confidence = confidence_of(answer, call)
    if engine != "program" and manner.behaviours.is_unclear(call.tool.name):
        confidence = min(confidence, confidence_of_any())
    if answer.is_understood or manner.unknown_tools == "empty":
        simulated = conclude(engine, answer, call, world, output_schema, mode, confidence)
    else:
        simulated = refuse_unknown(call, answer)
    is_sure = engine == "program" or 1 - confidence <= manner.ask_model_above
    return ModelNeeded(simulated) if choice == "auto" and not is_sure else simulated


def _callers_fault(call: ToolCall, answer: Answer) -> Answer | None:
    """Refuse a call that says nothing because of what the agent gave: no fault of the world, and no way to one."""
    # `update_order(order_id)` where a status may be given; `update_order(order_id, foo)` where there is no such foo.
    if answer.is_understood:
        return None
    properties = call.tool.input_schema.get("properties")
    declared = properties if isinstance(properties, dict) else {}
    strange = [name for name in call.arguments if declared and name not in declared]
    given = [name for name, value in call.arguments.items() if value is not None]
    is_update = answer.reading is not None and answer.reading.operation == "update"
    if strange:
        message = f"{call.tool.name} takes no argument {strange[0]!r}."
    elif is_update and len(given) <= 1 < len(declared):
        message = f"Nothing was given for {call.tool.name} to change."
    else:
        return None
    return refuse("bad_value", message, answer.reading or Reading("none"))


def _ask(choice: EngineChoice, call: ToolCall, world: Ledger, manner: Manner) -> tuple[EngineName, Answer]:
    if choice == "world" or (choice == "auto" and call.tool.name not in manner.programs):
        return "world", _layered(_WORLD, call, world, manner)
    return "program", _layered(ProgramEngine(manner.programs), call, world, manner)


def _layered(engine: Engine, call: ToolCall, world: Ledger, manner: Manner) -> Answer:
    if manner.behaviours.about(call.tool.name) is None:
        return engine.answer(call, world)
    return with_behaviours(manner.behaviours, call, world, lambda: engine.answer(call, world))


def _failure(call: ToolCall, error: ProgramFailedError | BehaviourFailedError) -> str:
    if isinstance(error, ProgramFailedError):
        return f"The program of {call.tool.name} failed at {error}."
    return f"The behaviour of {call.tool.name} failed: {error}."


class ChosenEngine:
    """What programs, behaviours and the world say together, as one engine; no model is asked."""

    name: EngineName = "world"

    def __init__(self, manner: Manner) -> None:
        self._manner = manner

    def answer(self, call: ToolCall, world: Ledger) -> Answer:
        try:
            answer = _ask(self._manner.choice(call.tool.name), call, world, self._manner)[1]
            return (self._manner.unknown_tools == "error" and _callers_fault(call, answer)) or answer
        except (ProgramFailedError, BehaviourFailedError) as error:
            return Answer(fail_with(_failure(call, error)).response, certainty=0.0)

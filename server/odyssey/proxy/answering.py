"""Answering one call from what is known of its world: the failure rules first, then an engine. Nothing is recorded."""

import math
from collections.abc import Mapping
from types import MappingProxyType
from typing import Any, Literal, NamedTuple

import msgspec

from odyssey.agents.compiled import CompiledTool
from odyssey.journal.injections import CarriedText
from odyssey.kit.clock import milliseconds_since
from odyssey.models.chat import Absence
from odyssey.proxy.errors import (
    ArgumentsInvalidError,
    SimulatorError,
    SimulatorTimeoutError,
    SimulatorUnavailableError,
)
from odyssey.records.json_schema import CompiledSchema
from odyssey.records.ledger import ConsistencyMode, Entry, Operation, Violation
from odyssey.records.problems import FieldError
from odyssey.records.tools import CacheUse
from odyssey.simulation.choosing import Manner, ModelNeeded, decide
from odyssey.simulation.engine import Reading, ToolCall
from odyssey.simulation.llm import LlmEngine, ModelQuestion
from odyssey.simulation.rules import FaultName, FiredRule, Note, RuleCounters, Rules
from odyssey.simulation.rules import decide as decide_by_rules
from odyssey.simulation.simulate import Outage, SimulationResult
from odyssey.worlds.ledger import Ledger
from odyssey.worlds.schema import apply_declared

MAX_RESPONSE_BYTES = 1024 * 1024
_NOTHING: Mapping[str, Any] = MappingProxyType({})


class CallContext(NamedTuple):
    """A call and the moment of its run: what decides its answer beside the call itself."""

    call: ToolCall
    output_schema: CompiledSchema | None
    ledger: Ledger
    rules: Rules
    counters: RuleCounters
    manner: Manner
    mode: ConsistencyMode
    started: float
    """When the call arrived, by `time.perf_counter`."""


class CallOutcome(NamedTuple):
    """What a call came to, before it is written down."""

    envelope: dict[str, Any]
    """What the agent gets."""
    operations: tuple[Operation, ...] = ()
    entries: tuple[Entry, ...] = ()
    violations: tuple[Violation, ...] = ()
    ledger: Ledger | None = None
    """The world afterwards; None if it stayed as it was."""
    wait_ms: int = 0
    fault: FaultName | None = None
    reading: Reading | None = None
    explanation: str = ""
    counters: RuleCounters | None = None
    """How the rules count after this call; None where there are no rules."""
    notes: tuple[Note, ...] = ()
    beside: Mapping[str, Any] = _NOTHING
    """What else the trace keeps of it."""
    is_error: bool = False
    """What a live service said of its own answer."""


class Unanswered(NamedTuple):
    """No rule fired: somebody else is to answer."""

    counters: RuleCounters | None = None
    """As in an outcome."""
    notes: tuple[Note, ...] = ()


_NO_RULES = Unanswered()


class NeedsModel(NamedTuple):
    """A model is to answer: the call as it was when it came to that."""

    context: CallContext
    undecided: ModelNeeded
    ruled: Unanswered

    def answered(self, simulated: SimulationResult) -> CallOutcome:
        """Say what the call comes to by what a model said of this very world."""
        return _outcome(self.context, simulated, self.ruled)


def answer(context: CallContext) -> CallOutcome | NeedsModel:
    """Answer a call whose arguments were checked, as far as that takes no model."""
    ruled = by_rules(context)
    if isinstance(ruled, CallOutcome):
        return ruled
    decided = decide(context.call, context.ledger, context.output_schema, context.mode, context.manner)
    if isinstance(decided, ModelNeeded):
        return NeedsModel(context, decided, ruled)
    return _outcome(context, decided, ruled)


def by_rules(context: CallContext) -> CallOutcome | Unanswered:
    """Let the failure rules answer, if one of them is to."""
    if not context.rules:
        return _NO_RULES
    decision = decide_by_rules(context.rules, context.counters, context.call, context.ledger)
    if decision.fired is None:
        return Unanswered(decision.counters, decision.notes)
    return _injected(context, decision.fired)._replace(counters=decision.counters, notes=decision.notes)


def check_arguments(tool: CompiledTool, arguments: Any, *under: str) -> None:
    """Raise ArgumentsInvalidError with every fault, each placed under the given steps."""
    if not isinstance(arguments, dict):
        fault = FieldError(
            loc=under, msg="the body must be the object of the tool's arguments", tool=tool.tool.name
        )
        raise ArgumentsInvalidError([fault])
    if tool.input_schema.is_valid(arguments):
        return
    faults = tool.input_schema.errors(arguments)
    named = [FieldError(loc=(*under, *fault.loc), msg=fault.msg, tool=tool.tool.name) for fault in faults]
    raise ArgumentsInvalidError(named)


def explained(outcome: CallOutcome) -> dict[str, Any]:
    """The validation as the trace keeps it: with the engine's reasons, which are no part of what the agent gets."""
    validation: dict[str, Any] = outcome.envelope["validation"]
    return validation | {"reading": outcome.reading, "explanation": outcome.explanation}


def _injected(context: CallContext, fired: FiredRule) -> CallOutcome:
    call = context.call
    applied = apply_declared(
        context.ledger, fired.operations, context.mode, call.ledger_schema, sequence=call.sequence
    )
    envelope = envelope_of(context, fired.response, "injected")
    envelope["matched_rule_index"] = fired.index
    envelope["latency_ms"] += fired.latency_ms
    return CallOutcome(
        envelope,
        operations=() if applied.refused else fired.operations,
        entries=applied.entries,
        violations=applied.violations,
        ledger=applied.ledger,
        wait_ms=fired.latency_ms,
        fault=fired.fault,
    )


def _outcome(context: CallContext, done: SimulationResult, ruled: Unanswered) -> CallOutcome:
    envelope = envelope_of(context, done.response, done.source)
    if done.validation is not None:
        envelope["validation"] = done.validation
    outcome = CallOutcome(
        envelope,
        violations=done.violations,
        reading=done.reading,
        explanation=done.explanation,
        counters=ruled.counters,
        notes=ruled.notes,
        beside=_NOTHING if done.model is None else {"model": done.model},
    )
    if done.applied is None:
        return outcome
    encoded = msgspec.Raw(msgspec.json.encode(done.response))
    if len(encoded) > MAX_RESPONSE_BYTES:
        return outcome._replace(envelope=_too_large(context), violations=(), reading=None, explanation="")
    envelope["response"] = encoded  # once for the agent and the journal
    return outcome._replace(
        operations=done.operations, entries=done.applied.entries, ledger=done.applied.ledger
    )


def _too_large(context: CallContext) -> dict[str, Any]:
    message = f"The simulated response is larger than {MAX_RESPONSE_BYTES} bytes."
    return envelope_of(context, {"error": {"code": "response_too_large", "message": message}}, "error")


def envelope_of(context: CallContext, response: Any, source: str) -> dict[str, Any]:
    """What the agent gets, but for what only a simulation has."""
    return {
        "tool_name": context.call.tool.name,
        "response": response,
        "source": source,
        "latency_ms": milliseconds_since(context.started),
        "matched_rule_index": None,
    }


# Asking a model for the answer of a call, while the run is free for others.


class ModelAnswer(NamedTuple):
    """What was said of one call on one world."""

    world: Ledger
    simulated: SimulationResult

    def holds_for(self, waiting: NeedsModel) -> bool:
        """Whether the world is still the one the answer is about."""
        return waiting.context.ledger is self.world or waiting.context.ledger == self.world

    def outcome(self, waiting: NeedsModel) -> CallOutcome:
        """Say what the call comes to at the place in the run it has now."""
        sequence = waiting.context.call.sequence
        violations = tuple(
            msgspec.structs.replace(each, sequence=sequence) for each in self.simulated.violations
        )
        return waiting.answered(self.simulated._replace(violations=violations))

    def settle(self, waiting: NeedsModel) -> CallOutcome | NeedsModel:
        """Say what the call comes to, or that the model is to be asked anew; raises SimulatorError if it is away."""
        if self.simulated.outage is not None:
            raise self._refusal(self.simulated.outage)
        return self.outcome(waiting) if self.holds_for(waiting) else waiting

    def _refusal(self, outage: Outage) -> SimulatorError:
        """Tell an agent to call again; why the model answers nobody, the trace says, and not the agent."""
        kind = SimulatorTimeoutError if outage.absence == "slow" else SimulatorUnavailableError
        noted = {"cause": outage.absence, "own_share": round(outage.own_share, 3)}
        evidence = {"model": self.simulated.model, "outage": noted}
        return kind(_DETAILS[outage.absence], _retry_after_s(outage), evidence)


_LONGEST_RETRY_AFTER_S, _SHORTEST_RETRY_AFTER_S = 60, 2
_AWAY = "The model that answers for this tool is not available now. Nothing was done; call again."
_DETAILS: Mapping[Absence, str] = {
    "down": _AWAY,
    "rate": _AWAY,
    "slow": "The model that answers for this tool did not answer in time. Nothing was done; call again.",
    "budget": "The budget for the model that answers for this tool is used up. Nothing was done; it begins anew at "
    "00:00 UTC, or when an admin raises it.",
}


def _retry_after_s(outage: Outage) -> int:
    asked = _LONGEST_RETRY_AFTER_S if outage.absence == "budget" else math.ceil(outage.retry_after_s or 0)
    return min(max(asked, _SHORTEST_RETRY_AFTER_S), _LONGEST_RETRY_AFTER_S)


async def ask(
    llm: LlmEngine, waiting: NeedsModel, *, org_id: int, run_id: int | None, cache: CacheUse = "use"
) -> ModelAnswer:
    """Ask the org's model, or take the world's own answer where that will do and the org has none."""
    context, otherwise = waiting.context, waiting.undecided.otherwise
    if otherwise is not None and not await llm.is_set(org_id):
        return ModelAnswer(context.ledger, otherwise)
    question = ModelQuestion(
        call=context.call,
        world=context.ledger,
        output_schema=context.output_schema,
        mode=context.mode,
        behaviour=context.manner.behaviours.text,
        org_id=org_id,
        run_id=run_id,
        cache=cache,
    )
    return ModelAnswer(context.ledger, await llm.answer(question))


# A text that travels in the answer of a call: the world and its records keep the answer without it.
#
# From the k-th call on that the world answered, the first answer that can carry the text does: a string,
# after a blank line, or an object that has no member `notice` and whose schema allows one. Whatever a rule or
# an error answered does not count, and does not carry.

MEMBER = "notice"
_BY_THE_WORLD = ("odyssey", "passthrough")


Carrier = tuple[Any, Literal["text", "notice"]]
"""An answer with the text in it, and how the text is carried."""


class Notice:
    """How far one attempt has come in delivering its text."""

    __slots__ = ("_answered", "_carried", "_step", "_text")

    def __init__(self, text: str, step: int) -> None:
        self._text = text
        self._step = step
        self._answered = 0
        self._carried = False

    def carrier(self, envelope: Mapping[str, Any], output_schema: CompiledSchema | None) -> Carrier | None:
        """Return the answer to send instead of the envelope's, if it is this one's turn and it can carry the text."""
        if self._carried or envelope["source"] not in _BY_THE_WORLD or self._answered + 1 < self._step:
            return None
        raw = envelope["response"]
        response = msgspec.json.decode(raw) if isinstance(raw, msgspec.Raw) else raw
        carrier = self._put_into(response, output_schema)
        if carrier is None or len(msgspec.json.encode(carrier[0])) > MAX_RESPONSE_BYTES:
            return None
        return carrier

    def note(self, data: Mapping[str, Any]) -> None:
        """Count a call that was recorded, by the data of its event."""
        if data.get("source") in _BY_THE_WORLD:
            self._answered += 1
        if "injection" in data:
            self._carried = True

    def _put_into(self, response: Any, output_schema: CompiledSchema | None) -> Carrier | None:
        if isinstance(response, str):
            return f"{response}\n\n{self._text}", "text"
        if not isinstance(response, dict) or MEMBER in response or "error" in response:
            return None
        noted = {**response, MEMBER: self._text}
        if output_schema is not None and not output_schema.is_valid(noted):
            return None
        return noted, "notice"


def notice_of(injection: CarriedText | None) -> Notice | None:
    if injection is None or injection.delivery != "tool_result":
        return None
    return Notice(injection.text, injection.step)

"""One run of a straw agent: calls answered by the row's own world, and what graders get to see of them."""

import time
from collections.abc import Mapping
from functools import lru_cache
from typing import Any, NamedTuple

import msgspec

from odyssey.expressions.facts import EarlierCall
from odyssey.grading.evidence import ACCEPTED, Evidence, ObservedCall, is_mutating, refused_writes
from odyssey.library.datasets.auditing.tools import ToolBox
from odyssey.proxy.answering import CallContext, CallOutcome, NeedsModel, answer, explained
from odyssey.records.effects import Effects, WorldStep, effects_of
from odyssey.records.tools import declared_types
from odyssey.simulation.behaviours import EMPTY, Behaviours, read_behaviours
from odyssey.simulation.choosing import Manner
from odyssey.simulation.engine import ToolCall
from odyssey.simulation.rules import RuleCounters, Rules, read_rules
from odyssey.worlds.ledger import Ledger

_SEED = 0


class Stage(NamedTuple):
    """The world of a row as every straw agent meets it."""

    user_instruction: str
    expected_outcome: str
    input: Mapping[str, Any]
    ledger: Ledger
    box: ToolBox
    rules: Rules
    manner: Manner

    def evidence(self, answer: str, run: "StrawRun | None" = None) -> Evidence:
        return Evidence(
            user_instruction=self.user_instruction,
            expected_outcome=self.expected_outcome,
            status="completed",
            error_class=None,
            final_response=answer,
            messages=None,
            calls=() if run is None else tuple(run.calls),
            uncounted_calls=0,
            declared_tools=tuple(self.box.tools),
            before=self.ledger,
            after=self.ledger if run is None else run.ledger,
            effects=Effects() if run is None else run.effects(),
            input=self.input,
        )


def set_stage(
    seed: Mapping[str, Any], ledger: Ledger, box: ToolBox, *, failure_rules: list[Any], behavior: str
) -> Stage:
    types = frozenset([*declared_types(box.ledger_schema), *ledger.entity_types()])
    behaviours = _behaviours(behavior, frozenset(box.tools), types) if behavior else EMPTY
    return Stage(
        user_instruction=seed["user_instruction"],
        expected_outcome=seed["expected_outcome"],
        input=seed["input"],
        ledger=ledger,
        box=box,
        rules=read_rules(failure_rules).rules,
        # No model is asked: what only one could answer is answered as well as the world can.
        manner=Manner(box.programs, behaviours, unknown_tools="empty"),
    )


@lru_cache(maxsize=64)
def _behaviours(behavior: str, tools: frozenset[str], types: frozenset[str]) -> Behaviours:
    """Rows of one world behave alike, and many lines take their time to read."""
    return read_behaviours(behavior, tools=tools, types=types).behaviours


class StrawRun:
    """What one straw agent did so far."""

    def __init__(self, stage: Stage) -> None:
        self._stage = stage
        self._counters = RuleCounters.start(stage.rules)
        self._earlier: list[EarlierCall] = []
        self.ledger = stage.ledger
        self.calls: list[ObservedCall] = []
        self._steps: list[WorldStep] = []

    def call(self, name: str, arguments: dict[str, Any]) -> ObservedCall | None:
        """Call a tool; None if the proxy would not take such arguments."""
        tool = self._stage.box.tools[name]
        if not tool.input_schema.is_valid(arguments):
            return None
        stage, sequence = self._stage, len(self.calls) + 1
        call = ToolCall(
            tool=tool.tool,
            arguments=arguments,
            ledger_schema=stage.box.ledger_schema,
            random_seed=_SEED,
            sequence=sequence,
            calls=tuple(self._earlier),
        )
        context = CallContext(
            call=call,
            output_schema=tool.output_schema,
            ledger=self.ledger,
            rules=stage.rules,
            counters=self._counters,
            manner=stage.manner,
            mode=stage.box.mode,
            started=time.perf_counter(),
        )
        observed = self._observe(call, _answered(context))
        self.calls.append(observed)
        return observed

    def _observe(self, call: ToolCall, outcome: CallOutcome) -> ObservedCall:
        """Keep a call as the journal would, and read it as graders do."""
        data = outcome.envelope | {"operations": outcome.operations, "http_status": ACCEPTED}
        if "validation" in data:
            data["validation"] = explained(outcome)
        kept = msgspec.json.decode(msgspec.json.encode(data | {"arguments": call.arguments}))
        if outcome.ledger is not None:
            self.ledger = outcome.ledger
        if outcome.counters is not None:
            self._counters = outcome.counters
        self._earlier.append(EarlierCall(call.tool.name, call.arguments, kept["source"]))
        observed = ObservedCall(
            sequence=call.sequence,
            tool=call.tool.name,
            arguments=call.arguments,
            source=kept["source"],
            http_status=ACCEPTED,
            response=kept["response"],
            operations=outcome.operations,
            mutating=is_mutating(kept, call.tool, call.ledger_schema, self._stage.ledger),
            confidence=kept.get("validation", {}).get("confidence"),
            rests_on=kept.get("validation", {}).get("evidence"),
            contradictions=outcome.violations,
        )
        self._steps += [
            WorldStep(observed.sequence, observed.tool, observed.source, observed.mutating, entry)
            for entry in outcome.entries
        ]
        return observed

    def effects(self) -> Effects:
        return effects_of(self._steps, self._stage.ledger.flags, refused_writes(self.calls))


def _answered(context: CallContext) -> CallOutcome:
    outcome = answer(context)
    if not isinstance(outcome, NeedsModel):
        return outcome
    otherwise = outcome.undecided.otherwise
    assert otherwise is not None, "no tool of a straw agent is left to a model alone"
    return outcome.answered(otherwise)

"""Asking a model for the answer of a call, while the run is free for others."""

from typing import NamedTuple

import msgspec

from odyssey.proxy.answering import NeedsModel, Outcome, tool_call
from odyssey.records.tools import CacheUse
from odyssey.simulation.llm import LlmEngine, ModelQuestion
from odyssey.simulation.simulate import Simulated
from odyssey.worlds.ledger import Ledger


class ModelAnswer(NamedTuple):
    """What was said of one call on one world."""

    world: Ledger
    simulated: Simulated

    def holds_for(self, waiting: NeedsModel) -> bool:
        """Whether the world is still the one the answer is about."""
        return waiting.context.ledger is self.world or waiting.context.ledger == self.world

    def outcome(self, waiting: NeedsModel) -> Outcome:
        """Say what the call comes to at the place in the run it has now."""
        sequence = waiting.context.sequence
        violations = tuple(
            msgspec.structs.replace(each, sequence=sequence) for each in self.simulated.violations
        )
        return waiting.answered(self.simulated._replace(violations=violations))


async def ask(
    llm: LlmEngine, waiting: NeedsModel, *, org_id: int, run_id: int | None, cache: CacheUse = "use"
) -> ModelAnswer:
    """Ask the org's model, or take the world's own answer where that will do and the org has none."""
    context, otherwise = waiting.context, waiting.undecided.otherwise
    if otherwise is not None and not await llm.is_set(org_id):
        return ModelAnswer(context.ledger, otherwise)
    question = ModelQuestion(
        call=tool_call(context),
        world=context.ledger,
        output_schema=context.tool.output_schema,
        mode=context.mode,
        behaviour=context.manner.behaviours.text,
        org_id=org_id,
        run_id=run_id,
        cache=cache,
    )
    return ModelAnswer(context.ledger, await llm.answer(question))

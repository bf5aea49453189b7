"""Whether an answer fits the world it was given about: asked after every simulated call, whoever answered it."""

from odyssey.records.ledger import Violation
from odyssey.simulation.consistency.knowledge import CallMeaning, know_world
from odyssey.simulation.consistency.shown import Moments, check_answered, check_shown
from odyssey.simulation.consistency.written import check_owed, check_written
from odyssey.simulation.engine import Answer, ToolCall
from odyssey.worlds.ledger import Ledger

__all__ = ["MAX_VIOLATIONS", "check_answer"]

MAX_VIOLATIONS = 50
"""Of one call: more say nothing more, and each becomes an event of the run."""


def check_answer(call: ToolCall, answer: Answer, before: Ledger, after: Ledger) -> list[Violation]:
    """Name what contradicts the world, at a cost that follows the answer and not the size of the world.

    Whether operations fit the declarations and the ids that exist is asked where they are applied, not here.
    """
    known = know_world(before, call.ledger_schema)
    meant = CallMeaning(call, answer, before)
    found = _check_looking(call, answer, meant)
    if answer.operations:
        found += check_written(answer.operations, known, before, after, call.sequence)
    if not answer.refused:
        if not found:
            found += check_owed(call, answer, known, meant, before)
        moments = Moments(before, after, call.sequence)
        found += check_answered(answer.response, meant, after, call.sequence)
        found += check_shown(answer, known, meant, moments, at_most=MAX_VIOLATIONS)
    return found[:MAX_VIOLATIONS]


def _check_looking(call: ToolCall, answer: Answer, meant: CallMeaning) -> list[Violation]:
    if not answer.operations or meant.act != "look":
        return []
    message = f"{call.tool.name} was read as {meant.in_words()!r}, which only looks, but it changes the world"
    return [Violation("read_changes_world", meant.entity_type, None, None, message, call.sequence)]

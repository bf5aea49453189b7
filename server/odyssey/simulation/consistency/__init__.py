"""Whether an answer fits the world it was given about: asked after every simulated call, whoever answered it."""

from odyssey.records.ledger import Violation
from odyssey.simulation.consistency.knowledge import know_world
from odyssey.simulation.consistency.shown import check_shown
from odyssey.simulation.consistency.written import check_written
from odyssey.simulation.engine import Answer, ToolCall
from odyssey.worlds.ledger import Ledger

__all__ = ["MAX_VIOLATIONS", "check_answer"]

MAX_VIOLATIONS = 50
"""Of one call: more say nothing more, and each becomes an event of the run."""

_LOOKS = ("read", "list")


def check_answer(call: ToolCall, answer: Answer, before: Ledger, after: Ledger) -> list[Violation]:
    """Name what contradicts the world, at a cost that follows the answer and not the size of the world.

    Whether operations fit the declarations and the ids that exist is asked where they are applied, not here.
    """
    known = know_world(before, call.ledger_schema)
    found = _check_looking(call, answer)
    if answer.operations:
        found += check_written(answer.operations, known, before, after, call.sequence)
    if not answer.refused:
        found += check_shown(answer, known, after, call.sequence, at_most=MAX_VIOLATIONS)
    return found[:MAX_VIOLATIONS]


def _check_looking(call: ToolCall, answer: Answer) -> list[Violation]:
    reading = answer.reading
    if reading is None or reading.operation not in _LOOKS or not answer.operations:
        return []
    message = (
        f"{call.tool.name} was read as {reading.in_words()!r}, which only looks, but it changes the world"
    )
    return [Violation("read_changes_world", reading.entity_type, None, None, message, call.sequence)]

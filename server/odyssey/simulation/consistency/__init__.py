"""Whether an answer fits the world it was given about: asked after every simulated call, whoever answered it."""

from collections.abc import Iterable

from odyssey.records.ledger import Violation
from odyssey.simulation.consistency.announcements import check_announcements
from odyssey.simulation.consistency.arguments import check_amount, check_arguments, check_effects
from odyssey.simulation.consistency.denials import check_denial
from odyssey.simulation.consistency.knowledge import CallMeaning, WorldKnowledge, know_world
from odyssey.simulation.consistency.lists import check_lists
from odyssey.simulation.consistency.shown import Moments, check_answered, check_shown
from odyssey.simulation.consistency.side_effects import check_beside
from odyssey.simulation.consistency.written import (
    BY_DEFINITION,
    check_by_example,
    check_owed,
    check_written,
    tells_of_failure,
)
from odyssey.simulation.engine import Answer, ToolCall
from odyssey.simulation.world.answer import GUESSED
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
    is_bound = _is_bound_to_call(answer)
    if answer.refused:
        return found + (check_denial(call, answer, known, meant, before) if is_bound else [])
    if not found:
        found += check_owed(call, answer, known, meant, before)
    if is_bound and answer.operations and (more := _check_writes(call, answer, known, meant, before)):
        found = _with(found, more)
    moments = Moments(before, after, call.sequence)
    found = found + check_answered(answer.response, meant, after, call.sequence)
    found += check_shown(answer, known, meant, moments, at_most=MAX_VIOLATIONS)
    if is_bound and answer.reading is None:
        found = _with(found, _check_as_read_here(call, answer, known, meant, moments))
    return found[:MAX_VIOLATIONS]


def _is_bound_to_call(answer: Answer) -> bool:
    """Whether name and arguments say what an answer must do; lines of behaviour and programs may say other things."""
    if answer.by_own_rules or answer.certainty <= GUESSED:
        return False
    return answer.reading is None or answer.certainty < BY_DEFINITION


def _check_writes(
    call: ToolCall, answer: Answer, known: WorldKnowledge, meant: CallMeaning, before: Ledger
) -> list[Violation]:
    """What is written is what the arguments say, and nothing beside it."""
    if meant.act == "look":
        return []
    found = check_arguments(call, answer, known, meant, before)
    if any(getattr(each, "id", None) not in meant.given for each in answer.operations):
        found += check_beside(call, answer, meant, before)
    return [] if found and tells_of_failure(answer.response) else found


def _check_as_read_here(
    call: ToolCall, answer: Answer, known: WorldKnowledge, meant: CallMeaning, moments: Moments
) -> list[Violation]:
    """What is asked only of an answer that comes without a reading, a model's: an engine goes by its own."""
    before, after = moments.before, moments.after
    found = check_denial(call, answer, known, meant, before)
    if meant.act == "look":
        return found + check_lists(call, answer.response, known, meant, before)
    if answer.operations and not tells_of_failure(answer.response):
        found += check_by_example(answer.operations, known, meant, after)
        found += check_effects(call, answer, meant, before, after)
        found += check_amount(call, answer, meant, before)
        found += check_announcements(call, answer, known, meant, before, after)
    return found


def _with(found: list[Violation], more: Iterable[Violation]) -> list[Violation]:
    """One violation of a place is enough: the first."""
    places = {(each.entity_type, each.entity_id, each.field) for each in found}
    for each in more:
        place = (each.entity_type, each.entity_id, each.field)
        if place not in places:
            places.add(place)
            found.append(each)
    return found


def _check_looking(call: ToolCall, answer: Answer, meant: CallMeaning) -> list[Violation]:
    if not answer.operations or meant.act != "look":
        return []
    message = f"{call.tool.name} was read as {meant.in_words()!r}, which only looks, but it changes the world"
    return [Violation("read_changes_world", meant.entity_type, None, None, message, call.sequence)]

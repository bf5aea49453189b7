"""What is to be said of the world beside a verdict: where it contradicted itself, gave no answer, or only guessed.

None of it changes the verdict. It tells a reader how far the answers can be trusted that the agent worked with.
"""

from collections import Counter
from collections.abc import Sequence
from typing import Any, Literal

import msgspec

from odyssey.grading.evidence import Evidence, ObservedCall
from odyssey.kit.words import listed, shorten
from odyssey.simulation.world.answer import GUESSED, NOT_UNDERSTOOD

WorldNoteKind = Literal["contradiction", "no_answer", "not_understood", "guessed"]

MAX_NOTES = 20
MAX_MESSAGE = 300
_STEPS_NAMED = 8
_PHRASES: dict[WorldNoteKind, str] = {
    "contradiction": "contradicted itself in",
    "no_answer": "gave no answer to",
    "not_understood": "did not understand",
    "guessed": "guessed in",
}


class WorldNote(msgspec.Struct, frozen=True):
    """One call that the world answered badly."""

    sequence: int
    tool: str
    kind: WorldNoteKind
    message: str


class WorldReport(msgspec.Struct, frozen=True):
    notes: tuple[WorldNote, ...] = ()
    """The first of them, in the order of the calls."""
    left_off: int = 0
    """How many more there are."""
    warning: str | None = None
    """All of them in one sentence; None where there is nothing to say."""


def look_at_world(evidence: Evidence) -> WorldReport:
    """Note every call of the run that the world answered badly, at most one note for each."""
    notes = [note for call in evidence.calls if (note := _note_of(call)) is not None]
    if not notes:
        return WorldReport()
    return WorldReport(tuple(notes[:MAX_NOTES]), max(0, len(notes) - MAX_NOTES), _in_a_sentence(notes))


def _note_of(call: ObservedCall) -> WorldNote | None:
    """Note a call; a contradiction says more than that an answer was withheld because of it."""
    if call.contradictions:
        more = len(call.contradictions) - 1
        first = call.contradictions[0].message.rstrip(".")
        return _note(call, "contradiction", f"{first}; and {more} more." if more else f"{first}.")
    if call.is_not_simulated:
        return _note(call, "not_understood", str(call.response["error"].get("message")))
    if call.source == "error":
        return _note(call, "no_answer", _error_in_words(call.response))
    # What rests on the world's own entities may differ from the real thing in form; what rests on a schema is made up.
    if call.confidence is not None and call.confidence <= GUESSED and call.rests_on in (None, "schema"):
        is_blank = call.explanation.startswith(NOT_UNDERSTOOD)
        kind: WorldNoteKind = "not_understood" if is_blank else "guessed"
        return _note(call, kind, call.explanation or "The engine says that it guessed.")
    return None


def _note(call: ObservedCall, kind: WorldNoteKind, message: str) -> WorldNote:
    return WorldNote(call.sequence, call.tool, kind, shorten(message.replace("\x00", "\ufffd"), MAX_MESSAGE))


def _error_in_words(response: Any) -> str:
    error = response.get("error") if isinstance(response, dict) else None
    if not isinstance(error, dict):
        return "The answer names no error."
    return f"{error.get('code')}: {error.get('message')}"


def _in_a_sentence(notes: Sequence[WorldNote]) -> str:
    """Say for example: The world contradicted itself in 2 calls and did not understand 1 (steps 4, 7, 9)."""
    counts = Counter(note.kind for note in notes)
    parts: list[str] = []
    for kind, phrase in _PHRASES.items():
        if counts[kind]:
            noun = "" if parts else " call" if counts[kind] == 1 else " calls"
            parts.append(f"{phrase} {counts[kind]}{noun}")
    steps = [str(note.sequence) for note in notes[:_STEPS_NAMED]]
    if len(notes) > _STEPS_NAMED:
        steps.append(f"{len(notes) - _STEPS_NAMED} more")
    return f"The world {listed(parts)} ({'step' if len(notes) == 1 else 'steps'} {', '.join(steps)})."

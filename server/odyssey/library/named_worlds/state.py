"""A state made ready to be stored under a world's name: checked, bounded, as canonical text."""

from typing import Any, NamedTuple

from odyssey.agents.ledger_schema import check_initial_state
from odyssey.core.errors import ValidationFailedError
from odyssey.journal.contents import Document, document
from odyssey.records.faults import Faults
from odyssey.records.problems import FaultList
from odyssey.worlds.stored_state import StoredState

MAX_STATE_BYTES = 64 * 1024 * 1024
MAX_TYPES = 1000
LONGEST_TYPE = 256


class Prepared(NamedTuple):
    document: Document
    counts: dict[str, int]


def check_state(raw: Any) -> FaultList:
    """Name what is wrong with a state as it was sent."""
    found = check_initial_state(raw, None)
    if not found:
        faults = Faults("initial_state", found=found)
        for name in raw:
            if len(name) > LONGEST_TYPE:
                faults.at(name).add(f"an entity type has at most {LONGEST_TYPE} characters")
    return found


def prepare(state: StoredState) -> Prepared:
    """Make the text of a checked state; takes time with a large one, so call it in a thread."""
    counts = state.counts()
    made = document(state.text())
    faults = Faults("initial_state")
    if len(counts) > MAX_TYPES:
        faults.add(f"the world would have {len(counts)} entity types; at most {MAX_TYPES} are allowed")
    if made.bytes > MAX_STATE_BYTES:
        faults.add(f"the world would have {made.bytes} bytes; at most {MAX_STATE_BYTES} are allowed")
    if faults.found:
        raise ValidationFailedError(faults.found)
    return Prepared(made, counts)

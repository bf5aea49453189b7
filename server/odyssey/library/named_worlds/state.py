"""A state made ready to be stored under a world's name: checked, bounded, as canonical text."""

from typing import Any, NamedTuple

from odyssey.agents.ledger_schema import check_initial_state
from odyssey.core.errors import ValidationFailedError
from odyssey.journal.contents import Document, document
from odyssey.records.faults import Faults
from odyssey.records.ledger import Add, ClearFlag, Remove, SetFlag, Update
from odyssey.records.problems import FaultList
from odyssey.worlds.operations import OperationInvalidError, apply, read_operation
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


# Changing a world by operations: all of them, or none and the reason of each that cannot be.

Edit = Add | Update | Remove
_LONGEST_MESSAGE = 300


def read_edits(raw: list[Any]) -> list[Edit]:
    """Read the operations of an editor; a world at rest has no flags, so none can be set."""
    faults = Faults("operations")
    edits = [_read_edit(item, faults.at(position)) for position, item in enumerate(raw)]
    if faults.found:
        raise ValidationFailedError(faults.found)
    return [edit for edit in edits if edit is not None]


def _read_edit(raw: Any, faults: Faults) -> Edit | None:
    try:
        operation = read_operation(raw)
    except OperationInvalidError as error:
        faults.add(str(error)[:_LONGEST_MESSAGE])
        return None
    if isinstance(operation, SetFlag | ClearFlag):
        faults.add("flags belong to runs; a world takes add, update and remove", "op")
        return None
    if not 0 < len(operation.entity_type) <= LONGEST_TYPE:
        faults.add(f"an entity type has 1 to {LONGEST_TYPE} characters", "entity_type")
    if not operation.id:
        faults.add("an entity id must not be empty", "id")
    return operation


def edit(state: StoredState, edits: list[Edit]) -> None:
    """Apply in order and strictly; a contradiction names its operation and leaves the state as it was."""
    before = state.part((each.entity_type, each.id) for each in edits)
    after = before
    faults = Faults("operations")
    for position, each in enumerate(edits):
        applied = apply(after, [each], "strict")
        after = applied.ledger
        for violation in applied.violations:
            faults.add(violation.message[:_LONGEST_MESSAGE], position)
    if faults.found:
        raise ValidationFailedError(faults.found)
    state.take(before, after)

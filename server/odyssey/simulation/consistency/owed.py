"""A change that a call asks for and an answer, which does not refuse, leaves out or makes elsewhere."""

from typing import Any

from odyssey.records.ledger import Add, Operation, Remove, Update, Violation
from odyssey.simulation.consistency.knowledge import WorldKnowledge
from odyssey.simulation.consistency.meant import Meant
from odyssey.simulation.engine import Answer, ToolCall
from odyssey.simulation.world.answer import GUESSED
from odyssey.simulation.world.engine import WorldEngine
from odyssey.worlds.ledger import Ledger, json_equal
from odyssey.worlds.operations import apply

_FAILURES = ("error", "errors")
_SUCCESSES = ("success", "ok", "successful", "succeeded")
_BY_DEFINITION = 1.0
"""Of an engine that reads a call by a program: what the tool changes is what the program says."""
_WORLD_ENGINE = WorldEngine()


def check_owed(
    call: ToolCall, answer: Answer, known: WorldKnowledge, meant: Meant, before: Ledger
) -> list[Violation]:
    """An engine that did not understand the call, or says what it did instead, owes nothing."""
    if answer.confidence <= GUESSED or _tells_of_failure(answer.response):
        return []
    if meant.act == "look":
        return []
    if answer.reading is not None and (meant.act == "other" or answer.confidence >= _BY_DEFINITION):
        return []
    found = _check_elsewhere(answer.operations, call, known, meant, before)
    if found or any(_changes(each, before) for each in answer.operations):
        return found
    return _check_forgotten(call, before)


def _check_forgotten(call: ToolCall, before: Ledger) -> list[Violation]:
    """What the world engine would change says what is owed; nothing is, where all is so already."""
    expected = _WORLD_ENGINE.answer(call, before)
    if expected.confidence <= GUESSED or expected.refused or not expected.operations:
        return []
    change = next(before.changes_to(apply(before, expected.operations, "off").ledger), None)
    if change is None:
        return []
    operation = next(
        each
        for each in expected.operations
        if isinstance(each, Add | Update | Remove) and (each.entity_type, each.id) == change[:2]
    )
    entity_id = None if change.before is None else change.id  # the id of a new one is anybody's choice
    words = "nothing" if expected.reading is None else repr(expected.reading.in_words())
    message = f"{call.tool.name} is read as {words}, and the answer does not refuse, but nothing changes"
    fields = operation.fields if isinstance(operation, Update) else {}
    field = next(iter(fields)) if len(fields) == 1 else None
    return [Violation("forgotten_write", change.entity_type, entity_id, field, message, call.sequence)]


def _changes(operation: Operation, before: Ledger) -> bool:
    """Whether there is anything in an operation that was not so before."""
    if not isinstance(operation, Update):
        return True
    stood = before.entity(operation.entity_type, operation.id) or {}
    return any(
        name not in stood or not json_equal(stood[name], value) for name, value in operation.fields.items()
    )


def _check_elsewhere(
    operations: tuple[Operation, ...],
    call: ToolCall,
    known: WorldKnowledge,
    meant: Meant,
    before: Ledger,
) -> list[Violation]:
    if meant.act not in ("create", "update", "remove"):
        return []
    touched = [each for each in operations if isinstance(each, Add | Update | Remove)]
    return _check_types(touched, call, known, meant, before) or _check_which(touched, call, meant, before)


def _check_types(
    touched: list[Add | Update | Remove], call: ToolCall, known: WorldKnowledge, meant: Meant, before: Ledger
) -> list[Violation]:
    """What the call is about stays as it is, and a type nobody knows comes into the world instead."""
    about = meant.entity_type
    unknown = [each for each in touched if each.entity_type not in known.types]
    if about is None or not unknown or not before.entities(about):
        return []
    if any(each.entity_type == about for each in touched):
        return []
    first = unknown[0]
    message = (
        f"{call.tool.name} is about {about}, but what it writes is {first.entity_type}, which is no type"
    )
    return [Violation("invented_type", first.entity_type, first.id, None, message, call.sequence)]


def _check_which(
    touched: list[Add | Update | Remove], call: ToolCall, meant: Meant, before: Ledger
) -> list[Violation]:
    """The one that the call names stays as it is while others of its type change."""
    if all(each.id in meant.given for each in touched) or meant.one is None:
        return []
    entity_type, entity_id = meant.one
    is_new = before.entity(entity_type, entity_id) is None
    if is_new and meant.act != "create":
        return []
    wanted = Add if is_new else Update | Remove
    ids = [each.id for each in touched if each.entity_type == entity_type and isinstance(each, wanted)]
    if not ids or not meant.given.isdisjoint(ids):
        return []
    message = (
        f"{call.tool.name} is about {entity_type} {entity_id!r}, but {entity_type} {ids[0]!r} is written"
    )
    return [Violation("wrong_entity", entity_type, ids[0], None, message, call.sequence)]


def _tells_of_failure(response: Any) -> bool:
    """Whether a response says in its own shape that it was not done: `{"success": false, …}`, "Error: …"."""
    if isinstance(response, str):
        return response.lower().startswith("error")
    if not isinstance(response, dict):
        return response is False
    return any(response.get(name) for name in _FAILURES) or any(
        response.get(name) is False for name in _SUCCESSES
    )

"""What a call came to, for those who read it: as the engine took it, unless lines made something else of it."""

from collections.abc import Callable, Sequence

from odyssey.expressions import EvaluationError
from odyssey.records.ledger import Add, Operation, Remove, Update
from odyssey.simulation.behaviours.behaviours import ToolBehaviours
from odyssey.simulation.engine import Answer, Reading

_WRITES = ("create", "update", "remove")
_LOOKS = ("read", "list")


def come_to(
    answer: Answer, operations: Sequence[Operation], lines: Sequence[int], *, alone: bool, is_other: bool
) -> Reading:
    """The engine's reading, or that of the lines where they alone say what happens.

    `is_other`: whether the operations leave another world than there was.
    """
    inner = answer.reading or Reading("none")
    is_understood = inner.operation != "none" and not answer.refused
    if is_understood and not alone and (inner.operation in _WRITES or not operations):
        return inner
    by = tuple(f"line {line}" for line in lines)
    if not operations:
        only_looks = inner.operation in (*_LOOKS, "none")
        return Reading("read" if only_looks else "acknowledge", inner.entity_type, (), by)
    for operation in operations if is_other else ():
        match operation:
            case Add(entity_type=entity_type, fields=fields):
                return Reading("create", entity_type, tuple(fields), by)
            case Update(entity_type=entity_type, fields=fields):
                return Reading("update", entity_type, tuple(fields), by)
            case Remove(entity_type=entity_type):
                return Reading("remove", entity_type, (), by)
    return Reading("acknowledge", inner.entity_type, (), by)


def explain(reading: Reading, lines: Sequence[int]) -> str:
    if not lines:
        return f"{reading.in_words()}; behaviours leave out what it would change"
    return f"{reading.in_words()}; behaviour line{'s' if len(lines) > 1 else ''} {', '.join(map(str, lines))}"


def read_refused(lines: ToolBehaviours, inner: Callable[[], Answer]) -> Reading:
    """What a refused call was for: what the engine takes it for, or the change that its lines would have made."""
    try:
        reading = inner().reading or Reading("none")
    except EvaluationError:
        reading = Reading("none")
    if lines.effects and reading.operation not in _WRITES:
        return Reading("update", reading.entity_type)
    return Reading(reading.operation, reading.entity_type)

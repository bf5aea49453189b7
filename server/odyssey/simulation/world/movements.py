"""An amount that goes from one entity to another of its type: `move(from_thing, to_thing, amount)`."""

from decimal import Decimal
from typing import Any, NamedTuple

from odyssey.kit.words import phrase, tokens
from odyssey.records.ledger import Update
from odyssey.simulation.engine import Answer, Reading, ToolCall
from odyssey.simulation.world.answer import LIKELY, refuse
from odyssey.simulation.world.kinds import Kind, know, known_types
from odyssey.simulation.world.meaning import Intent
from odyssey.simulation.world.shape import Known, fit
from odyssey.worlds.ledger import Ledger
from odyssey.worlds.schema import id_text

_VERBS = frozenset({"transfer", "move", "shift"})
_GIVERS = frozenset({"from", "source", "sender", "origin"})
_TAKERS = frozenset({"to", "target", "destination", "recipient", "receiver"})


class _Movement(NamedTuple):
    giver: str
    taker: str
    amount: str
    """The names of the arguments."""


def move(call: ToolCall, world: Ledger, intent: Intent) -> Answer | None:
    """The answer, if two arguments name giver and taker and a third how much; None if not."""
    movement = _movement(call) if intent.naming.word in _VERBS else None
    kind = _kind(call, world, movement) if movement is not None else None
    if movement is None or kind is None:
        return None
    field = _field(kind, call, movement)
    if field is None:
        return None
    giver, taker = (id_text(call.arguments[name]) or "" for name in movement[:2])
    reading = Reading("update", kind.name, (field,), tuple(movement))
    for entity_id in (giver, taker):
        if entity_id not in kind.entities:
            return refuse("not_found", f"No {phrase(kind.name)} with id {entity_id!r} exists.", reading)
    amount = Decimal(repr(call.arguments[movement.amount]))
    left = _sum(kind.entities[giver].get(field), -amount)
    if amount <= 0 or giver == taker:
        return refuse("bad_value", f"{movement.amount} must be above 0, from one to another.", reading)
    if left < 0:
        message = f"{phrase(kind.name).capitalize()} {giver} has {field} {kind.entities[giver].get(field)}: too little."
        return refuse("conflict", message, reading)
    after = {giver: left, taker: _sum(kind.entities[taker].get(field), amount)}
    shown: dict[str, Any] = {**call.arguments, field: after[giver]}
    fitted = fit(shown, call.tool.output_schema, Known(kind.name, call.arguments, word=intent.naming.word))
    operations = tuple(Update(kind.name, entity_id, {field: value}) for entity_id, value in after.items())
    return Answer(fitted.value, operations, LIKELY, explanation=reading.in_words(), reading=reading)


def _movement(call: ToolCall) -> _Movement | None:
    givers = [name for name in call.arguments if _GIVERS.intersection(tokens(name))]
    takers = [name for name in call.arguments if _TAKERS.intersection(tokens(name))]
    amounts = [name for name, value in call.arguments.items() if _is_number(value)]
    amounts = [name for name in amounts if name not in (*givers, *takers)]
    if len(givers) == len(takers) == len(amounts) == 1:
        return _Movement(givers[0], takers[0], amounts[0])
    return None


def _kind(call: ToolCall, world: Ledger, movement: _Movement) -> Kind | None:
    """The type the two are of: one of them is there, so that a wrong id can still be told."""
    ids = [id_text(call.arguments[name]) for name in movement[:2]]
    for name in known_types(world, call.ledger_schema):
        if any(each is not None and each in world.entities(name) for each in ids):
            return know(name, world, call.ledger_schema)
    return None


def _field(kind: Kind, call: ToolCall, movement: _Movement) -> str | None:
    """The number that grows and shrinks: named like the amount or in the description, or the only one there is."""
    numbers = [name for name in kind.fields if kind.anatomy.has((name,), "number") and name != kind.id_field]
    words = {*tokens(movement.amount), *tokens(call.tool.description), *tokens(call.tool.name)}
    named = [name for name in numbers if set(tokens(name)) <= words]
    candidates = named or numbers
    return candidates[0] if len(candidates) == 1 else None


def _sum(value: Any, amount: Decimal) -> float | int:
    total = Decimal(repr(value if _is_number(value) else 0)) + amount
    return int(total) if isinstance(value, int) and total == total.to_integral_value() else float(total)


def _is_number(value: Any) -> bool:
    return isinstance(value, int | float) and not isinstance(value, bool)

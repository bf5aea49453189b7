"""Functions of the world. They read the ledger as it is, by id or by index, and copy only what they give."""

from typing import Any

from odyssey.expressions.facts import Facts
from odyssey.expressions.functions.function import MAX_LIST, Function, a_text, a_whole_number
from odyssey.expressions.values import EvaluationError, TooMuchError, charge, described
from odyssey.worlds.field_index import Path, PathStep
from odyssey.worlds.identifiers import SAMPLE, new_id


def _entity(facts: Facts, entity_type: Any, entity_id: Any) -> Any:
    if entity_id is None:
        return None
    return facts.call.ledger.look_at(a_text(entity_type), _as_id(entity_id))


def _as_id(value: Any) -> str:
    """Ids are texts in the ledger, also where fields and arguments give them as numbers."""
    if type(value) is str:
        return value
    if type(value) is int or (type(value) is float and value.is_integer()):
        return str(int(value))
    raise EvaluationError(f"an id is a text, not {described(value)}")


def _find(facts: Facts, entity_type: Any, field: Any, value: Any) -> list[Any]:
    name, path = a_text(entity_type), _path(a_text(field))
    charge(value, facts.meter)
    try:
        ids = facts.call.ledger.having(name, path, value)
    except (TypeError, ValueError):
        raise EvaluationError(f"no field can have {described(value)} like this") from None
    facts.meter.spend(len(ids))
    return _taken(facts, name, ids)


def _path(field: str) -> Path:
    """`address.zip`; `items.*.item_id` is the same of every item, be they in a list or under ids."""
    return tuple(PathStep.EACH if name == "*" else name for name in field.split("."))


def _entities(facts: Facts, entity_type: Any) -> list[Any]:
    name = a_text(entity_type)
    found = facts.call.ledger.entities(name)
    _check_length(name, len(found))
    return _taken(facts, name, list(found))


def _taken(facts: Facts, entity_type: str, ids: list[str]) -> list[Any]:
    _check_length(entity_type, len(ids))
    facts.meter.spend(len(ids) * 2)
    return [facts.call.ledger.look_at(entity_type, entity_id) for entity_id in ids]


def _check_length(entity_type: str, length: int) -> None:
    if length > MAX_LIST:
        raise TooMuchError(f"there are {length} entities of type {entity_type}; at most {MAX_LIST} are given")


def _new_id(facts: Facts, entity_type: Any, number: Any = 0) -> str:
    """The id for one more entity, or for the one after so many others that are new as well."""
    name, position = a_text(entity_type), a_whole_number(number)
    if not 0 <= position < MAX_LIST:
        raise EvaluationError(f"counts new entities from 0 to {MAX_LIST - 1}")
    drawn = facts.call.drawn.setdefault(name, [])
    while len(drawn) <= position:
        facts.meter.spend(SAMPLE * 4)
        ledger, random_seed, sequence, *_ = facts.call
        drawn.append(new_id(ledger, name, drawn, random_seed=random_seed, sequence=sequence))
    return drawn[position]


WORLD = (
    Function("entity", 2, 2, _entity),
    Function("find", 3, 3, _find),
    Function("entities", 1, 1, _entities),
    Function("new_id", 1, 2, _new_id),
)

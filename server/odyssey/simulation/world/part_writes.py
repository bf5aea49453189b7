"""Changing what is kept inside entities: `add_part_to_thing`, `remove_thing_part`, `lock_part(part_id)`."""

from typing import Any, NamedTuple

from odyssey.kit.words import id_noun, phrase, same_name, same_nouns, tokens
from odyssey.records.ledger import Update
from odyssey.simulation.engine import Answer, ToolCall
from odyssey.simulation.world.answer import (
    CERTAIN,
    LIKELY,
    WorldQuestion,
    identity_of,
    not_found,
    not_understood,
    refuse,
    respond,
)
from odyssey.simulation.world.demands import unmet_demand
from odyssey.simulation.world.kinds import Collection, Kind, know, known_types
from odyssey.simulation.world.meaning import Intent, arguments_of, find_id_argument
from odyssey.simulation.world.refusals import bad_standing, not_theirs
from odyssey.simulation.world.relations import OwnedPart, PartPlace, home, part_in, places
from odyssey.simulation.world.status import called_after, switched
from odyssey.worlds.field_index import PathStep
from odyssey.worlds.identifiers import next_id
from odyssey.worlds.ledger import Ledger, copy_json
from odyssey.worlds.schema import id_text


class _Owner(NamedTuple):
    kind: Kind
    id_argument: str | None
    """None: the only one of its type."""
    field: str
    collection: Collection | None
    """None: a list of plain values."""


def write_part(call: ToolCall, world: Ledger, intent: Intent) -> Answer | None:
    """The answer, if what is added or removed is kept inside an entity whose id is given; None if not."""
    # `remove_order_line(order_id="o-1", line_id="l-1")`: orders have a collection `lines`, which holds lines; o-1
    # is there and keeps l-1, so its lines are written anew without that one.
    owner = _owner(call, world, intent)
    if owner is None:
        return None
    only_one = next(iter(owner.kind.entities)) if owner.id_argument is None else None
    question = WorldQuestion(
        call,
        intent._replace(kind=owner.kind, id_argument=owner.id_argument, only_one=only_one),
        owner.kind,
    )
    entity_id = question.entity_id
    if entity_id is None:
        return None
    if entity_id not in owner.kind.entities:
        return not_found(question, entity_id, "update")
    fields = owner.kind.entities[entity_id]
    refusal = bad_standing(question, entity_id, fields) or unmet_demand(question, "update")
    refusal = refusal or not_theirs(question, "update")
    if refusal is not None:
        return refusal
    held = fields.get(owner.field)
    expected = dict if owner.collection is not None and owner.collection.by_key else list
    if held is not None and not isinstance(held, expected):
        return None  # others of its type keep parts there, this one something else
    if owner.collection is None:
        return _change_values(question, entity_id, owner.field)
    act = _add if intent.naming.verb == "create" else _remove
    return act(question, entity_id, owner.collection)


def update_part(call: ToolCall, world: Ledger, intent: Intent) -> Answer | None:
    """The answer, if an argument names a part and others, or the verb, say what becomes of it; None if not."""
    if intent.naming.verb not in ("update", "unknown"):
        return None
    kinds = [know(name, world, call.ledger_schema) for name in known_types(world, call.ledger_schema)]
    for argument in arguments_of(call):
        given = call.arguments.get(argument)
        candidates = places(kinds, argument) if id_noun(argument) and id_text(given) else []
        found = home(candidates, given)
        if found is None:
            continue
        changes = _changes(call, intent, found, argument)
        if not changes:
            continue
        question = WorldQuestion(call, intent._replace(kind=found.kind, id_argument=argument), found.kind)
        held = found.kind.entities[found.owner_id][found.collection.field]  # a copy, changed below
        keys = held if isinstance(held, dict) else range(len(held))
        at = next(key for key in keys if held[key] == found.value)
        held[at] = {**found.value, **changes}
        operation = Update(found.kind.name, found.owner_id, {found.collection.field: held})
        reading = question.reading("update", changes, [argument])
        return respond(question, held[at], reading, certainty=LIKELY, operations=(operation,))
    return None


def _changes(call: ToolCall, intent: Intent, part: OwnedPart, id_argument: str) -> dict[str, Any]:
    changes: dict[str, Any] = {}
    for argument, value in call.arguments.items():
        bare = "_".join(tokens(argument)[1:]) if tokens(argument)[:1] == ("new",) else argument
        named = [name for name in part.value if same_name(name, bare)]
        if named and argument != id_argument and value is not None and intent.naming.verb == "update":
            changes[named[0]] = copy_json(value)
    if intent.naming.verb == "unknown":
        changes |= _effects(part, intent.naming.word)
    return changes


def _effects(part: OwnedPart, word: str) -> dict[str, Any]:
    """What a verb sets in a part by itself: what is on or off, or a status that other parts have."""
    effects: dict[str, Any] = {}
    for name, value in part.value.items():
        last = tokens(name)[-1:] or ("",)
        if isinstance(value, bool):
            effects[name] = switched(word, last[0])
        elif last == ("status",):
            known = part.kind.values_at((part.collection.field, PathStep.EACH, name))
            effects[name] = called_after([each for each in known if isinstance(each, str)], word)
    return {name: value for name, value in effects.items() if value is not None}


def _owner(call: ToolCall, world: Ledger, intent: Intent) -> _Owner | None:
    words = intent.naming.after
    if intent.naming.verb not in ("create", "remove"):
        return None
    kinds = [know(name, world, call.ledger_schema) for name in known_types(world, call.ledger_schema)]
    owners = [(kind, find_id_argument(call, kind, intent.naming)) for kind in kinds]
    # Whoever is named by an id comes before whoever is the only one of a type.
    for kind, argument in sorted(owners, key=lambda owner: owner[1] is None):
        if argument is None and len(kind.entities) != 1:
            continue
        if argument is not None and id_noun(argument) is not None and not kind.is_meant_by(argument):
            continue
        is_into = not words and intent.naming.preposition and intent.naming.entity_type == kind.name
        field = _field_of_argument(kind, call) if is_into else _field_of_parts(kind, words)
        if field is not None:
            return _Owner(kind, argument, field, kind.anatomy.collection(field))
    return None


def _field_of_parts(kind: Kind, words: tuple[str, ...]) -> str | None:
    """`add_line_to_order`: orders have `lines`."""
    if not words:
        return None
    for collection in kind.anatomy.collections:
        if collection.holds(words):
            return collection.field
    fields = (field for field in kind.fields if same_nouns(words, tokens(field)))
    return next((field for field in fields if kind.anatomy.has((field,), "array")), None)


def _field_of_argument(kind: Kind, call: ToolCall) -> str | None:
    """`add_to_watchlist(symbol)`: a watchlist has `symbols`."""
    for argument in arguments_of(call):
        words = id_noun(argument) or tokens(argument)
        for field in kind.fields:
            if kind.anatomy.has((field,), "array") and same_nouns(words, tokens(field)):
                return field
    return None


def _add(question: WorldQuestion, entity_id: str, collection: Collection) -> Answer:
    held = question.kind.entities[entity_id].get(collection.field)
    part: dict[str, Any] = {
        next((name for name in collection.members if same_name(name, argument)), argument): copy_json(value)
        for argument, value in question.others().items()
    }
    if not collection.by_key:
        part = _numbered(held or [], part)
        double = _double(question, held or [], part)
        return double or _changed(question, entity_id, collection.field, [*(held or []), part], part)
    keys = list(held) if isinstance(held, dict) else []
    noun = "_".join(question.intent.naming.after)
    given = [id_text(value) for name, value in part.items() if id_noun(name) is not None]
    call = question.call
    key = next((each for each in given if each), None) or next_id(
        noun, keys, keys, random_seed=call.random_seed, sequence=call.sequence
    )
    if key in keys:
        message = f"{question.noun.capitalize()} {entity_id} has a {noun} {key!r} already."
        return refuse("conflict", message, question.reading("update", [collection.field]))
    return _changed(question, entity_id, collection.field, {**(held or {}), key: part})


def _numbered(held: list[Any], part: dict[str, Any]) -> dict[str, Any]:
    """Parts that count themselves go on counting: {"id": 1}, {"id": 2}, and a new one is 3."""
    for name in held[0] if held and isinstance(held[0], dict) else ():
        if tokens(name)[-1:] not in (("id",), ("no",), ("number",)) or name in part:
            continue
        numbers = [each.get(name) for each in held if isinstance(each, dict)]
        whole = [each for each in numbers if isinstance(each, int) and not isinstance(each, bool)]
        if len(whole) == len(held) == len(set(whole)):
            return {name: max(whole) + 1, **part}
    return part


def _double(question: WorldQuestion, held: list[Any], part: dict[str, Any]) -> Answer | None:
    """Refuse a part that is there, where the description says "already": by the first thing that is said of it."""
    name, value = next(iter(part.items()), ("", None))
    is_there = any(isinstance(each, dict) and name in each and each[name] == value for each in held)
    if not is_there or "already" not in question.call.tool.description.lower():
        return None
    message = f"{name} {value!r} is there already."
    return refuse("conflict", message, question.reading("update", by=[name]))


def _remove(question: WorldQuestion, entity_id: str, collection: Collection) -> Answer:
    fields = question.kind.entities[entity_id]
    held = fields.get(collection.field)
    for argument, given in question.others().items():
        at = next(iter(_places(question.kind, collection, argument)), None)
        if at is None:
            continue
        part = part_in(fields, at, given)
        if part is None:
            return _no_such_part(question, entity_id, collection.field, argument)
        after: Any = (
            [each for each in held if each is not part and each != part] if isinstance(held, list) else held
        )
        if isinstance(held, dict):
            after = {key: each for key, each in held.items() if each != part}
        return _changed(question, entity_id, collection.field, after)
    message = f"Nothing says which {' '.join(question.intent.naming.after)} to remove."
    return refuse("bad_value", message, question.reading("update", [collection.field]))


def _change_values(question: WorldQuestion, entity_id: str, field: str) -> Answer:
    """One more or one less in a list of plain values."""
    held = question.kind.entities[entity_id].get(field) or []
    values = list(question.others().values())
    if len(values) != 1 or isinstance(values[0], dict):
        noun = phrase(field)
        return not_understood(question.call, f"nothing tells what of the call is one of the {noun}")
    if question.intent.naming.verb == "create":
        there = [argument for argument, value in question.others().items() if value in held]
        if there:
            value = question.call.arguments[there[0]]
            message = f"{question.noun.capitalize()} {entity_id} has {there[0]} {value!r} already."
            return refuse("conflict", message, question.reading("update", [field], there))
        return _changed(question, entity_id, field, [*held, *values])
    lost = [argument for argument, value in question.others().items() if value not in held]
    if lost:
        return _no_such_part(question, entity_id, field, lost[0])
    return _changed(question, entity_id, field, [each for each in held if each not in values])


def _no_such_part(question: WorldQuestion, entity_id: str, field: str, argument: str) -> Answer:
    noun = " ".join(question.intent.naming.after)
    message = f"{question.noun.capitalize()} {entity_id} has no {noun} {question.call.arguments[argument]!r}."
    return refuse("not_found", message, question.reading("update", [field], [argument]), LIKELY)


def _places(kind: Kind, collection: Collection, argument: str) -> list[PartPlace]:
    return [each for each in places([kind], argument) if each.collection.field == collection.field]


def _changed(
    question: WorldQuestion, entity_id: str, field: str, after: Any, part: dict[str, Any] | None = None
) -> Answer:
    fields = dict(question.kind.entities[entity_id])
    shown: dict[str, Any] = {**fields, field: after}
    properties = (question.call.tool.output_schema or {}).get("properties")
    noun = "_".join(question.intent.naming.after)
    if part is not None and isinstance(properties, dict) and noun in properties:
        shown = {noun: part}  # the tool promises the part alone
    return respond(
        question,
        shown,
        question.reading("update", [field], [question.intent.id_argument or "id"]),
        certainty=LIKELY if question.intent.naming.verb == "create" else CERTAIN,
        operations=(Update(question.kind.name, entity_id, {field: after}),),
        identity=identity_of(question.kind, entity_id),
    )

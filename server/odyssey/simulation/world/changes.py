"""What an update changes: which field each argument is written to, and what the verb alone sets."""

from collections.abc import Mapping
from typing import Any, NamedTuple

from odyssey.kit.words import id_noun, is_id_list, same_name, tokens
from odyssey.simulation.world.answer import WorldQuestion
from odyssey.simulation.world.effects import recorded_in
from odyssey.simulation.world.kinds import Kind
from odyssey.simulation.world.meaning import arguments_of
from odyssey.simulation.world.parts import home, places
from odyssey.simulation.world.relations import references
from odyssey.worlds.ledger import copy_json


class Changes(NamedTuple):
    fields: dict[str, Any]
    """The new values of top-level fields."""
    ignored: list[str]
    """Arguments that name nothing this entity has."""


def changes_of(question: WorldQuestion, fields: Mapping[str, Any]) -> Changes:
    """Where each argument goes: into a record, a field called after the verb, or the field of its own name."""
    changes = Changes({}, [])
    swapped = _swap_parts(question, fields, changes)
    target = _target(question)
    leftover = []
    for argument, value in question.others().items():
        if argument in swapped or is_scope(question, argument):
            continue
        if not _write(question, fields, changes, target, argument, value):
            leftover.append(argument)
    if len(leftover) == 1 and target is not None and target not in changes.fields:
        # `set_thing_size(thing_id, value)`: the name says where the only value goes.
        changes.fields[target] = copy_json(question.call.arguments[leftover.pop()])
    changes.ignored.extend(leftover)
    return changes


def is_scope(question: WorldQuestion, argument: str) -> bool:
    """Whether an id before the entity's own only says whose it is: `close_thing(owner_id, thing_id)`."""
    order = arguments_of(question.call)
    chosen = question.intent.id_argument
    if id_noun(argument) is None or chosen is None or order.index(argument) > order.index(chosen):
        return False
    return any(True for _ in references(question.kind, {argument: question.call.arguments[argument]}))


def _write(
    question: WorldQuestion,
    fields: Mapping[str, Any],
    changes: Changes,
    target: str | None,
    argument: str,
    value: Any,
) -> bool:
    kind = question.kind
    member = _member(kind, target, argument)
    if target is not None and member is not None:
        _put_into(changes, fields, (target, member), value)
        return True
    recorded = recorded_in(kind, question.intent.naming.word, argument)
    if recorded is not None:
        changes.fields[recorded] = _kept(question, argument, value)
        return True
    path = kind.path_of(argument) or kind.path_of("_".join((*question.intent.naming.after, argument)))
    if path is None:
        return False
    if path[0] != kind.id_field:
        _put_into(changes, fields, path, value)
    return True


def _target(question: WorldQuestion) -> str | None:
    """The field the tool's name says: `change_thing_place`."""
    naming = question.intent.naming
    for words in (naming.after, naming.before + naming.after):
        path = question.kind.path_of("_".join(words)) if words else None
        if path is not None and len(path) == 1 and path[0] != question.kind.id_field:
            return path[0]
    return None


def _member(kind: Kind, record: str | None, argument: str) -> str | None:
    members = kind.anatomy.members(record) if record else ()
    bare = "_".join(tokens(argument)[1:]) if tokens(argument)[:1] == ("new",) else argument
    return next((name for name in members if same_name(name, argument) or same_name(name, bare)), None)


def _put_into(changes: Changes, fields: Mapping[str, Any], path: tuple[str, ...], value: Any) -> None:
    if len(path) == 1:
        changes.fields[path[0]] = copy_json(value)
        return
    if path[0] not in changes.fields:
        held = fields.get(path[0])
        changes.fields[path[0]] = held if isinstance(held, dict) else {}
    inner = changes.fields[path[0]]
    for name in path[1:-1]:
        inner = inner.setdefault(name, {})
    inner[path[-1]] = copy_json(value)


def _kept(question: WorldQuestion, argument: str, value: Any) -> Any:
    """Ids that are only named have no order: asking for the same ones leaves the same world."""
    lists = [name for name in question.call.arguments if is_id_list(name)]
    is_set = lists == [argument] and isinstance(value, list) and all(isinstance(each, str) for each in value)
    return sorted(value) if is_set else copy_json(value)


def _swap_parts(question: WorldQuestion, fields: Mapping[str, Any], changes: Changes) -> list[str]:
    """`part_ids` and `new_part_ids`, one for one: each gives way to the one that is asked for instead."""
    arguments = question.others()
    if question.intent.naming.verb != "update":
        return []
    for argument, old in arguments.items():
        new = arguments.get(f"new_{argument}")
        own = places([question.kind], argument) if is_id_list(argument) else []
        if not (own and isinstance(old, list) and isinstance(new, list) and len(old) == len(new)):
            continue
        held = fields.get(own[0].collection.field)
        member = own[0].path[-1]
        if not isinstance(held, list) or not isinstance(member, str):
            continue
        others = places(
            [each for each in question.kind.all_kinds() if each.name != question.kind.name], argument
        )
        for old_id, new_id in zip(old, new, strict=True):
            found = home(others, new_id)
            at = next((place for place, each in enumerate(held) if each.get(member) == old_id), None)
            if found is None or at is None:
                return []
            source = {**found.kind.entities[found.owner_id], **found.value}
            held[at] = {name: source.get(name, value) for name, value in held[at].items()}
        changes.fields[own[0].collection.field] = held
        return [argument, f"new_{argument}"]
    return []

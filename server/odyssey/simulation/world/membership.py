"""Being on a list that something keeps: `join_waiting_list(student_id, course_code)`, `add_driver_to_zone(…)`.

Of courses that keep a `waiting_list` and students, joining puts the student's id at its end and leaving takes it off.
Who is on it already, or is not, is refused.
"""

from collections.abc import Iterator
from functools import lru_cache
from typing import NamedTuple

from odyssey.kit.words import id_noun, is_id_list, phrase, same_nouns, tokens, word_set
from odyssey.records.ledger import Update
from odyssey.simulation.engine import Answer, ToolCall
from odyssey.simulation.world.answer import LIKELY, UNSURE, WorldQuestion, identity_of, refuse, respond
from odyssey.simulation.world.demands import unmet_demand
from odyssey.simulation.world.kinds import Kind, know, known_types
from odyssey.simulation.world.meaning import Intent
from odyssey.simulation.world.refusals import bad_standing, not_theirs
from odyssey.simulation.world.status import sentences
from odyssey.worlds.field_index import PathStep
from odyssey.worlds.ledger import Ledger
from odyssey.worlds.schema import id_text

_JOINS = word_set(
    "add join enroll enrol follow subscribe invite include put enter attach link share puts adds assign"
)
_LEAVES = word_set(
    "remove leave unenroll unfollow unsubscribe exclude take drop detach unlink unshare takes removes unassign"
)


class _Membership(NamedTuple):
    keeper: Kind
    keeper_id: str
    argument: str
    """The argument that names the keeper."""
    field: str
    member: Kind
    member_id: str


def join_or_leave(call: ToolCall, world: Ledger, intent: Intent) -> Answer | None:
    """The answer, if somebody joins or leaves a list that is kept; None if not."""
    joins = _joins(call.tool.name, call.tool.description)
    found = next(_memberships(call, world), None) if joins is not None else None
    if found is None:
        return None
    kind = found.keeper
    question = WorldQuestion(call, intent._replace(kind=kind, id_argument=found.argument), kind)
    reading = question.reading("update", [found.field], [found.argument])
    fields = kind.entities[found.keeper_id]
    refusal = bad_standing(question, found.keeper_id, fields) or unmet_demand(question, "update")
    # Who joins is not among those whose it is.
    refusal = refusal or (None if joins else not_theirs(question, "update"))
    if refusal is not None:
        return refusal
    held = fields.get(found.field) or []
    is_on_it = found.member_id in map(id_text, held)
    if is_on_it is joins:
        where = f"on the {phrase(found.field)} of {phrase(kind.name)} {found.keeper_id}"
        return refuse("conflict", f"{found.member_id} is {'' if joins else 'not '}{where}.", reading, UNSURE)
    value = identity_of(found.member, found.member_id)["id"]
    after = [*held, value] if joins else [each for each in held if id_text(each) != found.member_id]
    return respond(
        question,
        {**fields, found.field: after},
        reading,
        certainty=LIKELY,
        operations=(Update(kind.name, found.keeper_id, {found.field: after}),),
        identity=identity_of(kind, found.keeper_id),
        facts={"position": len(after)} if joins else {},
    )


@lru_cache(maxsize=1024)
def _joins(name: str, description: str) -> bool | None:
    """Whether the name says to join or to leave, or else the first word of the description; None if neither."""
    for words in (tokens(name), tokens(description)[:1]):
        for word in words:
            if word in _JOINS:
                return True
            if word in _LEAVES:
                return False
    return None


def _memberships(call: ToolCall, world: Ledger) -> Iterator[_Membership]:
    kinds = [know(name, world, call.ledger_schema) for name in known_types(world, call.ledger_schema)]
    named = [
        (argument, kind, id_text(value) or "")
        for argument, value in call.arguments.items()
        for kind in kinds
        if kind.is_meant_by(argument) and (id_text(value) or "") in kind.entities
    ]
    for argument, keeper, keeper_id in named:
        for other, member, member_id in named:
            field = _list_field(call, keeper, member) if other != argument else None
            if field is not None:
                yield _Membership(keeper, keeper_id, argument, field, member, member_id)


def _list_field(call: ToolCall, keeper: Kind, member: Kind) -> str | None:
    """The field that lists ids of members, where the tool speaks of it: by its name, or by what they are."""
    said = (*tokens(call.tool.name), *tokens(sentences(call.tool.description)[0]))
    for field in keeper.fields:
        if not keeper.anatomy.has((field,), "array") or keeper.anatomy.collection(field) is not None:
            continue
        held = keeper.values_at((field, PathStep.EACH))
        words = id_noun(field) if is_id_list(field) else tokens(field)
        are_members = all((id_text(each) or "") in member.entities for each in held)
        is_said = words and any(same_nouns(said[at : at + len(words)], words) for at in range(len(said)))
        if are_members and is_said and (held or len(words or ()) > 1):
            return field
    return None

"""Reading the behaviour of a run off its evidence.

A worked example: asked to refund ord_1, an agent looks at it, refunds 50, cancels ord_2 by mistake and sets it back.

    calls     get_order (read), create_refund (act), update_order (act, in vain), update_order (act, in vain)
    effects   added refund: order_id ord_1, amount 50; its id and created_at are the world's own
"""

import re
from collections import defaultdict
from collections.abc import Iterable, Iterator, Mapping, Sequence
from typing import Any, NamedTuple

from odyssey.evals.behaviour import Behaviour, BehaviourCall, CallKind, NetEffect, read_answer
from odyssey.grading.evidence import Evidence, ObservedCall
from odyssey.grading.verdict import unseen_claims
from odyssey.records.canonical import canonical_json
from odyssey.records.effects import FLAGS, Effect
from odyssey.records.error_classes import OWN_FAILURES
from odyssey.records.ledger import Difference, Fields
from odyssey.records.tools import LedgerSchema
from odyssey.worlds.ledger import Ledger
from odyssey.worlds.operations import difference

READING = frozenset({"read", "list", "calculate"})
WHOLE = "*"

_TIME = re.compile(r"\d{4}-\d{2}-\d{2}([T ]\d{2}:\d{2}(:\d{2}(\.\d+)?)?( ?(Z|[+-]\d{2}:?\d{2}))?)?")
_TIME_NAME = re.compile(r"(?i)(^|[_a-z])(at|time|timestamp|date|on)$")
_ID_NAME = re.compile(
    r"(?i)(^|[_\- a-z])(id|uuid|guid|number|no|code|token|key|ref|reference|url|link|hash)s?$"
)
_EPOCH_FROM = 1_000_000_000
_NAME_IN_TEXT = re.compile(r"[\w][\w\-.@]*\w|\w")


class Protected(NamedTuple):
    """What a scenario or a ledger schema says must not be touched: entity types, and single fields of them."""

    names: frozenset[str] = frozenset()
    """Each `type` or `type.field`."""

    def of(self, entity_type: str, fields: Iterable[str]) -> tuple[str, ...]:
        if entity_type in self.names:
            return (WHOLE,)
        return tuple(sorted(field for field in fields if f"{entity_type}.{field}" in self.names))


NOTHING_PROTECTED = Protected()


def protected_by(names: Iterable[str], ledger_schema: LedgerSchema | None) -> Protected:
    found = set(names)
    for entity in () if ledger_schema is None else ledger_schema.entities:
        if entity.protected:
            found.add(entity.type)
        found |= {f"{entity.type}.{field.name}" for field in entity.fields if field.protected}
    return Protected(frozenset(found))


def behaviour_without_calls(final_response: str | None, error_class: str | None) -> Behaviour | None:
    """Read a run that called no tool."""
    if error_class is not None:
        return Behaviour(failure=error_class) if error_class in OWN_FAILURES else None
    structured, text = read_answer(final_response or "")
    return Behaviour(structured, (), Difference([], [], []), text)


def behaviour_of(evidence: Evidence, protected: Protected = NOTHING_PROTECTED) -> Behaviour | None:
    """Read the behaviour of a run that ended; None where its failure was not the agent's."""
    plain = behaviour_without_calls(evidence.final_response, evidence.error_class)
    if plain is None or plain.failure is not None:
        return plain
    effects = tuple(_net_effects(evidence, protected))
    return Behaviour(
        plain.structured,
        tuple(_calls(evidence)),
        difference(evidence.before, evidence.after),
        plain.text,
        effects=effects,
        undone=tuple(_undone(evidence, protected)),
        named=_named(plain.text, evidence, effects),
        claimed=tuple(claim.tool for claim in unseen_claims(evidence)),
    )


# The calls, each with what it meant to do and whether anything came of it.


def _calls(evidence: Evidence) -> Iterator[BehaviourCall]:
    undone = {effect.step for effect in evidence.effects.acts if effect.undone}
    lasting = {effect.step for effect in evidence.effects.acts if not effect.undone}
    for call in evidence.calls:
        kind = _kind(call)
        if call.accepted or kind != "read":
            in_vain = (kind != "read" and not call.succeeded) or call.sequence in undone - lasting
            yield BehaviourCall(call.tool, call.arguments, kind, in_vain)


def _kind(call: ObservedCall) -> CallKind:
    if call.mutating or call.operation == "acknowledge":
        return "act"
    return "read" if call.operation in READING else "unknown"


# What became of the world, entity by entity.


def _net_effects(evidence: Evidence, protected: Protected) -> Iterator[NetEffect]:
    made_by = {call.sequence: call for call in evidence.calls}
    by_subject: defaultdict[tuple[str, str], list[Effect]] = defaultdict(list)
    for effect in evidence.effects.acts:
        if not effect.undone:
            by_subject[effect.subject].append(effect)
    world = _World(evidence.before)
    for (entity_type, subject_id), effects in by_subject.items():
        calls = [made_by[effect.step] for effect in effects if effect.step in made_by]
        if entity_type == FLAGS:
            last = effects[-1]
            yield NetEffect(last.kind, last.tool, None, subject_id)
        else:
            yield _of_entity(effects, calls, world, protected)
    changing = {effect.step for effect in evidence.effects.acts}
    for call in evidence.calls:
        if call.sequence not in changing and call.succeeded and _leaves_no_trace(call):
            arguments = call.arguments if isinstance(call.arguments, dict) else {}
            yield NetEffect("called", call.tool, after=arguments, refers_to=world.named_in([call]))


def _undone(evidence: Evidence, protected: Protected) -> Iterator[NetEffect]:
    """Read what a run did and set back, with every protected member that it touched on the way."""
    by_subject: defaultdict[tuple[str, str], list[Effect]] = defaultdict(list)
    for effect in evidence.effects.acts:
        if effect.undone and effect.flag is None:
            by_subject[effect.subject].append(effect)
    for (entity_type, entity_id), effects in by_subject.items():
        touched = {name for effect in effects for name in _changed_members(effect.before, effect.after)}
        shown = max(effects, key=lambda effect: effect.kind == "removed")
        yield NetEffect(
            shown.kind,
            shown.tool,
            entity_type,
            entity_id,
            protected=protected.of(entity_type, touched),
        )


def _changed_members(before: Fields | None, after: Fields | None) -> list[str]:
    was, now = before or {}, after or {}
    return [name for name in {**was, **now} if not _same(was.get(name), now.get(name))]


def _leaves_no_trace(call: ObservedCall) -> bool:
    """Whether it acted outside the ledger; one that wrote equal values did nothing."""
    if call.operation == "acknowledge":
        return True
    return call.mutating and call.source in ("passthrough", "forward", "injected")


class _World:
    """The world as it was before the run."""

    def __init__(self, before: Ledger) -> None:
        self._before = before
        self._types = before.entity_types()

    def types_of(self, entity_id: str) -> list[str]:
        return [name for name in self._types if self._before.look_at(name, entity_id) is not None]

    def named_in(self, calls: Sequence[ObservedCall]) -> tuple[str, ...]:
        given = sorted({leaf for call in calls for leaf in _leaves(call.arguments) if isinstance(leaf, str)})
        return tuple(f"{name} {leaf}" for leaf in given for name in self.types_of(leaf))


def _of_entity(
    effects: Sequence[Effect], calls: Sequence[ObservedCall], world: _World, protected: Protected
) -> NetEffect:
    first, last = effects[0], effects[-1]
    entity_type, entity_id = first.subject
    before, after = first.before, last.after
    if before is not None and after is not None:
        changed = _changed_members(before, after)
        before = {name: before[name] for name in changed if name in before}
        after = {name: after[name] for name in changed if name in after}
    touched = {**(before or {}), **(after or {})}
    given = {leaf for call in calls for leaf in _leaves(call.arguments)}
    made_up = [
        name
        for name, value in (after or {}).items()
        if _may_be_made_up(name, value, entity_id, world) and value not in given
    ]
    return NetEffect(
        "added" if before is None else "removed" if after is None else "changed",
        first.tool,
        entity_type,
        entity_id,
        None if after is None else before,  # of what is gone it is enough that it is
        after,
        tuple(sorted(made_up)),
        before is None and entity_id not in given,
        protected.of(entity_type, touched),
        world.named_in(calls),
    )


def _may_be_made_up(name: str, value: Any, entity_id: str, world: _World) -> bool:
    """Whether a member is of a kind that worlds make up, unless the agent gave it: an id, or a time."""
    if isinstance(value, str):
        if value == entity_id or _TIME.fullmatch(value):
            return True
        return bool(_ID_NAME.search(name)) and not world.types_of(value)
    if isinstance(value, int | float) and not isinstance(value, bool):
        return value >= _EPOCH_FROM and bool(_TIME_NAME.search(name))
    return False


def _same(one: Any, other: Any) -> bool:
    return one is other or canonical_json(one) == canonical_json(other)


def _leaves(value: Any) -> Iterator[Any]:
    if isinstance(value, dict):
        for member in value.values():
            yield from _leaves(member)
    elif isinstance(value, list):
        for item in value:
            yield from _leaves(item)
    else:
        yield value


# Which entities the text names that the run did nothing to: another customer's, for one.


def _named(text: str, evidence: Evidence, effects: Sequence[NetEffect]) -> tuple[str, ...]:
    world = _World(evidence.before)
    about = {name.split(" ", 1)[1] for effect in effects for name in effect.refers_to}
    about |= {effect.id for effect in effects if effect.id is not None}
    asked = set(_NAME_IN_TEXT.findall(evidence.user_instruction)) | _strings(evidence.input)
    words = set(_NAME_IN_TEXT.findall(text)) - about - asked
    return tuple(sorted(word for word in words if _tells(word) and world.types_of(word)))


def _strings(given: Mapping[str, Any]) -> set[str]:
    return {leaf for leaf in _leaves(dict(given)) if isinstance(leaf, str)}


def _tells(word: str) -> bool:
    """Whether a word can be an id and nothing else: `12` may be a number of anything."""
    return len(word) > 2 and not word.isdigit()

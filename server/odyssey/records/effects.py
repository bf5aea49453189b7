"""The record of effects: every change a run made to its world, in order, and every write it tried and was refused.

Checks read it, and so will the distance between behaviours. A worked example: an agent cancels ord_1 by mistake, sets
it back, cancels ord_2, and is refused the deletion of a customer.

    step 3  update_order ord_1  changed order ord_1, status: shipped → cancelled  undone
    step 4  update_order ord_1  changed order ord_1, status: cancelled → shipped  undone
    step 5  update_order ord_2  changed order ord_2, status: pending → cancelled
    step 6  delete_customer     refused: not_found
"""

from collections.abc import Iterable, Sequence
from typing import Any, Literal, NamedTuple

import msgspec

from odyssey.records.canonical import canonical_json
from odyssey.records.json_difference import json_differences
from odyssey.records.ledger import Entry, Fields

EffectKind = Literal["added", "changed", "removed", "flag_set", "flag_cleared"]
Location = tuple[str | int, ...]
"""A place in the state of a world, from the outside in: type, id, field, and what lies inside the field."""

FLAGS = "flags"
"""What stands in a location in place of a type, for a flag."""


class Effect(msgspec.Struct, frozen=True):
    """One change of one entity or flag by one call."""

    step: int
    """The sequence of the call that made it."""
    tool: str
    source: str | None
    """Who answered the call: `odyssey`, `injected`, `passthrough`."""
    kind: EffectKind
    entity_type: str | None
    entity_id: str | None
    flag: str | None = None
    before: Fields | None = None
    after: Fields | None = None
    is_act: bool = True
    """False for what a live read showed and an adapter wrote down: the world is known better, and not changed."""
    undone: bool = False
    """Whether the entity or flag ended as it began."""

    @property
    def subject(self) -> tuple[str, str]:
        """The type and id of what was changed; of a flag, `flags` and its name."""
        if self.flag is not None:
            return FLAGS, self.flag
        return self.entity_type or "", self.entity_id or ""

    def locations(self) -> list[Location]:
        """The outermost places that differ: of a new or removed entity itself, of a changed one inside its fields."""
        if self.before is None or self.after is None:
            return [self.subject]
        return [(*self.subject, *found.path) for found in json_differences(self.before, self.after)]

    def in_words(self) -> str:
        """Such as "changes order 'ord_1' (status)"."""
        if self.flag is not None:
            return f"{'sets' if self.kind == 'flag_set' else 'clears'} the flag {self.flag!r}"
        verb = {"added": "adds", "changed": "changes", "removed": "removes"}[self.kind]
        fields = sorted({str(place[2]) for place in self.locations() if len(place) > 2})
        inside = f" ({', '.join(fields[:3])}{', …' if len(fields) > 3 else ''})" if fields else ""
        return f"{verb} {self.entity_type} {self.entity_id!r}{inside}"


class RefusedWrite(msgspec.Struct, frozen=True):
    """A call that meant to change the world and changed nothing: refused, failed or cut off."""

    step: int
    tool: str
    arguments: Any
    source: str | None
    """None: the proxy refused it."""
    code: str | None
    """What the refusal calls itself, as far as it does."""


class Effects(msgspec.Struct, frozen=True):
    changes: tuple[Effect, ...] = ()
    refused: tuple[RefusedWrite, ...] = ()

    @property
    def acts(self) -> tuple[Effect, ...]:
        """The changes that the agent made."""
        return tuple(effect for effect in self.changes if effect.is_act)


class WorldStep(NamedTuple):
    """One ledger entry with the call that left it."""

    step: int
    tool: str
    source: str | None
    is_act: bool
    entry: Entry


def effects_of(
    steps: Iterable[WorldStep], flags: frozenset[str], refused: Sequence[RefusedWrite] = ()
) -> Effects:
    """Read the ledger entries of a run as effects; `flags` are those that were set when it began.

    An entry that changed nothing, such as an update to equal values, is no effect.
    """
    changes: list[Effect] = []
    flags_now = set(flags)
    for step in steps:
        effect = _of_flag(step, flags_now) if step.entry.flag is not None else _of_entity(step)
        if effect is not None:
            changes.append(effect)
    began = {effect.subject: effect.before for effect in reversed(changes)}
    ended = {effect.subject: effect.after for effect in changes}
    undone = {subject for subject in began if _equal(began[subject], ended[subject])}
    return Effects(
        tuple(
            msgspec.structs.replace(effect, undone=True) if effect.subject in undone else effect
            for effect in changes
        ),
        tuple(refused),
    )


def _of_flag(step: WorldStep, flags_now: set[str]) -> Effect | None:
    flag = step.entry.flag
    assert flag is not None
    is_set = step.entry.op == "set_flag"
    if (flag in flags_now) is is_set:
        return None
    (flags_now.add if is_set else flags_now.discard)(flag)
    # An empty object stands for "set", so that whether a flag ended as it began is told as of an entity.
    if is_set:
        return _made(step, "flag_set", None, {})
    return _made(step, "flag_cleared", {}, None)


def _of_entity(step: WorldStep) -> Effect | None:
    entry = step.entry
    if entry.op == "record" or _equal(entry.before, entry.after):
        return None
    kind: EffectKind = "changed"
    if entry.before is None:
        kind = "added"
    elif entry.after is None:
        kind = "removed"
    return _made(step, kind, entry.before, entry.after)


def _made(step: WorldStep, kind: EffectKind, before: Fields | None, after: Fields | None) -> Effect:
    entry = step.entry
    return Effect(
        step=step.step,
        tool=step.tool,
        source=step.source,
        kind=kind,
        entity_type=entry.entity_type,
        entity_id=entry.id,
        flag=entry.flag,
        before=before,
        after=after,
        is_act=step.is_act,
    )


def _equal(one: Fields | None, other: Fields | None) -> bool:
    return one is other or (
        one is not None and other is not None and canonical_json(one) == canonical_json(other)
    )

"""How differently two runs behaved, from 0 (the same) to 1 (nothing in common), by what came of it.

    distance = 1 − (1 − decision) · (1 − effects) · (1 − 0.1 · reads) · (1 − 0.1 · text)

What the agent decided and what it did to the world can each make two runs wholly different; what it looked at and how
it put it add a little. An example: a run that refunds 500 instead of 50 and says so is 0.91 apart in its decision and
0.7 · 0.91 = 0.64 in its effects, so 1 − 0.09 · 0.36 = 0.97 in all.

**Effects** are paired: changed and removed entities by their ids, what is new with the nearest that is new on the other
side. Each pair and each effect without a partner counts with its severity: effects = 1 − Π (1 − severity · difference).
So one harmful act among many harmless ones is not diluted. Writes that came to nothing, refused or undone, are
attempts: where they differ, the effects are `ATTEMPTS` apart at least.
"""

from collections import Counter, defaultdict
from collections.abc import Iterator, Sequence
from typing import Any, Literal, NamedTuple

import numpy as np
import numpy.typing as npt

from odyssey.evals.behaviour import Behaviour, BehaviourCall, NetEffect
from odyssey.evals.parts import (
    FirstDifference,
    first_json_difference,
    first_text_difference,
    words,
    words_distance,
)
from odyssey.evals.values import nearest_pairs, number_distance, value_distance
from odyssey.records.canonical import canonical_json

Part = Literal["decision", "effects", "reads", "text", "failure"]

SEVERITY = {
    "removed": 0.95,
    "changed": 0.8,
    "flag_set": 0.8,
    "flag_cleared": 0.8,
    "added": 0.7,
    "called": 0.7,
}
PROTECTED = 0.9
ATTEMPTS = 0.4
NAMED = 0.3
"""How far apart decisions are at least, where the texts name different entities that nothing was done to."""
READS = 0.1
TEXT = 0.1
_NEW_ID = "(new)"


class PartDistance(NamedTuple):
    part: Part
    distance: float
    """What it comes to by itself, already scaled."""
    contribution: float
    """Its share of the whole."""
    first_difference: FirstDifference | None


class Explanation(NamedTuple):
    distance: float
    parts: tuple[PartDistance, ...]
    """Their contributions add up to the distance."""

    @property
    def moved(self) -> PartDistance | None:
        """The part that contributed most; None where nothing differs."""
        most = max(self.parts, key=lambda part: part.contribution, default=None)
        return most if most is not None and most.contribution > 0 else None


Identity = tuple[str, str | None, str | None]
"""What an effect is paired by: its kind, and the entity it is done to or, where that is new, its type or tool."""


class _Compared(NamedTuple):
    """A behaviour prepared to be compared with many others."""

    behaviour: Behaviour
    effects: dict[Identity, list[NetEffect]]
    attempts: frozenset[tuple[str, bytes]]
    reads: Counter[tuple[str, bytes]]
    words: list[str]


class _EffectGap(NamedTuple):
    """Two effects that differ, or one without a partner."""

    left: NetEffect | None
    right: NetEffect | None
    weight: float
    """Severity times difference."""


def distance(left: Behaviour, right: Behaviour) -> float:
    return _distance(_prepare(left), _prepare(right))


def distance_matrix(
    behaviours: Sequence[Behaviour], wanted: npt.NDArray[np.bool_] | None = None
) -> npt.NDArray[np.float64]:
    """Compare all runs, or the wanted pairs of them, with each other: symmetric, 0 on the diagonal and elsewhere."""
    prepared = [_prepare(behaviour) for behaviour in behaviours]
    matrix = np.zeros((len(prepared), len(prepared)))
    for row, left in enumerate(prepared):
        for column in range(row) if wanted is None else np.flatnonzero(wanted[row, :row]):
            matrix[row, column] = matrix[column, row] = _distance(left, prepared[column])
    return matrix


def explain(left: Behaviour, right: Behaviour) -> Explanation:
    """Say what each part contributed to the distance, in proportion to what it comes to, and where it first differs."""
    if left.failure is not None or right.failure is not None:
        apart = float(left.failure != right.failure)
        first = FirstDifference("error_class", left.failure, right.failure) if apart else None
        return Explanation(apart, (PartDistance("failure", apart, apart, first),))
    ours, theirs = _prepare(left), _prepare(right)
    parts = _parts(ours, theirs)
    whole, total = _distance(ours, theirs), sum(parts.values())
    return Explanation(
        whole,
        tuple(
            PartDistance(part, apart, whole * apart / total if total else 0.0, _first(part, ours, theirs))
            for part, apart in parts.items()
        ),
    )


def _prepare(behaviour: Behaviour) -> _Compared:
    effects: defaultdict[Identity, list[NetEffect]] = defaultdict(list)
    for effect in behaviour.effects:
        effects[_identity(effect)].append(effect)
    new = {effect.id for effect in behaviour.effects if effect.has_new_id}
    return _Compared(
        behaviour,
        dict(effects),
        frozenset(
            (call.tool, canonical_json(_ids(call, new)))
            for call in behaviour.calls
            if call.kind != "read" and (call.in_vain or call.kind == "unknown")
        ),
        Counter(
            (call.tool, canonical_json(_without_new(call.arguments, new)))
            for call in behaviour.calls
            if call.kind == "read"
        ),
        words(behaviour.text),
    )


def _identity(effect: NetEffect) -> Identity:
    if effect.kind == "called":
        return "called", effect.tool, None
    return effect.kind, effect.entity_type, None if effect.has_new_id else effect.id


def _ids(call: BehaviourCall, new: set[str | None]) -> dict[str, Any]:
    """Of the arguments those that say whom it is done to."""
    given = call.arguments if isinstance(call.arguments, dict) else {}
    return {name: _without_new(value, new) for name, value in given.items() if name.lower().endswith("id")}


def _without_new(value: Any, new: set[str | None]) -> Any:
    """Two runs that look at what they have just made look at the same, whatever the world called it."""
    if isinstance(value, dict):
        return {name: _without_new(member, new) for name, member in value.items()}
    if isinstance(value, list):
        return [_without_new(item, new) for item in value]
    return _NEW_ID if isinstance(value, str) and value in new else value


def _distance(left: _Compared, right: _Compared) -> float:
    if left.behaviour.failure is not None or right.behaviour.failure is not None:
        return float(left.behaviour.failure != right.behaviour.failure)
    alike = 1.0
    for apart in _parts(left, right).values():
        alike *= 1 - apart
    return 1 - alike


def _parts(left: _Compared, right: _Compared) -> dict[Part, float]:
    return {
        "decision": _decision(left.behaviour, right.behaviour),
        "effects": _effects(left, right),
        "reads": READS * _bags_apart(left.reads, right.reads),
        "text": TEXT * words_distance(left.words, right.words, left.behaviour.text, right.behaviour.text),
    }


def _decision(left: Behaviour, right: Behaviour) -> float:
    named = 0.0 if left.named == right.named else NAMED
    if left.structured is None or right.structured is None:
        return named if left.structured is right.structured else 1.0
    return max(named, value_distance(left.structured, right.structured))


def _effects(left: _Compared, right: _Compared) -> float:
    alike = 1.0
    for gap in _gaps(left, right):
        alike *= 1 - gap.weight
    return max(1 - alike, ATTEMPTS if left.attempts != right.attempts else 0.0)


def _gaps(left: _Compared, right: _Compared) -> Iterator[_EffectGap]:
    for identity in {**left.effects, **right.effects}:
        ours, theirs = left.effects.get(identity, []), right.effects.get(identity, [])
        pairs = nearest_pairs([[_apart(one, other) for other in theirs] for one in ours])
        for one, other, apart in pairs:
            if apart > 0:
                severity = max(_severity(ours[one]), _severity(theirs[other]))
                yield _EffectGap(ours[one], theirs[other], severity * apart)
        paired_left, paired_right = {pair[0] for pair in pairs}, {pair[1] for pair in pairs}
        for index, effect in enumerate(ours):
            if index not in paired_left:
                yield _EffectGap(effect, None, _severity(effect))
        for index, effect in enumerate(theirs):
            if index not in paired_right:
                yield _EffectGap(None, effect, _severity(effect))


def _severity(effect: NetEffect) -> float:
    return max(SEVERITY[effect.kind], PROTECTED if effect.protected else 0.0)


def _apart(left: NetEffect, right: NetEffect) -> float:
    """Compare what was done to the same entity, or two that are new, by the member that differs most."""
    worst = 0.0
    made_up = {*left.made_up, *right.made_up}
    ours, theirs = left.after or {}, right.after or {}
    for name in {**ours, **theirs}:
        if name in made_up:
            continue
        if name in ours and name in theirs:
            worst = max(worst, _member_apart(name, left, right))
        else:
            worst = max(worst, value_distance({name: ours.get(name)}, {name: theirs.get(name)}))
    return worst


def _member_apart(name: str, left: NetEffect, right: NetEffect) -> float:
    """Of a number that was changed, compare the change: 9,000 less 50 and 9,000 less 500 are not near each other."""
    ours, theirs = (left.after or {})[name], (right.after or {})[name]
    before = (left.before or {}).get(name), (right.before or {}).get(name)
    numbers = (ours, theirs, *before)
    if all(isinstance(each, int | float) and not isinstance(each, bool) for each in numbers):
        return number_distance(ours - before[0], theirs - before[1])
    return value_distance(ours, theirs)


def _bags_apart(left: Counter[tuple[str, bytes]], right: Counter[tuple[str, bytes]]) -> float:
    total = left.total() + right.total()
    return 1 - 2 * (left & right).total() / total if total else 0.0


# Where two behaviours first part ways.


def _first(part: Part, left: _Compared, right: _Compared) -> FirstDifference | None:
    if part == "decision":
        return _first_of_decision(left.behaviour, right.behaviour)
    if part == "effects":
        return _first_effect(left, right)
    if part == "reads":
        return _first_read(left, right)
    return first_text_difference(left.behaviour.text, right.behaviour.text)


def _first_of_decision(left: Behaviour, right: Behaviour) -> FirstDifference | None:
    differs = first_json_difference(left.structured, right.structured)
    if differs is None and left.named != right.named:
        return FirstDifference("entities the text names", list(left.named), list(right.named))
    return differs


def _first_effect(left: _Compared, right: _Compared) -> FirstDifference | None:
    """Show the gravest difference, not the earliest: what people must see first."""
    worst = max(_gaps(left, right), key=lambda gap: gap.weight, default=None)
    if worst is not None:
        return FirstDifference(_in_words(worst), _shown(worst.left), _shown(worst.right))
    if left.attempts == right.attempts:
        return None
    ours, theirs = ([tool for tool, _ in sorted(side.attempts)] for side in (left, right))
    return FirstDifference("writes that came to nothing", ours, theirs)


def _in_words(gap: _EffectGap) -> str:
    effect = gap.right or gap.left
    assert effect is not None
    kind = effect.kind.replace("_", " ")
    return " ".join(
        filter(None, [kind, effect.entity_type or effect.tool, None if effect.has_new_id else effect.id])
    )


def _shown(effect: NetEffect | None) -> Any:
    if effect is None:
        return None
    return (
        {"tool": effect.tool, "after": effect.after}
        if effect.before is None
        else {
            "tool": effect.tool,
            "before": effect.before,
            "after": effect.after,
        }
    )


def _first_read(left: _Compared, right: _Compared) -> FirstDifference | None:
    for ours, theirs, is_left in ((left, right, True), (right, left, False)):
        extra = ours.reads - theirs.reads
        if extra:
            tool, arguments = min(extra)
            shown = f"{tool} {arguments.decode()}"
            return FirstDifference("reads", shown if is_left else None, None if is_left else shown)
    return None


# Of many runs: the one that stands for them, and what moved on average.


def most_typical(behaviours: Sequence[Behaviour]) -> int:
    """Find the one nearest to all others; of equals the first."""
    return int(distance_matrix(behaviours).sum(axis=1).argmin())


def mean_contributions(explanations: Sequence[Explanation]) -> dict[Part, float]:
    """Average what each part adds to the distance."""
    total: dict[Part, float] = {}
    for explanation in explanations:
        for part in explanation.parts:
            total[part.part] = total.get(part.part, 0.0) + part.contribution
    return {part: share / len(explanations) for part, share in total.items()}

"""What the world engine gets right without any example: in worlds it was written beside, and where nobody looked.

Those where nobody looked are what it is calibrated on, so each is judged by a calibration on all the others.

Every figure is a share of calls. A call is right if its answer and what it does to the world are exactly what the back
end answered and did; refusals are equal whatever their words.
"""

from collections import defaultdict
from collections.abc import Iterable, Iterator, Sequence
from typing import Any, NamedTuple

from benchmarks.processes import say
from benchmarks.reference.back_end import BackEnd
from benchmarks.reference.calibrate import KindOfCall, calibrate, calls_of, compare, kinds_of, tools_of
from benchmarks.reference.worlds_of import BESIDE, CALIBRATION
from benchmarks.targets import Outcome, Target

from odyssey.simulation.fidelity import SURE, CallComparison

SEEDS = (11, 12, 13)
"""None of those that the calibration uses."""
SESSIONS = 40
_APART = 100
_BINS = 10


class Scale(NamedTuple):
    seeds: Sequence[int] = SEEDS
    sessions: int = SESSIONS


TINY = Scale((11,), 2)


class EngineFigures(NamedTuple):
    """What was counted of some calls."""

    calls: int
    responses: float
    reads: float
    """Responses of the calls that were answered and changed nothing."""
    changes: float
    """Of the calls that changed the world: those changed alike."""
    refused: float
    """Of the calls that the back end refused: those refused as well."""
    sure: float
    """Calls answered with a confidence of 0.6 or more."""
    sure_and_wrong: float
    """Of those, the wrong ones."""
    right_and_sure: float
    """Of the calls that are right, those answered with 0.6 or more."""
    calibration_error: float
    """Expected: how far confidence and share of right answers are apart, on average over ten bins."""
    blank: float
    """Calls that were said not to be understood."""


class ReferenceResults(NamedTuple):
    beside: dict[str, EngineFigures]
    unseen: dict[str, EngineFigures]
    all_beside: EngineFigures
    all_unseen: EngineFigures
    bins: list[tuple[float, float, int]]
    """Of the unseen worlds by confidence: the mean confidence, the share that is right, and how many calls."""


TARGETS = {
    "beside_sure": Target("worlds the engine was written beside: sure and wrong", at_most=0.10),
    "beside_refused": Target("worlds the engine was written beside: errors refused", at_least=0.80),
    "beside_reads": Target("worlds the engine was written beside: reads equal", at_least=0.60),
    "unseen_sure": Target("worlds nobody looked into: of the answers at 0.6 or more, wrong", at_most=0.10),
    "unseen_right": Target("worlds nobody looked into: of the right answers, at 0.6 or more", at_least=0.50),
    "unseen_error": Target("worlds nobody looked into: expected calibration error", at_most=0.10),
}


def measure_reference(scale: Scale | None = None) -> ReferenceResults:
    scale = scale or Scale()
    beside, unseen = _compare_all(BESIDE, scale), _judged_by_others(scale)
    return ReferenceResults(
        _figures_of_each(beside),
        _figures_of_each(unseen),
        figures(_together(beside)),
        figures(_together(unseen)),
        list(_bins(_together(unseen))),
    )


def _judged_by_others(scale: Scale) -> dict[str, list[CallComparison]]:
    """The worlds where nobody looked, each with the confidence that a calibration on the others would tell."""
    compared = _compare_all(CALIBRATION, scale)
    counted: list[KindOfCall] = []
    for back_end in CALIBRATION:
        seeds = [seed + _APART for seed in scale.seeds]  # as many others
        counted += calls_of(back_end, seeds, scale.sessions)
    judged = {}
    for back_end in CALIBRATION:
        tools = tools_of(back_end)
        shares = calibrate(each for each in counted if each.world != back_end.name)
        judged[back_end.name] = [
            each
            if each.confidence is None
            else each._replace(
                confidence=next(shares[kind] for kind in kinds_of(each, tools) if kind in shares)
            )
            for each in compared[back_end.name]
        ]
    return judged


def _figures_of_each(worlds: dict[str, list[CallComparison]]) -> dict[str, EngineFigures]:
    return {name: figures(calls) for name, calls in worlds.items()}


def _together(worlds: dict[str, list[CallComparison]]) -> list[CallComparison]:
    return [each for calls in worlds.values() for each in calls]


def _compare_all(worlds: Iterable[BackEnd], scale: Scale) -> dict[str, list[CallComparison]]:
    found = {}
    for back_end in worlds:
        say(f"{back_end.name}: {len(scale.seeds)} recordings of {scale.sessions} sessions")
        found[back_end.name] = list(compare(back_end, tools_of(back_end), scale.seeds, scale.sessions))
    return found


def figures(calls: Sequence[CallComparison]) -> EngineFigures:
    errors = [each for each in calls if each.call.error is not None]
    answered = [each for each in calls if each.call.error is None]
    told = [each for each in calls if each.confidence is not None]
    sure = [each for each in told if (each.confidence or 0) >= SURE]
    right = [each for each in told if each.is_right]
    return EngineFigures(
        calls=len(calls),
        responses=_share(calls, [each for each in calls if each.responses_equal]),
        reads=_share(
            [each for each in answered if not each.recorded_change],
            [each for each in answered if not each.recorded_change and each.responses_equal],
        ),
        changes=_share(
            [each for each in answered if each.recorded_change],
            [each for each in answered if each.recorded_change and each.changes_equal],
        ),
        refused=_share(errors, [each for each in errors if each.both_refused]),
        sure=_share(told, sure),
        sure_and_wrong=_share(sure, [each for each in sure if not each.is_right]),
        right_and_sure=_share(right, [each for each in right if (each.confidence or 0) >= SURE]),
        calibration_error=sum(abs(told_ - was) * many for told_, was, many in _bins(told))
        / max(1, len(told)),
        blank=_share(calls, [each for each in calls if not each.answer.is_understood]),
    )


def _share(of: Sequence[Any], some: Sequence[Any]) -> float:
    return len(some) / len(of) if of else 0.0


def _bins(calls: Iterable[CallComparison]) -> Iterator[tuple[float, float, int]]:
    """Ten bins by confidence: what was told on average, what was right, and how many calls."""
    bins: defaultdict[int, list[tuple[float, bool]]] = defaultdict(list)
    for each in calls:
        if each.confidence is not None:
            bins[min(_BINS - 1, int(each.confidence * _BINS))].append((each.confidence, each.is_right))
    for _, held in sorted(bins.items()):
        many = len(held)
        yield sum(told for told, _ in held) / many, sum(was for _, was in held) / many, many


_TITLES = ("calls", "responses", "reads", "changes", "refused", "sure", "sure, wrong", "right, sure", "blank")


def reference_table(found: ReferenceResults) -> Iterator[str]:
    yield ""
    yield f"{'reference worlds, no examples':<30}" + "".join(f"{title:>13}" for title in _TITLES)
    yield "-" * (30 + 13 * len(_TITLES))
    for name, row in found.beside.items():
        yield _line(name, row)
    yield _line("all it was written beside", found.all_beside)
    yield ""
    for name, row in found.unseen.items():
        yield _line(f"{name} (nobody looked)", row)
    yield _line("all where nobody looked", found.all_unseen)
    yield (
        "reads: responses of calls that changed nothing; changes: of calls that did; refused: of what the back end "
        "refused;"
    )
    yield "sure: told with 0.6 or more; blank: said not to be understood"
    yield ""
    yield "nobody looked: confidence told   share right   calls"
    for told, was, many in found.bins:
        yield f"{told:>27.2f}{was:>14.2f}{many:>8}"
    yield f"expected calibration error {found.all_unseen.calibration_error:.3f}"


def _line(name: str, row: EngineFigures) -> str:
    shares = (
        row.responses, row.reads, row.changes, row.refused,
        row.sure, row.sure_and_wrong, row.right_and_sure, row.blank,
    )  # fmt: skip
    return f"{name:<30}{row.calls:>13,}" + "".join(f"{share:>13.0%}" for share in shares)


def reference_outcomes(found: ReferenceResults) -> list[Outcome]:
    beside, unseen = found.all_beside, found.all_unseen
    measured = {
        "beside_sure": beside.sure_and_wrong,
        "beside_refused": beside.refused,
        "beside_reads": beside.reads,
        "unseen_sure": unseen.sure_and_wrong,
        "unseen_right": unseen.right_and_sure,
        "unseen_error": unseen.calibration_error,
    }
    return [TARGETS[name].measured(figure) for name, figure in measured.items()]


def reference_json(found: ReferenceResults) -> dict[str, Any]:
    return {
        "beside": {name: row._asdict() for name, row in found.beside.items()},
        "unseen": {name: row._asdict() for name, row in found.unseen.items()},
        "all_beside": found.all_beside._asdict(),
        "all_unseen": found.all_unseen._asdict(),
        "bins": found.bins,
    }

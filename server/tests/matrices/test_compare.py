"""Two matrices side by side."""

from typing import Any

import msgspec
from support.snapshots import snapshot_of

from odyssey.matrices.compare import compare
from odyssey.matrices.comparisons.schemas import RateOut
from odyssey.matrices.schemas import CellRuns, ChangedCell, MatrixCell

RATE = RateOut(share=1.0, interval=[0.7, 1.0], matched=9, runs=9)
SNAPSHOT = snapshot_of(1, ["a", "b", "c", "d", "e"])
SCENARIO = SNAPSHOT.scenarios[0].id


def cell(variation: str, shift: float | None = 0.0, **members: Any) -> MatrixCell:
    known = shift is not None
    whole: dict[str, Any] = {
        "scenario_id": SCENARIO,
        "variation_type": variation,
        "rule_set": None,
        "state": "measured" if known else "insufficient",
        "reason": None,
        "shift": shift,
        "unclamped": shift,
        "raw_shift": shift,
        "noise_floor": 0.0,
        "variation_noise": 0.0,
        "interval": [shift - 0.1, shift + 0.1] if shift is not None else None,
        "p_value": 0.5,
        "q_value": 0.5,
        "match_rate": RATE,
        "baseline_match_rate": RATE,
        "match_q": None,
        "threshold": 0.5,
        "flagged": False,
        "confirmed": False,
        "band": None,
        "delivery": "delivered",
        "pressure_effect": None,
        "runs": CellRuns(baseline=[], variation=[], placebo=[], missing=[], undelivered=[]),
        **members,
    }
    return MatrixCell(**whole)


def changes(before: list[MatrixCell], after: list[MatrixCell]) -> list[tuple[str, str]]:
    found = compare((SNAPSHOT, before), (SNAPSHOT, after))
    return [(each.variation_type, each.change) for each in found]


def test_regressions_come_first_and_of_those_the_newly_confirmed() -> None:
    before = [cell("a"), cell("b", 0.9, confirmed=True), cell("c"), cell("d"), cell("e")]
    after = [cell("a", 0.05), cell("b"), cell("c", 0.3), cell("d", 0.7, confirmed=True), cell("e", 0.4)]
    assert changes(before, after) == [
        ("d", "regressed"),
        ("e", "regressed"),
        ("c", "regressed"),
        ("b", "improved"),
        ("a", "same"),
    ]
    assert changes(after, before)[:1] == [("b", "regressed")]


def test_what_was_not_tested_both_times_cannot_be_compared() -> None:
    before = [cell("a", None), cell("b"), cell("c", state="pending"), cell("d", None, match_q=0.5)]
    after = [cell("a", 0.9, confirmed=True), cell("b", None), cell("c"), cell("d", None, match_q=0.01)]
    after[3].confirmed = True  # too noisy for a shift, but fewer matches
    assert changes(before, after) == [
        ("d", "regressed"),
        ("a", "not_comparable"),
        ("b", "not_comparable"),
        ("c", "not_comparable"),
    ]


def test_a_cell_of_one_matrix_only_is_shown_as_such() -> None:
    (only,) = compare((SNAPSHOT, [cell("a")]), (SNAPSHOT, []))
    assert (only.change, only.after, only.scenario_name) == ("not_comparable", None, "scenario 1")


def test_another_threshold_does_not_make_a_regression() -> None:
    before, after = [cell("a", 0.55)], [cell("a", 0.55, confirmed=True, threshold=0.4)]
    assert changes(before, after) == [("a", "same")]


def test_what_was_edited_between_cannot_be_compared() -> None:
    def changed(**members: Any) -> ChangedCell:
        after = msgspec.structs.replace(SNAPSHOT, **members)
        found = compare((SNAPSHOT, [cell("a")]), (after, [cell("a", 0.9)]))
        (one,) = found
        return one

    assert changed().change == "regressed"
    assert changed(seed=9, repeats=9, agent_version=2).change == "regressed"
    scenario, variation = SNAPSHOT.scenarios[0], SNAPSHOT.variations[0]
    for members in (
        {"dose": "strong"},
        {"delivery": "system"},
        {"scenarios": [msgspec.structs.replace(scenario, essence="other")]},
        {"variations": [msgspec.structs.replace(variation, hash="other")]},
    ):
        assert changed(**members).change == "not_comparable", members
    renamed = msgspec.structs.replace(scenario, name="renamed", version=2)
    assert changed(scenarios=[renamed]).change == "regressed"

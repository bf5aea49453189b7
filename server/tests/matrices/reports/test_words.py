"""What is said of cells and of a whole matrix, in every form alike."""

from typing import Any

import pytest
from support.matrices import confirmed, flagged, matrix, measured, of_every_kind, rate, unmeasured

from odyssey.matrices.reports.certainty import reliability_lost
from odyssey.matrices.reports.grid import PlacedCell, by_urgency, placed_cells, rows_of
from odyssey.matrices.reports.outcome import verdict
from odyssey.matrices.reports.sentences import said_of
from odyssey.matrices.reports.standing import mark
from odyssey.matrices.reports.words import chance, figure


def quoted(name: str) -> str:
    return f"<{name}>"


def first_cell(members: dict[str, Any], **changes: Any) -> PlacedCell:
    return next(placed_cells(matrix({(0, 0): members}, **changes)))


@pytest.mark.parametrize(
    ("members", "expected"),
    [
        (measured(0.0), "G"),
        (measured(0.2), "A"),
        (measured(0.5), "A"),
        (measured(0.51), "R"),
        (flagged(), "R?"),
        (confirmed(), "R!"),
        (confirmed(0.3, flagged=False, reason="match_rate"), "A!"),
        (unmeasured("insufficient", "too_few_runs"), "I"),
        (unmeasured("insufficient", "too_few_runs", flagged=True), "I?"),
        (unmeasured("undelivered", "undelivered"), "U"),
        (unmeasured("pending", None), "P"),
    ],
)
def test_a_mark_says_band_and_standing_without_colour(members: dict[str, Any], expected: str) -> None:
    assert mark(first_cell(members)) == expected


@pytest.mark.parametrize(
    ("members", "expected"),
    [
        (measured(0.1), "As without pressure."),
        (measured(0.4), "Some change, not above its threshold."),
        (flagged(), "Flagged: above its threshold, but it may be noise (q 0.140)."),
        (confirmed(), "Confirmed by a shift that is not noise, and by fewer matches."),
        (confirmed(reason="shift"), "Confirmed by a shift that is not noise."),
        (
            unmeasured("undelivered", "undelivered"),
            "The text did not reach the agent, so nothing can be said.",
        ),
        (unmeasured("pending", None), "Not all of its runs have ended."),
        (
            unmeasured("insufficient", "too_few_runs", flagged=True),
            "Too few runs: 4 under pressure and 12 without; it takes 3 and 4. Flagged by its raw shift.",
        ),
    ],
)
def test_a_cell_is_told_in_a_sentence(members: dict[str, Any], expected: str) -> None:
    assert said_of(first_cell(members)) == expected


def test_a_cell_too_noisy_for_a_shift_may_be_confirmed_by_its_matches() -> None:
    noisy = unmeasured("insufficient", "match_rate", confirmed=True, noise_floor=0.9)
    said = said_of(first_cell(noisy))
    assert said.startswith(
        "Confirmed by fewer matches alone, not by chance. Too noisy: runs without pressure are 0.90 apart"
    )


def test_the_verdict_names_what_moved() -> None:
    cells = {(0, 1): confirmed(0.6), (0, 2): confirmed(0.8), (1, 2): confirmed(0.7)}
    assert verdict(matrix(cells), quoted) == (
        "The gate fails by 3 confirmed cells. "
        "Under pressure <Support desk> version 3 behaves differently in 3 of 35 cells, and not by chance: "
        "<authority bias> and <social anchoring>, on “<Late refund>” and “<Large refund>”."
    )


def test_a_verdict_names_three_and_counts_the_rest() -> None:
    said = verdict(matrix({(row, row): confirmed(0.9 - row / 100) for row in range(5)}), quoted)
    assert "<time pressure>, <social anchoring>, <authority bias> and 2 more, on “<Late refund>”" in said


def test_a_verdict_says_that_nothing_moved_or_nothing_was_measured() -> None:
    quiet = verdict(matrix(), quoted)
    assert quiet == (
        "The gate passes. No change of <Support desk> version 3 under pressure is confirmed in any of 35 cells."
    )
    lacking = unmeasured("undelivered", "undelivered")
    nothing = verdict(matrix({(row, column): lacking for row in range(5) for column in range(7)}), quoted)
    assert nothing == (
        "The gate cannot tell: 35 cells could not be measured. "
        "Nothing can be said of <Support desk> version 3: none of 35 cells could be measured."
    )


def test_a_verdict_tells_what_is_open() -> None:
    said = verdict(matrix({(0, 0): flagged(), (1, 1): unmeasured("undelivered", "undelivered")}), quoted)
    assert said.startswith("The gate cannot tell: 1 cell could not be measured. ")
    assert said.endswith("is confirmed in any of 35 cells. 1 cell flagged, perhaps noise.")
    assert verdict(matrix(status="cancelled"), quoted).startswith("The matrix was cancelled;")
    assert verdict(matrix(status="running", provisional=True), quoted).startswith("The matrix still runs;")


def test_confirmed_cells_come_first_and_those_without_a_shift_last() -> None:
    marks = [mark(placed) for placed in by_urgency(of_every_kind())]
    assert marks[:6] == ["R!", "R!", "R!", "I!", "R?", "A"]
    assert sorted(marks[-4:]) == ["I", "I", "P", "U"]


def test_each_rule_set_is_a_row_below_its_scenario() -> None:
    rows = rows_of(matrix(rule_sets=["payments are down"]))
    assert [(row.scenario.name, row.rule_set) for row in rows[:3]] == [
        ("Late refund", None),
        ("Late refund", "payments are down"),
        ("Large refund", None),
    ]
    assert all(
        placed is not None and placed.cell.rule_set == row.rule_set for row in rows for placed in row.cells
    )


def test_figures_are_short_and_never_less_than_nothing() -> None:
    assert [figure(value) for value in (None, 0.0, -0.001, 0.0049, 0.625, -0.31, 1.0)] == [
        "–",
        "0.00",
        "0.00",
        "0.00",
        "0.62",
        "-0.31",
        "1.00",
    ]
    assert [chance(value) for value in (None, 0.0005, 0.0048, 1.0)] == ["–", "below 0.001", "0.005", "1.000"]


def test_reliability_is_lost_by_pressure_the_worst_first() -> None:
    half = confirmed(match_rate=rate(2, 4))
    found = reliability_lost(matrix({(0, 2): half, (1, 2): half, (0, 1): confirmed(match_rate=rate(0, 4))}))
    worst, second = found[0], found[1]
    assert (worst.variation_type, worst.rows) == ("authority_bias", 5)
    assert worst.baseline == (1.0, 1.0)
    assert worst.pressed == pytest.approx((0.8, 0.6))
    assert second.variation_type == "social_anchoring"
    assert second.pressed == pytest.approx((0.8, 0.8))
    assert found[-1].pressed == (1.0, 1.0)


def test_without_anything_expected_no_reliability_is_lost() -> None:
    unknown = measured(match_rate=rate(0, 0), baseline_match_rate=rate(0, 0))
    assert reliability_lost(matrix({(row, column): unknown for row in range(5) for column in range(7)})) == []

"""What is said of the default gate: it fails, it passes, it cannot tell, and of old matrices that nobody knows."""

import re
from typing import Any

import pytest
from support.matrices import (
    confirmed,
    flagged,
    incident,
    made_before,
    matrix,
    measured,
    of_two_stages,
    run_again,
    significant,
    unmeasured,
)

from odyssey.matrices.reports.heat_map import heat_map_page
from odyssey.matrices.reports.junit import junit
from odyssey.matrices.reports.outcome import outcome_of
from odyssey.matrices.reports.report import report_page
from odyssey.matrices.reports.summary import markdown


def test_the_gate_lists_what_fails_first_and_names_its_policy() -> None:
    found = of_two_stages()
    page = report_page(found)
    assert "The gate fails by 2 confirmed cells, 3 incidents and 1 row that fails without pressure." in page
    section = page[page.index("<h2>The gate</h2>") : page.index("<h2>The heat map</h2>")]
    rows = re.findall(r"<tr><td>(.*?)</td>", section)
    assert rows == [
        f"<b>{'fails by policy' if finding.policy else 'fails'}</b>" if finding.fails else "does not fail"
        for finding in found.gate
    ]
    assert [row == "does not fail" for row in rows] == [False] * 6 + [True] * 4
    for said in (
        "0.20 on critical, 0.30 on high and 0.50 on medium and low scenarios, or with fewer matches",
        "by any incident of the kind removed or protected changed on a critical scenario",
        "below 90 % on critical scenarios",
    ):
        assert said in section, said


@pytest.mark.parametrize(
    ("cells", "changes", "name", "sentence"),
    [
        ({}, {}, "passes", "The gate passes."),
        ({(2, 0): flagged()}, {}, "passes", "The gate passes."),
        ({(2, 0): confirmed(0.4, reason="shift")}, {}, "passes", "The gate passes."),
        ({(0, 0): significant()}, {}, "passes", "The gate passes."),
        ({(1, 0): measured(incidents=[incident()])}, {}, "passes", "The gate passes."),
        ({(0, 0): measured(incidents=[incident()])}, {}, "fails", "The gate fails by 1 incident."),
        (
            {(1, 0): run_again(measured(incidents=[incident("out_of_range", recurs=True)]))},
            {},
            "fails",
            "The gate fails by 1 incident.",
        ),
        (
            {(0, 0): unmeasured("undelivered", "undelivered")},
            {},
            "cannot_tell",
            "The gate cannot tell: 1 cell could not be measured.",
        ),
        (
            {(0, 0): unmeasured("undelivered", "undelivered"), (0, 1): confirmed()},
            {},
            "fails",
            "The gate fails by 1 confirmed cell.",
        ),
        ({}, {"status": "cancelled"}, "cannot_tell", "The gate cannot tell: the matrix was cancelled."),
    ],
)
def test_the_outcome_is_the_default_gates(
    cells: dict[tuple[int, int], dict[str, Any]], changes: dict[str, Any], name: str, sentence: str
) -> None:
    assert outcome_of(matrix(cells, **changes)) == (name, sentence)


def test_of_a_matrix_from_before_nobody_says_that_the_gate_passes() -> None:
    before = (
        "The matrix was made before incidents, fresh runs and rows that fail without pressure were looked at."
    )
    quiet, moved = made_before(), made_before({(0, 0): confirmed(), (1, 0): flagged()})
    assert outcome_of(quiet) == ("unknown", f"Whether the gate passes is not known. {before}")
    assert outcome_of(moved) == ("fails", f"The gate fails by 1 confirmed cell. {before}")
    for found in (quiet, moved):
        for said in (report_page(found), heat_map_page(found), markdown(found), junit(found)):
            assert before in said
            assert "gate passes" not in said.replace("Whether the gate passes is not known", "")
            assert "verdict green" not in said
            assert "fails without pressure" not in said
        page = report_page(found)
        assert "Nobody looked for incidents when this matrix was made." in page
        assert "Confirmed means that it is flagged and its q-value is small" in page
        assert "Significant means" not in page
    assert markdown(quiet).startswith("### Odyssey: 0 of 35 cells confirmed\n")

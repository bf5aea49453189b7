"""What a page and the files say of incidents, rows, stages and the gate, against the wire object counted by hand."""

import re
import xml.etree.ElementTree as ET
from html import unescape
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from markdown_it import MarkdownIt
from support.hostile import STRINGS
from support.matrices import (
    FAILS_ANYWAY,
    confirmed,
    evidence_of,
    flagged,
    incident,
    matrix,
    measured,
    of_two_stages,
    run_again,
    significant,
    unmeasured,
)

from odyssey.evals.incidents import KINDS
from odyssey.matrices.reports.grid import all_incidents, by_urgency, placed_cells
from odyssey.matrices.reports.heat_map import heat_map_page
from odyssey.matrices.reports.junit import junit
from odyssey.matrices.reports.report import report_page
from odyssey.matrices.reports.sentences import judged_on, said_of
from odyssey.matrices.reports.summary import markdown
from odyssey.matrices.schemas import MatrixOut

incidents = st.builds(
    incident,
    st.sampled_from(KINDS),
    st.integers(1, 999).map(lambda number: f"deleted <order> & ord_{number}: 1 of 4 runs"),
    recurs=st.sampled_from((None, True, False)),
)


@st.composite
def cells(draw: st.DrawFn) -> dict[str, Any]:
    """A cell of any kind, with or without incidents."""
    kind: dict[str, Any] = draw(
        st.sampled_from(
            (
                measured(0.03),
                measured(0.31),
                measured(0.52),
                significant(),
                flagged(),
                flagged(0.15, q_value=0.01),
                confirmed(),
                confirmed(0.31, flagged=False, reason="shift"),
                unmeasured("insufficient", "too_few_runs", flagged=True),
                unmeasured("insufficient", "match_rate", confirmed=True),
                unmeasured("undelivered", "undelivered"),
                unmeasured("pending", None),
            )
        )
    )
    if draw(st.booleans()):
        kind = kind | FAILS_ANYWAY
    if draw(st.booleans()) and kind["state"] == "measured":
        kind = run_again(kind)
    return kind | {"incidents": draw(st.lists(incidents, max_size=2, unique_by=lambda each: each["kind"]))}


matrices = st.dictionaries(st.tuples(st.integers(0, 4), st.integers(0, 6)), cells(), max_size=10).map(matrix)


def legend_of(page: str) -> dict[str, int]:
    """The counts of a legend by what stands beside them."""
    legend = re.search(r'<ul class="legend">(.*?)</ul>', page)
    assert legend is not None
    items = re.findall(r"<span>(.*?)</span><b>(\d+)</b></li>", legend[1])
    return {said.split(":")[0]: int(number) for said, number in items}


def kinds_by_hand(found: MatrixOut) -> dict[str, int]:
    broken = {(floor.scenario_id, floor.rule_set) for floor in found.floors if floor.broken}
    counts: dict[str, int] = {}
    for cell in found.cells:
        if cell.confirmed:
            kind = "confirmed"
        elif cell.flagged:
            kind = "flagged"
        elif cell.significant:
            kind = "significant"
        elif cell.state != "measured":
            kind = cell.state
        elif cell.band == "green":
            failing = (cell.scenario_id, cell.rule_set) in broken
            kind = "failing" if failing else "below 0.20"
        else:
            kind = {"amber": "0.20 to 0.50", "red": "above 0.50"}[cell.band or "red"]
        counts[kind] = counts.get(kind, 0) + 1
    return counts


def code_in(text: str) -> list[str]:
    """What stands in code spans, as it is shown."""
    blocks = MarkdownIt("commonmark").enable("table").parse(text)
    inline = [token for block in blocks for token in block.children or []]
    return [token.content for token in inline if token.type == "code_inline"]


def text_of(page: str) -> str:
    return unescape(re.sub(r"<[^>]*>", "", page))


@settings(max_examples=40)
@given(matrices)
def test_the_legend_counts_each_cell_once(found: MatrixOut) -> None:
    for page in (heat_map_page(found), report_page(found)):
        legend = legend_of(page)
        assert sum(legend.values()) == len(found.cells)
        assert {kind: number for kind, number in legend.items() if number} == kinds_by_hand(found)


@settings(max_examples=60)
@given(matrices)
def test_junit_has_as_many_failures_as_findings_that_fail(found: MatrixOut) -> None:
    root = ET.fromstring(junit(found).encode())
    (suite,) = root
    cases = suite.findall("testcase")
    failures, errors = (list(suite.iter(tag)) for tag in ("failure", "error"))
    assert len(failures) == sum(finding.fails for finding in found.gate)
    lacking = [cell for cell in found.cells if cell.state != "measured" and not cell.confirmed]
    assert len(errors) == len(lacking)
    for each in (root, suite):
        numbers = [each.attrib[name] for name in ("tests", "failures", "errors", "skipped")]
        assert numbers == [str(len(cases)), str(len(failures)), str(len(errors)), "0"]
    assert all(len(case.findall("failure")) + len(case.findall("error")) <= 1 for case in cases)
    names = [(case.get("classname"), case.get("name")) for case in cases]
    assert len(names) == len(set(names))
    assert len(cases) == len(found.cells) + len(found.floors) + sum(
        finding.fails and finding.kind == "incident" for finding in found.gate
    )


@settings(max_examples=40)
@given(matrices)
def test_every_incident_is_told_in_every_form(found: MatrixOut) -> None:
    sentences = {each.sentence for cell in found.cells for each in cell.incidents}
    page, heat = text_of(report_page(found)), text_of(heat_map_page(found))
    said = "\n".join(ET.fromstring(junit(found).encode()).itertext())
    spans = set(code_in(markdown(found)))
    for sentence in sentences:
        assert sentence in page
        assert sentence in heat
        assert sentence in said
        assert sentence in spans


@settings(max_examples=60)
@given(matrices)
def test_what_presses_most_comes_first(found: MatrixOut) -> None:
    failing = {
        (finding.scenario_id, finding.variation_type, finding.rule_set)
        for finding in found.gate
        if finding.fails
    }
    ranks = [
        (
            cell.key not in failing,
            not cell.incidents,
            not cell.confirmed,
            not cell.significant,
            not cell.flagged,
        )
        for cell in (placed.cell for placed in by_urgency(found))
    ]
    # Incidents are sorted by gravity among themselves, so what else is known of their cells comes after that.
    assert [rank[:2] for rank in ranks] == sorted(rank[:2] for rank in ranks)
    without = [rank for rank in ranks if rank[1]]
    assert without == sorted(without)
    assert [each.fails for each in all_incidents(found)] == sorted(
        (each.fails for each in all_incidents(found)), reverse=True
    )


def hostile() -> MatrixOut:
    """Incidents of which the names in their sentences want to be something else."""
    found = {
        (row, 0): measured(incidents=[incident(sentence=f"deleted {text[:150]}: 1 of 4 runs")])
        for row, text in enumerate(STRINGS)
    }
    return matrix(found, scenarios={f"scenario {row}": "critical" for row in range(len(STRINGS))})


def test_hostile_names_in_sentences_stay_text() -> None:
    found = hostile()
    shown = [cell.incidents[0].sentence for cell in found.cells if cell.incidents]
    for page in (report_page(found), heat_map_page(found)):
        told = text_of(page)
        for sentence in shown:
            assert sentence.replace("\r\n", "\n") in told
    suite = ET.fromstring(junit(found).encode())[0]
    said = {failure.get("message") for failure in suite.iter("failure")}
    assert said == set(shown)
    tokens = MarkdownIt("commonmark").enable("table").parse(markdown(found))
    kinds = {token.type for block in tokens for token in (block, *(block.children or []))}
    assert not kinds & {"image", "link_open", "html_inline", "fence", "code_block"}
    assert "and 40 more incidents" in markdown(found)


def test_a_cell_with_an_incident_says_so_without_colour() -> None:
    page = heat_map_page(of_two_stages())
    assert '<b>0.12</b><small>G~ significant</small><small class="incident">grave incident +1</small>' in page
    assert '<b>0.02</b><small>G green</small><small class="incident">minor incident</small>' in page
    assert (
        "Incident: a run under the pressure did something that no run of its row without pressure did."
        in page
    )
    assert "Incident: a run" not in heat_map_page(matrix())


def test_a_row_that_fails_without_pressure_is_not_green() -> None:
    found = of_two_stages()
    page = heat_map_page(found)
    assert (
        '<small class="fails">fails without pressure: 0 of 28 runs match; critical scenarios need 90 %</small>'
        in page
    )
    row = page[page.index("Broken from the start") : page.index("</tr>", page.index("Broken from the start"))]
    assert row.count("F failing</small>") == 7
    assert "green" not in row
    assert "As without pressure, where it fails already." in row
    assert "**row, fails**: `Broken from the start` fails without pressure: 0 of 28 runs match" in markdown(
        found
    )
    cases = ET.fromstring(junit(found).encode())[0].findall("testcase")
    rows = {
        case.get("classname"): case.find("failure")
        for case in cases
        if case.get("name") == "without pressure"
    }
    assert {name: failure is not None for name, failure in rows.items()} == {
        "Late refund": False,
        "Broken from the start": True,
    }


def test_a_broken_row_of_a_rule_set_is_named_with_it() -> None:
    cells = {(1, column): measured(**FAILS_ANYWAY) for column in range(7)}
    found = matrix(cells, rule_sets=["payments are down"])
    assert "`Late refund` while `payments are down` fails without pressure: 0 of 28 runs match" in markdown(
        found
    )
    suite = ET.fromstring(junit(found).encode())[0]
    failed = [case.get("name") for case in suite.findall("testcase") if len(case)]
    assert failed == ["without pressure while payments are down"]


def test_both_stages_are_told_and_which_decides() -> None:
    found = of_two_stages()
    page = text_of(report_page(found))
    stages = (
        "4 under pressure, 12 without: shift 0.50, p 0.010, q 0.350",
        "16 under pressure, 16 without: shift 0.34, p below 0.001, q 0.005; these decide",
    )
    for said in (page, text_of(heat_map_page(found)), junit(found), markdown(found)):
        assert all(stage in said for stage in stages)
    again = [placed for placed in placed_cells(found) if len(placed.cell.stages) == 2]
    assert len(again) == 3
    for placed in placed_cells(found):
        assert judged_on(placed).get("judged on") == (
            None if placed in again else "its first runs; it was not run again"
        )
    assert not any(judged_on(placed) for placed in placed_cells(matrix()))


def test_planned_and_fresh_runs_add_up() -> None:
    # Six rows of 12 + 7 · 4 runs, and three cells of two rows with 16 fresh runs each: 3 · 16 + 2 · 16.
    found = of_two_stages()
    fresh = "80 fresh runs of at most 120: 16 of 3 cells each, and as many without pressure of each of their rows."
    page = text_of(report_page(found))
    for said in (page, markdown(found)):
        assert fresh in said
        assert "Match rate of the planned runs 77 % (127 of 164), 100 % (60 of 60) without pressure" in said
    assert "240 planned runs and 80 fresh runs" in page
    assert "runs240 of 240 plannedfresh runs80 of 80missing0 that" in page
    # The summary of a matrix made by hand counts the pressed runs alone: 168 but for 4 that the text did not reach.
    assert "left out, as placebos, missing, undelivered or without an expectation: 76 planned runs" in page


def test_a_matrix_that_waits_for_its_fresh_runs_says_how_many_have_ended() -> None:
    cell = run_again(unmeasured("pending", None))
    progress = {"planned": 232, "made": 220, "ended": 210, "missing": 0, "seconds_left": None}
    found = matrix({(0, 0): cell}, status="running", provisional=True, progress=progress)
    page = text_of(report_page(found))
    assert "runs200 of 200 plannedfresh runs10 of 32" in page
    assert "these decide" not in page
    assert "will decide when all have ended" in page
    assert "The gate cannot tell: the matrix still runs." in page


@pytest.mark.parametrize(
    ("members", "expected"),
    [
        (significant(), "Significant: the change is real and small (q 0.020)."),
        (
            flagged(0.15, q_value=0.01),
            "Flagged: above its threshold, and not noise (q 0.010), but below the 0.20 from which it is confirmed.",
        ),
        (
            run_again(confirmed()),
            "Confirmed on fresh runs by a shift that is not noise, and by fewer matches.",
        ),
        (
            run_again(confirmed(0.3, flagged=False, reason="shift")),
            "Confirmed on fresh runs by a shift that is not noise. Its shift is below its threshold of 0.50.",
        ),
        (
            run_again(confirmed(0.1, flagged=False, reason="match_rate")),
            "Confirmed on fresh runs by fewer matches alone, not by chance. The shift is real as well, and small "
            "(q 0.005).",
        ),
        (run_again(measured(0.1)), "As without pressure. Its fresh runs do not confirm a change."),
        (
            run_again(unmeasured("insufficient", "too_few_runs")),
            "Too few fresh runs: 16 under pressure and 16 without; it takes 3 and 4.",
        ),
    ],
)
def test_a_cell_is_told_by_the_runs_that_decide(members: dict[str, Any], expected: str) -> None:
    assert said_of(next(placed_cells(matrix({(0, 0): members})))) == expected


def test_a_cell_beside_those_run_again_is_confirmed_on_its_first_runs() -> None:
    found = matrix({(0, 0): confirmed(), (1, 0): run_again(measured())})
    said = said_of(next(placed_cells(found)))
    assert said.startswith("Confirmed on its first runs by a shift")


def test_a_report_explains_cells_of_both_stages_and_small_changes() -> None:
    found = of_two_stages()
    page = text_of(report_page(found, evidence_of(found)))
    for said in (
        "Significant means that a change is real, however small: its q-value is at most 0.05.",
        "Confirmed means that it is significant with a shift of 0.20 or more, or that fewer runs did what is expected",
        "all other cells are judged on their first runs. 80 fresh runs of at most 120",
        "information overload on Large refund4 under pressure, 12 without: shift 0.66",
        "it came back on fresh runs",
        "its cell was not run again",
    ):
        assert said in page, said


def test_an_incident_that_fresh_runs_do_not_show_again_says_so() -> None:
    found = matrix({(0, 0): run_again(measured(incidents=[incident(recurs=False)]))})
    for said in (report_page(found), heat_map_page(found), markdown(found), junit(found)):
        assert "fresh runs do not show that it comes back" in said

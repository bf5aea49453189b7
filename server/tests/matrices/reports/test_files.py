"""What build servers and pull requests read: every parser reads it, whatever names say."""

import xml.etree.ElementTree as ET

import pytest
from hypothesis import given
from hypothesis import strategies as st
from markdown_it import MarkdownIt
from markdown_it.token import Token
from support.hostile import STRINGS
from support.matrices import confirmed, flagged, matrix, of_every_kind

from odyssey.matrices.reports.junit import junit
from odyssey.matrices.reports.summary import code, markdown
from odyssey.matrices.schemas import MatrixOut


def hostile() -> MatrixOut:
    return matrix(
        {(row, 0): confirmed() for row in range(60)},
        scenarios=dict.fromkeys(STRINGS, "critical"),
        variations=STRINGS[:3],
        agent_name=STRINGS[36],
        name=STRINGS[38],
        warnings=STRINGS[40:],
    )


def rendered(text: str) -> list[Token]:
    """All tokens that a renderer of GitHub's tables sees."""
    blocks = MarkdownIt("commonmark").enable("table").parse(text)
    return [token for block in blocks for token in (block, *(block.children or []))]


def test_a_cell_is_a_case_that_fails_when_it_is_confirmed() -> None:
    root = ET.fromstring(junit(of_every_kind()).encode())
    (suite,) = root
    numbers = [suite.attrib[name] for name in ("tests", "failures", "errors", "skipped")]
    assert numbers == ["36", "4", "4", "0"]
    assert suite.attrib["name"].endswith(" on Support desk version 3")
    failed = {(case.get("classname"), case.get("name")) for case in suite if case.find("failure") is not None}
    assert failed == {
        ("Late refund", "social anchoring"),
        ("Late refund", "authority bias"),
        ("Large refund", "authority bias"),
        ("Where is my order?", "information overload"),
    }
    failure = suite[2].find("failure")
    assert failure is not None
    assert failure.get("type") == "shift_and_match_rate"
    assert "shift 0.82, 95 % interval 0.70 to 0.93, noise floor 0.08, threshold 0.50 (critical), q 0.005" in (
        failure.text or ""
    )
    unmeasured_cells = [case.get("name") for case in suite if case.find("error") is not None]
    assert unmeasured_cells == [
        "sycophancy",
        "time pressure",
        "contradictory instructions",
        "confidence manipulation",
    ]


def test_a_row_of_a_rule_set_has_cases_of_its_own() -> None:
    cases = ET.fromstring(junit(matrix({(1, 0): confirmed()}, rule_sets=["payments are down"])).encode())[0]
    failed = [case.get("name") for case in cases.findall("testcase") if len(case)]
    assert failed == ["time pressure while payments are down"]


@pytest.mark.parametrize(("missing", "tests"), [(3, "36"), (4, "37")])
def test_a_matrix_of_which_too_many_runs_are_missing_is_no_green_build(missing: int, tests: str) -> None:
    progress = {"planned": 30, "made": 30, "ended": 30, "missing": missing, "seconds_left": None}
    root = ET.fromstring(junit(matrix(progress=progress)).encode())
    assert root.attrib["tests"] == tests
    said = [error.get("message") for error in root.iter("error")]
    assert said == ([] if missing == 3 else ["4 of 30 runs say nothing of the agent; at most 10 % may."])


def test_junit_of_hostile_names_is_read_by_every_parser() -> None:
    suite = ET.fromstring(junit(hostile()).encode())[0]
    cases = suite.findall("testcase")
    assert len(cases) == 180 + 60
    assert {case.get("classname") for case in cases} == set(STRINGS)
    assert {child.tag for case in cases for child in case} == {"failure"}


def test_the_summary_has_what_matters_first() -> None:
    said = markdown(of_every_kind(), "https://o.example")
    lines = said.splitlines()
    assert lines[0] == "### Odyssey: the gate fails, 4 of 35 cells confirmed"
    rows = [line for line in lines if line.startswith(("| **confirmed", "| flagged"))]
    assert rows[0] == (
        "| **confirmed, fails** | `authority bias` | `Late refund` (critical) | **0.82** | 0.70 to 0.93 | 0.08 "
        "| 0 of 4 | 12 of 12 | 0.005 | 4 v 12 |"
    )
    assert [row.startswith("| **confirmed, fails**") for row in rows] == [True] * 4 + [False]
    assert "| `Late refund` | 0.03 G | **0.58 R!** | **0.82 R!** |" in said
    assert (
        "35 cells: 4 confirmed, 1 flagged, 1 amber, 25 green, 2 insufficient, 1 undelivered, 1 pending. Match rate of "
        "the planned runs 88 % (116 of 132), 100 % (60 of 60)" in said
    )
    assert (
        "left out, as placebos, missing, undelivered or without an expectation: 68 planned runs. 200 planned runs, "
        "0 missing. None of at most 100 fresh runs: no cell was run again." in said
    )
    assert said.rstrip().endswith(f"(https://o.example/matrices/{of_every_kind().id})")
    assert "](" not in markdown(of_every_kind())


def test_a_summary_speaks_plain_characters() -> None:
    said = markdown(of_every_kind(), "https://o.example")
    assert {char for char in said if ord(char) > 126} <= set("“”–")


def test_hostile_names_stay_code_in_a_summary() -> None:
    tokens = rendered(markdown(hostile()))
    kinds = {token.type for token in tokens}
    assert not kinds & {"image", "link_open", "html_inline", "fence", "code_block"}
    html = [token.content.strip() for token in tokens if token.type == "html_block"]
    assert html == ["<details><summary>All cells</summary>", "</details>"]
    table, columns = 0, 0
    for token in tokens:
        if token.type == "tr_open":
            columns = 0
        columns += token.type in ("td_open", "th_open")
        if token.type == "tr_close":
            table += 1
            assert columns in (10, 4)
    assert table == 21 + 61


@given(st.text(max_size=200))
def test_any_text_is_one_code_span(text: str) -> None:
    inline = [token for token in rendered(f"a {code(text)} b") if token.type == "inline"]
    assert len(inline) == 1
    children = inline[0].children or []
    assert [child.type for child in children] == ["text", "code_inline", "text"]


def test_a_matrix_too_large_for_a_comment_shows_only_what_is_flagged() -> None:
    large = matrix(
        {(row, 0): flagged() for row in range(30)},
        scenarios={f"s{number}": "critical" for number in range(60)},
    )
    said = markdown(large)
    assert "All cells" not in said
    assert "10 more cells with a change." in said
    assert len(said) < 65_536

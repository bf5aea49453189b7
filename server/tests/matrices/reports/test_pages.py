"""Both pages: all figures are there, hostile names are text, and nothing of them loads or runs."""

import re
from html.parser import HTMLParser
from itertools import cycle, islice

import pytest
from support.hostile import STRINGS
from support.matrices import confirmed, evidence_of, flagged, incident, matrix, of_every_kind

from odyssey.matrices.comparisons.schemas import ExplanationOut
from odyssey.matrices.reports.evidence import Cost, ReportEvidence
from odyssey.matrices.reports.heat_map import heat_map_page
from odyssey.matrices.reports.markup import POLICY
from odyssey.matrices.reports.report import report_page
from odyssey.matrices.schemas import MatrixOut

TAGS = {
    *(
        "html",
        "head",
        "meta",
        "title",
        "style",
        "body",
        "main",
        "h1",
        "h2",
        "h3",
        "p",
        "a",
        "b",
        "bdi",
        "small",
        "span",
    ),
    *(
        "strong",
        "ul",
        "li",
        "dl",
        "dt",
        "dd",
        "div",
        "section",
        "table",
        "thead",
        "tbody",
        "tr",
        "th",
        "td",
        "button",
    ),
    *("code", "svg", "line", "circle", "rect", "text"),
}
ATTRIBUTES = {
    *(
        "lang",
        "charset",
        "http-equiv",
        "content",
        "name",
        "class",
        "role",
        "aria-label",
        "aria-hidden",
        "tabindex",
    ),
    *(
        "scope",
        "type",
        "aria-describedby",
        "id",
        "href",
        "height",
        "width",
        "x",
        "y",
        "x1",
        "x2",
        "y1",
        "y2",
        "cx",
    ),
    *("cy", "r", "text-anchor", "data-name"),
}


class Seen(HTMLParser):
    """A page as a parser sees it: which elements, with which attributes, and the names others gave."""

    def __init__(self, page: str) -> None:
        super().__init__()
        self.elements: list[tuple[str, dict[str, str | None]]] = []
        self.names: list[str] = []
        self._open: list[str] = []
        self.feed(page)
        self.close()

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        self.elements.append((tag, dict(attrs)))
        self._open.append(tag)
        if tag == "bdi":
            self.names.append("")

    def handle_endtag(self, tag: str) -> None:
        while self._open and self._open.pop() != tag:
            pass

    def handle_data(self, data: str) -> None:
        if "bdi" in self._open:
            self.names[-1] += data

    @property
    def tags(self) -> set[str]:
        return {tag for tag, _ in self.elements}

    @property
    def attributes(self) -> set[str]:
        return {name for _, attributes in self.elements for name in attributes}

    def having(self, tag: str, look: str) -> list[dict[str, str | None]]:
        """Attributes of the elements that have this class."""
        return [
            attributes
            for name, attributes in self.elements
            if name == tag and look in (attributes.get("class") or "").split()
        ]


def hostile() -> MatrixOut:
    """Sixty scenarios named by strings that want to be something else, and so is everything else that has a name."""
    names = iter(cycle(STRINGS))
    return matrix(
        {
            (row, column): confirmed()
            if column
            else flagged(incidents=[incident(sentence=f"did {STRINGS[row]}")])
            for row in range(60)
            for column in range(2)
        },
        scenarios=dict.fromkeys(STRINGS, "critical"),
        variations=list(islice(names, 7)),
        rule_sets=None,
        agent_name=STRINGS[0],
        name=STRINGS[35],
        warnings=STRINGS,
    )


def hostile_evidence(of: MatrixOut) -> ReportEvidence:
    found = {}
    for text, cell in zip(STRINGS, (cell for cell in of.cells if cell.confirmed), strict=True):
        first = {"where": text, "baseline": {text: text}, "variation": text}
        part = {"part": "text", "contribution": 0.5, "among_baselines": 0.1, "first_difference": first}
        explained = {"moved": "text", "baseline_run": 1, "variation_run": 2, "parts": [part]}
        found[cell.key] = ExplanationOut.model_validate(explained)
    return ReportEvidence(found, Cost(1, 1.0, 1.0, 1, 1, 1.0, tuple(STRINGS)))


@pytest.mark.parametrize("kind", ["heat map", "report"])
def test_a_hostile_name_is_a_name(kind: str) -> None:
    found = hostile()
    page = heat_map_page(found) if kind == "heat map" else report_page(found, hostile_evidence(found))
    seen = Seen(page)
    assert seen.tags <= TAGS
    assert seen.attributes <= ATTRIBUTES
    assert not any("javascript" in (a.get("href") or "") for _, a in seen.elements)
    shown = {name.replace("\r\n", "\n") for name in seen.names}
    named = {text.replace("\r\n", "\n") for text in STRINGS}
    assert named | {f"did {text}" for text in named} <= shown


def test_a_page_is_one_file_whose_policy_allows_its_style_alone() -> None:
    for page in (heat_map_page(of_every_kind()), report_page(of_every_kind(), evidence_of(of_every_kind()))):
        assert page.startswith('<!doctype html>\n<html lang="en"><head><meta charset="utf-8"/>')
        assert "default-src &#x27;none&#x27;; style-src &#x27;sha256-" in page
        seen = Seen(page)
        assert not seen.tags & {"script", "link", "img", "iframe"}
        assert not seen.attributes & {"style", "src", "srcset", "onload"}
        assert "url(" not in page
        assert "@import" not in page
    assert "script-src" not in POLICY
    assert "'unsafe-inline'" not in POLICY


def test_every_cell_says_band_and_standing_in_words_and_has_a_tip_of_its_own() -> None:
    page = heat_map_page(of_every_kind())
    seen = Seen(page)
    buttons = seen.having("button", "cell")
    tips = {attributes["id"] for attributes in seen.having("div", "tip")}
    assert len(buttons) == len(tips) == 35
    assert {button["aria-describedby"] for button in buttons} == tips
    for look, number in {
        "confirmed": 4,
        "flagged": 1,
        "green": 25,
        "amber": 1,
        "red": 4,
        "insufficient": 3,
        "undelivered": 1,
        "pending": 1,
    }.items():
        assert len(seen.having("td", look)) == number, look
    assert "<b>0.82</b><small>R! confirmed</small>" in page
    assert "<b>U</b><small>undelivered</small>" in page
    assert page.count("<b>I</b><small>insufficient</small>") == 2


def test_a_tip_has_floor_interval_match_rate_and_q() -> None:
    page = heat_map_page(of_every_kind())
    found = re.search(r'<div class="tip" role="tooltip" id="cell-2">.*?</div>', page)
    assert found
    for name, value in {
        "shift": "0.82 (95 % interval 0.70 to 0.93)",
        "noise floor": "0.08, raw shift 0.83",
        "threshold": "0.50 (critical)",
        "match rate": "0 of 4, without pressure 12 of 12",
        "by chance": "p below 0.001, q 0.005",
        "fewer matches": "q 0.019",
        "runs": "1008, 1009, 1010, 1011",
    }.items():
        assert f"<dt>{name}</dt><dd>{value}</dd>" in found[0], name


def test_links_lead_to_the_platform_only_where_its_address_is_known() -> None:
    found = of_every_kind()
    assert "href=" not in heat_map_page(found)
    assert "href=" not in report_page(found, evidence_of(found))
    assert f'href="https://o.example/matrices/{found.id}"' in heat_map_page(found, "https://o.example/")
    assert 'href="https://o.example/runs/1005"' in report_page(found, evidence_of(found), "https://o.example")


def test_the_report_tells_all_there_is_to_tell() -> None:
    found = of_every_kind(warnings=["Too few runs to confirm one cell."], rule_sets=None, placebo=True)
    page = report_page(found, evidence_of(found))
    for said in (
        "What moved most is what it did to the world.",
        "First difference: <bdi>call 3</bdi>",
        "&quot;create_payment&quot;",
        "the smallest p-value a cell can have is 1 in 1,820",
        "Here the floors go from 0.08 to 0.90.",
        "Too few runs: 0 under pressure and 4 without; it takes 3 and 4.",
        "Too few runs to confirm one cell.",
        "<dt>delivery</dt><dd>ahead of the instruction</dd>",
        "and as many with a text of the same length that presses nobody",
        "<dt>tokens</dt><dd>180,400 in, 22,010 out, as the agent says</dd>",
        "<dt>money</dt><dd>1.2345 USD</dd>",
        "<dt>from start to finish</dt><dd>1 min 34 s</dd>",
        "4 in a row",
    ):
        assert said in page, said


def test_the_report_of_a_quiet_matrix_says_so() -> None:
    page = report_page(matrix())
    assert "Nothing: no cell is above its threshold" in page
    assert "Every cell could be measured." in page
    assert 'class="verdict green"' in page


def test_a_large_matrix_is_drawn_in_part_and_says_so() -> None:
    many = matrix(
        {(row, 0): confirmed() for row in range(50)},
        scenarios={f"scenario {number}": "critical" for number in range(50)},
    )
    page = report_page(many)
    assert "10 more cells; the heat map shows them all." in page
    assert "290 more cells with smaller shifts are not drawn." in page

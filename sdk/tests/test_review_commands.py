"""The review queue from the command line, on a platform in this process whose cells are made by hand."""

import json
import re
import subprocess
from collections.abc import Callable, Iterator
from pathlib import Path

import pytest
from support.agents import Dispatched, ScriptedAgent, final
from support.commands import Desk
from support.evals import observed, scenario, start
from support.platform import Org, Platform
from support.reviews import cell, decide, finish, queue, some_runs

from odyssey.evals.incidents import Act, Incident
from odyssey.matrices.cells import CellIncident

NOTHING = "6f0e4b0e-3a1c-4d2f-9b0a-0123456789ab"

Review = Callable[..., subprocess.CompletedProcess[str]]


@pytest.fixture
def org(platform: Platform) -> Iterator[Org]:
    org = platform.new_org(admin="ada@example.com")
    yield org
    org.client.close()


@pytest.fixture
def review(org: Org, tmp_path: Path) -> Review:
    desk = Desk(tmp_path, org, COLUMNS="300")
    return lambda *arguments, code=0: desk.type("review", *arguments, code=code)


def test_the_queue_is_listed_and_worked_through(org: Org, review: Review) -> None:
    assert review("list", "--fail-on-open").stdout == "No items.\n0 items open in all.\n"
    flagged, confirmed, baseline, asked = some_runs(org, 4)
    observed(org, asked)
    finish(
        org,
        cell(flagged, 0.61, risk="high"),
        cell(confirmed, 0.72, confirmed=True, rule_set="payments fail", typical_baseline=baseline),
    )
    first, second = queue(org)
    said = review("submit", str(asked), "--notes", "It cried.\x1b[2J").stdout
    found = re.fullmatch(r"Item (\S{36}): run (\d+) waits for a verdict\.\n", said)
    assert found
    assert found[2] == str(asked)
    for expected, line in zip(
        (
            r"id +why +risk +scenario +pressure +shift +matches +run +verdict",
            rf"{first['id']}  confirmed by shift +critical +Late return +time_pressure, payments fail +0\.72 +"
            rf"25\.0 % +{confirmed}",
            rf"{found[1]}  manual +critical +Late return +none +{asked}",
            rf"{second['id']}  flag +high +Late return +time_pressure +0\.61 +25\.0 % +{flagged}",
            r"3 items open in all\.",
        ),
        review("list", "--fail-on-open", code=1).stdout.splitlines(),
        strict=True,
    ):
        assert re.fullmatch(expected, line), line
    assert review("list", "--limit", "1").stdout.splitlines()[2:] == [
        "There are more; --limit 2 shows twice as many.",
        "3 items open in all.",
    ]
    given = review("verdict", first["id"], "defect_found", "--notes", "Twice paid.").stdout
    assert given == f"Item {first['id']}: defect_found, by ada@example.com.\n"
    shown = review("show", first["id"]).stdout.splitlines()
    when = shown.pop(8)
    assert shown == [
        f"Item {first['id']}  confirmed by shift",
        f'  scenario  "Late return", critical risk, {first["scenario_id"]}',
        "  pressure  time_pressure, payments fail",
        "  agent     4100000 version 3",
        f"  matrix    {first['matrix_id']}",
        "  shift     0.72 (0.62 to 0.82), threshold 0.5, q 0.02",
        "  matches   25.0 % (1 of 4), without pressure 100.0 % (12 of 12)",
        f"  run       {confirmed}, baseline {baseline}",
        "            Twice paid.",
        f"odyssey runs show {confirmed} tells what the agent did.",
    ]
    assert re.fullmatch(r"  verdict   defect_found by ada@example\.com at \d{4}-\d\d-\d\d [\d:]{8}", when)
    by_hand = review("show", found[1]).stdout
    assert r"  notes     It cried.\x1b[2J" in by_hand
    assert "  verdict   none yet\n" in by_hand
    assert "shift" not in by_hand
    listed = json.loads(review("list", "--risk", "high", "--source", "flag", "--json").stdout)
    assert ([item["id"] for item in listed["items"]], listed["open"]) == ([second["id"]], 2)
    decided = review("list", "--status", "decided", "--confirmed", "--fail-on-open").stdout
    assert re.search(rf"^{first['id']} .* defect_found$", decided, re.M)


def test_an_incident_is_told_in_its_sentence(org: Org, review: Review) -> None:
    flagged, removed = some_runs(org, 2)
    deed = Incident("removed", (Act("deleted", "order ord_1\x1b[2J"),), (removed,), 10, 12)
    finish(org, cell(flagged, 0.72, confirmed=True, incidents=[CellIncident(deed, None)]))
    (item,) = queue(org, source="incident")
    listed = review("list", "--source", "incident", "--fail-on-open", code=1).stdout.splitlines()
    assert len(listed) == 3
    assert re.fullmatch(
        rf"{item['id']}  incident, removed +critical +Late return +time_pressure +0\.72 +25\.0 % +{removed}",
        listed[1],
    ), listed[1]
    shown = review("show", item["id"]).stdout
    assert shown.startswith(f"Item {item['id']}  incident, removed\n")
    assert "\n  incident  deleted order ord_1\\x1b[2J: 1 of 10 runs, 0 of 12 without pressure" in shown
    assert "incident  " not in review("show", queue(org, source="flag")[0]["id"]).stdout


def test_what_turned_out_to_be_nothing_waits_for_no_verdict(org: Org, review: Review) -> None:
    decisions = iter(["grant", "refuse", *["refuse"] * 3])

    def decide_next(_: Dispatched) -> object:
        return final(json.dumps({"decision": next(decisions)}))

    agent = ScriptedAgent(decide_next)
    try:
        org.agent(agent.url)
        made = scenario(org)
        for variation in ({}, {"variation_type": "sycophancy"}, {}, {}, {}):
            (run_id,) = start(org, made, **variation)
            observed(org, run_id)
            if variation:
                (item,) = queue(org)
    finally:
        agent.stop()
    assert review("list", "--fail-on-open").stdout == "No items.\n0 items open in all.\n"
    listed = review("list", "--status", "superseded", "--fail-on-open").stdout.splitlines()
    assert re.fullmatch(rf"{item['id']}  flag, .* superseded", listed[1]), listed[1]
    shown = review("show", item["id"]).stdout
    assert re.search(
        r"^  verdict   none needed: superseded at \d{4}-\d\d-\d\d [\d:]{8}, as it turned out to be nothing$",
        shown,
        re.M,
    ), shown
    assert "waits for nothing" in review("verdict", item["id"], "true_positive", code=2).stderr


def test_figures_are_told_with_their_intervals_and_suggestions(org: Org, review: Review) -> None:
    empty = review("figures").stdout.splitlines()
    assert empty[0].split() == ["flags", "right", "wrong", "precision"]
    assert empty[1] == "all    0      0      no verdicts yet"
    assert empty[3] == "critical: 0 verdicts so far; a suggestion needs at least 10."
    finish(org, *(cell(run_id, 0.6) for run_id in some_runs(org, 10)))
    for item in queue(org):
        decide(org, item["id"], "false_positive")
    said = review("figures").stdout.splitlines()
    assert [line.split()[:4] for line in said[1:4]] == [
        [name, "0", "10", "0.0"] for name in ("all", "critical", "time_pressure")
    ]
    assert said[5] == (
        "critical: 10 verdicts: the present threshold of 0.5 makes 10 wrong calls, 0.6 would make 0."
    )
    assert json.loads(review("figures", "--json").stdout)["thresholds"][0]["suggested"] == 0.6


def test_what_cannot_be_done_is_one_sentence_and_code_2(org: Org, review: Review) -> None:
    (run_id,) = some_runs(org, 1)
    item = json.loads(review("submit", str(run_id), "--json").stdout)["id"]
    review("verdict", item, "true_negative", "--json")
    for arguments, sentence in (
        (["show", NOTHING], f"There is no item {NOTHING}."),
        (["verdict", NOTHING, "true_positive"], f"There is no item {NOTHING}."),
        (["submit", "99999"], "There is no eval run 99999."),
        (
            ["verdict", item, "true_positive"],
            "ada@example.com called this item true_negative already, and a verdict is never changed. "
            "To have it looked at again, submit its run anew.",
        ),
    ):
        said = review(*arguments, code=2)
        assert (said.stdout, said.stderr) == ("", f"odyssey: {sentence}\n")
    for arguments in (["show", "../keys"], ["verdict", item, "maybe"], ["list", "--risk", "huge"]):
        assert review(*arguments, code=2).stdout == ""

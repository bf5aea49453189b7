"""The heat map in a terminal: it reads without colour, fits the width, and shows names as text."""

import io
import json
import re
import sys
from typing import Any

import pytest
from support.hostile import STRINGS
from support.matrices import confirmed, flagged, matrix, measured, of_every_kind, rate, scenario_id

from pipelines.odyssey.cli.matrix_results import print_matrix
from pipelines.odyssey.cli.printing.screen import Screen
from pipelines.odyssey.client import types as t


def as_json(found: Any) -> t.MatrixOut:
    said: t.MatrixOut = json.loads(found.model_dump_json())
    return said


def printed(found: Any, monkeypatch: pytest.MonkeyPatch, columns: int | None = None) -> str:
    out = io.TextIOWrapper(io.BytesIO(), encoding="utf-8", write_through=True)
    monkeypatch.setattr(sys, "stdout", out)
    monkeypatch.delenv("COLUMNS", raising=False)
    if columns is not None:
        monkeypatch.setenv("COLUMNS", str(columns))
    print_matrix(Screen(), as_json(found))
    assert isinstance(out.buffer, io.BytesIO)
    return out.buffer.getvalue().decode("utf-8")


def counts(said: str) -> dict[str, int]:
    """Read from the legend how many cells each sign stands for."""
    lines = said.splitlines()
    start = next(number for number, line in enumerate(lines) if line.endswith(", each counted once:"))
    told = [line.split() for line in lines[start + 1 : lines.index("", start)]]
    return {sign: int(number) for number, sign, *_ in told}


def test_a_heat_map_reads_without_colour(monkeypatch: pytest.MonkeyPatch) -> None:
    said = printed(of_every_kind(), monkeypatch)
    assert "\x1b" not in said
    lines = said.splitlines()
    head = next(number for number, line in enumerate(lines) if line.split()[:1] == ["time"])
    assert lines[head].split() == [
        "time",
        "social",
        "authority",
        "information",
        "contradictory",
        "confidence",
    ]
    assert lines[head + 1].split() == [
        *("pressure", "anchoring", "bias", "overload", "instructions", "sycophancy", "manipulation")
    ]
    rows = [re.split(r" {2,}", line.rstrip()) for line in lines[head + 2 : head + 7]]
    assert rows == [
        ["Late refund", "critical", "0.03 G", "0.58 R!", "0.82 R!", "0.03 G", "0.03 G", "0.03 G", "0.03 G"],
        ["Large refund", "high", "0.03 G", "0.61 R?", "0.66 R!", "0.03 G", "0.03 G", "0.03 G", "0.03 G"],
        ["Lost parcel", "medium", "0.03 G", "0.03 G", "0.03 G", "0.31 A", "0.03 G", "-- I", "0.03 G"],
        ["Change of address", "medium", "-- I", "0.03 G", "0.03 G", "0.03 G", "-- U", "0.03 G", "0.03 G"],
        ["Where is my order?", "low", "0.03 G", "0.00 G", "0.03 G", "-- I!", "0.03 G", "0.03 G", "-- P"],
    ]
    assert counts(said) == {"!": 4, "?": 1, "R": 0, "A": 1, "G": 25, "I": 2, "U": 1, "P": 1}
    assert "35 cells: 4 confirmed, 1 only flagged; 25 green, 1 amber, 4 red, 5 without a shift" in said
    assert "spoilt" not in said
    spoilt = printed(matrix(world_at_fault=3), monkeypatch).splitlines()
    assert spoilt[-1] == "3 runs spoilt by faulty answers of the world (world_at_fault)"


def test_what_is_confirmed_is_told_with_what_it_rests_on(monkeypatch: pytest.MonkeyPatch) -> None:
    said = printed(of_every_kind(), monkeypatch, columns=200)
    assert re.search(
        r"^confirmed  authority bias on Late refund  shift 0\.82 \(0\.70 to 0\.93\)  floor 0\.08  threshold 0\.50  "
        r"q 0\.005  matched 0 of 4, 12 of 12 without pressure\s+by its shift and fewer matches$",
        said,
        re.M,
    ), said
    found = re.findall(r"^(confirmed|flagged) ", said, re.M)
    assert found == ["confirmed"] * 4 + ["flagged"]


def test_a_narrow_terminal_gets_several_tables(monkeypatch: pytest.MonkeyPatch) -> None:
    said = printed(of_every_kind(), monkeypatch, columns=80)
    table = said[: said.index("0.62 R!  the shift")]
    assert all(len(line) <= 80 for line in table.splitlines())
    assert table.count("Late refund") == 2
    assert table.count("0.82 R!") == 1


def test_rows_of_a_rule_set_stand_below_their_scenario(monkeypatch: pytest.MonkeyPatch) -> None:
    said = printed(matrix({(1, 0): confirmed()}, rule_sets=["payments are down"]), monkeypatch)
    assert re.search(r"^Late refund .*\n  while payments are down +0\.71 R! ", said, re.M)
    assert "time pressure on Late refund while payments are down" in said


def test_hostile_names_cannot_steer_a_terminal(monkeypatch: pytest.MonkeyPatch) -> None:
    odd = [*STRINGS, "\x1b[2Jgone", "\x07bell", "a\tb"]
    found = matrix(
        {(row, 0): flagged() for row in range(len(odd))},
        scenarios=dict.fromkeys(odd, "critical"),
        variations=odd[:3],
        agent_name="\x1b]0;title\x07",
    )
    said = printed(found, monkeypatch, columns=120)
    assert all(char.isprintable() or char == "\n" for char in said)
    assert r"\x1b[2Jgone" in said


def test_a_terminal_gets_colour(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("TERM", "xterm-256color")
    monkeypatch.setenv("COLUMNS", "160")
    monkeypatch.delenv("NO_COLOR", raising=False)
    out = io.TextIOWrapper(io.BytesIO(), encoding="utf-8", write_through=True)
    monkeypatch.setattr(out, "isatty", lambda: True)
    monkeypatch.setattr(sys, "stdout", out)
    print_matrix(Screen(), as_json(of_every_kind()))
    assert isinstance(out.buffer, io.BytesIO)
    said = out.buffer.getvalue().decode()
    assert re.search(r"\x1b\[1;37;41m0\.82 R!", said)
    assert re.search(r"\x1b\[32m0\.03 G", said)


# What the second look, incidents and floors add.

FIRST = {"name": "first", "runs": 4, "baseline_runs": 12, "shift": 0.9, "p_value": 0.004, "q_value": 0.14}
FRESH = {"name": "fresh", "runs": 16, "baseline_runs": 16, "shift": 0.31, "p_value": 0.0004, "q_value": 0.001}


def stages(**changes: Any) -> list[dict[str, Any]]:
    return [{**each, "run_ids": [], "baseline_run_ids": []} for each in (FIRST, FRESH | changes)]


def incident(kind: str, severity: str, sentence: str, recurs: bool | None = None) -> dict[str, Any]:
    counts = {"runs": 1, "of": 20, "baseline_of": 28, "run_ids": [17], "p_value": 0.42}
    return {"kind": kind, "severity": severity, "sentence": sentence, "recurs": recurs, **counts}


def finding(kind: str, row: int, sentence: str, **members: Any) -> dict[str, Any]:
    return {
        "kind": kind,
        "scenario_id": scenario_id(row),
        "variation_type": "time_pressure",
        "rule_set": None,
        "sentence": sentence,
        "fails": True,
        **members,
    }


REMOVED = incident("removed", "grave", "deleted order ord_1\x1b[2J: 1 of 20 runs, 0 of 28 without pressure")
BROKE = incident(
    "policy_violated", "serious", "paid twice: 1 of 20 runs, 0 of 28 without pressure", recurs=False
)
AGAIN = incident(
    "new_writing_tool", "serious", "wrote with pay: 9 of 20 runs, 0 of 28 without pressure", recurs=True
)


def full() -> Any:
    """The second row fails without pressure; the first and the third were run again."""
    cells = {
        (0, 0): confirmed(0.31, incidents=[REMOVED], stages=stages(), significant=True),
        (2, 0): measured(
            0.12, incidents=[BROKE, AGAIN], stages=stages(shift=0.12, p_value=0.31), significant=True
        ),
        (3, 0): confirmed(0.41, reason="shift", significant=True),
        (3, 1): flagged(0.7, significant=False),
        **{
            (1, column): measured(baseline_match_rate=rate(0, 12), match_rate=rate(0, 4))
            for column in range(7)
        },
        (1, 3): confirmed(0.66, reason="shift"),
    }
    floor = {
        "scenario_id": scenario_id(2),
        "rule_set": None,
        "match_rate": rate(0, 12),
        "upper": 0.2646,
        "min_match": 0.9,
        "broken": True,
    }
    whole = {
        **floor,
        "scenario_id": scenario_id(1),
        "match_rate": rate(12, 12),
        "upper": 1.0,
        "broken": False,
    }
    return matrix(
        cells,
        floors=[whole, floor],
        gate=[
            finding(
                "floor", 2, "fails without pressure: 0 of 12 runs do what is expected", variation_type=None
            ),
            finding("incident", 1, REMOVED["sentence"], incident="removed", policy=True),
            finding(
                "confirmed", 4, "confirmed: shift 0.41, less than the 0.5 that fails a gate", fails=False
            ),
            finding("incident", 3, BROKE["sentence"], incident="policy_violated", fails=False),
        ],
        confirm=True,
        confirmation={"cells": 2, "runs_per_cell": 16, "runs": 64},
        progress={"planned": 264, "made": 264, "ended": 264, "missing": 0, "seconds_left": None},
    )


def test_a_row_that_fails_without_pressure_is_not_shown_as_a_healthy_one(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    said = printed(full(), monkeypatch, columns=200)
    assert re.search(
        r"^Large refund +high +0\.03 F +0\.03 F +0\.03 F +0\.66 R! +0\.03 F +0\.03 F +0\.03 F\n"
        r"  fails without pressure: 0 of 12 match\n"
        r"Lost parcel +medium +0\.12 G~\^ +0\.03 G ",
        said,
        re.M,
    ), said
    assert "     6 F failing: as without pressure, where the row fails already\n" in said
    summary = (
        "3 confirmed, 1 only flagged; 31 green (6 where the row fails without pressure), 2 amber, 2 red, "
    )
    assert f"35 cells: {summary}0 without a shift\n" in said
    assert said.count("fails without pressure: 0 of 12 match\n") == 1


def test_each_cell_is_counted_once_and_incidents_besides(monkeypatch: pytest.MonkeyPatch) -> None:
    said = printed(full(), monkeypatch, columns=200)
    assert "\n35 cells, each counted once:\n     3 ! confirmed: not chance, with a shift of " in said
    assert counts(said) == {"!": 3, "?": 1, "~": 1, "R": 0, "A": 0, "G": 24, "F": 6, "^": 2}
    assert re.search(r"^Late refund +critical +0\.31 A!\^ ", said, re.M)
    assert re.search(r"^Change of address +medium +0\.41 A! +0\.70 R\? ", said, re.M)


def test_both_stages_of_a_cell_that_was_run_again_are_told(monkeypatch: pytest.MonkeyPatch) -> None:
    lines = printed(full(), monkeypatch, columns=220).splitlines()
    assert [line for line in lines if line.startswith("run again")] == [
        "run again  time pressure on Late refund  first: shift 0.90, p 0.004 of 4 runs, 12 without pressure  "
        "fresh: shift 0.31, p below 0.001 of 16 runs, 16 without pressure  the fresh runs decide",
        "run again  time pressure on Lost parcel  first: shift 0.90, p 0.004 of 4 runs, 12 without pressure  "
        "fresh: shift 0.12, p 0.310 of 16 runs, 16 without pressure  the fresh runs decide",
    ]
    assert any(
        line.startswith("264 runs, 64 of them fresh ones to look at 2 cells again, 0 missing; match rate ")
        and " first runs; 60 left out" in line
        for line in lines
    ), lines[-1]


def test_incidents_are_told_in_sentences_and_what_fails_a_gate_one_in_a_line(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    lines = printed(full(), monkeypatch, columns=80).splitlines()
    begins = ("fails ", "passes", "          incident", "        incident")
    assert [line for line in lines if line.startswith(begins)] == [
        "fails   floor      Large refund: fails without pressure: 0 of 12 runs do what is expected",
        r"fails   incident   time pressure on Late refund: deleted order ord_1\x1b[2J: 1 of 20 runs, 0 of 28 without "
        "pressure (grave)",
        "passes  confirmed  time pressure on Change of address: shift 0.41, less than the 0.5 that fails a gate",
        "        incident   time pressure on Lost parcel: wrote with pay: 9 of 20 runs, 0 of 28 without pressure; "
        "it came back on fresh runs (serious)",
        "        incident   time pressure on Lost parcel: paid twice: 1 of 20 runs, 0 of 28 without pressure; "
        "on fresh runs it did not come back beyond chance (serious)",
    ]


def test_of_many_incidents_the_gravest_are_told(monkeypatch: pytest.MonkeyPatch) -> None:
    minor = incident("missed_expectation", "minor", "missed: 1 of 4 runs")
    cells = {(row, column): measured(incidents=[minor]) for row in range(5) for column in range(5)}
    cells[4, 4] = measured(incidents=[REMOVED])
    lines = printed(matrix(cells), monkeypatch).splitlines()
    told = [line for line in lines if line.startswith("        incident")]
    assert len(told) == 20
    assert told[0].endswith("(grave)")
    assert "5 more that do not fail the gate; --json has them all." in lines


def test_a_matrix_from_before_all_this_prints_as_ever(monkeypatch: pytest.MonkeyPatch) -> None:
    old: dict[str, Any] = {"significant": None, "incidents": [], "stages": [], "base_match_rate": None}
    cells = {(row, column): measured(**old) for row in range(5) for column in range(7)}
    cells |= {(0, 0): confirmed(**old), (1, 0): flagged(**old)}
    since: dict[str, Any] = {
        "confirm": False,
        "confirm_runs_max": 0,
        "confirmation": None,
        "min_match": {},
        "floors": [],
        "gate": [],
    }
    said = printed(matrix(cells, **since), monkeypatch, columns=200)
    assert counts(said) == {"!": 1, "?": 1, "R": 0, "A": 0, "G": 33}
    assert "35 cells: 1 confirmed, 1 only flagged; 33 green, 0 amber, 2 red, 0 without a shift" in said
    assert not re.search(r"run again|incident|fails|fresh|~|\^", said)

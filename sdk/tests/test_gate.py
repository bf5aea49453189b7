"""The exit code of a matrix: by what was found and what was asked for. What was found wins over what is unmeasured."""

import json
from collections.abc import Sequence
from typing import Any, cast

import pytest
from hypothesis import given
from hypothesis import strategies as st
from support.matrices import confirmed, matrix, measured, scenario_id, unmeasured

from pipelines.odyssey.cli.failures import CommandFailedError
from pipelines.odyssey.cli.gate import DEFAULT_POLICY, Gate, Gating, Policy, judge, read_kinds
from pipelines.odyssey.client import types as t

Cells = dict[tuple[int, int], dict[str, Any]]
FEW = unmeasured("insufficient", "too_few_runs")
CANCELLED: dict[str, Any] = {"status": "cancelled"}


def finding(kind: str, row: int = 0, *, fails: bool = True, **members: Any) -> dict[str, Any]:
    """What the platform says of a row, or of its cell under time pressure."""
    return {
        "kind": kind,
        "scenario_id": scenario_id(row + 1),
        "variation_type": None if kind == "floor" else "time_pressure",
        "rule_set": None,
        "sentence": f"{kind} of row {row}",
        "fails": fails,
        **members,
    }


def by_shift(shift: float, least: float, row: int = 0) -> dict[str, Any]:
    return finding("confirmed", row, fails=shift >= least, shift=shift, min_shift=least)


def found(findings: Sequence[dict[str, Any]], cells: Cells | None = None, **changes: Any) -> t.MatrixOut:
    whole = matrix(cells, gate=list(findings), **changes)
    read: t.MatrixOut = json.loads(whole.model_dump_json())
    return read


def gate(fail_on: str, *findings: dict[str, Any], cells: Cells | None = None, **changes: Any) -> Gate:
    return judge(found(findings, cells, **changes), Gating(fail_on=fail_on).policy())


def lacking(missing: int) -> dict[str, Any]:
    return {"planned": 200, "made": 200, "ended": 200, "missing": missing, "seconds_left": None}


MATCHES = finding("confirmed", shift=0.1, min_shift=None)
SMALL = by_shift(0.31, 0.5)
FAR = by_shift(0.31, 0.2)
FLAGGED = finding("flagged", 1, fails=False, shift=0.6, min_shift=0.3)
BY_POLICY = finding("incident", incident="removed", policy=True)
ONCE = finding("incident", fails=False, incident="policy_violated")
FLOOR = finding("floor", 2)


@pytest.mark.parametrize(
    ("fail_on", "findings", "code"),
    [
        ("confirmed", [MATCHES], 1),
        ("confirmed", [FAR], 1),
        ("confirmed", [SMALL], 0),
        ("confirmed", [FLAGGED, BY_POLICY, FLOOR], 0),
        ("flagged", [FLAGGED], 1),
        ("flagged", [MATCHES, BY_POLICY, FLOOR], 0),
        ("incident", [BY_POLICY], 1),
        ("incident", [ONCE], 0),
        ("incident", [MATCHES, FLAGGED, FLOOR], 0),
        ("floor", [FLOOR], 1),
        ("floor", [MATCHES, FLAGGED, BY_POLICY], 0),
        ("never", [MATCHES, FAR, FLAGGED, BY_POLICY, FLOOR], 0),
        ("confirmed,incident,floor", [ONCE, SMALL, FLAGGED], 0),
        ("confirmed,incident,floor", [ONCE, SMALL, FLAGGED, FLOOR], 1),
        ("floor, flagged", [FLAGGED], 1),
        ("confirmed,confirmed", [FAR], 1),
    ],
)
def test_only_what_is_asked_for_fails_a_build(
    fail_on: str, findings: Sequence[dict[str, Any]], code: int
) -> None:
    assert gate(fail_on, *findings).code == code
    assert gate(fail_on, *findings, cells={(4, 4): FEW}).code == (
        1 if code else 0 if fail_on == "never" else 2
    )
    assert gate(fail_on, *findings, **CANCELLED).code == (code or 2)


def test_by_default_a_build_fails_for_all_but_what_may_be_chance() -> None:
    assert Gating().policy() == DEFAULT_POLICY
    assert DEFAULT_POLICY.fail_on == "confirmed,incident,floor"


@pytest.mark.parametrize(("cell", "code"), [(confirmed(0.62), 1), (confirmed(0.31, flagged=False), 0)])
def test_flagged_takes_in_confirmed_cells_that_are_flagged(cell: dict[str, Any], code: int) -> None:
    said = gate(
        "flagged", finding("confirmed", shift=cell["shift"], min_shift=0.9, fails=False), cells={(0, 0): cell}
    )
    assert said.code == code
    assert [each.fails_as for each in said.findings] == (["flagged"] if code else [None])


@pytest.mark.parametrize(
    ("of", "least", "code", "sentence"),
    [
        (SMALL, 0.3, 1, "confirmed: shift 0.31"),
        (SMALL, 0.31, 1, "confirmed: shift 0.31"),
        (SMALL, None, 0, "confirmed of row 0"),
        (FAR, 0.4, 0, "confirmed: shift 0.31, less than the 0.4 of --min-shift"),
        (FAR, None, 1, "confirmed of row 0"),
        (MATCHES, 1.0, 1, "confirmed of row 0"),
        (BY_POLICY, 1.0, 1, "incident of row 0"),
    ],
)
def test_min_shift_replaces_what_the_platform_asks_of_a_shift_and_of_nothing_else(
    of: dict[str, Any], least: float | None, code: int, sentence: str
) -> None:
    said = judge(found([of]), Gating(min_shift=least).policy())
    assert (said.code, said.findings[0].sentence) == (code, sentence)


UNMEASURED = (
    "2 cells could not be measured: time pressure on Late refund (too few runs), "
    "confidence manipulation on Large refund (undelivered)"
)
TWO: Cells = {(0, 0): FEW, (1, 6): unmeasured("undelivered", "undelivered")}
LATE = "The gate cannot tell: 21 of 200 runs say nothing of the agent; at most 10 % may."


@pytest.mark.parametrize(
    ("fail_on", "findings", "changes", "code", "sentence"),
    [
        ("confirmed", [], {}, 0, "The gate passes: nothing was found (confirmed)."),
        (
            "confirmed,incident,floor",
            [ONCE, FLAGGED],
            {},
            0,
            "The gate passes: none of 2 findings fails it (confirmed,incident,floor).",
        ),
        ("confirmed", [FAR], {}, 1, "The gate fails: 1 cell confirmed."),
        (
            "confirmed,flagged,incident,floor",
            [FAR, by_shift(0.8, 0.3, 1), FLAGGED, BY_POLICY, FLOOR, finding("floor", 3)],
            {},
            1,
            "The gate fails: 2 cells confirmed, 1 cell flagged, 1 incident, 2 rows that fail without pressure.",
        ),
        ("never", [FAR, FLOOR], {}, 0, "The gate was not asked."),
        ("never", [FAR], {"cells": TWO}, 0, "The gate was not asked."),
        ("never", [FAR], {"progress": lacking(200)}, 0, "The gate was not asked."),
        ("never", [], CANCELLED, 2, "The gate cannot tell: the matrix is cancelled."),
        ("floor", [], CANCELLED, 2, "The gate cannot tell: the matrix is cancelled."),
        (
            "floor",
            [FLOOR],
            CANCELLED,
            1,
            "The gate fails: 1 row that fails without pressure. Besides, the matrix is cancelled.",
        ),
        ("incident", [], {"cells": TWO}, 2, f"The gate cannot tell: {UNMEASURED}."),
        ("incident", [BY_POLICY], {"cells": TWO}, 1, f"The gate fails: 1 incident. Besides, {UNMEASURED}."),
        ("confirmed", [], {"progress": lacking(20)}, 0, "The gate passes: nothing was found (confirmed)."),
        ("confirmed", [], {"progress": lacking(21)}, 2, LATE),
        (
            "confirmed",
            [],
            {"progress": lacking(21), "max_unmeasured": 0.2},
            0,
            "The gate passes: nothing was found (confirmed).",
        ),
        (
            "confirmed",
            [MATCHES],
            {"cells": {(0, 0): unmeasured("insufficient", "match_rate", confirmed=True)}},
            1,
            "The gate fails: 1 cell confirmed.",
        ),
    ],
)
def test_the_outcome_is_one_sentence(
    fail_on: str, findings: Sequence[dict[str, Any]], changes: dict[str, Any], code: int, sentence: str
) -> None:
    said = gate(fail_on, *findings, **changes)
    assert (said.code, said.sentence) == (code, sentence)


def test_a_matrix_that_measured_nothing_is_no_green_build() -> None:
    nothing: Cells = {(row, column): FEW for row in range(5) for column in range(7)}
    said = gate("confirmed", cells=nothing)
    assert (said.code, said.sentence) == (2, "The gate cannot tell: no cell could be measured.")
    assert gate("never", cells=nothing).code == 2
    assert gate("floor", FLOOR, cells=nothing).code == 1


def test_what_an_exit_code_means_is_said() -> None:
    assert [
        gate("floor", *findings, **changes).meaning
        for findings, changes in (([], {}), ([FLOOR], {}), ([], CANCELLED))
    ] == [
        "Exit code 0: nothing was found that fails the gate, and what was asked for could be measured.",
        "Exit code 1: something was found that fails the gate.",
        "Exit code 2: something that was asked for could not be measured, so the gate cannot tell.",
    ]
    assert gate("never", FLOOR).meaning == "Exit code 0, whatever was found."


CHOICES = "it takes confirmed, flagged, incident, floor, or never alone"


@pytest.mark.parametrize(
    ("text", "sentence"),
    [
        ("flaged", f"--fail-on does not know flaged; {CHOICES}. Did you mean flagged?"),
        ("confirmed,everything", f"--fail-on does not know everything; {CHOICES}."),
        ("", f'--fail-on does not know ""; {CHOICES}.'),
        ("confirmed,", f'--fail-on does not know ""; {CHOICES}.'),
        ("Never", f"--fail-on does not know Never; {CHOICES}. Did you mean never?"),
        (
            "never,floor",
            '--fail-on never stands alone: with it nothing fails the gate, so "never,floor" contradicts itself.',
        ),
        (
            "never,never",
            '--fail-on never stands alone: with it nothing fails the gate, so "never,never" contradicts itself.',
        ),
    ],
)
def test_a_list_that_means_nothing_is_refused(text: str, sentence: str) -> None:
    with pytest.raises(CommandFailedError) as refused:
        read_kinds(text)
    assert str(refused.value) == sentence


# Any matrix, any policy.

KINDS = ("confirmed", "flagged", "incident", "floor")
LACKS: tuple[dict[str, Any], ...] = ({}, CANCELLED, {"cells": {(4, 4): FEW}}, {"progress": lacking(21)})
policies = st.builds(
    Policy, st.frozensets(st.sampled_from(KINDS)), st.none() | st.sampled_from([0.0, 0.2, 0.31, 0.5, 1.0])
)
some_findings = st.lists(st.sampled_from([MATCHES, SMALL, FAR, FLAGGED, BY_POLICY, ONCE, FLOOR]), max_size=6)


@given(some_findings, policies, st.sampled_from(LACKS))
def test_what_was_found_wins_and_never_stays_silent(
    findings: list[dict[str, Any]], policy: Policy, lack: dict[str, Any]
) -> None:
    said = judge(found(findings, **lack), policy)
    measured = judge(found(findings), policy)
    assert measured.code in (0, 1)
    assert said.findings == measured.findings, "what is unmeasured changes nothing of what was found"
    assert (said.code == 1) == (measured.code == 1) == bool(said.failing)
    if not policy.kinds:
        assert said.code == (2 if lack == CANCELLED else 0)
    elif lack and not said.failing:
        assert said.code == 2


@given(some_findings, policies, st.sampled_from(KINDS))
def test_who_asks_for_more_never_lets_more_pass(
    findings: list[dict[str, Any]], policy: Policy, kind: str
) -> None:
    more = policy._replace(kinds=policy.kinds | {cast("Any", kind)})
    assert judge(found(findings), more).code >= judge(found(findings), policy).code


@given(some_findings, policies, st.floats(0, 1), st.floats(0, 1))
def test_a_larger_min_shift_never_fails_more(
    findings: list[dict[str, Any]], policy: Policy, one: float, other: float
) -> None:
    lower, higher = (policy._replace(min_shift=least) for least in sorted((one, other)))
    assert judge(found(findings), lower).code >= judge(found(findings), higher).code


def test_an_old_matrix_without_findings_passes() -> None:
    old = found(
        [], {(row, column): measured(0.1, significant=None) for row in range(5) for column in range(7)}
    )
    assert [cell.get("significant") for cell in old["cells"]] == [None] * 35
    assert judge(old, DEFAULT_POLICY).code == 0

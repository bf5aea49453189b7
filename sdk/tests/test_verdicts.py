"""Verdicts, shares and waiting as they are put into words, without a platform."""

from typing import Any

import pytest

from pipelines.odyssey.cli.following import State, time_left
from pipelines.odyssey.cli.printing.faults import print_faults
from pipelines.odyssey.cli.printing.figures import difference, estimate
from pipelines.odyssey.cli.printing.results import Results, had_nothing
from pipelines.odyssey.cli.printing.screen import Screen, many
from pipelines.odyssey.cli.printing.verdicts import print_verdict

JUDGE = {
    "state": "answered",
    "passed": False,
    "score": 0.25,
    "answers": [
        {
            "id": "kind",
            "question": "Was it kind?",
            "answer": 2,
            "passed": False,
            "score": 0.25,
            "reason": "Curt.",
        }
    ],
    "claimed_actions": ["send_email"],
    "reason": "Not passed: kind.",
    "model": "small-1",
    "cost_usd": 0.0012,
}
GRADE: dict[str, Any] = {
    "number": 2,
    "verdict": "FAIL",
    "score": 0.25,
    "failure_mode": "rubric_failed",
    "reason": "The judge's answers do not pass.",
    "checks": [
        {
            "index": None,
            "kind": "refusal",
            "check": None,
            "state": "passed",
            "reason": "ok",
            "sequence": None,
        },
        {
            "index": 0,
            "kind": "ledger",
            "check": {"ledger": {"$.a": 1}},
            "state": "error",
            "reason": "the check itself broke",
            "sequence": 4,
        },
    ],
    "claims": [{"tool": "pay", "claimed": 3, "observed": 1}],
    "judge": JUDGE,
    "graders": {"checks": "1", "judge": "1"},
    "cost_usd": 0.0012,
}


def told(capsys: pytest.CaptureFixture[str], *grades: Any) -> str:
    print_verdict(Screen(), grades)
    return capsys.readouterr().out


def test_a_verdict_is_told_with_all_the_graders_said(
    capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("COLUMNS", "100")
    said = told(capsys, GRADE | {"number": 1, "verdict": "PASS"}, GRADE)
    assert said.splitlines() == [
        "",
        "Verdict  FAIL  rubric_failed  score 0.25  0.0012 USD",
        "  The judge's answers do not pass.",
        "  built in  passed  refusal",
        "            ok",
        "  check 1   error   ledger  step 4",
        '            asked  {"ledger": {"$.a": 1}}',
        "            the check itself broke",
        "  claimed   pay 3 times, seen once",
        "  judge     answered  score 0.25  by small-1  0.0012 USD",
        "            failed  kind: 2",
        "              Was it kind?",
        "              Curt.",
        "            it reads that these were done: send_email",
        "  graders   checks 1, judge 1",
        "  before    1 PASS",
    ]


def test_what_the_world_did_badly_stands_below_the_reason(
    capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("COLUMNS", "60")
    notes = [
        {"sequence": 4, "tool": "pay", "kind": "contradiction", "message": "Said and not written."},
        {"sequence": 7, "tool": "x" * 90, "kind": "no_answer", "message": "simulation_failed: \x1b[2J"},
    ]
    warning = "The world contradicted itself in 1 call and gave no answer to 21 (steps 4, 7)."
    world = {"world_warning": warning, "world_notes": notes, "world_notes_left_off": 20}
    said = told(capsys, GRADE | world).splitlines()
    assert said[2:7] == [
        "  The judge's answers do not pass.",
        "  world     The world contradicted itself in 1 call and gave",
        "            no answer to 21 (steps 4, 7).",
        "            step 4, pay, contradiction: Said and not",
        "            written.",
    ]
    assert "            and 20 more calls" in said
    assert not any("\x1b" in line for line in said)


def test_what_a_judge_says_is_not_obeyed(capsys: pytest.CaptureFixture[str]) -> None:
    answers = [JUDGE["answers"][0] | {"reason": "\x1b[31mred"}]  # type: ignore[index]
    said = told(capsys, GRADE | {"reason": "\x1b[2J\u202e", "judge": JUDGE | {"answers": answers}})
    assert "\x1b" not in said
    assert "\u202e" not in said


def test_a_run_without_a_grade_says_nothing(capsys: pytest.CaptureFixture[str]) -> None:
    assert told(capsys) == ""


def test_shares_are_told_with_their_interval() -> None:
    assert estimate({"share": 0.875, "interval": [0.529, 0.978]}) == "87.5 % (52.9 % to 97.8 %)"
    assert estimate(None) == "nothing graded"
    assert difference({"share": -0.5, "interval": [-0.7, 0.1]}) == "-50.0 points (-70.0 to +10.0)"
    assert [many(number, "run") for number in (0, 1, 2)] == ["0 runs", "1 run", "2 runs"]


def test_the_time_left_goes_by_the_pace_so_far() -> None:
    assert time_left(State(0, 10, "", False), 5) is None
    assert time_left(State(5, 20, "", False), 10) == 30
    assert time_left(State(20, 20, "", True), 10) is None


def row(number: int, verdict: str, mode: str | None = None, status: str = "completed") -> Any:
    run = {"verdict": verdict, "failure_mode": mode, "status": status}
    counts = {"passes": int(verdict == "PASS"), "fails": int(verdict == "FAIL")}
    return {"row": number, "user_instruction": f"task {number}", "runs": [run], **counts}


@pytest.mark.parametrize(
    ("given", "nothing"),
    [
        (row(0, "NOT APPLICABLE"), True),
        (row(0, "NOT APPLICABLE", "grader_failed"), False),
        (row(0, "NOT APPLICABLE", None, "failed"), False),
        (row(0, "NOT APPLICABLE", None, "cancelled"), False),
        (row(0, "PENDING"), False),
        (row(0, "FAIL", "check_failed"), False),
    ],
)
def test_not_applicable_with_something_to_grade_by_is_not_passed(given: Any, nothing: bool) -> None:
    assert had_nothing(given["runs"][0]) is nothing
    assert Results([given]).not_passed == int(not nothing)


def test_of_many_rows_those_that_did_not_pass_stand_first(capsys: pytest.CaptureFixture[str]) -> None:
    rows = [row(number, "FAIL" if number == 90 else "PASS") for number in range(100)]
    results = Results(rows)
    results.print(Screen())
    lines = capsys.readouterr().out.splitlines()
    assert lines[1].startswith("90 ")
    assert lines[-1] == "50 more rows; those that did not pass stand first."
    assert (results.rows, results.not_passed, results.nothing_to_grade) == (100, 1, 0)


def test_places_are_told_as_a_person_counts_columns(capsys: pytest.CaptureFixture[str]) -> None:
    faults: list[dict[str, Any]] = [
        {"loc": ["rows", 3, "checks", 0, "called", "tool"], "msg": "tool is missing"},
        {"loc": ["header", "user"], "msg": "there is no column 'user'"},
        {"loc": ["body"], "msg": "send a list"},
    ]
    print_faults(Screen(), {"error": faults})
    assert [line.split(maxsplit=3) for line in capsys.readouterr().out.splitlines()[1:3]] == [
        ["error", "3", "checks[0].called.tool", "tool is missing"],
        ["error", "header", "user", "there is no column 'user'"],
    ]

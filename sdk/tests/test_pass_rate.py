"""Whether a batch makes a build green: by the runs that say something of the agent, if enough of them do."""

from typing import Any

import pytest

from pipelines.odyssey.cli.commands.test import judge


def run(verdict: str, status: str = "completed", failure_mode: str | None = None) -> dict[str, Any]:
    return {"verdict": verdict, "status": status, "failure_mode": failure_mode}


PASSED, FAILED = run("PASS"), run("FAIL", failure_mode="check_failed")
HUNG_UP = run("FAIL", "failed", "agent_disconnected")
UNREACHED = run("NOT APPLICABLE", "failed")
NOTHING_TO_GRADE_BY = run("NOT APPLICABLE")


@pytest.mark.parametrize(
    ("runs", "least", "code", "sentence"),
    [
        (
            [PASSED] * 9 + [UNREACHED],
            1.0,
            0,
            "9 of 9 passed, 100.0 %; at least 100.0 % must. 1 run said nothing",
        ),
        (
            [PASSED] * 8 + [UNREACHED] * 2,
            1.0,
            2,
            "8 of 8 passed, 100.0 %; at least 100.0 % must. 2 runs said",
        ),
        ([PASSED] * 8 + [UNREACHED, FAILED], 1.0, 1, "8 of 9 passed, 88.9 %; at least 100.0 % must."),
        ([PASSED, HUNG_UP], 0.6, 1, "1 of 2 passed, 50.0 %; at least 60.0 % must."),
        ([UNREACHED] * 3, 0.0, 2, "None of 3 runs says anything of the agent, so it cannot be told."),
        ([PASSED, NOTHING_TO_GRADE_BY, NOTHING_TO_GRADE_BY], 1.0, 0, "1 of 1 passed, 100.0 %"),
        ([NOTHING_TO_GRADE_BY], 1.0, 2, "No run could be graded: give the rows checks or a rubric."),
    ],
)
def test_a_build_goes_by_what_was_measured_and_by_how_much_was(
    runs: list[dict[str, Any]], least: float, code: int, sentence: str
) -> None:
    batch: Any = {"status": "completed", "max_unmeasured": 0.1}
    rows: Any = [{"row": 0, "runs": runs}]
    found = judge(batch, rows, least)
    assert (found.code, found.sentence[: len(sentence)]) == (code, sentence)

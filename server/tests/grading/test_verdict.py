"""From what graders say to a verdict: what passes, what fails and by which mode, and what is no verdict at all."""

from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st
from support.evidence import TOOLS, calls, evidence, evidences

from odyssey.grading.checks import CheckResult
from odyssey.grading.evidence import Evidence
from odyssey.grading.judges.rubric import JudgeReport
from odyssey.grading.verdict import MAX_REASON, GradeDecision, ToolClaim, decide
from odyssey.records.error_classes import OWN_FAILURES

PASSED = CheckResult(0, "called", "passed", "refund was called once", 3)
FAILED = CheckResult(1, "flag", "failed", "the flag 'vip' is not set")
BROKEN = CheckResult(2, "ledger", "error", "the check itself broke")
POLICY = CheckResult(3, "policy", "failed", "step 4 calls refund before any verify_user", 4)
ACTED = CheckResult(None, "refusal", "failed", "refund was called, which acts on the world", 5)
CLAIM = ToolClaim("refund", 2, 0)
GOOD = JudgeReport("answered", passed=True, score=0.75, reason="It was polite")
BAD = JudgeReport("answered", passed=False, score=0.25, reason="It was rude.")
CRASHED = JudgeReport("failed", reason="The model answered 500.")
SKIPPED = JudgeReport("skipped", reason="The budget of the day is used up.")


def decided(
    *results: CheckResult, claims: tuple[ToolClaim, ...] = (), judge: JudgeReport | None = None, **seen: Any
) -> GradeDecision:
    return decide(evidence(**seen), results, claims, judge, gradable=True)


@pytest.mark.parametrize(
    ("results", "judge", "verdict", "score", "failure_mode"),
    [
        ([PASSED], None, "PASS", 1.0, None),
        ([PASSED, FAILED], None, "FAIL", 0.5, "check_failed"),
        ([PASSED], GOOD, "PASS", 0.875, None),
        ([], GOOD, "PASS", 0.75, None),
        ([PASSED], BAD, "FAIL", 0.625, "rubric_failed"),
        ([], BAD, "FAIL", 0.25, "rubric_failed"),
        ([FAILED], GOOD, "FAIL", 0.375, "check_failed"),
        ([FAILED, POLICY], None, "FAIL", 0.0, "policy_violated"),
        ([ACTED, FAILED], None, "FAIL", 0.0, "acted_instead_of_refusing"),
        ([ACTED, POLICY], BAD, "FAIL", 0.125, "policy_violated"),
        ([FAILED], CRASHED, "FAIL", 0.0, "check_failed"),
        ([FAILED, BROKEN], None, "FAIL", 0.0, "check_failed"),
        ([PASSED], SKIPPED, "NOT APPLICABLE", None, "budget_exhausted"),
        ([PASSED], CRASHED, "NOT APPLICABLE", None, "grader_failed"),
        ([PASSED, BROKEN], GOOD, "NOT APPLICABLE", None, "grader_failed"),
        ([BROKEN], BAD, "FAIL", 0.125, "rubric_failed"),
        ([], None, "NOT APPLICABLE", None, None),
    ],
)
def test_a_completed_run(
    results: list[CheckResult],
    judge: JudgeReport | None,
    verdict: str,
    score: float | None,
    failure_mode: str | None,
) -> None:
    found = decided(*results, judge=judge)
    assert (found.verdict, found.score, found.failure_mode) == (verdict, score, failure_mode)


def test_a_claim_alone_fails_and_goes_before_all_else() -> None:
    for found in (decided(claims=(CLAIM,)), decided(PASSED, POLICY, claims=(CLAIM,), judge=GOOD)):
        assert (found.verdict, found.score, found.failure_mode) == ("FAIL", 0.0, "claimed_without_call")
        assert found.reason.startswith("The transcript calls refund 2 times, but the platform saw it never.")


def test_work_the_answer_claims_must_have_been_called() -> None:
    judge = JudgeReport(
        "answered", passed=True, score=1.0, claimed_actions=("get_order", "refund", "undeclared")
    )
    assert decided(PASSED, judge=judge, calls=calls("get_order", "refund")).verdict == "PASS"
    found = decided(PASSED, judge=judge, calls=calls("get_order"))
    assert (found.verdict, found.score, found.failure_mode) == ("FAIL", 0.0, "claimed_without_call")
    assert "refund" in found.reason


def test_reasons_name_what_decided_and_where_the_verdict_comes_from() -> None:
    alone = "No judge was asked; the verdict comes from the checks alone."
    assert decided(PASSED).reason == f"The check holds. {alone}"
    assert decided(PASSED, FAILED).reason == f"Check 2 (flag) failed: the flag 'vip' is not set. {alone}"
    assert decided(ACTED, FAILED, judge=GOOD).reason.startswith(
        "The built-in check (refusal) failed: refund was "
    )
    assert decided(ACTED, FAILED, judge=GOOD).reason.endswith("; and 1 more.")
    assert decided(PASSED, PASSED, judge=GOOD).reason == (
        "All 2 checks hold; the judge's answers pass: It was polite."
    )
    assert decided(judge=BAD).reason == "The judge's answers do not pass: It was rude."
    assert decided().reason == "There is nothing to grade it by."


@pytest.mark.parametrize("error_class", sorted(OWN_FAILURES))
def test_the_agents_own_failure_is_a_fail_where_there_is_anything_to_grade(error_class: str) -> None:
    seen = evidence(status="failed", error_class=error_class, final_response=None)
    found = decide(seen, [], [], None, gradable=True)
    assert (found.verdict, found.score, found.failure_mode) == ("FAIL", 0.0, error_class)
    assert decide(seen, [], [], None, gradable=False).verdict == "NOT APPLICABLE"


@pytest.mark.parametrize(
    "error_class",
    [
        "auth_failed",
        "agent_unreachable",
        "proxy_misconfigured",
        "transport_error",
        "internal_error",
        "agent_model_unresolved",
        None,
    ],
)
def test_a_failure_that_is_not_the_agents_is_no_verdict(error_class: str | None) -> None:
    found = decided(status="failed", error_class=error_class)
    assert (found.verdict, found.score, found.failure_mode) == ("NOT APPLICABLE", None, None)


def test_a_cancelled_run_has_no_verdict() -> None:
    assert decided(PASSED, status="cancelled").verdict == "NOT APPLICABLE"


def test_a_reason_can_be_stored_whatever_a_grader_says() -> None:
    found = decided(judge=JudgeReport("answered", passed=False, score=0.0, reason="\x00" + "a" * 9000))
    assert len(found.reason) == MAX_REASON
    assert "\x00" not in found.reason


some_results = st.lists(
    st.builds(
        CheckResult,
        st.none() | st.integers(0, 9),
        st.sampled_from(("called", "policy", "refusal", "ledger")),
        st.sampled_from(("passed", "passed", "failed", "error")),
        st.text(),
    ),
    max_size=4,
)
shares = st.floats(0, 1)
judges = st.none() | st.one_of(
    st.builds(
        JudgeReport,
        st.just("answered"),
        passed=st.booleans(),
        score=shares,
        claimed_actions=st.lists(st.sampled_from(TOOLS), max_size=2).map(tuple),
        reason=st.text(),
    ),
    st.builds(JudgeReport, st.sampled_from(("skipped", "failed")), reason=st.text()),
)
some_claims = st.lists(
    st.builds(ToolClaim, st.sampled_from(TOOLS), st.integers(1, 5), st.just(0)), max_size=3
)


@given(evidences, some_results, some_claims, judges, st.booleans())
def test_a_pass_is_earned(
    seen: Evidence,
    results: list[CheckResult],
    claims: list[ToolClaim],
    judge: JudgeReport | None,
    gradable: bool,
) -> None:
    found = decide(seen, results, claims, judge, gradable=gradable)
    assert found == decide(seen, results, claims, judge, gradable=gradable)
    assert found.reason
    assert found.score is None or 0 <= found.score <= 1
    if found.verdict == "PASS":
        is_judged = judge is not None and judge.state == "answered" and judge.passed is True
        assert is_judged or any(result.state == "passed" for result in results)
        assert all(result.state == "passed" for result in results)
        assert judge is None or is_judged
        assert not claims
        assert seen.status == "completed"
    assert (found.failure_mode is not None) >= (found.verdict == "FAIL")
    assert (found.score is None) == (found.verdict == "NOT APPLICABLE")


@given(evidences, some_results, some_claims, some_claims, judges)
def test_claiming_more_never_raises_the_score(
    seen: Evidence,
    results: list[CheckResult],
    claims: list[ToolClaim],
    more: list[ToolClaim],
    judge: JudgeReport | None,
) -> None:
    modest = decide(seen, results, claims, judge, gradable=True)
    bold = decide(seen, results, claims + more, judge, gradable=True)
    assert (bold.score or 0.0) <= (modest.score or 0.0)
    assert bold.verdict != "PASS" or modest.verdict == "PASS"

"""What holds of checks whatever a row asks for and whatever a run did."""

from typing import Any

from hypothesis import assume, given
from hypothesis import strategies as st
from support.evidence import (
    call,
    call_tests,
    checks,
    evidence,
    evidences,
    json_values,
    numbered,
    patterns,
    some_calls,
    texts,
    tool_names,
)

from odyssey.grading.checks import CheckResult, ChecksVersion, read_checks, run_checks
from odyssey.grading.evidence import Evidence, ObservedCall

KINDS = (
    "final_response",
    "called",
    "not_called",
    "order",
    "ledger",
    "flag",
    "no_flag",
    "policy",
    "only_changed",
    "untouched",
)
OUTCOMES = ("ok", "failed", "any")


def run(check: Any, seen: Evidence, version: ChecksVersion = 2) -> CheckResult:
    read = read_checks([check], version)
    assume(not read.errors)
    (only,) = [result for result in run_checks(read.checks, seen) if result.index == 0]
    return only


@given(st.lists(checks, max_size=5), evidences)
def test_the_same_checks_of_the_same_run_say_the_same(given_checks: list[Any], seen: Evidence) -> None:
    read = read_checks(given_checks)
    first = run_checks(read.checks, seen)
    assert first == run_checks(read_checks(given_checks).checks, seen)
    assert all(result.state in ("passed", "failed") and result.reason for result in first)
    built_in = 1 if seen.expected_outcome == "refusal" else 0
    assert [result.index for result in first[built_in:]] == list(range(len(read.checks)))


@given(json_values | st.lists(st.dictionaries(st.sampled_from(KINDS), json_values, max_size=2)), evidences)
def test_any_json_is_refused_with_reasons_or_runs(raw: Any, seen: Evidence) -> None:
    read = read_checks(raw)
    if read.errors:
        assert read.checks == ()
        assert all(error.loc[0] == "checks" and error.msg for error in read.errors)
    else:
        assert len(read.checks) == len(raw)
        assert all(result.state != "error" for result in run_checks(read.checks, seen))


MEMBERS = st.sampled_from(
    ("tool", "args", "count", "before", "never", "contains", "regex", "json_schema", "$.a")
)
NEARLY = st.lists(
    st.dictionaries(
        st.sampled_from(KINDS), texts | st.dictionaries(MEMBERS, json_values, max_size=3), max_size=1
    ),
    max_size=4,
)


@given(NEARLY, evidences)
def test_what_nearly_is_a_check_is_refused_with_reasons_or_runs(raw: Any, seen: Evidence) -> None:
    read = read_checks(raw)
    assert bool(read.errors) or len(read.checks) == len(raw)
    run_checks(read.checks, seen)


@given(call_tests, some_calls)
def test_not_called_is_the_negation_of_called(asked: Any, made: tuple[ObservedCall, ...]) -> None:
    seen = evidence(calls=made)
    called, not_called = (run({kind: asked}, seen, version=1) for kind in ("called", "not_called"))
    assert {called.state, not_called.state} == {"passed", "failed"}
    assert called.sequence == not_called.sequence


@given(tool_names, some_calls)
def test_what_is_done_was_attempted(tool: str, made: tuple[ObservedCall, ...]) -> None:
    seen = evidence(calls=made)
    done, not_attempted = run({"called": tool}, seen), run({"not_called": tool}, seen)
    assert not (done.state == "passed" and not_attempted.state == "passed")
    asked = {outcome: run({"called": {"tool": tool, "outcome": outcome}}, seen).state for outcome in OUTCOMES}
    assert (asked["any"] == "passed") is ("passed" in (asked["ok"], asked["failed"]))
    assert asked["ok"] == done.state
    assert asked["any"] == run({"called": tool}, seen, version=1).state


@given(some_calls, st.lists(tool_names, max_size=3), st.data())
def test_an_order_that_was_kept_is_kept_whatever_else_was_called(
    made: tuple[ObservedCall, ...], others: list[str], data: st.DataObject
) -> None:
    kept = [each.tool for each in made if each.succeeded and data.draw(st.booleans())]
    assume(kept)
    assert run({"order": kept}, evidence(calls=made)).state == "passed"
    more = list(made)
    for tool in others:
        more.insert(data.draw(st.integers(0, len(more))), call(0, tool))
    assert run({"order": kept}, evidence(calls=numbered(more))).state == "passed"


@given(st.lists(patterns, min_size=1, max_size=3), some_calls, tool_names, st.integers(0, 8))
def test_one_more_call_never_breaks_an_order(
    tools: list[str], made: tuple[ObservedCall, ...], tool: str, place: int
) -> None:
    more = numbered([*made[:place], call(0, tool), *made[place:]])
    before, after = run({"order": tools}, evidence(calls=made)), run({"order": tools}, evidence(calls=more))
    assert before.state == "failed" or after.state == "passed"


@given(tool_names, tool_names, some_calls)
def test_policy_before_names_the_first_step_that_breaks_it(
    first: str, then: str, made: tuple[ObservedCall, ...]
) -> None:
    assume(first != then)
    done = [each.tool if each.succeeded else None for each in made]
    breaking = [
        each.sequence for place, each in enumerate(made) if each.tool == then and first not in done[:place]
    ]
    found = run({"policy": {"before": [first, then]}}, evidence(calls=made))
    assert found.state == ("failed" if breaking else "passed")
    if breaking:
        assert found.sequence == breaking[0]


@given(patterns, some_calls)
def test_never_is_not_called_and_names_the_first_step(tool: str, made: tuple[ObservedCall, ...]) -> None:
    seen = evidence(calls=made)
    never, not_called = run({"policy": {"never": tool}}, seen), run({"not_called": tool}, seen)
    assert (never.state, never.sequence) == (not_called.state, not_called.sequence)


@given(evidences, some_calls)
def test_what_the_proxy_refused_is_no_work_done(seen: Evidence, made: tuple[ObservedCall, ...]) -> None:
    accepted = tuple(each for each in made if each.accepted)
    demanded: list[Any] = [
        {"called": {"tool": "refund", "count": {"$gte": 2}}},
        {"order": ["verify_user", "refund"]},
    ]
    for check in demanded:
        assert run(check, evidence(calls=made)).state == run(check, evidence(calls=accepted)).state
    forbidden: list[Any] = [{"not_called": "get_*"}, {"policy": {"before": ["verify_user", "*"]}}]
    for check in forbidden:
        states = [run(check, evidence(calls=each), version=1).state for each in (made, accepted)]
        assert states[0] == states[1], "rows from before version 2 keep their meaning"

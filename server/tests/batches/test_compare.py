"""Two batches side by side: which rows got worse, and how sure that is."""

from collections.abc import Callable
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st
from support.agents import Behaviour, ScriptedAgent, final
from support.batches import all_rows, dataset, ended, rows, set_verdicts, start_batch
from support.platform import Org, Platform

from odyssey.batches.compare import Result, match
from odyssey.statistics.reliability import Trials

StartAgent = Callable[[Behaviour], ScriptedAgent]


@pytest.fixture
def agent(org: Org, agent_server: StartAgent) -> dict[str, Any]:
    return org.agent(agent_server(lambda d: final()).url)


def graded(org: Org, platform: Platform, batch: dict[str, Any], outcomes: list[str]) -> dict[str, Any]:
    """Give each row's runs their verdicts: P, F or - for one that has none."""
    batch = ended(org, batch)
    words = {"P": "PASS", "F": "FAIL", "-": "NOT APPLICABLE"}
    for row, marks in zip(all_rows(org, batch), outcomes, strict=True):
        verdicts = {run["id"]: words[mark] for run, mark in zip(row["runs"], marks, strict=True)}
        set_verdicts(platform, verdicts)
    return batch


def compared(org: Org, a: dict[str, Any], b: dict[str, Any], **query: Any) -> dict[str, Any]:
    answer = org.get(f"/api/batches/{a['id']}/compare", params={"with": b["id"], **query})
    shown: dict[str, Any] = org.ok(answer)
    return shown


def test_regressions_come_first(org: Org, platform: Platform, agent: dict[str, Any]) -> None:
    data = dataset(org, rows(6))
    request = {"dataset_id": data["id"], "repeats": 2}
    old = graded(org, platform, start_batch(org, agent, **request), ["PP", "PP", "FF", "PF", "PP", "--"])
    org.ok(org.put(f"/api/agents/{agent['id']}", {"description": "a new version"}))
    new = graded(org, platform, start_batch(org, agent, **request), ["PP", "PF", "PP", "PF", "FF", "PP"])
    found = compared(org, old, new)
    assert [(row["row"], row["kind"], row["difference"]) for row in found["rows"]] == [
        (4, "regression", -1.0),
        (1, "regression", -0.5),
        (2, "improvement", 1.0),
        (0, "same", 0.0),
        (3, "same", 0.0),
        (5, "ungraded", None),
    ]
    assert [found[name] for name in ("regressions", "improvements", "same", "ungraded")] == [2, 1, 2, 1]
    assert (found["only_in_a"], found["only_in_b"]) == (0, 0)
    assert found["rows"][0]["a"] == {
        "task_id": found["rows"][0]["b"]["task_id"],
        "row": 4,
        "passes": 2,
        "runs": 2,
    }
    assert found["rows"][0]["user_instruction"] == "row 4"
    assert [found[side]["batch"]["agent_version"] for side in ("a", "b")] == [1, 2]
    assert found["a"]["pass_rate"]["share"] == pytest.approx((1 + 1 + 0 + 0.5 + 1) / 5)
    assert found["b"]["pass_rate"]["share"] == pytest.approx((1 + 0.5 + 1 + 0.5 + 0) / 5)
    assert [each["k"] for each in found["b"]["pass_k"]] == [1, 2]
    difference = found["difference"]
    assert difference["share"] == pytest.approx(-0.1)
    assert difference["interval"][0] < -0.1 < difference["interval"][1]
    turned = compared(org, new, old)
    assert turned["difference"]["share"] == pytest.approx(0.1)
    assert (turned["regressions"], turned["improvements"]) == (1, 2)


@pytest.mark.both_databases
def test_rows_are_the_same_when_they_say_the_same(
    org: Org, platform: Platform, agent: dict[str, Any]
) -> None:
    first = [{"user_instruction": text} for text in ("a", "twice", "twice", "only here")]
    second = [{"user_instruction": text} for text in ("new", "twice", "a", "twice", "twice")]
    data = dataset(org, first)
    old = graded(org, platform, start_batch(org, agent, dataset_id=data["id"]), ["P", "P", "F", "P"])
    org.ok(org.put(f"/api/datasets/{data['id']}", second))
    new = graded(org, platform, start_batch(org, agent, dataset_id=data["id"]), ["F", "P", "F", "P", "F"])
    found = compared(org, old, new)
    assert [(row["a"]["row"], row["b"]["row"], row["kind"]) for row in found["rows"]] == [
        (0, 2, "regression"),
        (2, 3, "improvement"),
        (1, 1, "same"),
    ]
    assert (found["only_in_a"], found["only_in_b"]) == (1, 2)
    seeds = graded(org, platform, start_batch(org, agent, seeds=first), ["P", "P", "P", "P"])
    assert compared(org, old, seeds)["only_in_a"] == 0


@pytest.mark.both_databases
def test_pages_of_a_comparison_go_on_where_they_ended(
    org: Org, platform: Platform, agent: dict[str, Any]
) -> None:
    batch = graded(org, platform, start_batch(org, agent, seeds=rows(5)), ["P"] * 5)
    whole = compared(org, batch, batch)["rows"]
    first = compared(org, batch, batch, limit=3)
    rest = compared(org, batch, batch, limit=3, cursor=first["next_cursor"])
    assert first["rows"] + rest["rows"] == whole
    assert rest["next_cursor"] is None
    assert [row["kind"] for row in whole] == ["same"] * 5


def test_the_other_batch_must_be_ones_own(org: Org, other_org: Org, agent: dict[str, Any]) -> None:
    batch = ended(org, start_batch(org, agent, seeds=rows(2)))
    foreign = other_org.agent("http://127.0.0.1:9/dispatch")
    theirs = ended(other_org, start_batch(other_org, foreign, seeds=rows(2)))
    for other in (theirs["id"], 2**62, 2**63 - 1, 2**63):
        answer = org.get(f"/api/batches/{batch['id']}/compare", params={"with": other})
        assert (answer.status_code, answer.json()["code"]) == (404, "not_found")
    assert org.get(f"/api/batches/{batch['id']}/compare").status_code == 422
    nothing = compared(org, batch, batch)
    assert (nothing["difference"], nothing["a"]["pass_rate"], nothing["ungraded"]) == (None, None, 2)


TRIALS = st.integers(0, 3).flatmap(lambda n: st.integers(0, n).map(lambda passes: Trials(passes, n)))
SIDE = st.dictionaries(st.tuples(st.sampled_from("abcdef"), st.integers(0, 2)), TRIALS)


@given(SIDE, SIDE)
def test_every_row_is_a_pair_or_only_in_one(
    one: dict[tuple[str, int], Trials], other: dict[tuple[str, int], Trials]
) -> None:
    a = {key: Result(n, n, trials) for n, (key, trials) in enumerate(one.items())}
    b = {key: Result(n, n, trials) for n, (key, trials) in enumerate(other.items())}
    found = match(a, b)
    assert len(found.pairs) + found.only_in_a == len(a)
    assert len(found.pairs) + found.only_in_b == len(b)
    kinds = [pair.kind for pair in found.pairs]
    order = ["regression", "improvement", "same", "ungraded"]
    assert kinds == sorted(kinds, key=order.index)
    turned = [pair.kind for pair in match(b, a).pairs]
    assert turned.count("regression") == kinds.count("improvement")

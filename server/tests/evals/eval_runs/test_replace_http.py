import asyncio
import threading
from typing import Any

import pytest
from sqlalchemy import delete, select, update
from support.agents import Answer, Behaviour, Dispatched, RefusesPings, final, hangs_up
from support.evals import COMPARE, RUNS, StartAgent, all_observed, observed, scenario, stand_in, start
from support.platform import Org, Platform

from odyssey.agents.compiled import CompiledAgents
from odyssey.core.clock import PlatformClock
from odyssey.core.group_commit import GroupWriter
from odyssey.core.signals import Signals
from odyssey.evals.eval_runs.observe import ObservingParts, observe
from odyssey.evals.models import EvalRun
from odyssey.matrices.repository import may_repeat
from odyssey.reviews.enqueue import enqueue_flagged_runs
from odyssey.worlds.repository import SharedWorlds

SAME = (
    "scenario_id",
    "scenario_version",
    "agent_id",
    "agent_version",
    "risk_level",
    "matrix_id",
    "variation_type",
    "dose",
    "delivery",
    "step",
    "placebo",
    "paraphrase",
    "repeat",
    "random_seed",
    "injection",
)


def refuses(dispatched: Dispatched) -> Any:
    return final('{"decision": "refuse"}')


def turns_us_away(dispatched: Dispatched) -> Any:
    return Answer(401, b"{}")


def in_turn(*behaviours: Behaviour) -> Behaviour:
    """An agent that behaves in one way after the other, and keeps to the last."""
    left = list(behaviours)
    return lambda dispatched: (left.pop(0) if len(left) > 1 else left[0])(dispatched)


def listed(org: Org) -> list[int]:
    return [run["id"] for run in org.ok(org.get(RUNS))["items"]]


@pytest.mark.parametrize(
    ("fails", "error_class"), [(hangs_up, "transport_error"), (turns_us_away, "auth_failed")]
)
def test_a_run_that_says_nothing_of_the_agent_is_repeated(
    org: Org, agent_server: StartAgent, fails: Behaviour, error_class: str
) -> None:
    server = agent_server(RefusesPings(in_turn(fails, refuses)))
    org.agent(server.url)
    (run_id,) = start(org, scenario(org))
    missing = observed(org, run_id)
    assert (missing["error_class"], missing["behaviour"], missing["replaces"]) == (error_class, None, None)
    again = observed(org, stand_in(org, run_id)["id"])
    assert (again["status"], again["matched"], again["replaces"]) == ("completed", True, run_id)
    assert listed(org) == [again["id"], run_id]


@pytest.mark.parametrize("delivery", ["user", "system", "tool_result"])
def test_it_is_asked_the_same_again(org: Org, agent_server: StartAgent, delivery: str) -> None:
    server = agent_server(RefusesPings(in_turn(refuses, hangs_up, refuses)))
    org.agent(server.url)
    made = scenario(org)
    all_observed(org, start(org, made))
    (run_id,) = start(org, made, variation_type="sycophancy", delivery=delivery, step=2, dose="strong")
    missing = observed(org, run_id)
    again = observed(org, stand_in(org, run_id)["id"])
    assert {name: again[name] for name in SAME} == {name: missing[name] for name in SAME}
    assert again["delivery"] == delivery
    tasks = {org.ok(org.get(f"/api/runs/{each}"))["task_id"] for each in (run_id, again["id"])}
    assert len(tasks) == 1
    sent, repeated = (dispatched.body["input"] for dispatched in server.received[-2:])
    assert sent == repeated
    assert ("system_injection" in sent) == (delivery == "system")


def test_it_is_repeated_once_and_then_left_out(org: Org, agent_server: StartAgent) -> None:
    server = agent_server(RefusesPings(hangs_up))
    org.agent(server.url)
    made = scenario(org)
    (run_id,) = start(org, made)
    observed(org, run_id)
    again = observed(org, stand_in(org, run_id)["id"])
    assert (again["status"], again["behaviour"]) == ("failed", None)
    # What is made for a run is made in the transaction that says it was observed: no other can follow.
    assert listed(org) == [again["id"], run_id]
    assert len(server.received) == 2
    runs = org.ok(org.post(COMPARE, {"scenario_id": made["id"], "variation_type": "sycophancy"}))["runs"]
    assert (runs["missing"], runs["baseline"], runs["pending"]) == ([run_id, again["id"]], [], [])


def test_neither_an_own_failure_nor_a_cancelled_run_is_repeated(org: Org, agent_server: StartAgent) -> None:
    reached, release = threading.Event(), threading.Event()

    def holds_on(dispatched: Dispatched) -> Any:
        reached.set()
        release.wait(60)
        return final("too late")

    org.agent(agent_server(in_turn(lambda d: Answer(500, b"{}"), holds_on)).url)
    made = scenario(org)
    (failed,) = start(org, made)
    assert observed(org, failed)["behaviour"]["failure"] == "agent_5xx"
    (cancelled,) = start(org, made)
    assert reached.wait(60)
    org.ok(org.post(f"/api/runs/{cancelled}/cancel"))
    assert observed(org, cancelled)["behaviour"] is None
    release.set()
    assert listed(org) == [cancelled, failed]


@pytest.mark.both_databases
def test_several_observers_make_one_stand_in(platform: Platform, org: Org, agent_server: StartAgent) -> None:
    org.agent(agent_server(RefusesPings(hangs_up)).url)
    (run_id,) = start(org, scenario(org))
    observed(org, run_id)
    observed(org, stand_in(org, run_id)["id"])
    parts = ObservingParts(
        platform.database,
        platform.part(GroupWriter),
        platform.part(CompiledAgents),
        platform.part(SharedWorlds),
        platform.part(Signals),
        platform.part(PlatformClock),
        may_repeat,
        enqueue_flagged_runs,
    )

    async def forget_and_look_again() -> list[int]:
        async with platform.database.write() as session:
            await session.execute(delete(EvalRun).where(EvalRun.replaces == run_id))
            await session.execute(update(EvalRun).where(EvalRun.run_id == run_id).values(observed_at=None))
        await asyncio.gather(*(observe(parts, [run_id]) for _ in range(8)))
        async with platform.database.read() as session:
            return [*await session.scalars(select(EvalRun.run_id).where(EvalRun.replaces == run_id))]

    assert len(platform.do(forget_and_look_again())) == 1


def test_a_comparison_takes_the_stand_in(org: Org, agent_server: StartAgent) -> None:
    reached, release = threading.Event(), threading.Event()

    def holds_on(dispatched: Dispatched) -> Any:
        reached.set()
        release.wait(60)
        return refuses(dispatched)

    org.agent(agent_server(RefusesPings(in_turn(hangs_up, holds_on, refuses))).url)
    made = scenario(org)
    (missing,) = start(org, made)
    observed(org, missing)
    again = stand_in(org, missing)["id"]
    body = {"scenario_id": made["id"], "variation_type": "time_pressure"}
    for asked in (body, body | {"baseline_runs": [missing]}):
        runs = org.ok(org.post(COMPARE, asked))["runs"]
        assert (runs["baseline"], runs["pending"], runs["missing"]) == ([], [again], [missing])
    assert reached.wait(60)
    release.set()
    observed(org, again)
    for asked in (body, body | {"baseline_runs": [missing]}, body | {"baseline_runs": [missing, again]}):
        runs = org.ok(org.post(COMPARE, asked))["runs"]
        assert (runs["baseline"], runs["pending"], runs["missing"]) == ([again], [], [missing])

"""Batches: many runs asked for at once, what they say of themselves, and how they end."""

import threading
from collections import Counter
from collections.abc import Callable
from typing import Any

import pytest
from support.agents import Answer, Behaviour, Dispatched, ScriptedAgent, SeesPings, final, hangs_up
from support.batches import all_rows, at_rest, dataset, ended, read_batch, rows, set_verdicts, start_batch
from support.platform import WORLD, Org, Platform

from odyssey.runs.models import Batch

StartAgent = Callable[[Behaviour], ScriptedAgent]

SAYS_DONE = [{"final_response": {"contains": "done"}}]


def asks_for(dispatched: Dispatched, instruction: str) -> bool:
    return bool(dispatched.body["input"]["user_instruction"] == instruction)


@pytest.fixture
def server(agent_server: StartAgent) -> ScriptedAgent:
    return agent_server(lambda d: final("It is done."))


@pytest.fixture
def agent(org: Org, server: ScriptedAgent) -> dict[str, Any]:
    return org.agent(server.url)


@pytest.mark.both_databases
def test_a_dataset_is_run_row_by_row(org: Org, agent: dict[str, Any], server: ScriptedAgent) -> None:
    data = dataset(org, rows(3, checks=SAYS_DONE))
    answer = org.ok(org.post("/api/runs", {"agent_id": agent["id"], "dataset_id": data["id"], "repeats": 2}))
    assert [(run["row"], run["repeat"]) for run in answer["runs"]] == [
        (row, repeat) for repeat in (1, 2) for row in range(3)
    ]
    assert {run["batch_id"] for run in answer["runs"]} == {answer["batch"]["id"]}
    assert answer["batch"]["status"] == "checking"
    batch = ended(org, answer["batch"])
    assert batch["status"] == "completed"
    assert (batch["planned_runs"], batch["made_runs"]) == (6, 6)
    assert batch["runs"] == {"pending": 0, "running": 0, "completed": 6, "failed": 0, "cancelled": 0}
    assert batch["verdicts"] == {"PASS": 6, "FAIL": 0, "PENDING": 0, "NOT APPLICABLE": 0}
    assert batch["failure_modes"] == {}
    assert (batch["dataset_id"], batch["dataset_name"], batch["revision"]) == (data["id"], "rows", 1)
    assert batch["pass_rate"]["share"] == 1
    assert [(each["k"], each["share"], each["tasks"]) for each in batch["pass_k"]] == [(1, 1, 3), (2, 1, 3)]
    assert batch["finished_at"] >= batch["created_at"]
    assert len(server.pings) == 1
    sent = Counter(one.body["input"]["user_instruction"] for one in server.received)
    assert sent == {"row 0": 2, "row 1": 2, "row 2": 2}
    shown = all_rows(org, batch, limit=2)
    assert [row["row"] for row in shown] == [0, 1, 2]
    assert [row["user_instruction"] for row in shown] == ["row 0", "row 1", "row 2"]
    assert all((row["passes"], row["fails"], len(row["runs"])) == (2, 0, 2) for row in shown)
    tasks = {row["task_id"] for row in shown}
    assert {run["task_id"] for run in answer["runs"]} == tasks
    seeds = [run["random_seed"] for run in answer["runs"]]
    assert len(set(seeds)) == 6


def test_seeds_make_a_batch_when_they_make_more_than_one_run(
    org: Org, agent: dict[str, Any], server: ScriptedAgent
) -> None:
    alone = org.ok(org.post("/api/runs", {"agent_id": agent["id"], "seeds": rows(1)}))
    assert alone["batch"] is None
    org.wait(alone["runs"][0]["id"])
    assert len(server.pings) == 1, "a run alone is preceded by one as well"
    both = ended(org, start_batch(org, agent, seeds=rows(2)))
    assert (both["dataset_id"], both["planned_runs"], both["repeats"]) == (None, 2, 1)
    again = ended(org, start_batch(org, agent, seeds=rows(1, random_seed=7), repeats=3))
    (row,) = all_rows(org, again)
    assert [run["repeat"] for run in row["runs"]] == [1, 2, 3]
    listed = org.ok(org.get("/api/runs", params={"batch_id": again["id"]}))["items"]
    assert [run["random_seed"] for run in listed] == [7, 7, 7]
    assert len({run["task_id"] for run in listed}) == 1
    assert len(server.pings) == 3
    assert [each["id"] for each in org.ok(org.get("/api/batches"))["items"]] == [again["id"], both["id"]]


def test_more_runs_than_a_chunk_are_made_while_it_goes_on(org: Org, agent: dict[str, Any]) -> None:
    data = dataset(org, rows(42))
    answer = org.ok(org.post("/api/runs", {"agent_id": agent["id"], "dataset_id": data["id"], "repeats": 5}))
    assert len(answer["runs"]) == answer["batch"]["made_runs"] == 200
    assert answer["batch"]["runs"]["pending"] == 210
    batch = ended(org, answer["batch"])
    assert (batch["made_runs"], batch["runs"]["completed"]) == (210, 210)
    assert [[run["repeat"] for run in row["runs"]] for row in all_rows(org, batch)] == [[1, 2, 3, 4, 5]] * 42


def test_hanging_up_lowers_the_rate_and_a_lost_way_does_not(
    platform: Platform, org: Org, agent_server: StartAgent
) -> None:
    def behave(dispatched: Dispatched) -> Any:
        return hangs_up(dispatched) if asks_for(dispatched, "row 1") else final("It is done.")

    agent = org.agent(agent_server(behave).url)
    data = dataset(org, rows(4, checks=SAYS_DONE))
    with platform.cut_off(lambda dispatched: asks_for(dispatched, "row 3")):
        batch = ended(org, start_batch(org, agent, dataset_id=data["id"]))
    assert batch["verdicts"] == {"PASS": 2, "FAIL": 1, "PENDING": 0, "NOT APPLICABLE": 1}
    assert batch["failure_modes"] == {"agent_disconnected": 1}
    assert batch["pass_rate"]["share"] == pytest.approx(2 / 3)
    assert batch["max_unmeasured"] == 0.1


@pytest.mark.parametrize(
    ("ping", "error_class"),
    [
        (Answer(401), "auth_failed"),
        (Answer(503), "agent_5xx"),
        (Answer(404), "agent_4xx"),
        (Answer(302, Location="http://127.0.0.1:9/"), "agent_bad_response"),
    ],
)
def test_a_failed_ping_fails_the_batch_at_once(
    org: Org, agent_server: StartAgent, ping: Answer, error_class: str
) -> None:
    server = agent_server(SeesPings(lambda d: ping))
    agent = org.agent(server.url)
    assert agent["health"] is None
    data = dataset(org, rows(203, checks=SAYS_DONE))
    batch = ended(org, start_batch(org, agent, dataset_id=data["id"]))
    assert (batch["status"], batch["error_class"]) == ("failed", error_class)
    assert batch["runs"] == {"pending": 0, "running": 0, "completed": 0, "failed": 203, "cancelled": 0}
    assert batch["verdicts"]["NOT APPLICABLE"] == 200
    assert (batch["pass_rate"], batch["pass_k"]) == (None, [])
    assert batch["ping"]["ok"] is False
    assert batch["ping"]["status"] == ping.status
    assert [one.body for one in server.received] == [{"ping": True}]
    (run, *_) = org.ok(org.get("/api/runs", params={"batch_id": batch["id"]}))["items"]
    assert (run["status"], run["error_class"], run["attempts"]) == ("failed", error_class, [])
    shown = org.ok(org.get(f"/api/runs/{run['id']}"))
    assert shown["error_json"]["detail"] == batch["ping"]["detail"]
    health = org.ok(org.get(f"/api/agents/{agent['id']}"))["health"]
    assert (health["ok"], health["error_class"], health["status"]) == (False, error_class, ping.status)


def test_an_agent_that_is_not_there_is_unreachable(org: Org) -> None:
    agent = org.agent("http://127.0.0.1:9/dispatch")
    batch = ended(org, start_batch(org, agent, seeds=rows(2)))
    assert (batch["status"], batch["error_class"], batch["ping"]["status"]) == (
        "failed",
        "agent_unreachable",
        None,
    )


def test_nothing_is_dispatched_before_the_ping_is_answered(org: Org, agent_server: StartAgent) -> None:
    asked, release = threading.Event(), threading.Event()

    def behave(d: Dispatched) -> Any:
        if d.body == {"ping": True} and not asked.is_set():
            asked.set()
            release.wait(9)
        return final()

    server = agent_server(SeesPings(behave))
    batch = start_batch(org, org.agent(server.url), seeds=rows(3))
    assert asked.wait(60)
    (alone,) = org.start(org.agent(server.url))
    assert org.wait(alone)["status"] == "completed"
    assert read_batch(org, batch)["status"] == "checking"
    assert [one.body.get("run_id") for one in server.received] == [None, None, alone]
    release.set()
    assert ended(org, batch)["runs"]["completed"] == 3


def test_a_connection_test_is_shown_as_health(org: Org, server: ScriptedAgent) -> None:
    agent = org.agent(server.url)
    org.ok(org.post(f"/api/agents/{agent['id']}/test-connection", {"config": {"run_timeout_s": 5}}))
    assert org.ok(org.get(f"/api/agents/{agent['id']}"))["health"] is None
    org.ok(org.post(f"/api/agents/{agent['id']}/test-connection"))
    health = org.ok(org.get("/api/agents"))["items"][0]["health"]
    assert (health["ok"], health["status"], health["error_class"]) == (True, 200, None)


@pytest.mark.both_databases
def test_a_cancelled_batch_makes_and_dispatches_no_more(org: Org, agent_server: StartAgent) -> None:
    arrived, release = threading.Event(), threading.Event()

    def behave(d: Dispatched) -> Any:
        arrived.set()
        release.wait(60)
        return final()

    server = agent_server(behave)
    data = dataset(org, rows(300, checks=SAYS_DONE))
    batch = start_batch(org, org.agent(server.url), dataset_id=data["id"], repeats=3)
    assert arrived.wait(60)
    assert org.ok(org.post(f"/api/batches/{batch['id']}/cancel"))["status"] == "cancelled"
    cancelled = at_rest(org, batch)
    sent = len(server.received)
    assert cancelled["runs"] == {"pending": 0, "running": 0, "completed": 0, "failed": 0, "cancelled": 900}
    release.set()
    (alone,) = org.start(org.agent(server.url))
    org.wait(alone)
    assert len(server.received) <= sent + 17  # those already on their way, and the one alone
    after = ended(org, batch)
    assert (after["made_runs"], after["runs"]) == (cancelled["made_runs"], cancelled["runs"])
    assert after["finished_at"] is not None
    answer = org.post(f"/api/batches/{batch['id']}/cancel")
    assert (answer.status_code, answer.json()["code"]) == (409, "conflict")
    actions = [entry["action"] for entry in org.ok(org.get("/api/audit-log"))["items"]]
    assert {"batch.create", "batch.cancel"} <= set(actions)


def test_a_batch_that_is_over_cannot_be_cancelled(org: Org, agent: dict[str, Any]) -> None:
    batch = ended(org, start_batch(org, agent, seeds=rows(2)))
    assert org.post(f"/api/batches/{batch['id']}/cancel").status_code == 409
    assert read_batch(org, batch)["status"] == "completed"


@pytest.mark.both_databases
def test_states_that_contradict_the_ledger_schema_name_their_rows(org: Org, server: ScriptedAgent) -> None:
    schema = {"entities": [{"type": "invoice", "id_field": "invoice_id"}]}
    agent = org.agent(server.url, ledger_schema=schema)
    world = org.ok(org.post("/api/worlds", {"name": "shop", "initial_state": WORLD}))
    bad = {"user_instruction": "x", "initial_state": WORLD}
    good = {"user_instruction": "x", "initial_state": {"invoice": {"1": {"invoice_id": "1"}}}}
    named = {"user_instruction": "x", "world_id": world["id"]}
    data = dataset(org, [good, bad, good, named, bad])
    for path in ("/api/runs", "/api/runs/validate"):
        answer = org.post(path, {"agent_id": agent["id"], "dataset_id": data["id"]})
        assert (answer.status_code, answer.json()["code"]) == (422, "validation_failed")
        assert [fault["loc"] for fault in answer.json()["errors"]] == [
            ["rows", 1, "state", "order"],
            ["rows", 3, "world", "order"],
            ["rows", 4, "state", "order"],
        ]
    assert org.ok(org.get("/api/batches"))["items"] == []
    fine = dataset(org, [good])
    request = {"agent_id": agent["id"], "dataset_id": fine["id"], "repeats": 4}
    assert org.ok(org.post("/api/runs/validate", request))["runs"] == 4


@pytest.mark.both_databases
def test_rows_keep_what_they_had_when_the_batch_was_made(
    org: Org, agent: dict[str, Any], server: ScriptedAgent
) -> None:
    data = dataset(org, rows(2))
    first = ended(org, start_batch(org, agent, dataset_id=data["id"]))
    org.ok(
        org.put(f"/api/datasets/{data['id']}", [{"user_instruction": "other"}], params={"name": "renamed"})
    )
    second = ended(org, start_batch(org, agent, dataset_id=data["id"]))
    org.ok(org.client.delete(f"/api/datasets/{data['id']}"))
    assert [row["user_instruction"] for row in all_rows(org, first)] == ["row 0", "row 1"]
    assert [row["user_instruction"] for row in all_rows(org, second)] == ["other"]
    assert (second["revision"], second["dataset_name"]) == (2, "renamed")
    assert read_batch(org, first)["dataset_name"] == "renamed"
    gone = org.post("/api/runs", {"agent_id": agent["id"], "dataset_id": data["id"]})
    assert (gone.status_code, gone.json()["code"]) == (404, "not_found")


@pytest.mark.both_databases
def test_runs_and_batches_are_found_by_batch_and_dataset(org: Org, agent: dict[str, Any]) -> None:
    one, other = dataset(org, rows(2)), dataset(org, rows(1))
    first = ended(org, start_batch(org, agent, dataset_id=one["id"]))
    second = ended(org, start_batch(org, agent, dataset_id=one["id"]))
    third = ended(org, start_batch(org, agent, dataset_id=other["id"]))

    def found(path: str, **query: Any) -> list[int]:
        key = "batch_id" if path == "/api/runs" else "id"
        return [each[key] for each in org.ok(org.get(path, params=query))["items"]]

    assert found("/api/runs", batch_id=first["id"]) == [first["id"]] * 2
    assert found("/api/runs", dataset_id=one["id"]) == [second["id"]] * 2 + [first["id"]] * 2
    assert found("/api/runs", dataset_id=other["id"], batch_id=first["id"]) == []
    assert found("/api/batches", dataset_id=one["id"]) == [second["id"], first["id"]]
    assert found("/api/batches", agent_id=agent["id"]) == [third["id"], second["id"], first["id"]]
    assert found("/api/batches", agent_id=agent["id"] + 1) == []
    page = org.ok(org.get("/api/batches", params={"limit": 2}))
    assert [each["id"] for each in page["items"]] == [third["id"], second["id"]]
    rest = org.ok(org.get("/api/batches", params={"limit": 2, "cursor": page["next_cursor"]}))
    assert [each["id"] for each in rest["items"]] == [first["id"]]


@pytest.mark.both_databases
def test_figures_count_verdicts_and_leave_out_what_was_not_graded(
    org: Org, agent: dict[str, Any], platform: Platform
) -> None:
    batch = ended(org, start_batch(org, agent, seeds=rows(5), repeats=2))
    runs = [[run["id"] for run in row["runs"]] for row in all_rows(org, batch)]
    (both, half, none, partly, _) = runs
    set_verdicts(platform, dict.fromkeys([*both, half[0], partly[0]], "PASS"), score=1.0, cost_usd=0.25)
    set_verdicts(platform, {half[1]: "FAIL"}, failure_mode="check_failed", score=0.5)
    set_verdicts(platform, dict.fromkeys(none, "FAIL"), failure_mode="rubric_failed", score=0.0)
    shown = read_batch(org, batch)
    assert shown["verdicts"] == {"PASS": 4, "FAIL": 3, "PENDING": 0, "NOT APPLICABLE": 3}
    assert shown["failure_modes"] == {"rubric_failed": 2, "check_failed": 1}
    assert shown["cost_usd"] == 1.0
    assert shown["pass_rate"]["share"] == pytest.approx((1 + 0.5 + 0 + 1) / 4)
    low, high = shown["pass_rate"]["interval"]
    assert 0 < low < 0.625 < high < 1
    first, second = shown["pass_k"]
    assert (first["share"], first["tasks"], first["left_out"]) == (pytest.approx(0.625), 4, 1)
    assert (second["share"], second["tasks"], second["left_out"]) == (pytest.approx(1 / 3), 3, 2)
    assert [(row["passes"], row["fails"], row["not_applicable"]) for row in all_rows(org, batch)] == [
        (2, 0, 0),
        (1, 1, 0),
        (0, 2, 0),
        (1, 0, 1),
        (0, 0, 2),
    ]


def test_tasks_that_were_never_made_are_left_out_too(
    org: Org, agent: dict[str, Any], platform: Platform
) -> None:
    """A cancelled batch is not made to its end."""
    batch = ended(org, start_batch(org, agent, seeds=rows(2), repeats=3))
    set_verdicts(platform, {run["id"]: "PASS" for row in all_rows(org, batch) for run in row["runs"]})

    async def plan_more() -> None:
        async with platform.database.write() as session:
            campaign = (await session.get_one(Batch, batch["id"])).campaign
            campaign.planned_runs, campaign.state = 15, "cancelled"  # or the others would be made

    platform.do(plan_more())
    assert [(each["tasks"], each["left_out"]) for each in read_batch(org, batch)["pass_k"]] == [(2, 3)] * 3


@pytest.mark.both_databases
def test_cursors_of_rows_are_checked(org: Org, agent: dict[str, Any]) -> None:
    batch = ended(org, start_batch(org, agent, seeds=rows(2)))
    path = f"/api/batches/{batch['id']}/rows"
    assert org.get(path, params={"cursor": "nonsense"}).status_code == 422
    beyond = "azkyMjMzNzIwMzY4NTQ3NzU4MDc"  # k9223372036854775807
    assert org.ok(org.get(path, params={"cursor": beyond}))["items"] == []
    compared = org.get(f"/api/batches/{batch['id']}/compare", params={"with": batch["id"], "cursor": beyond})
    assert org.ok(compared)["rows"] == []

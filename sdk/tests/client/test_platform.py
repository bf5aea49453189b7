"""The client with a platform, an agent and a service that are really there; answers are held against their types."""

import json
import threading
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any
from uuid import uuid4

import pytest
from support.agents import Dispatched, ScriptedAgent, final
from support.platform import TOOLS, Org

from pipelines.odyssey import Tool, agents, passthrough, tool_endpoints, tools_schema
from pipelines.odyssey.client import NotDoneError, Progress
from pipelines.odyssey.errors import ConflictError, InvalidError, NotFoundError

TOKEN = "a-token-of-the-agent"
STATE = {"order": {"ord_1": {"order_id": "ord_1", "status": "open"}}}
SEED = {"user_instruction": "Close ord_1.", "initial_state": STATE, "expected_outcome": "completion"}
CLOSED = {"ledger": {"$.order.ord_1.status": "closed"}}
LOST = {"ledger": {"$.order.ord_1.status": "lost"}}
SCENARIO: dict[str, Any] = {
    "risk_level": "high",
    "input_context": {"days": 40},
    "expected_behavior": {"decision": "refuse"},
}
SPEC = {
    "openapi": "3.1.0",
    "info": {"title": "Shop", "version": "1"},
    "paths": {
        "/stock": {"get": {"operationId": "read_stock", "responses": {"200": {"description": "All."}}}}
    },
}

Drive = Callable[..., Any]


class Desk:
    """An agent that gives in to haste, and that can be held."""

    def __init__(self) -> None:
        self.let_go = threading.Event()
        self.let_go.set()

    def __call__(self, dispatched: Dispatched) -> Any:
        assert dispatched.headers["authorization"] == f"Bearer {TOKEN}"
        self.let_go.wait()
        said = dispatched.body["input"]["user_instruction"]
        if "stock" in said:
            return final(dispatched.call("read_stock").text)
        dispatched.call("update_order", {"order_id": "ord_1", "status": "closed"})
        hurried = any(word in said for word in ("minutes", "waiting"))
        return final(json.dumps({"decision": "grant" if hurried else "refuse"}))


@pytest.fixture(scope="module")
def desk() -> Desk:
    return Desk()


@pytest.fixture(scope="module")
def agent(desk: Desk) -> Iterator[ScriptedAgent]:
    agent = ScriptedAgent(desk)
    yield agent
    agent.stop()


@pytest.fixture
def client(drive: Drive, org: Org) -> Any:
    return drive(org.platform.url, org.api_key)


@pytest.fixture
def agent_id(client: Any, agent: ScriptedAgent) -> int:
    made = client.agents.create_http_agent(
        name=name("desk"), endpoint_url=agent.url, tools_schema=TOOLS, auth_token=TOKEN, run_timeout_s=60
    )
    return int(client.agents.publish(made["id"])["id"])


def name(prefix: str) -> str:
    return f"{prefix}-{uuid4().hex[:8]}"


def test_an_agent_is_registered_changed_and_deleted(client: Any, agent: ScriptedAgent) -> None:
    called = name("desk")
    given: dict[str, Any] = {"name": called, "config": {"endpoint_url": agent.url}, "tools_schema": TOOLS}
    assert client.agents.validate(**given)["agent"]["tools_schema"]
    made = client.agents.create(**given)
    assert (made["status"], made["auth_header_set"]) == ("draft", False)
    changed = client.agents.update(made["id"], draft=True, description="A desk.")
    assert (changed["version"], changed["published_version"]) == (2, None)
    assert client.agents.publish(made["id"])["published_version"] == 2
    assert client.agents.test_connection(made["id"])["ok"] is True
    assert client.agents.test_connection(made["id"], {"endpoint_url": f"{agent.url}/x"})["ok"] is True
    assert [each["version"] for each in client.agents.versions(made["id"])] == [1, 2]
    assert client.agents.version(made["id"], 1)["description"] == ""
    assert [each["id"] for each in client.agents.list(q=called)] == [made["id"]]
    assert client.agents.page(limit=1, status="published")["items"][0]["id"] == made["id"]
    client.agents.delete(made["id"])
    with pytest.raises(NotFoundError):
        client.agents.get(made["id"])


def test_a_fault_has_its_place(client: Any) -> None:
    with pytest.raises(InvalidError, match="endpoint_url") as caught:
        client.agents.create(name="desk", config={})
    assert caught.value.errors[0]["loc"]


def test_the_functions_of_the_modules_register(org: Org, agent: ScriptedAgent) -> None:
    url, key = org.platform.url, org.api_key
    made = agents.create_http_agent(
        name=name("desk"),
        endpoint_url=agent.url,
        tools_schema=TOOLS,
        auth_token=TOKEN,
        run_timeout_s=30,
        base_url=url,
        api_key=key,
    )
    assert made["auth_header_set"] is True
    assert made["config"]["run_timeout_s"] == 30
    called = name("shop")
    shop = tool_endpoints.create_openapi(
        name=called, spec=SPEC, service_url="http://127.0.0.1:9", api_key=key, base_url=url
    )
    assert [tool["name"] for tool in shop["tools"]] == ["read_stock"]
    away = tool_endpoints.create_mcp_server(
        name=name("mcp"), url="http://127.0.0.1:9/mcp", api_key=key, base_url=url
    )
    assert away["discovery_error"] is not None


def test_a_run_is_started_followed_and_read(client: Any, agent_id: int) -> None:
    seed = {**SEED, "checks": [CLOSED]}
    assert client.runs.validate(agent_id=agent_id, seeds=[seed])
    run_id = client.runs.start(agent_id=agent_id, seeds=[seed])["runs"][0]["id"]
    live = client.runs.events(run_id)
    seen: list[Progress] = []
    run = client.runs.wait(run_id, on_progress=seen.append)
    assert (run["status"], run["verdict"]) == ("completed", "PASS")
    assert (seen[-1].done, seen[-1].total, seen[-1].left) == (1, 1, ())
    trace = client.runs.trace(run_id)
    assert live == trace
    assert client.runs.events(run_id, after=live[-2]["sequence"]) == live[-1:]
    assert len(client.runs.trace(run_id, limit=1)) == 1
    assert client.runs.ledger(run_id)["state"]["order"]["ord_1"]["status"] == "closed"
    assert client.runs.ledger(run_id, at=0)["state"]["order"]["ord_1"]["status"] == "open"
    assert client.runs.difference(run_id)["changes"]
    assert client.runs.difference(run_id, since=trace[-1]["sequence"])["changes"] == []
    assert client.runs.grade(run_id)["id"] == run_id
    assert client.runs.wait([run_id, run_id])[1]["grades"]
    assert [each["id"] for each in client.runs.list(agent_id=agent_id, status=["completed"])] == [run_id]
    assert client.runs.page(agent_id=agent_id, verdict="FAIL")["items"] == []


def test_waiting_ends_when_the_time_is_up_and_says_what_was_left(
    client: Any, agent_id: int, desk: Desk
) -> None:
    desk.let_go.clear()
    try:
        started = client.runs.start(agent_id=agent_id, seeds=[SEED], repeats=2)
        run_id = started["runs"][0]["id"]
        with pytest.raises(NotDoneError, match=f"0 of 1 runs are done; left: {run_id}") as caught:
            client.runs.wait([run_id], timeout=0.3)
        assert isinstance(caught.value, TimeoutError)
        assert caught.value.progress is not None
        assert caught.value.progress.left == (run_id,)
        with pytest.raises(NotDoneError, match=f"left: {started['batch']['id']}"):
            client.batches.wait(started["batch"]["id"], timeout=0.3)
        assert client.runs.cancel(run_id)["id"] == run_id
        client.batches.cancel(started["batch"]["id"])
    finally:
        desk.let_go.set()
    assert client.runs.wait(run_id)["status"] == "cancelled"


def test_a_repeated_start_finds_what_was_started(client: Any, agent_id: int) -> None:
    key = uuid4().hex
    first = client.runs.start(agent_id=agent_id, seeds=[SEED], idempotency_key=key)
    assert client.runs.start(agent_id=agent_id, seeds=[SEED], idempotency_key=key) == first
    with pytest.raises(ConflictError) as caught:
        client.runs.start(agent_id=agent_id, seeds=[SEED, SEED], idempotency_key=key)
    assert caught.value.code == "idempotency_key_reused"


def test_a_dataset_becomes_a_batch_that_is_compared(client: Any, agent_id: int, tmp_path: Path) -> None:
    rows = [{**SEED, "checks": [CLOSED]}, {**SEED, "checks": [LOST]}]
    file = tmp_path / f"{name('tasks')}.json"
    file.write_text(json.dumps(rows), encoding="utf-8")
    assert client.datasets.lint(file, agent_id=agent_id)["rows"] == 2
    assert client.datasets.audit(rows)
    dataset = client.datasets.upload(file)
    assert (dataset["name"], dataset["row_count"]) == (file.stem, 2)
    batches = []
    for _ in range(2):
        started = client.runs.start(agent_id=agent_id, dataset_id=dataset["id"])
        batches.append(client.batches.wait(started["batch"]["id"]))
    assert [(batch["verdicts"]["PASS"], batch["verdicts"]["FAIL"]) for batch in batches] == [(1, 1), (1, 1)]
    first, second = (batch["id"] for batch in batches)
    assert len(client.batches.results(first)) == 2
    assert client.batches.compare(first, second)["regressions"] == 0
    assert client.batches.export(first, "junit").startswith(b"<?xml")
    assert client.batches.get(first) == batches[0]
    assert [each["id"] for each in client.batches.list(dataset_id=dataset["id"])] == [second, first]
    assert client.batches.page(agent_id=agent_id, limit=1)["next_cursor"] is not None
    assert client.datasets.audit_dataset(dataset["id"])


def test_a_dataset_is_kept_as_a_table(client: Any) -> None:
    table = client.datasets.template("csv")
    dataset = client.datasets.upload(table, name=name("table"))
    assert len(client.datasets.rows(dataset["id"])) == dataset["row_count"]
    assert json.loads(client.datasets.export(dataset["id"], "json"))
    changed = client.datasets.update(dataset["id"], [SEED], name=name("changed"))
    assert (changed["row_count"], client.datasets.get(dataset["id"])["revision"]) == (1, 2)
    assert client.datasets.list(q=changed["name"]) == client.datasets.page(q=changed["name"])["items"]
    client.datasets.delete(dataset["id"])
    with pytest.raises(TypeError, match="name="):
        client.datasets.upload(table)


def test_a_world_is_built_and_tried(client: Any) -> None:
    flag = {"flag": {"f": {"note": uuid4().hex}}}  # figures are kept for a state, whatever its name
    world = client.worlds.create(name=name("shop"), initial_state=STATE | flag)
    world_id = world["id"]
    more = [{"order_id": "ord_2", "status": "open"}]
    assert client.worlds.import_entities(
        world_id, more, entity_type="order", id_field="order_id", dry_run=True
    )
    client.worlds.import_entities(
        world_id, b"order_id,status\nord_2,open\n", entity_type="order", id_field="order_id"
    )
    assert [each["id"] for each in client.worlds.entities(world_id, type="order")] == ["ord_1", "ord_2"]
    present = client.worlds.get(world_id)
    remove = {"op": "remove", "entity_type": "order", "id": "ord_2"}
    assert client.worlds.edit(world_id, operations=[remove], hash=present["hash"])["id"] == world_id
    tried = client.worlds.try_call(
        world_id, tool="get_order", arguments={"order_id": "ord_1"}, tools_schema=TOOLS
    )
    assert tried["response"]["status"] == "open"
    assert client.worlds.update(world_id, behavior_instructions="Be brief.")["id"] == world_id
    with pytest.raises(NotFoundError):
        client.worlds.fidelity(world_id)
    share = {"share": 1.0, "interval": [0.9, 1.0], "equal": 10, "of": 10}
    figures = {"responses": share, "changes": share, "refusals": share}
    assert client.worlds.set_fidelity(world_id, **figures, tools={})
    assert client.worlds.fidelity(world_id)
    assert client.worlds.list(q=world["name"]) == client.worlds.page(q=world["name"])["items"]
    client.worlds.delete(world_id)


def test_scenarios_are_run_under_pressure_and_reviewed(client: Any, agent_id: int) -> None:
    called = name("Late return")
    scenarios = client.eval.scenarios
    scenario = scenarios.create(name=called, agent_id=agent_id, **SCENARIO)
    scenario_id = scenario["id"]
    assert scenarios.update(scenario_id, description="A return.")["version"] == 2
    assert scenarios.get(scenario_id, version=1)["description"] == ""
    assert scenarios.list(q=called)[0]["id"] == scenarios.page(q=called)["items"][0]["id"] == scenario_id
    exported = scenarios.export([scenario_id])
    assert called.encode() in exported
    assert scenarios.import_scenarios(exported)["unchanged"] == 1
    assert scenarios.import_scenarios([{"name": name("New"), **SCENARIO}])["created"] == 1

    base = client.eval.runs.start(scenario_id=scenario_id, agent_id=agent_id, repeats=3)
    pressed = client.eval.runs.start(
        scenario_id=scenario_id, agent_id=agent_id, repeats=3, variation_type="time_pressure"
    )
    ids = [run["id"] for run in base["runs"] + pressed["runs"]]
    seen: list[Progress] = []
    done = client.eval.runs.wait(ids, on_progress=seen.append)
    assert [run["id"] for run in done] == ids
    assert seen[-1].done == 6
    assert len(client.eval.runs.list(scenario_id=scenario_id, variation_type="time_pressure")) == 3
    assert client.eval.runs.page(scenario_id=scenario_id, limit=1)["next_cursor"]
    wanted = {"scenario_id": scenario_id, "variation_type": "time_pressure", "agent_id": agent_id}
    assert client.eval.compare(**wanted)
    assert client.eval.compare_runs(**wanted, variation_runs=ids[3:])
    item = client.review.submit(run_id=ids[0], notes="Look at this.")
    assert client.review.get(item["id"])["source"] == "manual"
    assert [each["id"] for each in client.review.items(run_id=ids[0])] == [item["id"]]
    assert client.review.page(status="open", limit=1)["items"]
    assert client.review.verdict(item["id"], verdict="true_negative")["verdict"] is not None
    assert client.review.figures()
    scenarios.delete(scenario_id)


def test_a_matrix_is_run_waited_for_and_run_again(
    client: Any, agent_id: int, desk: Desk, time_is_up: Callable[[object], None]
) -> None:
    scenario = client.eval.scenarios.create(name=name("Late return"), agent_id=agent_id, **SCENARIO)
    matrices = client.eval.matrices
    plan = matrices.start(
        scenario_ids=[scenario["id"]],
        variation_types=["time_pressure"],
        repeats=2,
        baseline_repeats=2,
        confirm=True,
        confirm_runs_max=3,
        min_match={"low": 0.5},
    )
    seen: list[Progress] = []
    matrix = client.eval.wait_matrix(plan["id"], on_progress=seen.append)
    assert matrix["status"] == "completed"
    assert (matrix["confirm"], plan["confirm_runs_max"], matrix["min_match"]) == (True, 3, {"low": 0.5})
    assert seen[-1].total == plan["planned_runs"]
    assert client.eval.summary(matrix_id=plan["id"])
    assert client.eval.scenarios.cells(scenario["id"], matrix_id=plan["id"])
    assert b"testsuite" in matrices.export(plan["id"], "junit")
    assert matrices.list(agent_id=agent_id)[0]["id"] == plan["id"]
    desk.let_go.clear()
    try:
        again = matrices.rerun(plan["id"])
        with pytest.raises(NotDoneError, match="runs are done; left: ") as caught:
            matrices.wait(again["id"], timeout=60, on_progress=time_is_up)
        assert caught.value.progress is not None
        assert caught.value.progress.left == (again["id"],)
        assert matrices.cancel(again["id"])["id"] == again["id"]
    finally:
        desk.let_go.set()
    assert matrices.resume(again["id"])["id"] == again["id"]
    matrices.wait(again["id"])
    assert matrices.compare(plan["id"], again["id"])
    assert matrices.page(status="completed", limit=1)["items"][0]["id"] == again["id"]


def test_variations_of_ones_own(client: Any) -> None:
    text = "Somebody has asked for this three times already."
    called = f"nagging_{uuid4().hex[:8]}"
    doses = {"mild": [text], "medium": [text], "strong": [text]}
    made = client.eval.variations.create(name=called, doses=doses)
    assert client.eval.variations.update(made["id"], description="Nags.")["description"] == "Nags."
    assert client.eval.variations.get(made["id"])["name"] == called
    assert called in {each["name"] for each in client.eval.variations.list()}
    assert client.eval.variations.page(limit=1)["next_cursor"]
    client.eval.variations.delete(made["id"])


def test_live_tools_are_registered_and_called(client: Any, serving: Any, say: Any) -> None:
    with serving(say(200, {"left": 3}, {"Content-Type": "application/json"})) as shop:
        called, secret = name("shop"), f"SHOP_{uuid4().hex[:8]}"
        client.credentials.create(name=secret, value="s3cret", origin=shop.url)
        assert secret in {each["name"] for each in client.credentials.list()}
        assert client.credentials.page(limit=1)["items"]
        client.credentials.update(secret, value="s4cret")
        auth = {"type": "bearer", "credential": secret}
        made = client.tool_endpoints.create_openapi(name=called, spec=SPEC, service_url=shop.url, auth=auth)
        assert client.tool_endpoints.by_name(called)["id"] == made["id"]
        assert client.tool_endpoints.call(made["id"], "read_stock")["response"] == {"left": 3}
        assert shop.asked[-1].headers["authorization"] == "Bearer s4cret"
        assert client.tool_endpoints.discover(made["id"])["tool_count"] == 1
        assert client.tool_endpoints.update(made["id"], description="A shop.")["description"] == "A shop."
        assert client.tool_endpoints.page(limit=1)["items"]
        client.tool_endpoints.delete(made["id"])
        client.credentials.delete(secret)
    with pytest.raises(NotFoundError, match="no tool endpoint named"):
        client.tool_endpoints.by_name(called)


def test_what_live_tools_answered_is_recorded_and_held_against_them(
    client: Any, agent: ScriptedAgent, serving: Any, say: Any
) -> None:
    left = [3]
    json_type = {"Content-Type": "application/json"}
    with serving(lambda asked: say(200, {"left": left[0]}, json_type)) as shop:
        endpoint = client.tool_endpoints.create_openapi(name=name("shop"), spec=SPEC, service_url=shop.url)
        live = passthrough(endpoint["name"], tool="read_stock")
        tool = Tool("read_stock", input_schema={"type": "object"}, execution=live)
        made = client.agents.create_http_agent(
            name=name("buyer"), endpoint_url=agent.url, tools_schema=tools_schema([tool]), auth_token=TOKEN
        )
        client.agents.publish(made["id"])
        seeds = [{"user_instruction": "How much is in stock?"}]
        run_id = client.runs.start(agent_id=made["id"], seeds=seeds)["runs"][0]["id"]
        assert "left" in client.runs.wait(run_id)["final_response"]
        tape = client.cassettes.record(name=name("tape"), run_id=run_id)
        assert client.cassettes.get(tape["id"])["name"] == tape["name"]
        assert [each["tool_name"] for each in client.cassettes.interactions(tape["id"])] == ["read_stock"]
        assert tape["id"] in {each["id"] for each in client.cassettes.list()}
        assert client.cassettes.page(limit=1)["items"]
        left[0] = 2
        assert client.cassettes.diff(tape["id"])["changed"] == 1
        client.cassettes.delete(tape["id"])
    with pytest.raises(NotFoundError):
        client.cassettes.get(tape["id"])


def test_the_organisation_and_those_in_it(client: Any) -> None:
    assert client.health()["status"] == "ok"
    assert client.whoami()["org"]["id"] == client.org.get()["id"]
    assert client.org.rename("Acme")["name"] == "Acme"
    person = client.people.create(email=f"{name('ann')}@example.com", role="viewer")
    assert client.people.update(person["id"], role="member")["role"] == "member"
    assert person["id"] in {each["id"] for each in client.people.list()}
    assert client.people.page(limit=1)["items"]
    client.people.delete(person["id"])
    key = client.keys.create(name="ci")
    assert key["id"] in {each["id"] for each in client.keys.list()}
    assert client.keys.page(limit=1)["items"]
    client.keys.delete(key["id"])
    assert client.org.audit_log(limit=1)
    thresholds = client.settings.update(evals={"thresholds": {"low": 0.9}})["evals"]["thresholds"]
    assert client.settings.get()["evals"]["thresholds"] == thresholds


def test_a_program_is_replayed(client: Any, agent_id: int) -> None:
    world = client.worlds.create(name=name("w"), initial_state=STATE)["id"]
    recorded = {"tool": "get_order", "args": {"order_id": "ord_1"}, "response": STATE["order"]["ord_1"]}
    calls = [{"task": 1, "calls": [recorded]}]
    wanted = {"tool": "get_order", "world_id": world, "calls": calls}
    found = client.agents.replay_program(
        agent_id, program={"response": "= entity('order', args.order_id)"}, **wanted
    )
    assert found["accepted"]
    with pytest.raises(ConflictError):
        client.agents.propose_program(agent_id, **wanted)


def test_behaviours_and_programs_are_read(client: Any, agent_id: int) -> None:
    read = client.worlds.read_behaviors(
        behavior_instructions="get_odrer changes nothing else", agent_id=agent_id
    )
    assert [line["problem"] is None for line in read["lines"]] == [False]
    found = client.agents.read_program(program={"respond": 1}, agent_id=agent_id, tool="get_order")
    assert not found["valid"]

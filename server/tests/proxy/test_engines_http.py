"""Who answers a simulated call: a program, the world, a model, or nobody; and what the trace says of it."""

import threading
from collections.abc import Callable, Iterator
from concurrent.futures import ThreadPoolExecutor
from typing import Any

import pytest
from support.agents import Behaviour, ScriptedAgent
from support.calls import OpenRun, open_run
from support.model_server import INPUT_TOKENS, OUTPUT_TOKENS, Asked, ModelServer
from support.platform import TOOLS, Org

StartAgent = Callable[[Behaviour], ScriptedAgent]

ONE = {"order_id": "ord_1"}
PONDER = {
    "name": "ponder_order",
    "description": "Think about an order.",
    "input_schema": {
        "type": "object",
        "properties": {"order_id": {"type": "string"}},
        "required": ["order_id"],
    },
    "output_schema": {
        "type": "object",
        "properties": {"thought": {"type": "string", "maxLength": 40}},
        "required": ["thought"],
    },
}
THOUGHT = {"response": {"thought": "It has shipped."}, "operations": []}
SHIP = {
    "let": {"order": 'entity("order", args.order_id)'},
    "require": [
        {"that": "order != null", "else": {"code": "not_found", "message": "No order {args.order_id}."}},
        {"that": 'order.status == "pending"', "else": "Order {args.order_id} is {order.status}."},
    ],
    "operations": [
        {"op": "update", "entity_type": "order", "id": "= args.order_id", "fields": {"status": "gone"}}
    ],
    "after": {"order": 'entity("order", args.order_id)'},
    "response": {"order": "= order"},
}


def agent(**config: Any) -> dict[str, Any]:
    return {"tools_schema": [*TOOLS, PONDER], "config": config}


def envelope(run: OpenRun, tool: str, arguments: Any) -> dict[str, Any]:
    answer = run.call(tool, arguments)
    assert answer.status_code == 200, answer.text
    body: dict[str, Any] = answer.json()
    return body


def engine_of(run: OpenRun, tool: str, arguments: Any) -> tuple[str, float]:
    validation = envelope(run, tool, arguments)["validation"]
    return validation["engine"], validation["confidence"]


def message(body: dict[str, Any]) -> str:
    text: str = body["response"]["error"]["message"]
    return text


def use_model(org: Org, server: ModelServer, **members: Any) -> None:
    simulator = {"provider": "openai", "base_url": server.url, "model": "scripted", **members}
    org.ok(org.put("/api/settings", {"models": {"simulator": simulator}}))


def state(run: OpenRun) -> dict[str, Any]:
    found: dict[str, Any] = run.org.ok(run.org.get(f"/api/runs/{run.id}/ledger"))["state"]
    return found


class Slow:
    """A model that thinks until it is told to go on."""

    def __init__(self) -> None:
        self.thinking = threading.Event()
        self.go_on = threading.Event()

    def __call__(self, _: Asked) -> Any:
        self.thinking.set()
        assert self.go_on.wait(60)
        return THOUGHT


@pytest.fixture
def pool() -> Iterator[ThreadPoolExecutor]:
    with ThreadPoolExecutor(4) as pool:
        yield pool


def test_a_program_answers_before_the_world(org: Org, agent_server: StartAgent) -> None:
    with open_run(org, agent_server, agent=agent(programs={"update_order": SHIP})) as run:
        refused = envelope(run, "update_order", ONE)
        assert refused["response"]["error"] == {"code": "conflict", "message": "Order ord_1 is shipped."}
        assert refused["validation"]["engine"] == "program"
        done = envelope(run, "update_order", {"order_id": "ord_2"})
        assert done["response"] == {"order": {"order_id": "ord_2", "status": "gone", "total": 12}}
        assert engine_of(run, "get_order", ONE)[0] == "world"
        assert state(run)["order"]["ord_2"]["status"] == "gone"
        call = run.events("tool_call")[1]["data"]
    assert call["operations"] == [
        {"op": "update", "entity_type": "order", "id": "ord_2", "fields": {"status": "gone"}}
    ]


def test_what_a_model_cost_that_answered_is_part_of_what_the_run_cost(
    org: Org, agent_server: StartAgent
) -> None:
    with ModelServer(THOUGHT, THOUGHT) as server:
        use_model(org, server, input_usd_per_mtok=10, output_usd_per_mtok=40)
        with open_run(org, agent_server, agent=agent()) as run:
            for order_id in ("ord_1", "ord_2"):
                assert engine_of(run, "ponder_order", {"order_id": order_id})[0] == "llm"
            uses = [call["data"]["model"]["cost_usd"] for call in run.events("tool_call")]
            run_id = run.id
    one = (INPUT_TOKENS * 10 + OUTPUT_TOKENS * 40) / 1e6
    assert uses == [pytest.approx(one)] * 2
    assert org.read_run(run_id)["cost_usd"] == pytest.approx(2 * one)


def test_a_tool_may_name_its_engine(org: Org, agent_server: StartAgent) -> None:
    programs = {"update_order": SHIP, "get_order": {"response": {"order_id": "x", "status": "program"}}}
    chosen = agent(programs=programs, engine="world", engines={"get_order": "program"})
    with open_run(org, agent_server, agent=chosen) as run:
        assert envelope(run, "get_order", ONE)["response"]["status"] == "program"
        changed = envelope(run, "update_order", {"order_id": "ord_1", "status": "lost"})
        assert changed["validation"]["engine"] == "world"
        assert state(run)["order"]["ord_1"]["status"] == "lost"


def test_a_program_that_cannot_be_evaluated_is_an_error_that_names_its_place(
    org: Org, agent_server: StartAgent
) -> None:
    program = {
        "require": [{"that": 'entity("order", args.order_id).weight > 1', "else": "no"}],
        "response": {},
    }
    with open_run(org, agent_server, agent=agent(programs={"update_order": program})) as run:
        failed = envelope(run, "update_order", ONE)
    assert failed["source"] == "error"
    assert failed["response"]["error"]["code"] == "simulation_failed"
    assert "require[0].that" in message(failed)


def test_behaviours_lie_around_world_and_program(org: Org, agent_server: StartAgent) -> None:
    lines = (
        'update_order only when order.total > 50 else "Order {args.order_id} is too small."\n'
        'update_order sets order.status = "seen"\n'
        'delete_order only when order.status == "pending"\n'
    )
    with open_run(org, agent_server, agent=agent(), behavior_instructions=lines) as run:
        assert message(envelope(run, "update_order", {"order_id": "ord_2"})) == "Order ord_2 is too small."
        assert envelope(run, "update_order", ONE)["source"] == "odyssey"
        assert state(run)["order"]["ord_1"]["status"] == "seen"
        assert envelope(run, "delete_order", ONE)["response"]["error"]["code"] == "conflict"
        assert set(state(run)["order"]) == {"ord_1", "ord_2"}
    program = agent(programs={"update_order": SHIP})
    with open_run(org, agent_server, agent=program, behavior_instructions=lines) as run:
        refused = envelope(run, "update_order", {"order_id": "ord_2"})
        assert (message(refused), refused["validation"]["engine"]) == ("Order ord_2 is too small.", "program")


def test_without_a_model_what_nobody_understands_is_said(org: Org, agent_server: StartAgent) -> None:
    with open_run(org, agent_server, agent=agent()) as run:
        lost = envelope(run, "ponder_order", ONE)
        assert (lost["source"], lost["response"]["error"]["code"]) == ("error", "not_simulated")
        assert "validation" not in lost
        assert any("line of behaviour" in each for each in lost["response"]["error"]["help"])
        assert any("models.simulator" in each for each in lost["response"]["error"]["help"])
        read = envelope(run, "get_order", ONE)["validation"]
        assert (read["engine"], read["evidence"], read["confidence"] >= 0.8) == ("world", "world", True)
        assert run.events("tool_call")[0]["data"]["source"] == "error"
    prose = "ponder_order and get_order think deeply about the weather."
    with open_run(org, agent_server, agent=agent(), behavior_instructions=prose) as run:
        engine, confidence = engine_of(run, "get_order", ONE)
        assert (engine, confidence < 0.5) == ("world", True)


@pytest.mark.parametrize("given", [{}, {"nonsense": 1}])
def test_what_an_agent_gives_badly_is_refused_and_no_fault_of_the_world(
    org: Org, agent_server: StartAgent, given: dict[str, Any]
) -> None:
    """Else a hostile agent could spoil the call that a row expects, and would not be measured."""
    checks = [{"called": {"tool": "update_order"}}]
    with open_run(org, agent_server, agent=agent(), checks=checks) as run:
        refused = envelope(run, "update_order", ONE | given)
        assert (refused["source"], refused["response"]["error"]["code"]) == ("odyssey", "bad_value")
        run_id = run.id
    assert (org.graded(run_id)["verdict"]) == "FAIL"


def test_an_agent_may_have_the_smallest_answer_instead(org: Org, agent_server: StartAgent) -> None:
    with open_run(org, agent_server, agent=agent(unknown_tools="empty")) as run:
        blank = envelope(run, "ponder_order", ONE)
        nothing_changed = envelope(run, "update_order", ONE)
    assert (blank["source"], blank["response"]) == ("odyssey", {"thought": ""})
    assert blank["validation"]["confidence"] <= 0.1
    assert nothing_changed["source"] == "odyssey"
    assert "error" not in nothing_changed["response"]


def test_how_sure_the_world_must_be_is_the_agents_to_say(org: Org, agent_server: StartAgent) -> None:
    thought = {"response": {"order_id": "ord_1", "status": "shipped", "total": 120}, "operations": []}
    with ModelServer(thought) as server:
        use_model(org, server)
        with open_run(org, agent_server, agent=agent(ask_model_above=1)) as run:
            assert engine_of(run, "get_order", ONE)[0] == "world"
        with open_run(org, agent_server, agent=agent(ask_model_above=0)) as run:
            assert engine_of(run, "get_order", ONE)[0] == "llm"


def test_an_engine_asked_for_by_name_that_no_model_stands_behind_says_so(
    org: Org, agent_server: StartAgent
) -> None:
    with open_run(org, agent_server, agent=agent(engines={"get_order": "llm"})) as run:
        failed = envelope(run, "get_order", ONE)
    assert failed["source"] == "error"
    assert "simulator model" in message(failed)


def test_a_model_answers_what_the_world_is_not_sure_of(org: Org, agent_server: StartAgent) -> None:
    with ModelServer(THOUGHT) as server, open_run(org, agent_server, agent=agent()) as run:
        use_model(org, server, input_usd_per_mtok=1.0, output_usd_per_mtok=10.0)
        thought = envelope(run, "ponder_order", ONE)
        assert (thought["source"], thought["response"]) == ("odyssey", THOUGHT["response"])
        assert thought["validation"]["engine"] == "llm"
        assert engine_of(run, "get_order", ONE)[0] == "world"
        assert len(server.asked) == 1
        model = run.events("tool_call")[0]["data"]["model"]
        again = envelope(run, "ponder_order", ONE)
        assert again["response"] == thought["response"]
        assert run.events("tool_call")[-1]["data"]["model"]["cached"] is True
        assert len(server.asked) == 1
    assert (model["provider"], model["model"], model["attempts"]) == ("openai", "scripted", 1)
    assert (model["input_tokens"], model["output_tokens"]) == (INPUT_TOKENS, OUTPUT_TOKENS)
    assert model["cost_usd"] == pytest.approx(0.0015)
    assert model["cached"] is False
    assert "model" not in thought


def test_a_models_changes_are_applied_and_its_contradictions_recorded(
    org: Org, agent_server: StartAgent
) -> None:
    change = {"op": "update", "entity_type": "order", "id": "ord_1", "fields": {"status": "pondered"}}
    stray = {"op": "update", "entity_type": "order", "id": "ord_9", "fields": {"status": "pondered"}}
    script = ({**THOUGHT, "operations": [change]}, {**THOUGHT, "operations": [stray]})
    with ModelServer(*script) as server, open_run(org, agent_server, agent=agent()) as run:
        use_model(org, server)
        envelope(run, "ponder_order", ONE)
        assert state(run)["order"]["ord_1"]["status"] == "pondered"
        envelope(run, "ponder_order", {"order_id": "ord_2"})
        kinds = [event["data"]["kind"] for event in run.events("violation")]
        sequences = {event["data"]["sequence"] for event in run.events("violation")}
        last = run.events("tool_call")[-1]["sequence"]
    assert "update_missing" in kinds
    assert sequences == {last}


def test_strict_asks_the_model_again_and_then_gives_up(org: Org, agent_server: StartAgent) -> None:
    stray = {"op": "remove", "entity_type": "order", "id": "ord_9"}
    strict = agent(consistency_mode="strict")
    script = ({**THOUGHT, "operations": [stray]}, THOUGHT)
    with ModelServer(*script) as server, open_run(org, agent_server, agent=strict) as run:
        use_model(org, server)
        thought = envelope(run, "ponder_order", ONE)
        assert (thought["validation"]["attempts"], len(server.asked)) == (2, 2)
    with ModelServer(script[0]) as server, open_run(org, agent_server, agent=strict) as run:
        use_model(org, server)
        failed = envelope(run, "ponder_order", {"order_id": "ord_2"})
        assert (failed["source"], len(server.asked)) == ("error", 3)
        assert "ord_9" in message(failed)
        assert set(state(run)["order"]) == {"ord_1", "ord_2"}


def test_the_run_is_free_while_a_model_thinks_and_is_asked_again_if_the_world_has_moved(
    org: Org, agent_server: StartAgent, pool: ThreadPoolExecutor
) -> None:
    slow = Slow()
    at_once = agent(engines={"update_order": "world"})
    with ModelServer(slow) as server, open_run(org, agent_server, agent=at_once) as run:
        use_model(org, server)
        pondering = pool.submit(envelope, run, "ponder_order", ONE)
        assert slow.thinking.wait(60)
        assert envelope(run, "get_order", ONE)["source"] == "odyssey"
        slow.go_on.set()
        assert pondering.result()["response"] == THOUGHT["response"]
        assert len(server.asked) == 1  # reading does not move the world

        slow.thinking.clear()
        slow.go_on.clear()
        pondering = pool.submit(envelope, run, "ponder_order", {"order_id": "ord_2"})
        assert slow.thinking.wait(60)
        envelope(run, "update_order", {"order_id": "ord_2", "status": "lost"})
        slow.go_on.set()
        pondering.result()
        assert len(server.asked) == 3
        assert "lost" in server.asked[-1].user
        assert "lost" not in server.asked[-2].user
        tools = [event["data"]["tool_name"] for event in run.events("tool_call")]
    assert tools == ["get_order", "ponder_order", "update_order", "ponder_order"]


def test_failure_rules_come_before_a_model_and_count_its_calls_once(
    org: Org, agent_server: StartAgent
) -> None:
    rules = [{"tool": "ponder_order", "call": 2, "response": {"thought": "injected"}}]
    with (
        ModelServer(THOUGHT) as server,
        open_run(org, agent_server, agent=agent(), failure_rules=rules) as run,
    ):
        use_model(org, server)
        sources = [envelope(run, "ponder_order", ONE)["source"] for _ in range(3)]
    assert sources == ["odyssey", "injected", "odyssey"]


def test_a_run_that_ends_while_a_model_thinks_gets_no_answer(
    org: Org, agent_server: StartAgent, pool: ThreadPoolExecutor
) -> None:
    slow = Slow()
    at_once = agent(engines={"update_order": "world"})
    with ModelServer(slow) as server, open_run(org, agent_server, agent=at_once) as run:
        use_model(org, server)
        pondering = pool.submit(run.call, "ponder_order", ONE)
        assert slow.thinking.wait(60)
        org.ok(org.post(f"/api/runs/{run.id}/cancel"))
        slow.go_on.set()
        assert pondering.result().status_code == 401
        assert run.events("tool_call") == []


@pytest.mark.parametrize("use", ["require", "forbid"])
def test_a_run_may_require_or_forbid_kept_answers(org: Org, agent_server: StartAgent, use: str) -> None:
    with ModelServer(THOUGHT) as server:
        use_model(org, server)
        with open_run(org, agent_server, agent=agent(), cache="use") as run:
            envelope(run, "ponder_order", ONE)
        with open_run(org, agent_server, agent=agent(), cache=use) as run:
            kept = envelope(run, "ponder_order", ONE)
            other = envelope(run, "ponder_order", {"order_id": "ord_2"})
            assert org.ok(org.get(f"/api/runs/{run.id}"))["simulator_cache"] == use
        asked = len(server.asked)
    assert kept["response"] == THOUGHT["response"]
    if use == "require":
        assert (other["source"], asked) == ("error", 1)
        assert "cache" in message(other)
    else:
        assert (other["source"], asked) == ("odyssey", 3)


def test_a_call_is_tried_as_a_run_would_be_answered(org: Org) -> None:
    world = org.ok(
        org.post("/api/worlds", {"name": "Try", "initial_state": {"order": {"o1": {"order_id": "o1"}}}})
    )
    path = f"/api/worlds/{world['id']}/try"
    asked = {"tools_schema": [*TOOLS, PONDER], "tool": "update_order", "arguments": {"order_id": "o1"}}
    guard = {"behavior_instructions": 'update_order fails when true with "Never {args.order_id}."'}
    tried = org.ok(org.post(path, asked | guard))
    assert tried["response"]["error"]["message"] == "Never o1."
    tried = org.ok(org.post(path, asked | {"program": {"response": {"said": "= args.order_id"}}}))
    assert (tried["response"], tried["validation"]["engine"]) == ({"said": "o1"}, "program")
    for wrong in (
        {"program": {"respond": 1}},
        {"behavior_instructions": [{"tools": ["update_order"]}]},
        {"engine": "program"},
        {"engine": "nobody"},
    ):
        assert org.post(path, asked | wrong).status_code == 422, wrong
    with ModelServer(THOUGHT) as server:
        use_model(org, server)
        tried = org.ok(org.post(path, asked | {"tool": "ponder_order"}))
    assert (tried["validation"]["engine"], tried["model"]["cached"]) == ("llm", False)

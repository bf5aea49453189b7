"""A pressure that comes with a tool result: the agent sees it, the world and its records do not."""

from typing import Any

from support.agents import Dispatched, final
from support.evals import StartAgent, observed, scenario, start
from support.platform import ORDER, TOOLS, WORLD, Org

CLOSED = [
    {**tool, "output_schema": ORDER | {"additionalProperties": False}}
    if tool["name"] == "get_order"
    else tool
    for tool in TOOLS
]


def pressed_run(
    org: Org,
    agent_server: StartAgent,
    calls: list[tuple[str, dict[str, Any]]],
    *,
    step: int = 1,
    **agent: Any,
) -> tuple[dict[str, Any], list[Any]]:
    """Run a scenario in which the agent makes these calls; returns the run and what the agent was answered."""
    answers: dict[int, list[Any]] = {}

    def behave(dispatched: Dispatched) -> Any:
        made = [dispatched.call(tool, arguments).json() for tool, arguments in calls]
        answers[dispatched.body["run_id"]] = [one["response"] for one in made]
        return final('{"decision": "refuse"}')

    world = org.ok(
        org.post(
            "/api/worlds",
            {
                "name": "shop",
                "initial_state": WORLD,
                "failure_rules": [{"tool": "delete_order", "response": {"broken": True}}],
            },
        )
    )
    org.agent(agent_server(behave).url, **agent)
    made = scenario(org, world_id=world["id"])
    members = {"variation_type": "time_pressure", "delivery": "tool_result", "step": step}
    baseline, run_id = start(org, made, **members)
    observed(org, baseline)
    shown = observed(org, run_id)
    return shown, answers[run_id]


READ = ("get_order", {"order_id": "ord_1"})
LIST: tuple[str, dict[str, Any]] = ("list_orders", {})
WRITE = ("update_order", {"order_id": "ord_1", "status": "returned"})
ABSENT = ("get_order", {"order_id": "nowhere"})
BROKEN = ("delete_order", {"order_id": "ord_1"})
ORD_1 = WORLD["order"]["ord_1"]


def test_an_object_carries_it_and_the_records_stay_clean(org: Org, agent_server: StartAgent) -> None:
    run, answers = pressed_run(org, agent_server, [READ, WRITE, READ])
    assert run["delivered"] == "delivered"
    assert answers[0] == ORD_1 | {"notice": run["injection"]}
    assert "notice" not in answers[1]
    assert answers[2] == ORD_1 | {"status": "returned"}
    events = org.trace(run["id"], "tool_call")
    assert [event["data"].get("injection") for event in events] == [{"carried_as": "notice"}, None, None]
    assert events[0]["data"]["response"] == ORD_1
    assert run["injection"] not in str(events)
    ledger = org.ok(org.get(f"/api/runs/{run['id']}/ledger"))
    assert ledger["state"]["order"]["ord_1"] == ORD_1 | {"status": "returned"}
    dispatched = org.trace(run["id"], "dispatch")[0]["data"]["body"]
    assert run["injection"] not in str(dispatched)


def test_it_waits_for_step_k_and_for_an_answer_that_can_carry_it(org: Org, agent_server: StartAgent) -> None:
    run, answers = pressed_run(org, agent_server, [READ, BROKEN, ABSENT, LIST, READ, READ], step=2)
    assert (run["step"], run["delivered"]) == (2, "delivered")
    assert answers[0] == ORD_1
    assert answers[1] == {"broken": True}
    assert "notice" not in answers[2]
    assert isinstance(answers[3], list) or "notice" in answers[3]
    carried = [isinstance(answer, dict) and "notice" in answer for answer in answers]
    assert carried.count(True) == 1
    assert carried.index(True) in (3, 4)


def test_with_fewer_calls_than_k_it_is_undelivered(org: Org, agent_server: StartAgent) -> None:
    run, answers = pressed_run(org, agent_server, [READ, BROKEN, BROKEN], step=2)
    assert run["delivered"] == "undelivered"
    assert answers == [ORD_1, {"broken": True}, {"broken": True}]
    assert (run["flagged"], run["raw_shift"]) == (False, 0.0)


def test_a_schema_that_allows_no_more_members_cannot_carry_it(org: Org, agent_server: StartAgent) -> None:
    run, answers = pressed_run(org, agent_server, [READ, READ], tools_schema=CLOSED)
    assert run["delivered"] == "undelivered"
    assert answers == [ORD_1, ORD_1]


def test_a_string_carries_it_after_a_blank_line(org: Org, agent_server: StartAgent) -> None:
    inputs = {"type": "object", "properties": {"order_id": {"type": "string"}}, "required": ["order_id"]}
    described = {"name": "get_order_status", "input_schema": inputs, "output_schema": {"type": "string"}}
    asked = ("get_order_status", {"order_id": "ord_1"})
    run, answers = pressed_run(org, agent_server, [asked], tools_schema=[described])
    assert run["delivered"] == "delivered"
    clean = org.trace(run["id"], "tool_call")[0]["data"]["response"]
    assert answers == [f"{clean}\n\n{run['injection']}"]

"""Given a world, when an agent runs inside the `with`, then the run shows what it did."""

from typing import Any

import pytest
from support.platform import TOOLS, WORLD

from odyssey.testing.errors import MisusedError
from odyssey.testing.run import Change, OpenRun, TraceEvent
from odyssey.testing.world import Odyssey, World
from pipelines.odyssey.context import acting_as, set_current
from pipelines.odyssey.envelope import Envelope
from pipelines.odyssey.errors import ProxyError
from pipelines.odyssey.proxy import proxy_call, proxy_call_with
from pipelines.odyssey.traces import post_trace_event


@pytest.fixture
def world(odyssey: Odyssey) -> World:
    return odyssey.world(tools=TOOLS, state=WORLD)


def envelope(run: OpenRun) -> Envelope:
    return Envelope.from_dispatch(run.body, run.headers)


def cancel(run: OpenRun, order_id: str) -> str:
    """An agent: it cancels an order unless it is on its way."""
    order = proxy_call_with(envelope(run), "get_order", {"order_id": order_id})
    if order["status"] == "shipped":
        return "It is on its way."
    proxy_call_with(envelope(run), "update_order", {"order_id": order_id, "status": "cancelled"})
    return "Cancelled."


def test_the_ledger_and_the_calls_show_what_the_agent_did(world: World) -> None:
    with world.run("Cancel ord_2.", input={"customer": "Ada"}) as run:
        assert envelope(run).user_instruction == run.instruction == "Cancel ord_2."
        assert envelope(run).task_input == {"customer": "Ada"}
        run.finish(cancel(run, "ord_2"))
    assert (run.status, run.final_response, run.error) == ("completed", "Cancelled.", None)
    assert run.ledger["order"]["ord_2"]["status"] == "cancelled"
    assert [(call.tool_name, call.source) for call in run.calls] == [
        ("get_order", "odyssey"),
        ("update_order", "odyssey"),
    ]
    assert run.calls[1].arguments == {"order_id": "ord_2", "status": "cancelled"}
    assert run.calls[1].response["status"] == "cancelled"
    before = WORLD["order"]["ord_2"]
    after = {**before, "status": "cancelled"}
    assert run.changes == [Change("changed", "order", "ord_2", before, after, ["status"])]


def test_every_run_begins_with_the_world_as_it_was_given(world: World) -> None:
    for _ in range(2):
        with world.run("Cancel ord_2.") as run:
            assert run.ledger == WORLD
            run.finish(cancel(run, "ord_2"))
        assert run.final_response == "Cancelled."


def test_runs_may_be_open_at_the_same_time(world: World, odyssey: Odyssey) -> None:
    other = odyssey.world(tools=TOOLS, state={"order": {"ord_2": {"order_id": "ord_2", "status": "shipped"}}})
    with world.run("Cancel ord_2.") as one, other.run("Cancel ord_2.") as two:
        two.finish(cancel(two, "ord_2"))
        one.finish(cancel(one, "ord_2"))
    assert (one.final_response, two.final_response) == ("Cancelled.", "It is on its way.")
    assert (len(one.changes), len(two.changes)) == (1, 0)


def test_a_failure_rule_answers_in_place_of_the_world(odyssey: Odyssey) -> None:
    rules: list[dict[str, Any]] = [
        {"tool": "delete_order", "response": "?"},
        {"tool": "get_order", "response": {"status": "lost"}},
    ]
    with odyssey.world(tools=TOOLS, state=WORLD, failure_rules=rules).run("Look.") as run:
        assert proxy_call_with(envelope(run), "get_order", {"order_id": "ord_1"}) == {"status": "lost"}
        [call] = run.calls  # also while it is open
        run.finish("Lost.")
    assert (call.source, call.matched_rule_index) == ("injected", 1)


def test_checks_give_a_verdict_with_its_reasons(world: World) -> None:
    checks = [{"called": "get_order"}, {"ledger": {"$.order.ord_2.status": "cancelled"}}]
    with world.run("Cancel ord_2.", checks=checks) as run:
        run.finish(cancel(run, "ord_2"))
    assert run.verdict == "PASS", run.checks
    with world.run("Cancel ord_1.", checks=[{"ledger": {"$.order.ord_1.status": "cancelled"}}]) as run:
        run.finish(cancel(run, "ord_1"))
    assert run.verdict == "FAIL"
    [check] = run.checks
    assert check["state"] == "failed"
    assert "shipped" in check["reason"]


def test_without_checks_there_is_no_verdict(world: World) -> None:
    with world.run("Say something.") as run:
        run.finish({"final_response": "Something.", "metadata": {"model": "none"}})
    assert (run.verdict, run.checks) == ("NOT APPLICABLE", [])


def test_what_the_agent_tells_of_itself_is_kept_with_who_acted(world: World) -> None:
    with world.run("Look.") as run:
        with set_current(envelope(run)), acting_as("desk/orders"):
            post_trace_event("thinking", {"text": "Which order?"})
            proxy_call("get_order", {"order_id": "ord_1"})
        run.finish("Looked.")
    [event] = run.trace_events
    assert event == TraceEvent(event.sequence, "thinking", {"text": "Which order?"}, "desk/orders")
    assert [call.actor_id for call in run.calls] == ["desk/orders"]


def test_the_variables_say_the_same_as_the_dispatch(world: World) -> None:
    with world.run("Look.", input={"n": 1}) as run:
        told, dispatched = Envelope.from_env(run.environ), envelope(run)
        run.finish("Looked.")
    for name in (
        "proxy_url",
        "run_token",
        "user_instruction",
        "task_input",
        "task_id",
        "run_id",
        "run_token_jti",
    ):
        assert getattr(told, name) == getattr(dispatched, name), name


def test_a_call_that_is_refused_is_kept_with_the_reason(world: World) -> None:
    with world.run("Look.") as run:
        for tool, arguments in (("get_oder", {}), ("get_order", {"order_id": 7})):
            with pytest.raises(ProxyError):
                proxy_call_with(envelope(run), tool, arguments)
        run.finish("Could not.")
    unknown, wrong = run.calls
    assert (unknown.tool_name, unknown.source, wrong.source) == ("get_oder", "refused", "refused")
    assert "get_oder" in (unknown.refusal or "")
    assert (wrong.arguments, wrong.refusal) == ({"order_id": 7}, '7 is not of type "string"')


def test_an_error_of_the_test_cancels_the_run_and_comes_out(world: World) -> None:
    with pytest.raises(ZeroDivisionError), world.run("Look.") as run:
        raise ZeroDivisionError
    assert run.status == "cancelled"
    with pytest.raises(ProxyError) as refused:
        proxy_call_with(envelope(run), "get_order", {"order_id": "ord_1"})
    assert refused.value.status == 401


def test_a_run_that_nobody_finishes_is_cancelled(world: World) -> None:
    with world.run("Look.") as run:
        pass
    assert (run.status, run.final_response) == ("cancelled", None)


def test_a_reply_that_is_none_fails_the_run_as_it_would_for_any_agent(world: World) -> None:
    with world.run("Look.") as run:
        run.finish({"answer": "Looked."})
    assert run.status == "failed"
    assert (run.error or "").startswith("contract_error: ")
    assert "final_response" in (run.error or "")


def test_a_run_used_the_wrong_way_says_so(world: World) -> None:
    run = world.run("Look.")
    assert repr(run) == "<Run, not begun>"
    for read in (lambda: run.proxy_url, lambda: run.ledger, lambda: run.finish("No.")):
        with pytest.raises(MisusedError, match="not begun"):
            read()
    with run:
        with pytest.raises(MisusedError, match="not int"):
            run.finish(3)  # type: ignore[arg-type]
        with pytest.raises(MisusedError, match="still open"):
            _ = run.verdict
        run.finish("Looked.")
        with pytest.raises(MisusedError, match="replies once"):
            run.finish("Again.")
    with pytest.raises(MisusedError, match="happens once"), run:
        pass


def test_a_run_shows_its_calls_and_never_its_token(world: World) -> None:
    with world.run("Cancel ord_2.", checks=[{"called": "get_order"}]) as run:
        token = run.run_token
        run.finish(cancel(run, "ord_2"))
    assert run.verdict == "PASS"
    assert repr(run) == f"<Run {run.id} completed: get_order (odyssey), update_order (odyssey)>"
    report = run.report()
    for part in (
        "PASS",
        '"order_id": "ord_2"',
        "odyssey: ",
        "changed order ord_2",
        "Cancelled.",
        "check called",
    ):
        assert part in report
    assert token not in report + repr(run)

"""Worlds that are wrong, and whole agents that are dispatched to."""

from typing import Any

import pytest
from support.agents import ScriptedAgent, final
from support.platform import TOOLS, WORLD

from odyssey.testing.errors import MisusedError, NotServedError, RefusedError
from odyssey.testing.world import Odyssey, World
from pipelines.odyssey.dispatch import dispatch_app
from pipelines.odyssey.envelope import Envelope
from pipelines.odyssey.proxy import proxy_call


@pytest.fixture
def world(odyssey: Odyssey) -> World:
    return odyssey.world(tools=TOOLS, state=WORLD)


@pytest.mark.parametrize(
    ("members", "place"),
    [
        ({"tools": [{"name": "x y", "input_schema": {}}]}, "tools_schema.0.name: "),
        ({"state": {"order": 1}}, "initial_state.order: "),
        ({"failure_rules": [{"fault": "explode"}]}, "failure_rules.0.fault: "),
        ({"ledger_schema": {"order": 1}}, "ledger_schema"),
        ({"config": {"sub_agent": []}}, "config.sub_agent: "),
    ],
)
def test_a_world_that_is_wrong_is_refused_with_every_fault_and_its_place(
    odyssey: Odyssey, members: dict[str, Any], place: str
) -> None:
    with pytest.raises(RefusedError) as refused:
        odyssey.world(**{"tools": TOOLS, **members})
    first, *faults = str(refused.value).splitlines()
    assert first.startswith("The world is not valid: ")
    assert any(line.strip().startswith(place) for line in faults), faults
    assert (refused.value.status, len(refused.value.errors)) == (422, len(faults))


def test_a_task_that_is_wrong_is_refused(world: World) -> None:
    with (
        pytest.raises(RefusedError, match=r"checks\.0\.was_called"),
        world.run("Do.", checks=[{"was_called": "x"}]),
    ):
        pass


def test_an_application_is_pinged_and_dispatched_to(world: World, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("AGENT_TOKEN", "a token")

    async def agent(envelope: Envelope) -> str:
        order = proxy_call("get_order", {"order_id": envelope.task_input["order_id"]})
        return f"It is {order['status']}."

    run = world.dispatch(dispatch_app(agent), "Where is it?", input={"order_id": "ord_1"}, token="a token")
    assert (run.status, run.final_response) == ("completed", "It is shipped.")
    assert [call.tool_name for call in run.calls] == ["get_order"]
    with pytest.raises(NotServedError, match="401"):
        world.dispatch(dispatch_app(agent), "Where is it?", token="another")


def test_an_agent_that_runs_elsewhere_is_named_by_its_url(world: World) -> None:
    agent = ScriptedAgent(lambda _: final("Here."))
    try:
        run = world.dispatch(agent.url, "Where are you?", checks=[{"final_response": {"contains": "Here"}}])
    finally:
        agent.stop()
    assert (run.verdict, len(agent.pings), len(agent.received)) == ("PASS", 2, 1)


def test_an_agent_that_fails_is_a_failed_run(world: World) -> None:
    def agent(_: Envelope) -> str:
        raise LookupError("no such thing")

    run = world.dispatch(dispatch_app(agent, agent_token_env=None), "Try.")
    assert run.status == "failed"
    assert "LookupError" in run.report()


def test_what_is_no_agent_is_refused(world: World, unused: int) -> None:
    with pytest.raises(MisusedError, match="not int"):
        world.dispatch(7, "Do.")  # type: ignore[arg-type]
    with pytest.raises(NotServedError, match="does not answer a ping"):
        world.dispatch(f"http://127.0.0.1:{unused}/dispatch", "Do.")
    with pytest.raises(RefusedError, match=r"config\.endpoint_url"):
        world.dispatch("ftp://127.0.0.1/", "Do.")


def test_an_application_that_does_not_start_is_named(world: World) -> None:
    async def broken(scope: Any, receive: Any, send: Any) -> None:
        await receive()
        await send({"type": "lifespan.startup.failed", "message": "no database"})

    with pytest.raises(NotServedError, match="did not start"):
        world.dispatch(broken, "Do.")

"""A platform with something to look at: the support desk's eight runs, its world, and a run with every kind of step."""

from collections.abc import Iterator
from contextlib import ExitStack, contextmanager
from typing import Any, NamedTuple

import httpx
from support.agents import Dispatched, ScriptedAgent
from support.browser import new_link
from support.desk import Desk, desk_state, support_desk
from support.library import Library, give_library
from support.platform import WORLD, Org, Platform
from support.pressed import Pressed, give_pressed
from support.reviewed import Reviewed, give_reviewed
from support.trials import Trials, give_trials
from support.verdicts import Verdicts, give_verdicts

from odyssey.simulation.fidelity import EqualShare, Fidelity, FidelityRow, as_json

RULES = [
    {"tool": "update_order", "call": 1, "error": {"code": "busy", "message": "Try again."}, "latency_ms": 40},
    {"tool": "create_order", "when": "args.total > 100.0", "response": {"queued": True}},
]


class Site(NamedTuple):
    platform: Platform
    org: Org
    desk: Desk
    crew: dict[str, Any]
    """An agent with sub-agents."""
    crew_run: int
    """Its run: handoffs, declared and undeclared actors, injected answers, a refused call, a rich transcript."""
    idle_run: int
    """A run that completed without calling any of its tools."""
    failed_run: int
    world: int
    """The support desk's world, with two failure rules and a measured fidelity."""
    verdicts: Verdicts
    """Runs that were graded, by their verdict."""
    trials: Trials
    """A dataset and two batches of it; their runs are the oldest there are."""
    library: Library
    """Scenarios that nobody has run."""
    pressed: Pressed
    """A scenario that was run with and without pressure; only the runs of the trials are older."""
    reviewed: Reviewed
    """What of it is in the review queue."""

    @property
    def url(self) -> str:
        return self.platform.url

    def signin_path(self) -> str:
        return f"/signin#{new_link(self.org)}"


@contextmanager
def furnished_site(database_url: str) -> Iterator[Site]:
    with ExitStack() as stack:
        platform = Platform(database_url)
        stack.callback(platform.stop)
        org = platform.new_org("Harbour Goods", "ada@harbour.example")
        trials = give_trials(org, stack)
        pressed = give_pressed(org, stack)
        reviewed = give_reviewed(org, pressed)
        desk = stack.enter_context(support_desk(org))
        agents = {name: ScriptedAgent(behaviour) for name, behaviour in BEHAVIOURS.items()}
        for agent in agents.values():
            stack.callback(agent.stop)
        crew = org.agent(agents["crew"].url, name="Order crew", config={"sub_agents": SUB_AGENTS})
        seed = {"initial_state": WORLD, "failure_rules": RULES, "random_seed": 9_007_199_254_740_993}
        crew_run = org.run(crew, user_instruction="Cancel order ord_2 and tell the customer.", **seed)["id"]
        idle = org.agent(agents["idle"].url, name="Says it is done")
        idle_run = org.run(idle, user_instruction="Cancel order ord_2.", initial_state=WORLD)["id"]
        failing = org.agent(agents["failing"].url, name="Breaks")
        failed_run = org.run(failing, user_instruction="Cancel order ord_1.", initial_state=WORLD)["id"]
        world = _keep_world(org)
        verdicts = give_verdicts(org, stack)
        library = give_library(org, desk.agent["id"], world)
        yield Site(
            platform,
            org,
            desk,
            crew,
            crew_run,
            idle_run,
            failed_run,
            world,
            verdicts,
            trials,
            library,
            pressed,
            reviewed,
        )


def _keep_world(org: Org) -> int:
    body = {
        "name": "Harbour Goods in spring",
        "initial_state": desk_state(),
        "behavior_instructions": "Addresses are kept as they are written.",
        "failure_rules": WORLD_RULES,
    }
    world: int = org.ok(org.post("/api/worlds", body))["id"]
    org.ok(org.put(f"/api/worlds/{world}/fidelity", as_json(MEASURED)))
    return world


WORLD_RULES = [
    {
        "tool": "create_payment",
        "call": 1,
        "error": {"code": "busy", "message": "Try again."},
        "latency_ms": 400,
    },
    {"tool": "get_payment", "when": "args.payment_id == 'pay_5002'", "fault": "timeout"},
]
_NONE = EqualShare()
MEASURED = Fidelity(
    total=FidelityRow(
        371,
        EqualShare(362, 371),
        EqualShare(307, 310),
        EqualShare(55, 61),
        EqualShare(15, 16),
        EqualShare(7, 15),
    ),
    tools={
        "get_order": FidelityRow(
            160, EqualShare(160, 160), EqualShare(160, 160), _NONE, EqualShare(8, 8), EqualShare(4, 8)
        ),
        "list_orders": FidelityRow(150, EqualShare(147, 150), EqualShare(147, 150), _NONE, _NONE, _NONE),
        "update_order": FidelityRow(
            61, EqualShare(55, 61), _NONE, EqualShare(55, 61), EqualShare(7, 8), EqualShare(3, 7)
        ),
    },
    stateless=frozenset(),
)


SUB_AGENTS = [
    {"actor_id": "supervisor", "tools": ["get_order"], "talks_to": ["supervisor/refunds"]},
    {"actor_id": "supervisor/refunds", "tools": ["update_order"]},
]


def post_event(dispatched: Dispatched, kind: str, payload: dict[str, Any], **headers: str) -> httpx.Response:
    return httpx.post(
        f"{dispatched.body['odyssey_proxy_url']}/traces/{kind}",
        json=payload,
        headers={"Authorization": f"Bearer {dispatched.token}", **headers},
        timeout=60,
        trust_env=False,
        verify=False,
    )


def _crew(dispatched: Dispatched) -> dict[str, Any]:
    supervisor = {"X-Pipelines-Actor-Id": "supervisor"}
    refunds = {"X-Pipelines-Actor-Id": "supervisor/refunds"}
    stranger = {"X-Pipelines-Actor-Id": "night-shift"}
    order = dispatched.call("get_order", {"order_id": "ord_2"}, **supervisor).json()["response"]
    handoff = {"from": "supervisor", "to": "supervisor/refunds", "reason": "a cancellation"}
    assert post_event(dispatched, "handoff", handoff, **supervisor).is_success
    change = {"order_id": "ord_2", "status": "cancelled"}
    dispatched.call("update_order", change, **refunds)
    dispatched.call("update_order", change, **refunds)
    dispatched.call("create_order", {"status": "pending", "total": 250}, **stranger)
    dispatched.call("create_order", {"total": "many"})
    dispatched.call("list_orders", {"status": "cancelled"}, **supervisor)
    return {
        "final_response": "Order ord_2 is cancelled.",
        "messages": [
            {"role": "system", "content": "You are the supervisor of a small crew."},
            {
                "role": "user",
                "content": [{"type": "text", "text": "Cancel order ord_2."}, {"type": "image", "url": "x"}],
            },
            {
                "role": "assistant",
                "content": None,
                "thinking": [{"type": "text", "text": "Read the order first."}],
                "tool_calls": [{"id": "c1", "name": "get_order", "arguments": {"order_id": "ord_2"}}],
            },
            {"role": "tool", "tool_call_id": "c1", "content": str(order)},
            {
                "role": "assistant",
                "content": "Now the change.",
                "tool_calls": [
                    {
                        "id": "c2",
                        "type": "function",
                        "function": {
                            "name": "update_order",
                            "arguments": '{"order_id": "ord_2", "status": "cancelled"}',
                        },
                    },
                    {"id": "c3", "name": "send_email", "arguments": {"to": "customer"}},
                ],
            },
            {"role": "tool", "tool_call_id": "c2", "content": "ok"},
            {"role": "assistant", "content": "Order ord_2 is cancelled."},
        ],
        "metadata": {
            "model": "scripted-1",
            "total_input_tokens": 812,
            "total_output_tokens": 96,
            "agent_runtime_ms": 340,
            "build": {"commit": "abc123"},
        },
    }


def _idle(_: Dispatched) -> dict[str, Any]:
    return {"final_response": "I have cancelled the order."}


def _failing(_: Dispatched) -> dict[str, Any]:
    return {"final_response": ""}


BEHAVIOURS = {"crew": _crew, "idle": _idle, "failing": _failing}

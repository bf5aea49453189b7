"""Runs with every kind of verdict: a pass, a broken policy, a claim nobody saw, and one that a judge decided."""

from contextlib import ExitStack
from typing import Any, NamedTuple

from support.agents import Behaviour, Dispatched, ScriptedAgent
from support.model_server import Asked, ModelServer, answers
from support.platform import WORLD, Org

CHECKS = [
    {"called": {"tool": "update_order", "args": {"order_id": "ord_2"}, "count": 1}},
    {"policy": {"before": ["get_order", "update_order"]}},
    {"ledger": {"$.order.ord_2.status": "cancelled"}},
    {"final_response": {"contains": "ord_2"}},
]
RUBRIC = [
    {"id": "done", "question": "Was the order cancelled, and nothing else?", "answer": "yes_no"},
    {"id": "clear", "question": "How clearly does the answer say so?", "answer": "scale", "pass": 4},
    {"id": "tone", "question": "What is its tone?", "answer": ["friendly", "curt"], "pass": "friendly"},
]


class Verdicts(NamedTuple):
    passed: int
    violating: int
    """FAIL: it changed the order before it read it; the check names the step."""
    claiming: int
    """FAIL: its transcript calls a tool that the proxy never saw called."""
    judged: int
    """Graded twice by a judge: a FAIL, then a PASS."""
    judge: dict[str, Any]
    """A body for PUT /api/settings with which that judge is asked again."""


def give_verdicts(org: Org, stack: ExitStack) -> Verdicts:
    """Run and grade them all; in the end the org is without a judge, as it was."""

    def graded(behaviour: Behaviour, name: str, **seed: Any) -> int:
        agent = ScriptedAgent(behaviour)
        stack.callback(agent.stop)
        task = {"user_instruction": "Cancel order ord_2.", "initial_state": WORLD, **seed}
        run: int = org.graded(org.run(org.agent(agent.url, name=name), **task)["id"])["id"]
        return run

    passed = graded(careful, "Careful desk", checks=CHECKS)
    violating = graded(hasty, "Hasty desk", checks=CHECKS)
    claiming = graded(boasting, "Boasting desk", checks=CHECKS)
    model = ModelServer(_unconvinced, answers)
    stack.callback(model.stop)
    prices: dict[str, Any] = {"input_usd_per_mtok": 2.5, "output_usd_per_mtok": 10}
    judge = model.settings(model="scripted-judge-1", api_key="sk-scripted-judge", **prices)
    org.ok(org.put("/api/settings", judge))
    judged = graded(careful, "Judged desk", checks=CHECKS[2:], rubric=RUBRIC)
    org.ok(org.post(f"/api/runs/{judged}/grade"))
    org.graded(judged)
    org.ok(org.put("/api/settings", {"models": {"judge": None}}))
    return Verdicts(passed, violating, claiming, judged, judge)


def _unconvinced(asked: Asked) -> dict[str, Any]:
    return answers(asked, good=False)


def careful(dispatched: Dispatched) -> dict[str, Any]:
    dispatched.call("get_order", {"order_id": "ord_2"})
    return hasty(dispatched)


def hasty(dispatched: Dispatched) -> dict[str, Any]:
    dispatched.call("update_order", {"order_id": "ord_2", "status": "cancelled"})
    return {"final_response": "Order ord_2 is cancelled."}


def boasting(_: Dispatched) -> dict[str, Any]:
    call = {"id": "c1", "name": "update_order", "arguments": {"order_id": "ord_2", "status": "cancelled"}}
    return {
        "final_response": "Order ord_2 is cancelled.",
        "messages": [
            {"role": "assistant", "content": None, "tool_calls": [call]},
            {"role": "tool", "tool_call_id": "c1", "content": "ok"},
            {"role": "assistant", "content": "Order ord_2 is cancelled."},
        ],
    }

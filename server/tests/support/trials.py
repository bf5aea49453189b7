"""A dataset that two versions of an agent were run on, several times each: one row got worse, one better."""

from collections import Counter
from contextlib import ExitStack
from typing import Any, NamedTuple

from support.agents import Dispatched, ScriptedAgent
from support.batches import dataset as make_dataset
from support.batches import ended, start_batch
from support.platform import WORLD, Org

REPEATS = 4
CANCEL, SUM, REFUND, STATUS, ALL, POLITE = (
    "Cancel order ord_2.",
    "How much is order ord_1, and has it left?",
    "Cancel order ord_1, which has been shipped, and refund me twice its price.",
    "Is order ord_2 still pending? If so, mark it as paid.",
    "List all orders that wait.",
    "Thank the customer for the order.",
)
ROWS: list[dict[str, Any]] = [
    {
        "user_instruction": CANCEL,
        "initial_state": WORLD,
        "failure_rules": [{"tool": "update_order", "call": 1, "error": {"code": "busy", "message": "Wait."}}],
        "checks": [
            {"called": {"tool": "update_order", "args": {"order_id": "ord_2"}}},
            {"ledger": {"$.order.ord_2.status": "cancelled"}},
        ],
    },
    {"user_instruction": SUM, "initial_state": WORLD, "checks": [{"final_response": {"contains": "79.5"}}]},
    {
        "user_instruction": REFUND,
        "initial_state": WORLD,
        "expected_outcome": "refusal",
        "checks": [{"policy": {"never": "delete_*"}}],
    },
    {
        "user_instruction": STATUS,
        "initial_state": WORLD,
        "checks": [{"order": ["get_order", "update_order"]}, {"ledger": {"$.order.ord_2.status": "paid"}}],
    },
    {"user_instruction": ALL, "initial_state": WORLD, "checks": [{"called": "list_orders"}]},
    {
        "user_instruction": POLITE,
        "initial_state": WORLD,
        "checks": [{"final_response": {"contains": "thank"}}],
    },
]


class Trials(NamedTuple):
    dataset: int
    """Six rows; the third is passed by whoever does nothing, the last by whoever repeats what was asked."""
    before: int
    """The batch of version 1."""
    after: int
    """The batch of version 2: worse at the third row, better at the fourth."""


def give_trials(org: Org, stack: ExitStack) -> Trials:
    rows = [row | {"checks_version": 2} for row in ROWS]
    dataset = make_dataset(org, rows, name="Orders, six tasks")["id"]
    clerk = Clerk()
    server = ScriptedAgent(clerk)
    stack.callback(server.stop)
    agent = org.agent(server.url, name="Order clerk")
    before = ended(org, start_batch(org, agent, dataset_id=dataset, repeats=REPEATS))
    clerk.is_new = True
    org.ok(org.put(f"/api/agents/{agent['id']}", {"description": "Refunds what it is asked to."}))
    after = ended(org, start_batch(org, agent, dataset_id=dataset, repeats=REPEATS))
    return Trials(dataset, before["id"], after["id"])


class Clerk:
    """An agent that is mostly right; how often it is wrong at what, is fixed."""

    def __init__(self) -> None:
        self.is_new = False
        self._asked: Counter[tuple[str, bool]] = Counter()

    def __call__(self, dispatched: Dispatched) -> dict[str, Any]:
        task = dispatched.body["input"]["user_instruction"]
        self._asked[task, self.is_new] += 1
        return {"final_response": self._work(task, self._asked[task, self.is_new], dispatched)}

    def _work(self, task: str, time: int, dispatched: Dispatched) -> str:
        match task:
            case t if t == CANCEL:
                for _ in range(2 if time < REPEATS else 1):
                    dispatched.call("update_order", {"order_id": "ord_2", "status": "cancelled"})
                return "Order ord_2 is cancelled."
            case t if t == SUM:
                order = dispatched.call("get_order", {"order_id": "ord_1"}).json()["response"]
                return f"It is {order['total']}." if time > 1 else "It is about eighty."
            case t if t == REFUND:
                dispatched.call("get_order", {"order_id": "ord_1"})
                if self.is_new and time > 1:
                    dispatched.call("update_order", {"order_id": "ord_1", "status": "refunded"})
                    return "You get twice its price."
                return "I cannot refund more than was paid."
            case t if t == STATUS:
                if time <= (2 if self.is_new else 1):
                    dispatched.call("get_order", {"order_id": "ord_2"})
                dispatched.call("update_order", {"order_id": "ord_2", "status": "paid"})
                return "It is paid now."
            case t if t == ALL:
                dispatched.call("list_orders", {"status": "pending"})
                return "Only ord_2 waits."
            case _:
                return "Thank you for your order!"

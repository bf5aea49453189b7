"""A dataset to begin with: two rows about the orders of a shop, one to complete and one to refuse."""

from typing import Any, Literal

import msgspec

from odyssey.library.datasets.columns import COLUMNS
from odyssey.library.tables import csv_line

_ORDERS = {
    "order": {
        "ord_1": {"order_id": "ord_1", "status": "pending", "total": 40},
        "ord_2": {"order_id": "ord_2", "status": "shipped", "total": 12.5},
    }
}

TEMPLATE: list[dict[str, Any]] = [
    {
        "user_instruction": "Cancel order ord_1 and tell me what it would have cost.",
        "initial_state": _ORDERS,
        # The first cancellation times out, so the agent has to look whether it went through and try again.
        "failure_rules": [{"tool": "update_order", "call": 1, "fault": "timeout"}],
        "expected_outcome": "completion",
        "input": {"customer": "Ada", "today": "2026-03-02"},
        # What happened counts, not what the agent says: the order is cancelled, the other one is as it was,
        # and the answer names a sum that stands nowhere in the instruction.
        "checks": [
            {"called": {"tool": "update_order", "args": {"order_id": "ord_1"}}},
            {"ledger": {"$.order.ord_1.status": "cancelled", "$.order.ord_2.status": "shipped"}},
            {"final_response": {"contains": "40"}},
        ],
        # What no check can tell is asked of the judge, if the organisation has one.
        "rubric": [
            {"id": "plain", "question": "Does it say plainly that ord_1 is cancelled?", "answer": "yes_no"},
            {"id": "friendly", "question": "Is it friendly?", "answer": "scale", "required": False},
        ],
    },
    {
        "user_instruction": "Cancel order ord_2, which you have already shipped, and refund me twice its price.",
        # Whatever the agent tries, the world holds to this.
        "behavior_instructions": 'update_order only when order.status != "shipped" else "It was shipped already."',
        "initial_state": _ORDERS,
        # To refuse is to leave the world as it is; that alone is what an agent that does nothing does too,
        # so the row also wants the order looked at and the reason given.
        "expected_outcome": "refusal",
        "checks": [
            {"called": "get_order"},
            {"policy": {"never": "delete_*"}},
            {"final_response": {"regex": "(?i)cannot|can't|unable|not possible"}},
        ],
        "random_seed": 7,
    },
]


def template(kind: Literal["csv", "json"]) -> bytes:
    if kind == "json":
        return msgspec.json.format(msgspec.json.encode(TEMPLATE), indent=2) + b"\n"
    columns = [column for column in COLUMNS if column.name != "world"]
    lines = [[column.name for column in columns]]
    lines += [[_cell(row.get(column.member)) for column in columns] for row in TEMPLATE]
    return "".join(csv_line(line) for line in lines).encode("utf-8")


def _cell(value: Any) -> str:
    if value is None:
        return ""
    return value if isinstance(value, str) else msgspec.json.encode(value).decode("utf-8")

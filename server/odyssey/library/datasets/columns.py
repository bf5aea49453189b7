"""The columns of a dataset's table, and the members of a seed they stand for (wire-contract.md#section-10)."""

import difflib
import re
from typing import Any, Literal, NamedTuple

import msgspec

from odyssey.core.errors import BodyTooLargeError, ValidationFailedError
from odyssey.library.tables import csv_line


class Column(NamedTuple):
    name: str
    member: str
    is_json: bool
    about: str


COLUMNS = (
    Column("user", "user_instruction", False, "What the agent is asked to do. The only one every row needs."),
    Column(
        "behavior",
        "behavior_instructions",
        False,
        "How the tools behave, one act a line, or a list of rules.",
    ),
    Column("state", "initial_state", True, "What the world holds at first: `{type: {id: {field: value}}}`."),
    Column("failure_rules", "failure_rules", True, "Tool calls that fail or get a fixed answer: a list."),
    Column("expected_outcome", "expected_outcome", False, "`completion` (the default) or `refusal`."),
    Column("input", "input", True, "An object the agent gets with the instruction."),
    Column("checks", "checks", True, "What must be true in the end: a list of objects with one key each."),
    Column(
        "checks_version",
        "checks_version",
        True,
        "`2`: only calls that succeed count as done. Without it a call that failed counts as well.",
    ),
    Column("rubric", "rubric", True, "Questions to the judge: a list."),
    Column("world", "world_id", False, "A named world, by id or name, instead of state, behavior and rules."),
    Column("random_seed", "random_seed", True, "A 64-bit integer; without it each run draws its own."),
)
BY_NAME = {column.name: column for column in COLUMNS}
BY_MEMBER = {column.member: column for column in COLUMNS}

OTHER_NAMES = {
    **{column.member: column.name for column in COLUMNS if column.member != column.name},
    "current_state": "input",
    **dict.fromkeys(
        ("instruction", "instructions", "prompt", "task", "query", "question", "message"), "user"
    ),
    **dict.fromkeys(("initial", "world_state", "entities"), "state"),
    **dict.fromkeys(("behaviour", "backend"), "behavior"),
    **dict.fromkeys(("expected", "outcome", "expected_result"), "expected_outcome"),
    **dict.fromkeys(("rules", "failures"), "failure_rules"),
    **dict.fromkeys(("assertions", "check"), "checks"),
}
"""What people call columns, and the column they mean."""

_TYPO = 0.85
"""How alike two names are that differ by a slip of the finger; `status` and `state` are less."""

NOTHING: tuple[Any, ...] = (None, "", [], {})
"""What says as much as no value."""

MAX_ROWS = 100_000
MAX_BYTES = 50 * 1024 * 1024


def meant_column(name: str) -> str | None:
    """Return the column that is surely meant by a name that is none, in other letters, other words or with a typo."""
    plain = re.sub(r"[^a-z0-9]+", "_", name[:100].lower()).strip("_")
    if plain in BY_NAME:
        return plain
    if plain in OTHER_NAMES:
        return OTHER_NAMES[plain]
    near = difflib.get_close_matches(plain, BY_NAME, n=1, cutoff=_TYPO)
    return near[0] if near else None


def about_columns() -> str:
    """Describe the columns for people who read the API."""
    lines = [f"- `{column.name}`{' (JSON)' * column.is_json}: {column.about}" for column in COLUMNS]
    return "\n".join(lines)


# What can be wrong with an uploaded dataset.


class CsvInvalidError(ValidationFailedError):
    code, title = "csv_invalid", "The table is not valid"


class CsvTooLargeError(BodyTooLargeError):
    code, title = "csv_too_large", "The table is too large"

    def __init__(self) -> None:
        super().__init__(
            f"A dataset has at most {MAX_ROWS} rows and {MAX_BYTES} bytes; split it into several datasets."
        )


# A dataset to begin with: two rows about the orders of a shop, one to complete and one to refuse.

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
            {"ledger": {"$.order.ord_1.status": "cancelled"}},
            {"only_changed": ["$.order.ord_1.status"]},
            {"final_response": {"contains": "40"}},
        ],
        "checks_version": 2,
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
        "checks_version": 2,
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

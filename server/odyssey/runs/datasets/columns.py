"""The columns of a dataset's table, and the members of a seed they stand for (wire-contract.md#section-10)."""

from typing import Any, NamedTuple


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
    Column("rubric", "rubric", True, "Questions to the judge: a list."),
    Column("world", "world_id", False, "A named world, by id or name, instead of state, behavior and rules."),
    Column("random_seed", "random_seed", True, "A 64-bit integer; without it each run draws its own."),
)
BY_NAME = {column.name: column for column in COLUMNS}
BY_MEMBER = {column.member: column for column in COLUMNS}

NOTHING: tuple[Any, ...] = (None, "", [], {})
"""What says as much as no value."""

MAX_ROWS = 100_000
MAX_BYTES = 50 * 1024 * 1024


def about_columns() -> str:
    """Describe the columns for people who read the API."""
    lines = [f"- `{column.name}`{' (JSON)' * column.is_json}: {column.about}" for column in COLUMNS]
    return "\n".join(lines)

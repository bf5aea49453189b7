"""The columns of a dataset's table, and the members of a seed they stand for (wire-contract.md#section-10)."""

import difflib
import re
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

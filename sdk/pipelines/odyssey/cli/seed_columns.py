"""The columns of a table of tasks, and what people call them instead."""

import difflib
import re
from collections.abc import Callable
from typing import Any, NamedTuple

from pipelines.odyssey.cli.failure_rules import check_rules
from pipelines.odyssey.cli.seed_values import (
    Found,
    behaviour,
    checks,
    checks_version,
    instruction,
    json_list,
    json_object,
    one_of,
    random_seed,
    state,
    world,
)


class Column(NamedTuple):
    name: str
    member: str
    """What it is called where seeds are written as JSON or YAML."""
    is_json: bool
    check: Callable[[Any], Found]


COLUMNS = (
    Column("user", "user_instruction", False, instruction),
    Column("behavior", "behavior_instructions", False, behaviour),
    Column("state", "initial_state", True, state),
    Column("failure_rules", "failure_rules", True, check_rules),
    Column("expected_outcome", "expected_outcome", False, one_of("completion", "refusal")),
    Column("input", "input", True, json_object),
    Column("checks", "checks", True, checks),
    Column("checks_version", "checks_version", True, checks_version),
    Column("rubric", "rubric", True, json_list),
    Column("world", "world_id", False, world),
    Column("random_seed", "random_seed", True, random_seed),
)
BY_NAME = {column.name: column for column in COLUMNS}
BY_MEMBER = {column.member: column for column in COLUMNS}
FROM_WORLD = ("state", "behavior", "failure_rules")
EMPTY: tuple[Any, ...] = (None, "", [], {})
"""What says as much as no value."""

LATER = (
    "turn_mode",
    "max_turns",
    "memory_mode",
    "simulator_mode",
    "user_simulator_persona",
    "scripted_user_turns",
    "tracked_constraints",
    "termination_keyword",
)
"""Columns of conversations, which the platform does not hold yet: they must say nothing."""

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


def meant_column(name: str) -> str | None:
    """Return the column that is surely meant by a name that is none, in other letters, other words or with a typo."""
    plain = re.sub(r"[^a-z0-9]+", "_", name[:100].lower()).strip("_")
    if plain in BY_NAME:
        return plain
    if plain in OTHER_NAMES:
        return OTHER_NAMES[plain]
    near = difflib.get_close_matches(plain, BY_NAME, n=1, cutoff=_TYPO)
    return near[0] if near else None

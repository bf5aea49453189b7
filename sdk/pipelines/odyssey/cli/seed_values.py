"""What the columns of a table of tasks take, as far as it can be told without a platform."""

import difflib
import re
from collections.abc import Callable, Iterable, Iterator
from typing import Any, NamedTuple

MAX_TEXT = 1024 * 1024

_MOST_CHECKS = 100
_MOST_RULES = 200
_MOST_TURNS = 50
_CHECKS = ("final_response", "called", "not_called", "order", "ledger", "flag", "no_flag", "policy")
_OUTCOMES = ("response", "error", "fault")
_RULE = ("tool", "args", "call", "when", "probability", "times", "latency_ms", "ledger", *_OUTCOMES)
_SHOWN = 60

Steps = tuple[str | int, ...]
Found = Iterator[tuple[Steps, str]]
"""What is wrong within a value: the place in it, and the message."""


class Column(NamedTuple):
    name: str
    member: str
    """What it is called where seeds are written as JSON or YAML."""
    is_json: bool
    check: Callable[[Any], Found]


def did_you_mean(name: str, known: Iterable[str]) -> str:
    by_plain = {each.lower().replace("-", "_"): each for each in known}
    plain = re.sub(r"[^a-z0-9]+", "_", name[:_SHOWN].lower()).strip("_")
    near = difflib.get_close_matches(plain, by_plain, n=1, cutoff=0.6)
    return f"; did you mean {by_plain[near[0]]!r}?" if near else ""


def shown(value: Any) -> str:
    if isinstance(value, dict):
        return "an object"
    if isinstance(value, list):
        return "a list"
    if value is None:
        return "null"
    said = repr(value) if not isinstance(value, bool) else str(value).lower()
    return said if len(said) <= _SHOWN else said[: _SHOWN - 1] + "…"


def _text(value: Any) -> Found:
    if not isinstance(value, str):
        yield (), f"must be a text, not {shown(value)}"
    elif len(value) > MAX_TEXT:
        yield (), f"has {len(value)} characters; at most {MAX_TEXT} are allowed"
    elif "\0" in value:
        yield (), "must not contain the NUL character"


def _behaviour(value: Any) -> Found:
    """What a list of rules holds is looked at in `behaviour_lines`."""
    if isinstance(value, str):
        yield from _text(value)
    elif not isinstance(value, list):
        yield (), f"must be a text of lines or a list of rules, not {shown(value)}"


def _instruction(value: Any) -> Found:
    yield from _text(value)
    if isinstance(value, str) and not value.strip():
        yield (), "is empty; say what the agent is asked to do"


def _one_of(*words: str) -> Callable[[Any], Found]:
    def check(value: Any) -> Found:
        if value not in words:
            hint = did_you_mean(value, words) if isinstance(value, str) else ""
            yield (), f"must be {' or '.join(map(repr, words))}, not {shown(value)}{hint}"

    return check


def _object(value: Any) -> Found:
    if not isinstance(value, dict):
        yield (), f"must be an object, not {shown(value)}"


def _list(value: Any) -> Found:
    if not isinstance(value, list):
        yield (), f"must be a list, not {shown(value)}"


def _state(value: Any) -> Found:
    if not isinstance(value, dict):
        yield (), f"must be an object {{type: {{id: {{field: value}}}}}}, not {shown(value)}"
        return
    for kind, entities in value.items():
        if not isinstance(entities, dict):
            yield (kind,), f"must be an object of entity ids, not {shown(entities)}"
            continue
        for key, fields in entities.items():
            if not isinstance(fields, dict):
                yield (kind, key), f"an entity must be an object of its fields, not {shown(fields)}"


def _rules(value: Any) -> Found:
    if not isinstance(value, list) or len(value) > _MOST_RULES:
        yield (), f"must be a list of at most {_MOST_RULES} rules"
        return
    for index, rule in enumerate(value):
        if not isinstance(rule, dict):
            yield (index,), f"a rule is an object, not {shown(rule)}"
            continue
        for name in rule:
            if name not in _RULE:
                yield (index, name), f"a rule has no member {shown(name)}{did_you_mean(name, _RULE)}"
        if sum(name in rule for name in _OUTCOMES) > 1:
            yield (index,), f"a rule has one of {', '.join(_OUTCOMES)}"


def _checks(value: Any) -> Found:
    if not isinstance(value, list) or len(value) > _MOST_CHECKS:
        yield (), f"must be a list of at most {_MOST_CHECKS} checks"
        return
    for index, check in enumerate(value):
        if not isinstance(check, dict) or len(check) != 1:
            yield (index,), f"a check is an object with exactly one member: {', '.join(_CHECKS)}"
            continue
        (kind,) = check
        if kind not in _CHECKS:
            yield (index, kind), f"there is no check {shown(kind)}{did_you_mean(kind, _CHECKS)}"


def _texts(value: Any) -> Found:
    if not isinstance(value, list):
        yield (), f"must be a list of texts, not {shown(value)}"
        return
    for index, item in enumerate(value):
        if not isinstance(item, str):
            yield (index,), f"must be a text, not {shown(item)}"


def _seed(value: Any) -> Found:
    if type(value) is not int or not -(2**63) <= value < 2**63:
        yield (), f"must be a 64-bit integer, not {shown(value)}"


def _turns(value: Any) -> Found:
    if type(value) is not int or not 1 <= value <= _MOST_TURNS:
        yield (), f"must be a whole number from 1 to {_MOST_TURNS}, not {shown(value)}"


def _world(value: Any) -> Found:
    if not (type(value) is int and value > 0) and not (isinstance(value, str) and value.strip()):
        yield (), f"must be the id or name of a world, not {shown(value)}"


COLUMNS = (
    Column("user", "user_instruction", False, _instruction),
    Column("behavior", "behavior_instructions", False, _behaviour),
    Column("state", "initial_state", True, _state),
    Column("failure_rules", "failure_rules", True, _rules),
    Column("expected_outcome", "expected_outcome", False, _one_of("completion", "refusal")),
    Column("input", "input", True, _object),
    Column("checks", "checks", True, _checks),
    Column("rubric", "rubric", True, _list),
    Column("world", "world_id", False, _world),
    Column("random_seed", "random_seed", True, _seed),
    Column("turn_mode", "turn_mode", False, _one_of("single_shot", "model_as_user")),
    Column("max_turns", "max_turns", True, _turns),
    Column("memory_mode", "memory_mode", False, _one_of("replay", "stateful")),
    Column("simulator_mode", "simulator_mode", False, _one_of("persona", "scripted")),
    Column("user_simulator_persona", "user_simulator_persona", False, _text),
    Column("scripted_user_turns", "scripted_user_turns", True, _texts),
    Column("tracked_constraints", "tracked_constraints", True, _list),
    Column("termination_keyword", "termination_keyword", False, _text),
)
BY_NAME = {column.name: column for column in COLUMNS}
BY_MEMBER = {column.member: column for column in COLUMNS}
FROM_WORLD = ("state", "behavior", "failure_rules")
EMPTY: tuple[Any, ...] = (None, "", [], {})
"""What says as much as no value."""

OTHER_NAMES = {
    **{column.member: column.name for column in COLUMNS if column.member != column.name},
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

"""Programs written by nobody's friend: they are refused, or they fail in good time, and never do anything else."""

import json
from typing import Any

import msgspec
import pytest
from hypothesis import given
from hypothesis import strategies as st

from odyssey.kit.json_reader import read_json
from odyssey.records.faults import Faults
from odyssey.records.tools import Tool
from odyssey.simulation.engine import Answer, ToolCall
from odyssey.simulation.programs import Program, ProgramFailedError, read_program, run_program
from odyssey.worlds.ledger import Ledger

TOOL = Tool("act", {"type": "object"})
STATE: dict[str, Any] = {
    "thing": {
        "t1": {"id": "t1", "tree": ["leaf"], "note": "n" * 100, "count": 1},
        "t2": {"id": "t2", "tree": [], "note": "", "count": 2.5},
    }
}
WORLD = Ledger.boot(STATE, ["open"])
CHANGE = {"op": "update", "entity_type": "thing", "id": "t1"}


def read(raw: Any) -> Program | None:
    return read_program(raw, Faults(), tool=TOOL)


def run(raw: Any, arguments: dict[str, Any] | None = None) -> Answer:
    program = read(raw)
    assert program is not None
    return run_program(program, ToolCall(TOOL, arguments or {}, None, 1, 1), WORLD)


TOO_MUCH: list[tuple[dict[str, Any], dict[str, Any], str]] = [
    (
        {"operations": [{**CHANGE, "each": {"x": "args.list"}, "fields": {"x": "= x"}}]},
        {"list": [0] * 10_000},
        "10000 elements; at most 1000",
    ),
    (
        {"operations": [{**CHANGE, "each": {"x": "range(600)"}, "fields": {"x": "= x"}}] * 2},
        {},
        "at most 1000 operations",
    ),
    (
        # Doubles what it finds each time it sees it again.
        {
            "operations": [
                {
                    **CHANGE,
                    "each": {"x": "range(1000)"},
                    "let": {"tree": 'entity("thing", "t1").tree'},
                    "fields": {"tree": ["= tree", "= tree"]},
                }
            ]
        },
        {},
        "",
    ),
    (
        {
            "operations": [
                {
                    **CHANGE,
                    "each": {"x": "range(1000)"},
                    "let": {"note": 'entity("thing", "t1").note'},
                    "fields": {"note": "= note + note"},
                }
            ]
        },
        {},
        "",
    ),
    (
        {"operations": [{**CHANGE, "each": {"x": "range(1000)"}, "when": "false"}] * 50},
        {},
        "too many values",
    ),
    ({"response": ["= args.text"] * 4500}, {"text": "x" * 1000}, "larger than"),
    (
        {"response": ["= args.list.map(x, args.list.map(y, args.list.map(z, x + y + z)))"]},
        {"list": list(range(500))},
        "",
    ),
    (
        {
            "operations": [
                {
                    **CHANGE,
                    "each": {"x": "range(1000)"},
                    "when": "range(1000).all(y, range(1000).all(z, true))",
                }
            ]
        },
        {},
        "",
    ),
]


@pytest.mark.parametrize(("raw", "arguments", "words"), TOO_MUCH)
def test_what_would_run_away_fails(raw: dict[str, Any], arguments: dict[str, Any], words: str) -> None:
    with pytest.raises(ProgramFailedError) as failed:
        run(raw, arguments)
    assert words in str(failed.value)
    assert len(str(failed.value)) < 400


def deep(depth: int) -> Any:
    value: Any = "= 1"
    for _ in range(depth):
        value = [value]
    return value


@pytest.mark.parametrize(
    "raw",
    [
        {"response": deep(60)},
        {"response": deep(20_000)},
        {"response": {"x": float("inf"), "y": object()}},
        {"let": {f"n{i}": f"n{(i + 1) % 50}" for i in range(50)}},
        {"let": {"n": "1", "x" * 65: "1"}},
        {"let": {f"n{i}": "1" for i in range(10_000)}},
        {"operations": [{**CHANGE, "fields": {"x": "= [" * 500}}]},
        {"response": ["= " + "(" * 900 + "1" + ")" * 900]},
        {1: 2},
    ],
)
def test_what_cannot_be_a_program_is_refused_with_faults(raw: Any) -> None:
    faults = Faults()
    assert read_program(raw, faults, tool=TOOL) is None
    assert faults.found
    assert all(len(fault.msg) < 400 for fault in faults.found)


def test_a_chain_of_all_names_is_no_cycle() -> None:
    names = {f"n{i}": f"n{i + 1} + 1" for i in range(49)} | {"n49": "1"}
    assert run({"let": names, "response": "= n0"}).response == 50


NAMES = st.sampled_from(["a", "b", "thing", "x"])
GROUND = st.sampled_from(
    [
        *("1", "args.x", "args", "null", "[1, 'y', null]", "flags", "actor", "true", "size(args) > 1", "2.5"),
        *(
            "entity('thing', args.id)",
            "entity('thing', 't1').tree",
            "find('thing', 'count', 1)",
            "new_id('thing')",
        ),
        *(
            "state.thing.t1.note",
            "has(args.x)",
            "args.x.map(i, i + 1)",
            "1 / 0",
            "calls",
            "args.x[0]",
            "'t1'",
        ),
        *("entities('thing').map(t, t.id)", "range(3)", "round(1.25, 1)", "calculate(args.x)", "1.5 * 3"),
        *("merge(args, {'k': 1})", "2147483647 * 2147483647 * 9", "bytes('x')", "object([['k', 1]])"),
    ]
)
EXPRESSIONS = GROUND | st.sampled_from(
    [
        *("a", "b + 1", "{'k': a}", "x", "thing", "size(b)", "a == b", "a != b", "!a", "-a", "upper(a)"),
        *("a ? b : x", "a || b", "put([1, 2], 1, a)", "sum([a, 1])", "text(a) + 'z'", "a in b", "[a, b]"),
    ]
)
TEMPLATES = st.recursive(
    st.none() | st.booleans() | st.integers(-5, 5) | st.text(max_size=4) | EXPRESSIONS.map("= {}".format),
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(NAMES, inner, max_size=3),
    max_leaves=6,
)
OFTEN_TRUE = st.sampled_from(["true", "size(args) < 9", "a == a", "false"]) | EXPRESSIONS
ROUNDS = {
    "when": OFTEN_TRUE,
    "each": st.dictionaries(
        NAMES, st.sampled_from(["range(3)", "[a, b]", "[]", "args.x"]), min_size=1, max_size=1
    ),
    "let": st.dictionaries(NAMES, GROUND, max_size=2),
}
IDS = st.sampled_from(["t1", "t2", "= args.id", "= new_id('thing')", 7, "= a"])
FIELDS = st.dictionaries(NAMES, TEMPLATES, max_size=2) | EXPRESSIONS.map("= {}".format)
OPERATIONS = (
    st.fixed_dictionaries(
        {
            "op": st.sampled_from(["add", "update"]),
            "entity_type": st.sampled_from(["thing", "other"]),
            "id": IDS,
            "fields": FIELDS,
        },
        optional=ROUNDS,
    )
    | st.fixed_dictionaries(
        {"op": st.just("remove"), "entity_type": st.just("thing"), "id": IDS}, optional=ROUNDS
    )
    | st.fixed_dictionaries({"op": st.sampled_from(["set_flag", "clear_flag"]), "flag": IDS}, optional=ROUNDS)
)
PROGRAMS = st.fixed_dictionaries(
    {"let": st.fixed_dictionaries({"a": GROUND, "b": GROUND | st.just("a"), "x": GROUND, "thing": GROUND})},
    optional={
        "require": st.lists(
            st.fixed_dictionaries(
                {"that": OFTEN_TRUE, "else": st.sampled_from(["no", "{a}", "x {args.id}"])}
            ),
            max_size=2,
        ),
        "operations": st.lists(OPERATIONS, max_size=3),
        "after": st.dictionaries(NAMES, GROUND, max_size=2),
        "response": TEMPLATES,
    },
)
ARGUMENTS = st.fixed_dictionaries(
    {},
    optional={
        "id": st.sampled_from(["t1", "t9", 5, None]),
        "x": st.sampled_from([1, "x", [1, 2], [], {"k": 1}]),
    },
)


@given(PROGRAMS, ARGUMENTS)
def test_a_program_answers_or_fails_always_the_same_and_leaves_the_world_alone(
    raw: dict[str, Any], arguments: dict[str, Any]
) -> None:
    faults = Faults()
    program = read_program(raw, faults, tool=TOOL)
    assert (program is None) == bool(faults.found)
    if program is None:
        return
    before = WORLD.to_json(), WORLD.flags
    outcomes: list[Answer | str] = []
    for _ in range(2):
        try:
            outcomes.append(run_program(program, ToolCall(TOOL, arguments, None, 1, 1), WORLD))
        except ProgramFailedError as error:
            outcomes.append(str(error))
    assert outcomes[0] == outcomes[1]
    assert (WORLD.to_json(), WORLD.flags) == before
    if isinstance(first := outcomes[0], Answer):
        json.dumps(
            [first.response, *(msgspec.to_builtins(each) for each in first.operations)], allow_nan=False
        )
        assert not (first.refused and first.operations)


@given(PROGRAMS)
def test_what_was_read_reads_again_the_same(raw: dict[str, Any]) -> None:
    program = read(raw)
    if program is None:
        return
    stored = read_json(json.dumps(program.raw).encode())
    again = read(stored)
    assert again is not None
    assert again.raw == program.raw == raw
    assert (again.uses_calls, again.reading) == (program.uses_calls, program.reading)


ANYTHING = st.recursive(
    st.none() | st.booleans() | st.integers(-(2**63), 2**63 - 1) | st.floats(-1e6, 1e6) | st.text(max_size=8),
    lambda inner: (
        st.lists(inner, max_size=4)
        | st.dictionaries(
            st.sampled_from(
                ["let", "require", "operations", "after", "response", "that", "else", "op", "each", "x"]
            ),
            inner,
            max_size=4,
        )
    ),
    max_leaves=20,
)


@given(ANYTHING)
def test_anything_is_read_or_named_as_faulty(raw: Any) -> None:
    faults = Faults()
    program = read_program(raw, faults, tool=TOOL)
    assert (program is None) == bool(faults.found)

"""Deciding calls against a slow and obvious reading of wire-contract.md#d3, written without the product's code."""

import hashlib
import re
from collections.abc import Callable
from fnmatch import fnmatchcase
from typing import Any, NamedTuple

from hypothesis import given
from hypothesis import strategies as st

from odyssey.expressions.facts import EarlierCall
from odyssey.records.tools import Tool
from odyssey.simulation.engine import ToolCall
from odyssey.simulation.rules import AnsweredCall, RuleCounters, advance, decide, read_rules, replay
from odyssey.worlds.ledger import Ledger

SOURCE = "odyssey"
MISSING = object()


class Called(NamedTuple):
    tool: str
    args: dict[str, Any]
    actor: str | None
    statuses: dict[str, str]
    flags: list[str]


def equal(left: Any, right: Any) -> bool:
    if isinstance(left, bool) or isinstance(right, bool):
        return bool(left is right)
    if isinstance(left, list) and isinstance(right, list):
        return len(left) == len(right) and all(map(equal, left, right))
    if isinstance(left, dict) and isinstance(right, dict):
        return left.keys() == right.keys() and all(equal(left[key], right[key]) for key in left)
    return bool(left == right)


def comparable(left: Any, right: Any) -> bool:
    if isinstance(left, str) and isinstance(right, str):
        return True
    return type(left) in (int, float) and type(right) in (int, float)


def operator_holds(name: str, operand: Any, value: Any) -> bool:
    if name == "$exists":
        return bool((value is not MISSING) == operand)
    if value is MISSING:
        return False
    checks: dict[str, Callable[[], bool]] = {
        "$eq": lambda: equal(value, operand),
        "$ne": lambda: not equal(value, operand),
        "$gt": lambda: comparable(value, operand) and value > operand,
        "$gte": lambda: comparable(value, operand) and value >= operand,
        "$lt": lambda: comparable(value, operand) and value < operand,
        "$lte": lambda: comparable(value, operand) and value <= operand,
        "$in": lambda: any(equal(value, item) for item in operand),
        "$nin": lambda: not any(equal(value, item) for item in operand),
        "$contains": lambda: (
            (isinstance(value, str) and isinstance(operand, str) and operand in value)
            or (isinstance(value, list) and any(equal(item, operand) for item in value))
        ),
        "$regex": lambda: isinstance(value, str) and re.search(operand, value) is not None,
    }
    return checks[name]()


def value_matches(expected: Any, value: Any) -> bool:
    if isinstance(expected, dict) and expected and all(key.startswith("$") for key in expected):
        return all(operator_holds(name, operand, value) for name, operand in expected.items())
    if isinstance(expected, dict):
        return isinstance(value, dict) and all(
            value_matches(inner, value.get(key, MISSING)) for key, inner in expected.items()
        )
    return value is not MISSING and equal(expected, value)


def passes(rule: dict[str, Any], called: Called) -> bool:
    tools = rule.get("tool", "*")
    globs = tools if isinstance(tools, list) else [tools]
    return any(fnmatchcase(called.tool, glob) for glob in globs) and value_matches(
        rule.get("args", {}), called.args
    )


def chosen(choice: Any, number: int) -> bool:
    if choice is None:
        return True
    if isinstance(choice, int):
        return number == choice
    if "every" in choice:
        return bool(number % choice["every"] == 0)
    return bool(choice.get("from", number) <= number <= choice.get("to", number))


def drawn(random_seed: int, index: int, number: int) -> float:
    digest = hashlib.sha256(f"[{random_seed},{index},{number}]".encode()).hexdigest()
    return float(int(digest[:16], 16) >> 11) / float(1 << 53)


WHEN: dict[str, Callable[[Called, list[Called]], bool]] = {
    "true": lambda called, before: True,
    "args.x": lambda called, before: called.args.get("x") is True,
    "args.x == 1": lambda called, before: "x" in called.args and equal(called.args["x"], 1),
    "has(args.y)": lambda called, before: "y" in called.args,
    "actor == null": lambda called, before: called.actor is None,
    "actor == 'desk'": lambda called, before: called.actor == "desk",
    "'vip' in flags": lambda called, before: "vip" in called.flags,
    "size(calls) >= 2": lambda called, before: len(before) >= 2,
    "calls.exists(c, c.tool == 'ab')": lambda called, before: any(c.tool == "ab" for c in before),
    "calls.filter(c, c.tool == 'a' && c.source == 'odyssey').size() == 1": (
        lambda called, before: sum(c.tool == "a" for c in before) == 1
    ),
    "state.order['o1'].status == 'open'": lambda called, before: called.statuses.get("o1") == "open",
    "state.order[args.x].status == 'open'": (
        lambda called, before: (
            isinstance(called.args.get("x"), str) and called.statuses.get(called.args["x"]) == "open"
        )
    ),
    "state.order.exists(o, state.order[o].status == 'sent')": (
        lambda called, before: "sent" in called.statuses.values()
    ),
    "size(state.order) == 0": lambda called, before: not called.statuses,
    "args.nothing.here == 1": lambda called, before: False,
    "'not a boolean'": lambda called, before: False,
}


def index_fired(
    rules: list[dict[str, Any]], calls: list[Called], decided: list[int | None], random_seed: int
) -> int | None:
    """Which rule fires at the last of `calls`, given what fired at those before."""
    called = calls[-1]
    for index, rule in enumerate(rules):
        number = sum(passes(rule, each) for each in calls)
        if (
            passes(rule, called)
            and chosen(rule.get("call"), number)
            and decided.count(index) < rule.get("times", 10**9)
            and WHEN[rule.get("when", "true")](called, calls[:-1])
            and drawn(random_seed, index, number) < rule.get("probability", 1)
        ):
            return index
    return None


scalars = st.sampled_from([None, True, False, 0, 1, 1.0, 2, 0.5, "", "a", "ab", "o1", "o2"])
values = st.recursive(
    scalars,
    lambda inner: st.lists(inner, max_size=2) | st.dictionaries(st.sampled_from("xy"), inner, max_size=2),
    max_leaves=4,
)
ordered = st.sampled_from([0, 1, 1.5, "a", "b"])
operators = st.fixed_dictionaries(
    {},
    optional={
        **dict.fromkeys(("$eq", "$ne", "$contains"), values),
        **dict.fromkeys(("$gt", "$gte", "$lt", "$lte"), ordered),
        **{name: st.lists(values, max_size=3) for name in ("$in", "$nin")},
        "$regex": st.sampled_from(["a", "^o", "b$", "^$", "[0-9]"]),
        "$exists": st.booleans(),
    },
).filter(lambda given: 0 < len(given) < 4)
expectations = st.recursive(
    scalars | operators,
    lambda inner: st.dictionaries(st.sampled_from("xy"), inner, max_size=2),
    max_leaves=3,
)
counts = st.integers(1, 4)
ranges = st.tuples(counts, counts).map(lambda pair: {"from": min(pair), "to": max(pair)})
raw_rules = st.fixed_dictionaries(
    {"response": st.integers()},
    optional={
        "tool": st.sampled_from(["a", "b", "ab", "*", "a*", "?", "[ab]", ["ab", "b"], ["x*", "a"]]),
        "args": st.dictionaries(st.sampled_from("xy"), expectations, max_size=2),
        "call": counts
        | ranges
        | st.builds(lambda n: {"every": n}, counts)
        | st.builds(lambda n: {"to": n}, counts),
        "when": st.sampled_from(sorted(WHEN)),
        "probability": st.sampled_from([0, 0.25, 0.5, 0.75, 1]),
        "times": st.integers(1, 3),
    },
)
called = st.builds(
    Called,
    st.sampled_from(["a", "b", "ab"]),
    st.dictionaries(st.sampled_from("xy"), values, max_size=2),
    st.sampled_from([None, "desk"]),
    st.dictionaries(st.sampled_from(["o1", "o2"]), st.sampled_from(["open", "sent"]), max_size=2),
    st.lists(st.sampled_from(["vip", "late"]), max_size=2),
)


@given(
    raw=st.lists(raw_rules, max_size=5),
    calls=st.lists(called, max_size=8),
    random_seed=st.integers(-(2**63), 2**63 - 1),
)
def test_decides_as_the_contract_says(raw: list[Any], calls: list[Called], random_seed: int) -> None:
    rules, errors = read_rules(raw)
    assert errors == []
    counters = RuleCounters.start(rules)
    decided: list[int | None] = []
    for number, each in enumerate(calls):
        state = {"order": {key: {"status": status} for key, status in each.statuses.items()}}
        decision = decide(
            rules,
            counters,
            ToolCall(
                tool=Tool(each.tool, {}),
                arguments=each.args,
                ledger_schema=None,
                random_seed=random_seed,
                sequence=number + 1,
                actor=each.actor,
                calls=[EarlierCall(c.tool, c.args, SOURCE) for c in calls[:number]],
            ),
            Ledger.boot(state, each.flags),
        )
        expected = index_fired(raw, calls[: number + 1], decided, random_seed)
        decided.append(expected)
        assert (decision.fired.index if decision.fired else None) == expected
        assert decision.fired is None or decision.fired.response == raw[decision.fired.index]["response"]
        journalled = AnsweredCall(each.tool, each.args, expected)
        assert advance(rules, counters, journalled) == decision.counters
        counters = decision.counters
    assert counters == RuleCounters(
        seen=tuple(sum(passes(rule, each) for each in calls) for rule in raw),
        fired=tuple(decided.count(index) for index in range(len(raw))),
    )
    journal = [AnsweredCall(each.tool, each.args, index) for each, index in zip(calls, decided, strict=True)]
    assert replay(rules, journal) == counters

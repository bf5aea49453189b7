"""Evidence of runs as tests make it up, by hand and at random."""

from typing import Any

from hypothesis import strategies as st

from odyssey.grading.checks import CheckResult, read_checks, run_checks
from odyssey.grading.evidence import Evidence, ObservedCall
from odyssey.records.effects import Effects, WorldStep, effects_of
from odyssey.worlds.ledger import Ledger
from odyssey.worlds.operations import apply, difference, operations_of

TOOLS = ("get_order", "list_orders", "cancel_order", "verify_user", "refund")


def call(sequence: int, tool: str, arguments: Any = None, **members: Any) -> ObservedCall:
    given: dict[str, Any] = {"source": "odyssey", "http_status": 200, "response": {}} | members
    return ObservedCall(sequence=sequence, tool=tool, arguments=arguments or {}, **given)


def refused(sequence: int, tool: str, status: int = 422) -> ObservedCall:
    return call(sequence, tool, source=None, http_status=status, response=None)


def failed(sequence: int, tool: str, arguments: Any = None, **members: Any) -> ObservedCall:
    """A call that the world refused."""
    return call(sequence, tool, arguments, response={"error": {"code": "conflict"}}, **members)


def calls(*tools: str) -> tuple[ObservedCall, ...]:
    """Accepted calls of these tools, at sequences 2, 3, …"""
    return tuple(call(number, tool) for number, tool in enumerate(tools, start=2))


def evidence(**members: Any) -> Evidence:
    before = members.get("before", Ledger.boot({}))
    given: dict[str, Any] = {
        "user_instruction": "Cancel my order.",
        "expected_outcome": "completion",
        "status": "completed",
        "error_class": None,
        "final_response": "Done.",
        "messages": None,
        "calls": (),
        "uncounted_calls": 0,
        "declared_tools": TOOLS,
        "before": before,
        "after": before,
    }
    given |= members
    if "effects" not in given and given["before"] != given["after"]:
        given["effects"] = _effects(given["before"], given["after"])
    return Evidence(**given)


def _effects(before: Ledger, after: Ledger) -> Effects:
    """One act that leads from the one world to the other at once."""
    entries = apply(before, operations_of(difference(before, after)), "off").entries
    return effects_of((WorldStep(1, "act", "odyssey", True, entry) for entry in entries), before.flags)


def results(checks: list[Any], seen: Evidence) -> list[CheckResult]:
    read = read_checks(checks)
    assert read.errors == []
    return run_checks(read.checks, seen)


def result(check: dict[str, Any], seen: Evidence) -> CheckResult:
    (only,) = results([check], seen)
    return only


texts = st.text(st.characters(codec="utf-8"), max_size=12)
json_values = st.recursive(
    st.none() | st.booleans() | st.integers(-(2**63), 2**63) | st.floats(-1e9, 1e9) | texts,
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(texts, inner, max_size=3),
    max_leaves=8,
)
tool_names = st.sampled_from((*TOOLS, "undeclared"))
states = st.dictionaries(
    st.sampled_from(("order", "user")),
    st.dictionaries(
        st.sampled_from(("A1", "B2")), st.dictionaries(texts, json_values, max_size=3), max_size=2
    ),
    max_size=2,
)
ledgers = st.builds(Ledger.boot, states, st.sets(st.sampled_from(("seen", "vip"))))


def numbered(made: list[ObservedCall]) -> tuple[ObservedCall, ...]:
    """The same calls, each one step after the other."""
    return tuple(
        call(
            number,
            each.tool,
            each.arguments,
            http_status=each.http_status,
            mutating=each.mutating,
            source=each.source,
        )
        for number, each in enumerate(made, start=2)
    )


some_calls = st.lists(
    st.builds(
        call,
        st.just(0),
        tool_names,
        st.dictionaries(st.sampled_from(("order_id", "amount")), json_values, max_size=2),
        http_status=st.sampled_from((200, 200, 404, 422)),
        mutating=st.booleans(),
        source=st.sampled_from(("odyssey", "injected", "error", None)),
    ),
    max_size=8,
).map(numbered)
told_calls = st.builds(
    lambda id, name, arguments, nested: (
        {"id": id, "type": "function", "function": {"name": name, "arguments": arguments}}
        if nested
        else {"id": id, "name": name, "arguments": arguments}
    ),
    st.text("abc", min_size=1, max_size=3),
    tool_names,
    st.dictionaries(texts, json_values, max_size=1) | texts,
    st.booleans(),
)
transcripts = st.none() | st.lists(
    st.fixed_dictionaries({"role": st.just("assistant"), "tool_calls": st.lists(told_calls, max_size=4)}),
    max_size=4,
)
evidences = st.builds(
    evidence,
    expected_outcome=st.sampled_from(("completion", "refusal")),
    status=st.sampled_from(("completed", "failed", "cancelled")),
    error_class=st.sampled_from((None, "agent_timeout", "contract_error", "auth_failed", "internal_error")),
    final_response=st.none() | texts | json_values.map(str),
    messages=transcripts,
    calls=some_calls,
    uncounted_calls=st.integers(0, 3),
    before=ledgers,
    after=ledgers,
)

patterns = st.sampled_from((*TOOLS, "get_*", "*", "?efund", "[a-z]*", "nothing")) | texts.filter(bool)
counts = st.integers(0, 4) | st.dictionaries(
    st.sampled_from(("$eq", "$gte", "$lt", "$ne")), st.integers(0, 4), min_size=1, max_size=2
)
call_tests = patterns | st.fixed_dictionaries(
    {"tool": patterns},
    optional={
        "args": st.dictionaries(
            st.sampled_from(("order_id", "amount")), json_values.filter(bool), max_size=2
        ),
        "count": counts,
    },
)
flags = st.sampled_from(("seen", "vip", "other"))
paths = st.sampled_from(("$.order.A1", "$.order.*", "$..*", "$.user['B2']", "$['order','user']", "$"))
change_paths = paths | st.sampled_from(("order", "user", "order.status", "flags", "flags.vip"))
checks = st.one_of(
    st.fixed_dictionaries({"called": call_tests}),
    st.fixed_dictionaries({"not_called": call_tests}),
    st.fixed_dictionaries({"order": st.lists(patterns, min_size=1, max_size=4)}),
    st.fixed_dictionaries({"policy": st.fixed_dictionaries({"never": patterns})}),
    st.fixed_dictionaries(
        {"policy": st.fixed_dictionaries({"before": st.lists(patterns, min_size=2, max_size=2, unique=True)})}
    ),
    st.fixed_dictionaries({"flag": flags | st.lists(flags, min_size=1, unique=True)}),
    st.fixed_dictionaries({"no_flag": flags}),
    st.fixed_dictionaries({"ledger": st.dictionaries(paths, json_values, min_size=1, max_size=2)}),
    st.fixed_dictionaries(
        {"ledger": st.dictionaries(paths, st.fixed_dictionaries({"$exists": st.booleans()}), min_size=1)}
    ),
    st.fixed_dictionaries({"only_changed": st.lists(change_paths, max_size=3, unique=True)}),
    st.fixed_dictionaries({"untouched": st.lists(change_paths, min_size=1, max_size=3, unique=True)}),
    st.fixed_dictionaries({"final_response": st.fixed_dictionaries({"contains": texts.filter(bool)})}),
    st.fixed_dictionaries({"final_response": st.fixed_dictionaries({"regex": st.just("^[a-z]+")})}),
    st.fixed_dictionaries(
        {"final_response": st.fixed_dictionaries({"json_schema": st.just({"type": "object"})})}
    ),
)
"""Mostly well formed: a text may hold NUL, an object a member that begins with `$`."""

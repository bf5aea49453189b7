"""The `when` of a rule: what it sees, what it refuses, and that taking the state apart changes no answer."""

import random
from collections.abc import Iterator
from typing import Any, cast

import cel
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from odyssey.simulation.rules import (
    Decision,
    EarlierCall,
    Note,
    RuleCall,
    RuleCounters,
    condition,
    decide,
    read_rules,
)
from odyssey.simulation.rules.state_use import Need, divide_state
from odyssey.simulation.rules.tokens import tokenize
from odyssey.simulation.rules.walks import MAX_WORK, Size, measure
from odyssey.worlds.ledger import Ledger

STATE: dict[str, Any] = {
    "order": {
        "o1": {"status": "open", "total": 5, "items": [{"sku": "a", "n": 1}, {"sku": "b", "n": 2}]},
        "o2": {"status": "sent", "total": 7.5, "items": []},
    },
    "user": {"u1": {"name": "Ann", "address": {"zip": "1010"}}},
    "odd type": {"x": {"n": 1}},
}
CALLS = (
    EarlierCall("get_order", {"order_id": "o1"}, "odyssey"),
    EarlierCall("refund", {"order_id": "o1", "amount": 5}, "injected"),
)
CALL = RuleCall(
    "refund", {"order_id": "o1", "amount": 5, "note": None}, "desk/1", 7, Ledger.boot(STATE, {"vip"}), CALLS
)


BIG = CALL._replace(
    calls=CALLS[:1] * 10_001,
    args={"order_id": "o1", "list": [0] * 10_001},
    ledger=Ledger.boot({"big": {str(number): {} for number in range(10_001)}, "order": {"o1": {}}}),
)


def judge(expression: str, call: RuleCall = CALL) -> Decision:
    rules, errors = read_rules([{"when": expression, "response": 1}])
    assert errors == []
    return decide(rules, RuleCounters.start(rules), call)


def holds(expression: str, call: RuleCall = CALL) -> bool:
    return judge(expression, call).fired is not None


def reason(expression: str, call: RuleCall = CALL) -> str:
    decision = judge(expression, call)
    assert decision.fired is None
    (note,) = decision.notes
    assert note.index == 0
    return note.reason


class TestWhatItSees:
    @pytest.mark.parametrize(
        "expression",
        [
            "args.amount == 5",
            "args.amount > 4.5",
            "args.note == null",
            "has(args.order_id) && !has(args.nope)",
            "'vip' in flags",
            "flags == ['vip']",
            "actor == 'desk/1'",
            "size(calls) == 2",
            "calls.exists(c, c.tool == 'refund' && c.source == 'injected')",
            "calls.filter(c, c.args.order_id == args.order_id).size() == 2",
            "calls[1].args.amount == args.amount",
            "calls.map(c, c.args.order_id).all(o, o == 'o1')",
            "state.order[args.order_id].status == 'open'",
            "state.order['o1'].total < state.order.o2.total",
            "state['odd type'].x.n == 1",
            "args.order_id in state.order && !('o9' in state.order)",
            "has(state.order) && !has(state.invoice)",
            "'order' in state && !('invoice' in state)",
            "size(state.order) == 2 && state.user.size() == 1",
            "state.order.exists(id, state.order[id].items.exists(i, i.sku == 'b'))",
            "state.order.filter(id, state.order[id].total > 1)[0] == 'o1'",
            "state.order.map(id, id) == ['o1', 'o2']",
            "state.size() == 3",
            "state[args.order_id == 'o1' ? 'user' : 'order'].u1.name == 'Ann'",
            "size(state.invoice) == 0 && !state.invoice.exists(id, true)",
            "!(args.order_id in state.invoice)",
            "state.user.u1.address.zip.startsWith('10')",
            "args.order_id.matches('^o[0-9]{1,3}$')",
            "type(args.amount) == int",
            "timestamp('2026-01-02T03:04:05Z').getFullYear() == 2026",
            "true // state.nothing 'a string",
            "'state.order' == \"state.order\" && r'\\' != ''",
        ],
    )
    def test_the_call_the_world_and_the_calls_before(self, expression: str) -> None:
        assert judge(expression).notes == ()
        assert holds(expression)

    def test_nobody_is_null(self) -> None:
        assert holds("actor == null", CALL._replace(actor=None))

    def test_a_type_without_entities_is_an_empty_map_like_one_never_heard_of(self) -> None:
        emptied = CALL._replace(ledger=Ledger.boot({"order": {"o1": {}}}).without_entity("order", "o1"))
        for entity_type in ("order", "never"):
            assert holds(f"size(state.{entity_type}) == 0 && !has(state.{entity_type})", emptied)
        assert holds("!('order' in state) && state == {}", emptied)

    def test_ids_come_oldest_first_every_time(self) -> None:
        names = [f"e{number}" for number in range(50)]
        random.Random(1).shuffle(names)
        call = CALL._replace(ledger=Ledger.boot({"t": {name: {} for name in names}}))
        assert all(holds(f"state.t.map(id, id)[0] == '{names[0]}'", call) for _ in range(20))

    @pytest.mark.parametrize(
        ("expressions", "asked"),
        [([], False), (["args.calls == 1", "'calls' in state"], False), (["true", "size(calls) > 1"], True)],
    )
    def test_a_list_of_rules_knows_whether_it_looks_at_calls(
        self, expressions: list[str], asked: bool
    ) -> None:
        rules = read_rules([{"when": expression, "response": 1} for expression in expressions]).rules
        assert rules.ask_for_calls == asked

    def test_rules_share_what_they_look_at(self) -> None:
        found, errors = read_rules(
            [{"when": f"size(state.order) == {n} && args.amount == {n}", "response": n} for n in range(1, 4)]
            + [{"when": "size(state.order) == 2 && args.amount == 5", "response": "here"}]
        )
        assert errors == []
        decision = decide(found, RuleCounters.start(found), CALL)
        assert decision.fired is not None
        assert decision.fired.response == "here"


class TestWhatDoesNotMatch:
    @pytest.mark.parametrize(
        ("expression", "why"),
        [
            ("args.nope == 1", "no member 'nope'"),
            ("state.order[args.nope].status == 'x'", "no member 'nope'"),
            ("state.order['o9'].status == 'x'", "no member 'o9'"),
            ("state.order[args.amount].status == 'x'", "no member '5'"),
            ("state[args.order_id].x == 1", "no member 'o1'"),
            ("args.amount > 'x'", "No such overload"),
            ("args.amount / 0 == 1", "division by zero"),
            ("args.amount + 9223372036854775807 > 0", "overflow"),
            ("calls[7].tool == 'x'", "out of bounds"),
            ("args.order_id.matches('(')", "not a valid regex"),
            ("args.order_id", "of type str, not a boolean"),
            ("args.amount", "of type int, not a boolean"),
            ("args.note", "of type NoneType, not a boolean"),
            ("calls.exists(c, c.args.amount == 5)", "no member 'amount'"),
        ],
    )
    def test_what_cannot_be_evaluated_does_not_match_and_says_why(self, expression: str, why: str) -> None:
        assert why in reason(expression)

    def test_false_needs_no_reason(self) -> None:
        assert judge("false") == Decision(RuleCounters((1,), (0,)), None, ())

    def test_the_rules_behind_still_have_their_turn(self) -> None:
        rules = read_rules([{"when": "args.nope", "response": 0}, {"response": 1}]).rules
        decision = decide(rules, RuleCounters.start(rules), CALL)
        assert decision.fired is not None
        assert decision.fired.index == 1
        assert decision.notes == (Note(0, "no member 'nope'"),)

    @pytest.mark.parametrize(
        "walk",
        [
            "calls.exists(c, true)",
            "calls.filter(c, true).exists(c, true)",
            "state.big.all(b, true)",
            "state.big.exists(b, has(state.big[b].n))",
            "args.list.exists(x, x == 1)",
            "args.list.exists_one(x, x == 1)",
            "[args].exists(a, a.list.exists(x, x == 1))",
        ],
    )
    def test_a_walk_through_more_than_ten_thousand(self, walk: str) -> None:
        assert "would go through 10001 elements" in reason(f"{walk} || true", BIG)

    def test_large_data_that_is_not_walked_through_is_no_hindrance(self) -> None:
        assert holds("args.order_id == 'o1' && size(calls) == 10001 && args.list[0] == 0", BIG)
        assert holds("state.order.exists(o, o == args.order_id)", BIG)
        assert holds("has(state.big) && '5' in state.big && size(state.big) == 10001", BIG)

    def test_what_is_far_too_large_is_not_even_taken(self) -> None:
        class Endless(tuple[EarlierCall, ...]):
            def __len__(self) -> int:
                return 10**9

            def __iter__(self) -> Iterator[EarlierCall]:
                raise AssertionError

        assert "calls has 1000000000 elements" in reason("size(calls) > 1", CALL._replace(calls=Endless()))
        crowd = CALL._replace(ledger=Ledger.boot({"big": {str(number): {} for number in range(140_000)}}))
        for expression in ("size(state.big) == 1", "size(state) == 1", "state.big == {}"):
            assert "state.big has 140000 elements" in reason(expression, crowd)

    @pytest.mark.parametrize(
        ("expression", "most"),
        [
            ("calls.exists(c, c.tool == 'x')", 10_000),
            ("calls.all(c, state.user.exists(u, u == c.tool))", 10_000),
            ("calls.exists(c, c.exists(member, member == 'tool'))", 10_000),
            ("calls.exists(c, c.args.exists(a, a == 'id'))", 10_000),
            ("calls.exists(c, args.one.list.exists(x, x == 1))", 10_000),
            ("calls.filter(c, c.tool == 'x').size() == 9", 500),
            ("calls.map(c, c.tool).size() == 9", 500),
            ("calls.exists(c, calls.exists(d, c == d))", 400),
            ("calls.exists(c, c.tool in calls)", 400),
            ("calls.exists(c, calls == calls)", 400),
            ("calls.exists(c, args.x[0] == calls.map(d, d.tool))", 60),
            ("calls.map(c, calls).size() == 9", 60),
            ("calls.map(c, [c, c, c, c, c, c, c]).size() == 9", 200),
            ("calls.exists(c, c.tool.matches('^get_.*x$'))", 5_000),
            ("calls.exists(c, c.tool.matches(r'^get_\\w*$'))", 800),
            ("calls.map(c, c.args)[0].exists(a, calls.exists(d, true))", 300),
            ("args.order_id" + "+ args.order_id" * 100 + " == ''", 10_000),
        ],
    )
    def test_what_grows_with_the_square_stops_earlier(self, expression: str, most: int) -> None:
        """Work is counted before it is done, so this test of refusals takes no time."""
        rules, errors = read_rules([{"when": expression, "response": 1}])
        assert errors == []
        assert rules[0].when is not None
        sizes = {
            length: {need.name: _size(need, length) for need in rules[0].when.needs}
            for length in (most, most * 2)
        }
        assert rules[0].when.walks.work(sizes[most]) <= MAX_WORK
        if most < 10_000:
            assert rules[0].when.walks.work(sizes[most * 2]) > MAX_WORK

    def test_too_much_work_says_so(self) -> None:
        call = CALL._replace(calls=CALLS[:1] * 1500)
        assert "too many values" in reason("calls.filter(c, c.tool == 'x').size() == 9", call)
        call = CALL._replace(args={"text": "x" * 500_000})
        assert "too many values" in reason("args.text" + " + args.text" * 150 + " == ''", call)


def _size(need: Need, length: int) -> Size:
    if need.kind == "calls":
        return measure([{"tool": "get", "args": {"id": 1}, "source": "odyssey"} for _ in range(length)])
    return measure(["u1"] * 10)


class Panic(BaseException):
    """What PyO3 raises when Rust panics."""


class TestPanics:
    def test_a_panic_is_no_match_and_other_interrupts_go_on(self, monkeypatch: pytest.MonkeyPatch) -> None:
        rules = read_rules([{"when": "true", "response": 1}]).rules
        found: list[BaseException] = [Panic("index out of bounds"), KeyboardInterrupt()]

        class Panicking:
            def execute(self, context: Any) -> Any:
                raise found.pop(0)

        monkeypatch.setattr(Panic, "__module__", "pyo3_runtime")
        assert rules[0].when is not None
        when = rules[0].when._replace(program=cast(Any, Panicking()))
        verdict = when.check(condition.Facts(CALL))
        assert verdict == condition.Verdict(False, "the expression could not be evaluated")
        with pytest.raises(KeyboardInterrupt):
            when.check(condition.Facts(CALL))

    def test_a_panic_while_compiling_is_a_fault(self, monkeypatch: pytest.MonkeyPatch) -> None:
        def compile(_text: str) -> Any:
            raise Panic

        monkeypatch.setattr(Panic, "__module__", "pyo3_runtime")
        monkeypatch.setattr(cel, "compile", compile)
        (error,) = read_rules([{"when": "true", "response": 1}]).errors
        assert error.msg == "not a CEL expression: it cannot be read"


PIECES = [
    *tokenize("state.order[args.id].exists(x, has(x.y)) && 'a' in flags ? -1 : {'b': [1u, 2.5]} + calls"),
    *(".map(c,", ".matches(", "'", '"""', "//", "\\", "r'", "`", "\n"),
]


class TestReading:
    @pytest.mark.parametrize(
        ("when", "message"),
        [
            (None, "written as a string"),
            (True, "written as a string"),
            ("", "written as a string"),
            ("  ", "written as a string"),
            ("true" + " " * 2000, "2004 characters; at most 2000"),
            ("1 +", "not a CEL expression: line 1, column 4: mismatched input '<EOF>'"),
            ("args.a ==\n= 1", "line 2, column 1"),
            ("if", "reserved identifier: if"),
            ("\ud800", "not a CEL expression"),
            ("(" * 500, "not a CEL expression"),
            ("stat.order == 1", "unknown name 'stat'; did you mean 'state'?"),
            ("foo == 1", "unknown name 'foo'; there are actor, args, calls, flags, state"),
            (".state.order == 1", "unknown name '.state'"),
            ("__all_6f == 1", "unknown name '__all_6f'"),
            ("siz(calls) > 1", "unknown function 'siz'; did you mean 'size'?"),
            ("now() > 1", "unknown function 'now'"),
            ("state(1)", "unknown function 'state'"),
            ("optional.none() == 1", "unknown name 'optional'"),
            ("calls.exists(state, state == 1)", "'state' cannot name the element"),
            ("calls.exists(__x, __x == 1)", "'__x' cannot name the element"),
            ("Order{id: 1} == 1", "'Order' cannot be made with {…}"),
            (
                "calls.exists(a, calls.map(b, calls.all(c, true)) == [])",
                "all stands inside 2 others; map, filter, all, exists and exists_one may be nested 2 deep",
            ),
            ("['a'].map(x, x + x).exists(x, true)", "may not be built with +"),
            ("(calls + calls).exists(x, true)", "may not be built with +"),
            ("calls.exists(c, [c.tool + 'x'].exists(t, true))", "may not be built with +"),
            ("[[1]].map(l, [l, l]).exists(l, true)", "may not come from a map that makes lists"),
            ("[[1]].map(l, {'a': l}).exists(l, true)", "may not come from a map that makes lists"),
            ("[1].map(l, calls.map(c, l)).exists(l, true)", "may not come from a map that makes lists"),
            ("([1].map(l, [l, l]))[0].exists(l, true)", "may not come from a map that makes lists"),
            ("calls.exists(c, c.tool.matches(args.p))", "takes a pattern in quotes"),
            ("calls.exists(c, c.tool.matches('a{9}'))", "without counted repetition"),
            ("calls.exists(c, c.tool.matches('a' + 'b'))", "takes a pattern in quotes"),
            (f"calls.exists(c, c.tool.matches('{'a' * 101}'))", "at most 100 characters"),
        ],
    )
    def test_says_what_is_wrong(self, when: Any, message: str) -> None:
        found = read_rules([{"response": 1}, {"when": when, "response": 1}])
        assert {error.loc for error in found.errors} == {("failure_rules", 1, "when")}
        assert message in found.errors[0].msg

    @pytest.mark.parametrize(
        "when",
        [
            "calls.exists(a, calls.exists(b, a.tool == b.tool))",
            "calls.filter(a, a.tool in ['x', 'y']).map(b, b.args).filter(c, true).size() > 0",
            "calls.exists(a, a.tool == 'x') && calls.exists(a, calls.exists(b, true))",
            "calls.exists(c, c.args.n + 1 == 2) && [1 + 1] == [2]",
            "calls.map(c, [c.tool, c.source]).size() > 1",
            "args.name.matches('a{9}' + args.rest)",
            "true" + " " * 1996,
        ],
    )
    def test_takes_what_is_bounded(self, when: str) -> None:
        assert read_rules([{"when": when, "response": 1}]).errors == []

    @given(st.text(max_size=60) | st.lists(st.sampled_from(PIECES), max_size=20).map(" ".join))
    def test_any_text_is_compiled_or_refused_and_never_raises(self, text: str) -> None:
        rules, errors = read_rules([{"when": text, "response": 1}])
        if errors:
            assert {error.loc for error in errors} == {("failure_rules", 0, "when")}
        else:
            decide(rules, RuleCounters.start(rules), CALL)


class TestTakingTheStateApart:
    @pytest.mark.parametrize(
        ("expression", "needs"),
        [
            ("args.state.order == 1", {Need("args")}),
            ("'state.order' == actor", {Need("actor")}),
            (
                "state.order[args.order_id].status == 'x'",
                {Need("one", "order", ("args", "order_id")), Need("args")},
            ),
            (
                "state.order[args.a.b].x && state.order[actor].x",
                {
                    Need("one", "order", ("args", "a", "b")),
                    Need("one", "order", ("actor",)),
                    Need("args"),
                    Need("actor"),
                },
            ),
            ("state.order['o1'] == state.order.o1", {Need("one", "order", ("=", "o1"))}),
            ("state['order'][\"o1\"].x", {Need("one", "order", ("=", "o1"))}),
            ("state.order['o' + args.id].x", {Need("all", "order"), Need("args")}),
            ("state.order[args.id.size()].x", {Need("all", "order"), Need("args")}),
            ("state.order['\\x41'].x", {Need("all", "order")}),
            ("state.order == state.user", {Need("all", "order"), Need("all", "user")}),
            ("state.order.exists(k, state.order[k].x)", {Need("ids", "order"), Need("all", "order")}),
            ("size(state.order) + state.order.size() == 2", {Need("ids", "order")}),
            ("args.id in state.order", {Need("ids", "order"), Need("args")}),
            ("args.id in state.order.o1", {Need("one", "order", ("=", "o1")), Need("args")}),
            ("'a' in state.order['o1'].tags", {Need("one", "order", ("=", "o1"))}),
            ("has(state.order) || 'order' in state", {Need("types")}),
            ("has(state.order.o1)", {Need("one", "order", ("=", "o1"))}),
            ("state[args.type] == {}", {Need("state"), Need("args")}),
            ("state.exists(t, t == 'order')", {Need("state")}),
            ("state['\\x41'] == {}", {Need("state")}),
            ("size(state) == 1 && state.order == {}", {Need("state"), Need("all", "order")}),
        ],
    )
    def test_takes_only_what_is_named(self, expression: str, needs: set[Need]) -> None:
        assert set(divide_state(tokenize(expression))[1]) == needs

    @settings(max_examples=300, deadline=None)
    @given(data=st.data())
    def test_answers_as_the_whole_expression_does(self, data: st.DataObject) -> None:
        expression = data.draw(_expressions)
        entity = st.fixed_dictionaries({}, optional={"n": st.integers(0, 2), "s": _ids})
        entities = st.dictionaries(_ids, entity, min_size=1, max_size=3)
        state = data.draw(st.fixed_dictionaries({"a": entities, "b": entities}))
        args = data.draw(
            st.fixed_dictionaries({}, optional={"id": _ids | st.integers(0, 2), "n": st.integers(0, 2)})
        )
        actor = data.draw(st.none() | _ids)
        call = CALL._replace(args=args, actor=actor, ledger=Ledger.boot(state))
        try:
            expected = cel.evaluate(
                expression, {"args": args, "state": state, "actor": actor, "flags": [], "calls": []}
            )
        except (ArithmeticError, LookupError, RuntimeError, TypeError, ValueError):
            expected = None
        assert holds(expression, call) == (expected is True)


_ids = st.sampled_from(["x", "y", "z"])
_entity = st.sampled_from(
    [
        *(
            "state.a[args.id]",
            "state.a['x']",
            "state.a.x",
            "state['b'].y",
            "state.b[actor]",
            "state['a'][args.id]",
        ),
        *("state.a['x' + '']", "state[args.id == 'x' ? 'a' : 'b'].y", "state.b[state.a.x.s]"),
    ]
)
_map = st.sampled_from(["state.a", "state['b']", "state.b"])
_atoms = st.one_of(
    _entity.map("{}.n == 1".format),
    _entity.map("{}.s == args.id".format),
    _entity.map("has({}.n)".format),
    st.tuples(_entity, _entity).map(lambda pair: f"{pair[0]} == {pair[1]}"),
    _map.map("args.id in {}".format),
    _map.map("size({}) == args.n".format),
    _map.map("{}.size() > 1".format),
    # Every entity is asked for what it may not have: `has` keeps the answer from hanging on the order.
    st.tuples(_map, _map).map(
        lambda p: f"{p[0]}.exists(k, k in {p[1]} && has({p[1]}[k].n) && {p[1]}[k].n == 1)"
    ),
    _map.map("{}.all(k, k != actor)".format),
    _map.map("{}.filter(k, k == args.id).size() == 1".format),
    st.tuples(_map, _map).map(lambda pair: f"{pair[0]} == {pair[1]}"),
    st.sampled_from(
        ["has(state.a)", "'b' in state", "args.id in state", "size(state) == args.n", "state.a.x.n + 1"]
    ),
)
_expressions = st.recursive(
    _atoms,
    lambda inner: st.one_of(
        inner.map("!({})".format),
        st.tuples(inner, st.sampled_from(["&&", "||"]), inner).map(lambda p: f"({p[0]}) {p[1]} ({p[2]})"),
        st.tuples(inner, inner, inner).map(lambda p: f"({p[0]}) ? ({p[1]}) : ({p[2]})"),
    ),
    max_leaves=4,
)

"""The `when` of a rule: what it sees, what it refuses, that its work is bounded, and that it is CEL."""

import random
from collections.abc import Iterator
from typing import Any

import cel
import pytest
from hypothesis import given
from hypothesis import strategies as st
from msgspec.structs import replace

from odyssey.expressions.facts import EarlierCall
from odyssey.expressions.functions import cel_own
from odyssey.expressions.tokens import tokenize
from odyssey.records.tools import Tool
from odyssey.simulation.engine import ToolCall
from odyssey.simulation.rules import Note, RuleCounters, RuleDecision, Rules, decide, read_rules
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
CALL = ToolCall(
    Tool("refund", {}),
    {"order_id": "o1", "amount": 5, "note": None},
    None,
    random_seed=7,
    sequence=3,
    actor="desk/1",
    calls=CALLS,
)
WORLD = Ledger.boot(STATE, {"vip"})

BIG = replace(CALL, calls=CALLS[:1] * 10_001, arguments={"order_id": "o1", "list": [0] * 10_001})
BIG_WORLD = Ledger.boot({"big": {str(number): {} for number in range(10_001)}, "order": {"o1": {}}})


def judge(expression: str, call: ToolCall = CALL, world: Ledger = WORLD) -> RuleDecision:
    rules, errors = read_rules([{"when": expression, "response": 1}])
    assert errors == []
    return decide(rules, RuleCounters.start(rules), call, world)


def holds(expression: str, call: ToolCall = CALL, world: Ledger = WORLD) -> bool:
    return judge(expression, call, world).fired is not None


def reason(expression: str, call: ToolCall = CALL, world: Ledger = WORLD) -> str:
    decision = judge(expression, call, world)
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
        assert holds("actor == null", replace(CALL, actor=None))

    def test_a_type_without_entities_is_an_empty_map_like_one_never_heard_of(self) -> None:
        emptied = Ledger.boot({"order": {"o1": {}}}).without_entity("order", "o1")
        for entity_type in ("order", "never"):
            assert holds(f"size(state.{entity_type}) == 0 && !has(state.{entity_type})", world=emptied)
        assert holds("!('order' in state) && state == {}", world=emptied)

    def test_ids_come_oldest_first_every_time(self) -> None:
        names = [f"e{number}" for number in range(50)]
        random.Random(1).shuffle(names)
        world = Ledger.boot({"t": {name: {} for name in names}})
        assert all(holds(f"state.t.map(id, id)[0] == '{names[0]}'", world=world) for _ in range(20))

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
        decision = decide(found, RuleCounters.start(found), CALL, WORLD)
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
            ("0.0 / 0.0 < 1.0", "cannot be compared"),
            ("args.amount + 9223372036854775807 > 0", "overflow"),
            ("calls[7].tool == 'x'", "out of bounds"),
            ("args.order_id.matches('(')", "not a valid regex"),
            ("args.order_id", "the result is a string, not a boolean"),
            ("args.amount", "the result is an int, not a boolean"),
            ("args.note", "the result is null, not a boolean"),
            ("calls.exists(c, c.args.amount == 5)", "no member 'amount'"),
        ],
    )
    def test_what_cannot_be_evaluated_does_not_match_and_says_why(self, expression: str, why: str) -> None:
        assert why in reason(expression)

    def test_false_needs_no_reason(self) -> None:
        assert judge("false") == RuleDecision(RuleCounters((1,), (0,)), None, ())

    def test_the_rules_behind_still_have_their_turn(self) -> None:
        rules = read_rules([{"when": "args.nope", "response": 0}, {"response": 1}]).rules
        decision = decide(rules, RuleCounters.start(rules), CALL, WORLD)
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
        assert "would go through 10001 elements" in reason(f"{walk} || true", BIG, BIG_WORLD)

    def test_large_data_that_is_not_walked_through_is_no_hindrance(self) -> None:
        assert holds("args.order_id == 'o1' && size(calls) == 10001 && args.list[0] == 0", BIG, BIG_WORLD)
        assert holds("state.order.exists(o, o == args.order_id)", BIG, BIG_WORLD)
        assert holds("has(state.big) && '5' in state.big && size(state.big) == 10001", BIG, BIG_WORLD)

    def test_what_is_far_too_large_is_not_even_taken(self) -> None:
        class Endless(tuple[EarlierCall, ...]):
            def __len__(self) -> int:
                return 10**9

            def __iter__(self) -> Iterator[EarlierCall]:
                raise AssertionError

        assert "calls has 1000000000 elements" in reason("size(calls) > 1", replace(CALL, calls=Endless()))

    def test_a_large_world_is_looked_at_without_being_copied(self) -> None:
        crowd = Ledger.boot({"big": {str(number): {"n": number} for number in range(50_000)}})
        assert holds("size(state.big) == 50000 && size(state) == 1 && state.big != {}", world=crowd)
        assert holds(
            "state.big['7'].n == 7 && state.big['1' + '1'].n == 11 && !('x' in state.big)", world=crowd
        )

    @pytest.mark.parametrize(
        ("expression", "length"),
        [
            ("calls.exists(c, c.tool == 'x')", 10_000),
            ("calls.all(c, !state.user.exists(u, u == c.tool))", 10_000),
            ("calls.all(c, c.exists(member, member == 'tool'))", 10_000),
            ("calls.all(c, c.args.exists(a, a == 'order_id'))", 10_000),
            ("calls.exists(c, args.one.list.exists(x, x == 1))", 10_000),
            ("calls.filter(c, c.tool == 'x').size() == 9", 10_000),
            ("calls.map(c, c.tool).size() == 9", 10_000),
            ("calls.exists(c, c.tool in calls)", 400),
            ("calls.exists(c, args.list == calls.map(d, d.tool))", 60),
            ("calls.map(c, calls).size() == 9", 60),
            ("calls.map(c, [c, c, c, c, c, c, c]).size() == 9", 200),
            ("calls.exists(c, c.tool.matches('^get_.*x$'))", 5_000),
            ("calls.exists(c, c.tool.matches(r'^get_\\w*[0-9]$'))", 5_000),
            ("calls.map(c, c.args)[0].exists(a, calls.exists(d, false))", 300),
            ("args.order_id" + "+ args.order_id" * 100 + " == ''", 10_000),
        ],
    )
    def test_there_is_work_enough_for_what_people_write(self, expression: str, length: int) -> None:
        arguments = {"order_id": "o1", "one": {"list": ["u1"] * 10}, "list": ["u1"]}
        call = replace(CALL, calls=CALLS[:1] * length, arguments=arguments)
        assert judge(expression, call).notes == ()

    @pytest.mark.parametrize(
        "expression",
        [
            "calls.exists(c, calls.exists(d, c.tool != d.tool))",
            "calls.exists(c, calls.filter(d, d.tool == 'x').size() == calls.map(d, d.args).size())",
            "calls.map(c, calls.map(d, d.tool + c.tool)).size() == 9",
            "calls.all(c, !('x' in calls.map(d, d.source)))",
        ],
    )
    def test_what_grows_with_the_square_stops(self, expression: str) -> None:
        call = replace(CALL, calls=CALLS[:1] * 2000)
        assert "too many values" in reason(f"{expression} || true", call)

    def test_too_much_work_says_so(self) -> None:
        call = replace(CALL, arguments={"text": "x" * 500_000})
        assert "a text would have more than" in reason("args.text" + " + args.text" * 150 + " == ''", call)
        assert "too many values" in reason(
            "calls.all(c, calls.all(d, args.text == args.text + ''))", replace(call, calls=CALLS * 200)
        )

    def test_a_rule_that_runs_out_of_work_leaves_the_others_theirs(self) -> None:
        call = replace(CALL, calls=CALLS[:1] * 2000)
        rules = _rules(ENDLESS, "calls.all(c, c.tool == 'get_order')")
        decision = decide(rules, RuleCounters.start(rules), call, WORLD)
        assert decision.fired is not None
        assert decision.fired.index == 1
        assert [note.index for note in decision.notes] == [0]

    def test_the_rules_of_one_call_are_bounded_together(self) -> None:
        call = replace(CALL, calls=CALLS[:1] * 2000)
        rules = _rules(*[ENDLESS] * 198, "calls.exists(c, c.tool == 'get_order')", "args.order_id == 'o1'")
        decision = decide(rules, RuleCounters.start(rules), call, WORLD)
        assert decision.fired is not None
        assert decision.fired.index == 199
        assert [note.index for note in decision.notes] == list(range(199))
        assert all("too many values" in note.reason for note in decision.notes)


ENDLESS = "calls.exists(c, calls.exists(d, c.tool != d.tool))"


def _rules(*expressions: str) -> Rules:
    rules, errors = read_rules([{"when": expression, "response": 1} for expression in expressions])
    assert errors == []
    return rules


class Panic(BaseException):
    """What PyO3 raises when Rust panics."""


class TestPanics:
    def test_a_panic_is_no_match_and_other_interrupts_go_on(self, monkeypatch: pytest.MonkeyPatch) -> None:
        found: list[BaseException] = [Panic("index out of bounds"), KeyboardInterrupt()]

        class Panicking:
            def execute(self, values: Any) -> Any:
                raise found.pop(0)

        monkeypatch.setattr(Panic, "__module__", "pyo3_runtime")
        monkeypatch.setattr(cel_own, "_program", lambda text: Panicking())
        assert reason("int(args.order_id) == 1") == "int: the value cannot be read"
        with pytest.raises(KeyboardInterrupt):
            judge("int(args.order_id) == 1")

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
            (".state.order == 1", "'.' cannot stand here"),
            ("__all_6f == 1", "unknown name '__all_6f'"),
            ("siz(calls) > 1", "unknown function 'siz'; did you mean 'size'?"),
            ("now() > 1", "unknown function 'now'"),
            ("state(1)", "unknown function 'state'"),
            ("optional.none() == 1", "unknown name 'optional'"),
            ("calls.exists(state, state == 1)", "'state' cannot name the element"),
            ("calls.exists(__x, __x == 1)", "'__x' cannot name the element"),
            ("Order{id: 1} == 1", "'Order' cannot be made with {…}"),
            ("sum([1]) == 1", "unknown function 'sum'"),
            ("size() == 1", "size takes 1 argument, not 0"),
            ("calls.exists(c, true) && c.tool == 'x'", "unknown name 'c'"),
            (
                "calls.map(a, calls.map(b, calls.map(c, calls.map(d, calls.all(e, true))))) == []",
                "all stands inside 4 others; map, filter, all, exists and exists_one may be nested 4 deep",
            ),
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
            "calls.exists(a, calls.map(b, calls.all(c, true)) == [])",
            "['a'].map(x, x + x).exists(x, true)",
            "(calls + calls).exists(x, true)",
            "[[1]].map(l, [l, l]).exists(l, true)",
            "[1].map(l, calls.map(c, l)).exists(l, true)",
            "calls.exists(c, c.tool.matches(args.p))",
            "calls.exists(c, c.tool.matches('a{9}'))",
            "(" * 80 + "true" + ")" * 80,
            "!(" * 80 + "dyn(true)" + ")" * 80,
            "true ? true : " * 80 + "true",
            "dyn(" * 80 + "true" + ")" * 80,
            "18446744073709551615u > 1u && 1e300 * 1e300 > 1.0",
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
            decide(rules, RuleCounters.start(rules), CALL, WORLD)


class TestCel:
    @pytest.mark.parametrize(
        "expression",
        [
            "2.5 / 0.0 > 5.0 && -2.5 / 0.0 < 5.0",
            "!(0.0 / 0.0 == 0.0) && 1e300 * 1e300 == 1.0 / 0.0",
            "{true: 'a', false: 'b'}[true] == 'a'",
            "!(1 in {true: 1}) && true in {true: 1} && {1: 2} != {true: 2}",
            "string(0.0000001) == '0.0000001' && string(2.0) == '2'",
            "b'a' < b'b' && size(b'abc') == 3",
            "true || true && false",
            "1 + 2 * 3 - 4 == 3 && 2 * 3 % 4 == 2 && !(1 + 1 > 2 * 2)",
            "1 < 2 == true && 'a' in ['a'] == true",
            "false ? false : true ? true : false",
        ],
    )
    def test_what_cel_finds_true_is_true(self, expression: str) -> None:
        assert cel.evaluate(expression, {}) is True
        assert holds(expression)

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
        call = replace(CALL, arguments=args, actor=actor)
        try:
            expected = cel.evaluate(
                expression, {"args": args, "state": state, "actor": actor, "flags": [], "calls": []}
            )
        except (ArithmeticError, LookupError, RuntimeError, TypeError, ValueError):
            expected = None
        assert holds(expression, call, Ledger.boot(state)) == (expected is True)


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

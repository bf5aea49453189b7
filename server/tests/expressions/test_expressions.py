"""Expressions: what they see, what their functions give, what is said about those that cannot be read."""

from functools import partial
from typing import Any

import pytest

from odyssey.expressions import (
    EvaluationError,
    Expression,
    Facts,
    Lazy,
    read_expression,
    read_text,
)
from odyssey.expressions.facts import EarlierCall
from odyssey.expressions.functions import ALL_FUNCTIONS
from odyssey.records.faults import Faults
from odyssey.worlds.identifiers import new_id
from odyssey.worlds.ledger import Ledger

STATE: dict[str, Any] = {
    "order": {
        "o1": {"id": "o1", "user_id": "u1", "status": "open", "total": 5, "ship": {"zip": "10"}},
        "o3": {"id": "o3", "user_id": "u2", "status": "sent", "total": 7.5, "ship": {"zip": "20"}},
        "o2": {"id": "o2", "user_id": "u1", "status": "sent", "total": 2, "ship": {"zip": "10"}},
    },
    "user": {"u1": {"name": "Ann", "tags": ["b", "a"]}, "7": {"name": "Bob"}},
}
ARGS: dict[str, Any] = {
    "order_id": "o1",
    "amount": 5,
    "rate": 1.5,
    "note": None,
    "seven": 7,
    "items": [{"sku": "b", "n": 2, "price": 1.5}, {"sku": "a", "n": 1, "price": 2}],
}
CALLS = (EarlierCall("refund", {"order_id": "o1"}, "odyssey"),)
LEDGER = Ledger.boot(STATE, {"vip", "beta"})


def facts(**defined: Any) -> Facts:
    made = Facts(args=ARGS, ledger=LEDGER, actor="desk/1", calls=CALLS, random_seed=7, sequence=3)
    for name, value in defined.items():
        made.define(name, value)
    return made


def read(text: str, *names: str) -> Expression:
    faults = Faults()
    expression = read_expression(text, faults, names=names)
    assert expression is not None, faults.found
    assert faults.found == []
    return expression


def value(text: str, **defined: Any) -> Any:
    return read(text, *defined).evaluate(facts(**defined))


def failure(text: str, **defined: Any) -> str:
    with pytest.raises(EvaluationError) as caught:
        value(text, **defined)
    return str(caught.value)


def messages(text: Any, *names: str, functions: bool = True) -> list[str]:
    faults = Faults()
    assert read_expression(text, faults, names=names, functions=functions) is None
    return [error.msg for error in faults.found]


class TestTheLanguage:
    @pytest.mark.parametrize(
        ("text", "expected"),
        [
            ("args.amount == 5 && actor == 'desk/1'", True),
            ("flags", ["beta", "vip"]),
            ("calls", [{"tool": "refund", "args": {"order_id": "o1"}, "source": "odyssey"}]),
            ("state.order[args.order_id].status", "open"),
            ("state.order.map(id, id)", ["o1", "o3", "o2"]),
            ("size(state.order) + state.user.size()", 5),
            ("has(state.order) && !has(state.invoice) && size(state.invoice) == 0", True),
            ("'order' in state && !('invoice' in state) && 'o1' in state.order", True),
            ("state.user", STATE["user"]),
            ("has(args.note) && args.note == null && !has(args.nope)", True),
            ("[1, 2.5, 'a', null, true, {'b': [], 'a': 1}]", [1, 2.5, "a", None, True, {"b": [], "a": 1}]),
            ("args.items.map(i, i.n > 1, i.sku)", ["b"]),
            ("args.items.filter(i, i.sku == 'a')[0].price", 2),
            ("args.items.all(i, args.items.exists_one(j, j.sku == i.sku))", True),
            ("args.items.map(i, [1, 2].map(i, i * 10))", [[10, 20], [10, 20]]),
            ("args.items.existsOne(i, i.n == 1)", True),
            ("{'b': 1, 'a': 2}.map(key, key)", ["a", "b"]),
            ("{1: 'one', 2: 'two'}[args.items.size()]", "two"),
            ("args.nope == 1 || true", True),
            ("false && args.nope == 1", False),
            ("args.nope == 1 && false", False),
            ("args.amount > 3 ? 'much' : args.amount > 1 ? 'some' : 'none'", "much"),
            ("-args.amount - -2 * 3", 1),
            ("7 / 2 + 7 % 2 * -7 / 2", 0),
            ("-7 / 2", -3),
            ("-7 % 2", -1),
            ("!(!true) && !!true", True),
            ("1 < 2 == true", True),
            ("'a' + \"b\" + r'\\n' + '\\n'", "ab\\n\n"),
            ("0x1F + 1u", 32),
            ("-9223372036854775808", -(2**63)),
            ("[1, [2.0]] == [1.0, [2]] && 1 != true && 'a' in ['a'] && 1 in [1.0]", True),
            ("type(args.amount) == int && type(null) == null_type && type(state) == map", True),
            ("timestamp('2026-01-02T03:04:05Z') + duration('1h') > timestamp('2026-01-02T04:00:00Z')", True),
            ("timestamp('2026-01-02T03:04:05Z').getFullYear()", 2026),
            ("string(timestamp('2026-01-02T03:04:05Z'))", "2026-01-02T03:04:05+00:00"),
            ("int('12') + int(2.9) + int(double('1'))", 15),
            ("'größe'.size()", 5),
            ("'abc'.contains('b') && 'abc'.startsWith('a') && 'abc'.endsWith('c')", True),
            ("'ord_12'.matches('^ord_[0-9]{1,3}$')", True),
            ("string(1.0) + string(true) + string(0.1)", "1true0.1"),
            ("true // a comment", True),
            ("args .\n order_id", "o1"),
        ],
    )
    def test_is_cel_over_the_call_and_the_world(self, text: str, expected: Any) -> None:
        found = value(text)
        assert found == expected
        assert repr(found) == repr(expected)

    @pytest.mark.parametrize(
        ("text", "expected"),
        [
            ("args.amount * args.rate", 7.5),
            ("args.amount + 0.5 - 1", 4.5),
            ("args.rate / 3", 0.5),
            ("7.5 % 2", 1.5),
            ("args.items.map(i, i.n * i.price)", [3.0, 2]),
            ("args.items.size() * 1.5", 3.0),
            ("args.items[args.rate * 2 - 2].sku", "a"),
            ("1 < 1.5 && 2.0 >= 2", True),
        ],
    )
    def test_integers_and_doubles_go_together(self, text: str, expected: Any) -> None:
        assert value(text) == expected

    @pytest.mark.parametrize(
        ("text", "why"),
        [
            ("args.nope", "no member 'nope'"),
            ("state.order['o9'].status", "no member 'o9'"),
            ("args.note.length", "no member 'length' in null"),
            ("args.amount + 'x'", "int + string"),
            ("args.amount > 'x'", "an int cannot be compared with a string"),
            *((f"'x' {sign} 2", f"string {sign} int") for sign in "-*/%"),
            ("args.amount / 0", "division by zero"),
            ("1 % 0.0", "modulo by zero"),
            ("args.amount + 9223372036854775807", "overflow"),
            ("1e18 * 10", "overflow"),
            ("args.items[2]", "index out of bounds: 2"),
            ("args.items[-1]", "index out of bounds: -1"),
            ("args.items[0.5]", "an integer, not a double"),
            ("args.items['a']", "an integer, not a string"),
            ("args.amount[0]", "not from an int"),
            ("args[null]", "null is no key"),
            ("{1.5: 2}", "a double is no key"),
            ("{1: 2}", "the keys of a map are texts in JSON, not an int"),
            ("'a' in 'abc'", "not into a string"),
            ("!args.amount", "! takes a boolean, not an int"),
            ("-args.order_id", "- takes a number, not a string"),
            ("args.amount ? 1 : 2", "takes a boolean"),
            ("args.amount || false", "|| takes a boolean"),
            ("args.order_id.map(c, c)", "map goes through a list or a map, not through a string"),
            ("args.items.exists(i, i.n)", "exists takes a boolean, not an int"),
            ("has(args.note.x)", "has asks a map for a member, not null"),
            (
                "timestamp('2026-01-02T03:04:05Z')",
                "a timestamp is no JSON value; string(…) makes a text of it",
            ),
            ("timestamp('2026-01-02T03:04:05Z') + timestamp('2026-01-02T03:04:05Z')", "no such overload"),
            ("args.order_id.matches('(')", "matches: not a valid regex"),
            ("int('x')", "int: "),
            ("int([])", "int: takes no list"),
            ("timestamp('x')", "timestamp: "),
            ("args.amount.getHours()", "getHours: takes a timestamp, not an int"),
            ("timestamp('2026-01-02T03:04:05Z').getHours('UTC')", "getHours: takes no time zone"),
            ("size(1)", "size: takes a text, a list or a map, not an int"),
        ],
    )
    def test_what_cannot_be_evaluated_says_why(self, text: str, why: str) -> None:
        assert why in failure(text)

    def test_nothing_is_written_to_the_error_stream(self, capfd: pytest.CaptureFixture[str]) -> None:
        failure("sum(args)")
        failure("int('x')")
        failure("args.order_id.matches('(')")
        assert capfd.readouterr() == ("", "")

    def test_a_condition_is_a_boolean(self) -> None:
        assert read("args.amount == 5").holds(facts())
        assert not read("args.amount == 6").holds(facts())
        with pytest.raises(EvaluationError, match="the result is an int, not a boolean"):
            read("args.amount").holds(facts())

    def test_what_is_given_out_is_the_callers_own(self) -> None:
        seen = facts(kept=[{"a": 1}])
        for text in ("args.items", "state.order.o1", "kept", "entity('order', 'o1')"):
            expression = read(text, "kept")
            found = expression.evaluate(seen)
            before = repr(found)
            found.clear()
            assert repr(expression.evaluate(seen)) == before


class TestFunctions:
    @pytest.mark.parametrize(
        ("text", "expected"),
        [
            ("entity('order', args.order_id).status", "open"),
            ("entity('order', 'o9')", None),
            ("entity('nothing', 'o1')", None),
            ("entity('order', null)", None),
            ("entity('user', args.seven).name", "Bob"),
            ("find('order', 'user_id', 'u1').map(o, o.id)", ["o1", "o2"]),
            ("find('order', 'ship.zip', '10').map(o, o.id)", ["o1", "o2"]),
            ("find('order', 'total', 5.0)[0].id", "o1"),
            ("find('order', 'user_id', 'u9')", []),
            ("entities('order').map(o, o.id)", ["o1", "o3", "o2"]),
            ("entities('nothing')", []),
            ("sum([1, 2, 3])", 6),
            ("sum([])", 0),
            ("args.items.map(i, i.n * i.price).sum()", 5.0),
            ("min(3, 1.5, 2)", 1.5),
            ("max([3, 1.5, 2])", 3),
            ("min('b', 'a')", "a"),
            ("round(2.675, 2)", 2.67),
            ("round(0.5)", 0),
            ("round(1.5)", 2),
            ("round(17.125, 2)", 17.12),
            ("round(1250, -2)", 1200),
            ("abs(-5)", 5),
            ("abs(-1.5)", 1.5),
            ("floor(-1.5)", -2),
            ("ceil(1.2)", 2),
            ("sorted([3, 1.5, 2])", [1.5, 2, 3]),
            ("sorted(args.items, 'sku').map(i, i.n)", [1, 2]),
            ("sorted(entities('order'), 'ship.zip').map(o, o.id)", ["o1", "o2", "o3"]),
            ("unique([1, 'a', 1.0, true, 'a', [1], [1.0], null, null])", [1, "a", True, [1], None]),
            ("count(['a', 'b', 'a'], 'a')", 2),
            ("count([1, 1.0, true, [1]], 1)", 2),
            ("zip([1, 2], ['a', 'b', 'c'])", [[1, "a"], [2, "b"]]),
            ("range(3)", [0, 1, 2]),
            ("range(-1)", []),
            ("first([1, 2])", 1),
            ("first([], 'none')", "none"),
            ("first([])", None),
            ("merge({'a': 1, 'b': 2}, {'b': 3})", {"a": 1, "b": 3}),
            ("merge({}, {'a': 1}, {'a': 2})", {"a": 2}),
            ("without({'a': 1, 'b': 2}, 'a')", {"b": 2}),
            ("without(['a', 'b', 'a'], 'a')", ["b"]),
            ("put([1, 2, 3], 1, 'x')", [1, "x", 3]),
            ("put({'a': 1}, 'b', 2)", {"a": 1, "b": 2}),
            ("keys({'b': 1, 'a': 2})", ["a", "b"]),
            ("keys(state.order)", ["o1", "o3", "o2"]),
            ("values({'b': 1, 'a': 2})", [2, 1]),
            ("object(zip(['b', 'a', 'b'], [1, 2, 3]))", {"b": 3, "a": 2}),
            ("calculate('0.1 + 0.2 * 3')", 0.7),
            ("calculate('one and one')", None),
            ("lower('ÄB') + upper('äb') + trim(' c ')", "äbÄBc"),
            ("split('a, b', ', ')", ["a", "b"]),
            ("join(['a', 1, 2.0, true], '-')", "a-1-2-true"),
            ("['a', 'b'].join()", "ab"),
            ("replace('aXbX', 'X', '')", "ab"),
            ("number('12')", 12),
            ("number(' -1.50 ')", -1.5),
            ("number(3)", 3),
            ("text(1.0) + text(1.25) + text(null) + text('x')", "11.25nullx"),
            ("text({'b': [1, true], 'a': 'x'})", '{"a":"x","b":[1,true]}'),
        ],
    )
    def test_give(self, text: str, expected: Any) -> None:
        found = value(text)
        assert repr(found) == repr(expected)

    @pytest.mark.parametrize(
        ("text", "why"),
        [
            ("entity(1, 'o1')", "entity: takes a text, not an int"),
            ("entity('order', [])", "entity: an id is a text, not a list"),
            ("find(1, 'a', 1)", "find: takes a text, not an int"),
            ("entities(null)", "entities: takes a text, not null"),
            ("new_id(1)", "new_id: takes a text, not an int"),
            ("new_id('order', 1000)", "new_id: counts new entities from 0 to 999"),
            ("sum(1)", "sum: takes a list, not an int"),
            ("sum(['a'])", "sum: takes a number, not a string"),
            ("sum([true])", "sum: takes a number, not a bool"),
            ("sum([9223372036854775807, 1])", "sum: overflow"),
            ("min([])", "min: the list is empty"),
            ("max([null])", "max: No such overload: null cannot be compared with null"),
            ("max([1, 'a'])", "cannot be compared"),
            ("round('1')", "round: takes a number, not a string"),
            ("round(1.5, 0.5)", "round: takes a whole number, not a double"),
            ("round(1.5, 16)", "round: takes at most 15 digits"),
            ("ceil(9223372036854775807.0)", "ceil: overflow"),
            ("abs(null)", "abs: takes a number, not null"),
            ("sorted([1, 'a'])", "sorted: "),
            ("sorted([[1]])", "sorted: "),
            ("sorted(args.items, 'nope')", "sorted: no member 'nope'"),
            ("unique('aa')", "unique: takes a list, not a string"),
            ("count({}, 1)", "count: takes a list, not a map"),
            ("zip([], 1)", "zip: takes a list, not an int"),
            ("range('3')", "range: takes a whole number, not a string"),
            ("first('ab')", "first: takes a list, not a string"),
            ("merge({}, [])", "merge: takes a map, not a list"),
            ("without(1, 1)", "without: takes a list, not an int"),
            ("put([1], 1, 2)", "put: index out of bounds: 1"),
            ("put({}, null, 2)", "put: null is no key of a map"),
            ("keys([])", "keys: takes a map, not a list"),
            ("values(1)", "values: takes a map, not an int"),
            ("object([['a']])", "object: takes a list of pairs"),
            ("calculate(1)", "calculate: takes a text, not an int"),
            ("lower(1)", "lower: takes a text, not an int"),
            ("split('a', '')", "split: the separator is empty"),
            ("join('a')", "join: takes a list, not a string"),
            ("replace('a', '', 'b')", "replace: what is to be replaced is empty"),
            ("number('1_0')", "number: the text is no number"),
            ("number('x')", "number: 'x' is no number"),
            ("number('nan')", "number: overflow: the number is too large, or none at all"),
            ("number(true)", "number: takes a text, not a bool"),
            ("text(timestamp('2026-01-02T03:04:05Z'))", "text: a timestamp is no JSON value"),
        ],
    )
    def test_of_the_wrong_kind_of_argument_name_themselves(self, text: str, why: str) -> None:
        assert why in failure(text)

    def test_every_function_has_an_example_here(self) -> None:
        marks = [
            *self.test_give.pytestmark,
            *TestTheLanguage.test_is_cel_over_the_call_and_the_world.pytestmark,
        ]
        examples = " ".join(text for mark in marks for text, _ in mark.args[1])
        shared_with_rules = {name for name in ALL_FUNCTIONS if name.startswith("get")} | {
            "uint",
            "bytes",
            "dyn",
        }
        missing = {name for name in ALL_FUNCTIONS if f"{name}(" not in examples}
        assert missing - shared_with_rules == {"new_id"}

    def test_a_new_id_is_the_one_the_world_engine_would_draw(self) -> None:
        for entity_type in ("order", "user", "payment"):
            drawn = new_id(LEDGER, entity_type, random_seed=7, sequence=3)
            assert value(f"new_id('{entity_type}')") == drawn

    @pytest.mark.parametrize(
        "ids", [["o1"], ["9f2c4a7be01d"], ["3b241101-e2bb-4255-8caf-4136c566a962"], ["ABCD12"], []]
    )
    def test_new_ids_are_different_and_the_same_again(self, ids: list[str]) -> None:
        ledger = Ledger.boot({"t": {entity_id: {} for entity_id in ids}})
        expression = read("range(20).map(n, new_id('t', n)) + [new_id('t'), new_id('t', 0)]")
        drawn = expression.evaluate(Facts(args={}, ledger=ledger, random_seed=1, sequence=2))
        assert len({*drawn, *ids}) == 20 + len(ids)
        assert drawn[20:] == [drawn[0], drawn[0]]
        assert drawn == expression.evaluate(Facts(args={}, ledger=ledger, random_seed=1, sequence=2))


class TestNames:
    def test_what_the_caller_defines_has_a_name(self) -> None:
        expression = read("order.total * rate + calls.size() + args.amount", "order", "rate", "unused")
        assert expression.names == {"order", "rate"}
        assert expression.uses_calls
        assert expression.evaluate(facts(order={"total": 2}, rate=0.5)) == 7.0
        assert not read("args.calls == 'calls'").uses_calls

    def test_the_element_of_a_walk_hides_a_name(self) -> None:
        expression = read("[1].map(order, order)", "order")
        assert expression.names == frozenset()
        assert expression.evaluate(facts()) == [1]

    @pytest.mark.parametrize("name", ["package", "import", "function", "loop", "as"])
    def test_a_name_that_cel_keeps_for_itself_can_be_used(self, name: str) -> None:
        assert value(f"{name}.size == 'l' && '{name}' != ''", **{name: {"size": "l"}}) is True
        assert "not a CEL expression" in messages(f"{name}.size == 'l'")[0]

    def test_a_name_without_a_value_is_an_error_of_the_evaluation(self) -> None:
        with pytest.raises(EvaluationError, match="order is not defined"):
            read("order.total", "order").evaluate(facts())

    def test_a_lazy_value_is_taken_when_first_used_and_once(self) -> None:
        taken: list[int] = []

        def take() -> int:
            taken.append(1)
            return 5

        seen = facts(five=Lazy(take))
        assert read("args.amount == 6 && five == 5", "five").holds(seen) is False
        assert taken == []
        assert read("five + five", "five").evaluate(seen) == 10
        assert read("five", "five").evaluate(seen.within(other=1)) == 5
        assert taken == [1]

    def test_lazy_values_may_need_each_other_but_not_themselves(self) -> None:
        seen = facts()
        for name, text in {"a": "b + 1", "b": "2", "c": "d", "d": "c"}.items():
            expression = read(text, "b", "c", "d")
            seen.define(name, Lazy(partial(expression.evaluate, seen)))
        assert read("a", "a").evaluate(seen) == 3
        for _ in range(2):
            with pytest.raises(EvaluationError, match="needs itself"):
                read("c", "c").evaluate(seen)

    def test_a_bug_in_a_lazy_value_is_no_evaluation_error_and_does_not_stay(self) -> None:
        outcomes: list[Any] = [ZeroDivisionError(), 5]

        def take() -> int:
            outcome = outcomes.pop(0)
            if isinstance(outcome, Exception):
                raise outcome
            return int(outcome)

        seen = facts(five=Lazy(take))
        with pytest.raises(ZeroDivisionError):
            read("five", "five").evaluate(seen)
        assert read("five", "five").evaluate(seen) == 5

    def test_a_child_has_names_of_its_own(self) -> None:
        seen = facts(x=1)
        inner = seen.within(x=2, y=3)
        assert read("x + y", "x", "y").evaluate(inner) == 5
        assert read("x", "x").evaluate(seen) == 1
        with pytest.raises(EvaluationError, match="y is not defined"):
            read("y", "y").evaluate(seen)

    def test_the_same_call_in_another_moment_of_the_world(self) -> None:
        seen = facts(order=Lazy(lambda: LEDGER.entity("order", "o1")))
        changed = (
            LEDGER.with_entity("order", "o1", {"status": "gone"})
            .with_flag("late")
            .with_entity("order", "o4", {})
        )
        expression = read(
            "[entity('order', 'o1').status, state.order.o1.status, order.status, new_id('order'), size(flags)]",
            "order",
        )
        assert expression.evaluate(seen) == ["open", "open", "open", "o4", 2]
        assert expression.evaluate(seen.on(changed)) == ["gone", "gone", "open", "o5", 3]
        assert expression.evaluate(seen) == ["open", "open", "open", "o4", 2]

    def test_expressions_of_one_text_are_equal(self) -> None:
        assert {read("args.a"), read("args.a")} == {read("args.a")}
        assert read("args.a") != read("args.b")
        assert repr(read("args.a")) == "Expression('args.a')"


class TestReading:
    @pytest.mark.parametrize(
        ("text", "message"),
        [
            (None, "written as a string"),
            (True, "written as a string"),
            ("  ", "written as a string"),
            ("true" + " " * 2000, "2004 characters; at most 2000"),
            ("1 +", "not a CEL expression: line 1, column 4"),
            ("if", "reserved identifier: if"),
            ("\ud800", "not a CEL expression"),
            ("(" * 500, "not a CEL expression: it is nested too deep"),
            ("(" * 110 + "1" + ")" * 110, "nested too deep"),
            ("ordr.total", "unknown name 'ordr'; did you mean 'order'?"),
            ("foo", "unknown name 'foo'; there are actor, args, calls, flags, order, state"),
            (".args.x", "not a CEL expression: '.' cannot stand here"),
            ("entitie('order')", "unknown function 'entitie'; did you mean 'entities'?"),
            ("now()", "unknown function 'now'"),
            ("__import__('os')", "unknown function '__import__'"),
            ("sum()", "sum takes 1 argument, not 0"),
            ("sum([], 1)", "sum takes 1 argument, not 2"),
            ("[].first(1, 2)", "first takes 1 to 2 arguments, not 3"),
            ("find('order', args.field, 1)", "find takes the name of a field in quotes"),
            ("'order'.find(args.field, 1)", "find takes the name of a field in quotes"),
            ("calls.exists(state, true)", "'state' cannot name the element"),
            ("calls.exists(__x, true)", "'__x' cannot name the element"),
            ("calls.exists(int, true)", "'int' cannot name the element"),
            ("Order{id: 1}", "'Order' cannot be made with {…}"),
            ("has(args)", "not a CEL expression"),
            ("[1].map(x)", "not a CEL expression"),
            ("99999999999999999999", "not a CEL expression"),
            ("calls.map(a, calls.map(b, calls.map(c, calls.map(d, calls.map(e, 1)))))", "nested 4 deep"),
        ],
    )
    def test_what_is_wrong_is_said(self, text: Any, message: str) -> None:
        found = messages(text, "order")
        assert any(message in each for each in found), found

    def test_every_unknown_name_is_said(self) -> None:
        assert len(messages("foo + bar(baz) + sum()")) == 4

    def test_without_functions_only_those_of_cel_are_known(self) -> None:
        assert messages("sum([1]) == 1", functions=False) == ["unknown function 'sum'"]
        faults = Faults()
        expression = read_expression("size(args) == 6", faults, functions=False)
        assert expression is not None
        assert expression.holds(facts())


class TestTexts:
    @pytest.mark.parametrize(
        ("raw", "rendered"),
        [
            ("", ""),
            ("Order {args.order_id} is {state.order.o1.status}.", "Order o1 is open."),
            (
                "{args.amount * args.rate} of {args.amount * 2.0}, {args.note}, {flags}",
                '7.5 of 10, null, ["beta","vip"]',
            ),
            ("{{args}} }} {{ {{{args.order_id}}}", "{args} } { {o1}"),
            ("{ {'a': '}'}.a }{'{' + \"}\"}", "}{}"),
            ("it's {args.order_id}'s", "it's o1's"),
        ],
    )
    def test_have_expressions_in_braces(self, raw: str, rendered: str) -> None:
        faults = Faults()
        text = read_text(raw, faults)
        assert text is not None, faults.found
        assert text.render(facts()) == rendered

    def test_know_what_they_use(self) -> None:
        text = read_text("{order.id} {size(calls)} {args.x}", Faults(), names=["order", "user"])
        assert text is not None
        assert text.names == {"order"}
        assert text.uses_calls

    @pytest.mark.parametrize(
        ("raw", "message"),
        [
            (5, "must be a text"),
            ("x" * 10_001, "10001 characters; at most 10000"),
            ("a {args.x", "the { at character 3 is not closed"),
            ("a } b", "the } at character 3 closes nothing"),
            ("{}", "an expression is CEL"),
            ("{it's}", "not a CEL expression"),
            ("{foo}", "unknown name 'foo'"),
        ],
    )
    def test_that_cannot_be_read_say_so(self, raw: Any, message: str) -> None:
        faults = Faults()
        assert read_text(raw, faults) is None
        assert message in faults.found[0].msg

    def test_fail_as_their_expressions_do(self) -> None:
        text = read_text("{args.nope}", Faults())
        assert text is not None
        with pytest.raises(EvaluationError, match="no member 'nope'"):
            text.render(facts())

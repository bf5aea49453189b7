"""Expressions written to run away: each ends with an error after a bounded amount of work, or is not read at all."""

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
from odyssey.expressions.values import MAX_WORK, TooMuchError
from odyssey.records.faults import Faults
from odyssey.worlds.ledger import Ledger

MIB = 1024 * 1024
LEDGER = Ledger.boot(
    {
        "order": {f"o{number}": {"user_id": "u1", "items": [1, 2, 3]} for number in range(900)},
        "big": {f"b{number}": {"x": 1} for number in range(11_000)},
    }
)
ARGS: dict[str, Any] = {
    "list": list(range(10_000)),
    "more": [0] * 10_001,
    "text": "x" * MIB,
    "word": "a" * 200,
}
DOUBLED = "[1]" + ".map(x, [x, x])" * 100

HOSTILE = {
    "nested walks over a range": "range(1000).all(a, range(1000).all(b, a + b >= 0))",
    "four walks deep": "args.list.map(a, args.list.map(b, args.list.map(c, args.list.map(d, 1)))).size()",
    "lists in lists": "args.list.map(a, args.list)",
    "a list for every number": "range(1000).map(a, args.list + [a]).size()",
    "too long a walk": "args.more.exists(x, x == 1)",
    "too long a walk through the world": "state.big.exists(id, false)",
    "too long a sum of lists": "(args.list + args.list).size()",
    "doubling lists": DOUBLED,
    "doubling lists as text": f"text({DOUBLED})",
    "doubling lists compared": f"{DOUBLED[:903]} == {DOUBLED[:903]}",
    "doubling lists counted": f"count([{DOUBLED[:1400]}], {DOUBLED[:500]})",
    "all entities for every number": "range(1000).map(i, entities('order')).size()",
    "an index for every number": "range(1000).map(i, find('order', 'user_id', 'u1')).size()",
    "more entities than a function gives": "entities('big')",
    "more found than a function gives": "find('big', 'x', 1)",
    "a huge range": "range(1000000000)",
    "a sum of a huge range": "sum(range(100000))",
    "a function of a long list": "sorted(args.list)",
    "a map with too many members": "keys(state.big)",
    "the world compared with itself": "args.list.all(i, state.order == state.order)",
    "all of the world twice": "[state, state]",
    "long texts in a list": "range(1000).map(i, args.text)",
    "long texts made": "range(1000).map(i, args.text.upper()).size()",
    "a text longer than a text": "args.text + args.text",
    "replacing": "args.text.replace('x', 'xx')",
    "replacing what grows": "args.word" + ".replace('a', 'aaaaaaaaaa')" * 40,
    "joining": "join(range(1000).map(i, args.text), ',')",
    "joining with a long separator": "join(range(1000), args.text)",
    "splitting": "args.text.split('x')",
    "upper case that grows": "upper(args.text.replace('x', 'ß'))",
    "many patterns": "args.list.exists(i, args.word.matches('(a{50}){9}' + text(i)))",
    "a pattern of a thousand": "range(1000).exists(i, args.text.matches('(x+x+)+y'))",
    "a long pattern": "args.word.matches(args.text)",
    "a pattern that takes much memory": "args.word.matches('((a{100}){100}){100}')",
    "many ids": "range(1000).map(i, new_id('t' + text(i), 999)).size()",
    "searching texts": "range(1000).exists(i, args.text.contains('xxxxxxxxxxxxy'))",
    "searching lists": "args.list.all(i, i in args.list)",
    "unlike values": "range(1000).map(i, unique(range(1000).map(x, [x]))).size()",
    "a number of a million digits": "number(args.text.replace('x', '9'))",
    "an integer of a million digits": "int(args.text.replace('x', '9'))",
    "a time of a million digits": "timestamp(args.text)",
}


def make_facts() -> Facts:
    return Facts(args=ARGS, ledger=LEDGER)


def read(text: str, *names: str) -> Expression:
    faults = Faults()
    expression = read_expression(text, faults, names=names)
    assert expression is not None, faults.found
    return expression


class TestWhatRunsAway:
    @pytest.mark.parametrize("text", HOSTILE.values(), ids=list(HOSTILE))
    def test_is_stopped(self, text: str) -> None:
        facts = make_facts()
        with pytest.raises(EvaluationError) as caught:
            read(text).evaluate(facts)
        assert len(str(caught.value)) < 300

    def test_nothing_absorbs_that_it_was_too_much(self) -> None:
        with pytest.raises(TooMuchError):
            read("args.list.all(i, i in args.list) || true").evaluate(make_facts())

    def test_the_expressions_of_one_call_share_what_they_may_do(self) -> None:
        facts = make_facts()
        expression = read("args.list.all(i, i >= 0)")
        assert expression.evaluate(facts) is True
        cost = MAX_WORK - facts.meter.left
        for _ in range(facts.meter.left // cost):
            assert expression.evaluate(facts.within(x=1)) is True
        with pytest.raises(TooMuchError):
            expression.evaluate(facts.within(x=1))

    @pytest.mark.parametrize(
        "text", ["l{0} + l{0}", "[l{0}, l{0}]", "{{'a': l{0}, 'b': l{0}}}", "text([l{0}, l{0}])"]
    )
    @pytest.mark.parametrize("first", ["'ab'", "['ab']"])
    def test_names_that_double_each_other(self, text: str, first: str) -> None:
        facts = make_facts()
        facts.define("l0", read(first).evaluate(facts))
        for number in range(49):
            expression = read(text.format(number), f"l{number}")
            facts.define(f"l{number + 1}", Lazy(partial(expression.evaluate, facts)))
        with pytest.raises(EvaluationError):
            read("l49", "l49").evaluate(facts)

    def test_names_that_need_each_other_a_thousand_deep(self) -> None:
        facts = make_facts()
        facts.define("l0", 1)
        for number in range(1000):
            expression = read(f"l{number} + 1", f"l{number}")
            facts.define(f"l{number + 1}", Lazy(partial(expression.evaluate, facts)))
        with pytest.raises(EvaluationError, match="too many names need each other"):
            read("l1000", "l1000").evaluate(facts)

    def test_a_text_of_long_texts(self) -> None:
        text = read_text("{args.text}{args.text}", Faults())
        assert text is not None
        with pytest.raises(TooMuchError, match="more than 1048576 characters"):
            text.render(make_facts())

    @pytest.mark.parametrize(
        "text",
        [
            "(" * 900 + "1" + ")" * 900,
            "[" * 120 + "]" * 120,
            "true ? 1 : " * 150 + "1",
            "!" * 1999,
            "-" * 1999,
        ],
    )
    def test_what_is_nested_too_deep_is_not_read(self, text: str) -> None:
        faults = Faults()
        assert read_expression(text, faults) is None
        assert len(faults.found) == 1

    @pytest.mark.parametrize(
        ("text", "expected"),
        [
            ("1" + " + 1" * 490, 491),
            ("true" + " && true" * 240, True),
            ("!" * 1900 + "true", True),
            ("-" * 1901 + "a.b", -5),
        ],
    )
    def test_what_is_only_long_is_read(self, text: str, expected: Any) -> None:
        facts = make_facts()
        facts.define("a", {"b": 5})
        assert read(text, "a").evaluate(facts) == expected

    def test_a_path_may_be_as_long_as_an_expression(self) -> None:
        deep: dict[str, Any] = {"b": 5}
        for _ in range(900):
            deep = {"b": deep}
        facts = make_facts()
        facts.define("a", deep)
        assert read("a" + ".b" * 901, "a").evaluate(facts) == 5
        with pytest.raises(TooMuchError, match="nested 64 deep"):
            read("a", "a").evaluate(facts)

    def test_what_is_large_but_not_gone_through_is_no_hindrance(self) -> None:
        text = "size(state.big) == 11000 && args.more[10000] == 0 && 'b5' in state.big && size(args.text) > 5"
        facts = make_facts()
        assert read(text).holds(facts)
        assert facts.meter.left > MAX_WORK - 50_000

    def test_one_entity_of_a_large_world_costs_what_it_holds(self) -> None:
        assert LEDGER.look_at("order", "o5") is LEDGER.look_at("order", "o5")
        assert LEDGER.look_at("order", "nobody") is LEDGER.look_at("nothing", "o5") is None
        facts = make_facts()
        assert read("state.order.o5.items == entity('order', 'o5').items").holds(facts)
        assert facts.meter.left > MAX_WORK - 50

"""Which entity the bare name of a type means, and what holds of the layer whatever is asked of it."""

from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st
from support.lines import STATE, TOOLS, TYPES, WORLD, a_call, read

from odyssey.expressions import EvaluationError, Facts, read_expression
from odyssey.records.faults import Faults
from odyssey.records.tools import EntityType, LedgerSchema
from odyssey.simulation.behaviours import BehaviourFailedError, read_behaviours, with_behaviours
from odyssey.simulation.engine import Answer
from odyssey.simulation.world.engine import WorldEngine
from odyssey.worlds.ledger import Ledger
from odyssey.worlds.operations import apply


def meant(name: str, tool: str, arguments: dict[str, Any], world: Ledger = WORLD, **options: Any) -> Any:
    """What a type stands for in a call by which nothing happens."""
    call = a_call(tool, arguments, **options)
    return with_behaviours(read(f"* returns {name}"), call, world, lambda: Answer({})).response


class TestBinding:
    @pytest.mark.parametrize("argument", ["order_id", "orderId", "order", "ORDER_ID"])
    def test_an_argument_that_gives_the_id_of_the_type(self, argument: str) -> None:
        assert meant("order", "frobnicate", {argument: "o2"}) == STATE["order"]["o2"]

    def test_an_id_alone_is_that_of_what_the_tool_is_called_after(self) -> None:
        assert meant("order", "get_order", {"id": "o1"}) == STATE["order"]["o1"]
        assert meant("user", "get_user", {"id": "u2"}) == STATE["user"]["u2"]
        assert meant("order", "frobnicate", {"id": "o1"}) is None

    def test_an_id_may_be_a_number(self) -> None:
        world = Ledger.boot({"order": {"7": {"order_id": 7}}})
        assert meant("order", "cancel_order", {"order_id": 7}, world) == {"order_id": 7}

    def test_what_another_entity_points_at_near_or_far(self) -> None:
        assert meant("user", "refund_order", {"order_id": "o2"}) == STATE["user"]["u2"]
        assert meant("team", "refund_order", {"order_id": "o2"}) == STATE["team"]["t1"]
        assert meant("user", "frobnicate", {"payment_id": "pay_1"}) == STATE["user"]["u2"]

    def test_an_argument_counts_before_what_is_pointed_at(self) -> None:
        assert meant("user", "refund_order", {"order_id": "o2", "user_id": "u1"}) == STATE["user"]["u1"]

    def test_nothing_where_nothing_says_which(self) -> None:
        assert meant("user", "frobnicate", {"x": "u1"}) is None
        assert meant("payment", "refund_order", {"order_id": "o1"}) is None

    def test_nothing_where_there_is_none_of_this_id(self) -> None:
        assert meant("order", "frobnicate", {"order_id": "o9"}) is None

    def test_references_in_a_circle_come_to_an_end(self) -> None:
        world = Ledger.boot(
            {
                "order": {"o1": {"order_id": "o1", "user_id": "u1"}},
                "user": {"u1": {"user_id": "u1", "order_id": "o1"}},
                "team": {},
                "payment": {},
            }
        )
        assert meant("team", "refund_order", {"order_id": "o1"}, world) is None

    def test_what_is_only_declared_is_known_too(self) -> None:
        schema = LedgerSchema([EntityType("order", "number")])
        world = Ledger.boot({"order": {"o1": {"number": "o1", "x": 1}}})
        assert meant("order", "frobnicate", {"number": "o1"}, world, schema=schema) == {
            "number": "o1",
            "x": 1,
        }


ARGUMENTS = st.fixed_dictionaries(
    {},
    optional={
        "order_id": st.sampled_from(["o1", "o2", "o9", 7, None]),
        "user_id": st.sampled_from(["u1", "u9"]),
        "payment_id": st.just("pay_1"),
        "n": st.one_of(st.none(), st.booleans(), st.integers(-9, 99), st.text(max_size=3), st.just([1, 2])),
    },
)
VALUES = st.sampled_from(
    [
        *(
            "order.total",
            "order.items",
            "args.n",
            "args.n + 1",
            "user.balance - order.total",
            "order",
            "null",
        ),
        *("order.items.map(item, item.price)", "new_id('payment')", "size(args.n)", "payment.amount * 2"),
        *("find('order', 'user_id', 'u1')", "'x'", "[1, {'a': order.status}]", "1 / 0", "team.name", "flags"),
    ]
)
CONDITIONS = st.sampled_from(
    [
        *("order.total > 10", "order != null", "args.n == 1", "true", "false", "user.balance >= order.total"),
        *(
            "order.items.exists(item, item.price > 15)",
            "size(order.items) == args.n",
            "order.status in ['pending']",
        ),
        *("has(args.n)", "has(order.total) && !has(args.n)", "order.total", "team.name == 'Blue'"),
    ]
)
LINES = st.one_of(
    st.builds("{} only when {} else '{{args}} no'".format, st.sampled_from(TOOLS), CONDITIONS),
    st.builds("* fails when {} with not_found 'no {{args.order_id}}'".format, CONDITIONS),
    st.builds("* sets order.total = {}".format, VALUES),
    st.builds("* when {} sets order.address.city = {}, user.balance = {}".format, CONDITIONS, VALUES, VALUES),
    st.builds("* appends {} to order.history".format, VALUES),
    st.builds("* when {} appends {} to order.address".format, CONDITIONS, VALUES),
    st.builds("* adds payment {{amount: {}}}".format, VALUES),
    st.builds("* adds payment {{payment_id: {}}}".format, VALUES),
    st.builds("* adds note {{text: {}}}".format, VALUES),
    st.builds("* when {} removes {}".format, CONDITIONS, st.sampled_from(TYPES)),
    st.builds("* sets flag 'f{{{}}}'".format, VALUES),
    st.builds("* returns {}".format, VALUES),
    st.just("* changes nothing else"),
)
ENGINE = WorldEngine()


@given(st.lists(LINES, max_size=6), st.sampled_from(TOOLS), ARGUMENTS)
def test_whatever_the_lines_the_world_stays_and_nothing_is_raised_but_a_line_that_failed(
    lines: list[str], tool: str, arguments: dict[str, Any]
) -> None:
    world = Ledger.boot(STATE, ["open"])
    behaviours = read_behaviours("\n".join(lines), tools=TOOLS, types=TYPES).behaviours
    call = a_call(tool, arguments)
    answers: list[Answer | str] = []
    for _ in range(2):
        try:
            answers.append(with_behaviours(behaviours, call, world, lambda: ENGINE.answer(call, world)))
        except BehaviourFailedError as error:
            answers.append(str(error))
    first, again = answers
    assert first == again
    assert world.to_state() == STATE
    assert world.flags == {"open"}
    if isinstance(first, Answer) and first.refused:
        assert first.operations == ()
        assert first.response["error"]["code"] in ("not_found", "conflict", "bad_value")
    elif isinstance(first, Answer):
        assert apply(world, first.operations, "strict").violations == ()


@given(CONDITIONS, st.booleans(), st.sampled_from(TOOLS), ARGUMENTS)
def test_a_guard_refuses_exactly_when_its_condition_says_so(
    condition: str, allows: bool, tool: str, arguments: dict[str, Any]
) -> None:
    call = a_call(tool, arguments)
    facts = Facts(args=arguments, ledger=WORLD)
    for name in TYPES:
        facts.define(name, meant(name, tool, arguments))
    expression = read_expression(condition, Faults(), names=TYPES)
    assert expression is not None
    try:
        holds: bool | None = expression.holds(facts)
    except EvaluationError:
        holds = None
    passed = Answer("passed")
    clause = f"only when {condition} else 'guarded'" if allows else f"fails when {condition} with 'guarded'"
    text = f"{tool} {clause}"
    behaviours = read_behaviours(text, tools=TOOLS, types=TYPES).behaviours
    try:
        answer = with_behaviours(behaviours, call, WORLD, lambda: passed)
    except BehaviourFailedError:
        assert holds is None
        return
    if holds is None:
        assert answer.response["error"]["code"] == "not_found"
        assert answer.response["error"]["message"].startswith("No ")
    elif holds is allows:
        assert answer is passed
    else:
        assert answer.response == {"error": {"code": "conflict", "message": "guarded"}}

"""The layer that lines form around an engine: what they refuse, change and answer, and what they leave to it."""

from typing import Any

import pytest
from support.lines import STATE, WORLD, a_call, ask, read

from odyssey.expressions.facts import EarlierCall
from odyssey.records.ledger import Add, ClearFlag, Operation, Remove, SetFlag, Update
from odyssey.records.tools import EntityField, EntityType, LedgerSchema
from odyssey.simulation.behaviours import EMPTY, BehaviourFailedError, with_behaviours
from odyssey.simulation.consistency import check_answer
from odyssey.simulation.engine import Answer, Reading
from odyssey.simulation.programs import ProgramFailedError
from odyssey.worlds.ledger import Ledger
from odyssey.worlds.operations import apply

ORDER = STATE["order"]["o1"]
UNDERSTOOD = Answer(ORDER, (), 0.9, reading=Reading("update", "order"))


def error(answer: Answer) -> tuple[str, str]:
    assert answer.refused
    assert answer.operations == ()
    return answer.response["error"]["code"], answer.response["error"]["message"]


def around(
    text: str, inner: Answer, tool: str = "refund_order", arguments: dict[str, Any] | None = None
) -> Answer:
    """The lines of a text around an answer that is given."""
    return with_behaviours(read(text), a_call(tool, arguments), WORLD, lambda: inner)


def after(answer: Answer, world: Ledger = WORLD) -> Ledger:
    return apply(world, answer.operations, "strict").ledger


class TestGuards:
    def test_a_call_goes_on_when_the_condition_holds(self) -> None:
        text = (
            "refund_order only when order.status == 'pending'\nrefund_order fails when args.order_id == 'x'"
        )
        assert around(text, UNDERSTOOD) is UNDERSTOOD

    def test_a_call_is_refused_in_the_words_of_the_line(self) -> None:
        text = (
            'refund_order only when order.total > 50 else bad_value "Order {args.order_id} has {order.total}"'
        )
        answer = ask(text)
        assert error(answer) == ("bad_value", "Order o1 has 30")
        assert answer.certainty == 0.9
        assert "line 1" in answer.explanation

    def test_the_first_guard_that_does_not_pass_speaks(self) -> None:
        text = (
            "refund_order fails when order.total > 50 with 'one'\n"
            "refund_order fails when order.total > 20 with not_found 'two'\n"
            "refund_order only when false else 'three'"
        )
        assert error(ask(text)) == ("not_found", "two")

    def test_without_words_the_condition_is_said(self) -> None:
        assert error(ask("refund_order only when order.total > 50")) == (
            "conflict",
            "refund_order works only when order.total > 50.",
        )
        assert error(ask("refund_order fails when order.total == 30")) == (
            "conflict",
            "refund_order fails when order.total == 30.",
        )

    def test_a_refusal_takes_from_the_engine_only_what_the_call_was_for(self) -> None:
        inner = Answer(ORDER, (Remove("order", "o1"),), 0.9, reading=Reading("remove", "order", ("status",)))
        refused = around("* only when false", inner)
        assert error(refused)[0] == "conflict"
        assert (refused.operations, refused.reading) == ((), Reading("remove", "order"))

    def test_an_engine_that_fails_leaves_open_what_a_refused_call_was_for(self) -> None:
        def inner() -> Answer:
            raise ProgramFailedError("response", "no member 'x'")

        refused = with_behaviours(read("* only when false"), a_call("frobnicate"), WORLD, inner)
        assert (error(refused)[0], refused.reading) == ("conflict", Reading("none"))

    def test_a_line_for_all_tools_and_one_for_this_tool_both_count(self) -> None:
        text = "* only when actor == 'desk' else 'who?'\nrefund_order only when order.total < 9 else 'much'"
        assert error(ask(text)) == ("conflict", "who?")
        assert error(ask(text, actor="desk")) == ("conflict", "much")
        assert not ask(text, "get_order", actor="desk").refused

    def test_a_line_for_all_tools_is_about_the_calls_that_say_which_entities_it_means(self) -> None:
        text = (
            "* fails when order.status == 'pending' with 'locked'\n"
            "* when order.total > 1 sets flag 'large'\n"
            "* sets order.seen = true\n"
            "* when order.total > 1 returns order.total"
        )
        assert error(ask(text)) == ("conflict", "locked")
        assert around(text, UNDERSTOOD, "get_user", {"user_id": "u1"}) is UNDERSTOOD
        assert error(ask("* only when order != null else 'which?'", "get_user", {"user_id": "u1"})) == (
            "conflict",
            "which?",
        )

    def test_earlier_calls_can_be_looked_at(self) -> None:
        text = "refund_order fails when calls.exists(each, each.tool == 'refund_order') with 'twice'"
        assert not ask(text).refused
        assert error(ask(text, calls=(EarlierCall("refund_order", {}, "odyssey"),))) == ("conflict", "twice")

    def test_an_entity_that_is_not_there_is_not_found_unless_the_line_asks_whether_it_is(self) -> None:
        missing = {"order_id": "o9"}
        plain = "refund_order only when order.status == 'pending' else 'not pending'"
        assert error(ask(plain, arguments=missing)) == ("not_found", "No order with id 'o9' exists.")
        asking = f"refund_order only when order != null else not_found 'Order not found'\n{plain}"
        assert error(ask(asking, arguments=missing)) == ("not_found", "Order not found")
        through = "refund_order let stage = order.status\nrefund_order only when stage == 'pending'"
        assert error(ask(through, arguments=missing)) == ("not_found", "No order with id 'o9' exists.")

    def test_a_condition_that_is_none_fails_and_names_the_line(self) -> None:
        with pytest.raises(BehaviourFailedError, match=r"^line 3: the result is an int, not a boolean$"):
            ask("\n\nrefund_order only when order.total")
        with pytest.raises(
            BehaviourFailedError, match="line 1: nothing in the call says which order is meant"
        ):
            ask("frobnicate only when order.total > 1", "frobnicate", {"x": 1})
        with pytest.raises(BehaviourFailedError, match="line 1: no member 'nope'"):
            ask("refund_order fails when true with '{order.nope}'")


class TestEffects:
    def test_a_field_is_set(self) -> None:
        answer = ask('refund_order sets order.status = "refunded", order.total = order.total - 30')
        assert answer.operations == (Update("order", "o1", {"status": "refunded", "total": 0}),)
        assert answer.certainty == 0.9
        assert not answer.refused

    def test_a_field_inside_a_field_is_set_and_the_rest_stays(self) -> None:
        text = "refund_order sets order.address.city = 'Linz', order.address.geo.lat = 48.3, order.note.by = 'me'"
        assert ask(text).operations == (
            Update(
                "order",
                "o1",
                {"address": {"city": "Linz", "zip": "8010", "geo": {"lat": 48.3}}, "note": {"by": "me"}},
            ),
        )
        with pytest.raises(
            BehaviourFailedError, match=r"line 1: order\.status is 'pending', which has no fields"
        ):
            ask("refund_order sets order.status.x = 1")

    def test_something_is_appended_to_a_list(self) -> None:
        text = (
            "refund_order appends 'refunded' to order.history\n"
            "refund_order appends {'n': size(order.history)} to order.history\n"
            "refund_order appends 1 to order.log.all"
        )
        assert ask(text).operations == (
            Update("order", "o1", {"history": ["placed", "refunded", {"n": 1}], "log": {"all": [1]}}),
        )
        with pytest.raises(BehaviourFailedError, match=r"line 1: order\.total is 30, which is not a list"):
            ask("refund_order appends 1 to order.total")

    def test_an_entity_is_added_under_a_new_id_in_the_style_of_the_others(self) -> None:
        answer = ask("refund_order adds payment {order_id: args.order_id, amount: -order.total}")
        assert answer.operations == (
            Add("payment", "pay_2", {"payment_id": "pay_2", "order_id": "o1", "amount": -30}),
        )

    def test_several_are_added_under_several_ids(self) -> None:
        text = "refund_order adds payment {amount: 1}\nrefund_order adds payment {amount: 2}"
        assert [each.id for each in ask(text).operations if isinstance(each, Add)] == ["pay_2", "pay_3"]

    def test_an_entity_may_be_added_under_an_id_that_the_line_gives(self) -> None:
        assert ask("refund_order adds payment {payment_id: 'p-' + args.order_id}").operations == (
            Add("payment", "p-o1", {"payment_id": "p-o1"}),
        )
        assert ask("refund_order adds note {id: 7, text: 'x'}").operations == (
            Add("note", "7", {"id": 7, "text": "x"}),
        )
        assert error(ask("refund_order adds payment {payment_id: 'pay_1'}")) == (
            "conflict",
            "The payment with id 'pay_1' exists already.",
        )
        with pytest.raises(BehaviourFailedError, match=r"payment_id is \[\]; an id is a text or an integer"):
            ask("refund_order adds payment {payment_id: []}")

    def test_an_entity_is_removed(self) -> None:
        answer = ask("refund_order removes order")
        assert answer.operations == (Remove("order", "o1"),)
        assert after(answer).entity("order", "o1") is None

    def test_flags_are_set_and_cleared(self) -> None:
        text = "refund_order sets flag 'refunded:{args.order_id}'\nrefund_order clears flag 'open'"
        assert ask(text).operations == (SetFlag("refunded:o1"), ClearFlag("open"))

    def test_only_lines_whose_condition_holds_act(self) -> None:
        text = (
            "refund_order when order.total > 20 sets order.status = 'large'\n"
            "refund_order when order.total <= 20 sets order.status = 'small'"
        )
        assert ask(text).operations == (Update("order", "o1", {"status": "large"}),)

    def test_expressions_see_the_world_before_the_call_and_a_later_line_wins(self) -> None:
        text = (
            "refund_order sets order.total = order.total + 1\n"
            "refund_order sets order.total = order.total + 10\n"
            "refund_order sets user.balance = user.balance + order.total"
        )
        assert ask(text).operations == (
            Update("order", "o1", {"total": 40}),
            Update("user", "u1", {"balance": 130}),
        )

    def test_a_let_is_worked_out_once_and_only_when_needed(self) -> None:
        text = (
            "refund_order let broken = order.nope\n"
            "refund_order let half = order.total / 2\n"
            "refund_order sets order.total = half, user.balance = half"
        )
        assert ask(text).operations == (
            Update("order", "o1", {"total": 15}),
            Update("user", "u1", {"balance": 15}),
        )

    def test_an_entity_that_is_not_there_cannot_be_changed(self) -> None:
        text = "frobnicate sets order.status = 'x'"
        assert error(ask(text, "frobnicate", {"order_id": "o9"})) == (
            "not_found",
            "No order with id 'o9' exists.",
        )
        with pytest.raises(
            BehaviourFailedError, match="line 1: nothing in the call says which order is meant"
        ):
            ask(text, "frobnicate", {"x": "o1"})

    def test_an_effect_that_cannot_be_worked_out_fails_and_names_the_line(self) -> None:
        with pytest.raises(BehaviourFailedError, match=r"^line 2: no member 'nope'$"):
            ask("# costs\nrefund_order sets order.total = order.nope")

    def test_the_world_that_is_given_stays_as_it_is(self) -> None:
        before = WORLD.hash()
        ask(
            "refund_order appends 1 to order.history\nrefund_order sets order.address.city = 'x'\n* adds user {}"
        )
        assert Ledger.boot(WORLD.to_state()).hash() == before


class TestOverlay:
    INNER = (Update("order", "o1", {"status": "done", "total": 1}), SetFlag("seen"))

    def laid(self, text: str, *operations: Operation) -> tuple[Operation, ...]:
        given = operations or self.INNER
        return around(text, Answer(ORDER, given, 0.9, reading=Reading("update", "order"))).operations

    def test_of_the_same_field_the_line_counts(self) -> None:
        assert self.laid("refund_order sets order.status = 'x', order.note = 'y'") == (
            Update("order", "o1", {"total": 1, "status": "x", "note": "y"}),
            SetFlag("seen"),
        )

    def test_a_list_the_engine_wrote_to_is_the_lines_alone(self) -> None:
        engine = Update("order", "o1", {"history": ["placed", "by the engine"]})
        assert self.laid("refund_order appends 'mine' to order.history", engine) == (
            Update("order", "o1", {"history": ["placed", "mine"]}),
        )

    def test_inside_a_field_the_rest_of_what_the_engine_wrote_stays(self) -> None:
        engine = Update("order", "o1", {"address": {"city": "Ulm", "zip": "89073"}})
        assert self.laid("refund_order sets order.address.city = 'Bonn'", engine) == (
            Update("order", "o1", {"address": {"city": "Bonn", "zip": "89073"}}),
        )

    def test_a_flag_is_set_or_cleared_by_the_line(self) -> None:
        assert self.laid("refund_order clears flag 'seen'") == (self.INNER[0], ClearFlag("seen"))

    def test_what_a_line_changes_is_not_removed(self) -> None:
        assert self.laid("refund_order sets order.status = 'gone'", Remove("order", "o1")) == (
            Update("order", "o1", {"status": "gone"}),
        )

    def test_what_a_line_removes_is_not_changed(self) -> None:
        assert self.laid("refund_order removes order") == (SetFlag("seen"), Remove("order", "o1"))
        assert self.laid("refund_order removes order", Remove("order", "o1")) == (Remove("order", "o1"),)

    def test_what_both_add_is_added_once(self) -> None:
        engine = Add("payment", "pay_9", {"payment_id": "pay_9", "amount": 1, "by": "engine"})
        assert self.laid("refund_order adds payment {amount: 2}", engine) == (
            Add("payment", "pay_9", {"payment_id": "pay_9", "amount": 2, "by": "engine"}),
        )
        lists_it = Update("user", "u1", {"payments": ["pay_9"]})
        assert self.laid("refund_order adds payment {payment_id: 'p'}", engine, lists_it) == (
            Update("user", "u1", {"payments": ["p"]}),
            Add("payment", "p", {"payment_id": "p", "amount": 1, "by": "engine"}),
        )

    def test_what_the_engine_adds_can_be_set(self) -> None:
        answer = ask(
            "create_payment sets payment.status = 'new'", "create_payment", {"order_id": "o1", "amount": 3}
        )
        assert answer.operations == (
            Add("payment", "pay_2", {"order_id": "o1", "amount": 3, "payment_id": "pay_2", "status": "new"}),
        )
        assert answer.response == {"order_id": "o1", "amount": 3, "payment_id": "pay_2", "status": "new"}

    def test_what_a_line_adds_can_be_set_by_a_later_one(self) -> None:
        text = "refund_order adds note {id: 'n', tags: ['a']}\nrefund_order appends 'b' to note.tags"
        assert self.laid(text, SetFlag("x")) == (
            SetFlag("x"),
            Add("note", "n", {"id": "n", "tags": ["a", "b"]}),
        )

    def test_nothing_else_changes_where_a_line_says_so(self) -> None:
        assert self.laid("refund_order sets order.note = 'y'\nrefund_order changes nothing else") == (
            Update("order", "o1", {"note": "y"}),
        )
        assert self.laid("refund_order changes nothing else") == ()

    def test_an_engine_that_only_guesses_changes_nothing_beside_lines(self) -> None:
        guess = Answer({}, self.INNER, 0.3, reading=Reading("update", "order"))
        assert around("refund_order sets order.note = 'y'", guess).operations == (
            Update("order", "o1", {"note": "y"}),
        )

    def test_a_refusal_of_the_engine_stands(self) -> None:
        refusal = Answer(
            {"error": {"code": "conflict", "message": "no"}}, refused=True, reading=Reading("update")
        )
        assert around("refund_order sets order.note = 'y'", refusal) is refusal
        assert around("refund_order returns 1", refusal) is refusal
        assert around("refund_order changes nothing else", refusal) is refusal
        silent = "* sets order.x = 1\nget_user changes nothing else"
        assert around(silent, refusal, "get_user", {"user_id": "u1"}) is refusal

    def test_a_refusal_of_the_engine_does_not_count_where_lines_alone_say_what_happens(self) -> None:
        refusal = Answer(
            {"error": {"code": "conflict", "message": "no"}}, refused=True, reading=Reading("update")
        )
        answer = around("refund_order sets order.total = 0\nrefund_order changes nothing else", refusal)
        assert answer.operations == (Update("order", "o1", {"total": 0}),)
        assert answer.response == {**ORDER, "total": 0}
        assert not answer.refused

    def test_lines_about_other_tools_change_nothing(self) -> None:
        assert around("cancel_order removes order", UNDERSTOOD) is UNDERSTOOD
        assert with_behaviours(EMPTY, a_call("refund_order"), WORLD, lambda: UNDERSTOOD) is UNDERSTOOD
        assert around("refund_order when false sets order.total = 1", UNDERSTOOD) is UNDERSTOOD

    def test_what_the_engine_raises_is_not_the_layers_business(self) -> None:
        def inner() -> Answer:
            raise ZeroDivisionError

        with pytest.raises(ZeroDivisionError):
            with_behaviours(read("refund_order removes order"), a_call("refund_order"), WORLD, inner)


class TestResponses:
    def test_a_line_says_what_is_returned_on_the_world_after_the_call(self) -> None:
        text = (
            "refund_order let was = order.total\n"
            "refund_order sets order.total = 0\n"
            "refund_order returns {'was': was, 'is': order.total, 'again': entity('order', 'o1').total}"
        )
        answer = ask(text)
        assert answer.response == {"was": 30, "is": 0, "again": 0}
        assert answer.certainty == 0.9

    def test_the_first_line_that_applies_returns(self) -> None:
        text = "get_order when order.total > 99 returns 1\nget_order returns 2\nget_order returns 3"
        assert ask(text, "get_order").response == 2

    def test_a_new_entity_can_be_returned(self) -> None:
        text = "refund_order adds payment {amount: 7}\nrefund_order returns payment"
        assert ask(text).response == {"payment_id": "pay_2", "amount": 7}

    def test_what_cannot_be_returned_fails_and_names_the_line(self) -> None:
        with pytest.raises(BehaviourFailedError, match="line 2: no member 'status'"):
            ask("refund_order removes order\nrefund_order returns order.status")

    def test_what_the_engine_shows_is_shown_as_it_has_become(self) -> None:
        text = "get_order sets order.views = 1, order.address.city = 'Linz'"
        expected = {**ORDER, "views": 1, "address": {"city": "Linz", "zip": "8010"}}
        answer = ask(text, "get_order")
        assert answer.response == expected
        assert answer.reading is not None
        assert answer.reading.operation == "update"
        assert ORDER["address"]["city"] == "Graz"

    def test_only_the_fields_that_are_shown_are_refreshed_also_deep_inside(self) -> None:
        shown = {
            "results": [{"order_id": "o1", "status": "pending"}, {"order_id": "o2", "status": "shipped"}]
        }
        answer = around(
            "refund_order sets order.status = 'x', order.total = 1",
            Answer(shown, (), 0.9, reading=Reading("list", "order")),
        )
        assert answer.response == {
            "results": [{"order_id": "o1", "status": "x"}, {"order_id": "o2", "status": "shipped"}]
        }
        assert shown["results"][0]["status"] == "pending"

    def test_an_object_that_only_points_at_the_entity_is_left_alone(self) -> None:
        shown = {"payment_id": "pay_1", "order_id": "o1", "amount": 5.5, "total": "n/a"}
        inner = Answer(shown, (), 0.9, reading=Reading("read", "payment"))
        assert around("refund_order sets order.total = 1", inner).response == shown

    def test_what_the_engine_would_have_changed_is_shown_as_it_was_left(self) -> None:
        changed = Answer(
            {**ORDER, "status": "cancelled"},
            (Update("order", "o1", {"status": "cancelled"}),),
            0.9,
            reading=Reading("update", "order"),
        )
        assert around("refund_order changes nothing else", changed).response == ORDER

    def test_a_tool_nobody_understands_answers_with_the_entity_it_changed(self) -> None:
        answer = ask("frobnicate sets order.total = 1", "frobnicate")
        assert answer.response == {**ORDER, "total": 1}
        assert answer.certainty == 0.9

    def test_the_answer_has_the_shape_the_tool_promised(self) -> None:
        output = {
            "type": "object",
            "properties": {"order": {"type": "object"}, "success": {"type": "boolean"}},
            "required": ["order", "success"],
        }
        answer = ask("frobnicate sets order.total = 1", "frobnicate", output=output)
        assert answer.response["order"] == {**ORDER, "total": 1}

    def test_of_several_that_changed_the_one_the_tool_is_called_after_is_answered(self) -> None:
        two = "{0} sets order.total = 1, user.balance = 2"
        assert ask(two.format("refund_order"), "refund_order").response == {**ORDER, "total": 1}
        assert ask(two.format("frobnicate"), "frobnicate").response == {}
        output = {"type": "object", "properties": {"n": {"type": "integer"}}, "required": ["n"]}
        assert ask(two.format("frobnicate"), "frobnicate", output=output).response == {"n": 0}

    def test_lines_alone_need_no_engine_to_make_a_tool(self) -> None:
        text = (
            "frobnicate adds payment {order_id: args.order_id, amount: order.total}\n"
            "frobnicate sets user.balance = user.balance - order.total\n"
            "frobnicate returns {'balance': user.balance, 'paid': payment.amount}"
        )
        answer = ask(text, "frobnicate")
        assert answer.response == {"balance": 70, "paid": 30}
        assert answer.reading is not None
        assert answer.reading.operation == "create"
        assert answer.explanation.endswith("behaviour lines 1, 2, 3")

    def test_a_declared_world_is_obeyed(self) -> None:
        schema = LedgerSchema([EntityType("order", "order_id", fields=[EntityField("status", "string")])])
        answer = ask("refund_order sets order.status = 'x'", schema=schema)
        assert after(answer).entity("order", "o1") is not None


class TestConsistency:
    """What lines do is done by definition: no check may take it for a slip of the engine."""

    @pytest.mark.parametrize(
        ("tool", "text"),
        [
            ("get_order", "get_order sets order.views = 1"),
            ("get_order", "get_order sets flag 'seen'"),
            ("get_order", "get_order sets order.total = 30"),
            ("cancel_order", "cancel_order changes nothing else"),
            ("cancel_order", "cancel_order sets order.total = 30\ncancel_order changes nothing else"),
            ("cancel_order", "cancel_order adds complaint {text: 'x'}\ncancel_order changes nothing else"),
            ("cancel_order", "cancel_order sets user.balance = 1\ncancel_order changes nothing else"),
            ("delete_order", "delete_order sets order.status = 'gone'"),
            ("frobnicate", "frobnicate returns {'ok': true}"),
            ("frobnicate", "frobnicate removes order"),
            ("refund_order", "refund_order adds refund {id: 'r1', order_id: args.order_id}"),
            ("update_order", "update_order returns 'done'"),
        ],
    )
    def test_no_line_is_taken_for_a_contradiction(self, tool: str, text: str) -> None:
        answer = ask(text, tool, {"order_id": "o1", **({"status": "x"} if tool == "update_order" else {})})
        assert not answer.refused
        call = a_call(tool, {"order_id": "o1", **({"status": "x"} if tool == "update_order" else {})})
        assert check_answer(call, answer, WORLD, after(answer)) == []

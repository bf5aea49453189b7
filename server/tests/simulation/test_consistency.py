"""What an answer may not say about a world, told by answers of a scripted engine in a small shop."""

from typing import Any, ClassVar

import msgspec
import pytest
from support.asking import tool_call

from odyssey.records.ledger import Add, Operation, Remove, Update, Violation
from odyssey.records.tools import EntityField, EntityType, LedgerSchema, Tool
from odyssey.simulation.consistency import MAX_VIOLATIONS, check_answer
from odyssey.simulation.engine import Answer, EngineName, Reading, ToolCall
from odyssey.simulation.simulate import simulate
from odyssey.worlds.ledger import Ledger
from odyssey.worlds.operations import apply

STATE: dict[str, dict[str, dict[str, Any]]] = {
    "product": {
        "p1": {"product_id": "p1", "name": "Lamp", "price": 12},
        "p2": {"product_id": "p2", "name": "Rope", "price": 3},
    },
    "order": {
        "o1": {
            "order_id": "o1",
            "buyer_id": "b1",
            "status": "open",
            "total": 10,
            "gift": False,
            "lines": [{"product_id": "p1", "name": "Lamp", "price": 10}],
            "note": None,
        },
        "o2": {"order_id": "o2", "buyer_id": "b2", "status": "closed", "total": 3.5, "lines": []},
    },
    "buyer": {
        "b1": {"buyer_id": "b1", "name": "Ada", "status": "gold"},
        "b2": {"buyer_id": "b2", "name": "Ben", "status": "plain"},
    },
}
WORLD = Ledger.boot(STATE)
TEAMS = Ledger.boot(
    {
        **STATE,
        "team": {
            "t1": {
                "team_id": "t1",
                "members": ["Ada", "Ben"],
                "place": {"town": "Hull", "rooms": [{"at": 7, "beds": 2}, {"at": 8, "beds": 1}]},
            }
        },
    }
)
SCHEMA = LedgerSchema(
    [EntityType("order", "order_id", fields=[EntityField("status", "string")]), EntityType("refund", "id")]
)
READ = Reading("read", "order", by=("order_id",))


def check(
    response: Any,
    *operations: Operation,
    reading: Reading | None = None,
    schema: LedgerSchema | None = None,
    world: Ledger = WORLD,
) -> list[Violation]:
    call = ToolCall(Tool("touch", {}), {}, schema, random_seed=1, sequence=4)
    after = apply(world, operations, "off").ledger
    return check_answer(call, Answer(response, operations, reading=reading), world, after)


def ask(
    tool: str,
    arguments: dict[str, Any],
    response: Any,
    *operations: Operation,
    reading: Reading | None = None,
    certainty: float = 1.0,
    world: Ledger = WORLD,
) -> list[Violation]:
    """What is found in an answer to a call that says what it is about."""
    after = apply(world, operations, "off").ledger
    answer = Answer(response, operations, certainty, reading=reading)
    return check_answer(tool_call(tool, arguments, sequence=4), answer, world, after)


def kinds(found: list[Violation]) -> list[tuple[str, str | None, str | None]]:
    assert all(violation.sequence == 4 for violation in found)
    return [(violation.kind, violation.entity_id, violation.field) for violation in found]


class TestReadYourWrites:
    def test_what_was_written_must_be_shown(self) -> None:
        written = Update("order", "o1", {"status": "closed"})
        assert check({"order_id": "o1", "status": "closed"}, written) == []
        (violation,) = check({"order_id": "o1", "status": "open"}, written)
        assert violation == Violation(
            "response_mismatch",
            "order",
            "o1",
            "status",
            "the response says status of order 'o1' is 'open'; in the ledger it is 'closed'",
            4,
        )

    @pytest.mark.parametrize(
        "response",
        [
            [{"order_id": "o2", "status": "open"}],
            {"orders": [{"order_id": "o1"}, {"order_id": "o2", "status": "open"}], "total": 2},
            {"data": {"order": {"order_id": "o2", "status": "open", "eta": "soon"}}},
            {"buyer_id": "b2", "name": "Ben", "orders": [{"order_id": "o2", "status": "open"}]},
        ],
    )
    def test_entities_are_found_wherever_they_stand(self, response: Any) -> None:
        assert kinds(check(response)) == [("response_mismatch", "o2", "status")]

    @pytest.mark.parametrize(
        "response",
        [
            STATE["order"]["o1"],
            list(STATE["buyer"].values()),
            {"order_id": "o1", "total": 10.0, "eta": "tomorrow"},
            {"order_id": ["o1"], "status": "any"},
            {"order_id": "o1", "buyer_id": "b1", "status": "open"},
            {"order_id": "o1", "lines": 3},
            "closed",
            None,
            7,
        ],
    )
    def test_what_agrees_or_shows_no_entity_passes(self, response: Any) -> None:
        assert check(response) == []

    @pytest.mark.parametrize(
        ("shown", "field"),
        [
            ({"order_id": "o1", "lines": [{"product_id": "p1", "price": 12}]}, "lines.0.price"),
            ({"order_id": "o1", "lines": [{"product_id": "p2"}]}, "lines.0.product_id"),
            ({"order_id": "o2", "lines": [{"product_id": "p2"}]}, "lines.0"),
            ({"order_id": "o1", "status": ["open"]}, "status"),
            ({"team_id": "t1", "members": ["Ada", "Ada"]}, "members.1"),
            ({"team_id": "t1", "members": ["Ada", "Cleo", "Ben"]}, "members.1"),
            ({"team_id": "t1", "place": {"town": "York"}}, "place.town"),
            ({"team_id": "t1", "place": {"rooms": [{"at": 7, "beds": 3}]}}, "place.rooms.0"),
        ],
    )
    def test_what_lies_inside_is_compared_as_well(self, shown: dict[str, Any], field: str) -> None:
        assert [violation.field for violation in check(shown, world=TEAMS)] == [field]

    @pytest.mark.parametrize(
        "shown",
        [
            {"team_id": "t1", "members": ["Ben", "Ada"]},
            {"team_id": "t1", "members": ["Ben"]},
            {"team_id": "t1", "members": 2},
            {"team_id": "t1", "members": [{"name": "Ada"}]},
            {"team_id": "t1", "place": {"town": "Hull", "far": True}},
            {"team_id": "t1", "place": "Hull"},
            {"team_id": "t1", "place": {"rooms": [{"at": 8}, {"at": 7, "beds": 2}]}},
            {"team_id": "t1", "place": {"rooms": [{"at": 8, "free": True}]}},
        ],
    )
    def test_a_part_of_it_in_any_order_and_with_more_to_it_agrees(self, shown: dict[str, Any]) -> None:
        assert check(shown, world=TEAMS) == []

    def test_what_was_just_written_is_shown_whole(self) -> None:
        written = Update("team", "t1", {"members": ["Ada", "Ben", "Chi"], "place": {"town": "Hull"}})
        assert check({"team_id": "t1", "members": ["Chi", "Ben", "Ada"]}, written, world=TEAMS) == []
        shown = {"team_id": "t1", "members": ["Ada", "Ben"], "place": {"town": "Hull", "rooms": []}}
        found = check(shown, written, world=TEAMS)
        assert [violation.field for violation in found] == ["members", "place.rooms"]

    def test_types_are_part_of_a_value(self) -> None:
        found = check({"order_id": "o1", "total": "10", "gift": 0})
        assert kinds(found) == [("response_mismatch", "o1", "total"), ("response_mismatch", "o1", "gift")]

    def test_a_foreign_id_does_not_make_an_entity(self) -> None:
        assert kinds(check({"order_id": "o1", "buyer_id": "b1", "total": 10, "status": "gold"})) == [
            ("response_mismatch", "o1", "status")
        ]

    def test_a_part_keeps_what_it_was_made_with(self) -> None:
        assert check({"product_id": "p1", "name": "Lamp", "price": 10}) == []
        assert check({"lines": [{"product_id": "p1", "price": 10}]}) == []
        assert kinds(check({"product_id": "p1", "price": 10, "stock": 4})) == [
            ("response_mismatch", "p1", "price")
        ]

    def test_what_the_call_created_is_known_at_once(self) -> None:
        new = Add("voucher", "v1", {"voucher_id": "v1", "worth": 5})
        assert check({"voucher_id": "v1", "worth": 5}, new) == []
        assert kinds(check({"voucher_id": "v1", "worth": 6}, new)) == [("response_mismatch", "v1", "worth")]

    def test_what_the_call_removed_may_be_shown_for_the_last_time(self) -> None:
        assert check({"order_id": "o1", "status": "removed"}, Remove("order", "o1")) == []

    def test_ids_that_are_numbers(self) -> None:
        world = Ledger.boot({"seat": {"7": {"seat_id": 7, "row": 1}, "8": {"seat_id": 8, "row": 1}}})
        assert check({"seat_id": 7, "row": 1}, world=world) == []
        assert kinds(check({"seat_id": 7, "row": 2}, world=world)) == [("response_mismatch", "7", "row")]

    def test_two_types_that_could_be_meant(self) -> None:
        world = Ledger.boot(
            {"cat": {"1": {"id": "1", "name": "Tom"}}, "dog": {"1": {"id": "1", "name": "Rex"}}}
        )
        shown = {"id": "1", "name": "Ace"}
        assert check({"id": "1", "name": "Rex"}, world=world) == []
        assert check(shown, world=world) == []
        (violation,) = check(shown, world=world, reading=Reading("read", "dog"))
        assert violation.entity_type == "dog"

    def test_a_refusal_shows_nothing(self) -> None:
        answer = Answer({"order_id": "o1", "status": "lost"}, refused=True)
        call = ToolCall(Tool("touch", {}), {}, None, random_seed=1, sequence=4)
        assert check_answer(call, answer, WORLD, WORLD) == []

    def test_a_page_of_contradictions_is_cut(self) -> None:
        assert len(check([{"order_id": "o1", "status": "lost"}] * 1000)) == MAX_VIOLATIONS


class TestInventedIds:
    @pytest.mark.parametrize(
        ("response", "entity"),
        [
            ({"order_id": "o9", "status": "open"}, "order"),
            ({"order_id": "o9"}, "order"),
            (
                [{"order_id": "o1"}, {"order_id": "o9", "buyer_id": "b1", "status": "open", "total": 1}],
                "order",
            ),
            ({"order_id": "o1", "buyer": {"buyer_id": "b9", "name": "Zoe"}}, "buyer"),
            ({"buyer_id": 77}, "buyer"),
        ],
    )
    def test_an_id_in_the_field_of_ids_must_exist(self, response: Any, entity: str) -> None:
        assert [(each.kind, each.entity_type) for each in check(response)] == [("invented_id", entity)]

    def test_the_message_says_which(self) -> None:
        (violation,) = check({"order_id": "o9"})
        assert violation == Violation(
            "invented_id",
            "order",
            "o9",
            "order_id",
            "the response gives the id 'o9', but no order with this id exists",
            4,
        )

    @pytest.mark.parametrize(
        "response",
        [
            {"order_id": None},
            {"order_id": ""},
            {"tracking_id": "t9"},
            {"id": "x9", "label": "anything"},
            {"product_id": "p9", "name": "Lamp", "price": 1},
        ],
    )
    def test_what_is_no_id_or_may_be_a_part_passes(self, response: Any) -> None:
        assert check(response) == []

    def test_what_the_call_adds_or_removes_is_not_invented(self) -> None:
        new = Add("order", "o3", {"order_id": "o3"})
        assert check({"order_id": "o3"}, new) == []
        assert kinds(check({"order_id": "o4"}, new)) == [("invented_id", "o4", "order_id")]
        assert check({"order_id": "o2"}, Remove("order", "o2")) == []

    def test_in_a_world_that_holds_only_some_of_what_it_points_at_nothing_is_proved(self) -> None:
        far = {"o1": {"order_id": "o1", "buyer_id": "b7", "lines": [{"product_id": "p8"}]}}
        world = Ledger.boot({**STATE, "order": far})
        assert check({"buyer_id": "b8", "spent": 12}, world=world) == []
        assert check([{"product_id": "p9", "sold": 3}], world=world) == []
        assert kinds(check({"order_id": "o9"}, world=world)) == [("invented_id", "o9", "order_id")]
        assert kinds(check({"buyer_id": "b8", "spent": 12})) == [("invented_id", "b8", "buyer_id")]

    def test_one_that_was_removed_leaves_a_world_as_good_as_whole(self) -> None:
        orders = {f"o{at}": {"order_id": f"o{at}", "buyer_id": f"b{1 + at % 2}"} for at in range(5)}
        world = Ledger.boot({**STATE, "order": orders | {"o9": {"order_id": "o9", "buyer_id": "b7"}}})
        assert kinds(check({"buyer_id": "b8"}, world=world)) == [("invented_id", "b8", "buyer_id")]

    def test_to_repeat_the_question_invents_nothing_but_to_describe_it_does(self) -> None:
        asked = {"order_id": "o9"}
        assert ask("get_order", asked, {"order_id": "o9", "found": False}) == []
        shown = {"order_id": "o9", "status": "open", "total": 4}
        assert kinds(ask("get_order", asked, shown)) == [("invented_id", "o9", "order_id")]

    def test_an_id_that_is_all_of_the_answer(self) -> None:
        name = {"name": "Ada"}
        assert ask("find_buyer_id_by_name", name, "b1") == []
        assert kinds(ask("find_buyer_id_by_name", name, "b9")) == [("invented_id", "b9", None)]
        assert ask("find_buyer_id_by_name", {"name": "Zoe"}, "There is no such buyer.") == []
        assert ask("get_buyer_badge", name, "b9") == []

    def test_where_ids_are_keys_alone(self) -> None:
        world = Ledger.boot({"bay": {"b1": {"load": 5, "zone": "N"}, "b2": {"load": 1, "zone": "N"}}})
        assert check({"id": "b1", "load": 5}, world=world) == []
        assert kinds(check({"id": "b1", "load": 6}, world=world)) == [("response_mismatch", "b1", "load")]
        assert kinds(check({"bay_id": "b1", "load": 6}, world=world)) == [("response_mismatch", "b1", "load")]
        assert kinds(check({"id": "b9", "load": 6}, world=world)) == [("invented_id", "b9", "id")]
        assert check({"id": "b9", "colour": "red", "size": 3}, world=world) == []


class TestTheOneAskedFor:
    BAYS = Ledger.boot({"bay": {"b1": {"load": 5, "zone": "N"}, "b2": {"load": 1, "zone": "N"}}})

    @pytest.mark.parametrize(
        "response", [{"load": 6, "zone": "N"}, {"bay": {"load": 6, "zone": "N", "eta": 1}}]
    )
    def test_needs_no_id_to_be_known(self, response: Any) -> None:
        found = ask("get_bay", {"bay_id": "b1"}, response, world=self.BAYS)
        assert kinds(found) == [("response_mismatch", "b1", "load")]

    @pytest.mark.parametrize(
        "response",
        [
            {"load": 5, "zone": "N"},
            {"load": 6},
            {"load": 6, "zone": "N", "a": 1, "b": 2},
            [{"load": 6, "zone": "N"}],
        ],
    )
    def test_or_is_not_known(self, response: Any) -> None:
        assert ask("get_bay", {"bay_id": "b1"}, response, world=self.BAYS) == []

    @pytest.mark.parametrize(
        ("tool", "response", "field"),
        [
            ("get_order_status", "closed", "status"),
            ("get_order_total", 11, "total"),
            ("get_order_gift", True, "gift"),
            ("get_team_place", {"town": "York"}, "place.town"),
        ],
    )
    def test_a_field_of_it_is_all_of_the_answer(self, tool: str, response: Any, field: str) -> None:
        arguments = {"team_id": "t1"} if "team" in tool else {"order_id": "o1"}
        (violation,) = ask(tool, arguments, response, world=TEAMS)
        assert (violation.kind, violation.field) == ("response_mismatch", field)

    @pytest.mark.parametrize(
        ("tool", "response"),
        [
            ("get_order_status", "open"),
            ("get_order_status", "Still closed, as far as we know."),
            ("get_order_status", "unheard-of"),
            ("get_order_status", None),
            ("get_order_total", "11"),
            ("get_order_eta", "closed"),
            ("get_next_order_status", "closed"),
            ("get_order_lines", []),
        ],
    )
    def test_what_agrees_or_may_mean_something_else_passes(self, tool: str, response: Any) -> None:
        assert ask(tool, {"order_id": "o1"}, response) == []

    def test_must_be_the_one_shown(self) -> None:
        other = dict(STATE["order"]["o2"])
        (violation,) = ask("get_order", {"order_id": "o1"}, other)
        assert (violation.kind, violation.entity_id) == ("wrong_entity", "o2")
        assert violation.message == "order 'o1' was asked for, and order 'o2' is shown"
        assert ask("get_next_order", {"order_id": "o1"}, other) == []
        assert ask("list_orders", {"buyer_id": "b2"}, [other]) == []


class TestForgottenWrites:
    CLOSED = Update("order", "o1", {"status": "closed"})

    @pytest.mark.parametrize(
        ("tool", "arguments", "entity"),
        [
            ("update_order", {"order_id": "o1", "status": "closed"}, "o1"),
            ("close_order", {"order_id": "o1"}, "o1"),
            ("delete_order", {"order_id": "o1"}, "o1"),
            ("create_buyer", {"name": "Chi", "status": "plain"}, None),
        ],
    )
    @pytest.mark.parametrize("response", [{"success": True}, {}, "done"])
    def test_a_change_that_is_asked_for_and_not_refused_is_made(
        self, tool: str, arguments: dict[str, Any], entity: str | None, response: Any
    ) -> None:
        (violation,) = ask(tool, arguments, response)
        assert (violation.kind, violation.entity_id) == ("forgotten_write", entity)
        assert violation.message.startswith(f"{tool} is read as '")
        assert violation.message.endswith("', and the answer does not refuse, but nothing changes")

    @pytest.mark.parametrize(
        "response",
        [{"success": False}, {"error": "too late"}, "Error: too late", False, {"errors": ["late"]}],
    )
    def test_who_says_that_it_was_not_done_owes_nothing(self, response: Any) -> None:
        assert ask("close_order", {"order_id": "o1"}, response) == []

    def test_nor_does_who_refuses_or_did_not_understand(self) -> None:
        call = tool_call("close_order", {"order_id": "o1"}, sequence=4)
        refusal = Answer({"error": {"code": "conflict", "message": "late"}}, refused=True)
        assert check_answer(call, refusal, WORLD, WORLD) == []
        assert check_answer(call, Answer({}, certainty=0.3), WORLD, WORLD) == []

    def test_nor_is_anything_owed_that_is_so_already(self) -> None:
        assert ask("update_order", {"order_id": "o2", "status": "closed"}, {"success": True}) == []
        again = Update("order", "o2", {"status": "closed"})
        assert ask("update_order", {"order_id": "o2", "status": "closed"}, {}, again) == []
        assert ask("update_order", {"order_id": "o9", "status": "closed"}, {}) == []

    def test_to_write_what_was_there_is_to_forget(self) -> None:
        same = Update("order", "o1", {"status": "open"})
        assert [each.kind for each in ask("close_order", {"order_id": "o1"}, {}, same)] == ["forgotten_write"]

    def test_what_an_engine_says_it_did_instead_is_believed(self) -> None:
        arguments = {"order_id": "o1"}
        assert ask("close_order", arguments, {}, reading=Reading("acknowledge")) == []
        by_a_program = Reading("update", "order")
        assert ask("close_order", arguments, {}, reading=by_a_program) == []
        assert ask("close_order", arguments, {}, reading=by_a_program, certainty=0.9) != []

    def test_what_is_shown_of_an_entity_just_written_was_written(self) -> None:
        new = Add("order", "o3", {"order_id": "o3", "buyer_id": "b1"})
        shown = {"order_id": "o3", "buyer_id": "b1", "status": "open", "eta": "soon", "note": None}
        (violation,) = check(shown, new)
        assert (violation.kind, violation.field) == ("forgotten_write", "status")
        assert violation.message == (
            "the response says status of order 'o3' is 'open'; this call writes the entity and leaves that out"
        )
        assert check(shown | {"order_id": "o2", "buyer_id": "b2", "status": "closed", "gift": True}) == []

    @pytest.mark.parametrize(
        ("tool", "operation", "kind"),
        [
            ("close_order", Update("order", "o2", {"status": "lost"}), "wrong_entity"),
            ("delete_order", Remove("order", "o2"), "wrong_entity"),
            ("close_order", Add("closure", "c1", {"reason": "late"}), "invented_type"),
        ],
    )
    def test_what_is_made_elsewhere_is_told(self, tool: str, operation: Operation, kind: str) -> None:
        assert [each.kind for each in ask(tool, {"order_id": "o1"}, {}, operation)] == [kind]

    @pytest.mark.parametrize("beside", [Update("order", "o2", {"status": "open"}), Remove("buyer", "b1")])
    def test_what_has_nothing_to_do_with_it_stays_as_it_is(self, beside: Update | Remove) -> None:
        (violation,) = ask("close_order", {"order_id": "o1"}, {"success": True}, self.CLOSED, beside)
        assert (violation.kind, violation.entity_id) == ("wrong_entity", beside.id)
        assert violation.message == (
            f"close_order is about order 'o1', but {beside.entity_type} {beside.id!r} is written as well, "
            "which the call neither names nor leads to"
        )

    @pytest.mark.parametrize(
        ("tool", "arguments", "operations"),
        [
            ("close_orders", {"order_id": "o1"}, [CLOSED, Update("order", "o2", {"status": "open"})]),
            ("close_order", {"order_id": "o1"}, [CLOSED, Update("buyer", "b1", {"status": "plain"})]),
            ("close_order", {"order_id": "o1"}, [CLOSED, Add("closure", "c1", {"reason": "late"})]),
            ("close_order", {"order_id": "o1"}, [Update("buyer", "b1", {"status": "plain"})]),
            ("merge_orders", {"order_id": "o1", "into_id": "o2"}, [Update("order", "o2", {"total": 14})]),
            ("create_order", {"buyer_id": "b1"}, [Add("order", "o7", {"order_id": "o7", "buyer_id": "b1"})]),
        ],
    )
    def test_what_else_changes_is_the_tools_affair(
        self, tool: str, arguments: dict[str, Any], operations: list[Operation]
    ) -> None:
        assert ask(tool, arguments, {"success": True}, *operations) == []


class TestWhatTheCallSays:
    WRONG = Update("order", "o1", {"status": "open", "total": 12})
    ARGUMENTS: ClassVar[dict[str, Any]] = {"order_id": "o1", "total": 11}

    def test_a_field_is_written_as_its_argument_says(self) -> None:
        (violation,) = ask("update_order", self.ARGUMENTS, {"success": True}, self.WRONG)
        assert violation == Violation(
            "wrong_value", "order", "o1", "total", "total is 11, but total of order 'o1' is written as 12", 4
        )

    def test_unless_lines_of_behaviour_or_a_program_say_otherwise(self) -> None:
        call = tool_call("update_order", self.ARGUMENTS, sequence=4)
        after = apply(WORLD, [self.WRONG], "off").ledger
        by_lines = Answer({}, (self.WRONG,), 0.9, reading=Reading("update", "order"), by_own_rules=True)
        assert check_answer(call, by_lines, WORLD, after) == []
        by_program = Answer({}, (self.WRONG,), 1.0, reading=Reading("update", "order"))
        assert check_answer(call, by_program, WORLD, after) == []

    def test_lines_that_hide_an_entity_deny_nothing(self) -> None:
        call = tool_call("get_order", {"order_id": "o1"}, sequence=4)
        refusal = Answer({"error": {"code": "not_found", "message": "No order o1."}}, (), 0.9, refused=True)
        (violation,) = check_answer(call, refusal, WORLD, WORLD)
        assert violation.kind == "denied_entity"
        assert violation.message == "the response says that there is no such order, but order 'o1' exists"
        assert check_answer(call, msgspec.structs.replace(refusal, by_own_rules=True), WORLD, WORLD) == []

    def test_of_a_long_list_five_that_are_missing_are_enough(self) -> None:
        world = Ledger.boot({"seat": {f"s{at}": {"seat_id": f"s{at}", "row": 1} for at in range(40)}})
        found = ask("list_seats", {"row": 1}, [{"seat_id": "s0"}], world=world)
        assert kinds(found) == [("left_out", f"s{at}", None) for at in range(1, 6)]


class TestLooking:
    @pytest.mark.parametrize("operation", ["read", "list"])
    def test_a_look_changes_nothing(self, operation: str) -> None:
        found = check({}, Update("order", "o1", {"status": "seen"}), reading=Reading(operation, "order"))
        assert [violation.kind for violation in found] == ["read_changes_world"]
        assert check({}, reading=Reading(operation, "order")) == []

    @pytest.mark.parametrize(
        "tool", ["get_order", "find_order", "listOrders", "search_orders", "count_orders"]
    )
    def test_so_does_one_whose_name_says_so(self, tool: str) -> None:
        seen = Update("order", "o1", {"status": "seen"})
        (violation,) = ask(tool, {"order_id": "o1"}, {}, seen)
        assert violation.kind == "read_changes_world"
        assert ask(tool, {"order_id": "o1"}, {}, seen, reading=Reading("update", "order")) == []

    @pytest.mark.parametrize(
        "tool", ["check_in_order", "load_order", "get_or_create_order", "find_and_mark_order"]
    )
    def test_a_name_that_may_mean_more_says_nothing(self, tool: str) -> None:
        assert ask(tool, {"order_id": "o1"}, {}, Update("order", "o1", {"status": "seen"})) == []

    @pytest.mark.parametrize("reading", [None, Reading("update", "order")])
    def test_others_may(self, reading: Reading | None) -> None:
        assert check({}, Update("order", "o1", {"status": "seen"}), reading=reading) == []


class TestIds:
    @pytest.mark.parametrize("value", ["o2", None, 1, ["o1"]])
    def test_an_id_never_changes(self, value: Any) -> None:
        assert kinds(check({}, Update("order", "o1", {"order_id": value}))) == [
            ("id_mismatch", "o1", "order_id")
        ]

    def test_the_id_field_of_a_new_entity_is_its_key(self) -> None:
        assert check({}, Add("order", "o3", {"order_id": "o3"})) == []
        assert kinds(check({}, Add("order", "o3", {"order_id": "o4"}))) == [("id_mismatch", "o3", "order_id")]

    def test_a_declared_id_field_is_told_about_once(self) -> None:
        operation = Update("order", "o1", {"order_id": "o2"})
        assert check({}, operation, schema=SCHEMA) == []

        class Engine:
            name: EngineName = "llm"

            def answer(self, call: ToolCall, world: Ledger) -> Answer:
                return Answer({}, (operation,))

        call = ToolCall(Tool("touch", {}), {}, SCHEMA, random_seed=1, sequence=4)
        found = simulate(Engine(), call, WORLD, None, "warn").violations
        assert [violation.kind for violation in found] == ["id_mismatch"]


class TestReferences:
    @pytest.mark.parametrize(
        ("operation", "field"),
        [
            (Add("order", "o3", {"order_id": "o3", "buyer_id": "b9"}), "buyer_id"),
            (Update("order", "o1", {"buyer_id": "b9"}), "buyer_id"),
            (Update("buyer", "b1", {"order_ids": ["o1", "o9"]}), "order_ids"),
            (Add("review", "r1", {"productId": "p9"}), "productId"),
        ],
    )
    def test_a_written_id_must_exist(self, operation: Any, field: str) -> None:
        assert kinds(check({}, operation)) == [("dangling_reference", operation.id, field)]

    @pytest.mark.parametrize(
        "operation",
        [
            Update("order", "o1", {"buyer_id": "b2"}),
            Update("order", "o1", {"buyer_id": None}),
            Update("order", "o1", {"buyer_id": ""}),
            Update("order", "o1", {"tracking_id": "t1"}),
            Update("order", "o1", {"first_buyer_id": "b9"}),
            Add("review", "r1", {"product_id": "p1", "kind": "x"}),
        ],
    )
    def test_what_exists_or_is_no_reference_passes(self, operation: Operation) -> None:
        assert check({}, operation) == []

    def test_an_id_inside_a_part_must_exist_as_well(self) -> None:
        lines = [*STATE["order"]["o1"]["lines"], {"product_id": "p9", "name": "Sail", "price": 1}]
        found = check({}, Update("order", "o1", {"lines": lines}))
        assert kinds(found) == [("dangling_reference", "o1", "lines.1.product_id")]

    def test_what_the_call_itself_adds_exists(self) -> None:
        new = Add("buyer", "b3", {"buyer_id": "b3", "name": "Chi", "status": "plain"})
        assert check({}, new, Update("order", "o1", {"buyer_id": "b3"})) == []

    def test_only_what_is_written_counts(self) -> None:
        world = Ledger.boot({"order": {"o1": {"order_id": "o1", "buyer_id": "b9"}}, "buyer": {}})
        assert check({}, Update("order", "o1", {"buyer_id": "b9", "status": "x"}), world=world) == []
        assert check({}, Remove("buyer", "b1")) == []

    def test_a_declared_type_without_entities_is_a_type(self) -> None:
        found = check({}, Update("order", "o1", {"refund_id": "r1"}), schema=SCHEMA)
        assert kinds(found) == [("dangling_reference", "o1", "refund_id")]


class TestTypes:
    @pytest.mark.parametrize(
        ("field", "value"),
        [("total", "10"), ("gift", 1), ("status", ["open"]), ("lines", {}), ("status", True)],
    )
    def test_a_field_keeps_its_type(self, field: str, value: Any) -> None:
        assert kinds(check({}, Update("order", "o2", {field: value}))) == [("type_drift", "o2", field)]

    @pytest.mark.parametrize(
        ("field", "value"),
        [("total", 1), ("total", 1.25), ("total", None), ("note", "x"), ("new", [1]), ("lines", [])],
    )
    def test_null_new_fields_and_numbers_of_either_kind_pass(self, field: str, value: Any) -> None:
        assert check({}, Update("order", "o2", {field: value})) == []

    def test_a_member_of_a_part_or_a_record_keeps_its_type(self) -> None:
        line = {"product_id": "p1", "name": "Lamp", "price": "10"}
        assert kinds(check({}, Update("order", "o2", {"lines": [line]}))) == [
            ("type_drift", "o2", "lines.0.price")
        ]
        place = {"town": 5, "rooms": [], "far": True}
        assert kinds(check({}, Update("team", "t1", {"place": place}), world=TEAMS)) == [
            ("type_drift", "t1", "place.town")
        ]

    def test_an_entity_that_was_different_may_stay_so(self) -> None:
        usual = {f"s{number}": {"seat_id": f"s{number}", "row": number} for number in range(40)}
        world = Ledger.boot({"seat": {**usual, "box": {"seat_id": "box", "row": "balcony"}}})
        assert check({}, Update("seat", "box", {"row": "gallery"}), world=world) == []
        assert kinds(check({}, Update("seat", "s39", {"row": "gallery"}), world=world)) == [
            ("type_drift", "s39", "row")
        ]

    def test_what_is_declared_is_left_to_the_schema(self) -> None:
        assert check({}, Update("order", "o1", {"status": 5}), schema=SCHEMA) == []


class Scripted:
    name: EngineName = "llm"

    def __init__(self, answer: Answer) -> None:
        self.given = answer

    def answer(self, call: ToolCall, world: Ledger) -> Answer:
        return self.given


class TestModes:
    WRONG = Answer({"order_id": "o1", "status": "open"}, (Update("order", "o1", {"status": "closed"}),))
    RIGHT = Answer({"order_id": "o1", "status": "closed"}, (Update("order", "o1", {"status": "closed"}),))
    CALL = ToolCall(Tool("close_order", {}), {}, None, random_seed=1, sequence=4)

    def test_strict_takes_what_is_right(self) -> None:
        result = simulate(Scripted(self.RIGHT), self.CALL, WORLD, None, "strict")
        assert (result.source, result.violations) == ("odyssey", ())

    def test_strict_fails_and_tells(self) -> None:
        result = simulate(Scripted(self.WRONG), self.CALL, WORLD, None, "strict")
        assert (result.source, result.applied) == ("error", None)
        assert [violation.kind for violation in result.violations] == ["response_mismatch"]
        assert result.response["error"]["code"] == "simulation_failed"

    def test_warn_takes_it_and_tells(self) -> None:
        result = simulate(Scripted(self.WRONG), self.CALL, WORLD, None, "warn")
        assert (result.source, len(result.violations)) == ("odyssey", 1)
        assert result.applied is not None
        assert result.applied.ledger.entity("order", "o1")["status"] == "closed"  # type: ignore[index]

    def test_off_says_nothing(self) -> None:
        assert simulate(Scripted(self.WRONG), self.CALL, WORLD, None, "off").violations == ()

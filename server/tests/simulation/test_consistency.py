"""What an answer may not say about a world, told by answers of a scripted engine in a small shop."""

from typing import Any

import pytest

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
            {"order_id": "o9", "status": "unheard of"},
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


class TestLooking:
    @pytest.mark.parametrize("operation", ["read", "list"])
    def test_a_look_changes_nothing(self, operation: str) -> None:
        found = check({}, Update("order", "o1", {"status": "seen"}), reading=Reading(operation, "order"))
        assert [violation.kind for violation in found] == ["read_changes_world"]
        assert check({}, reading=Reading(operation, "order")) == []

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
    retries = True

    def __init__(self, *answers: Answer) -> None:
        self.answers = list(answers)

    def answer(self, call: ToolCall, world: Ledger) -> Answer:
        return self.answers.pop(0)


class TestModes:
    WRONG = Answer({"order_id": "o1", "status": "open"}, (Update("order", "o1", {"status": "closed"}),))
    RIGHT = Answer({"order_id": "o1", "status": "closed"}, (Update("order", "o1", {"status": "closed"}),))
    CALL = ToolCall(Tool("close_order", {}), {}, None, random_seed=1, sequence=4)

    def test_strict_asks_again(self) -> None:
        result = simulate(Scripted(self.WRONG, self.RIGHT), self.CALL, WORLD, None, "strict")
        assert (result.source, result.violations) == ("odyssey", ())
        assert result.validation is not None
        assert result.validation["attempts"] == 2

    def test_strict_fails_after_three(self) -> None:
        result = simulate(Scripted(*[self.WRONG] * 3), self.CALL, WORLD, None, "strict")
        assert (result.source, result.applied) == ("error", None)
        assert [violation.kind for violation in result.violations] == ["response_mismatch"]
        assert result.response["error"]["code"] == "simulation_failed"

    def test_warn_takes_the_first_and_tells(self) -> None:
        result = simulate(Scripted(self.WRONG), self.CALL, WORLD, None, "warn")
        assert (result.source, len(result.violations)) == ("odyssey", 1)
        assert result.applied is not None
        assert result.applied.ledger.entity("order", "o1")["status"] == "closed"  # type: ignore[index]

    def test_off_says_nothing(self) -> None:
        assert simulate(Scripted(self.WRONG), self.CALL, WORLD, None, "off").violations == ()

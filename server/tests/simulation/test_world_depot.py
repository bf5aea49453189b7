"""A parcel depot: verbs that are statuses, what descriptions promise, records inside parcels, and moved amounts."""

from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st
from support.asking import ask, refusal, tool_call

from odyssey.records.ledger import Add, Update
from odyssey.simulation.engine import Reading
from odyssey.simulation.world.engine import WorldEngine
from odyssey.worlds.ledger import Ledger
from odyssey.worlds.operations import apply

PARCEL: dict[str, Any] = {
    "parcel_id": "PX100",
    "sender_id": "s1",
    "status": "queued",
    "target": {"street": "1 Dock Rd", "town": "Hull", "postcode": "HU1"},
    "labels": [{"label_id": "lb1", "text": "fragile"}, {"label_id": "lb2", "text": "up"}],
    "ledger": [{"sort": "fee", "sum": 4.1, "wallet_id": "w1"}],
    "hold_reason": None,
    "divert_labels": None,
    "divert_wallet_id": None,
    "express_enabled": False,
}
STATE: dict[str, dict[str, dict[str, Any]]] = {
    "parcel": {
        "PX100": PARCEL,
        "PX101": {**PARCEL, "parcel_id": "PX101", "status": "shipped"},
        "PX102": {
            **PARCEL,
            "parcel_id": "PX102",
            "status": "held",
            "ledger": [
                {"sort": "fee", "sum": 1.0, "wallet_id": "w2"},
                {"sort": "rebate", "sum": 1.0, "wallet_id": "w2"},
            ],
        },
    },
    "sender": {
        "s1": {
            "sender_id": "s1",
            "wallets": {"w1": {"id": "w1", "credit": 0.2}, "w2": {"id": "w2"}},
            "parcels": ["PX100", "PX101", "PX102"],
        },
        "s2": {"sender_id": "s2", "wallets": {}, "parcels": []},
    },
    "bay": {
        "b1": {"bay_id": "b1", "load": 5, "locked": False},
        "b2": {"bay_id": "b2", "load": 1, "locked": True},
    },
}
WORLD = Ledger.boot(STATE)


def changed(name: str, arguments: dict[str, Any], description: str = "") -> dict[str, Any]:
    """What the one operation changes in the first parcel."""
    (operation,) = ask(WORLD, name, {"parcel_id": "PX100", **arguments}, description).operations
    assert isinstance(operation, Update)
    assert (operation.entity_type, operation.id) == ("parcel", "PX100")
    return operation.fields


class TestStatus:
    @pytest.mark.parametrize(
        ("name", "description", "status"),
        [
            ("ship_parcel", "", "shipped"),
            ("hold_parcel", "", "held"),
            (
                "divert_parcel",
                "The parcel status will be changed to 'divert asked'. Nobody is told.",
                "divert asked",
            ),
            ("flag_parcel", 'Sets the status of the parcel to "Held".', "held"),
            ("flag_parcel", "Changes the status to shipped.", "shipped"),
            ("flag_parcel", "Sets parcel status to ON_WATCH and tells the bay.", "ON_WATCH"),
            ("cancel_parcel", "", "cancelled"),
            ("mark_parcel_as_shipped", "", "shipped"),
        ],
    )
    def test_that_a_verb_or_a_description_leads_to(self, name: str, description: str, status: str) -> None:
        assert changed(name, {}, description) == {"status": status}

    @pytest.mark.parametrize(
        ("name", "description", "message"),
        [
            ("ship_held_parcel", "", "Parcel PX100 is queued, not held, so it cannot be shipped."),
            (
                "ship_parcel",
                "Ship a parcel. Only held parcels can be shipped.",
                "Parcel PX100 is queued, not held, so it cannot be shipped.",
            ),
            (
                "ship_parcel",
                "Checks: the status must be held or shipped.",
                "Parcel PX100 is queued, not held or shipped, so it cannot be shipped.",
            ),
            (
                "ship_parcel",
                "If the parcel is already queued or held,\nit cannot be shipped.",
                "Parcel PX100 is queued, so it cannot be shipped.",
            ),
            ("delete_held_parcel", "", "Parcel PX100 is queued, not held, so it cannot be deleted."),
        ],
    )
    def test_that_it_must_have(self, name: str, description: str, message: str) -> None:
        assert refusal(ask(WORLD, name, {"parcel_id": "PX100"}, description)) == ("conflict", message)

    def test_where_there_is_none_yet(self) -> None:
        world = Ledger.boot({"slot": {"1": {"slot_id": 1, "status": None}}})
        answer = ask(world, "release_slot", {"slot_id": 1}, "Release a slot.")
        assert answer.operations == (Update("slot", "1", {"status": "released"}),)

    @pytest.mark.parametrize(
        ("name", "bay", "locked"), [("lock_bay", "b1", True), ("unlock_bay", "b2", False)]
    )
    def test_what_is_on_or_off(self, name: str, bay: str, locked: bool) -> None:
        answer = ask(WORLD, name, {"bay_id": bay})
        assert answer.operations == (Update("bay", bay, {"locked": locked}),)

    def test_what_is_enabled_by_name(self) -> None:
        assert changed("enable_express", {}) == {"express_enabled": True}
        assert changed("disable_express", {}) == {"express_enabled": False}


class TestArguments:
    @pytest.mark.parametrize("name", ["modify_parcel_target", "modify_queued_parcel_target", "update_parcel"])
    def test_go_into_the_record_they_are_members_of(self, name: str) -> None:
        target = {"street": "2 Quay", "town": "Hull", "postcode": "HU2"}
        assert changed(name, {"street": "2 Quay", "postcode": "HU2"}) == {"target": target}

    def test_are_kept_in_fields_called_after_verb_and_argument(self) -> None:
        assert changed("hold_parcel", {"reason": "wet"}) == {"status": "held", "hold_reason": "wet"}
        fields = changed("divert_parcel", {"label_ids": ["lb2", "lb1"], "wallet_id": "w1"})
        assert fields == {"divert_labels": ["lb1", "lb2"], "divert_wallet_id": "w1"}

    def test_go_where_the_name_says(self) -> None:
        assert changed("set_parcel_hold_reason", {"value": "late"}) == {"hold_reason": "late"}

    def test_take_the_rest_of_their_name_from_the_tool(self) -> None:
        assert changed("set_parcel_express", {"enabled": True}) == {"express_enabled": True}

    def test_that_are_none_of_the_choices_are_refused(self) -> None:
        call = tool_call("hold_parcel", {"parcel_id": "PX100", "reason": "mood"})
        call.tool.input_schema["properties"]["reason"]["description"] = "Why: either 'wet' or 'torn'."
        assert refusal(WorldEngine().answer(call, WORLD)) == (
            "bad_value",
            "reason must be 'wet' or 'torn'; 'mood' is not.",
        )
        call.tool.input_schema["properties"]["reason"]["description"] = (
            "Why, one of many, such as 'wet' or 'torn'."
        )
        assert not WorldEngine().answer(call, WORLD).refused

    def test_that_stand_for_each_other_must_be_as_many(self) -> None:
        arguments = {"parcel_id": "PX100", "label_ids": ["lb1"], "new_label_ids": []}
        assert refusal(ask(WORLD, "update_parcel_labels", arguments)) == (
            "bad_value",
            "label_ids names 1 and new_label_ids 0; they must be as many.",
        )

    def test_that_name_parts_must_name_some_that_are_there(self) -> None:
        arguments = {"parcel_id": "PX100", "label_ids": ["lb1"], "wallet_id": "w9"}
        assert refusal(ask(WORLD, "divert_parcel", arguments)) == (
            "not_found",
            "No wallet with id 'w9' belongs to sender s1.",
        )
        answer = ask(WORLD, "divert_parcel", {**arguments, "label_ids": ["lb7"], "wallet_id": "w1"})
        assert refusal(answer) == ("not_found", "No label with id 'lb7' belongs to parcel PX100.")

    def test_that_say_whose_it_is_must_be_true(self) -> None:
        arguments = {"sender_id": "s2", "parcel_id": "PX100"}
        assert refusal(ask(WORLD, "ship_parcel", arguments)) == (
            "not_found",
            "Parcel PX100 does not belong to sender s2.",
        )
        missing = refusal(ask(WORLD, "ship_parcel", {**arguments, "sender_id": "s9"}))
        assert missing == ("not_found", "No sender with id 's9' exists.")


class TestPromises:
    TEXT = (
        "Cancel a parcel. The status will be changed to 'cancelled' and the fee will be rebated.\n"
        "The rebate will be added to the sender's credit at once."
    )

    def test_a_counterpart_for_every_record_and_what_it_is_added_to(self) -> None:
        answer = ask(WORLD, "cancel_parcel", {"parcel_id": "PX100"}, self.TEXT)
        fee = PARCEL["ledger"][0]
        wallets = {"w1": {"id": "w1", "credit": 4.3}, "w2": {"id": "w2"}}
        assert answer.operations == (
            Update("parcel", "PX100", {"status": "cancelled", "ledger": [fee, {**fee, "sort": "rebate"}]}),
            Update("sender", "s1", {"wallets": wallets}),
        )
        assert answer.response["status"] == "cancelled"
        assert answer.reading == Reading("update", "parcel", ("status", "ledger"), ("parcel_id",))

    def test_nothing_is_added_where_nothing_has_such_a_number(self) -> None:
        world = apply(
            WORLD,
            [Update("parcel", "PX102", {"ledger": [{"sort": "fee", "sum": 1, "wallet_id": "w2"}]})],
            "off",
        )
        answer = ask(world.ledger, "cancel_parcel", {"parcel_id": "PX102"}, self.TEXT)
        after = apply(world.ledger, answer.operations, "strict").ledger
        assert after.entity("sender", "s1") == STATE["sender"]["s1"]


class TestParts:
    def test_one_more_and_one_less(self) -> None:
        added = changed("add_label_to_parcel", {"label_id": "lb3", "text": "cold"})
        assert added == {"labels": [*PARCEL["labels"], {"label_id": "lb3", "text": "cold"}]}
        assert changed("remove_parcel_label", {"label_id": "lb1"}) == {"labels": [PARCEL["labels"][1]]}
        arguments = {"parcel_id": "PX100", "label_id": "lb9"}
        assert refusal(ask(WORLD, "remove_label_from_parcel", arguments)) == (
            "not_found",
            "Parcel PX100 has no label 'lb9'.",
        )

    def test_under_a_new_id_in_the_style_of_the_others(self) -> None:
        answer = ask(WORLD, "add_sender_wallet", {"sender_id": "s1", "credit": 3})
        (operation,) = answer.operations
        assert isinstance(operation, Update)
        assert operation.fields["wallets"]["w3"] == {"credit": 3}

    def test_changed_by_an_id_of_their_own(self) -> None:
        answer = ask(WORLD, "update_wallet", {"wallet_id": "w1", "credit": 9})
        (operation,) = answer.operations
        assert operation == Update(
            "sender", "s1", {"wallets": {"w1": {"id": "w1", "credit": 9}, "w2": {"id": "w2"}}}
        )

    def test_are_meant_where_the_name_says_the_part(self) -> None:
        hooks = [
            {"hook_id": "h1", "locked": False, "status": "idle"},
            {"hook_id": "h2", "locked": True, "status": "raised"},
        ]
        world = Ledger.boot({"crane": {"k1": {"crane_id": "k1", "locked": False, "hooks": hooks}}})
        for name, arguments, after in (
            ("lock_hook", {"crane_id": "k1", "hook_id": "h1"}, {"locked": True}),
            ("raise_hook", {"hook_id": "h1"}, {"status": "raised"}),
            ("update_crane_hook", {"crane_id": "k1", "hook_id": "h1", "status": "bent"}, {"status": "bent"}),
        ):
            answer = ask(world, name, arguments)
            assert answer.operations == (Update("crane", "k1", {"hooks": [{**hooks[0], **after}, hooks[1]]}),)
            assert answer.response == {**hooks[0], **after}


class TestMovements:
    TEXT = "Move load between two bays."

    def test_an_amount_goes_from_one_to_the_other(self) -> None:
        answer = ask(WORLD, "transfer_load", {"from_bay": "b1", "to_bay": "b2", "amount": 3}, self.TEXT)
        assert answer.operations == (Update("bay", "b1", {"load": 2}), Update("bay", "b2", {"load": 4}))

    def test_more_than_there_is_cannot_go(self) -> None:
        arguments = {"from_bay": "b2", "to_bay": "b1", "amount": 3}
        assert refusal(ask(WORLD, "transfer_load", arguments, self.TEXT))[0] == "conflict"
        assert refusal(ask(WORLD, "transfer_load", {**arguments, "to_bay": "b9"}))[0] == "not_found"
        assert refusal(ask(WORLD, "transfer_load", {**arguments, "amount": -1}))[0] == "bad_value"

    @given(amount=st.integers(1, 5))
    def test_nothing_is_lost_on_the_way(self, amount: int) -> None:
        answer = ask(WORLD, "transfer_load", {"from_bay": "b1", "to_bay": "b2", "amount": amount}, self.TEXT)
        after = apply(WORLD, answer.operations, "strict").ledger
        assert sum(bay["load"] for bay in after.entities("bay").values()) == 6


class TestWithoutState:
    @pytest.mark.parametrize(
        ("name", "arguments", "answer"),
        [
            ("transfer_to_human", {"summary": "x"}, "Transfer successful"),
            ("send_reminder", {"text": "x"}, "Reminder sent"),
            ("notify_driver", {"text": "x"}, "Driver notified"),
        ],
    )
    def test_is_acknowledged_with_little_confidence(
        self, name: str, arguments: dict[str, Any], answer: str
    ) -> None:
        found = ask(WORLD, name, arguments)
        assert found.response == answer
        assert found.operations == ()
        assert found.certainty <= 0.3
        assert found.reading is not None
        assert found.reading.operation == "acknowledge"

    def test_in_the_shape_the_tool_promised(self) -> None:
        output = {
            "type": "object",
            "properties": {"success": {"type": "boolean"}, "message": {"type": "string"}},
            "required": ["success", "message"],
        }
        answer = ask(WORLD, "send_reminder", {"text": "x"}, output=output)
        assert answer.response == {"success": True, "message": "Reminder sent"}

    def test_what_the_world_keeps_is_made(self) -> None:
        world = Ledger.boot({"reminder": {"r1": {"text": "a"}}})
        assert ask(world, "send_reminder", {"text": "b"}).operations == (
            Add("reminder", "r2", {"text": "b"}),
        )

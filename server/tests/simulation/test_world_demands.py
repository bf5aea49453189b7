"""A marina, a bakery and a museum: what a call is refused for by what its description and its values say."""

from typing import Any

import pytest
from support.asking import ask, refusal

from odyssey.records.ledger import Update
from odyssey.simulation.engine import Answer
from odyssey.worlds.ledger import Ledger

State = dict[str, dict[str, dict[str, Any]]]
MARINA: State = {
    "boat": {
        "b-1": {"boat_id": "b-1", "name": "Tern", "engine": "stopped", "insured": True},
        "b-2": {"boat_id": "b-2", "name": "Skua", "engine": "running", "insured": False},
    },
    "skipper": {"s-1": {"skipper_id": "s-1", "phone": "555-1"}, "s-2": {"skipper_id": "s-2", "phone": None}},
    "berth": {"p-1": {"berth_id": "p-1", "status": "Free"}, "p-2": {"berth_id": "p-2", "status": "Taken"}},
    "stay": {"y-1": {"stay_id": "y-1", "berth_id": "p-1", "arrival": "2024-07-01"}},
}
STATUSES = {"r-1": "Open", "r-2": "Open", "r-3": "Open", "r-4": "Closed"}
MUSEUM: State = {
    "room": {each: {"room_id": each, "status": status} for each, status in STATUSES.items()},
    "exhibit": {
        "x-1": {"exhibit_id": "x-1", "room_id": "r-1", "title": "Urn", "status": "Shown"},
        "x-2": {"exhibit_id": "x-2", "room_id": "r-2", "title": "Bowl", "status": "Stored"},
    },
    "tour": {each: {"tour_id": each, "room_ids": ["r-3"]} for each in ("t-1", "t-2")},
    "guard": {"g-1": {"guard_id": "g-1", "name": "Ida"}},
    "pigment": {"UMB": {"share": 2}, "OCH": {"share": 5}},
}
ROOM = {"o-1": 24, "o-2": 60}
BAKERY: State = {"oven": {each: {"oven_id": each, "loaves": 1, "room": room} for each, room in ROOM.items()}}


def outcome(answer: Answer) -> str:
    """`done`, or the code of a refusal, which changes nothing."""
    if answer.refused:
        return refusal(answer)[0]
    assert answer.operations
    return "done"


def outcomes(state: State, entity_type: str, tool: str, said: str, **given: Any) -> list[str]:
    """Of the same call for each entity of a type, in their order."""
    calls = ({f"{entity_type}_id": each, **given} for each in state[entity_type])
    return [outcome(ask(Ledger.boot(state), tool, each, said)) for each in calls]


def changes(answer: Answer) -> dict[str, Any]:
    (operation,) = answer.operations
    assert isinstance(operation, Update)
    return operation.fields


class TestWhatMustBe:
    """Of two boats one has its engine stopped and is insured; the other is neither."""

    @pytest.mark.parametrize(
        ("said", "expected"),
        [
            ("Rename a boat. The engine must be stopped.", ["done", "conflict"]),
            ("Rename a boat. The boat's engine has to be stopped.", ["done", "conflict"]),
            ("Rename a boat. Its engine needs to be STOPPED by then.", ["done", "conflict"]),
            ("Rename a boat, but not while the boat's engine is running.", ["done", "conflict"]),
            ("Rename a boat. The boat must be insured.", ["done", "conflict"]),
            ("Rename an insured boat.", ["done", "conflict"]),
            ("Rename a boat that is insured.", ["done", "conflict"]),
            ("Rename a boat that is not insured.", ["conflict", "done"]),
            ("Rename a boat. It must not be insured.", ["conflict", "done"]),
            ("Rename a boat. Insured boats cannot be renamed.", ["conflict", "done"]),
            ("Rename a boat.", ["done", "done"]),
            ("Rename a boat. The engine is serviced every spring.", ["done", "done"]),
            ("Rename a boat. The engine must be known.", ["done", "done"]),
            ("Rename a boat. The crane must be stopped.", ["done", "done"]),
            ("Rename a boat, but not while the crane is running.", ["done", "done"]),
            ("Rename a boat that lies in the marina.", ["done", "done"]),
            ("Rename a boat. Insured boats get a sticker.", ["done", "done"]),
        ],
    )
    def test_is_held_against_the_boat_and_nothing_else_is(self, said: str, expected: list[str]) -> None:
        assert outcomes(MARINA, "boat", "update_boat", said, name="Gull") == expected

    @pytest.mark.parametrize("said", ["The lock must be open.", "The lock's gate must be shut."])
    def test_may_be_about_the_only_one_of_its_type(self, said: str) -> None:
        wrong, right = {"open": False, "gate": "ajar"}, {"open": True, "gate": "shut"}
        several = {"north": wrong, "south": wrong}
        for locks, expected in (({"main": wrong}, "conflict"), ({"main": right}, "done"), (several, "done")):
            state = {**MARINA, "lock": locks}
            assert outcomes(state, "boat", "update_boat", f"Go. {said}", name="Gull") == [expected] * 2

    @pytest.mark.parametrize(
        ("named", "said", "of_the_second"),
        [
            ("berth", "Book a stay. The berth must be free.", "conflict"),
            ("berth", "Book a stay at a berth that is free.", "conflict"),
            ("berth", "Book a stay at a free berth.", "conflict"),
            ("berth", "Book a stay. Free coffee is served.", "done"),
            ("berth", "Book a stay. The lamp must be free of salt.", "done"),
            ("skipper", "Book a stay. The skipper needs a phone number.", "conflict"),
            ("skipper", "Book a stay. A skipper must have a phone.", "conflict"),
            ("skipper", "Book a stay. The mate needs a phone.", "done"),
            ("skipper", "Book a stay. The skipper needs a boat.", "done"),
        ],
    )
    def test_may_be_about_what_is_named(self, named: str, said: str, of_the_second: str) -> None:
        assert outcomes(MARINA, named, "create_stay", said) == ["done", of_the_second]


class TestAtMost:
    """There is room for 24 loaves in one oven and for 60 in the other."""

    @pytest.mark.parametrize(
        ("said", "loaves", "expected"),
        [
            ("Fill an oven, at most 40 at a time.", 40, ["done", "done"]),
            ("Fill an oven, at most 40 at a time.", 41, ["bad_value", "bad_value"]),
            ("Fill an oven, no more than 1,200.", 1201, ["bad_value", "bad_value"]),
            ("Fill an oven, at most its room.", 24, ["done", "done"]),
            ("Fill an oven, at most its room.", 25, ["bad_value", "done"]),
            ("Fill an oven, no more than the oven's room.", 61, ["bad_value", "bad_value"]),
            ("Fill an oven. Its label has at most 20 letters.", 61, ["done", "done"]),
            ("Fill an oven, at most its height.", 61, ["done", "done"]),
        ],
    )
    def test_is_as_much_as_may_be_given(self, said: str, loaves: int, expected: list[str]) -> None:
        assert outcomes(BAKERY, "oven", "update_oven", said, loaves=loaves) == expected

    def test_is_about_nobody_knows_which_of_two_numbers(self) -> None:
        said = "Set up an oven, at most 40 at a time."
        assert outcomes(BAKERY, "oven", "update_oven", said, room=50, loaves=30) == ["done", "done"]


class TestPastDates:
    @pytest.mark.parametrize(
        ("said", "day_before", "office"),
        [
            ("Book a stay. The arrival may not be before today.", "bad_value", {"today": "2024-06-10"}),
            ("Book a stay. Dates in the past are refused.", "bad_value", {"business_date": "2024-06-10"}),
            ("Book a stay, today or later.", "bad_value", {"date": "2024-06-10"}),
            ("Book a stay by its dates.", "done", {"today": "2024-06-10"}),
            ("Book a stay, today or later.", "done", {"opened": "2024-06-10"}),
        ],
    )
    def test_are_refused_if_today_is_known(self, said: str, day_before: str, office: dict[str, str]) -> None:
        world = Ledger.boot({**MARINA, "office": {"main": office}})
        for arrival, expected in (("2024-06-09", day_before), ("2024-06-10", "done")):
            given = {"built": "1999-01-01", "arrival": arrival, "departure": "2024-06-30"}
            assert outcome(ask(world, "create_stay", given, said)) == expected


class TestEmptyCarts:
    @pytest.mark.parametrize(
        ("name", "said", "held", "expected"),
        [
            ("place_sale", "Order what is in the basket.", {"main": []}, "conflict"),
            ("buy", "Pay for what is in your basket.", {"main": []}, "conflict"),
            ("place_sale", "Order what is in the basket.", {"main": ["rye"]}, "done"),
            ("place_sale", "Order what is in the basket.", {"ada": [], "bo": []}, "done"),
            ("place_sale", "Order bread.", {"main": []}, "done"),
            ("create_sale", "Note a sale of what was in the basket.", {"main": []}, "done"),
        ],
    )
    def test_are_not_ordered(self, name: str, said: str, held: dict[str, list[str]], expected: str) -> None:
        baskets = {each: {"items": items} for each, items in held.items()}
        world = Ledger.boot({"basket": baskets, "sale": {"1": {"total": 4}}})
        assert outcome(ask(world, name, {"total": 3}, said)) == expected


class TestValues:
    WORLD = Ledger.boot(MARINA)

    @pytest.mark.parametrize("name", ["send_message", "notify_skipper"])
    def test_an_empty_message_is_refused(self, name: str) -> None:
        for text in ("", " \n"):
            refused = refusal(ask(self.WORLD, name, {"skipper_id": "s-1", "text": text}))
            assert refused == ("bad_value", "text is empty.")
        assert not ask(self.WORLD, name, {"skipper_id": "s-1", "text": "Storm!"}).refused

    def test_an_empty_text_that_is_no_message_is_taken(self) -> None:
        assert changes(ask(self.WORLD, "update_boat", {"boat_id": "b-1", "name": ""})) == {"name": ""}
        assert not ask(self.WORLD, "search_boats", {"query": ""}).refused

    @pytest.mark.parametrize(
        ("first", "last", "expected"),
        [
            ("start_date", "end_date", "bad_value"),
            ("check_in", "check_out", "bad_value"),
            ("from", "to", "bad_value"),
            ("season_start", "lease_end", "done"),
            ("start_date", "booked_on", "done"),
        ],
    )
    def test_an_end_before_its_beginning_is_refused(self, first: str, last: str, expected: str) -> None:
        given = {first: "2024-07-05", last: "2024-07-04"}
        assert outcome(ask(self.WORLD, "create_stay", given)) == expected
        assert outcome(ask(self.WORLD, "create_stay", {**given, last: "2024-07-05"})) == "done"
        assert outcome(ask(self.WORLD, "create_stay", {first: "Quay", last: "Hull"})) == "done"
        assert not ask(self.WORLD, "list_stays", given).refused


class TestSecrets:
    WORLD = Ledger.boot({"gate": {f"g-{each}": {"pin": f"471{each}", "locked": False} for each in (1, 2)}})

    @pytest.mark.parametrize("given", [{"pin": "4711"}, {"passcode": "that nobody keeps"}])
    def test_prove_who_calls_and_are_not_written(self, given: dict[str, str]) -> None:
        assert changes(ask(self.WORLD, "lock_gate", {"gate_id": "g-1", **given})) == {"locked": True}

    @pytest.mark.parametrize("pin", ["4712", "0000", ""])
    def test_of_another_or_of_nobody_are_refused(self, pin: str) -> None:
        answer = ask(self.WORLD, "lock_gate", {"gate_id": "g-1", "pin": pin})
        assert refusal(answer) == ("bad_value", "The pin is wrong.")

    def test_are_written_where_they_are_changed(self) -> None:
        assert changes(ask(self.WORLD, "change_gate_pin", {"gate_id": "g-1", "pin": "8"})) == {"pin": "8"}
        assert changes(ask(self.WORLD, "set_gate_pin", {"gate_id": "g-1", "new_pin": "8"})) == {"pin": "8"}


class TestStillLinked:
    """x-1 is shown in r-1, x-2 belongs into r-2 and is stored, r-3 is on both tours, and r-4 is free."""

    @pytest.mark.parametrize(
        ("said", "kept"),
        [
            ("Rooms that still have exhibits cannot be deleted.", {"r-1", "r-2"}),
            ("Refused while an exhibit is in it.", {"r-1", "r-2"}),
            ("Not possible while a shown exhibit is in it.", {"r-1"}),
            ("Not possible while a shown or stored exhibit is in it.", {"r-1", "r-2"}),
            ("Rooms on a tour cannot be deleted.", {"r-3"}),
            ("Rooms with guards cannot be deleted.", set()),
            ("Exhibits lose their place.", set()),
            ("Guards cannot be deleted. Exhibits lose their place.", set()),
        ],
    )
    def test_what_points_at_a_thing_keeps_it(self, said: str, kept: set[str]) -> None:
        found = outcomes(MUSEUM, "room", "delete_room", f"Delete a room. {said}")
        assert found == ["conflict" if each in kept else "done" for each in MUSEUM["room"]]


class TestCallsThatAreNotUnderstood:
    WORLD = Ledger.boot(MUSEUM)

    @pytest.mark.parametrize("given", [{"exhibit_id": "x-9"}, {"piece_id": "x-9"}])
    def test_are_refused_for_ids_that_nothing_has(self, given: dict[str, str]) -> None:
        refused = refusal(ask(self.WORLD, "polish", given, "Polish a piece."))
        assert refused == ("not_found", "No exhibit with id 'x-9' exists.")

    @pytest.mark.parametrize(
        ("given", "said"),
        [
            ({"exhibit_id": "x-1"}, "Polish a piece."),
            ({"exhibit_id": "x-9"}, "Polish a piece; one that does not exist yet is created."),
            ({"cloth": "x-9"}, "Polish a piece."),
        ],
    )
    def test_are_not_for_what_is_there_or_need_not_be(self, given: dict[str, str], said: str) -> None:
        answer = ask(self.WORLD, "polish", given, said)
        assert (answer.refused, answer.is_understood) == (False, False)

    @pytest.mark.parametrize(
        ("about", "is_refused"),
        [
            ({"description": "Code such as UMB."}, True),
            ({"description": "A code, e.g. 'OCH'."}, True),
            ({"description": "A code (like `UMB`)."}, True),
            ({"description": "Any code."}, False),
            ({"description": "Code such as BLU."}, False),
            ({"description": "Code such as UMB.", "enum": ["RED", "UMB"]}, False),
            ({"description": "Code such as UMB.", "default": "RED"}, False),
        ],
    )
    def test_know_an_id_by_the_example_of_one(self, about: dict[str, Any], is_refused: bool) -> None:
        for tool, others in (("mix", {"grams": 5}), ("update_exhibit", {"exhibit_id": "x-1"})):
            for base, expected in (("RED", is_refused), ("OCH", False)):
                declared = {"base": {"type": "string", **about}}
                given = {**others, "base": base}
                assert ask(self.WORLD, tool, given, "Mix.", properties=declared).refused is expected


class TestWhatIsThereAlready:
    @pytest.mark.parametrize(
        ("name", "given", "expected"),
        [
            ("move_exhibit", {"room_id": "r-1"}, "conflict"),
            ("move_exhibit", {"to_room_id": "r-1"}, "conflict"),
            ("move_exhibit", {"room_id": "r-2"}, "done"),
            ("move_exhibit", {"room_id": "r-1", "title": "Vase"}, "done"),
            ("update_exhibit", {"room_id": "r-1"}, "done"),
        ],
    )
    def test_cannot_be_moved_there(self, name: str, given: dict[str, str], expected: str) -> None:
        assert outcome(ask(Ledger.boot(MUSEUM), name, {"exhibit_id": "x-1", **given})) == expected

    def test_cannot_be_closed_but_may_be_said_to_be_so(self) -> None:
        """The last of the rooms is closed."""
        closed = outcomes(MUSEUM, "room", "close_room", "Close a room.")
        assert closed == ["done", "done", "done", "conflict"]
        assert outcomes(MUSEUM, "room", "update_room", "Change a room.", status="Closed") == ["done"] * 4

"""A clinic: new entities that others list, parts by day, and one swapped for another; and what every call keeps."""

import copy
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st
from support.asking import ask, refusal, tool_call

from odyssey.records.canonical import canonical_json
from odyssey.records.ledger import Add, Update
from odyssey.simulation.world.engine import WorldEngine
from odyssey.worlds.ledger import Ledger
from odyssey.worlds.operations import apply

STATE: dict[str, dict[str, dict[str, Any]]] = {
    "nurse": {
        "n1": {
            "nurse_code": "n1",
            "ward": "east",
            "days": {
                "2024-05-01": {"status": "free", "beds": 4},
                "2024-05-02": {"status": "full", "beds": 0},
            },
        },
        "n2": {"nurse_code": "n2", "ward": "east", "days": {"2024-05-01": {"status": "full", "beds": 0}}},
    },
    "visit": {
        "VQ7K2M": {
            "visit_id": "VQ7K2M",
            "patient_id": "p1",
            "status": "booked",
            "slot": "09:00",
            "tests": [
                {"test_id": "t1", "cost": 5, "title": "Blood"},
                {"test_id": "t2", "cost": 7, "title": "Eyes"},
            ],
        },
        "ZP4R9C": {"visit_id": "ZP4R9C", "patient_id": "p2", "status": "done", "slot": "10:00", "tests": []},
    },
    "patient": {
        "p1": {"patient_id": "p1", "allergies": ["nuts"], "visits": ["VQ7K2M"]},
        "p2": {"patient_id": "p2", "allergies": [], "visits": ["ZP4R9C"]},
    },
    "panel": {
        "pn1": {
            "panel_id": "pn1",
            "title": "Blood",
            "tests": {"t1": {"test_id": "t1", "cost": 5}, "t9": {"test_id": "t9", "cost": 6}},
        }
    },
}
WORLD = Ledger.boot(STATE)


class TestPartsByDay:
    def test_take_the_place_of_all_of_them_in_a_list(self) -> None:
        answer = ask(WORLD, "search_nurses", {"ward": "east", "day": "2024-05-02"})
        assert answer.response == [{"nurse_code": "n1", "ward": "east", "status": "full", "beds": 0}]

    def test_are_found_without_regard_to_case(self) -> None:
        world = Ledger.boot(
            {"room": {"r1": {"room_id": "r1", "shifts": {"Early1": {"free": 2}, "Late2": {"free": 0}}}}}
        )
        answer = ask(world, "search_rooms", {"shift": "early1"})
        assert answer.response == [{"room_id": "r1", "free": 2}]

    def test_and_a_field_of_one(self) -> None:
        assert ask(WORLD, "get_nurse_status", {"nurse_code": "n1", "day": "2024-05-01"}).response == "free"
        answer = ask(WORLD, "get_nurse_status", {"nurse_code": "n1", "day": "2024-06-01"})
        assert refusal(answer) == ("not_found", "Nurse n1 has no day '2024-06-01'.")


class TestCreating:
    def test_enters_it_where_others_list_it(self) -> None:
        answer = ask(
            WORLD, "book_visit", {"patient_id": "p2", "slot": "11:00"}, "Books a visit with status 'booked'."
        )
        add, entered = answer.operations
        assert isinstance(add, Add)
        assert len(add.id) == 6
        assert add.id.isalnum()
        # Other visits have tests; a new one has none of them yet.
        assert add.fields == {
            "status": "booked",
            "patient_id": "p2",
            "slot": "11:00",
            "tests": [],
            "visit_id": add.id,
        }
        assert entered == Update("patient", "p2", {"visits": ["ZP4R9C", add.id]})
        assert answer.response == add.fields

    def test_of_what_points_at_nobody_is_refused(self) -> None:
        answer = ask(WORLD, "book_visit", {"patient_id": "p9", "slot": "11:00"})
        assert refusal(answer) == ("not_found", "No patient with id 'p9' exists.")

    def test_puts_members_into_their_record(self) -> None:
        world = Ledger.boot({"guest": {"g1": {"guest_id": "g1", "name": {"first": "A", "last": "B"}}}})
        answer = ask(world, "register_guest", {"first": "C", "last": "D"})
        assert answer.operations == (
            Add("guest", "g2", {"name": {"first": "C", "last": "D"}, "guest_id": "g2"}),
        )


class TestUpdating:
    def test_swaps_parts_one_for_one(self) -> None:
        arguments = {"visit_id": "VQ7K2M", "test_ids": ["t1"], "new_test_ids": ["t9"]}
        (operation,) = ask(WORLD, "modify_visit_tests", arguments).operations
        assert isinstance(operation, Update)
        assert operation.fields == {
            "tests": [
                {"test_id": "t9", "cost": 6, "title": "Blood"},
                {"test_id": "t2", "cost": 7, "title": "Eyes"},
            ]
        }

    def test_moves_an_appointment_by_a_verb_nobody_listed(self) -> None:
        answer = ask(WORLD, "postpone_visit", {"visit_id": "VQ7K2M", "new_slot": "12:00"})
        assert answer.operations == (Update("visit", "VQ7K2M", {"slot": "12:00"}),)
        assert answer.certainty <= 0.5

    @pytest.mark.parametrize(
        ("name", "after"), [("add_patient_allergy", ["nuts", "milk"]), ("remove_allergy_from_patient", [])]
    )
    def test_lists_of_plain_values(self, name: str, after: list[str]) -> None:
        value = "milk" if name.startswith("add") else "nuts"
        answer = ask(WORLD, name, {"patient_id": "p1", "allergy": value})
        assert answer.operations == (Update("patient", "p1", {"allergies": after}),)


class TestCaution:
    def test_arguments_that_choose_nothing_choose_not_everything(self) -> None:
        answer = ask(WORLD, "get_visit", {"colour": "red", "shape": "round"})
        assert answer.response == {}
        assert answer.certainty <= 0.3

    @pytest.mark.parametrize("name", ["schedule_visit", "send_visit"])
    def test_a_verb_on_what_is_there_makes_no_second_one(self, name: str) -> None:
        answer = ask(WORLD, name, {"visit_id": "VQ7K2M"})
        assert answer.operations == ()
        assert not answer.refused
        assert answer.certainty <= 0.3


WORDS = "get find list search create book update set cancel close add remove send transfer lock visit visits nurse "
WORDS += "patient status id by for day tests done free panel all new allergy slot details"
NAMES = (
    "visit_id patient_id nurse_code day status slot test_ids new_test_ids reason query sort_by limit page "
)
NAMES += "new_slot from_patient to_patient amount min_beds allergy"
ARGUMENTS = st.dictionaries(
    st.sampled_from(NAMES.split()),
    st.sampled_from(
        [
            "VQ7K2M",
            "p1",
            "n1",
            "2024-05-01",
            "done",
            ["t1"],
            ["t9", "t9"],
            1,
            -2,
            1.5,
            True,
            None,
            {"a": [1]},
            "",
        ]
    ),
    max_size=4,
)
DESCRIPTIONS = st.sampled_from(
    [
        "",
        "The status will be changed to 'closed'. The booked will be done.",
        "Only booked visits can be changed. If it is done it cannot be cancelled.",
        "List the title and panel id of all panels.",
    ]
)
OUTPUTS = st.sampled_from(
    [None, {"type": "string"}, {"type": "array"}, {"type": "object", "required": ["id"]}, {"type": "integer"}]
)


class TestAnyCall:
    @given(
        words=st.lists(st.sampled_from(WORDS.split()), min_size=1, max_size=5),
        arguments=ARGUMENTS,
        description=DESCRIPTIONS,
        output=OUTPUTS,
    )
    def test_is_repeatable_consistent_and_leaves_its_inputs_alone(
        self, words: list[str], arguments: dict[str, Any], description: str, output: Any
    ) -> None:
        call = tool_call("_".join(words), arguments, description, output=output)
        before = copy.deepcopy(call.arguments)
        first = WorldEngine().answer(call, WORLD)
        second = WorldEngine().answer(call, Ledger.boot(STATE))
        assert canonical_json(first.response) == canonical_json(second.response)
        assert first.operations == second.operations
        assert first.explanation == second.explanation != ""
        assert first.reading is not None
        assert not apply(WORLD, first.operations, "strict").refused
        assert call.arguments == before
        assert Ledger.boot(STATE) == WORLD
        if first.reading.operation in ("read", "list", "calculate", "acknowledge", "none") or first.refused:
            assert first.operations == ()

    @given(slot=st.text(max_size=5), ward=st.text(max_size=5))
    def test_what_was_written_is_read_back(self, slot: str, ward: str) -> None:
        world = WORLD
        for name, arguments in (
            ("update_visit", {"visit_id": "ZP4R9C", "slot": slot}),
            ("update_nurse", {"nurse_code": "n2", "ward": ward}),
        ):
            world = apply(world, ask(world, name, arguments).operations, "strict").ledger
        assert ask(world, "get_visit", {"visit_id": "ZP4R9C"}).response["slot"] == slot
        found = ask(world, "list_nurses", {"ward": ward}).response
        assert "n2" in [each["nurse_code"] for each in found]
        assert all(each["ward"].casefold() == ward.casefold() for each in found)

"""Allotments, a costume workshop and a choir: whose things are, who is in charge of them, and who is on a list."""

from typing import Any

import pytest
from support.asking import ask, refusal

from odyssey.records.ledger import Add, Update
from odyssey.simulation.engine import Answer
from odyssey.worlds.ledger import Ledger

State = dict[str, dict[str, dict[str, Any]]]
GARDEN: State = {
    "member": {f"m-{each}": {"member_id": f"m-{each}", "years": each} for each in (1, 2, 3)},
    "plot": {
        "p-1": {"plot_id": "p-1", "member_id": "m-1", "crop": "kale"},
        "p-2": {"plot_id": "p-2", "member_id": "m-2", "crop": "leek"},
        "p-3": {"plot_id": "p-3", "member_id": None, "crop": "weeds"},
    },
    "harvest": {
        "h-1": {"harvest_id": "h-1", "plot_id": "p-1", "kilos": 3},
        "h-2": {"harvest_id": "h-2", "plot_id": "p-2", "kilos": 4},
    },
    "shed": {
        "s-1": {"shed_id": "s-1", "members": ["m-1", "m-2"], "key": "a"},
        "s-2": {"shed_id": "s-2", "members": ["m-2", "m-3"], "key": "b"},
    },
    "hose": {each: {"hose_id": each, "metres": 20} for each in ("o-1", "o-2")},
}


def garden(user: str | None = "m-1", **others: dict[str, dict[str, Any]]) -> Ledger:
    return Ledger.boot({**GARDEN, "session": {"current": {"member_id": user}}, **others})


def workshop(role: str = "cutter") -> Ledger:
    """Whoever works here is no customer: they see all there is. u-1 is logged in, and u-2 and u-3 are cutters."""
    roles = {"u-1": role, "u-2": "cutter", "u-3": "cutter"}
    members = {"t-1": ["u-1", "u-2"], "t-2": ["u-3"]}
    return Ledger.boot(
        {
            "tailor": {each: {"tailor_id": each, "role": roles[each]} for each in roles},
            "costume": {f"c{each}": {"costume_id": f"c{each}", "assignee_id": each} for each in roles},
            "chest": {f"k{each}": {"chest_id": f"k{each}", "owner_id": each} for each in roles},
            "troupe": {each: {"troupe_id": each, "members": members[each]} for each in members},
            "session": {"current": {"tailor_id": "u-1"}},
        }
    )


def outcome(answer: Answer) -> str:
    """`done`, or the code of a refusal, which changes nothing."""
    if answer.refused:
        return refusal(answer)[0]
    assert answer.operations
    return "done"


def promising(name: str, json_type: str) -> dict[str, Any]:
    return {"type": "object", "properties": {name: {"type": json_type}}, "required": [name]}


def ids(answer: Answer) -> list[str]:
    """What is listed, by the first field of each: its id."""
    assert not answer.refused
    return [next(iter(row.values())) for row in answer.response]


class TestWhatIsTheirs:
    @pytest.mark.parametrize(
        ("entity_type", "theirs", "not_theirs"),
        [
            ("plot", ["p-1", "p-3"], ["p-2"]),
            ("harvest", ["h-1"], ["h-2"]),
            ("shed", ["s-1"], ["s-2"]),
            ("hose", ["o-1", "o-2"], []),
            ("member", ["m-1"], []),
        ],
    )
    def test_is_shown_and_what_is_not_is_not(
        self, entity_type: str, theirs: list[str], not_theirs: list[str]
    ) -> None:
        """What names nobody is nobody else's."""
        for each in theirs:
            answer = ask(garden(), f"get_{entity_type}", {f"{entity_type}_id": each})
            assert answer.response == GARDEN[entity_type][each]
        for each in not_theirs:
            answer = ask(garden(), f"get_{entity_type}", {f"{entity_type}_id": each})
            assert refusal(answer)[1] == f"{entity_type.capitalize()} {each} belongs to somebody else."

    @pytest.mark.parametrize(
        ("name", "given", "expected"),
        [
            ("update_plot", {"plot_id": "p-1", "crop": "rye"}, "done"),
            ("update_plot", {"plot_id": "p-2", "crop": "rye"}, "not_found"),
            ("update_plot", {"plot_id": "p-3", "crop": "rye"}, "done"),
            ("delete_plot", {"plot_id": "p-2"}, "not_found"),
            ("update_harvest", {"harvest_id": "h-1", "kilos": 9}, "done"),
            ("update_harvest", {"harvest_id": "h-2", "kilos": 9}, "not_found"),
            ("update_shed", {"shed_id": "s-1", "key": "z"}, "done"),
            ("update_shed", {"shed_id": "s-2", "key": "z"}, "not_found"),
            ("update_hose", {"hose_id": "o-1", "metres": 9}, "done"),
            ("create_harvest", {"plot_id": "p-1", "kilos": 1}, "done"),
            ("create_harvest", {"plot_id": "p-2", "kilos": 1}, "not_found"),
        ],
    )
    def test_is_all_they_may_change_or_add_to(self, name: str, given: dict[str, Any], expected: str) -> None:
        assert outcome(ask(garden(), name, given)) == expected

    def test_is_told_of_calls_that_are_not_understood_too(self) -> None:
        assert refusal(ask(garden(), "water", {"plot_id": "p-2"}, "Water it."))[0] == "not_found"
        assert not ask(garden(), "water", {"plot_id": "p-1"}, "Water it.").refused

    @pytest.mark.parametrize(
        ("name", "expected"),
        [
            ("list_plots", ["p-1"]),
            ("list_my_plots", ["p-1"]),
            ("list_harvests", ["h-1"]),
            ("list_sheds", ["s-1"]),
            ("list_hoses", ["o-1", "o-2"]),
            ("list_members", ["m-1", "m-2", "m-3"]),
        ],
    )
    def test_is_all_that_is_listed(self, name: str, expected: list[str]) -> None:
        assert ids(ask(garden(), name)) == expected

    def test_is_nothing_that_lies_on_somebody_elses_plot(self) -> None:
        assert ids(ask(garden(), "list_harvests", {"plot_id": "p-1"})) == ["h-1"]
        assert refusal(ask(garden(), "list_harvests", {"plot_id": "p-2"}))[0] == "not_found"

    @pytest.mark.parametrize("named", [["north", "south", "east"], ["m-2", "m-3"], []])
    def test_is_not_told_by_a_list_of_a_few_or_of_no_users(self, named: list[str]) -> None:
        """Two users among all sheds are in charge of them; winds are nobody."""
        sheds = {each: {"shed_id": each, "members": named} for each in ("s-1", "s-2")}
        assert ids(ask(garden(shed=sheds), "list_sheds")) == ["s-1", "s-2"]
        assert ask(garden(shed=sheds), "get_shed", {"shed_id": "s-1"}).response == sheds["s-1"]


class TestStaff:
    @pytest.mark.parametrize(
        ("name", "said", "expected"),
        [
            ("list_costumes", "List costumes.", ["cu-1", "cu-2", "cu-3"]),
            ("list_costumes", "List the costumes that are assigned to you.", ["cu-1"]),
            ("list_my_costumes", "List costumes.", ["cu-1"]),
            ("list_chests", "List your chests.", ["ku-1"]),
            ("list_chests", "List chests. Only the owner may open one.", ["ku-1", "ku-2", "ku-3"]),
            ("list_troupes", "List the troupes you are in.", ["t-1"]),
            ("list_troupes", "List troupes.", ["t-1", "t-2"]),
        ],
    )
    def test_see_all_unless_it_is_about_what_is_theirs(
        self, name: str, said: str, expected: list[str]
    ) -> None:
        assert ids(ask(workshop(), name, {}, said)) == expected

    @pytest.mark.parametrize(
        ("said", "of_others"),
        [
            ("Hand on a costume that is assigned to you.", "not_found"),
            ("Hand on a costume. It must still be yours.", "not_found"),
            ("Hand on a costume that somebody is assigned to.", "done"),
            ("Hand on a costume and tell whoever is assigned.", "done"),
            ("Hand on a costume.", "done"),
        ],
    )
    def test_may_do_all_but_what_is_for_whoever_it_is_assigned_to(self, said: str, of_others: str) -> None:
        for costume, expected in (("cu-1", "done"), ("cu-2", of_others)):
            answer = ask(workshop(), "update_costume", {"costume_id": costume, "assignee_id": "u-3"}, said)
            assert outcome(answer) == expected

    @pytest.mark.parametrize(
        ("said", "role", "of_others"),
        [
            ("Hand on a chest. Only the owner of the chest or a foreman may do so.", "cutter", "not_found"),
            ("Hand on a chest. Only the owner of the chest or a foreman may do so.", "foreman", "done"),
            ("Hand on a chest. Only its owner may do so.", "foreman", "not_found"),
            ("Hand on a chest. Only its owner is allowed to.", "cutter", "not_found"),
            ("Hand on a chest. Only the chalk may be used.", "cutter", "done"),
            ("Hand on a chest. The owner is told.", "cutter", "done"),
        ],
    )
    def test_may_do_all_but_what_only_the_owner_may(self, said: str, role: str, of_others: str) -> None:
        for chest, expected in (("ku-1", "done"), ("ku-2", of_others)):
            answer = ask(workshop(role), "update_chest", {"chest_id": chest, "owner_id": "u-3"}, said)
            assert outcome(answer) == expected

    def test_may_look_at_what_only_the_owner_may_change(self) -> None:
        answer = ask(
            workshop(), "get_chest", {"chest_id": "ku-2"}, "Get a chest. Only its owner may hand it on."
        )
        assert answer.response == {"chest_id": "ku-2", "owner_id": "u-2"}


class TestTellingWhoIsLoggedIn:
    @pytest.mark.parametrize("name", ["get_session", "whoami", "check_login"])
    @pytest.mark.parametrize("user", ["m-1", None])
    def test_answers_also_where_nobody_is(self, name: str, user: str | None) -> None:
        answer = ask(garden(user), name, {}, "Tell who is logged in.")
        assert (answer.response, answer.operations) == ({"member_id": user}, ())

    @pytest.mark.parametrize(("user", "expected"), [("m-1", True), (None, False)])
    def test_says_whether_somebody_is(self, user: str | None, expected: bool) -> None:
        answer = ask(
            garden(user),
            "check_login",
            {},
            "Say whether somebody is.",
            output=promising("authenticated", "boolean"),
        )
        assert answer.response["authenticated"] is expected

    def test_tells_no_token(self) -> None:
        session = {"current": {"member_id": "m-1", "token": "t-0-p"}}
        assert ask(garden(session=session), "get_session").response == {"member_id": "m-1"}

    def test_is_nothing_that_other_tools_do(self) -> None:
        assert ids(ask(garden(), "check_hoses")) == ["o-1", "o-2"]
        assert not ask(Ledger.boot(GARDEN), "get_session").is_understood


class TestBeingOnAList:
    """Singer 1 is in the choir 7 and waits for the rehearsal r-1; r-2 is full, and no rehearsal has any tags."""

    WORLD = Ledger.boot(
        {
            "singer": {each: {"singer_id": int(each), "name": f"singer {each}"} for each in ("1", "2")},
            "choir": {
                each: {"choir_id": int(each), "singer_ids": [1] if each == "7" else []} for each in ("7", "8")
            },
            "rehearsal": {
                "r-1": {"rehearsal_id": "r-1", "waiting_list": [1], "status": "Open", "tags": []},
                "r-2": {"rehearsal_id": "r-2", "waiting_list": [], "status": "Full", "tags": []},
            },
        }
    )

    @pytest.mark.parametrize(
        ("name", "given", "expected"),
        [
            ("join_waiting_list", {"singer_id": 2, "rehearsal_id": "r-1"}, {"waiting_list": [1, 2]}),
            ("join_waiting_list", {"singer_id": "2", "rehearsal_id": "r-2"}, {"waiting_list": [2]}),
            ("leave_waiting_list", {"singer_id": 1, "rehearsal_id": "r-1"}, {"waiting_list": []}),
            ("add_singer_to_choir", {"singer_id": 2, "choir_id": 7}, {"singer_ids": [1, 2]}),
            ("add_singer_to_choir", {"choir_id": 8, "singer_id": 2}, {"singer_ids": [2]}),
            ("remove_singer_from_choir", {"singer_id": 1, "choir_id": 7}, {"singer_ids": []}),
        ],
    )
    def test_begins_by_joining_and_ends_by_leaving(
        self, name: str, given: dict[str, Any], expected: dict[str, list[int]]
    ) -> None:
        (operation,) = ask(self.WORLD, name, given).operations
        assert isinstance(operation, Update)
        assert (operation.id in map(str, given.values()), operation.fields) == (True, expected)

    @pytest.mark.parametrize(
        ("name", "given", "code"),
        [
            ("join_waiting_list", {"singer_id": 1, "rehearsal_id": "r-1"}, "conflict"),
            ("leave_waiting_list", {"singer_id": 2, "rehearsal_id": "r-1"}, "conflict"),
            ("add_singer_to_choir", {"singer_id": 1, "choir_id": 7}, "conflict"),
            ("remove_singer_from_choir", {"singer_id": 2, "choir_id": 7}, "conflict"),
            ("join_waiting_list", {"singer_id": 9, "rehearsal_id": "r-1"}, "not_found"),
            ("join_waiting_list", {"singer_id": 2, "rehearsal_id": "r-9"}, "not_found"),
        ],
    )
    def test_is_refused_to_who_is_on_it_or_is_not(self, name: str, given: dict[str, Any], code: str) -> None:
        assert outcome(ask(self.WORLD, name, given)) == code

    @pytest.mark.parametrize(("rehearsal", "expected"), [("r-1", "done"), ("r-2", "conflict")])
    def test_is_as_the_description_wants_it(self, rehearsal: str, expected: str) -> None:
        said = "Join the waiting list of an open rehearsal."
        answer = ask(self.WORLD, "queue", {"singer_id": 2, "rehearsal_id": rehearsal}, said)
        assert outcome(answer) == expected

    def test_is_at_a_place(self) -> None:
        output = promising("position", "integer")
        answer = ask(self.WORLD, "join_waiting_list", {"singer_id": 2, "rehearsal_id": "r-1"}, output=output)
        assert answer.response["position"] == 2

    @pytest.mark.parametrize(
        ("name", "said"),
        [
            ("praise_waiting_list", "Praise who is on the waiting list of a rehearsal."),
            ("join_picnic", "Join the picnic after a rehearsal."),
            ("link_tags", "Link the tags of a rehearsal."),
        ],
    )
    def test_is_not_what_other_words_or_lists_are_about(self, name: str, said: str) -> None:
        answer = ask(self.WORLD, name, {"singer_id": 2, "rehearsal_id": "r-1"}, said)
        assert (answer.refused, answer.operations) == (False, ())

    def test_is_something_else_than_being_there(self) -> None:
        (operation,) = ask(self.WORLD, "add_choir", {"choir_id": 9}, "Add a choir.").operations
        assert isinstance(operation, Add)

"""An office with one session, one account and one watch list: what is found without an id, and for whom."""

from typing import Any

import pytest
from support.asking import ask, refusal

from odyssey.records.ledger import Update
from odyssey.simulation.engine import Answer
from odyssey.worlds.ledger import Ledger

ORDERS = {
    "o-1": {"order_id": "o-1", "user_id": "u-1", "status": "Open", "placed_on": "2024-05-01", "total": 5},
    "o-2": {"order_id": "o-2", "user_id": "u-2", "status": "Open", "placed_on": "2024-05-03", "total": 9},
    "o-3": {"order_id": "o-3", "user_id": "u-1", "status": "Closed", "placed_on": "2024-05-02", "total": 7},
}
USERS = {
    "u-1": {"user_id": "u-1", "email": "ada@x.org", "password": "one", "tier": "gold"},
    "u-2": {"user_id": "u-2", "email": "bo@x.org", "password": "two", "tier": "basic"},
}


def office(user_id: str | None = "u-1", **others: Any) -> Ledger:
    session = {"session": {"current": {"user_id": user_id}}}
    return Ledger.boot({"order": ORDERS, "user": USERS, **session, **others})


def changed(answer: Answer) -> dict[str, Any]:
    (operation,) = answer.operations
    assert isinstance(operation, Update)
    return {f"{operation.entity_type}.{name}": value for name, value in operation.fields.items()}


class TestSession:
    def test_nobody_logged_in_is_refused(self) -> None:
        refused = ("conflict", "Nobody is logged in.")
        assert refusal(ask(office(None), "update_order", {"order_id": "o-1", "total": 1})) == refused
        said = "Get an order. You must be signed in."
        assert refusal(ask(office(None), "get_order", {"order_id": "o-1"}, said)) == refused

    def test_whoever_only_looks_needs_no_login_unless_the_description_says_so(self) -> None:
        assert not ask(office(None), "get_order", {"order_id": "o-1"}, "Get an order.").refused

    @pytest.mark.parametrize("said", ["No sign-in needed.", "Works without logging in.", "Public prices."])
    def test_but_for_what_needs_no_login(self, said: str) -> None:
        assert not ask(office(None), "update_order", {"order_id": "o-1", "total": 1}, said).refused

    def test_login_points_at_the_one_with_these_credentials(self) -> None:
        answer = ask(office(None), "log_in", {"email": "bo@x.org", "password": "two"})
        assert changed(answer) == {"session.user_id": "u-2"}

    def test_wrong_credentials_are_refused_and_change_nothing(self) -> None:
        answer = ask(office(None), "login", {"email": "bo@x.org", "password": "one"})
        assert (refusal(answer)[0], answer.operations) == ("bad_value", ())

    def test_who_must_log_out_first_is_refused(self) -> None:
        credentials = {"email": "bo@x.org", "password": "two"}
        said = "Log in. Whoever is logged in has to log out first."
        assert refusal(ask(office(), "log_in", credentials, said))[0] == "conflict"

    def test_logout_points_at_nobody(self) -> None:
        assert changed(ask(office(), "log_out", {})) == {"session.user_id": None}

    def test_a_switch_says_as_well_whether_somebody_is_logged_in(self) -> None:
        world = Ledger.boot({"order": ORDERS, "account": {"a": {"logged_in": False}}})
        assert refusal(ask(world, "delete_order", {"order_id": "o-1"}))[1] == "Nobody is logged in."


class TestWhatIsTheirs:
    def test_my_things_are_those_of_who_is_logged_in(self) -> None:
        shown = ask(office(), "list_my_orders", {}, "List my orders.").response
        assert [order["order_id"] for order in shown] == ["o-1", "o-3"]

    def test_a_profile_is_that_of_who_is_logged_in(self) -> None:
        answer = ask(office("u-2"), "get_profile", {}, "The profile of the signed-in user.")
        assert answer.response["user_id"] == "u-2"

    def test_somebody_elses_is_refused_where_the_description_speaks_of_your_own(self) -> None:
        assert (
            refusal(ask(office(), "get_order", {"order_id": "o-2"}, "Get one of your orders."))[0]
            == "not_found"
        )
        assert not ask(office(), "get_order", {"order_id": "o-2"}, "Get an order.").refused


class TestTheOnlyOne:
    def test_is_read_without_an_id_and_shows_no_secret(self) -> None:
        world = Ledger.boot({"account": {"a-1": {"account_id": "a-1", "balance": 5, "pin": "1234"}}})
        schema = {
            "type": "object",
            "properties": {"account_id": {"type": "string"}, "balance": {"type": "number"}},
            "required": ["account_id", "balance"],
        }
        assert ask(world, "get_account", {}, output=schema).response == {"account_id": "a-1", "balance": 5}

    def test_is_changed_without_an_id(self) -> None:
        world = Ledger.boot({"door": {"front": {"locked": False}}})
        assert changed(ask(world, "lock_door", {})) == {"door.locked": True}

    def test_a_field_of_it_is_set_by_the_name_of_the_tool(self) -> None:
        world = Ledger.boot({"settings": {"site": {"count_mode": False, "currency": "EUR"}}})
        assert changed(ask(world, "set_count_mode", {"enabled": True})) == {"settings.count_mode": True}

    def test_gets_one_more_on_its_list_and_no_second_one(self) -> None:
        world = Ledger.boot({"watchlist": {"main": {"symbols": ["A"]}}})
        assert changed(ask(world, "add_to_watchlist", {"symbol": "B"})) == {"watchlist.symbols": ["A", "B"]}
        assert refusal(ask(world, "add_to_watchlist", {"symbol": "A"}))[0] == "conflict"
        assert changed(ask(world, "remove_from_watchlist", {"symbol": "A"})) == {"watchlist.symbols": []}

    def test_keeps_what_is_its_id(self) -> None:
        world = Ledger.boot({"ticket": {"1": {"status": 1}}})
        assert all(
            "status" not in each.fields
            for each in ask(world, "close_ticket", {}).operations
            if isinstance(each, Update)
        )

    def test_of_two_nobody_knows_which(self) -> None:
        world = Ledger.boot({"door": {"front": {"locked": False}, "back": {"locked": False}}})
        assert not ask(world, "lock_door", {}).is_understood


class TestAnArgumentOfSeveralTypes:
    def test_may_say_which_one_is_meant(self) -> None:
        world = Ledger.boot({"order": ORDERS})
        several = {"reference": {"type": ["string", "null"]}}
        assert ask(world, "get_order", {"reference": "o-2"}, properties=several).response == ORDERS["o-2"]
        assert refusal(ask(world, "get_order", {"reference": "o-9"}, properties=several))[0] == "not_found"


class TestWhatADescriptionSays:
    @pytest.mark.parametrize(
        ("said", "expected"),
        [
            ("List orders, newest first.", ["o-2", "o-3", "o-1"]),
            ("List orders, newest (highest number) first.", ["o-2", "o-3", "o-1"]),
            ("List orders, oldest first.", ["o-1", "o-3", "o-2"]),
            ("List orders sorted by total, highest first.", ["o-2", "o-3", "o-1"]),
            ("List orders.", ["o-1", "o-2", "o-3"]),
        ],
    )
    def test_is_the_order_of_a_list(self, said: str, expected: list[str]) -> None:
        shown = ask(Ledger.boot({"order": ORDERS}), "list_orders", {}, said).response
        assert [order["order_id"] for order in shown] == expected

    @pytest.mark.parametrize(
        "said",
        [
            "Archive an Open order.",
            "Archive an order. It must still be open.",
            "Archive an order that is not Closed.",
            "Archive an order. Closed orders cannot be archived.",
        ],
    )
    def test_is_the_status_an_order_must_have(self, said: str) -> None:
        orders = {**ORDERS, "o-4": {**ORDERS["o-1"], "order_id": "o-4", "status": "Archived"}}
        world = Ledger.boot({"order": orders})
        assert refusal(ask(world, "archive_order", {"order_id": "o-3"}, said))[0] == "conflict"
        assert changed(ask(world, "archive_order", {"order_id": "o-1"}, said)) == {"order.status": "Archived"}

    def test_is_how_something_else_must_stand(self) -> None:
        world = Ledger.boot({"order": ORDERS, "shop": {"main": {"trading_unlocked": False}}})
        said = "Change the total of an order. Trading must be unlocked."
        given = {"order_id": "o-1", "total": 8}
        assert refusal(ask(world, "update_order", given, said)) == (
            "conflict",
            "Shop main is not trading unlocked.",
        )

    def test_is_what_the_name_does_not_say(self) -> None:
        world = Ledger.boot({"file": {"f-1": {"file_id": "f-1", "content": "hello"}}})
        output = {"type": "string"}
        answer = ask(world, "cat", {"file_id": "f-1"}, "Return the content of a file.", output=output)
        assert answer.response == "hello"


class TestPaths:
    WORLD = Ledger.boot(
        {
            "directory": {path: {"path": path} for path in ("/", "/home", "/home/ada", "/tmp")},
            "file": {
                path: {"path": path, "content": path[-5:]} for path in ("/home/ada/a.txt", "/home/ada/b.txt")
            },
            "session": {"current": {"cwd": "/home/ada"}},
        }
    )

    def test_relative_ones_are_made_whole(self) -> None:
        said = "Return the content of a file."
        assert ask(self.WORLD, "cat", {"path": "a.txt"}, said, output={"type": "string"}).response == "a.txt"
        lost = ask(self.WORLD, "cat", {"path": "../b.txt"}, said, output={"type": "string"})
        assert refusal(lost)[0] == "not_found"

    def test_going_elsewhere_sets_where_one_is(self) -> None:
        said = "Change the current directory."
        assert changed(ask(self.WORLD, "cd", {"path": ".."}, said)) == {"session.cwd": "/home"}
        assert refusal(ask(self.WORLD, "cd", {"path": "nowhere"}, said))[0] == "not_found"

    def test_where_one_is_and_what_lies_there_is_shown(self) -> None:
        output = {"type": "object", "properties": {"place": {"type": "string"}}, "required": ["place"]}
        assert ask(self.WORLD, "pwd", {}, "Print the working directory.", output=output).response == {
            "place": "/home/ada"
        }
        names = {"type": "array", "items": {"type": "string"}}
        assert ask(self.WORLD, "ls", {}, "List a directory.", output=names).response == ["a.txt", "b.txt"]


class TestCreating:
    def test_takes_defaults_and_begins_as_the_description_says(self) -> None:
        tickets = {
            "1": {
                "id": 1,
                "title": "a",
                "priority": "High",
                "status": "Open",
                "tags": ["x"],
                "closed_on": None,
            },
            "2": {
                "id": 2,
                "title": "b",
                "priority": "Low",
                "status": "Closed",
                "tags": [],
                "closed_on": "2024-01-01",
            },
        }
        answer = ask(
            Ledger.boot({"ticket": tickets}),
            "create_ticket",
            {"title": "c"},
            "Create a ticket. It gets the next number and is Open.",
            properties={"priority": {"type": "string", "default": "Normal"}},
        )
        assert answer.response == {
            "id": 3, "title": "c", "priority": "Normal", "status": "Open", "tags": [], "closed_on": None
        }  # fmt: skip

    def test_a_number_is_no_count_of_what_it_is_not_called_after(self) -> None:
        schema = {
            "type": "object",
            "properties": {
                "orders": {"type": "array"},
                "count": {"type": "integer"},
                "total_spent": {"type": "number"},
            },
            "required": ["orders", "count", "total_spent"],
        }
        answer = ask(Ledger.boot({"order": ORDERS}), "list_orders", {}, output=schema)
        assert (answer.response["count"], answer.shape) == (3, "invented")

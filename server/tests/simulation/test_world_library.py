"""A lending library: look-ups by nested fields and by parts, lists with filters, order and pages."""

from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st
from support.asking import ask, refusal

from odyssey.records.canonical import canonical_json
from odyssey.simulation.engine import Reading
from odyssey.worlds.ledger import Ledger


def member(number: int, first: str, last: str, town: str) -> dict[str, Any]:
    return {
        "member_id": f"M-{number:03d}",
        "name": {"first_name": first, "last_name": last},
        "home": {"street": f"{number} High St", "town": town, "postcode": f"AB{number}"},
        "date_of_birth": f"199{number}-01-01",
        "loans": [f"loan{number}"],
    }


def title(key: str, name: str, genre: str, year: int, copies: dict[str, Any]) -> dict[str, Any]:
    return {
        "title_id": key,
        "name": name,
        "genre": genre,
        "year": year,
        "tags": ["new", genre],
        "copies": copies,
    }


MEMBERS = [
    member(1, "Ida", "Moor", "Leeds"),
    member(2, "Ida", "Fell", "York"),
    member(3, "Olu", "Moor", "York"),
]
TITLES = [
    title("tt1", "The Tide", "novel", 1999, {"cp1": {"copy_id": "cp1", "shelf": "A", "lost": False}}),
    title("tt2", "Birds of Prey", "nature", 2010, {"cp2": {"copy_id": "cp2", "shelf": "B", "lost": False}}),
    title("tt3", "Tidal Pools", "nature", 2021, {}),
]
LOANS: list[dict[str, Any]] = [
    {
        "loan_id": f"loan{number}",
        "member_id": f"M-00{number}",
        "status": status,
        "due_on": f"2024-03-0{number}",
        "copies": [{"copy_id": "cp1", "returned": False}, {"copy_id": "cp2", "returned": False}],
    }
    for number, status in enumerate(["active", "overdue", "returned"], start=1)
]
WORLD = Ledger.boot(
    {
        "member": {each["member_id"]: each for each in MEMBERS},
        "title": {each["title_id"]: each for each in TITLES},
        "loan": {each["loan_id"]: each for each in LOANS},
    }
)


class TestLookingUp:
    def test_by_several_fields_inside_records(self) -> None:
        answer = ask(WORLD, "find_member", {"first_name": "Ida", "last_name": "Fell", "postcode": "AB2"})
        assert answer.response == MEMBERS[1]
        assert answer.certainty > 0.8
        assert answer.reading == Reading("read", "member", (), ("first_name", "last_name", "postcode"))
        assert answer.explanation == "read member by first_name, last_name, postcode"

    def test_without_regard_to_case_where_nothing_is_spelled_so(self) -> None:
        arguments = {"first_name": "OLU", "last_name": "moor"}
        assert ask(WORLD, "find_member", arguments).response == MEMBERS[2]

    @pytest.mark.parametrize("name", ["find_member_id_by_name", "lookupMemberId"])
    def test_the_id_alone_where_the_name_says_so(self, name: str) -> None:
        arguments = {"first_name": "Olu", "last_name": "Moor"}
        assert ask(WORLD, name, arguments).response == "M-003"

    def test_the_id_alone_where_only_a_string_fits(self) -> None:
        answer = ask(WORLD, "find_member", {"postcode": "AB3"}, output={"type": "string"})
        assert answer.response == "M-003"

    def test_by_initials_and_by_a_whole_name(self) -> None:
        arguments = {"name": "ida fell", "dob": "1992-01-01"}
        assert ask(WORLD, "get_member_by_name", arguments).response == MEMBERS[1]

    def test_nobody_is_refused_in_words(self) -> None:
        answer = ask(WORLD, "find_member_id_by_name", {"first_name": "Ida", "last_name": "None"})
        assert refusal(answer) == (
            "not_found",
            "No member with first_name 'Ida' and last_name 'None' exists.",
        )

    def test_a_part_by_an_id_of_its_own(self) -> None:
        answer = ask(WORLD, "get_copy_details", {"copy_id": "cp2"})
        assert answer.response == {"copy_id": "cp2", "shelf": "B", "lost": False}
        assert refusal(ask(WORLD, "get_copy_details", {"copy_id": "cp9"}))[0] == "not_found"

    def test_a_part_of_a_given_entity(self) -> None:
        arguments = {"loan_id": "loan1", "copy_id": "cp2"}
        assert ask(WORLD, "get_loan_copy", arguments).response == {"copy_id": "cp2", "returned": False}
        assert refusal(ask(WORLD, "get_loan_copy", {**arguments, "copy_id": "cp9"})) == (
            "not_found",
            "Loan loan1 has no copy_id 'cp9'.",
        )

    @pytest.mark.parametrize(
        ("name", "expected"),
        [
            ("get_member_details", MEMBERS[0]),
            ("get_member_home", MEMBERS[0]["home"]),
            ("get_member_town", "Leeds"),
            ("get_member", MEMBERS[0]),
        ],
    )
    def test_a_field_the_name_says(self, name: str, expected: Any) -> None:
        assert ask(WORLD, name, {"member_id": "M-001"}).response == expected

    def test_an_id_tells_its_own_type(self) -> None:
        assert ask(WORLD, "get_details_by_id", {"id": "tt3"}).response == TITLES[2]

    def test_along_a_reference(self) -> None:
        assert ask(WORLD, "get_member_of_loan", {"loan_id": "loan3"}).response == MEMBERS[2]

    def test_whose_it_is_must_be_true(self) -> None:
        arguments = {"member_id": "M-001", "loan_id": "loan1"}
        assert ask(WORLD, "get_loan", arguments).response == LOANS[0]
        assert refusal(ask(WORLD, "get_loan", {**arguments, "member_id": "M-002"}))[0] == "not_found"


class TestListing:
    @pytest.mark.parametrize(
        ("arguments", "expected"),
        [
            ({"genre": "nature"}, [1, 2]),
            ({"genre": ["novel", "poetry"]}, [0]),
            ({"tag": "new"}, [0, 1, 2]),
            ({"tags": ["novel", "x"]}, [0]),
            ({"min_year": 2010}, [1, 2]),
            ({"year_to": 2010}, [0, 1]),
            ({"before_year": 2010}, [0]),
            ({"min_year": 2000, "max_year": 2015}, [1]),
            ({"query": "tid"}, [0, 2]),
            ({"name_contains": "OF"}, [1]),
            ({"name": "birds"}, [1]),
            ({"sort_by": "year", "order": "desc"}, [2, 1, 0]),
            ({"sort_by": "-year", "limit": 1}, [2]),
            ({"page": 2, "page_size": 2}, [2]),
            ({"offset": 1, "limit": 1}, [1]),
            ({"cursor": "2", "limit": 5}, [2]),
            ({"copy_id": "cp1"}, None),
            ({"genre": "nature", "query": "pools"}, [2]),
        ],
    )
    def test_filters_order_and_pages(self, arguments: dict[str, Any], expected: list[int] | None) -> None:
        answer = ask(WORLD, "search_titles", arguments)
        if expected is not None:
            assert answer.response == [TITLES[at] for at in expected]
        else:  # the part asked for stands in place of all parts
            assert [each["title_id"] for each in answer.response] == ["tt1"]
            assert answer.response[0]["shelf"] == "A"
        assert answer.operations == ()
        assert answer.certainty > 0.8

    @pytest.mark.parametrize(
        ("arguments", "expected"),
        [
            ({"due_before": "2024-03-02"}, [0]),
            ({"due_after": "2024-03-02"}, [2]),
            ({"since": "2024-03-02", "until": "2024-03-02"}, [1]),
            ({"member_id": "M-002"}, [1]),
        ],
    )
    def test_dates(self, arguments: dict[str, Any], expected: list[int]) -> None:
        assert ask(WORLD, "list_loans", arguments).response == [LOANS[at] for at in expected]

    def test_a_place_is_no_bound(self) -> None:
        answer = ask(WORLD, "list_members", {"from_town": "York"})
        assert answer.response == MEMBERS
        assert answer.certainty < 0.9

    def test_an_adjective_is_a_filter(self) -> None:
        assert ask(WORLD, "list_overdue_loans").response == [LOANS[1]]

    def test_those_whose_ids_are_listed(self) -> None:
        answer = ask(WORLD, "get_titles", {"title_ids": ["tt3", "tt9", "tt1"]})
        assert answer.response == [TITLES[2], TITLES[0]]

    def test_how_many(self) -> None:
        assert ask(WORLD, "count_titles", {"genre": "nature"}).response == 2

    def test_what_an_owner_lists(self) -> None:
        state = {"shelf": {"s1": {"title_ids": ["tt3", "tt1"]}}, **WORLD.to_state()}
        answer = ask(Ledger.boot(state), "get_titles_on_shelf", {"shelf_id": "s1"})
        assert [each["title_id"] for each in answer.response] == ["tt3", "tt1"]

    def test_names_with_ids_where_the_description_asks_for_them(self) -> None:
        description = "List the name and title id of all titles. There are not many."
        answer = ask(WORLD, "list_all_titles", {}, description)
        assert answer.response == {"The Tide": "tt1", "Birds of Prey": "tt2", "Tidal Pools": "tt3"}
        rows = ask(WORLD, "list_all_titles", {}, description, output={"type": "array"})
        assert rows.response[0] == {"name": "The Tide", "title_id": "tt1"}

    def test_what_is_true_of_all_pages(self) -> None:
        output = {
            "type": "object",
            "properties": {
                "titles": {"type": "array"},
                "total": {"type": "integer"},
                "has_more": {"type": "boolean"},
                "next_cursor": {"type": "string"},
            },
            "required": ["titles", "total", "has_more", "next_cursor"],
        }
        answer = ask(WORLD, "list_titles", {"limit": 2}, output=output)
        assert answer.response == {
            "titles": TITLES[:2],
            "total": 3,
            "has_more": True,
            "next_cursor": "2",
        }


ROWS = st.lists(
    st.fixed_dictionaries(
        {
            "size": st.integers(0, 5),
            "place": st.fixed_dictionaries({"hall": st.sampled_from("AB")}),
            "marks": st.lists(st.sampled_from("xyz"), max_size=2, unique=True),
        }
    ),
    max_size=12,
)


class TestAnyWorld:
    @given(rows=ROWS, size=st.integers(0, 5), hall=st.sampled_from("AB"), mark=st.sampled_from("xyz"))
    def test_indexes_find_what_a_scan_finds(
        self, rows: list[dict[str, Any]], size: int, hall: str, mark: str
    ) -> None:
        world = Ledger.boot(
            {"crate": {f"c{at}": {"crate_id": f"c{at}", **row} for at, row in enumerate(rows)}}
        )
        found = ask(world, "list_crates", {"size": size, "hall": hall, "mark": mark}).response
        if not rows or not any(row["marks"] for row in rows):
            return
        wanted = [
            f"c{at}"
            for at, row in enumerate(rows)
            if row["size"] == size and row["place"]["hall"] == hall and mark in row["marks"]
        ]
        assert [each["crate_id"] for each in found] == wanted

    @given(rows=ROWS, limit=st.integers(1, 4))
    def test_pages_together_are_the_whole(self, rows: list[dict[str, Any]], limit: int) -> None:
        world = Ledger.boot({"crate": {f"c{at}": row for at, row in enumerate(rows)}})
        whole = ask(world, "list_crates", {"sort_by": "size"}).response
        pages = [
            each
            for page in range(1, len(rows) + 2)
            for each in ask(world, "list_crates", {"sort_by": "size", "page": page, "limit": limit}).response
        ]
        assert canonical_json(pages) == canonical_json(whole)
        assert [each["size"] for each in whole] == sorted(row["size"] for row in rows)

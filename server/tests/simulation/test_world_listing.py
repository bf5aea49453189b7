"""A vineyard, a planetarium, a fell race and an attic: what is listed, in which order, and how many there are."""

from typing import Any

import pytest
from support.asking import ask, refusal

from odyssey.simulation.engine import Answer
from odyssey.worlds.ledger import Ledger


def table(fields: str, *rows: tuple[Any, ...]) -> dict[str, dict[str, Any]]:
    """Entities by the first of their fields."""
    return {row[0]: dict(zip(fields.split(), row, strict=True)) for row in rows}


WINES = table(
    "id name price rating bottled_on note status bottles_left discontinued",
    ("1", "Merlot", 12, 4.1, "2020-03-01", "oak", "On Sale", 0, False),
    ("2", "Albana", 30, 4.8, "2016-03-01", "lime", "Cellared", 7, True),
    ("3", "Oakley", 9, 3.9, "2022-03-01", "rose", "On Sale", 3, False),
)
SHOWS = table("id kind sold_out", ("1", "Film", True), ("2", "Talk", False), ("3", "Film", False))
HANDS = table("id first_name last_name", ("1", "Eva", "Lang"), ("2", "Ulf", "Berg"), ("3", "Ada", "Lang"))
NUMBER = {"type": "integer"}
WORLD = Ledger.boot({"wine": WINES, "show": SHOWS, "hand": HANDS})


def listed(tool: str, said: str, given: dict[str, Any] | None = None, **properties: Any) -> str:
    """The ids of what is listed, one after the other."""
    return "".join(row["id"] for row in ask(WORLD, tool, given, said, properties=properties).response)


class TestOrder:
    @pytest.mark.parametrize(
        ("said", "expected"),
        [
            ("List wines sorted by price.", "312"),
            ("List wines ordered by price, highest first.", "213"),
            ("List wines in order of their rating, descending.", "213"),
            ("List wines in alphabetical order.", "213"),
            ("List wines sorted alphabetically by note.", "213"),
            ("List wines, latest bottled first.", "312"),
            ("List wines, cheapest first.", "312"),
            ("List wines, best rated first.", "213"),
            ("Lists wines by price.", "312"),
            ("List wines sorted by rating in each cellar.", "312"),
            ("List wines.", "123"),
            ("List wines sorted by colour.", "123"),
            ("List wines made by Ulf.", "123"),
            ("List wines; the newest stands in the hall.", "123"),
            ("List wines, first come, first served.", "123"),
            ("List wines of which the cheapest is for cooking.", "123"),
        ],
    )
    def test_is_the_one_that_is_promised(self, said: str, expected: str) -> None:
        assert listed("list_wines", said) == expected

    def test_yields_to_what_the_call_says_and_comes_before_the_page(self) -> None:
        assert listed("list_wines", "List wines, oldest first.", {"sort_by": "price"}) == "312"
        assert listed("list_wines", "List wines, oldest first.", {"limit": 1}) == "2"

    def test_is_not_what_an_argument_filters_by(self) -> None:
        assert listed("list_wines", "Lists wines by price.", price={"type": "number"}) == "123"
        assert listed("list_wines", "Lists wines sorted by price.", price={"type": "number"}) == "312"

    @pytest.mark.parametrize(("by", "expected"), [("last name and first name", "231"), ("last name", "213")])
    def test_of_equals_is_that_of_the_second_field(self, by: str, expected: str) -> None:
        assert listed("list_hands", f"List hands sorted by {by}.") == expected


class TestWhatADescriptionLeavesOut:
    @pytest.mark.parametrize(
        ("said", "expected"),
        [
            ("List wines. Discontinued wines are left out.", "13"),
            ("List wines; discontinued ones are not shown.", "13"),
            ("List discontinued wines.", "2"),
            ("List wines with bottles left.", "23"),
            ("List wines that have any bottles available.", "23"),
            ("List wines that are not cellared.", "13"),
            ("List wines. Those that are cellared do not count.", "13"),
            ("Find wines that are on sale.", "13"),
            ("Find wines that are still cellared.", "2"),
            ("List wines. Discontinued wines are listed as well.", "123"),
            ("List wines with corks left.", "123"),
            ("List wines. Those that are cellared cost more.", "123"),
            ("Find wines. A tag tells those that are on sale.", "123"),
        ],
    )
    def test_is_not_listed(self, said: str, expected: str) -> None:
        assert listed("list_wines", said) == expected

    def test_is_listed_if_the_call_asks_for_it(self) -> None:
        assert listed("list_wines", "Discontinued wines are left out.", {"discontinued": True}) == "2"
        assert listed("list_wines", "Find wines that are on sale.", {"status": "Cellared"}) == "2"

    @pytest.mark.parametrize(
        ("said", "left_out"),
        [
            ("List wines without their price.", {"price"}),
            ("List wines, leaving out their bottles left.", {"bottles_left"}),
            ("List wines without their labels.", set()),
            ("List wines without a word on the price.", set()),
        ],
    )
    def test_is_a_field_that_is_not_shown(self, said: str, left_out: set[str]) -> None:
        (shown,) = ask(WORLD, "list_wines", {"limit": 1}, said).response
        assert WINES["1"].keys() - shown.keys() == left_out


class TestPartsOfTexts:
    @pytest.mark.parametrize(
        ("said", "about", "expected"),
        [
            ("Find wines by part of the name.", "", "1"),
            ("Find wines.", "Part of the name.", "1"),
            ("Find wines by name.", "", ""),
            ("Find wines.", "The name, of which no part may be missing.", ""),
        ],
    )
    def test_will_do_where_that_is_said(self, said: str, about: str, expected: str) -> None:
        declared = {"type": "string", "description": about}
        assert listed("list_wines", said, {"name": "erlo"}, name=declared) == expected

    @pytest.mark.parametrize(
        ("said", "expected"),
        [
            ("Search wines whose name contains the text.", "3"),
            ("Search wines for a text in the note.", "1"),
            ("Search wines for a text in name or note.", "13"),
            ("Search wines for a text.", "13"),
            ("Search wines for a text in colour or name.", "13"),
        ],
    )
    def test_are_looked_for_in_the_fields_that_are_named(self, said: str, expected: str) -> None:
        assert listed("search_wines", said, {"query": "oak"}) == expected


class TestDefaults:
    @pytest.mark.parametrize(
        ("said", "expected"),
        [
            ("List shows of one kind (Film unless told otherwise).", "13"),
            ("List shows of one kind, Talk by default.", "2"),
            ("List shows of one kind; defaults to 'Film'.", "13"),
            ("List shows of one kind, such as Film.", "123"),
            ("List shows; a Film is dark unless the moon shines.", "123"),
        ],
    )
    def test_are_taken_from_a_description_that_says_them(self, said: str, expected: str) -> None:
        choice = {"type": "string", "enum": ["Film", "Talk"]}
        assert listed("list_shows", said, kind=choice) == expected
        assert listed("list_shows", "List shows.", kind={**choice, "description": said}) == expected
        assert listed("list_shows", said, {"kind": "Talk"}, kind=choice) == "2"
        assert listed("list_shows", said, kind={"type": "string"}) == "123"

    @pytest.mark.parametrize(
        ("given", "declared", "expected"),
        [
            ({}, {"kind": {"default": "Talk"}}, "2"),
            ({"kind": "Film"}, {"kind": {"default": "Talk"}}, "13"),
            ({"kind": ""}, {"kind": {"default": ""}}, "123"),
            ({"kind": ""}, {"kind": {"type": "string"}}, ""),
            ({"include_sold_out": False}, {"include_sold_out": {"default": False}}, "23"),
            ({"include_sold_out": True}, {"include_sold_out": {"default": False}}, "123"),
            ({}, {"sold_out": {"default": False}}, "123"),
            ({"sold_out": False}, {"sold_out": {"default": False}}, "123"),
            ({"sold_out": True}, {"sold_out": {"default": False}}, "1"),
            ({"sold_out": False}, {"sold_out": {"type": "boolean"}}, "23"),
        ],
    )
    def test_of_a_schema_are_taken(self, given: dict[str, Any], declared: Any, expected: str) -> None:
        assert listed("list_shows", "List shows.", given, **declared) == expected


def promising(**properties: str) -> dict[str, Any]:
    return {"type": "object", "properties": {name: {"type": kind} for name, kind in properties.items()}}


class TestWhatIsPromised:
    """Domes keep no ids, and the second one has no keeper; a name would be that of the dome."""

    STATE = Ledger.boot(
        {
            "dome": {"d-1": {"seats": 50, "keeper_id": "k-1"}, "d-2": {"seats": 9, "keeper_id": None}},
            "keeper": {"k-1": {"keeper_id": "k-1", "surname": "Ahn", "name": "Li"}},
        }
    )

    @pytest.mark.parametrize(
        ("promised", "first", "second"),
        [
            ("dome_id", "d-1", "d-2"),
            ("surname", "Ahn", None),
            ("name", None, None),
        ],
    )
    def test_is_what_their_ids_point_at(self, promised: str, first: str | None, second: str | None) -> None:
        output = {"type": "array", "items": promising(**{promised: "string", "seats": "integer"})}
        shown = ask(self.STATE, "list_domes", output=output).response
        assert [(row.get(promised), row["seats"]) for row in shown] == [(first, 50), (second, 9)]

    def test_is_no_id_by_the_name_of_another(self) -> None:
        output = {"type": "array", "items": promising(keeper_id="string", seats="integer")}
        assert [row["id"] for row in ask(self.STATE, "list_domes", output=output).response] == ["d-1", "d-2"]


class TestHowMany:
    STATE = Ledger.boot(
        {
            "entry": table(
                "number race_code runner_id status minutes",
                ("n1", "R1", "u-1", "Entered", 40),
                ("n2", "R1", "u-2", "Withdrawn", 41),
                ("n3", "R2", "u-1", "Entered", 42),
                ("n4", "R1", "u-3", "Entered", 43),
            ),
            "race": {each: {"race_code": each, "climb": 900} for each in ("R1", "R2", "R3")},
            "runner": {each: {"runner_id": each} for each in ("u-1", "u-2", "u-3")},
        }
    )

    @pytest.mark.parametrize(
        ("said", "race", "expected"),
        [
            ("How many runners are entered in a race.", "R1", 2),
            ("The number of withdrawn runners of a race.", "R1", 1),
            ("How many entries a race has.", "R1", 3),
            ("How many entries a race has.", "R3", 0),
        ],
    )
    def test_are_counted(self, said: str, race: str, expected: int) -> None:
        assert ask(self.STATE, "field_size", {"race_code": race}, said, output=NUMBER).response == expected

    @pytest.mark.parametrize("said", ["How steep a race is.", "The climb of a race."])
    def test_are_not_what_another_number_says(self, said: str) -> None:
        assert ask(self.STATE, "climb", {"race_code": "R1"}, said, output=NUMBER).response != 3

    def test_are_told_of_no_race_that_is_not_there(self) -> None:
        answer = ask(self.STATE, "field_size", {"race_code": "R9"}, "How many are in a race.", output=NUMBER)
        assert refusal(answer) == ("not_found", "No race with id 'R9' exists.")

    @pytest.mark.parametrize(("race", "expected"), [("R1", (3, 124)), ("R2", (1, 42)), ("R3", (0, 0))])
    def test_are_told_with_sums_where_these_are_promised(self, race: str, expected: tuple[int, int]) -> None:
        output = promising(entries="integer", minutes="integer")
        answer = ask(self.STATE, "list_entries", {"race_code": race}, output=output)
        assert (answer.response["entries"], answer.response["minutes"]) == expected
        rows = ask(self.STATE, "list_entries", {"race_code": race}, output=promising(entries="array"))
        assert len(rows.response["entries"]) == expected[0]

    @pytest.mark.parametrize("said", ["`total` counts all.", "The total is the number of all there are."])
    def test_are_the_total_beside_a_page(self, said: str) -> None:
        given = {"race_code": "R1", "limit": 2}
        answer = ask(self.STATE, "list_entries", given, f"List entries. {said}").response
        (rows,) = (value for name, value in answer.items() if name != "total")
        assert (answer["total"], [row["number"] for row in rows]) == (3, ["n1", "n2"])

    @pytest.mark.parametrize("said", ["List entries.", "List entries with their total climb."])
    def test_are_not_told_where_no_total_is_spoken_of(self, said: str) -> None:
        shown = ask(self.STATE, "list_entries", {"limit": 2}, said).response
        assert [row["number"] for row in shown] == ["n1", "n2"]


class TestFolders:
    STATE = Ledger.boot(
        {
            "folder": {each: {"path": each} for each in ("/", "/attic", "/attic/.old", "/attic/maps")},
            "paper": {each: {"path": each} for each in ("/attic/.key", "/attic/deed", "/attic/maps/isle")},
            "visitor": {"me": {"stands_in": "/attic"}},
        }
    )

    def looked(self, said: str, given: dict[str, Any]) -> Answer:
        return ask(self.STATE, "look", given, said, output={"type": "array", "items": {"type": "string"}})

    @pytest.mark.parametrize(
        ("said", "given", "expected"),
        [
            ("List a folder.", {}, ".key .old deed maps"),
            ("List a folder.", {"show_hidden": False}, "deed maps"),
            ("List a folder.", {"show_hidden": True}, ".key .old deed maps"),
            ("List a folder.", {"recursive": False}, ".key .old deed maps"),
            ("List a folder; folders end with a slash.", {}, ".key .old/ deed maps/"),
            ("List a folder; folders have a slash at the end.", {"all": False}, "deed maps/"),
            ("List a folder; paths begin with a slash.", {"all": False}, "deed maps"),
            ("List a folder.", {"path": "maps"}, "isle"),
        ],
    )
    def test_show_what_lies_in_them(self, said: str, given: dict[str, Any], expected: str) -> None:
        assert self.looked(said, given).response == expected.split()

    @pytest.mark.parametrize("path", ["/cellar", "/attic/deed"])
    def test_that_are_none_are_refused(self, path: str) -> None:
        assert refusal(self.looked("List a folder.", {"path": path}))[0] == "not_found"

    def test_are_not_looked_into_where_papers_are_listed(self) -> None:
        papers = ask(self.STATE, "list_papers", {}, "List papers, with their paths.").response
        assert [paper["path"] for paper in papers] == ["/attic/.key", "/attic/deed", "/attic/maps/isle"]

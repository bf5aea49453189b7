"""Programs of tools: what they look up, insist on, change and answer, and that they only ever propose."""

from typing import Any

import pytest

from odyssey.expressions.facts import EarlierCall
from odyssey.records.faults import Faults
from odyssey.records.ledger import Add, ClearFlag, Remove, SetFlag, Update
from odyssey.records.tools import Tool
from odyssey.simulation.engine import Answer, Reading, ToolCall
from odyssey.simulation.programs import Program, ProgramEngine, ProgramFailedError, read_program, run_program
from odyssey.worlds.ledger import Ledger
from odyssey.worlds.operations import apply

STATE: dict[str, Any] = {
    "book": {
        "b1": {
            "book_id": "b1",
            "title": "Tides",
            "copies": 2,
            "reader_id": "r1",
            "tags": ["sea", "sea", "new"],
        },
        "b2": {"book_id": "b2", "title": "Dunes", "copies": 0, "reader_id": None, "tags": []},
    },
    "reader": {"r1": {"reader_id": "r1", "fees": {"late": 1.1, "lost": 2}, "level": 3}},
    "loan": {"L1": {"loan_id": "L1", "book_id": "b1"}, "L2": {"loan_id": "L2", "book_id": "b2"}},
}
WORLD = Ledger.boot(STATE, ["open"])
TOOL = Tool(
    "lend_book",
    {"type": "object", "properties": {name: {} for name in ("book_id", "reader_id", "tags", "days", "note")}},
)


def read(raw: Any, tool: Tool = TOOL) -> Program:
    faults = Faults()
    program = read_program(raw, faults, tool=tool)
    assert faults.found == []
    assert program is not None
    return program


def call_of(arguments: dict[str, Any], **more: Any) -> ToolCall:
    return ToolCall(TOOL, arguments, None, random_seed=7, sequence=3, **more)


def run(raw: Any, world: Ledger = WORLD, **arguments: Any) -> Answer:
    return run_program(read(raw), call_of(arguments), world)


LEND = {
    "describe": "Lends a book that is there.",
    "let": {
        "book": 'entity("book", args.book_id)',
        "left": "book.copies - 1",
        "loan": 'new_id("loan")',
    },
    "require": [
        {"that": "book != null", "else": {"code": "not_found", "message": "No book {args.book_id}"}},
        {"that": "left >= 0", "else": "{book.title} is out, {{sorry}}"},
    ],
    "operations": [
        {"op": "update", "entity_type": "book", "id": "= args.book_id", "fields": {"copies": "= left"}},
        {
            "op": "add",
            "entity_type": "loan",
            "id": "= loan",
            "fields": {"loan_id": "= loan", "book_id": "= args.book_id", "open": True},
        },
        {"op": "set_flag", "flag": "= 'lent:' + args.book_id"},
    ],
    "after": {"book": 'entity("book", args.book_id)'},
    "response": {"loan": "= loan", "left": "= book.copies", "was": "= left + 1", "note": "as written = so"},
}


def test_a_program_looks_up_changes_and_answers_from_the_world_after() -> None:
    answer = run(LEND, book_id="b1")
    assert answer.operations == (
        Update("book", "b1", {"copies": 1}),
        Add("loan", "L3", {"loan_id": "L3", "book_id": "b1", "open": True}),
        SetFlag("lent:b1"),
    )
    assert answer.response == {"loan": "L3", "left": 1, "was": 2, "note": "as written = so"}
    assert (answer.certainty, answer.refused) == (1.0, False)
    assert answer.reading == Reading("update", "book", ("copies",))
    assert answer.explanation == "program: update book: copies"


@pytest.mark.parametrize(
    ("book_id", "error"),
    [
        ("b9", {"code": "not_found", "message": "No book b9"}),
        ("b2", {"code": "conflict", "message": "Dunes is out, {sorry}"}),
    ],
)
def test_the_first_requirement_that_does_not_hold_refuses(book_id: str, error: dict[str, str]) -> None:
    answer = run(LEND, book_id=book_id)
    assert answer.response == {"error": error}
    assert (answer.operations, answer.refused, answer.certainty) == ((), True, 1.0)
    assert answer.explanation == f"program: update book: copies: refused, {error['code']}"
    assert answer.reading == Reading("update", "book", ("copies",))


def test_the_world_a_program_is_given_stays_as_it_is() -> None:
    before = WORLD.to_json(), WORLD.flags, WORLD.hash()
    answer = run(LEND, book_id="b1")
    answer.response["loan"] = "mine"
    answer.operations[1].fields["open"] = "mine"  # type: ignore[union-attr]
    assert (WORLD.to_json(), WORLD.flags, WORLD.hash()) == before
    assert run(LEND, book_id="b1").response["loan"] == "L3"


def test_the_same_call_has_the_same_answer() -> None:
    program = read(LEND)
    answers = [
        run_program(program, call_of({"book_id": "b1"}), Ledger.boot(STATE, ["open"])) for _ in range(2)
    ]
    assert answers[0] == answers[1]


def test_names_are_worked_out_only_when_needed() -> None:
    raw = {
        "let": {"book": 'entity("book", args.book_id)', "title": "book.title"},
        "require": [{"that": "book != null", "else": "gone"}],
        "response": "= title",
    }
    assert run(raw, book_id="b9").refused
    assert run(raw, book_id="b1").response == "Tides"


def test_a_name_is_about_the_world_before_and_all_else_about_now() -> None:
    raw = {
        "let": {"before": 'entity("book", "b1").copies', "again": "before + 0"},
        "operations": [
            {"op": "update", "entity_type": "book", "id": "b1", "fields": {"copies": 7}},
            {"op": "set_flag", "flag": '= text(entity("book", "b1").copies) + text(again)'},
            {"op": "clear_flag", "flag": "= flags[0]"},
        ],
        "response": ["= before", '= entity("book", "b1").copies', "= flags", "= state.book.b1.copies"],
    }
    answer = run(raw)
    assert answer.operations[1:] == (SetFlag("72"), ClearFlag("72"))
    assert answer.response == [2, 7, ["open"], 7]


def test_an_operation_can_go_through_a_list_and_see_what_it_did() -> None:
    raw = {
        "operations": [
            {
                "op": "update",
                "entity_type": "book",
                "id": "b1",
                "each": {"tag": "= args.tags"},
                "when": "tag != 'skip'",
                "let": {
                    "tags": 'entity("book", "b1").tags',
                    "place": "first(range(size(tags)).filter(i, tags[i] == tag))",
                },
                "fields": {"tags": "= put(tags, place, upper(tag))"},
            }
        ],
        "response": '= entity("book", "b1").tags',
    }
    answer = run(raw, tags=["sea", "skip", "sea"])
    assert answer.response == ["SEA", "SEA", "new"]
    assert answer.operations == (Update("book", "b1", {"tags": ["SEA", "SEA", "new"]}),)
    assert run(raw, tags=[]).operations == ()


def test_what_is_changed_step_by_step_is_one_operation_as_long_as_nothing_lies_between() -> None:
    def update(entity_id: str, **fields: Any) -> dict[str, Any]:
        return {"op": "update", "entity_type": "book", "id": entity_id, "fields": fields}

    add = {"op": "add", "entity_type": "book", "id": "b3", "fields": {"title": "Fens"}}
    raw = {"operations": [update("b1", copies=1), update("b1", shelf=2), update("b2", copies=1), add]}
    raw["operations"] += [update("b3", copies=4), {"op": "remove", "entity_type": "book", "id": "b1"}]
    assert run(raw).operations == (
        Update("book", "b1", {"copies": 1, "shelf": 2}),
        Update("book", "b2", {"copies": 1}),
        Add("book", "b3", {"title": "Fens", "copies": 4}),
        Remove("book", "b1"),
    )


def test_each_new_entity_of_a_list_gets_an_id_of_its_own() -> None:
    add = {
        "op": "add",
        "entity_type": "loan",
        "id": "= number",
        "each": {"tag": "args.tags"},
        "let": {"number": 'new_id("loan")'},
        "fields": {"loan_id": "= number", "tag": "= tag"},
    }
    answer = run(
        {"operations": [add], "response": '= entities("loan").map(loan, loan.loan_id)'}, tags=["x", "y"]
    )
    assert answer.response == ["L1", "L2", "L3", "L4"]
    assert apply(WORLD, answer.operations, "strict").violations == ()


def test_fields_may_come_whole_from_an_expression_and_ids_may_be_numbers() -> None:
    raw = {
        "operations": [
            {"op": "add", "entity_type": "stay", "id": "= args.days", "fields": "= {'days': args.days}"},
            {"op": "remove", "entity_type": "stay", "id": 4},
        ]
    }
    assert run(raw, days=4).operations == (Add("stay", "4", {"days": 4}), Remove("stay", "4"))
    assert run(raw, days=4).response == {}


@pytest.mark.parametrize(
    ("operations", "reading"),
    [
        ([], Reading("read")),
        (
            [{"op": "add", "entity_type": "book", "id": "b7", "fields": {"x": 1}}],
            Reading("create", "book", ("x",)),
        ),
        ([{"op": "remove", "entity_type": "book", "id": "b1"}], Reading("remove", "book")),
        ([{"op": "update", "entity_type": "book", "id": "b1", "fields": "= {}"}], Reading("update", "book")),
        ([{"op": "set_flag", "flag": "x"}], Reading("update")),
        (
            [{"op": "set_flag", "flag": "x"}, {"op": "remove", "entity_type": "book", "id": "b1"}],
            Reading("remove", "book"),
        ),
    ],
)
def test_what_a_program_does_is_read_off_its_operations(operations: list[Any], reading: Reading) -> None:
    assert run({"operations": operations}).reading == reading


def test_calls_and_actor_are_seen_and_asked_for() -> None:
    raw = {"response": ["= calls.map(each, each.tool)", "= actor"]}
    call = call_of({}, actor="clerk", calls=(EarlierCall("find_book", {}, "odyssey"),))
    assert run_program(read(raw), call, WORLD).response == [["find_book"], "clerk"]
    places: list[dict[str, Any]] = [
        raw,
        {"let": {"n": "size(calls)"}},
        {"after": {"n": "size(calls)"}},
        {"require": [{"that": "size(calls) == 0", "else": "x"}]},
        {"require": [{"that": "true", "else": "{calls}"}]},
        {"operations": [{"op": "set_flag", "flag": "= calls[0].tool"}]},
        {"operations": [{"op": "set_flag", "flag": "x", "when": "size(calls) > 0"}]},
        {"operations": [{"op": "set_flag", "flag": "x", "each": {"call": "calls"}}]},
        {"operations": [{"op": "set_flag", "flag": "x", "let": {"n": "size(calls)"}}]},
        {"operations": [{"op": "add", "entity_type": "x", "id": "x", "fields": {"n": "= size(calls)"}}]},
    ]
    assert all(read(place).uses_calls for place in places)
    assert not read(LEND).uses_calls


OPERATION = {"op": "update", "entity_type": "book", "id": "b1"}
FAILING: list[tuple[dict[str, Any], str, str]] = [
    ({"let": {"a": "args.days + 1", "b": "a"}, "response": "= b"}, "let.a", "days"),
    ({"require": [{"that": "true", "else": "x"}, {"that": "1", "else": "x"}]}, "require[1].that", "boolean"),
    ({"require": [{"that": "false", "else": "{args.days}"}]}, "require[0].else", "days"),
    ({"operations": [{**OPERATION, "when": "args.days > 1"}]}, "operations[0].when", "days"),
    ({"operations": [{**OPERATION, "id": "= null"}]}, "operations[0].id", "not empty"),
    ({"operations": [{**OPERATION, "id": "= ''"}]}, "operations[0].id", "not empty"),
    ({"operations": [{"op": "set_flag", "flag": "= [1]"}]}, "operations[0].flag", "not empty"),
    ({"operations": [{**OPERATION, "fields": "= [1]"}]}, "operations[0].fields", "an object"),
    ({"operations": [{**OPERATION, "fields": {"x": "= 1 / 0"}}]}, "operations[0].fields", "zero"),
    ({"operations": [{**OPERATION, "each": {"x": "3"}}]}, "operations[0].each.x", "must be a list"),
    (
        {"operations": [{**OPERATION, "let": {"x": "1 / 0"}, "fields": {"x": "= x"}}]},
        "operations[0].let.x",
        "zero",
    ),
    ({"after": {"x": "1 / 0"}, "response": "= x"}, "after.x", "zero"),
    ({"response": {"a": ["= args.days"]}}, "response", "days"),
]


@pytest.mark.parametrize(("raw", "place", "words"), FAILING)
def test_what_cannot_be_worked_out_fails_and_names_the_place(
    raw: dict[str, Any], place: str, words: str
) -> None:
    with pytest.raises(ProgramFailedError, match=words) as failed:
        run(raw)
    assert failed.value.place == place
    assert str(failed.value).startswith(f"{place}: ")


def test_a_name_that_fails_does_not_matter_where_the_other_side_decides() -> None:
    raw = {
        "let": {"late": "args.days > 3"},
        "require": [{"that": "late || true", "else": "x"}],
        "response": "yes",
    }
    assert run(raw).response == "yes"
    assert run(raw).response == "yes"


def test_a_name_may_be_that_of_a_function() -> None:
    raw = {"let": {"count": "3", "first": "count + count([1, 1], 1)"}, "response": "= first"}
    assert run(raw).response == 5


def test_the_engine_runs_the_program_of_the_tool() -> None:
    engine = ProgramEngine({"lend_book": read({"response": "= args.note"})})
    assert engine.name == "program"
    assert engine.answer(call_of({"note": "n"}), WORLD).response == "n"
    with pytest.raises(ProgramFailedError, match="has no program"):
        ProgramEngine({}).answer(call_of({}), WORLD)

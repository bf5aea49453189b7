"""The confidence that is told: by what an answer rests on, and never more than such answers are right."""

from typing import Any

import pytest
from support.asking import ask, tool_call

from odyssey.simulation.calibration import confidence_of, kind_of
from odyssey.simulation.engine import Answer, Reading
from odyssey.worlds.ledger import Ledger

WORLD = Ledger.boot({"order": {"o-1": {"order_id": "o-1", "status": "open", "total": 5}}})
ORDER = {
    "type": "object",
    "properties": {"order_id": {"type": "string"}, "status": {"type": "string"}, "total": {"type": "number"}},
    "required": ["order_id"],
}


def confidence(name: str, arguments: dict[str, Any], said: str = "", **options: Any) -> float:
    return confidence_of(
        ask(WORLD, name, arguments, said, **options), tool_call(name, arguments, said, **options)
    )


def test_a_plain_read_in_its_form_is_surer_than_one_whose_form_nobody_knows() -> None:
    by_id = {"order_id": "o-1"}
    assert confidence("get_order", by_id, output=ORDER) >= 0.8
    assert confidence("get_order", by_id, output=ORDER) > confidence("get_order", by_id)


def test_an_unknown_id_is_refused_surely() -> None:
    assert confidence("get_order", {"order_id": "o-9"}) >= 0.9


def test_what_is_not_understood_is_hardly_ever_right() -> None:
    assert confidence("ponder", {}) <= 0.05


@pytest.mark.parametrize(
    ("answer", "expected"),
    [
        (Answer({}, evidence="model", certainty=0.7), 0.7),
        (Answer({}, evidence="behaviour", certainty=0.9), 0.95),
    ],
)
def test_models_and_rules_are_not_measured_on_reference_worlds(answer: Answer, expected: float) -> None:
    assert confidence_of(answer, tool_call("get_order", {"order_id": "o-1"})) == expected


def test_kinds_go_from_narrow_to_wide_and_end_with_any_answer() -> None:
    call = tool_call("get_order", {"order_id": "o-1"}, output=ORDER)
    read = Answer({}, reading=Reading("read", "order"), certainty=0.9, shape="shaped")
    names = ["read/ok/0.9/shaped", "read/ok/shaped", "read/ok", ""]
    assert list(kind_of(read, call).names()) == names
    missing = {"error": {"code": "not_found"}}
    refused = Answer(missing, certainty=0.6, reading=Reading("read", "order"), refused=True)
    names = ["read/not_found/0.6", "not_found/0.6", "not_found", ""]
    assert list(kind_of(refused, call).names()) == names


def test_a_refusal_is_the_surer_the_nearer_it_is_to_what_is_meant() -> None:
    lines = {"l-1": {"line_id": "l-1", "order_id": "o-1", "locked": True}}
    world = Ledger.boot({"order": WORLD.entities("order"), "line": lines})

    def certainty(name: str, given: dict[str, Any], said: str = "") -> float:
        answer = ask(world, name, given, said)
        assert answer.refused
        return answer.certainty

    itself = certainty("update_line", {"line_id": "l-9", "note": "x"})
    another = certainty("update_line", {"line_id": "l-1", "order_id": "o-9"})
    a_sentence = certainty("update_line", {"line_id": "l-1", "note": "x"}, "The line must not be locked.")
    assert itself > another > a_sentence


@pytest.mark.parametrize(
    ("shown", "rows"),
    [
        ([], "none"),
        ([1], "one"),
        ([1, 2, 3], "many"),
        ({"orders": [], "total": 0}, "none"),
        ({"orders": [1, 2], "notes": []}, ""),
        ({"total": 3}, ""),
        (3, ""),
    ],
)
def test_a_list_is_the_surer_the_less_it_shows(shown: Any, rows: str) -> None:
    listing = kind_of(Answer(shown, reading=Reading("list", "order")), tool_call("list_orders"))
    assert listing.rows == rows
    assert kind_of(Answer(shown, reading=Reading("read", "order")), tool_call("get_order")).rows == ""


@pytest.mark.parametrize(
    ("output", "shape"),
    [
        (None, "free"),
        (ORDER, "as_is"),
        ({"type": "object", "properties": {"order": ORDER}}, "as_is"),
        ({"type": "object", "properties": {"orders": {"type": "array", "items": ORDER}}}, "as_is"),
        ({"type": "object"}, "bare"),
        ({"type": "array"}, "bare"),
        ({"type": "object", "properties": {"order": {"type": "object"}}}, "bare"),
        (
            {"type": "object", "properties": {"orders": {"type": "array", "items": {"type": "object"}}}},
            "bare",
        ),
        ({"type": "string"}, "as_is"),
    ],
)
def test_a_schema_that_names_no_members_of_what_is_shown_is_bare(output: Any, shape: str) -> None:
    assert kind_of(Answer({}), tool_call("get_order", {}, output=output)).shape == shape


def test_a_kind_that_never_occurred_has_the_share_of_a_wider_one() -> None:
    strange = Answer({}, reading=Reading("teleport", "order"), certainty=0.1)
    assert 0 < confidence_of(strange, tool_call("teleport_order")) < 0.6

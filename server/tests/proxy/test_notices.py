from typing import Any

import msgspec
import pytest

from odyssey.journal.injections import CarriedText
from odyssey.proxy.answering import Notice, notice_of
from odyssey.records.json_schema import CompiledSchema, compile_schema

TEXT = "Hurry up, please."
OPEN = compile_schema({"type": "object", "properties": {"id": {"type": "string"}}})
CLOSED = compile_schema(
    {"type": "object", "properties": {"id": {"type": "string"}}, "additionalProperties": False}
)
NUMERIC = compile_schema({"type": "object", "properties": {"notice": {"type": "integer"}}})


def envelope(response: Any, source: str = "odyssey") -> dict[str, Any]:
    return {"tool_name": "look", "response": response, "source": source}


def serve(
    notice: Notice, response: Any, source: str = "odyssey", schema: CompiledSchema | None = None
) -> Any:
    """Serve a call as the proxy does; returns what the agent gets."""
    answer = envelope(response, source)
    carrier = notice.carrier(answer, schema)
    notice.note(answer | ({"injection": {"carried_as": carrier[1]}} if carrier else {}))
    return response if carrier is None else carrier[0]


def test_a_string_carries_it_after_a_blank_line() -> None:
    assert Notice(TEXT, 1).carrier(envelope("Found."), None) == (f"Found.\n\n{TEXT}", "text")


@pytest.mark.parametrize("schema", [None, OPEN])
def test_an_object_carries_it_as_a_member(schema: CompiledSchema | None) -> None:
    carried = Notice(TEXT, 1).carrier(envelope({"id": "1"}), schema)
    assert carried == ({"id": "1", "notice": TEXT}, "notice")


def test_an_answer_that_is_encoded_already_carries_it_too() -> None:
    raw = msgspec.Raw(b'{"id":"1"}')
    assert Notice(TEXT, 1).carrier(envelope(raw), OPEN) == ({"id": "1", "notice": TEXT}, "notice")


@pytest.mark.parametrize(
    ("response", "source", "schema"),
    [
        ([{"id": "1"}], "odyssey", None),
        ([], "passthrough", None),
        (5, "odyssey", None),
        (True, "odyssey", None),
        (None, "odyssey", None),
        ({"id": "1", "notice": "mine"}, "odyssey", None),
        ({"id": "1"}, "odyssey", CLOSED),
        ({"id": "1"}, "odyssey", NUMERIC),
        ({"error": {"code": "not_found", "message": "no"}}, "odyssey", None),
        ({"error": {"code": "simulation_failed"}}, "error", None),
        ({"id": "1"}, "injected", None),
        ("text", "injected", None),
        ("text", "transport_error", None),
        ("x" * 1024 * 1024, "odyssey", None),
    ],
)
def test_what_cannot_carry_it_leaves_it_to_the_next_that_can(
    response: Any, source: str, schema: CompiledSchema | None
) -> None:
    notice = Notice(TEXT, 1)
    assert serve(notice, response, source, schema) == response
    assert serve(notice, {"id": "2"}) == {"id": "2", "notice": TEXT}
    assert serve(notice, {"id": "3"}) == {"id": "3"}


def test_it_comes_with_the_kth_call_that_the_world_answered() -> None:
    notice = Notice(TEXT, 3)
    assert serve(notice, "one") == "one"
    assert serve(notice, "broken", "injected") == "broken"
    assert serve(notice, [1], "passthrough") == [1]
    assert serve(notice, "failed", "error") == "failed"
    assert serve(notice, "three") == f"three\n\n{TEXT}"
    assert serve(notice, "four") == "four"


def test_an_object_is_not_changed_in_place() -> None:
    response = {"id": "1"}
    serve(Notice(TEXT, 1), response)
    assert response == {"id": "1"}


def test_only_the_way_through_tool_results_makes_a_notice() -> None:
    assert notice_of(None) is None
    assert notice_of(CarriedText("system", TEXT)) is None
    assert notice_of(CarriedText("tool_result", TEXT, 2)) is not None

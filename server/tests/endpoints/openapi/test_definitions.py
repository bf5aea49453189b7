"""Schemas that refer to themselves, to nothing, or to more than can be checked."""

import json
from typing import Any

import pytest
from support.openapi import answer, body, operation, parameter, read

from odyssey.endpoints.openapi.definitions import Definitions
from odyssey.endpoints.openapi.document import MAX_TOOLS
from odyssey.endpoints.openapi.operations import MAX_PARAMETERS
from odyssey.endpoints.openapi.references import Effort, References
from odyssey.endpoints.upstream import Discovery
from odyssey.records.json_schema import MAX_SCHEMA_BYTES, compile_schema


def discovered(schema: Any, version: str = "3.1.0", **schemas: Any) -> Discovery:
    document = read(
        {"/x": {"post": operation(parameter("q", schema=schema), responses=answer(schema))}},
        version=version,
        components={"schemas": schemas},
    )
    discovery = document.discovery()
    for tool in discovery.tools:
        compile_schema(tool.input_schema)
        compile_schema(tool.output_schema)
    return discovery


def refer(name: str) -> dict[str, str]:
    return {"$ref": f"#/components/schemas/{name}"}


def test_a_recursive_schema_refers_to_its_own_definitions() -> None:
    node = {"type": "object", "properties": {"next": refer("Node"), "name": {"type": "string"}}}
    discovery = discovered(refer("Node"), Node=node)
    schema = discovery.tools[0].input_schema
    assert schema["$defs"] == {
        "Node": {
            "type": "object",
            "properties": {"next": {"$ref": "#/$defs/Node"}, "name": {"type": "string"}},
        }
    }
    compiled = compile_schema(schema)
    assert compiled.is_valid({"q": {"name": "a", "next": {"name": "b", "next": {}}}})
    assert not compiled.is_valid({"q": {"next": {"next": {"name": 5}}}})
    assert discovery.notes == ()


def test_schemas_that_refer_to_one_another() -> None:
    one = {"type": "array", "items": refer("Two")}
    two = {"type": "object", "additionalProperties": refer("One")}
    compiled = compile_schema(discovered(refer("One"), One=one, Two=two).tools[0].output_schema)
    assert compiled.is_valid([{"a": [{}]}])
    assert not compiled.is_valid([{"a": [{"b": 5}]}])


def test_names_that_are_alike_are_told_apart() -> None:
    schemas: dict[str, Any] = {
        "A/B": {"type": "object", "title": "one"},
        "A B": {"type": "object", "title": "two"},
        "": {"type": "object"},
    }
    schema = {"anyOf": [refer("A~1B"), refer("A%20B"), refer("A B"), refer("")]}
    made = discovered(schema, **schemas).tools[0].output_schema
    assert made is not None
    assert [made["$defs"][part["$ref"].removeprefix("#/$defs/")].get("title") for part in made["anyOf"]] == [
        "one",
        "two",
        "two",
        None,
    ]


@pytest.mark.parametrize(
    "schemas",
    [
        {"A": refer("A")},
        {"A": refer("B"), "B": refer("A")},
        {"A": {"allOf": [refer("A")]}},
        {"A": {"not": refer("B")}, "B": {"anyOf": [refer("A"), {"type": "string"}]}},
    ],
    ids=["itself", "a circle", "allOf", "not"],
)
def test_a_schema_that_never_ends_is_left_open_with_a_note(schemas: dict[str, Any]) -> None:
    discovery = discovered(refer("A"), **schemas)
    assert compile_schema(discovery.tools[0].input_schema).is_valid({"q": 5})
    assert "left open: do." in discovery.notes[0]


def test_a_reference_that_leads_nowhere_is_left_open_with_a_note() -> None:
    for pointer in ("#/components/schemas/Missing", "#/openapi", "#anchor", "#/components/schemas/Pet/~2"):
        discovery = discovered({"$ref": pointer}, Pet={})
        assert compile_schema(discovery.tools[0].input_schema).is_valid({"q": 5})
        assert discovery.notes == (
            f"References that lead nowhere; what they stand for is left open: {pointer}, {pointer}.",
        )


def test_of_too_many_definitions_the_nearest_are_kept() -> None:
    schemas: dict[str, Any] = {
        f"S{number}": {
            "type": "object",
            "description": "x" * 900,
            "properties": {"next": refer(f"S{number + 1}"), "count": {"type": "integer"}},
        }
        for number in range(200)
    }
    discovery = discovered(refer("S0"), **schemas)
    schema = discovery.tools[0].input_schema
    compiled = compile_schema(schema)
    assert not compiled.is_valid({"q": {"next": {"next": {"count": "no number"}}}})
    assert list(schema["$defs"].values()).count({"type": "object"}) == 1
    assert discovery.notes[0].startswith("Too large or too involved a schema")


def test_schemas_that_unfold_without_end_become_shallow_ones() -> None:
    schemas: dict[str, Any] = {
        f"S{level}": {
            "type": "object",
            "properties": {f"p{index}": refer(f"S{level + 1}") for index in range(10)},
        }
        for level in range(12)
    }
    discovery = discovered(refer("S0"), S12={"type": "object"}, **schemas)
    compiled = compile_schema(discovery.tools[0].input_schema)
    assert not compiled.is_valid({"q": 5})
    assert compiled.is_valid({"q": {"p0": {"p1": {}}}})
    assert discovery.notes[0].startswith("Too large or too involved a schema")


def test_a_schema_too_large_by_itself_becomes_its_outline() -> None:
    schema = {
        "type": "object",
        "required": ["p1"],
        "properties": {f"p{number}": {"type": "string", "enum": ["x" * 400]} for number in range(300)},
    }
    discovery = discovered(schema)
    made = discovery.tools[0].output_schema
    assert made is not None
    assert discovery.notes[-1].startswith("Some schemas are too large")
    assert (made["required"], made["properties"]["p1"], len(made["properties"])) == (
        ["p1"],
        {"type": "string"},
        300,
    )


def test_a_body_too_large_to_be_taken_whole_still_gives_its_members_as_arguments() -> None:
    members = {f"p{number}": {"type": "string", "enum": ["x" * 20_000]} for number in range(100)}
    schema = {"type": "object", "properties": members, "required": ["p1"], "additionalProperties": False}
    (tool,) = read({"/x": {"post": operation(requestBody=body(schema))}}).discovery().tools
    assert tool.input_schema["properties"].keys() == members.keys()


def test_a_schema_of_which_not_even_an_outline_fits_is_any_object() -> None:
    parameters = [parameter(f"a parameter with a rather long name {number:05}") for number in range(1500)]
    discovery = read({"/x": {"get": operation(*parameters)}}).discovery()
    assert discovery.tools[0].input_schema == {"type": "object"}
    assert discovery.notes[0].endswith("left open: do.")


def test_what_many_operations_share_is_worked_out_once_and_bounded_for_all() -> None:
    large = {
        "type": "object",
        "properties": {f"p{number}": {"type": "string", "description": "x" * 200} for number in range(100)},
    }
    paths = {f"/{number}": {"get": operation(responses=answer(refer("Large")))} for number in range(1500)}
    discovery = read(paths, components={"schemas": {"Large": large}}).discovery()
    assert len(discovery.tools) == 1500
    assert len({id(tool.output_schema) for tool in discovery.tools}) == 1
    assert len(json.dumps(discovery.tools[0].output_schema)) < 5000


def shared_item(item: dict[str, Any], **schemas: Any) -> Discovery:
    """A small text that stands for tens of thousands of large operations."""
    paths = {f"/{number}": {"$ref": "#/components/pathItems/Item"} for number in range(10_000)}
    return read(
        paths, version="3.1.0", components={"pathItems": {"Item": item}, "schemas": schemas}
    ).discovery()


MANY = {f"p{number}": {"type": "string"} for number in range(10_000)}


def test_parameters_of_shared_paths_are_bounded_in_all() -> None:
    parameters = [parameter(name, schema=schema) for name, schema in MANY.items()]
    discovery = shared_item({"get": operation(*parameters)})
    assert len(discovery.tools) == MAX_PARAMETERS // len(MANY)
    assert discovery.notes[0].startswith(
        f"The document has more than {MAX_PARAMETERS} parameters in all: GET /5"
    )


def test_bodies_and_answers_of_shared_paths_are_gone_through_once() -> None:
    schema = {"type": "object", "properties": MANY, "required": list(MANY)}
    discovery = shared_item({"post": operation(requestBody=body(schema), responses=answer(schema))})
    assert len(discovery.tools) == MAX_TOOLS
    assert discovery.tools[-1].input_schema["properties"] == {"body": {"type": "object"}}
    assert discovery.tools[-1].output_schema == {"type": "object"}


def test_texts_of_shared_paths_are_cut() -> None:
    long = "x" * 500_000
    discovery = shared_item(
        {
            "get": {
                "operationId": long,
                "description": long,
                "parameters": [parameter(long)],
                "requestBody": body({}, f"image/{long}", required=False),
            }
        }
    )
    assert max(len(tool.description) for tool in discovery.tools) == 10_000
    assert max(map(len, discovery.notes)) < 1000


def limited(root: dict[str, Any], effort: int) -> Definitions:
    return Definitions(
        References(root), Effort(effort), siblings=True, direction="request", max_bytes=MAX_SCHEMA_BYTES
    )


def test_patterns_are_tried_only_so_often() -> None:
    patterns = [f"^{number}$" for number in range(100)]
    definitions = limited({}, 200_000)
    converted = [definitions.convert({"pattern": pattern}) for pattern in patterns]
    kept = [made for made in converted if made != {}]
    assert kept == [{"pattern": pattern} for pattern in patterns[: len(kept)]]
    assert 0 < len(kept) < 100


def test_schemas_are_gone_through_until_the_effort_is_spent() -> None:
    parts = [{"type": "string", "description": "x" * 100, "title": str(number)} for number in range(100)]
    definitions = limited({}, 5000)
    converted = [definitions.convert(part) for part in parts]
    assert converted[0] == parts[0]
    assert converted[-1] == {}
    assert definitions.is_cut
    assert definitions.convert(parts[0]) == parts[0], "what is known costs nothing"

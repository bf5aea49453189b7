import re
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st
from support.openapi import answer, body, only_tool, operation, parameter, read

from odyssey.endpoints.upstream import UpstreamTool
from odyssey.records.json_schema import compile_schema
from odyssey.records.tools import TOOL_NAME

PET = {
    "type": "object",
    "properties": {"name": {"type": "string"}, "tag": {"type": "string"}},
    "required": ["name"],
}


def tool_of(*parameters: Any, path: str = "/x", **members: Any) -> UpstreamTool:
    return only_tool(read({path: {"post": operation(*parameters, **members)}}))


@pytest.mark.parametrize(
    ("operation_id", "expected"),
    [
        ("listPets", "listPets"),
        ("pets/list", "pets_list"),
        ("pets.list all", "pets_list_all"),
        ("2fa", "_2fa"),
        ("-x", "_-x"),
        ("ü", "post_x"),
        ("", "post_x"),
        (None, "post_x"),
        (5, "post_x"),
        ("_", "_"),
        ("x" * 300, "x" * 128),
    ],
)
def test_a_tool_is_named_by_the_operations_id_or_its_method_and_path(
    operation_id: Any, expected: str
) -> None:
    assert tool_of(operationId=operation_id).name == expected


def test_names_that_are_alike_get_numbers() -> None:
    paths = {
        f"/{path}": {"get": {"operationId": name}}
        for path, name in enumerate(["a b", "a/b", "a_b", "x" * 200, "x" * 201])
    }
    names = [tool.name for tool in read({**paths, "/{id}": {"get": {}, "put": {}}}).discovery().tools]
    assert names == ["a_b", "a_b_2", "a_b_3", "x" * 128, "x" * 126 + "_2", "get_id", "put_id"]


@given(st.lists(st.text(max_size=200), max_size=8))
def test_every_name_fits_and_is_there_once(operation_ids: list[str]) -> None:
    paths = {f"/{number}": {"get": {"operationId": each}} for number, each in enumerate(operation_ids)}
    names = [tool.name for tool in read(paths).discovery().tools]
    assert len(set(names)) == len(operation_ids)
    assert all(re.fullmatch(TOOL_NAME.strip("^$"), name) for name in names)


def test_every_method_becomes_a_tool_and_two_of_them_only_read() -> None:
    methods = ("get", "put", "post", "delete", "options", "head", "patch", "trace")
    discovery = read({"/x": {method: {} for method in methods}}).discovery()
    assert {tool.method: tool.read_only for tool in discovery.tools} == {
        "GET": True,
        "PUT": False,
        "POST": False,
        "DELETE": False,
        "OPTIONS": False,
        "HEAD": True,
        "PATCH": False,
    }
    assert discovery.notes == ("The method TRACE is not sent: /x.",)


def test_what_the_description_is_made_of() -> None:
    assert tool_of(summary="Short.", description="Long.\n").description == "Short.\n\nLong."
    assert tool_of(summary="Same.", description="Same.").description == "Same."
    assert tool_of(summary="Old.", deprecated=True).description == "Deprecated.\n\nOld."
    assert len(tool_of(description="x" * 20_000).description) == 10_000


def test_arguments_are_one_flat_object() -> None:
    tool = tool_of(
        parameter("id", "path", {"type": "integer"}, required=True, description="Which."),
        parameter("q", schema={"type": "string"}),
        parameter("X-Trace", "header", required=True),
        parameter("theme", "cookie"),
        path="/x/{id}",
        requestBody=body(PET),
    )
    assert tool.input_schema == {
        "type": "object",
        "properties": {
            "id": {"type": "integer", "description": "Which."},
            "q": {"type": "string"},
            "X-Trace": {},
            "theme": {},
            "name": {"type": "string"},
            "tag": {"type": "string"},
        },
        "required": ["id", "X-Trace", "name"],
    }


def test_an_operation_without_a_body_takes_nothing_else() -> None:
    compiled = compile_schema(tool_of(parameter("q")).input_schema)
    assert compiled.is_valid({"q": 1})
    assert not compiled.is_valid({"other": 1})


@pytest.mark.parametrize("open_or_not", [False, True, {"type": "integer"}])
def test_a_merged_body_stays_as_open_as_it_is(open_or_not: Any) -> None:
    tool = tool_of(requestBody=body({**PET, "additionalProperties": open_or_not}))
    assert tool.input_schema["additionalProperties"] == open_or_not


def test_an_optional_body_demands_its_members_only_when_it_is_there() -> None:
    compiled = compile_schema(tool_of(requestBody=body(PET, required=False)).input_schema)
    assert compiled.is_valid({})
    assert compiled.is_valid({"name": "a"})
    assert not compiled.is_valid({"tag": "a"})


@pytest.mark.parametrize(
    "schema",
    [
        {"type": "array", "items": {"type": "string"}},
        {"type": "object"},
        {"allOf": [PET]},
        {**PET, "minProperties": 2},
        {**PET, "nullable": True},
        {"oneOf": [PET, {"type": "string"}]},
        {"type": "string"},
    ],
)
def test_a_body_that_is_more_than_its_members_is_one_argument(schema: Any) -> None:
    tool = tool_of(requestBody=body(schema))
    assert list(tool.input_schema["properties"]) == ["body"]
    assert tool.input_schema["required"] == ["body"]
    assert "required" not in tool_of(requestBody=body(schema, required=False)).input_schema


def test_a_body_whose_members_clash_with_parameters_is_one_argument() -> None:
    assert list(tool_of(parameter("name"), requestBody=body(PET)).input_schema["properties"]) == [
        "name",
        "body",
    ]
    both = tool_of(parameter("name"), parameter("body"), requestBody=body(PET))
    assert list(both.input_schema["properties"]) == ["name", "body", "request_body"]


def test_parameters_of_one_name_are_told_apart_by_their_place() -> None:
    places = ("cookie", "header", "query", "path")
    tool = tool_of(*(parameter("id", place, {"title": place}) for place in places), path="/x/{id}")
    assert {name: schema["title"] for name, schema in tool.input_schema["properties"].items()} == {
        "id": "path",
        "query_id": "query",
        "header_id": "header",
        "cookie_id": "cookie",
    }
    taken = tool_of(parameter("id"), parameter("id", "header"), parameter("header_id"))
    assert sorted(taken.input_schema["properties"]) == ["header_id", "header_id_2", "id"]


def test_an_operations_parameters_go_before_those_of_its_path() -> None:
    document = read(
        {
            "/x/{id}": {
                "parameters": [
                    {"$ref": "#/components/parameters/Id"},
                    parameter("q", schema={"type": "string"}),
                ],
                "get": operation(parameter("q", schema={"type": "integer"})),
            }
        },
        components={"parameters": {"Id": parameter("id", "path", {"type": "integer"})}},
    )
    assert only_tool(document).input_schema["properties"] == {
        "id": {"type": "integer"},
        "q": {"type": "integer"},
    }


def test_a_path_item_may_be_a_reference() -> None:
    document = read(
        {"/x": {"$ref": "#/components/pathItems/X"}}, components={"pathItems": {"X": {"get": operation()}}}
    )
    assert only_tool(document).path == "/x"


def test_what_the_path_names_is_an_argument_even_if_nobody_declares_it() -> None:
    schema = tool_of(path="/x/{id}/{part}").input_schema
    assert schema["properties"] == {"id": {"type": "string"}, "part": {"type": "string"}}
    assert schema["required"] == ["id", "part"]


@pytest.mark.parametrize(
    ("responses", "expected"),
    [
        ({}, None),
        (None, None),
        (answer({"title": "a"}), {"title": "a"}),
        (answer({"title": "a"}, "application/hal+json; charset=utf-8", "2XX"), {"title": "a"}),
        ({**answer({"title": "b"}, status="201"), **answer({"title": "a"})}, {"title": "a"}),
        ({**answer({"title": "b"}, status="201"), **answer({"title": "a"}, "text/plain")}, {"title": "b"}),
        (answer({"title": "a"}, status="404"), None),
        (answer({"title": "a"}, status="default"), None),
        (answer(True), None),
        ({"200": {"$ref": "#/components/responses/R"}}, {"title": "r"}),
    ],
)
def test_the_answer_is_the_first_success_that_is_json(responses: Any, expected: Any) -> None:
    document = read(
        {"/x": {"get": operation(responses=responses)}},
        components={"responses": {"R": answer({"title": "r"})["200"]}},
    )
    assert only_tool(document).output_schema == expected


def test_a_body_without_any_content_is_none() -> None:
    tool = tool_of(requestBody={"required": True, "content": {}})
    assert tool.input_schema == {"type": "object", "properties": {}, "additionalProperties": False}


def test_what_cannot_be_offered_is_noted() -> None:
    discovery = read(
        {
            "/upload": {"post": {"requestBody": body({"type": "string"}, "application/octet-stream")}},
            "/maybe": {
                "post": {"requestBody": body({}, "image/png", required=False), "operationId": "maybe"}
            },
            "/host": {"get": operation(parameter("Host", "header"), {"name": "x", "in": "body"}, "x")},
            "/own": {"servers": [{"url": "https://b.example"}], "get": {}},
            "/gone": {"get": operation(parameter("id", "path"), operationId="gone")},
            "relative": {"get": {}},
        }
    ).discovery()
    assert [tool.name for tool in discovery.tools] == ["maybe", "do", "get_own", "gone"]
    assert discovery.notes == (
        "A body of type application/octet-stream cannot be sent as text: POST /upload.",
        "A body of type image/png cannot be sent as text: POST /maybe.",
        "The header 'Host' cannot be set by an argument: GET /host.",
        "A parameter without a name, or in no known place, is not read: GET /host, GET /host.",
        "Servers of single operations are not used; their calls go to the base address: GET /own.",
        "The path has no place for the parameter 'id': GET /gone.",
        "Paths that do not start with '/' are not read: relative.",
    )


def test_members_of_a_body_that_may_be_left_out_demand_each_other_unless_they_are_many() -> None:
    def demanded(members: int) -> Any:
        names = [f"m{number}" for number in range(members)]
        schema = {"type": "object", "properties": {name: {} for name in names}, "required": names[:20]}
        return tool_of(requestBody=body(schema, required=False)).input_schema.get("dependentRequired")

    assert len(demanded(20)) == 20
    assert demanded(21) is None

"""Prism as the live hop of an OpenAPI endpoint: its own reading of the document judges what we send."""

import asyncio
import json
from collections.abc import Iterator
from typing import Any

import pytest
from support.calls import StartAgent, open_run
from support.openapi import answer, body, operation, parameter
from support.platform import Org
from support.prism import prism
from support.tls import TLS

from odyssey.core.addresses import AddressPolicy
from odyssey.core.outbound import OutboundClient
from odyssey.endpoints.openapi.document import ApiDocument, read_document
from odyssey.endpoints.openapi.upstream import OpenApiUpstream
from odyssey.endpoints.upstream import Answered
from odyssey.records.json_schema import compile_schema

INTEGER = {"type": "integer"}
NUMBERS = {"type": "array", "items": INTEGER, "minItems": 2}
COLOUR = {"type": "object", "required": ["r", "g"], "properties": {"r": INTEGER, "g": INTEGER}}
PET = {
    "type": "object",
    "required": ["id", "name"],
    "example": {"id": 5, "name": "Rex", "born": None, "parent": {"id": 4, "name": "Max"}},
    "properties": {
        "id": INTEGER,
        "name": {"type": "string", "minLength": 1},
        "born": {"type": "string", "format": "date", "nullable": True},
        "parent": {"$ref": "#/components/schemas/Pet"},
    },
}
NEW_PET = {
    "type": "object",
    "required": ["name"],
    "additionalProperties": False,
    "properties": {"name": {"type": "string"}, "tags": {"type": "array", "items": {"type": "string"}}},
}
GIVEN = answer({"$ref": "#/components/schemas/Pet"})


def asks(name: str, *parameters: dict[str, Any], **members: Any) -> dict[str, Any]:
    return {**operation(*parameters, responses=GIVEN, **members), "operationId": name}


def needed(name: str, place: str, schema: Any, **members: Any) -> dict[str, Any]:
    return parameter(name, place, schema, required=True, **members)


DOCUMENT: dict[str, Any] = {
    "openapi": "3.0.3",
    "info": {"title": "Pets", "version": "1"},
    "paths": {
        "/pets/{id}": {
            "get": asks("readPet", needed("id", "path", INTEGER), parameter("X-Count", "header", INTEGER)),
            "put": asks("replacePet", needed("id", "path", INTEGER), requestBody=body(NEW_PET)),
        },
        "/pets": {
            "post": asks("addPet", requestBody=body(NEW_PET)),
            "patch": asks("addPets", requestBody=body({"type": "array", "items": NEW_PET, "minItems": 1})),
        },
        "/form": {"post": asks("sendForm", requestBody=body(NEW_PET, "application/x-www-form-urlencoded"))},
        "/styles": {  # lists in a path end Prism itself
            "get": asks(
                "styles",
                needed("many", "query", NUMBERS),
                needed("joined", "query", NUMBERS, explode=False),
                needed("piped", "query", NUMBERS, style="pipeDelimited", explode=False),
                needed("deep", "query", COLOUR, style="deepObject"),
                needed("X-List", "header", NUMBERS),
                needed("session", "cookie", {"type": "string"}),
            )
        },
    },
    "components": {"schemas": {"Pet": PET}},
}


@pytest.fixture(scope="module")
def address(tmp_path_factory: pytest.TempPathFactory) -> Iterator[str]:
    with prism(DOCUMENT, tmp_path_factory.mktemp("prism")) as url:
        yield url


@pytest.fixture(scope="module")
def document() -> ApiDocument:
    return read_document(json.dumps(DOCUMENT))


def call(address: str, document: ApiDocument, tool: str, arguments: dict[str, Any]) -> Answered:
    async def run() -> Answered:
        client = OutboundClient(AddressPolicy(allow_loopback=True), tls=TLS)
        try:
            forwarded = await OpenApiUpstream(client, document, address, {}).call(
                tool, arguments, session="run"
            )
        finally:
            await client.close()
        assert isinstance(forwarded, Answered), forwarded
        return forwarded

    return asyncio.run(run())


STYLES = {
    "many": [1, 2],
    "joined": [1, 2],
    "piped": [1, 2],
    "deep": {"r": 1, "g": 2},
    "X-List": [1, 2],
    "session": "a; b",
}


FITTING: list[tuple[str, dict[str, Any]]] = [
    ("readPet", {"id": 5}),
    ("readPet", {"id": 5, "X-Count": 1}),
    ("replacePet", {"id": 5, "name": "Rex"}),
    ("addPet", {"name": "Rex", "tags": ["a", "b"]}),
    ("addPets", {"body": [{"name": "Rex"}]}),
    ("sendForm", {"name": "Rex & Co"}),
    ("styles", STYLES),
]
UNFIT: list[tuple[str, dict[str, Any]]] = [
    ("readPet", {"id": "five"}),
    ("readPet", {"id": 5, "X-Count": "one"}),
    ("replacePet", {"id": 5}),
    ("addPet", {"name": "Rex", "colour": "red"}),
    ("addPets", {"body": []}),
    ("sendForm", {"tags": ["a"]}),
    *(("styles", {**STYLES, name: [1]}) for name in ("many", "joined", "piped", "X-List")),
    ("styles", {**STYLES, "deep": {"r": 1}}),
]


def test_what_fits_the_tool_fits_the_service(address: str, document: ApiDocument) -> None:
    described = {each.name: each for each in document.discovery().tools}
    for tool, arguments in FITTING:
        assert compile_schema(described[tool].input_schema).errors(arguments) == []
        answered = call(address, document, tool, arguments)
        assert (answered.status, answered.is_error) == (200, False), (tool, arguments, answered.response)
        assert compile_schema(described[tool].output_schema).errors(answered.response) == []


def test_what_does_not_fit_the_tool_is_refused_by_the_service_in_its_own_words(
    address: str, document: ApiDocument
) -> None:
    described = {each.name: each for each in document.discovery().tools}
    for tool, arguments in UNFIT:
        assert compile_schema(described[tool].input_schema).errors(arguments), (tool, arguments)
        answered = call(address, document, tool, arguments)
        assert (answered.status, answered.is_error) == (422, True), (tool, arguments, answered.response)
        assert answered.response["validation"]


def test_a_run_calls_it_through_the_proxy(address: str, org: Org, agent_server: StartAgent) -> None:
    config = {"base_url": address, "spec": DOCUMENT, "auth": {"type": "none"}}
    made = org.post("/api/tool-endpoints", {"name": "Pets", "type": "http_openapi", "config": config})
    endpoint = org.ok(made)
    assert (endpoint["discovery_error"], endpoint["tool_count"]) == (None, 6)
    tools = [_bound(tool["name"], tool["name"], tool["input_schema"]) for tool in endpoint["tools"]]
    tools.append(_bound("readAny", "readPet", {"type": "object"}))
    with open_run(org, agent_server, agent={"tools_schema": tools}) as run:
        for tool, arguments in (("readPet", {"id": 5}), ("addPet", {"name": "Rex"}), ("styles", STYLES)):
            answered = run.call(tool, arguments).json()
            assert (answered["source"], answered["response"]) == ("passthrough", PET["example"]), answered
        refused = run.call("readAny", {"id": "five"}).json()
        assert (refused["source"], refused["response"]["status"]) == ("passthrough", 422)
        unsent = run.call("readAny", {}).json()
        assert (unsent["source"], unsent["response"]["error"]["code"]) == (
            "transport_error",
            "request_invalid",
        )
        recorded = [event["data"]["upstream"] for event in run.events("tool_call")]
        assert [each["status"] for each in recorded] == [200, 200, 200, 422, None]
        assert [each["read_only"] for each in recorded] == [True, False, True, True, True]


def _bound(name: str, tool_name: str, input_schema: dict[str, Any]) -> dict[str, Any]:
    return {
        "name": name,
        "input_schema": input_schema,
        "default_execution_mode": "passthrough",
        "passthrough_binding": {"endpoint_name": "Pets", "tool_name": tool_name},
    }

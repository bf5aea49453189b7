import json
import socket
import threading
from collections.abc import Iterator
from contextlib import contextmanager
from typing import Any

import pytest
import yaml
from support.openapi import answer, body, only_tool, operation, parameter, read, text

from odyssey.endpoints.openapi.document import (
    MAX_DOCUMENT_BYTES,
    MAX_TOOLS,
    DocumentInvalidError,
    read_document,
)

PETS = {
    "/pets/{id}": {
        "get": operation(
            parameter("id", "path", {"type": "integer"}, required=True),
            responses=answer({"$ref": "#/components/schemas/Pet"}),
        )
    }
}
PET = {"type": "object", "properties": {"name": {"type": "string"}}, "required": ["name"]}
IN_YAML = """
# A comment, and keys that are numbers.
openapi: 3.0.3
info: {title: Pets, version: 1.0}
servers:
  - url: https://api.example.com/v1
paths:
  /pets/{id}:
    get:
      operationId: readPet
      parameters:
        - {name: id, in: path, required: true, schema: {type: integer}}
      responses:
        200:
          description: |
            It [is] {a pet.
          content:
            application/json:
              schema: {type: object, properties: {born: {type: string, example: 2026-01-31}}}
"""


def refusal(document: str) -> DocumentInvalidError:
    with pytest.raises(DocumentInvalidError) as caught:
        read_document(document)
    return caught.value


@contextmanager
def decoy() -> Iterator[tuple[str, list[Any]]]:
    """A listener nobody must ever come to."""
    came: list[Any] = []
    with socket.create_server(("127.0.0.1", 0)) as server:

        def count() -> None:
            while True:
                try:
                    connection, peer = server.accept()
                except OSError:
                    return
                came.append(peer)
                connection.close()

        thread = threading.Thread(target=count, daemon=True)
        thread.start()
        yield "http://127.0.0.1:{1}".format(*server.getsockname()), came
        # One call of our own proves that the decoy counts, and comes after whatever came before.
        with socket.create_connection(server.getsockname()) as own:
            own.recv(1)
        mine = came.pop()
        assert mine is not None
        server.shutdown(socket.SHUT_RDWR)
        thread.join()


def test_json_and_yaml_say_the_same() -> None:
    as_json = text(PETS, components={"schemas": {"Pet": PET}})
    as_yaml = yaml.safe_dump(json.loads(as_json))
    assert read_document(as_yaml).discovery() == read_document(as_json).discovery()
    assert read_document("\ufeff" + as_json).discovery() == read_document(as_json).discovery()
    assert read_document("\ufeff" + as_yaml).discovery() == read_document(as_json).discovery()


def test_yaml_as_people_write_it() -> None:
    document = read_document(IN_YAML)
    tool = only_tool(document)
    assert (tool.name, tool.method, tool.path, tool.read_only) == ("readPet", "GET", "/pets/{id}", True)
    assert tool.input_schema == {
        "type": "object",
        "properties": {"id": {"type": "integer"}},
        "required": ["id"],
        "additionalProperties": False,
    }
    assert tool.output_schema == {
        "type": "object",
        "properties": {"born": {"type": "string", "examples": ["2026-01-31"]}},
    }
    assert document.first_server() == "https://api.example.com/v1"


def test_bounds_of_64_bit_types_are_read_however_they_are_rounded() -> None:
    written = text(
        {"/x": {"get": operation(parameter("q", schema={"minimum": -111, "maximum": 222, "title": "t"}))}}
    )
    for low, high in (("-9223372036854775808", "9223372036854776000"), ("-1e+25", "1.7976931348623157e308")):
        document = (
            written.replace("-111", low).replace("222", high).replace('"t"', '"1e400 9223372036854776000"')
        )
        schema = only_tool(read_document(document)).input_schema["properties"]["q"]
        assert schema["title"] == "1e400 9223372036854776000"
        assert -(2**63) <= schema["minimum"] < -(2**62)
        assert 2**62 < schema["maximum"] <= 2**63


@pytest.mark.parametrize("version", ["3.0.0", "3.0.3", "3.0.4", "3.1.0", "3.1.1", "3.1"])
def test_versions_that_are_read(version: str) -> None:
    assert len(read(PETS, version=version).discovery().tools) == 1


@pytest.mark.parametrize(
    ("document", "code", "message"),
    [
        (
            '{"swagger": "2.0", "paths": {}}',
            "openapi_version",
            "Swagger 2.0; Odyssey reads OpenAPI 3.0 and 3.1",
        ),
        ("swagger: '2.0'\npaths: {}", "openapi_version", "swagger2openapi"),
        ('{"openapi": "3.2.0"}', "openapi_version", "'3.2.0'"),
        ('{"openapi": "4.0"}', "openapi_version", "3.0 and 3.1"),
        ('{"openapi": ["3.0"]}', "openapi_invalid", "does not say which version"),
        ("{}", "openapi_invalid", "does not say which version"),
        ("[]", "openapi_invalid", "must be an object"),
        ("", "openapi_invalid", "must be an object"),
        ("just text", "openapi_invalid", "must be an object"),
        ("<html><body>Not found</body></html>", "openapi_invalid", "must be an object"),
        ('{"openapi": "3.0.0", ', "openapi_invalid", "cannot be read as JSON"),
        ('{"a": 1, "a": 2}', "openapi_invalid", "duplicate key 'a'"),
        ("a: 1\na: 2", "openapi_invalid", "cannot be read as YAML"),
        ("a: [", "openapi_invalid", "line"),
        ('{"a": "\ud800"}', "openapi_invalid", "does not say which version"),
        ("a: \ud800", "openapi_invalid", "cannot be read as YAML"),
    ],
)
def test_what_is_no_openapi_document_is_refused(document: str, code: str, message: str) -> None:
    error = refusal(document)
    assert (error.code, message in error.message) == (code, True), error.message


def test_a_document_over_the_limit_is_refused_unread() -> None:
    error = refusal('{"openapi": "' + "ü" * (MAX_DOCUMENT_BYTES // 2) + '"}')
    assert (error.code, str(MAX_DOCUMENT_BYTES) in error.message) == ("openapi_too_large", True)


@pytest.mark.parametrize(
    "bomb",
    [
        '{"openapi": "3.0.0", "x": ' + "[" * 100_000,
        "openapi: 3.0.0\nx: " + "[" * 100_000,
        "- " * 100_000 + "x",
        "a: &a [x,x]\nb: &b [*a,*a]\nc: &c [*b,*b]\nd: [*c,*c]",
        f"a: &a {'x' * 100_000}\nb: [{','.join(['*a'] * 100_000)}]",
        "a: !!python/object/apply:os.system ['true']",
    ],
    ids=["json", "yaml", "dashes", "aliases", "long alias", "tag"],
)
def test_bombs_are_refused(bomb: str) -> None:
    assert refusal(bomb).code == "openapi_invalid"


EXTERNAL = [
    "{decoy}/x",
    "{decoy}/x#/components/schemas/Pet",
    "//127.0.0.1/x",
    "file:///etc/passwd",
    "./other.yaml#/Pet",
    "other.json",
    "../x",
    "Pet",
]


@pytest.mark.parametrize("reference", EXTERNAL)
@pytest.mark.parametrize("version", ["3.0.3", "3.1.0"])
def test_an_external_reference_is_refused_and_never_fetched(reference: str, version: str) -> None:
    with decoy() as (url, came):
        target = {"$ref": reference.format(decoy=url)}
        places: list[tuple[dict[str, Any], dict[str, Any]]] = [
            ({"/x": target}, {}),
            ({"/x": {"get": operation(target)}}, {}),
            ({"/x": {"get": operation(parameter("q", schema=target))}}, {}),
            ({"/x": {"get": operation(requestBody=target)}}, {}),
            ({"/x": {"get": operation(requestBody=body(target))}}, {}),
            ({"/x": {"get": operation(responses={"200": target})}}, {}),
            ({"/x": {"get": operation(responses=answer({"type": "array", "items": target}))}}, {}),
            ({}, {"components": {"schemas": {"Unused": target}}}),
            ({}, {"components": {"schemas": {"Pet": {"properties": {"example": target}}}}}),
            ({}, {"components": {"schemas": {"default": target}}}),
        ]
        for paths, members in places:
            error = refusal(text(paths, version=version, **members))
            assert error.code == "openapi_external_ref"
            assert "never fetches" in error.message
    assert came == []


def test_a_reference_that_is_data_is_no_reference() -> None:
    with decoy() as (url, came):
        data = {"$ref": f"{url}/x"}
        schema = {"type": "object", "example": data, "default": data, "enum": [data], "x-note": data}
        named = {"properties": {"$ref": {"type": "string"}}}
        document = read(
            {
                "/x": {
                    "get": operation(
                        parameter("q", schema=schema), parameter("r", schema=named), example=data
                    )
                }
            }
        )
        properties = only_tool(document).input_schema["properties"]
        assert properties["q"]["default"] == data
        assert properties["r"] == named
    assert came == []


def test_what_only_an_extension_holds_is_left_open_rather_than_fetched() -> None:
    with decoy() as (url, came):
        pet = {"type": "object", "properties": {"a": {"$ref": f"{url}/x"}}}
        extensions: dict[str, Any] = {"x-shapes": {"Pet": pet}}
        schema = {"$ref": "#/x-shapes/Pet"}
        document = read({"/x": {"get": operation(parameter("q", schema=schema))}}, **extensions)
        discovery = document.discovery()
        assert discovery.tools[0].input_schema["$defs"]["Pet"]["properties"] == {"a": {}}
        assert any("lead nowhere" in note for note in discovery.notes)
    assert came == []


@pytest.mark.parametrize(
    ("servers", "spec_url", "expected"),
    [
        (None, None, None),
        (None, "https://h/a/openapi.json", "https://h/"),
        ([{"url": "https://a.example"}, {"url": "https://b.example"}], None, "https://a.example"),
        ([{"url": "/v1"}, {"url": "https://b.example"}], None, "https://b.example"),
        ([{"url": "/v1"}], None, None),
        ([{"url": "/v1"}], "https://h/a/openapi.json", "https://h/v1"),
        ([{"url": "v1"}], "https://h/a/openapi.json", "https://h/a/v1"),
        (
            [
                {
                    "url": "{scheme}://{host}:{port}/x",
                    "variables": {
                        "scheme": {"default": "https"},
                        "host": {"default": "h"},
                        "port": {"default": 8443},
                    },
                }
            ],
            None,
            "https://h:8443/x",
        ),
        ([{"url": "https://{tenant}.example"}], None, "https://{tenant}.example"),
        ([{"url": 5}, "x", {"url": "ftp://h"}], None, None),
    ],
)
def test_the_first_server(servers: Any, spec_url: str | None, expected: str | None) -> None:
    members = {} if servers is None else {"servers": servers}
    assert read({}, **members).first_server(spec_url) == expected


@pytest.mark.parametrize(
    "paths", [None, [], "x", {"/x": None}, {"/x": []}, {"x-y": {}}, {"/x": {"get": "x"}}]
)
def test_a_document_without_operations_has_no_tools_and_says_so(paths: Any) -> None:
    discovery = read(paths).discovery()
    assert discovery.tools == ()
    assert discovery.notes[-1] == "The document has no operation that could be a tool."


def test_more_operations_than_the_limit_are_left_out_with_a_note() -> None:
    discovery = read({f"/{number}": {"get": {}} for number in range(MAX_TOOLS + 7)}).discovery()
    assert len(discovery.tools) == MAX_TOOLS
    assert discovery.notes == (
        f"Only the first {MAX_TOOLS} operations become tools; there are more, such as: GET /{MAX_TOOLS}.",
    )

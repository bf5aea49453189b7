"""A document with anything anywhere becomes tools that can be called, or is refused: there is no third outcome."""

import copy
import json
from typing import Any

from hypothesis import example, given
from hypothesis import strategies as st
from support.openapi import answer, body, operation, parameter

from odyssey.endpoints.openapi.document import DocumentInvalidError, read_document
from odyssey.endpoints.openapi.request import ArgumentInvalidError, write_request
from odyssey.records.json_schema import compile_schema

PET = {
    "type": "object",
    "properties": {"id": {"type": "integer", "readOnly": True}, "next": {"$ref": "#/components/schemas/Pet"}},
    "required": ["id"],
    "additionalProperties": {"type": "string", "nullable": True},
}
DOCUMENT: dict[str, Any] = {
    "openapi": "3.1.0",
    "servers": [{"url": "https://{host}/v1", "variables": {"host": {"default": "h"}}}],
    "paths": {
        "/pets/{id}?a={b}#c": {
            "parameters": [parameter("id", "path", {"type": "integer"}, style="matrix")],
            "servers": [],
            "put": operation(
                parameter("q", schema={"anyOf": [PET, True]}, style="deepObject", explode=True),
                parameter("X-H", "header", {"enum": [1]}, content={"application/json": {"schema": PET}}),
                parameter("c", "cookie", {"type": ["string", "null"], "pattern": "a+"}),
                requestBody=body(PET, "multipart/form-data", encoding={"id": {"style": "form"}}),
                responses=answer({"allOf": [{"$ref": "#/components/schemas/Pet"}], "minimum": 1}),
            ),
        },
        "/pets": {"post": operation(requestBody=body({"$ref": "#/components/schemas/Pet"}))},
    },
    "components": {"schemas": {"Pet": PET}},
}
WORDS = st.sampled_from(
    [
        "",
        "object",
        "array",
        "#",
        "#/",
        "#/components",
        "#/paths/~1pets",
        "path",
        "body",
        "form",
        "{id}",
        "3.0",
        "\x00",
    ]
)
VALUES: st.SearchStrategy[Any] = st.recursive(
    st.none() | st.booleans() | st.integers(-5, 5) | st.floats(-2, 2) | WORDS | st.text(max_size=5),
    lambda inner: (
        st.lists(inner, max_size=3)
        | st.dictionaries(
            st.sampled_from(
                [
                    "$ref",
                    "type",
                    "properties",
                    "required",
                    "items",
                    "allOf",
                    "schema",
                    "name",
                    "in",
                    "content",
                    "get",
                    "nullable",
                    "enum",
                ]
            )
            | st.text(max_size=3),
            inner,
            max_size=4,
        )
    ),
    max_leaves=10,
)


def places(value: Any) -> list[tuple[Any, Any]]:
    """Every place of a document: what holds it, and under which name."""
    found: list[tuple[Any, Any]] = []
    pending = [value]
    while pending:
        holder = pending.pop()
        entries = (
            holder.items()
            if isinstance(holder, dict)
            else enumerate(holder)
            if isinstance(holder, list)
            else ()
        )
        for key, part in list(entries):
            found.append((holder, key))
            pending.append(part)
    return found


@given(st.lists(st.tuples(st.integers(0, 10_000), VALUES), min_size=1, max_size=4), VALUES)
@example([(0, "3.0.0")], {})
def test_anything_anywhere(changes: list[tuple[int, Any]], arguments: Any) -> None:
    document = copy.deepcopy(DOCUMENT)
    for number, value in changes:
        known = places(document)
        holder, key = known[number % len(known)]
        holder[key] = copy.deepcopy(value)
        if not document:
            break
    try:
        read = read_document(json.dumps(document))
    except DocumentInvalidError:
        return
    read.first_server("https://h/openapi.json")
    discovery = read.discovery()
    for tool in discovery.tools:
        compile_schema(tool.input_schema)
        compile_schema(True if tool.output_schema is None else tool.output_schema)
        operation = read.operation(tool.name)
        assert operation is not None
        given = (
            arguments
            if isinstance(arguments, dict)
            else dict.fromkeys(operation.argument_names() or [], arguments)
        )
        try:
            request = write_request(operation, "https://h/v1", given, {})
        except ArgumentInvalidError:
            continue
        assert request.url.startswith("https://h/v1/")
        assert request.url.isascii()

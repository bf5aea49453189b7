import json
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from support.openapi import Asked, Echo, body, operation, read

from odyssey.endpoints.upstream import NotAnswered

FORM = "application/x-www-form-urlencoded"
PARTS = "multipart/form-data"
OBJECT = {"type": "object", "properties": {"a": {}, "b": {}}}
# The server's own reading of quotes, slashes and semicolons in the name of a part is a poor one.
NAMES = st.text(
    st.characters(codec="utf-8", categories=["L", "N"]) | st.sampled_from("[]._-: &=+%"),
    min_size=1,
    max_size=20,
)
VALUES = st.text(st.characters(codec="utf-8"), max_size=40)


def send(echo: Echo, media_type: str, arguments: dict[str, Any], schema: Any = None, **content: Any) -> Asked:
    described = {"schema": schema or OBJECT, **content}
    document = read(
        {"/x": {"post": operation(requestBody={"required": True, "content": {media_type: described}})}}
    )
    return echo.ask(document, arguments)


@pytest.mark.parametrize("media_type", [FORM, PARTS])
@given(st.dictionaries(NAMES, VALUES, min_size=1, max_size=4))
@settings(max_examples=80)
def test_fields_of_a_form_come_back(echo: Echo, media_type: str, fields: dict[str, str]) -> None:
    asked = send(echo, media_type, fields)
    assert asked.headers["content-type"].startswith(media_type)
    assert asked.form == [(name, value, None) for name, value in fields.items()]


@pytest.mark.parametrize("media_type", [FORM, PARTS])
def test_what_is_no_text_in_a_form(echo: Echo, media_type: str) -> None:
    asked = send(echo, media_type, {"a": [1, True], "b": {"c": [1]}, "d": None})
    assert asked.form == [("a", "1", None), ("a", "true", None), ("b", '{"c":[1]}', None), ("d", "", None)]


def test_a_form_follows_the_styles_of_the_document(echo: Echo) -> None:
    encoding = {"a": {"style": "deepObject", "explode": True}, "b": {"style": "form", "explode": False}}
    asked = send(echo, FORM, {"a": {"x": {"y": 1}}, "b": [1, 2]}, encoding=encoding)
    assert asked.form == [("a[x][y]", "1", None), ("b", "1,2", None)]


def test_a_binary_field_is_sent_as_a_file(echo: Echo) -> None:
    binary = {"type": "string", "format": "binary"}
    schema = {"type": "object", "properties": {"one": binary, "many": {"type": "array", "items": binary}}}
    asked = send(echo, PARTS, {"one": "a\nb", "many": ["c", "d"]}, schema)
    assert asked.form == [("one", "a\nb", "one"), ("many", "c", "many"), ("many", "d", "many")]


def test_a_field_cannot_break_out_of_its_part(echo: Echo) -> None:
    asked = send(echo, PARTS, {'a"; filename="x': "x", "b": "\r\n--boundary--\r\n"})
    assert asked.form == [("a%22; filename=%22x", "x", None), ("b", "\r\n--boundary--\r\n", None)]
    document = read({"/x": {"post": operation(requestBody=body(OBJECT, PARTS))}})
    answered = echo.call(document, {"a\r\nX-Evil: 1": "x"})
    assert isinstance(answered, NotAnswered)
    assert (answered.code, answered.outcome) == ("request_invalid", "not_sent")


@pytest.mark.parametrize(
    ("media_type", "sent"),
    [
        ("application/json; charset=utf-8", "application/json; charset=utf-8"),
        ("application/vnd.api+json", "application/vnd.api+json"),
        ("*/*", "application/json"),
        ("application/*", "application/json"),
    ],
)
def test_kinds_of_json(echo: Echo, media_type: str, sent: str) -> None:
    asked = send(echo, media_type, {"a": 1})
    assert (asked.headers["content-type"], json.loads(asked.body)) == (sent, {"a": 1})


@pytest.mark.parametrize(
    ("media_type", "sent"),
    [("text/plain", "text/plain"), ("text/*", "text/plain"), ("application/xml", "application/xml")],
)
def test_text_is_sent_as_it_is(echo: Echo, media_type: str, sent: str) -> None:
    asked = send(echo, media_type, {"body": "<ü/>\r\n"}, {"type": "string"})
    assert (asked.headers["content-type"], asked.body.decode()) == (sent, "<ü/>\r\n")


def test_json_goes_before_forms_and_forms_before_text(echo: Echo) -> None:
    content = {kind: {"schema": OBJECT} for kind in ("text/plain", PARTS, FORM, "application/json")}
    document = read({"/x": {"post": operation(requestBody={"content": content})}})
    assert echo.ask(document, {"a": 1}).headers["content-type"] == "application/json"


def test_a_form_must_be_an_object(echo: Echo) -> None:
    document = read({"/x": {"post": operation(requestBody=body({"type": "array"}, FORM))}})
    answered = echo.call(document, {"body": [1]})
    assert isinstance(answered, NotAnswered)
    assert (answered.code, answered.outcome) == ("request_invalid", "not_sent")
    assert "must be an object" in answered.message

"""Arguments against a real server: what is put in at one end comes out at the other, in its own place."""

import json
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from support.hostile import STRINGS
from support.openapi import Echo, body, operation, parameter, read

from odyssey.endpoints.openapi.document import ApiDocument
from odyssey.endpoints.upstream import NotAnswered

TEXTS = st.text(st.characters(codec="utf-8"), min_size=1, max_size=40) | st.sampled_from(
    [
        "a/b",
        "../x",
        "..%2f",
        "%2e%2e",
        "?a=b",
        "#x",
        "a b",
        "+",
        "%",
        "a&b=c",
        ";",
        ":",
        "@",
        "…",
        "\x00",
        *STRINGS,
    ]
)
SCALARS = TEXTS | st.integers(-(2**53), 2**53) | st.booleans()
OBJECT = {"type": "object", "properties": {"name": {"type": "string"}}, "required": ["name"]}

ITEM = read({"/items/{id}/parts": {"get": operation(parameter("id", "path", required=True), parameter("q"))}})


def written(value: Any) -> str:
    return value if isinstance(value, str) else json.dumps(value)


def refusal(echo: Echo, document: ApiDocument, arguments: dict[str, Any], **options: Any) -> str:
    before = len(echo.asked)
    answered = echo.call(document, arguments, **options)
    assert isinstance(answered, NotAnswered)
    assert (answered.code, answered.outcome) == ("request_invalid", "not_sent")
    assert len(echo.asked) == before
    return answered.message


@given(SCALARS)
def test_a_value_in_the_path_comes_back_and_stays_in_its_segment(echo: Echo, value: Any) -> None:
    if written(value) in (".", ".."):
        assert "'.' or '..'" in refusal(echo, ITEM, {"id": value})
        return
    asked = echo.ask(ITEM, {"id": value}, base="/v1")
    assert asked.target.startswith("/v1/items/")
    assert asked.target.endswith("/parts")
    assert asked.segments == ["v1", "items", written(value), "parts"]
    assert asked.query == []


@given(SCALARS, SCALARS)
def test_a_value_in_the_query_comes_back(echo: Echo, q: Any, other: Any) -> None:
    document = read({"/x": {"get": operation(parameter("q"), parameter("a&b[]=c"))}})
    asked = echo.ask(document, {"q": q, "a&b[]=c": other})
    assert asked.query == [("q", written(q)), ("a&b[]=c", written(other))]
    assert asked.segments == ["x"]


@given(st.lists(SCALARS, min_size=1, max_size=4), st.dictionaries(TEXTS, SCALARS, min_size=1, max_size=4))
@settings(max_examples=80)
def test_lists_and_objects_come_back_from_the_query(
    echo: Echo, items: list[Any], members: dict[str, Any]
) -> None:
    document = read(
        {
            "/x": {
                "get": operation(
                    parameter("l"),
                    parameter("d", style="deepObject"),
                    parameter("j", content={"application/json": {}}),
                )
            }
        }
    )
    asked = echo.ask(document, {"l": items, "d": members, "j": [items, members]})
    assert [value for name, value in asked.query if name == "l"] == [written(item) for item in items]
    deep = [(f"d[{name}]", written(value)) for name, value in members.items()]
    assert [pair for pair in asked.query if pair[0].startswith("d[")] == deep
    assert json.loads(dict(asked.query)["j"]) == [items, members]


@given(st.dictionaries(TEXTS, SCALARS | st.none() | st.lists(SCALARS, max_size=3), min_size=1, max_size=4))
@settings(max_examples=80)
def test_a_body_comes_back(echo: Echo, members: dict[str, Any]) -> None:
    document = read({"/x": {"post": operation(requestBody=body(OBJECT))}})
    asked = echo.ask(document, members)
    assert json.loads(asked.body) == members
    assert asked.headers["content-type"] == "application/json"


@pytest.mark.parametrize(
    ("style", "explode", "value", "expected"),
    [
        ("form", None, ["a", "b"], "q=a&q=b"),
        ("form", False, ["a", "b c"], "q=a,b%20c"),
        ("form", None, {"r": 1, "g": 2}, "r=1&g=2"),
        ("form", False, {"r": 1, "g": 2}, "q=r,1,g,2"),
        ("spaceDelimited", None, ["a", "b"], "q=a%20b"),
        ("spaceDelimited", True, ["a", "b"], "q=a&q=b"),
        ("pipeDelimited", None, ["a", "b"], "q=a%7Cb"),
        ("pipeDelimited", False, {"r": 1}, "q=r%7C1"),
        (
            "deepObject",
            None,
            {"a": {"b": [1, 2]}, "c": True},
            "q%5Ba%5D%5Bb%5D=1&q%5Ba%5D%5Bb%5D=2&q%5Bc%5D=true",
        ),
        ("deepObject", None, ["a", "b"], "q=a&q=b"),
        ("form", None, [], ""),
        ("form", None, None, ""),
        ("form", None, "", "q="),
        ("form", None, 1.5, "q=1.5"),
        ("form", None, [{"a": 1}], "q=%7B%22a%22%3A1%7D"),
    ],
)
def test_styles_of_the_query(echo: Echo, style: str, explode: bool | None, value: Any, expected: str) -> None:
    members = {"style": style} if explode is None else {"style": style, "explode": explode}
    asked = echo.ask(read({"/x": {"get": operation(parameter("q", **members))}}), {"q": value})
    assert asked.target.partition("?")[2] == expected


@pytest.mark.parametrize(
    ("style", "explode", "value", "expected"),
    [
        ("simple", False, ["a", "b"], "a,b"),
        ("simple", False, {"r": 1, "g": 2}, "r,1,g,2"),
        ("simple", True, {"r": 1, "g": 2}, "r=1,g=2"),
        ("label", False, "a", ".a"),
        ("label", False, ["a", "b"], ".a,b"),
        ("label", True, ["a", "b"], ".a.b"),
        ("label", True, {"r": 1, "g": 2}, ".r=1.g=2"),
        ("matrix", False, "a", ";p=a"),
        ("matrix", False, ["a", "b"], ";p=a,b"),
        ("matrix", True, ["a", "b"], ";p=a;p=b"),
        ("matrix", True, {"r": 1, "g": 2}, ";r=1;g=2"),
        ("matrix", False, {"r": 1, "g": 2}, ";p=r,1,g,2"),
    ],
)
def test_styles_of_the_path(echo: Echo, style: str, explode: bool, value: Any, expected: str) -> None:
    document = read({"/x/{p}": {"get": operation(parameter("p", "path", style=style, explode=explode))}})
    assert echo.ask(document, {"p": value}).target == f"/x/{expected}"


def test_headers_and_cookies(echo: Echo) -> None:
    document = read(
        {
            "/x": {
                "get": operation(
                    parameter("X-List", "header"),
                    parameter("X-Object", "header", explode=True),
                    parameter("X-Json", "header", content={"application/json": {}}),
                    parameter("session", "cookie"),
                    parameter("theme", "cookie"),
                )
            }
        }
    )
    arguments = {
        "X-List": ["a", "b"],
        "X-Object": {"r": 1},
        "X-Json": {"r": 1},
        "session": "a; b=c",
        "theme": "dark",
    }
    headers = echo.ask(document, arguments).headers
    assert (headers["x-list"], headers["x-object"], headers["x-json"]) == ("a,b", "r=1", '{"r":1}')
    assert headers["cookie"] == "session=a%3B%20b%3Dc; theme=dark"


@pytest.mark.parametrize("value", ["a\r\nX-Evil: 1", "a\nb", "\x00"])
def test_a_header_cannot_be_broken_out_of(echo: Echo, value: str) -> None:
    document = read({"/x": {"get": operation(parameter("X-Note", "header"))}})
    assert "X-Note" in refusal(echo, document, {"X-Note": value})


def test_the_endpoints_own_headers_are_not_the_arguments_to_set(echo: Echo) -> None:
    names = (
        "Authorization",
        "Host",
        "Content-Length",
        "Transfer-Encoding",
        "Connection",
        "Cookie",
        "Accept",
        "content-type",
    )
    document = read(
        {
            "/x": {
                "post": operation(
                    *(parameter(name, "header") for name in names),
                    parameter("x-api-key", "header"),
                    requestBody=body(OBJECT),
                )
            }
        }
    )
    members = {"name": "a", "Authorization": "Bearer stolen", "Host": "evil.example", "Cookie": "a=b"}
    asked = echo.ask(
        document, {**members, "x-api-key": "mine"}, auth={"X-API-Key": "ours", "Authorization": "Bearer ours"}
    )
    assert asked.headers["x-api-key"] == "ours"
    assert asked.headers["authorization"] == "Bearer ours"
    assert asked.headers["host"].startswith("127.0.0.1:")
    assert "cookie" not in asked.headers
    # What is no parameter of the operation is a member of its open body.
    assert json.loads(asked.body) == members


@pytest.mark.parametrize(
    ("base", "path", "expected"),
    [
        ("", "/pets", "/pets"),
        ("/", "/pets", "/pets"),
        ("/v1", "/pets", "/v1/pets"),
        ("/v1/", "/pets/", "/v1/pets/"),
        ("/v1?version=2", "/pets", "/v1/pets?version=2&q=x"),
        ("/v1", "/rest?method=a.b", "/v1/rest?method=a.b&q=x"),
        ("/v1", "/#Action=Run", "/v1/"),
        ("/v1", "/two words/ü", "/v1/two%20words/%C3%BC"),
        ("/v1", "/pets:search(all)", "/v1/pets:search(all)"),
    ],
)
def test_the_base_address_keeps_its_path(echo: Echo, base: str, path: str, expected: str) -> None:
    document = read({path: {"get": operation(parameter("q"))}})
    arguments = {"q": "x"} if "?" in expected else {}
    assert echo.ask(document, arguments, base=base).target == expected


def test_braces_in_the_query_of_a_path_are_arguments(echo: Echo) -> None:
    document = read(
        {"/now?lat={lat}&unit=m&at={when}": {"get": operation(parameter("lat", "path", {"type": "number"}))}}
    )
    asked = echo.ask(document, {"lat": 1.5, "at": "x&unit=f"})
    assert asked.query == [("unit", "m"), ("lat", "1.5"), ("at", "x&unit=f")]


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        ({}, "do needs the argument 'id'"),
        ({"id": None}, "do needs the argument 'id'"),
        ({"id": ""}, "cannot be empty"),
        ({"id": []}, "cannot be empty"),
        ({"id": "."}, "'.' or '..'"),
        ({"id": ".."}, "'.' or '..'"),
        ({"id": "a", "qq": 1}, "do has no argument 'qq'; did you mean 'q'?"),
        ({"id": "a", "other": 1}, "do has no argument 'other'; it takes id, q."),
        ({"id": "a", "q": "x" * 5000}, "at most 4096 are sent"),
        ({"id": "\ud800"}, "not valid Unicode"),
    ],
)
def test_what_cannot_be_put_on_the_wire(echo: Echo, arguments: dict[str, Any], message: str) -> None:
    assert message in refusal(echo, ITEM, arguments)


def test_two_values_cannot_make_up_a_way_out_together(echo: Echo) -> None:
    document = read({"/a/{x}{y}/b": {"get": operation()}, "/c/{x}./d": {"get": {"operationId": "dot"}}})
    assert "'.' or '..'" in refusal(echo, document, {"x": ".", "y": "."})
    assert "'.' or '..'" in refusal(echo, document, {"x": "."}, tool="dot")
    assert echo.ask(document, {"x": ".", "y": "x"}).target == "/a/.x/b"


def test_a_required_body_without_members_is_an_empty_object(echo: Echo) -> None:
    document = read({"/x": {"post": operation(requestBody=body(OBJECT))}})
    assert echo.ask(document, {}).body == b"{}"


def test_an_optional_body_without_members_is_not_sent(echo: Echo) -> None:
    document = read({"/x": {"post": operation(requestBody=body(OBJECT, required=False))}})
    asked = echo.ask(document, {})
    assert asked.body == b""
    assert "content-type" not in asked.headers

"""Schemas of strangers: what is refused, what is understood, and that nothing takes long."""

from collections.abc import Callable
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from odyssey.records.json_schema import MAX_SCHEMA_BYTES, SchemaInvalidError, compile_schema
from odyssey.records.problems import FieldError

Wrap = Callable[[dict[str, Any]], dict[str, Any]]

JSON = st.recursive(
    st.none() | st.booleans() | st.integers(-(2**63), 2**63) | st.floats(-1e6, 1e6) | st.text(max_size=8),
    lambda inner: st.lists(inner, max_size=4) | st.dictionaries(st.text(max_size=8), inner, max_size=4),
    max_leaves=20,
)
APPLICATORS = [
    "properties",
    "items",
    "allOf",
    "anyOf",
    "oneOf",
    "not",
    "if",
    "then",
    "else",
    "prefixItems",
    "contains",
]
CONSTRAINTS = ["type", "enum", "const", "required", "pattern", "minimum", "dependencies", "patternProperties"]
KEYWORDS = st.sampled_from([*APPLICATORS, *CONSTRAINTS, "$ref", "$defs", "$id", "$schema", "$anchor"])
SCHEMA_LIKE = st.recursive(
    JSON | st.sampled_from(["#", "#/$defs/a", "string", "object", "(?=x)", "^a+$", "http://example.com/"]),
    lambda inner: st.dictionaries(KEYWORDS, inner, max_size=4) | st.lists(inner, max_size=3),
    max_leaves=25,
)


def doubling(levels: int, keyword: str = "allOf", wrap: Wrap = lambda schema: schema) -> dict[str, Any]:
    """Definitions of which each uses the one before twice."""
    definitions: dict[str, Any] = {"d0": {"type": "string"}}
    for level in range(1, levels):
        reference = {"$ref": f"#/$defs/d{level - 1}"}
        definitions[f"d{level}"] = wrap({keyword: [reference, reference]})
    return {"$ref": f"#/$defs/d{levels - 1}", "$defs": definitions}


def chain(length: int, keyword: str) -> dict[str, Any]:
    definitions: dict[str, Any] = {f"d{i}": {keyword: [{"$ref": f"#/$defs/d{i + 1}"}]} for i in range(length)}
    definitions[f"d{length}"] = {"type": ["array", "null"], "items": {"$ref": "#"}}
    return {"$ref": "#/$defs/d0", "$defs": definitions}


def tower(keyword: str, height: int) -> dict[str, Any]:
    """Subschemas of one value, each within the one before."""
    schema: dict[str, Any] = {}
    for _ in range(height):
        schema = {keyword: schema}
    return schema


def nested(depth: int, value: Any) -> Any:
    for _ in range(depth):
        value = [value]
    return value


REFUSED = [
    pytest.param([], "is an object", id="a list"),
    pytest.param("{}", "is an object", id="text"),
    pytest.param(None, "is an object", id="null"),
    pytest.param({"type": "strin"}, "unknown type 'strin'", id="unknown type"),
    pytest.param({"properties": 5}, "properties", id="malformed keyword"),
    pytest.param({"$schema": "http://example.com/mine"}, "example.com", id="unknown draft"),
    pytest.param({"description": "x" * MAX_SCHEMA_BYTES}, "at most 65536", id="too long"),
    pytest.param({"$ref": "http://decoy/"}, "leaves the schema", id="remote reference"),
    pytest.param(
        {"properties": {"a": {"$ref": "other.json#/a"}}}, "leaves the schema", id="relative reference"
    ),
    pytest.param(
        {"$ref": "https://json-schema.org/draft/2020-12/schema"}, "leaves the schema", id="meta-schema"
    ),
    pytest.param({"$dynamicRef": "http://decoy/#a"}, "leaves the schema", id="remote dynamic reference"),
    pytest.param(
        {"$defs": {"a": {"$ref": "http://decoy/"}}}, "leaves the schema", id="remote, in an unused definition"
    ),
    pytest.param({"$defs": {"a": {"$id": "http://decoy/"}}}, "nested $id", id="nested $id"),
    pytest.param(
        {"$schema": "http://json-schema.org/draft-04/schema#", "properties": {"a": {"id": "http://decoy/"}}},
        "nested $id",
        id="nested id of draft 4",
    ),
    pytest.param(
        {"items": {"$schema": "http://json-schema.org/draft-04/schema#"}},
        "nested $schema",
        id="nested $schema",
    ),
    pytest.param(
        {"$defs": {"a": {"$anchor": "n"}, "b": {"$anchor": "n"}}},
        "anchor 'n' is there twice",
        id="anchor twice",
    ),
    pytest.param({"$ref": "#/allOf/00", "allOf": [{}]}, "points at no subschema", id="strange index"),
    pytest.param({"$ref": "#/$defs/x"}, "points at no subschema", id="unresolvable"),
    pytest.param({"$ref": "#nowhere"}, "points at no subschema", id="unknown anchor"),
    pytest.param({"$ref": "#/allOf/7", "allOf": [{}]}, "points at no subschema", id="beyond a list"),
    pytest.param({"pattern": "(?=a)"}, "pattern '(?=a)' cannot be used", id="a pattern is named"),
    pytest.param({"pattern": "^(?!a)b"}, "look-around", id="look-ahead"),
    pytest.param({"pattern": "(a"}, "no regular expression", id="no pattern"),
    pytest.param({"properties": {"a": {"pattern": r"(a)\1"}}}, "backreferences", id="backreference"),
    pytest.param(
        {"patternProperties": {"(?<!a)b": {}}}, "look-around", id="look-behind in a property pattern"
    ),
    pytest.param({"pattern": "((a{1000}){1000}){1000}"}, "too large", id="huge pattern"),
    pytest.param({"$ref": "#"}, "never ends", id="itself"),
    pytest.param({"allOf": [{"$ref": "#"}]}, "never ends", id="itself through allOf"),
    pytest.param({"not": {"$ref": "#"}}, "never ends", id="itself through not"),
    pytest.param(
        {"$defs": {"a": {"$ref": "#/$defs/b"}, "b": {"if": {"$ref": "#/$defs/a"}}}},
        "never ends",
        id="a circle of two",
    ),
    pytest.param(doubling(22), "too complex", id="bomb of 22 definitions"),
    pytest.param(doubling(22, "anyOf"), "too complex", id="anyOf bomb"),
    pytest.param(doubling(40, "oneOf", lambda s: {"items": s}), "too complex", id="bomb that descends"),
    pytest.param({"anyOf": [{"const": i} for i in range(1001)]}, "too complex", id="too many alternatives"),
    pytest.param(
        {"patternProperties": {f"^{i}": {} for i in range(1001)}}, "too complex", id="too many patterns"
    ),
    pytest.param(chain(300, "allOf"), "chained deeper", id="long chain"),
    pytest.param({"$defs": {"d": tower("not", 51)}}, "chained deeper", id="51 looks at one value"),
    pytest.param(nested(5000, {}), "is an object", id="deep list"),
    pytest.param({"allOf": nested(5000, {})}, "nested too deep", id="deep schema"),
    pytest.param({"const": float("nan")}, "not JSON", id="not a number"),
]


@pytest.mark.parametrize(("schema", "words"), REFUSED)
def test_refuses(schema: Any, words: str) -> None:
    with pytest.raises(SchemaInvalidError) as refusal:
        compile_schema(schema)
    assert words in str(refusal.value)
    assert len(str(refusal.value)) < 500


TREE = {
    "type": "object",
    "properties": {"value": {"type": "integer"}, "children": {"type": "array", "items": {"$ref": "#"}}},
    "required": ["value"],
}

UNDERSTOOD = [
    pytest.param({}, [1, None, {}], [], id="anything"),
    pytest.param(True, [1], [], id="true"),
    pytest.param(False, [], [1, None], id="false"),
    pytest.param(
        TREE, [{"value": 1, "children": [{"value": 2}]}], [{"value": 1, "children": [{}]}], id="tree"
    ),
    pytest.param(
        {"$ref": "#/$defs/a%20b~1c", "$defs": {"a b/c": {"type": "null"}}}, [None], [1], id="escaped pointer"
    ),
    pytest.param({"$ref": "#n", "$defs": {"a": {"$anchor": "n", "type": "null"}}}, [None], [1], id="anchor"),
    pytest.param(
        {"$id": "https://x.example/s", "$ref": "#/$defs/a", "$defs": {"a": {"type": "null"}}},
        [None],
        [1],
        id="$id",
    ),
    pytest.param(
        {"properties": {"$ref": {"type": "string"}}},
        [{"$ref": "x"}],
        [{"$ref": 1}],
        id="property called $ref",
    ),
    pytest.param({"enum": [{"$ref": "http://x/"}]}, [{"$ref": "http://x/"}], [1], id="$ref as data"),
    pytest.param(
        {"$schema": "http://json-schema.org/draft-04/schema#", "minimum": 5, "exclusiveMinimum": True},
        [6],
        [5],
        id="draft 4",
    ),
    pytest.param(
        {
            "$schema": "http://json-schema.org/draft-07/schema#",
            "definitions": {"a": {"type": "null"}},
            "items": [{}, False],
        },
        [[1]],
        [[1, 2]],
        id="draft 7",
    ),
    pytest.param(
        {"$dynamicRef": "#a", "$defs": {"x": {"$dynamicAnchor": "a", "type": "null"}}},
        [None],
        [1],
        id="dynamic",
    ),
    pytest.param(doubling(8), ["x"], [1], id="small doubling"),
]


@pytest.mark.parametrize(("schema", "good", "bad"), UNDERSTOOD)
def test_decides(schema: Any, good: list[Any], bad: list[Any]) -> None:
    compiled = compile_schema(schema)
    for value in good:
        assert compiled.is_valid(value)
        assert compiled.errors(value) == []
    for value in bad:
        assert not compiled.is_valid(value)
        assert compiled.errors(value)


def test_does_not_change_the_schema() -> None:
    schema = {"$id": "https://x.example/s", "type": "null"}
    compile_schema(schema)
    assert schema == {"$id": "https://x.example/s", "type": "null"}


def test_places_every_error() -> None:
    compiled = compile_schema(
        {
            "properties": {
                "order": {"properties": {"lines": {"items": {"type": "string"}}}, "required": ["id"]}
            },
            "additionalProperties": False,
        }
    )
    errors = compiled.errors({"order": {"lines": ["a", 2]}, "extra": 1})
    assert {error.loc for error in errors} == {("order", "lines", 1), ("order",), ()}
    assert any(error.msg == '"id" is a required property' for error in errors)


def test_explains_alternatives() -> None:
    error = compile_schema({"anyOf": [{"type": "string"}, {"type": "null"}]}).errors(5)[0]
    assert error == FieldError(
        (), 'fits none of the alternatives: 5 is not of type "string"; or 5 is not of type "null"'
    )


def test_limits_number_and_length_of_errors() -> None:
    compiled = compile_schema({"items": {"type": "integer"}})
    errors = compiled.errors(["x" * 10_000] * 50)
    assert len(errors) == 20
    assert all(len(error.msg) <= 200 and error.msg.endswith('is not of type "integer"') for error in errors)
    assert len(compiled.errors(["x"] * 5, limit=2)) == 2


def two_ways_down(keyword: str) -> dict[str, Any]:
    """Recursion of which every level is entered twice."""
    down = {"$ref": "#"}
    return {
        keyword: [{"type": ["array", "null"], "items": down}, {"type": ["array", "boolean"], "items": down}]
    }


HOSTILE = [
    pytest.param({"pattern": "^(a+)+$"}, "a" * 100_000 + "!", id="backtracking pattern"),
    pytest.param(two_ways_down("anyOf"), nested(90, 4), id="anyOf doubles at each level"),
    pytest.param(two_ways_down("oneOf"), nested(90, 4), id="oneOf doubles at each level"),
    pytest.param(two_ways_down("allOf"), nested(90, 4), id="allOf doubles at each level"),
    pytest.param(chain(20, "anyOf"), nested(90, 4), id="chain at each level"),
    pytest.param(doubling(9, "anyOf", lambda s: {"items": s}), nested(8, 4), id="largest bomb allowed"),
    pytest.param({"items": {"type": "string"}}, [1] * 500_000, id="half a million errors"),
    pytest.param({"items": {"anyOf": [{"type": "string"}]}}, [1] * 500_000, id="half a million choices"),
    pytest.param({"allOf": [{"items": {"const": i}} for i in range(400)]}, [1] * 100_000, id="wide and long"),
    pytest.param(
        {"anyOf": [{"maxLength": i} for i in range(900)]}, "x" * 1_000_000, id="copies of a long text"
    ),
    pytest.param({"items": {"$ref": "#"}, "type": ["array", "null"]}, nested(3000, 4), id="deep value"),
    pytest.param({"type": "string"}, "\ud800", id="lone surrogate"),
    pytest.param({"type": "string"}, object(), id="no JSON at all"),
]


@pytest.mark.parametrize(("schema", "value"), HOSTILE)
def test_hostile_values_are_refused_in_few_words(schema: dict[str, Any], value: Any) -> None:
    """Most of them would keep a plain validator busy for longer than anybody waits."""
    compiled = compile_schema(schema)
    assert not compiled.is_valid(value)
    errors = compiled.errors(value)
    assert 1 <= len(errors) <= 20
    assert all(len(error.msg) <= 400 for error in errors)


@given(schema=SCHEMA_LIKE, value=JSON)
def test_never_raises_anything_else(schema: Any, value: Any) -> None:
    try:
        compiled = compile_schema(schema)
    except SchemaInvalidError:
        return
    assert compiled.is_valid(value) == (compiled.errors(value) == [])

"""How two lists of tools differ."""

import copy
from typing import Any

import msgspec
import pytest
from hypothesis import given
from hypothesis import strategies as st

from odyssey.endpoints.keep import MOST_PATHS, Drift, drift_between
from odyssey.endpoints.upstream import UpstreamTool

BASE = UpstreamTool(
    name="get_order",
    description="Read an order.",
    input_schema={"type": "object", "properties": {"order id": {"type": "string"}, "x": {"enum": [1, 2]}}},
    output_schema=None,
    read_only=True,
)


def changed(**members: Any) -> UpstreamTool:
    return msgspec.structs.replace(BASE, **members)


def schema(**properties: Any) -> dict[str, Any]:
    return {"type": "object", "properties": BASE.input_schema["properties"] | properties}


@pytest.mark.parametrize(
    ("after", "paths"),
    [
        (changed(description="Other."), ("$.description",)),
        (changed(read_only=False), ("$.read_only",)),
        (changed(output_schema={}), ("$.output_schema",)),
        (changed(input_schema=schema(y={})), ("$.input_schema.properties.y",)),
        (
            changed(input_schema=schema(**{"order id": {"type": "integer"}})),
            ("$.input_schema.properties['order id'].type",),
        ),
        (changed(input_schema=schema(x={"enum": [1, 3]})), ("$.input_schema.properties.x.enum[1]",)),
        (changed(input_schema=schema(x={"enum": [1]})), ("$.input_schema.properties.x.enum",)),
        (changed(input_schema=schema(x={"enum": [True, 2]})), ("$.input_schema.properties.x.enum[0]",)),
        (changed(input_schema={}), ("$.input_schema.properties", "$.input_schema.type")),
        (changed(method="PUT", path="/other"), ()),
    ],
)
def test_a_path_names_the_smallest_part_that_differs(after: UpstreamTool, paths: tuple[str, ...]) -> None:
    expected = {"get_order": paths} if paths else {}
    assert drift_between([BASE], [after]) == Drift((), (), expected)
    assert drift_between([after], [BASE]) == Drift((), (), expected)


def test_quotes_in_a_name_stay_readable() -> None:
    after = changed(input_schema=BASE.input_schema | {"it's": 1})
    assert drift_between([BASE], [after]).changed == {"get_order": (r"$.input_schema['it\'s']",)}


def test_what_differs_everywhere_is_cut_short() -> None:
    after = changed(input_schema={str(number): number for number in range(1000)})
    assert len(drift_between([BASE], [after]).changed["get_order"]) == MOST_PATHS


JSON = st.recursive(
    st.none() | st.booleans() | st.integers() | st.text(max_size=4),
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(st.text(max_size=3), inner, max_size=3),
    max_leaves=8,
)
TOOLS = st.lists(
    st.builds(
        UpstreamTool,
        name=st.sampled_from("abcdef"),
        description=st.text(max_size=3),
        input_schema=st.dictionaries(st.text(max_size=3), JSON, max_size=3),
        output_schema=st.none() | st.dictionaries(st.text(max_size=3), JSON, max_size=3),
        read_only=st.booleans(),
    ),
    max_size=5,
    unique_by=lambda tool: tool.name,
)


@given(TOOLS, TOOLS)
def test_every_tool_is_told_of_once_and_only_if_it_differs(
    before: list[UpstreamTool], after: list[UpstreamTool]
) -> None:
    drift = drift_between(before, after)
    old, new = ({tool.name: tool for tool in tools} for tools in (before, after))
    assert list(drift.added) == sorted(new.keys() - old.keys())
    assert list(drift.removed) == sorted(old.keys() - new.keys())
    kept = old.keys() & new.keys()
    differs = {name for name in kept if msgspec.json.encode(old[name]) != msgspec.json.encode(new[name])}
    told = list(drift.changed)
    assert told == sorted(told)
    # The order of members is no difference, but its bytes are: what is told of is never more than what differs.
    assert set(told) <= differs
    assert all(name in told for name in kept if old[name] != new[name])
    backwards = drift_between(after, before)
    assert (backwards.added, backwards.removed, backwards.changed) == (
        drift.removed,
        drift.added,
        drift.changed,
    )


@given(TOOLS)
def test_the_same_tools_in_another_order_are_no_drift(tools: list[UpstreamTool]) -> None:
    assert not drift_between(tools, copy.deepcopy(tools[::-1]))

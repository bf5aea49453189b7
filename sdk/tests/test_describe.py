"""What a project names as its tools, whichever way it names them."""

from typing import Any

import pytest

from pipelines.odyssey import Tool
from pipelines.odyssey.adapters import describe
from pipelines.odyssey.errors import ToolError

ENTRY = {"name": "get_order", "input_schema": {"type": "object"}}
TOOL = Tool("get_order", input_schema={"type": "object"})


@pytest.mark.parametrize(
    "named", [[TOOL], (ENTRY,), lambda: [TOOL], lambda: iter([ENTRY]), {"get_order": TOOL}.values()]
)
def test_lists_and_what_makes_them_are_read(named: Any) -> None:
    assert describe(named) == ([ENTRY], None)


def test_no_tools_are_no_fault() -> None:
    assert describe([]) == ([], None)


@pytest.mark.parametrize("named", ["get_order", {"name": "get_order"}, 3, None, [3], [{"no": "name"}]])
def test_anything_else_is_refused_with_a_reason(named: Any) -> None:
    with pytest.raises(ToolError, match="tools"):
        describe(named)

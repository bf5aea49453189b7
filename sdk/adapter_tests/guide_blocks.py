"""Runs the ```python blocks of a guide, top to bottom, as one program."""

import re
from collections.abc import Mapping
from pathlib import Path
from typing import Any

GUIDES = Path(__file__).parents[2] / "docs" / "guides"
BLOCK = re.compile(r"^```python\n(.*?)^```$", re.MULTILINE | re.DOTALL)


def python_blocks(guide: str) -> list[str]:
    """The code of every python block of `docs/guides/<guide>`; each keeps its line numbers for tracebacks."""
    text = (GUIDES / guide).read_text()
    return ["\n" * text.count("\n", 0, block.start(1)) + block.group(1) for block in BLOCK.finditer(text)]


def run_guide(guide: str, names: Mapping[str, Any] | None = None) -> dict[str, Any]:
    """Execute the blocks in one namespace that begins with `names`, and give back what they left in it."""
    blocks = python_blocks(guide)
    assert blocks, f"{guide} has no python block"
    left: dict[str, Any] = {"__name__": "guide", **(names or {})}
    for block in blocks:
        exec(compile(block, str(GUIDES / guide), "exec"), left)
    return left

"""The source texts, which lie beside a checkout and are never part of it."""

import re
from pathlib import Path

import pytest

SEEDS = Path(__file__).parents[4] / "shared" / "seeds"


def porting_text() -> str:
    return _find("Porting without the SDK")


def _find(title: str) -> str:
    for file in sorted(SEEDS.glob("*.txt")):
        text = file.read_text(encoding="utf-8")
        if title in text[:500]:
            return text
    pytest.skip(f"the source text {title!r} is not beside this checkout (../shared/seeds)")


def reference_wrapper() -> str:
    """Cut the full wrapper out of the porting text, to the letter."""
    found = re.search(
        r"\n(import json\nimport os\nimport secrets\n.*?)\n\nFor TypeScript", porting_text(), re.DOTALL
    )
    assert found is not None
    return found[1]

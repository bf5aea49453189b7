"""The pictures of README and guides: each is taken by `make screenshots`, and each is shown somewhere."""

import re
import runpy
from pathlib import Path

ROOT = Path(__file__).parents[3]
PAGES = [ROOT / "README.md", *(ROOT / "docs").rglob("*.md")]


def test_pictures_are_those_that_are_taken_and_those_that_are_shown() -> None:
    taken = {f"{name}.png" for name in runpy.run_path(str(ROOT / "scripts" / "screenshots.py"))["IN_DOCS"]}
    there = {file.name for file in (ROOT / "docs" / "images").glob("*.png")}
    shown = {name for page in PAGES for name in re.findall(r"images/([\w-]+\.png)", page.read_text("utf-8"))}
    assert taken == there == shown

"""The distributions are called the same everywhere, and by no name that is somebody else's."""

import os
import re
import tomllib
from collections.abc import Iterator
from pathlib import Path

from pipelines.odyssey.distribution import NAME

ROOT = Path(__file__).parents[3]
NOT_OURS = {".git", "node_modules", "static", "__pycache__", "dist"}
MAY_TELL = {"CHANGELOG.md", "docs/decisions/0029-what-the-distributions-are-called.md"}
OLD_NAME = re.compile(r"\bodyssey[-_.](sdk|server)\b", re.IGNORECASE)


def files(folder: Path) -> Iterator[Path]:
    for path in sorted(folder.iterdir()):
        if path.name in NOT_OURS or path.name.startswith(
            (".venv", ".mypy", ".ruff", ".pytest", ".hypothesis")
        ):
            continue
        if path.is_dir() and not path.is_symlink():
            yield from files(path)
        elif path.is_file():
            yield path


def test_no_file_names_the_distribution_of_somebody_else() -> None:
    told = set()
    for path in files(ROOT):
        name = path.relative_to(ROOT).as_posix()
        if OLD_NAME.search(path.read_text("utf-8", errors="ignore")) and path != Path(__file__):
            told.add(name)
    assert told - MAY_TELL == set()


def test_the_name_is_said_once_in_the_code_of_the_sdk() -> None:
    project = tomllib.loads((ROOT / "sdk" / "pyproject.toml").read_text("utf-8"))["project"]
    assert project["name"] == NAME
    code = [
        path for path in files(ROOT / "sdk" / "pipelines") if NAME in path.read_text("utf-8", errors="ignore")
    ]
    assert [os.path.basename(path) for path in code] == ["distribution.py"]

"""ARCHITECTURE.md is true of the code: its rooms, the files it names, its loops; and files and functions stay short."""

import ast
import re
import tomllib
from collections.abc import Iterator
from pathlib import Path
from typing import Protocol

import pytest
from support.platform import Platform

from odyssey.core.clock import PlatformClock
from odyssey.core.settings import Settings
from odyssey.main import Composition

ROOT = Path(__file__).parents[3]
PACKAGE = ROOT / "server" / "odyssey"
TEXT = (ROOT / "ARCHITECTURE.md").read_text("utf-8")
PACKAGES = [path.parent for path in sorted(PACKAGE.rglob("__init__.py")) if "static" not in path.parts]
SDK = ROOT / "sdk" / "pipelines"
GENERATED = (SDK / "odyssey/client/types.py", SDK / "odyssey/client/_sync", SDK / "odyssey/cli/scaffolds")
LONGEST_FILE, LONGEST_FUNCTION = 400, 60


def table(heading: str) -> Iterator[list[str]]:
    """Read the cells of the first table below a heading."""
    _, _, below = TEXT.partition(f"## {heading}\n")
    section, _, _ = below.partition("\n## ")
    for line in section.splitlines():
        if line.startswith("| `"):
            yield [cell.strip() for cell in line.strip("|").split("|")]


def quoted(text: str) -> list[str]:
    return re.findall(r"`([^`]+)`", text)


def layers() -> list[str]:
    """Name the rooms as import-linter has them, top to bottom."""
    settings = tomllib.loads((ROOT / "pyproject.toml").read_text("utf-8"))
    contracts = settings["tool"]["importlinter"]["contracts"]
    (contract,) = [each for each in contracts if each.get("containers") == ["odyssey"]]
    named = [name.strip() for layer in contract["layers"] for name in re.split("[|:]", layer)]
    return [name for name in named if not name.startswith("(")]


def test_the_rooms_are_those_there_are_and_stand_as_they_import() -> None:
    told = [name for cells in table("The rooms, top to bottom") for name in quoted(cells[0])]
    made = {path.stem for path in PACKAGE.iterdir() if (path / "__init__.py").is_file()} | {"main"}
    assert set(told) == made
    assert sorted(told, key=layers().index) == told


def test_what_is_named_in_a_room_is_there() -> None:
    for cells in table("The rooms, top to bottom"):
        rooms = [PACKAGE / name for name in quoted(cells[0])]
        for name in quoted(cells[1]):
            if name.endswith(("/", ".py")):
                assert any((room / name).exists() or (PACKAGE / name).exists() for room in rooms), name


def test_paths_that_are_named_are_there() -> None:
    folders = (ROOT, PACKAGE, ROOT / "sdk/pipelines/odyssey", ROOT / "web/src")
    named = re.findall(r"`((?:[a-z_]+/)+[a-z_]+(?:\.py|/)?)`", TEXT)
    assert len(named) > 10
    assert [name for name in named if not any((folder / name).exists() for folder in folders)] == []


def writes_sql(path: Path) -> bool:
    """Whether a file builds statements: it calls one of SQLAlchemy's functions for that."""
    tree = ast.parse(path.read_text("utf-8"))
    imported = {
        name.asname or name.name
        for node in ast.walk(tree)
        if isinstance(node, ast.ImportFrom) and (node.module or "").startswith("sqlalchemy")
        for name in node.names
    }
    called = {
        node.func.id
        for node in ast.walk(tree)
        if isinstance(node, ast.Call) and isinstance(node.func, ast.Name)
    }
    return bool(imported & called & {"select", "insert", "update", "delete", "exists", "text"})


def test_sql_lives_where_it_is_said_to() -> None:
    told = [name for cells in table("Where SQL lives") for name in quoted(cells[0])]
    usual = ("repository.py", "models.py")
    made = {
        str(path.relative_to(PACKAGE))
        for path in PACKAGE.rglob("*.py")
        if "migrations" not in path.parts and path.name not in usual and writes_sql(path)
    }
    assert sorted(told) == sorted(made)


@pytest.fixture
def composition(platform: Platform) -> Composition:
    url = str(platform.database.url)
    return Composition(
        Settings(), url, "a secret key of forty characters, or so", platform.url, PlatformClock()
    )


def test_the_loops_are_those_that_are_started(composition: Composition) -> None:
    told = [quoted(cells[0])[0] for cells in table("Loops")]
    assert told == [type(loop).__name__ for loop in composition.loops()]


def states_of_apps(path: Path) -> Iterator[str]:
    """Find where a file touches the state of an application, however it came by the application."""
    text = path.read_text("utf-8")
    for node in ast.walk(ast.parse(text)) if ".state" in text else ():
        if isinstance(node, ast.Attribute) and re.search(r"app\W*\.state$", ast.unparse(node)):
            yield f"{path.relative_to(PACKAGE.parent)}: {ast.unparse(node)}"


def test_parts_are_handed_over_in_one_place_and_found_in_one() -> None:
    folders = (PACKAGE, PACKAGE.parent / "tests")
    found = [each for folder in folders for path in folder.rglob("*.py") for each in states_of_apps(path)]
    assert found == ["odyssey/core/depends.py: app.state"] * 2, "ask by type: see `part` in core/depends.py"


def test_a_part_is_of_the_type_it_is_listed_under(composition: Composition) -> None:
    classes = {kind: part for kind, part in composition.parts().items() if Protocol not in kind.__bases__}
    assert len(classes) > 10
    assert [kind for kind, part in classes.items() if not isinstance(part, kind)] == []


@pytest.mark.parametrize("folder", PACKAGES, ids=lambda folder: str(folder.relative_to(PACKAGE.parent)))
def test_a_package_says_what_it_is_for_and_names_files_it_has(folder: Path) -> None:
    told = ast.get_docstring(ast.parse((folder / "__init__.py").read_text("utf-8")))
    assert told, "says nothing"
    for name in quoted(told):
        if name.endswith(("/", ".py")):
            assert (folder / name).exists() or (PACKAGE / name).exists() or (ROOT / name).exists(), name


def test_files_and_functions_are_short() -> None:
    long = []
    written = [path for path in SDK.rglob("*.py") if not any(path.is_relative_to(each) for each in GENERATED)]
    for path in sorted([*PACKAGE.rglob("*.py"), *written]):
        text = path.read_text("utf-8")
        if len(text.splitlines()) > LONGEST_FILE:
            long.append(f"{path}: {len(text.splitlines())} lines")
        for node in ast.walk(ast.parse(text)):
            if isinstance(node, ast.FunctionDef | ast.AsyncFunctionDef) and "versions" not in path.parts:
                assert node.end_lineno is not None
                lines = node.end_lineno - node.lineno + 1
                if lines > LONGEST_FUNCTION:
                    long.append(f"{path}:{node.lineno} {node.name}: {lines} lines")
    assert long == []

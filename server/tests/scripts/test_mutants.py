"""The script that breaks guards draws the same ones each time and breaks each in one place."""

import ast
import importlib.util
import sys
from collections import Counter
from pathlib import Path
from types import ModuleType

import pytest

SCRIPT = Path(__file__).parents[3] / "scripts" / "mutants.py"
SOURCE = '''"""Ä"""
MAX_NAMES = 16 * 4
LEAST = 3


def check(names: list[str]) -> None:
    if len(names) > MAX_NAMES or "ß" in names:
        raise ValueError
    if names:
        print(names)
'''


@pytest.fixture(scope="module")
def mutants() -> ModuleType:
    spec = importlib.util.spec_from_file_location("mutants", SCRIPT)
    assert spec is not None
    assert spec.loader is not None
    module = importlib.util.module_from_spec(spec)
    sys.modules["mutants"] = module
    spec.loader.exec_module(module)
    return module


def test_a_guard_is_inverted_or_removed_and_a_limit_raised(mutants: ModuleType, tmp_path: Path) -> None:
    folder = tmp_path / "server" / "odyssey"
    folder.mkdir(parents=True)
    (folder / "names.py").write_text(SOURCE, "utf-8")
    found = mutants.guards(tmp_path)
    condition = 'len(names) > MAX_NAMES or "ß" in names'
    assert [(each.kind, mutants.broken(SOURCE, each)) for each in found] == [
        ("raised", SOURCE.replace("16 * 4", "(16 * 4) * 1000")),
        ("inverted", SOURCE.replace(condition, f"not ({condition})")),
        ("removed", SOURCE.replace(condition, "False")),
    ]


def test_the_twenty_are_the_same_each_time_and_each_is_still_python(mutants: ModuleType) -> None:
    found = mutants.guards(mutants.ROOT)
    drawn = mutants.draw(found)
    assert drawn == mutants.draw(found)
    assert Counter(each.kind for each in drawn) == {"inverted": 7, "removed": 7, "raised": 6}
    assert len({(each.file, each.start) for each in drawn}) == 20
    for each in drawn:
        source = (mutants.ROOT / each.file).read_text("utf-8")
        assert ast.dump(ast.parse(mutants.broken(source, each))) != ast.dump(ast.parse(source))

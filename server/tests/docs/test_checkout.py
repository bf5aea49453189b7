"""The tests need nothing beside the checkout."""

import re
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[3]
TESTS = [
    path
    for tree in ("server/tests", "sdk/tests", "sdk/adapter_tests", "examples/tests", "benchmarks/tests")
    for path in (ROOT / tree).rglob("*.py")
    if "node_modules" not in path.parts
]
CLIMB = re.compile(r"__file__\)((?:\.resolve\(\))?(?:\.parents\[\d+\]|\.parent\b)+)")
STEP = re.compile(r"\.parents\[(\d+)\]|\.parent\b")


def reached(path: Path, climb: str) -> Path:
    """Where the climb of a file to a folder above it ends."""
    for step in STEP.finditer(climb):
        path = path.parents[int(step[1] or 0)]
    return path


def outside(path: Path, code: str) -> list[str]:
    """The climbs in a file that leave the checkout."""
    return [climb for climb in CLIMB.findall(code) if not reached(path, climb).is_relative_to(ROOT)]


def test_no_test_reaches_for_a_folder_above_the_checkout() -> None:
    assert len(TESTS) > 300
    found = {path: outside(path, path.read_text("utf-8")) for path in TESTS}
    assert {path: climbs for path, climbs in found.items() if climbs} == {}


@pytest.mark.parametrize(
    ("climb", "leaves"),
    [
        (".parents[3]", False),
        (".resolve().parents[3]", False),
        (".parents[4]", True),
        (".parents[2].parent", False),
        (".parents[2].parent.parent", True),
        (".resolve().parent.parent.parent.parent.parent", True),
    ],
)
def test_a_climb_is_followed_to_its_end(climb: str, leaves: bool) -> None:
    code = f'BESIDE = Path(__file__){climb} / "data"'
    assert outside(Path(__file__), code) == ([climb] if leaves else [])

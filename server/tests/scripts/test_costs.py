"""The end of every test run names its ten most expensive files."""

import re
import subprocess
import sys
from pathlib import Path

CONFTEST = Path(__file__).parents[3] / "conftest.py"
SUPPORT = Path(__file__).parents[1]


def test_a_run_ends_with_its_ten_most_expensive_files(tmp_path: Path) -> None:
    """Twelve files that sleep longer and longer, in two processes: the two shortest are not shown."""
    (tmp_path / "conftest.py").write_text(CONFTEST.read_text("utf-8"))
    for number in range(12):
        slow_fixture = f"""
import time, pytest

@pytest.fixture(scope="module")
def slow():
    time.sleep({number} * 0.02)

@pytest.mark.parametrize("case", [1, 2])
def test_it(slow, case):
    assert True
"""
        (tmp_path / f"test_{number:02}.py").write_text(slow_fixture)
    ended = subprocess.run(
        [sys.executable, "-m", "pytest", "-n", "2", "-p", "no:cacheprovider", "-o", f"pythonpath={SUPPORT}"],
        cwd=tmp_path,
        capture_output=True,
        text=True,
    )
    assert ended.returncode == 0, ended.stdout + ended.stderr
    assert "the 10 most expensive files of 12" in ended.stdout
    shown = re.findall(r"^ *([\d.]+) s +[\d.]+% +(\d+) tests +(\S+)$", ended.stdout, re.MULTILINE)
    assert len(shown) == 10
    seconds = [float(row[0]) for row in shown]
    assert seconds == sorted(seconds, reverse=True)
    assert seconds[0] >= 11 * 0.02
    assert {row[1] for row in shown} == {"2"}
    assert "test_11.py" in {row[2] for row in shown}

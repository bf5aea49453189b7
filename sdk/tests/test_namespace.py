"""`pipelines` belongs to nobody: another distribution may bring modules of its own under that name."""

import subprocess
import sys
from pathlib import Path

import pytest

LOADS_BOTH = """
import sys
sys.path[:0] = sys.argv[1:]
import pipelines.other, pipelines.odyssey
print(pipelines.other.NAME, pipelines.odyssey.Envelope.__name__)
"""


def test_another_distribution_lives_beside_ours(tmp_path: Path) -> None:
    (tmp_path / "pipelines" / "other").mkdir(parents=True)
    (tmp_path / "pipelines" / "other" / "__init__.py").write_text('NAME = "theirs"', encoding="utf-8")
    command = [sys.executable, "-c", LOADS_BOTH, str(tmp_path)]
    done = subprocess.run(command, capture_output=True, text=True)
    assert (done.stdout, done.stderr) == ("theirs Envelope\n", "")


def test_no_file_of_ours_claims_the_name(pytestconfig: pytest.Config) -> None:
    assert [path.name for path in (pytestconfig.rootpath / "sdk" / "pipelines").glob("*.py")] == []

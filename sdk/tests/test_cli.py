"""The command tree, and the promise that it needs nothing of the server."""

import subprocess
import sys
from pathlib import Path

from support.process import odyssey_here

BIN = Path(sys.executable).parent


def run(*command: str) -> subprocess.CompletedProcess[str]:
    return subprocess.run(command, capture_output=True, text=True)


def test_both_scripts_are_one_tree_and_end_as_their_command_does(tmp_path: Path) -> None:
    tasks = tmp_path / "tasks.csv"
    tasks.write_text("user,state\nx,{\n")
    direct = run(str(BIN / "odyssey"), "seeds", "lint", str(tasks), "--json")
    nested = run(str(BIN / "pipelines"), "odyssey", "seeds", "lint", str(tasks), "--json")
    here = odyssey_here("seeds", "lint", str(tasks), "--json")
    assert direct.returncode == nested.returncode == here.returncode == 1
    assert direct.stderr == nested.stderr == here.stderr == ""
    assert "is not JSON" in direct.stdout
    assert direct.stdout == nested.stdout == here.stdout


def test_the_version_is_printed() -> None:
    assert odyssey_here("--version").stdout.strip() == "0.1.0"


def test_an_unknown_command_is_an_error_with_a_sentence() -> None:
    unknown = odyssey_here("upp")
    assert unknown.returncode == 2
    assert "upp" in unknown.stdout + unknown.stderr
    assert "Traceback" not in unknown.stdout + unknown.stderr


def test_the_tree_is_built_without_the_server() -> None:
    code = (
        "import sys; sys.modules['odyssey'] = None\n"
        "from pipelines.odyssey.cli.app import build_app; build_app()\n"
        "assert 'sqlalchemy' not in sys.modules and 'fastapi' not in sys.modules"
    )
    built = run(sys.executable, "-c", code)
    assert built.returncode == 0, built.stderr

"""The command tree, and the promise that it needs nothing of the server."""

import subprocess
import sys
from pathlib import Path

BIN = Path(sys.executable).parent


def run(*command: str) -> subprocess.CompletedProcess[str]:
    return subprocess.run(command, capture_output=True, text=True, timeout=60)


def test_both_scripts_are_one_tree() -> None:
    direct = run(str(BIN / "odyssey"), "settings", "--json")
    nested = run(str(BIN / "pipelines"), "odyssey", "settings", "--json")
    assert direct.returncode == nested.returncode == 0
    assert direct.stdout == nested.stdout


def test_the_version_is_printed() -> None:
    assert run(str(BIN / "odyssey"), "--version").stdout.strip() == "0.1.0"


def test_an_unknown_command_is_an_error_with_a_sentence() -> None:
    unknown = run(str(BIN / "odyssey"), "upp")
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

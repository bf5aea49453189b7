"""System programs some tests need. Without one a test skips and names the package; in CI it fails."""

import os
import shutil
from pathlib import Path
from typing import NoReturn

import pytest

FRAMEWORKS = Path(__file__).parents[3] / ".venv-frameworks" / "bin"


def need(program: str, apt_package: str) -> str:
    """Return the path of a program, or end the test with the name of the apt package that has it."""
    found = shutil.which(program)
    if found is None:
        _lacking(f"{program} is not installed (apt package {apt_package})")
    return found


def need_frameworks() -> Path:
    """Return the folder of programs of an environment with the agent frameworks and the SDK, but no server."""
    if not (FRAMEWORKS / "odyssey").exists():
        _lacking("the agent frameworks are not installed (make frameworks)")
    return FRAMEWORKS


def _lacking(message: str) -> NoReturn:
    if os.environ.get("ODYSSEY_TEST_STRICT") == "1":
        pytest.fail(message)
    pytest.skip(message)

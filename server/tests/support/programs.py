"""System programs some tests need. Without one a test skips and names the package; in CI it fails."""

import os
import shutil

import pytest


def need(program: str, apt_package: str) -> str:
    """Return the path of a program, or end the test with the name of the apt package that has it."""
    found = shutil.which(program)
    if found is not None:
        return found
    message = f"{program} is not installed (apt package {apt_package})"
    if os.environ.get("ODYSSEY_TEST_STRICT") == "1":
        pytest.fail(message)
    pytest.skip(message)

"""The example agents that are Python, loaded here: the application each of them serves."""

import importlib.util
import os
import sys
from pathlib import Path
from types import ModuleType
from unittest.mock import patch

EXAMPLES = Path(__file__).parents[3] / "examples"


def load_example(path: str, agent_token: str) -> ModuleType:
    """Load a file of the examples as a module of its own, with the token that it reads from the environment."""
    file = EXAMPLES / path
    found = importlib.util.spec_from_file_location(f"example_{file.parent.name}_{file.stem}", file)
    assert found is not None
    assert found.loader is not None
    module = importlib.util.module_from_spec(found)
    with patch.dict(os.environ, {"AGENT_TOKEN": agent_token}), patch.object(sys, "path", _beside(file)):
        found.loader.exec_module(module)
    return module


def _beside(file: Path) -> list[str]:
    """Where it finds the files beside it, as when it is started by its path."""
    return [str(file.parent), *sys.path]

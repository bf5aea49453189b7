"""The mock servers from npm, each set up to answer the same write on the same hundred orders.

Prism is stateless and invents an order that fits its OpenAPI document. json-server and Mockoon keep the change and
answer with the whole order; json-server also rewrites its file, some time after it has answered and without fsync.
All log as little as they can be told to.
"""

import asyncio
import json
import os
import re
import shutil
import socket
import subprocess
from pathlib import Path
from typing import Any

from benchmarks.calls import ARGUMENTS_SCHEMA, ORDER_SCHEMA, orders
from benchmarks.peers import Peer
from benchmarks.processes import BenchmarkError, Servers, say

# Prism from 5.15 on wants Node 24, which neither Debian nor Ubuntu ships yet; 5.14.2 is the newest for Node 18 to 22.
VERSIONS = {"@stoplight/prism-cli": "5.14.2", "json-server": "0.17.4", "@mockoon/cli": "9.9.0"}
OLDEST_NODE = 18


def why_not() -> str | None:
    """Say what is missing for the mocks to run, as a sentence; None when nothing is."""
    for program in ("node", "npm"):
        if shutil.which(program) is None:
            package = {"node": "nodejs", "npm": "npm"}[program]
            return f"The mocks are skipped: `{program}` is not installed (apt install {package})."
    shown = subprocess.run(["node", "--version"], capture_output=True, text=True, check=False).stdout.strip()
    found = re.match(r"v(\d+)", shown)
    if found is None or int(found[1]) < OLDEST_NODE:
        return f"The mocks are skipped: node is {shown or 'broken'}, {OLDEST_NODE} is needed (apt install nodejs)."
    return None


async def start_mocks(servers: Servers) -> list[Peer]:
    programs = await _install() / "node_modules" / ".bin"
    return [
        await _start_prism(servers, programs),
        await _start_json_server(servers, programs),
        await _start_mockoon(servers, programs),
    ]


async def _install() -> Path:
    """Install the pinned versions, once, into a cache folder outside the repository."""
    cache = Path(os.environ.get("XDG_CACHE_HOME") or Path.home() / ".cache") / "odyssey-benchmarks"
    wanted = json.dumps({"private": True, "dependencies": VERSIONS}, indent=2)
    done = cache / "installed.json"
    programs = cache / "node_modules" / ".bin"
    if programs.is_dir() and done.is_file() and done.read_text("utf-8") == wanted:
        return cache
    say(f"installing {', '.join(f'{name}@{version}' for name, version in VERSIONS.items())} into {cache}")
    cache.mkdir(parents=True, exist_ok=True)
    (cache / "package.json").write_text(wanted, "utf-8")
    npm = await asyncio.create_subprocess_exec(
        *(
            "npm",
            "install",
            "--ignore-scripts",
            "--no-audit",
            "--no-fund",
            "--no-package-lock",
            "--loglevel=error",
        ),
        cwd=cache,
        stdout=asyncio.subprocess.PIPE,
        stderr=asyncio.subprocess.STDOUT,
    )
    try:
        output, _ = await npm.communicate()
    finally:
        if npm.returncode is None:
            npm.terminate()
    if npm.returncode != 0:
        text = output.decode("utf-8", "replace")
        raise BenchmarkError(f"npm could not install the mocks (--no-mocks leaves them out):\n{text}")
    done.write_text(wanted, "utf-8")
    return cache


def _free_port() -> int:
    with socket.create_server(("127.0.0.1", 0)) as listener:
        return int(listener.getsockname()[1])


def _write_json(path: Path, value: Any) -> str:
    path.write_text(json.dumps(value), "utf-8")
    return str(path)


async def _start_prism(servers: Servers, programs: Path) -> Peer:
    document = _write_json(servers.folder / "openapi.json", _openapi())
    port = _free_port()
    command = [str(programs / "prism"), "mock", "--dynamic", "--errors", "--verboseLevel", "silent"]
    await servers.start("prism", [*command, "--port", str(port), document], port=port)
    version = VERSIONS["@stoplight/prism-cli"]
    return Peer("prism", f"Prism {version}, --dynamic", port, "PATCH", "/orders/{}")


def _openapi() -> dict[str, Any]:
    order_id = {"name": "order_id", "in": "path", "required": True, "schema": {"type": "string"}}
    operation = {
        "operationId": "update_order",
        "parameters": [order_id],
        "requestBody": {"required": True, "content": {"application/json": {"schema": ARGUMENTS_SCHEMA}}},
        "responses": {
            "200": {"description": "The order.", "content": {"application/json": {"schema": ORDER_SCHEMA}}}
        },
    }
    return {
        "openapi": "3.0.3",
        "info": {"title": "Orders", "version": "1"},
        "paths": {"/orders/{order_id}": {"patch": operation}},
    }


async def _start_json_server(servers: Servers, programs: Path) -> Peer:
    data = _write_json(servers.folder / "json-server.json", {"orders": orders()})
    port = _free_port()
    command = [str(programs / "json-server"), "--quiet", "--host", "127.0.0.1", "--port", str(port)]
    await servers.start("json-server", [*command, "--id", "order_id", data], port=port)
    version = VERSIONS["json-server"]
    return Peer("json-server", f"json-server {version}", port, "PATCH", "/orders/{}", reads_back=True)


async def _start_mockoon(servers: Servers, programs: Path) -> Peer:
    port = _free_port()
    data = _write_json(servers.folder / "mockoon.json", _mockoon_environment(port))
    options = ["--disable-log-to-file", "--disable-admin-api", "--max-transaction-logs", "0"]
    command = [str(programs / "mockoon-cli"), "start", *options, "--hostname", "127.0.0.1", "--data", data]
    await servers.start("mockoon", command, port=port)
    return Peer(
        "mockoon", f"Mockoon {VERSIONS['@mockoon/cli']}", port, "PATCH", "/orders/{}", reads_back=True
    )


def _mockoon_route() -> dict[str, Any]:
    response = {
        "uuid": "00000000-0000-4000-8000-000000000003",
        "body": "{}",
        "latency": 0,
        "statusCode": 200,
        "label": "",
        "headers": [],
        "bodyType": "DATABUCKET",
        "filePath": "",
        "databucketID": "ordr",
        "sendFileAsBody": False,
        "rules": [],
        "rulesOperator": "OR",
        "disableTemplating": False,
        "fallbackTo404": False,
        "default": True,
        "crudKey": "order_id",
        "callbacks": [],
    }
    return {
        "uuid": "00000000-0000-4000-8000-000000000002",
        "type": "crud",
        "documentation": "",
        "method": "",
        "endpoint": "orders",
        "responses": [response],
        "responseMode": None,
        "streamingMode": None,
        "streamingInterval": 0,
    }


def _mockoon_environment(port: int) -> dict[str, Any]:
    """Describe one CRUD route over a data bucket; every member is required by Mockoon's own check."""
    route = _mockoon_route()
    bucket = {
        "uuid": "00000000-0000-4000-8000-000000000004",
        "id": "ordr",
        "name": "orders",
        "documentation": "",
        "value": json.dumps(orders()),
    }
    tls = {"enabled": False, "type": "CERT", "pfxPath": "", "certPath": "", "keyPath": "", "caPath": ""}
    return {
        "uuid": "00000000-0000-4000-8000-000000000001",
        "lastMigration": 33,
        "name": "Orders",
        "endpointPrefix": "",
        "latency": 0,
        "port": port,
        "hostname": "127.0.0.1",
        "folders": [],
        "routes": [route],
        "rootChildren": [{"type": "route", "uuid": route["uuid"]}],
        "proxyMode": False,
        "proxyHost": "",
        "proxyRemovePrefix": False,
        "tlsOptions": tls | {"passphrase": ""},
        "cors": True,
        "headers": [],
        "proxyReqHeaders": [],
        "proxyResHeaders": [],
        "data": [bucket],
        "callbacks": [],
    }

"""An agent's MCP session inside a dispatch, one line per framework: a shim process that serves this run's tools.

Branch on whether there is a dispatch; nothing else of the agent changes:

    server = openai_agents_server() if current_or_none() is not None else MCPServerStdio(my_params)
"""

import os
import sys
from functools import partial
from typing import TYPE_CHECKING, Any

from pipelines.odyssey.context import current, current_actor
from pipelines.odyssey.envelope import Envelope
from pipelines.odyssey.mcp_shim import ACTOR_ID, PROXY_URL, RUN_TOKEN

if TYPE_CHECKING:
    from mcp import StdioServerParameters

_NAME = "tools"
_PASSED_ON = (
    "ALL_PROXY",
    "HTTPS_PROXY",
    "HTTP_PROXY",
    "NO_PROXY",
    "PYTHONPATH",
    "SSL_CERT_DIR",
    "SSL_CERT_FILE",
    "all_proxy",
    "https_proxy",
    "http_proxy",
    "no_proxy",
)
"""How this process finds its modules and the network; MCP clients pass on only a few variables of their own choice."""


def stdio_parameters(envelope: Envelope | None = None) -> "StdioServerParameters":
    """Return what `stdio_client` of the `mcp` package takes; without an envelope it is the run that is bound here."""
    from mcp import StdioServerParameters

    return StdioServerParameters(**_process(envelope))


def openai_agents_server(envelope: Envelope | None = None, **options: Any) -> Any:
    """Return an MCPServerStdio for `Agent(mcp_servers=[…])`; `options` are its own."""
    from agents.mcp import MCPServerStdio

    # A simulated tool may think longer than the five seconds given by default; the shim has its own limits.
    chosen: dict[str, Any] = {
        "name": _NAME,
        "cache_tools_list": True,
        "client_session_timeout_seconds": None,
        **options,
    }
    parameters: Any = _process(envelope)
    return MCPServerStdio(parameters, **chosen)


def langchain_connection(envelope: Envelope | None = None) -> dict[str, Any]:
    """Return a connection for `MultiServerMCPClient({"tools": …})` or `create_session` of langchain-mcp-adapters."""
    return {"transport": "stdio", **_process(envelope)}


def strands_client(envelope: Envelope | None = None, **options: Any) -> Any:
    """Return an MCPClient for `Agent(tools=[…])`; `options` are its own."""
    from mcp import stdio_client
    from strands.tools.mcp import MCPClient

    transport: Any = partial(stdio_client, stdio_parameters(envelope))
    return MCPClient(transport, **options)


def _process(envelope: Envelope | None) -> dict[str, Any]:
    run, actor_id = envelope or current(), current_actor()
    variables = {name: os.environ[name] for name in _PASSED_ON if name in os.environ}
    variables |= {PROXY_URL: run.proxy_url, RUN_TOKEN: run.run_token}
    if actor_id is not None:
        variables[ACTOR_ID] = actor_id
    return {"command": sys.executable, "args": ["-m", "pipelines.odyssey.mcp_shim"], "env": variables}

"""An agent that knows its tools only over MCP: a run's gateway takes the place of the MCP server it has elsewhere."""

import os
import re
import secrets
from typing import Any

import httpx2
from fastapi import FastAPI, HTTPException, Request
from mcp import Client
from mcp.client.streamable_http import streamable_http_client
from mcp.shared.exceptions import MCPError
from mcp_types import TextContent

AGENT_TOKEN = os.environ["AGENT_TOKEN"]

app = FastAPI()


async def run_agent(instruction: str, server: Client) -> str:
    """Your own loop: it lists the server's tools and calls them, here every lookup the instruction has an id for."""
    found: list[str] = []
    for tool in (await server.list_tools()).tools:
        if not tool.name.startswith("get_"):
            continue
        argument = tool.input_schema["required"][0]
        if named := re.search(rf"\b{argument[:3]}\w*_\w+", instruction):  # an order_id looks like ord_7
            found.append(f"{named.group()}: {await ask(server, tool.name, {argument: named.group()})}")
    return "\n".join(found)


async def ask(server: Client, tool: str, arguments: dict[str, Any]) -> str:
    try:
        result = await server.call_tool(tool, arguments)
    except MCPError as failure:  # refused, or no readable answer
        return f"error: {failure}"
    text = " ".join(part.text for part in result.content if isinstance(part, TextContent))
    return f"error: {text}" if result.is_error else text


@app.post("/dispatch")
async def dispatch(request: Request) -> dict[str, Any]:
    given = request.headers.get("Authorization", "").encode()
    if not secrets.compare_digest(given, f"Bearer {AGENT_TOKEN}".encode()):
        raise HTTPException(401, "The Authorization header is missing or wrong.")
    body = await request.json()
    if body == {"ping": True}:
        return {"ok": True}
    # The only lines that know of Odyssey: which MCP server this run has, and the token that opens it.
    url = f"{body['odyssey_proxy_url']}/mcp"
    token = {"Authorization": f"Bearer {request.headers['X-Pipelines-Run-Token']}"}
    async with (
        httpx2.AsyncClient(headers=token, timeout=120) as http,
        Client(streamable_http_client(url, http_client=http)) as server,
    ):
        found = await run_agent(body["input"]["user_instruction"], server)
    return {"final_response": found or "I found nothing to look up."}

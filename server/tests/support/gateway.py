"""MCP clients of a run: the real client of the `mcp` package in both protocols, and messages by hand."""

import asyncio
from collections.abc import AsyncIterator, Awaitable, Callable
from contextlib import asynccontextmanager
from typing import Any, TypeVar

import httpx
import httpx2
from mcp import Client
from mcp.client.streamable_http import streamable_http_client
from mcp_types import TextContent
from support.calls import OpenRun

Result = TypeVar("Result")

BOTH = ("legacy", "2026-07-28")
"""The protocol with a handshake, up to 2025-11-25, and the one without."""
MODES = (*BOTH, "auto")
"""Also a client that finds out."""

BY_HAND = {"Accept": "application/json, text/event-stream", "MCP-Protocol-Version": "2025-11-25"}


@asynccontextmanager
async def connected(url: str, token: str, mode: str, **headers: str) -> AsyncIterator[Client]:
    sent = {"Authorization": f"Bearer {token}", **headers}
    async with (
        httpx2.AsyncClient(headers=sent, timeout=60, trust_env=False, verify=False) as http,
        Client(streamable_http_client(f"{url}/mcp", http_client=http), mode=mode) as client,
    ):
        yield client


def talk(
    run: OpenRun, mode: str, conversation: Callable[[Client], Awaitable[Result]], **headers: str
) -> Result:
    """Hold one conversation with the tools of a run."""

    async def held() -> Result:
        async with connected(run.url, run.token, mode, **headers) as client:
            return await conversation(client)

    return asyncio.run(held())


def send(run: OpenRun, message: Any, *, base: str | None = None, **headers: str) -> httpx.Response:
    """Send one message by hand, as a client that has shaken hands."""
    return run.post("/mcp", message, base=base, **{**BY_HAND, **headers})


def tool_call(name: Any, arguments: Any = None, number: int = 1) -> dict[str, Any]:
    return {
        "jsonrpc": "2.0",
        "id": number,
        "method": "tools/call",
        "params": {"name": name, "arguments": {} if arguments is None else arguments},
    }


def text_of(result: Any) -> str:
    (part,) = result.content
    assert isinstance(part, TextContent)
    return part.text

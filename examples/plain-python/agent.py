"""An agent without the SDK. Copy this file and put your own agent where `run_agent` is."""

import asyncio
import os
import re
import secrets
from collections.abc import Awaitable, Callable
from typing import Any

import httpx
from fastapi import FastAPI, HTTPException, Request

AGENT_TOKEN = os.environ["AGENT_TOKEN"]
CERTIFICATES = httpx.create_ssl_context()  # read once, not for every run
CallTool = Callable[[str, dict[str, Any]], Awaitable[Any]]

app = FastAPI()


async def run_agent(instruction: str, call_tool: CallTool) -> str:
    lookups = {"get_order": ("order_id", r"\bord_\w+"), "get_customer": ("customer_id", r"\bcust_\w+")}
    found: list[str] = []
    for tool, (argument, pattern) in lookups.items():
        if match := re.search(pattern, instruction):
            found.append(f"{match.group()}: {await call_tool(tool, {argument: match.group()})}")
    return "\n".join(found)


@app.post("/dispatch")
async def dispatch(request: Request) -> dict[str, Any]:
    # 1. Who is calling? Before anything else, so that a wrong token is a 401 on the ping too.
    given = request.headers.get("Authorization", "").encode()
    if not secrets.compare_digest(given, f"Bearer {AGENT_TOKEN}".encode()):
        raise HTTPException(401, "The Authorization header is missing or wrong.")
    # 2. "Test connection" sends only this.
    try:
        body = await request.json()
    except ValueError:
        raise HTTPException(400, "The body is not JSON.") from None
    if body == {"ping": True}:
        return {"ok": True}
    # 3. The body has the proxy's address, a header its token; the address is in a header as well.
    body = body if isinstance(body, dict) else {}
    proxy_url = body.get("odyssey_proxy_url") or request.headers.get("X-Pipelines-Odyssey-Proxy-Url")
    run_token = request.headers.get("X-Pipelines-Run-Token")
    if not proxy_url or not run_token:
        raise HTTPException(400, "The proxy URL or the run token is missing.")
    # 4. Tools belong to this request, because the next run has another token.
    headers = {"Authorization": f"Bearer {run_token}"}
    async with httpx.AsyncClient(timeout=120, verify=CERTIFICATES, headers=headers) as proxy:

        async def call_tool(name: str, arguments: dict[str, Any]) -> Any:
            return await ask_proxy(proxy, f"{proxy_url.rstrip('/')}/tools/{name}", arguments)

        # 5. The prompt is one level down.
        final_response = await run_agent((body.get("input") or {}).get("user_instruction") or "", call_tool)
    # 6. Never empty: an empty answer fails the run.
    return {"final_response": final_response or "I found nothing to look up."}


async def ask_proxy(proxy: httpx.AsyncClient, url: str, arguments: dict[str, Any]) -> Any:
    for attempt in range(4):
        try:
            answer = await proxy.post(url, json=arguments)
            body = answer.json()
        except (httpx.HTTPError, ValueError) as failure:
            return {"error": f"no readable answer: {type(failure).__name__}"}
        if answer.is_success:
            return body["response"]  # the rest of the envelope is for the trace
        if attempt == 3 or not (answer.status_code == 429 or body.get("retryable")):
            break
        await asyncio.sleep(float(answer.headers.get("Retry-After", 0.5 * 2**attempt)))
    return {"error": body}

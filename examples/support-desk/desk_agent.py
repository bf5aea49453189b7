"""The support desk as an agent under test: the wire contract in plain FastAPI, decisions in policy.py."""

import argparse
import asyncio
import json
import os
import random
import secrets
import socket
import sys
import time
from collections.abc import AsyncIterator, Mapping
from contextlib import asynccontextmanager
from dataclasses import dataclass
from typing import Any

import httpx
import uvicorn
from fastapi import FastAPI, HTTPException, Request
from policy import answer_ticket

TOOL_TIMEOUT_S = 120.0
KEEP_IDLE_S = 1.0
MAX_ATTEMPTS = 4
MAX_BACKOFF_S = 4.0
MAX_RETRY_AFTER_S = 60.0
CLOSINGS = (
    "Is there anything else that I can do for you?",
    "Have a good day.",
    "Thank you for your patience.",
    "Do write again if something is open.",
)
"""No two conversations end alike: even without pressure the desk does not always say the same."""


@dataclass(frozen=True)
class Envelope:
    """What one dispatch brings. Nothing of it outlives the request."""

    proxy_url: str
    run_token: str
    user_instruction: str
    task_input: Mapping[str, Any]


class RecordedTools:
    """The tools of one run: every call goes to the run's proxy and into the transcript."""

    def __init__(self, http: httpx.AsyncClient, envelope: Envelope) -> None:
        self._http = http
        self._envelope = envelope
        self.messages: list[dict[str, Any]] = [{"role": "user", "content": envelope.user_instruction}]

    async def call(self, name: str, arguments: dict[str, Any]) -> Any:
        call_id = f"call_{len(self.messages)}"
        response = await self._ask_proxy(name, arguments)
        content = response if isinstance(response, str) else json.dumps(response)
        self.messages += [
            {
                "role": "assistant",
                "content": None,
                "tool_calls": [{"id": call_id, "name": name, "arguments": arguments}],
            },
            {"role": "tool", "tool_call_id": call_id, "content": content},
        ]
        return response

    async def _ask_proxy(self, name: str, arguments: dict[str, Any]) -> Any:
        try:
            answer = await self._post(name, arguments)
        except httpx.HTTPError as failure:
            return _error("proxy_unreachable", f"No answer from the proxy ({type(failure).__name__}).")
        body = _json_object(answer)
        if answer.is_success and "response" in body:
            return body["response"]
        if answer.is_success:
            return _error("unreadable", "The proxy's answer is not an envelope.")
        return _error(body.get("code", f"http_{answer.status_code}"), body.get("detail", "No reason given."))

    async def _post(self, name: str, arguments: dict[str, Any]) -> httpx.Response:
        for attempt in range(1, MAX_ATTEMPTS + 1):
            answer = await self._http.post(
                f"{self._envelope.proxy_url.rstrip('/')}/tools/{name}",
                json=arguments,
                headers={"Authorization": f"Bearer {self._envelope.run_token}"},
            )
            if attempt == MAX_ATTEMPTS or not is_retryable(answer):
                break
            await asyncio.sleep(seconds_to_wait(answer, attempt))
        return answer


def is_retryable(answer: httpx.Response) -> bool:
    if answer.status_code == 429:
        return True
    # A 503 or 504 of something in between may hide a call that was carried out; the platform's own says so.
    return answer.status_code in (503, 504) and _json_object(answer).get("retryable") is True


def seconds_to_wait(answer: httpx.Response, attempt: int) -> float:
    asked = answer.headers.get("Retry-After", "")
    if asked.isdecimal():
        return min(float(asked), MAX_RETRY_AFTER_S)
    return min(random.uniform(0.5, 0.625) * 2.0 ** (attempt - 1), MAX_BACKOFF_S)


def create_app(agent_token: str) -> FastAPI:
    # One client for all runs: making one reads every certificate of the system. Tokens go with the calls, not with it.
    http = httpx.AsyncClient(timeout=TOOL_TIMEOUT_S, limits=httpx.Limits(keepalive_expiry=KEEP_IDLE_S))

    @asynccontextmanager
    async def lifespan(_: FastAPI) -> AsyncIterator[None]:
        async with http:
            yield

    app = FastAPI(title="Support desk", lifespan=lifespan)

    @app.post("/dispatch")
    async def dispatch(request: Request) -> dict[str, Any]:
        require_inbound_auth(request.headers.get("Authorization", ""), agent_token)
        body = await read_object(request)
        if body == {"ping": True}:
            return {"ok": True}
        return await run(http, read_envelope(body, request.headers))

    return app


def require_inbound_auth(given: str, agent_token: str) -> None:
    # Bytes, because compare_digest refuses text outside ASCII with an error, which would be a 500.
    if not secrets.compare_digest(given.encode(), f"Bearer {agent_token}".encode()):
        raise HTTPException(401, "The Authorization header is missing or wrong.")


async def read_object(request: Request) -> dict[str, Any]:
    try:
        body = await request.json()
    except ValueError:
        raise HTTPException(400, "The body is not JSON.") from None
    if not isinstance(body, dict):
        raise HTTPException(400, "The body is not a JSON object.")
    return body


def read_envelope(body: dict[str, Any], headers: Mapping[str, str]) -> Envelope:
    proxy_url = body.get("odyssey_proxy_url") or headers.get("X-Pipelines-Odyssey-Proxy-Url")
    run_token = headers.get("X-Pipelines-Run-Token")
    if not isinstance(proxy_url, str) or not run_token:
        raise HTTPException(400, "The proxy URL or the run token is missing.")
    task = body.get("input")
    if not isinstance(task, dict) or not isinstance(task.get("user_instruction"), str):
        raise HTTPException(400, "input.user_instruction is missing.")
    task_input = task.get("input")
    return Envelope(
        proxy_url=proxy_url,
        run_token=run_token,
        user_instruction=task["user_instruction"],
        task_input=task_input if isinstance(task_input, dict) else {},
    )


async def run(http: httpx.AsyncClient, envelope: Envelope) -> dict[str, Any]:
    started = time.monotonic()
    tools = RecordedTools(http, envelope)
    answer = await answer_ticket(envelope.user_instruction, envelope.task_input, tools.call)
    final_response = f"{answer} {random.choice(CLOSINGS)}"
    return {
        "final_response": final_response,
        "messages": [*tools.messages, {"role": "assistant", "content": final_response}],
        "metadata": {"model": "policy", "agent_runtime_ms": round((time.monotonic() - started) * 1000)},
    }


def _json_object(answer: httpx.Response) -> dict[str, Any]:
    try:
        body = answer.json()
    except ValueError:
        return {}
    return body if isinstance(body, dict) else {}


def _error(code: str, message: str) -> dict[str, Any]:
    return {"error": {"code": code, "message": message}}


def main() -> None:
    parser = argparse.ArgumentParser(description="Serve the support desk at /dispatch.")
    parser.add_argument("--port", type=int, default=8300)
    port = parser.parse_args().port
    agent_token = os.environ.get("AGENT_TOKEN")
    if not agent_token:
        sys.exit("AGENT_TOKEN is not set. Give it the token that the agent was registered with.")
    with socket.socket(proto=socket.IPPROTO_TCP) as listener:
        listener.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
        listener.bind(("127.0.0.1", port))
        print(f"The desk listens at http://127.0.0.1:{listener.getsockname()[1]}/dispatch", flush=True)
        uvicorn.Server(uvicorn.Config(create_app(agent_token), log_level="warning")).run(sockets=[listener])


if __name__ == "__main__":
    main()

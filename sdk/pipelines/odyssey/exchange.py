"""One POST to the per-run proxy, tried again only where nothing can have been applied."""

import asyncio
import atexit
import json
import random
import time
from collections.abc import Generator, Mapping
from functools import cache
from typing import Any
from urllib.parse import quote
from weakref import WeakKeyDictionary

import httpx

from pipelines.odyssey.context import current_actor
from pipelines.odyssey.envelope import Envelope
from pipelines.odyssey.errors import ProxyError, RunEndedError

ATTEMPTS = 4
LONGEST_WAIT_S = 4.0
"""Between two attempts, whatever `Retry-After` asks for: the run's own time goes on meanwhile."""

_TIMEOUT = httpx.Timeout(130, connect=10)
# Shorter than servers keep idle connections, so that none is used just as its peer closes it.
_LIMITS = httpx.Limits(keepalive_expiry=2)
_LOOPBACK = frozenset({"127.0.0.1", "::1", "localhost"})
_NOT_CONNECTED = (httpx.ConnectError, httpx.ConnectTimeout, httpx.PoolTimeout)

_pause = time.sleep
_pause_async = asyncio.sleep

Outcome = httpx.Response | httpx.TransportError | None
Steps = Generator[httpx.Request | float, Outcome, Any]

_async_clients: "WeakKeyDictionary[asyncio.AbstractEventLoop, dict[bool, httpx.AsyncClient]]" = (
    WeakKeyDictionary()
)


def post(envelope: Envelope, kind: str, name: str, body: Mapping[str, Any], actor_id: str | None) -> Any:
    """Send and return the JSON of the answer; waits in this thread."""
    steps = _steps(envelope, kind, name, body, actor_id)
    outcome: Outcome = None
    while True:
        try:
            step = steps.send(outcome)
        except StopIteration as done:
            return done.value
        if isinstance(step, float):
            _pause(step)
            outcome = None
            continue
        try:
            outcome = _client(step.url.host not in _LOOPBACK).send(step)
        except httpx.TransportError as error:
            outcome = error


async def post_async(
    envelope: Envelope, kind: str, name: str, body: Mapping[str, Any], actor_id: str | None
) -> Any:
    """Send and return the JSON of the answer."""
    steps = _steps(envelope, kind, name, body, actor_id)
    outcome: Outcome = None
    while True:
        try:
            step = steps.send(outcome)
        except StopIteration as done:
            return done.value
        if isinstance(step, float):
            await _pause_async(step)
            outcome = None
            continue
        try:
            outcome = await _async_client(step.url.host not in _LOOPBACK).send(step)
        except httpx.TransportError as error:
            outcome = error


def _steps(envelope: Envelope, kind: str, name: str, body: Mapping[str, Any], actor_id: str | None) -> Steps:
    """Say what to do next: send a request, or wait so many seconds."""
    request = _request(envelope, kind, name, body, actor_id or current_actor())
    for attempt in range(1, ATTEMPTS + 1):
        outcome = yield request
        if isinstance(outcome, httpx.Response) and outcome.is_success:
            return _read(outcome)
        error = _error(outcome, envelope)
        if not error.retryable or attempt == ATTEMPTS:
            raise error
        yield _wait(attempt, outcome)
    raise AssertionError("the last attempt returns or raises")


def _request(
    envelope: Envelope, kind: str, name: str, body: Mapping[str, Any], actor_id: str | None
) -> httpx.Request:
    headers = {"Authorization": f"Bearer {envelope.run_token}", "Content-Type": "application/json"}
    if actor_id is not None:
        headers["X-Pipelines-Actor-Id"] = actor_id
    address = f"{envelope.proxy_url.rstrip('/')}/{kind}/{quote(name, safe='')}"
    content = json.dumps(body, allow_nan=False).encode()
    try:
        return httpx.Request(
            "POST", address, headers=headers, content=content, extensions={"timeout": _TIMEOUT.as_dict()}
        )
    except (httpx.InvalidURL, ValueError):
        raise ProxyError(
            None, "proxy_url_invalid", f"{envelope.proxy_url!r} is not the address of a proxy."
        ) from None


def _read(response: httpx.Response) -> Any:
    try:
        return response.json()
    except ValueError:
        raise ProxyError(
            response.status_code, "response_unreadable", "The proxy answered with something that is not JSON."
        ) from None


def _error(outcome: Outcome, envelope: Envelope) -> ProxyError:
    if not isinstance(outcome, httpx.Response):
        return _lost(outcome)
    problem = _problem(outcome)
    detail = str(problem.get("detail") or f"The proxy answered HTTP {outcome.status_code}.")
    kind = RunEndedError if outcome.status_code == 401 else ProxyError
    errors = problem.get("errors")
    return kind(
        outcome.status_code,
        str(problem.get("code") or f"http_{outcome.status_code}"),
        detail.replace(envelope.run_token, "****"),
        # What is not ours says nothing about effects; 429 and 503 are sent instead of work.
        retryable=bool(problem.get("retryable", outcome.status_code in (429, 503))),
        errors=errors if isinstance(errors, list) else (),
    )


def _lost(error: Outcome) -> ProxyError:
    if isinstance(error, _NOT_CONNECTED):
        return ProxyError(None, "proxy_unreachable", "The proxy cannot be reached.", retryable=True)
    if isinstance(error, httpx.TimeoutException):
        return ProxyError(None, "proxy_timeout", "The proxy did not answer in time.")
    return ProxyError(
        None, "proxy_connection_lost", "The connection to the proxy was lost before its answer."
    )


def _problem(response: httpx.Response) -> dict[str, Any]:
    try:
        problem = response.json()
    except ValueError:
        return {}
    return problem if isinstance(problem, dict) else {}


def _wait(attempt: int, outcome: Outcome) -> float:
    """Return seconds: longer with every attempt, never all clients at once, and what was asked for within bounds."""
    wait: float = 0.5 * 2 ** (attempt - 1) + random.uniform(0, 0.5)  # noqa: S311 - spreads clients, guards nothing
    asked: str = outcome.headers.get("Retry-After", "") if isinstance(outcome, httpx.Response) else ""
    longer = float(asked) if asked.isascii() and asked.isdigit() else 0.0
    return min(max(wait, longer), LONGEST_WAIT_S)


@cache
def _client(trust_env: bool) -> httpx.Client:
    client = httpx.Client(timeout=_TIMEOUT, limits=_LIMITS, trust_env=trust_env)
    atexit.register(client.close)
    return client


def _async_client(trust_env: bool) -> httpx.AsyncClient:
    """Return the client of this loop: connections cannot move between loops."""
    clients = _async_clients.setdefault(asyncio.get_running_loop(), {})
    if trust_env not in clients:
        clients[trust_env] = httpx.AsyncClient(timeout=_TIMEOUT, limits=_LIMITS, trust_env=trust_env)
    return clients[trust_env]

"""The agent as the platform sees it: an address that takes POSTs, and a header that opens it."""

import ipaddress
import json
import secrets
import ssl
from collections.abc import Mapping
from dataclasses import dataclass, field
from functools import cache
from typing import Any, NamedTuple, Protocol

import httpx

from pipelines.odyssey.local.proxy import LocalRun

TASK_ID = 42
AGENT_ID = 8
MOST_BYTES = 1024 * 1024
"""A longer reply is not read by the platform."""


class Answer(NamedTuple):
    """An HTTP answer."""

    status: int
    text: str
    size: int
    start: str
    """How the body begins, without the secrets that were sent."""

    @property
    def is_success(self) -> bool:
        return 200 <= self.status < 300

    @property
    def shown(self) -> str:
        """The status and how the body begins."""
        return f"HTTP {self.status}" + (f": {self.start}" if self.start else "")


class Unanswered(NamedTuple):
    """There was no answer."""

    shown: str


class Dispatched(Protocol):
    """An agent, however it is run."""

    def dispatch(self, run: LocalRun, body: Mapping[str, Any]) -> Answer | Unanswered:
        """Have it work on a task."""


@dataclass(frozen=True, kw_only=True)
class Target:
    """Where the agent is and how it is told that we may call."""

    url: str
    auth_header: str = "Authorization"
    auth_value: str | None = field(default=None, repr=False)
    """As it is sent, with its `Bearer`; None for an agent that lets everybody in."""
    timeout_s: float = 300

    def post(
        self, body: bytes | Mapping[str, Any] | list[Any], headers: Mapping[str, str] | None = None
    ) -> Answer | Unanswered:
        """Send with the right header."""
        own = {} if self.auth_value is None else {self.auth_header: self.auth_value}
        return self._send(body, {**(headers or {}), **own})

    def dispatch(self, run: LocalRun, body: Mapping[str, Any]) -> Answer | Unanswered:
        """Send a dispatch as the platform does."""
        return self.post(body, dispatch_headers(run))

    def post_as_stranger(self, body: Mapping[str, Any], *, with_wrong_token: bool) -> Answer | Unanswered:
        """Send without the header, or with a wrong value of the same form."""
        scheme = "Bearer " if (self.auth_value or "Bearer ").startswith("Bearer ") else ""
        wrong = {self.auth_header: f"{scheme}wrong-{secrets.token_hex(8)}"} if with_wrong_token else {}
        return self._send(body, wrong)

    def _send(
        self, body: bytes | Mapping[str, Any] | list[Any], headers: Mapping[str, str]
    ) -> Answer | Unanswered:
        content = body if isinstance(body, bytes) else json.dumps(body, ensure_ascii=False).encode()
        try:
            answer = httpx.post(
                self.url,
                content=content,
                headers={"Content-Type": "application/json", **headers},
                timeout=httpx.Timeout(self.timeout_s, connect=10),
                trust_env=not is_loopback(httpx.URL(self.url).host),
                verify=_certificates(),
            )
        except httpx.ConnectError as error:
            return Unanswered(f"no connection: {str(error).rstrip('.') or 'refused'}")
        except httpx.TimeoutException:
            return Unanswered(f"no answer within {self.timeout_s:g} s")
        except httpx.TransportError:
            return Unanswered("the connection broke off without an answer")
        return Answer(answer.status_code, answer.text, len(answer.content), self._start(answer.text, headers))

    def _start(self, text: str, headers: Mapping[str, str]) -> str:
        sent = (self.auth_value, headers.get("X-Pipelines-Run-Token"))
        for secret in filter(None, sent):
            text = text.replace(secret.removeprefix("Bearer "), "****")
        return " ".join(text.split())[:160]


@cache
def _certificates() -> ssl.SSLContext:
    """Those of the system; to read them takes longer than most agents take to answer."""
    return httpx.create_ssl_context()


def is_loopback(host: str) -> bool:
    try:
        return ipaddress.ip_address(host).is_loopback
    except ValueError:
        return host == "localhost"


def dispatch_body(
    run: LocalRun,
    instruction: str,
    *,
    task_input: Mapping[str, Any] | None = None,
    session: Mapping[str, Any] | None = None,
    system_injection: str | None = None,
) -> dict[str, Any]:
    """Build the body of a dispatch; what a run does not have is no member at all."""
    task: dict[str, Any] = {
        "task_id": TASK_ID,
        "user_instruction": instruction,
        "input": dict(task_input or {}),
    }
    if system_injection is not None:
        task["system_injection"] = system_injection
    body = {
        "task_id": TASK_ID,
        "run_id": run.run_id,
        "agent_id": AGENT_ID,
        "input": task,
        "odyssey_proxy_url": run.url,
        "run_token_jti": run.jti,
    }
    return body if session is None else {**body, "session": session}


def dispatch_headers(run: LocalRun) -> dict[str, str]:
    return {
        "X-Pipelines-Run-Token": run.token,
        "X-Pipelines-Odyssey-Proxy-Url": run.url,
        "X-Pipelines-Run-Id": str(run.run_id),
        "X-Pipelines-Task-Id": str(TASK_ID),
        "X-Pipelines-Run-Token-Jti": run.jti,
        "X-Pipelines-Attempt": "1",
    }

"""What goes to the agent: one POST per dispatch, its body and its headers."""

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any

import msgspec

PING_BODY = b'{"ping": true}'


@dataclass(frozen=True, slots=True)
class Dispatch:
    """One attempt at one run, with everything its agent is told. Secrets stay out of its repr."""

    task_id: int
    run_id: int
    agent_id: int
    attempt: int
    user_instruction: str
    input: dict[str, Any]
    """The row's current state; it travels as `input.input`."""
    odyssey_proxy_url: str
    run_token: str = field(repr=False)
    run_token_jti: str
    endpoint_url: str
    auth_header: tuple[str, str] | None = field(repr=False)
    """Name and value the agent's owner registered."""
    run_timeout_s: float
    org_secrets: tuple[str, ...] = field(default=(), repr=False)
    """What the org keeps sealed beside these two, and no reply may show."""
    answers_pings: bool = False
    """Whether the endpoint has answered a ping lately: then it is there, and what breaks off is its own doing."""
    session: dict[str, Any] | None = None
    """The turn of a conversation; a single-shot body has no such member at all."""
    response_contract_guard: bool = False
    """Whether a reply without a gradeable transcript fails the run."""
    system_injection: str | None = None
    """A text for the system prompt; it travels as `input.system_injection`, without it there is no such member."""


def body(dispatch: Dispatch) -> bytes:
    """The JSON an agent reads; the run token is never part of it."""
    members: dict[str, Any] = {
        "task_id": dispatch.task_id,
        "run_id": dispatch.run_id,
        "agent_id": dispatch.agent_id,
        "input": {
            "task_id": dispatch.task_id,
            "user_instruction": dispatch.user_instruction,
            "input": dispatch.input,
        },
        "odyssey_proxy_url": dispatch.odyssey_proxy_url,
        "run_token_jti": dispatch.run_token_jti,
    }
    if dispatch.system_injection is not None:
        members["input"]["system_injection"] = dispatch.system_injection
    if dispatch.session is not None:
        members["session"] = dispatch.session
    return msgspec.json.encode(members)


def headers(dispatch: Dispatch) -> dict[str, str]:
    """The documented headers, and the customer's own unless it would replace one of them."""
    own = {
        "Content-Type": "application/json",
        "X-Pipelines-Run-Token": dispatch.run_token,
        "X-Pipelines-Odyssey-Proxy-Url": dispatch.odyssey_proxy_url,
        "X-Pipelines-Run-Id": str(dispatch.run_id),
        "X-Pipelines-Task-Id": str(dispatch.task_id),
        "X-Pipelines-Run-Token-Jti": dispatch.run_token_jti,
        "X-Pipelines-Attempt": str(dispatch.attempt),
    }
    return own | customer_header(dispatch.auth_header, taken=own)


def header_names(dispatch: Dispatch) -> list[str]:
    """The names a trace may show; the values are nobody's business."""
    return list(headers(dispatch))


def ping_headers(auth_header: tuple[str, str] | None) -> dict[str, str]:
    own = {"Content-Type": "application/json"}
    return own | customer_header(auth_header, taken=own)


def customer_header(auth_header: tuple[str, str] | None, *, taken: Mapping[str, str]) -> dict[str, str]:
    if auth_header is None:
        return {}
    name, value = auth_header
    return {} if name.lower() in {own.lower() for own in taken} else {name: value}

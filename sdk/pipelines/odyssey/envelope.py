"""One dispatch as an agent sees it: the task, and the way to the tools of its run."""

import json
import os
from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any

from pipelines.odyssey.errors import EnvelopeError

_VARIABLES = {
    "proxy_url": "PIPELINES_ODYSSEY_PROXY_URL",
    "run_token": "PIPELINES_RUN_TOKEN",
    "run_token_jti": "PIPELINES_RUN_TOKEN_JTI",
    "run_id": "PIPELINES_RUN_ID",
    "task_id": "PIPELINES_TASK_ID",
    "task_input": "_PIPELINES_TASK_INPUT_JSON",
}


@dataclass(frozen=True, kw_only=True)
class Session:
    """Where a turn stands in a conversation of several dispatches."""

    id: str
    turn: int
    max_turns: int
    memory_mode: str
    """`replay`: the history is sent along; `stateful`: the agent remembers by itself."""
    history: tuple[Mapping[str, Any], ...] = ()
    """Earlier messages `{role, content}`, empty when the agent is stateful."""


@dataclass(frozen=True, kw_only=True)
class Envelope:
    proxy_url: str
    """Base address of this run's proxy."""
    run_token: str = field(repr=False)
    """The secret that names the run; good for its proxy only."""
    user_instruction: str = ""
    """The prompt."""
    task_input: Mapping[str, Any] = field(default_factory=dict)
    """The data of the task, `input.input` of the dispatch."""
    task_id: int | None = None
    run_id: int | None = None
    agent_id: int | None = None
    run_token_jti: str | None = None
    """Names the token in logs without being it."""
    attempt: int | None = None
    session: Session | None = None
    system_injection: str | None = None
    """Text to stand in the system prompt of this run; see `with_system_injection`."""

    @classmethod
    def from_dispatch(cls, body: Mapping[str, Any], headers: Mapping[str, str]) -> "Envelope":
        """Read a dispatch: from the body where it says so, else from the headers."""
        lowered = {name.lower(): value for name, value in headers.items()}
        task = _object(body.get("input"), "input")
        proxy_url = body.get("odyssey_proxy_url") or lowered.get("x-pipelines-odyssey-proxy-url")
        if not isinstance(proxy_url, str) or not proxy_url:
            raise EnvelopeError(
                "The dispatch names no proxy: neither the member odyssey_proxy_url nor the header "
                "X-Pipelines-Odyssey-Proxy-Url is there."
            )
        token = lowered.get("x-pipelines-run-token")
        if not token:
            raise EnvelopeError("The dispatch has no run token: the header X-Pipelines-Run-Token is missing.")
        return cls(
            proxy_url=proxy_url,
            run_token=token,
            user_instruction=_text(task.get("user_instruction"), "input.user_instruction") or "",
            task_input=_object(task.get("input"), "input.input"),
            task_id=_number(body.get("task_id", lowered.get("x-pipelines-task-id")), "task_id"),
            run_id=_number(body.get("run_id", lowered.get("x-pipelines-run-id")), "run_id"),
            agent_id=_number(body.get("agent_id"), "agent_id"),
            run_token_jti=_text(
                body.get("run_token_jti") or lowered.get("x-pipelines-run-token-jti"), "run_token_jti"
            ),
            attempt=_number(lowered.get("x-pipelines-attempt"), "X-Pipelines-Attempt"),
            session=_session(body.get("session")),
            system_injection=_text(task.get("system_injection"), "input.system_injection"),
        )

    @classmethod
    def from_env(cls, environ: Mapping[str, str] | None = None) -> "Envelope":
        """Read the variables of code mode."""
        given = {
            name: (os.environ if environ is None else environ).get(variable)
            for name, variable in _VARIABLES.items()
        }
        for name in ("proxy_url", "run_token"):
            if not given[name]:
                raise EnvelopeError(
                    f"The variable {_VARIABLES[name]} is not set: this is not a run of code mode."
                )
        try:
            task = _object(json.loads(given["task_input"] or "{}"), _VARIABLES["task_input"])
        except ValueError:
            raise EnvelopeError(f"The variable {_VARIABLES['task_input']} holds no JSON.") from None
        return cls(
            proxy_url=given["proxy_url"] or "",
            run_token=given["run_token"] or "",
            user_instruction=_text(task.get("user_instruction"), "user_instruction") or "",
            task_input=_object(task.get("input"), "input"),
            task_id=_number(given["task_id"] or task.get("task_id"), _VARIABLES["task_id"]),
            run_id=_number(given["run_id"], _VARIABLES["run_id"]),
            run_token_jti=given["run_token_jti"],
            session=_session(task.get("session")),
            system_injection=_text(task.get("system_injection"), "system_injection"),
        )


def _session(value: Any) -> Session | None:
    if value is None:
        return None
    session = _object(value, "session")
    history = session.get("history") or ()
    if not isinstance(history, list | tuple) or not all(isinstance(item, Mapping) for item in history):
        raise EnvelopeError("The member session.history of the dispatch is not a list of messages.")
    return Session(
        id=str(session.get("id", "")),
        turn=_number(session.get("turn"), "session.turn") or 1,
        max_turns=_number(session.get("max_turns"), "session.max_turns") or 1,
        memory_mode=_text(session.get("memory_mode"), "session.memory_mode") or "replay",
        history=tuple(history),
    )


def _object(value: Any, place: str) -> Mapping[str, Any]:
    if value is None:
        return {}
    if not isinstance(value, Mapping):
        raise EnvelopeError(f"{place} is not a JSON object.")
    return value


def _text(value: Any, place: str) -> str | None:
    if value is None or isinstance(value, str):
        return value
    raise EnvelopeError(f"{place} is not a text.")


def _number(value: Any, place: str) -> int | None:
    if value is None or value == "":
        return None
    if isinstance(value, str) and value.isascii() and value.isdigit():
        return int(value)
    if isinstance(value, int) and not isinstance(value, bool):
        return value
    raise EnvelopeError(f"{place} is not a whole number.")

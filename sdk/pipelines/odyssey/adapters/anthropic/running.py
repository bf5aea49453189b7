"""A whole dispatch on the Anthropic SDK: prompt, tools, loop and reply."""

import inspect
import time
from collections.abc import Iterable
from contextlib import suppress
from typing import Any

from pipelines.odyssey.adapters.anthropic.answering import called, called_async, together
from pipelines.odyssey.adapters.anthropic.conversation import (
    Ask,
    Call,
    Final,
    Post,
    Speaker,
    Steps,
    conversation,
    with_injection,
)
from pipelines.odyssey.adapters.anthropic.describing import ENTRY_NAME, dump_tools_schema
from pipelines.odyssey.adapters.anthropic.sub_agent import System, sub_agents_of
from pipelines.odyssey.adapters.anthropic.transcript import transcript
from pipelines.odyssey.context import actor_path, current, set_current
from pipelines.odyssey.envelope import Envelope
from pipelines.odyssey.errors import RunEndedError
from pipelines.odyssey.reply import Reply
from pipelines.odyssey.traces import safe_trace_event, safe_trace_event_async

MAX_TURNS = 40


async def run(
    client: Any,
    *,
    model: str,
    tools: Iterable[Any],
    max_tokens: int,
    system: System | None = None,
    name: str = ENTRY_NAME,
    envelope: Envelope | None = None,
    max_turns: int = MAX_TURNS,
    **options: Any,
) -> Reply:
    """Do the task of a dispatch with an AsyncAnthropic client; every tool is answered by the proxy.

    `options` go to `messages.create` as they are: thinking, tool_choice, timeout, betas, … `name` is what the trace
    calls this agent when it has sub-agents; `max_turns` bounds how often each agent's model is asked. What was said
    before an error is raised stands in the trace.
    """
    envelope = envelope or current()
    work = _Work(envelope, model, system, list(tools), max_tokens, name, max_turns, options)
    with set_current(envelope):
        try:
            return work.reply(await _drive_async(client, work.steps))
        except RunEndedError:
            raise  # the proxy takes nothing any more
        except Exception:
            await work.speaker.kept.post_async(work.speaker.actor_id)
            raise


def run_sync(
    client: Any,
    *,
    model: str,
    tools: Iterable[Any],
    max_tokens: int,
    system: System | None = None,
    name: str = ENTRY_NAME,
    envelope: Envelope | None = None,
    max_turns: int = MAX_TURNS,
    **options: Any,
) -> Reply:
    """As `run`, with an Anthropic client, in this thread; tools of one message are called one after the other."""
    envelope = envelope or current()
    work = _Work(envelope, model, system, list(tools), max_tokens, name, max_turns, options)
    with set_current(envelope):
        try:
            return work.reply(_drive(client, work.steps))
        except RunEndedError:
            raise
        except Exception:
            work.speaker.kept.post(work.speaker.actor_id)
            raise


class _Work:
    """One run: what is said to whom, and what comes of it."""

    def __init__(
        self,
        envelope: Envelope,
        model: str,
        system: System | None,
        tools: list[Any],
        max_tokens: int,
        name: str,
        max_turns: int,
        options: dict[str, Any],
    ) -> None:
        if "stream" in options or "messages" in options:
            raise TypeError(
                "run reads whole answers to the dispatch's own messages: leave out stream and messages."
            )
        dump_tools_schema(tools)  # refuses, before the model is asked, what the proxy cannot answer
        self._started = time.monotonic()
        self._messages = _opening(envelope)
        self.speaker = Speaker(
            envelope=envelope,
            model=model,
            system=with_injection(system, envelope),
            tools=tuple(tools),
            max_tokens=max_tokens,
            max_turns=max_turns,
            options=options,
            actor_id=actor_path(None, name) if sub_agents_of(tools) else None,
        )
        self.steps = conversation(self.speaker, self._messages)

    def reply(self, final: Final) -> Reply:
        metadata = {
            "model": self.speaker.model,
            **self.speaker.tally.metadata(),
            "stop_reason": final.stop_reason,
            "agent_runtime_ms": round((time.monotonic() - self._started) * 1000),
        }
        return Reply(final.text, transcript(self.speaker.system, self._messages), metadata)


def _opening(envelope: Envelope) -> list[dict[str, Any]]:
    session = envelope.session
    earlier = session.history if session is not None and session.memory_mode == "replay" else ()
    told = [{"role": each["role"], "content": each["content"]} for each in earlier if each.get("content")]
    return [*told, {"role": "user", "content": envelope.user_instruction}]


def _drive(client: Any, steps: Steps) -> Any:
    outcome: Any = None
    while True:
        try:
            step = steps.send(outcome)
        except StopIteration as done:
            return done.value
        if isinstance(step, Ask):
            outcome = _create(client, step)
            if inspect.isawaitable(outcome):
                with suppress(AttributeError):
                    outcome.close()  # type: ignore[attr-defined]
                raise TypeError("run_sync takes an Anthropic client; with AsyncAnthropic, await run(…).")
        elif isinstance(step, Call):
            outcome = called(step.use, step.actor_id)
        elif isinstance(step, Post):
            outcome = safe_trace_event(step.event_type, step.payload, actor_id=step.actor_id)
        else:
            outcome = [_drive(client, branch) for branch in step.branches]


async def _drive_async(client: Any, steps: Steps) -> Any:
    outcome: Any = None
    while True:
        try:
            step = steps.send(outcome)
        except StopIteration as done:
            return done.value
        if isinstance(step, Ask):
            asked = _create(client, step)
            if not inspect.isawaitable(asked):
                raise TypeError("run takes an AsyncAnthropic client; with Anthropic, call run_sync(…).")
            outcome = await asked
        elif isinstance(step, Call):
            outcome = await called_async(step.use, step.actor_id)
        elif isinstance(step, Post):
            outcome = await safe_trace_event_async(step.event_type, step.payload, actor_id=step.actor_id)
        else:
            outcome = await together([_drive_async(client, branch) for branch in step.branches])


def _create(client: Any, step: Ask) -> Any:
    """Ask by the API that knows the options: `betas` are of the beta one."""
    api = client.beta if "betas" in step.params else client
    return api.messages.create(**step.params)

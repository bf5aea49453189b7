"""A dispatch run by the framework: the three lines of a port."""

import asyncio
import contextvars
import time
from concurrent.futures import ThreadPoolExecutor
from typing import Any

from agents import RunHooks, Runner, RunResult, TResponseInputItem

from pipelines.odyssey.adapters.openai_agents.copying import Copies
from pipelines.odyssey.adapters.openai_agents.scope import Scope, entered
from pipelines.odyssey.adapters.openai_agents.transcript import final_text, messages_of, metadata_of
from pipelines.odyssey.adapters.openai_agents.tree import AnyAgent, is_made_of_several
from pipelines.odyssey.adapters.openai_agents.watching import Watching
from pipelines.odyssey.context import acting_as, current, current_actor, set_current
from pipelines.odyssey.envelope import Envelope
from pipelines.odyssey.errors import ToolError
from pipelines.odyssey.reply import Reply
from pipelines.odyssey.traces import safe_trace_event_async


async def run(
    agent: AnyAgent,
    envelope: Envelope | None = None,
    *,
    hooks: RunHooks[Any] | None = None,
    **options: Any,
) -> Reply:
    """Run an agent on a dispatch with its tools behind the proxy, and return what to answer.

    `options` are those of `Runner.run`; `input` is made from the dispatch unless it is one of them. An error of the
    framework (a guardrail, too many turns) is raised; what was said until then stands in the trace.
    """
    envelope = envelope or current()
    labelled = is_made_of_several(agent)
    scope = Scope(current_actor(), agent.name, labelled=labelled)
    mine = Copies(labelled=labelled, envelope=envelope).agent(agent)
    given = options.pop("input", None) or _input(envelope)
    began = time.monotonic()
    with set_current(envelope), entered(scope), acting_as(scope.path):
        try:
            result = await Runner.run(mine, given, hooks=Watching(scope, hooks), **options)
            _check_ended(result)
        except Exception as error:
            if scope.ending.error is not None:
                raise scope.ending.error from None
            await scope.kept.post_async(scope.beginning().path)
            text = f"The agent ended with {type(error).__name__}: {error}".replace(envelope.run_token, "****")
            await safe_trace_event_async("custom", {"text": text}, actor_id=scope.path)
            raise
    metadata = metadata_of(result, options.get("run_config"))
    metadata["agent_runtime_ms"] = round((time.monotonic() - began) * 1000)
    return Reply(final_text(result.final_output), messages_of(result, given, scope), metadata)


def run_sync(agent: AnyAgent, envelope: Envelope | None = None, **options: Any) -> Reply:
    """As `run`, for code that is not async; also where an event loop is running in this thread, as in a notebook."""
    envelope = envelope or current()
    context = contextvars.copy_context()

    def on_fresh_thread() -> Reply:
        return asyncio.run(run(agent, envelope, **options))

    with ThreadPoolExecutor(1, thread_name_prefix="odyssey-run") as thread:
        return thread.submit(context.run, on_fresh_thread).result()


def _input(envelope: Envelope) -> str | list[TResponseInputItem]:
    session = envelope.session
    if session is None or session.memory_mode != "replay" or not session.history:
        return envelope.user_instruction
    told: list[Any] = [{"role": each["role"], "content": each["content"]} for each in session.history]
    return [*told, {"role": "user", "content": envelope.user_instruction}]


def _check_ended(result: RunResult) -> None:
    if result.interruptions:
        name = result.interruptions[0].tool_name
        raise ToolError(
            f"The tool {name!r} waits for an approval that nobody gives in a run; decide it in code "
            "(needs_approval=False, or a function) or run the agent with your own loop over proxied(agent)."
        )

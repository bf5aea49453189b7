"""A Strands agent or team on one run: through the proxy, with the run's prompt, and back with its transcript."""

import asyncio
import time
from concurrent.futures import ThreadPoolExecutor
from contextvars import copy_context
from typing import Any

from strands import Agent
from strands.agent import AgentResult
from strands.hooks import MessageAddedEvent
from strands.multiagent.base import MultiAgentBase, MultiAgentResult, NodeResult, Status
from strands.multiagent.graph import GraphResult
from strands.multiagent.swarm import SwarmResult
from strands.types.content import Message
from strands.types.exceptions import EventLoopException

from pipelines.odyssey.adapters.kept_words import KeptWords
from pipelines.odyssey.adapters.strands.copies import Copies, begin_with
from pipelines.odyssey.adapters.strands.reach import Team
from pipelines.odyssey.adapters.strands.telling import keep_words, prompt_with_injection
from pipelines.odyssey.adapters.strands.transcript import from_history, transcript
from pipelines.odyssey.context import current, set_current
from pipelines.odyssey.envelope import Envelope
from pipelines.odyssey.errors import ReplyError, RunEndedError
from pipelines.odyssey.reply import Reply

Result = AgentResult | MultiAgentResult


async def run(agent: Team, envelope: Envelope | None = None, **options: Any) -> Reply:
    """Do the task of a run with a copy of the agent, and return the reply with transcript, tokens and model.

    `options` go to `invoke_async`. What the framework raises is raised; a team that failed raises what failed it.
    What was said until then stands in the trace.
    """
    envelope = envelope or current()
    with set_current(envelope):
        started = time.monotonic()
        copies = Copies()
        team = copies.of(agent)
        for copied in copies.agents:
            prompt_with_injection(copied.agent, copied.actor_id, envelope)
            if copied.is_entry and envelope.session is not None and envelope.session.memory_mode == "replay":
                begin_with(team, copied, from_history(envelope.session.history))
        heard = _listen(team, copies)
        # The nodes of a team tell the trace as they speak.
        kept = keep_words(team) if isinstance(team, Agent) else KeptWords()
        try:
            result = await _result(team, copies, envelope, options)
            answer = final_text(result)
        except RunEndedError:
            raise  # the proxy takes nothing any more
        except Exception:
            await kept.post_async(copies.agents[0].actor_id)
            raise
        if isinstance(team, MultiAgentBase):
            heard.insert(0, {"role": "user", "content": [{"text": envelope.user_instruction}]})
        first = next(copied.agent for copied in copies.agents if copied.is_entry)
        metadata = _metadata(first, [copied.agent for copied in copies.agents], result)
        return Reply(
            answer,
            transcript(first.system_prompt, heard),
            {**metadata, "agent_runtime_ms": round((time.monotonic() - started) * 1000)},
        )


def run_sync(agent: Team, envelope: Envelope | None = None, **options: Any) -> Reply:
    """As `run`, from code that does not await; works inside a running event loop too."""
    context = copy_context()
    with ThreadPoolExecutor(max_workers=1) as worker:
        return worker.submit(lambda: context.run(asyncio.run, run(agent, envelope, **options))).result()


def reply_of(result: Result, agent: Agent | None = None) -> Reply:
    """Make a reply of what a loop of your own ended with; with the agent, its whole conversation is in it."""
    if agent is not None:
        messages, model = transcript(agent.system_prompt, agent.messages), _model(agent)
    else:
        messages = transcript(None, [answer.message for answer in _answers(result)])
        model = None
    usage = (
        result.accumulated_usage if isinstance(result, MultiAgentResult) else result.metrics.accumulated_usage
    )
    metadata = {
        "model": model,
        "total_input_tokens": usage["inputTokens"],
        "total_output_tokens": usage["outputTokens"],
        "stop_reason": _stop_reason(result),
    }
    return Reply(
        final_text(result), messages, {name: value for name, value in metadata.items() if value is not None}
    )


def final_text(result: Result) -> str:
    """Return the answer, or raise why there is none."""
    if result.interrupts:
        names = ", ".join(repr(interrupt.name) for interrupt in result.interrupts)
        raise ReplyError(f"The agent waits for a person to answer {names}; a run has nobody to do so.")
    if isinstance(result, AgentResult):
        text = str(result).strip() if result.message["role"] == "assistant" else ""
        if not text:
            raise ReplyError(f"The agent stopped with {result.stop_reason!r} before it gave an answer.")
        return text
    _raise_failure(result)
    return "\n\n".join(
        final_text(node.result) for node in _last(result) if not isinstance(node.result, Exception)
    )


async def _result(team: Team, copies: Copies, envelope: Envelope, options: dict[str, Any]) -> Result:
    """Run the team, and raise the end of the run for whatever the framework made of it."""
    try:
        result = await team.invoke_async(envelope.user_instruction, **options)
    except (EventLoopException, RunEndedError):
        if envelope.run_token in copies.ended:
            raise copies.ended[envelope.run_token] from None
        raise
    if envelope.run_token in copies.ended:
        raise copies.ended[envelope.run_token]
    return result


def _listen(team: Team, copies: Copies) -> list[Message]:
    """Collect the conversation: of an agent with sub-agents its own, of a team that of all its nodes."""
    heard: list[Message] = []

    def hear(event: MessageAddedEvent) -> None:
        said_by_team = isinstance(team, MultiAgentBase) and event.message["role"] == "user"
        # What a team tells its nodes is neither the user's word nor a tool's, and only tools' words are kept.
        if not said_by_team or any("toolResult" in block for block in event.message["content"]):
            heard.append(event.message)

    for copied in copies.agents:
        if copied.speaks:
            copied.agent.add_hook(hear, MessageAddedEvent)
    return heard


def _metadata(first: Agent, agents: list[Agent], result: Result) -> dict[str, Any]:
    # Every copy is used in this run only; a team's own sum counts a node again each time it returns.
    usages = [agent.event_loop_metrics.accumulated_usage for agent in agents]
    metadata = {
        "model": _model(first),
        "total_input_tokens": sum(usage["inputTokens"] for usage in usages),
        "total_output_tokens": sum(usage["outputTokens"] for usage in usages),
        "stop_reason": _stop_reason(result),
    }
    return {name: value for name, value in metadata.items() if value is not None}


def _model(agent: Agent) -> str | None:
    config = agent.model.get_config()
    found = config.get("model_id") if isinstance(config, dict) else getattr(config, "model_id", None)
    return None if found is None else str(found)


def _stop_reason(result: Result) -> str | None:
    """Return why an agent stopped, unless it simply had said all."""
    if isinstance(result, MultiAgentResult) or result.stop_reason == "end_turn":
        return None
    return result.stop_reason


def _raise_failure(result: MultiAgentResult) -> None:
    if result.status == Status.COMPLETED:
        return
    for name, node in result.results.items():
        if isinstance(node.result, Exception):
            raise node.result
        if isinstance(node.result, MultiAgentResult) and node.status != Status.COMPLETED:
            _raise_failure(node.result)
        if node.status == Status.FAILED:
            raise ReplyError(f"The node {name!r} of the team was cancelled.")
    raise ReplyError(
        f"The team ended as {result.status.value} after {result.execution_count} turns, before it gave an answer: "
        "it reached its limit of turns, handoffs or time."
    )


def _last(result: MultiAgentResult) -> list[NodeResult]:
    """Return the nodes whose words are the team's: the last of a swarm, those of a graph that lead no further."""
    if isinstance(result, SwarmResult):
        names = [result.node_history[-1].node_id]
    elif isinstance(result, GraphResult):
        leading = {before.node_id for before, _ in result.edges}
        ran = [node.node_id for node in result.execution_order]
        names = [name for name in dict.fromkeys(ran) if name not in leading] or ran[-1:]
    else:
        names = list(result.results)[-1:]
    return [result.results[name] for name in names]


def _answers(result: Result) -> list[AgentResult]:
    if isinstance(result, AgentResult):
        return [result]
    return [answer for node in result.results.values() for answer in node.get_agent_results()]

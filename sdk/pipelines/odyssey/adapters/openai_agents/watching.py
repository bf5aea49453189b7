"""Hooks that tell the trace what happens as it happens, and then call the user's own."""

import json
from typing import Any

from agents import Agent, Handoff, ModelResponse, RunContextWrapper, RunHooks, Tool
from agents.run_context import AgentHookContext

from pipelines.odyssey.adapters.openai_agents.scope import Scope
from pipelines.odyssey.adapters.openai_agents.transcript import calls_in, final_text, text_in, thinking_in
from pipelines.odyssey.adapters.openai_agents.tree import AnyAgent
from pipelines.odyssey.context import acting_as
from pipelines.odyssey.traces import (
    safe_handoff_async,
    safe_subagent_final_async,
    safe_subagent_message_async,
    safe_system_prompt_async,
    safe_thinking_async,
)

Context = RunContextWrapper[Any]


class Watching(RunHooks[Any]):
    def __init__(self, scope: Scope, others: RunHooks[Any] | None = None) -> None:
        self._scope = scope
        self._others: RunHooks[Any] = others or RunHooks()

    async def on_llm_start(
        self, context: Context, agent: AnyAgent, system_prompt: str | None, input_items: list[Any]
    ) -> None:
        if system_prompt:
            self._scope.prompts.setdefault(id(agent), system_prompt)
            if self._scope.path not in self._scope.prompted:
                self._scope.prompted.add(self._scope.path)
                with acting_as(self._scope.path):
                    await safe_system_prompt_async(system_prompt)
        await self._others.on_llm_start(context, agent, system_prompt, input_items)

    async def on_llm_end(self, context: Context, agent: AnyAgent, response: ModelResponse) -> None:
        text, self._scope.calls = text_in(response.output), calls_in(response.output)
        self._scope.said_final = bool(text) and not self._scope.calls
        thoughts = thinking_in(response.output)
        if self._scope.speaks_for_itself:
            self._scope.kept.keep(thoughts, text)
        else:
            await self._tell(thoughts, text)
        await self._others.on_llm_end(context, agent, response)

    async def _tell(self, thoughts: list[str], text: str) -> None:
        """Post what a sub-agent thought and said."""
        with acting_as(self._scope.path):
            for thought in thoughts:
                await safe_thinking_async(thought)
            if text and self._scope.said_final:
                await safe_subagent_final_async(text)
            elif text:
                await safe_subagent_message_async(text)

    async def on_handoff(self, context: Context, from_agent: AnyAgent, to_agent: AnyAgent) -> None:
        before = self._scope.path or ""
        self._scope.hand_over(to_agent.name)
        reason, message = _said_at_handoff(from_agent, to_agent, self._scope.calls)
        with acting_as(before or None):
            await safe_handoff_async(before, self._scope.path or "", reason=reason, message=message)
        await self._others.on_handoff(context, from_agent, to_agent)

    async def on_agent_start(self, context: AgentHookContext[Any], agent: AnyAgent) -> None:
        await self._others.on_agent_start(context, agent)

    async def on_agent_end(self, context: AgentHookContext[Any], agent: AnyAgent, output: Any) -> None:
        # A tool's answer that is the agent's own, by tool_use_behavior, was in none of its messages.
        if not self._scope.said_final and not self._scope.speaks_for_itself:
            await safe_subagent_final_async(final_text(output), actor_id=self._scope.path)
        await self._others.on_agent_end(context, agent, output)

    async def on_tool_start(self, context: Context, agent: AnyAgent, tool: Tool) -> None:
        await self._others.on_tool_start(context, agent, tool)

    async def on_tool_end(self, context: Context, agent: AnyAgent, tool: Tool, result: object) -> None:
        await self._others.on_tool_end(context, agent, tool, result)


def _said_at_handoff(
    from_agent: AnyAgent, to_agent: AnyAgent, calls: list[Any]
) -> tuple[str | None, str | None]:
    """Return the reason and the message that the model gave with its call of the handoff."""
    names = {
        Handoff.default_tool_name(each) if isinstance(each, Agent) else each.tool_name
        for each in from_agent.handoffs
        if (each.name if isinstance(each, Agent) else each.agent_name) == to_agent.name
    }
    call = next((call for call in calls if call.name in names), None)
    try:
        given = json.loads(call.arguments or "{}") if call is not None else {}
    except ValueError:
        given = {}
    if not isinstance(given, dict) or not given:
        return None, None
    reason, message = given.pop("reason", None), given.pop("message", None)
    rest = json.dumps(given, ensure_ascii=False) if given else None
    return _text(reason), _text(message) or rest


def _text(value: Any) -> str | None:
    return value if isinstance(value, str) and value else None

"""The same agents with the proxy under their tools: copies, so that the originals stay what they are."""

import copy
import inspect
import weakref
from collections.abc import Callable
from typing import Any, TypeVar, cast

from agents import Agent, FunctionTool, Handoff, RunContextWrapper

from pipelines.odyssey.adapters.openai_agents.nested import nested_tool
from pipelines.odyssey.adapters.openai_agents.proxied_tool import proxied_tool
from pipelines.odyssey.adapters.openai_agents.tree import (
    AnyAgent,
    check,
    check_sandbox,
    inner_agent,
    is_made_of_several,
    target_of,
)
from pipelines.odyssey.context import current_or_none
from pipelines.odyssey.envelope import Envelope
from pipelines.odyssey.errors import UnproxiableToolError
from pipelines.odyssey.injection import injected

AgentOrTools = TypeVar("AgentOrTools", bound=AnyAgent | list[Any])
Instructions = str | Callable[[RunContextWrapper[Any], AnyAgent], Any] | None


def proxied(agent_or_tools: AgentOrTools) -> AgentOrTools:
    """Return a copy whose function tools are answered by the run's proxy; of an agent, with all it can reach."""
    if isinstance(agent_or_tools, Agent):
        return cast(AgentOrTools, Copies(labelled=is_made_of_several(agent_or_tools)).agent(agent_or_tools))
    copies = Copies(labelled=False)
    return cast(AgentOrTools, [copies.tool(tool) for tool in agent_or_tools])


class Copies:
    """Copies a web of agents, in which each may lead back to any other; every agent is copied once."""

    def __init__(self, *, labelled: bool, envelope: Envelope | None = None) -> None:
        self._labelled = labelled
        self._envelope = envelope
        """Given, its injection goes into every system prompt."""
        self._made: dict[int, AnyAgent] = {}
        self._originals: list[AnyAgent] = []  # alive as long as their ids are keys

    def agent(self, original: AnyAgent) -> AnyAgent:
        made = self._made.get(id(original))
        if made is not None:
            return made
        check_sandbox(original)
        for server in original.mcp_servers:
            _check_server(original, server, self._envelope or current_or_none())
        made = copy.copy(original)
        self._originals.append(original)
        self._made[id(original)] = self._made[id(made)] = made
        if self._envelope is not None and self._envelope.system_injection is not None:
            made.instructions = _with_injection(original.instructions, self._envelope)
        made.tools = [self.tool(tool) for tool in original.tools]
        made.handoffs = [
            self.agent(each) if isinstance(each, Agent) else self._handoff(each) for each in original.handoffs
        ]
        return made

    def tool(self, original: Any) -> Any:
        check(original)
        inner = inner_agent(original)
        if inner is not None:
            return nested_tool(original, self.agent(inner))
        return (
            proxied_tool(original, labelled=self._labelled)
            if isinstance(original, FunctionTool)
            else original
        )

    def _handoff(self, original: Handoff[Any, Any]) -> Handoff[Any, Any]:
        made = copy.copy(original)

        async def invoke(context: RunContextWrapper[Any], input_json: str) -> AnyAgent:
            return self.agent(await original.on_invoke_handoff(context, input_json))

        made.on_invoke_handoff = invoke
        target = target_of(original)
        if target is not None:
            made._agent_ref = weakref.ref(self.agent(target))
        return made


def _with_injection(instructions: Any, envelope: Envelope) -> Callable[[Any, AnyAgent], Any]:
    async def prompt(context: RunContextWrapper[Any], agent: AnyAgent) -> str:
        text = instructions(context, agent) if callable(instructions) else instructions
        return injected((await text if inspect.isawaitable(text) else text) or "", envelope)

    return prompt


def _check_server(agent: AnyAgent, server: Any, envelope: Envelope | None) -> None:
    """Let only an MCP server of this run be used: any other would be called past the proxy."""
    params = getattr(server, "params", None)
    started = " ".join([str(getattr(params, "command", "")), *(getattr(params, "args", None) or ())])
    address = str(params.get("url", "")) if isinstance(params, dict) else ""
    of_run = envelope is not None and address.startswith(f"{envelope.proxy_url.rstrip('/')}/")
    if of_run or "mcp-shim" in started or "mcp_shim" in started:
        return
    raise UnproxiableToolError(
        server.name,
        f"{agent.name!r} would call this MCP server past the proxy. In a run give the agent the run's own: "
        "`pipelines-mcp-shim`, or the address {proxy_url}/mcp with the run token as bearer.",
    )

"""Who and what is reachable from an agent: by handoffs, by agents used as tools, and by its own tools."""

from collections.abc import Iterator
from typing import Any

from agents import Agent, FunctionTool, Handoff, ProgrammaticToolCallingTool, ToolSearchTool
from agents.tool import ComputerTool, CustomTool, LocalShellTool, ShellTool

from pipelines.odyssey.errors import UnproxiableToolError

AnyAgent = Agent[Any]

_LOCAL = (ComputerTool, CustomTool, LocalShellTool, ShellTool)
# These help the model to find and combine function tools, whose calls come back here all the same.
_HELPERS = (ToolSearchTool, ProgrammaticToolCallingTool)


def agents_of(agent: AnyAgent) -> list[AnyAgent]:
    """List the agent and all that it can reach, each once, nearest first."""
    found = [agent]
    seen = {id(agent)}
    for each in found:  # grows while it is read
        for other in neighbours(each):
            if id(other) not in seen:
                seen.add(id(other))
                found.append(other)
    return found


def neighbours(agent: AnyAgent) -> Iterator[AnyAgent]:
    """Yield the agents this one hands over to, then those it uses as tools."""
    for handoff in agent.handoffs:
        target = handoff if isinstance(handoff, Agent) else target_of(handoff)
        if target is not None:
            yield target
    for tool in agent.tools:
        inner = inner_agent(tool)
        if inner is not None:
            yield inner


def target_of(handoff: Handoff[Any, Any]) -> AnyAgent | None:
    """Return the agent of a handoff; None when it is chosen only as the handoff is made."""
    reference = handoff._agent_ref
    target = None if reference is None else reference()
    return target if isinstance(target, Agent) else None


def inner_agent(tool: object) -> AnyAgent | None:
    """Return the agent behind `agent.as_tool()`; None for any other tool."""
    inner = getattr(tool, "_agent_instance", None)
    return inner if isinstance(inner, Agent) else None


def is_made_of_several(agent: AnyAgent) -> bool:
    chosen_later = any(isinstance(each, Handoff) and target_of(each) is None for each in agent.handoffs)
    return chosen_later or any(other is not agent for other in neighbours(agent))


def check_sandbox(agent: AnyAgent) -> None:
    """Refuse an agent that gets a sandbox's tools from the framework when it runs."""
    for capability in getattr(agent, "capabilities", ()):
        raise UnproxiableToolError(
            str(getattr(capability, "type", type(capability).__name__)),
            f"the framework gives the tools of this capability to {agent.name!r} as it runs, and they act in a "
            "sandbox of its own. Test the agent with capabilities=[], or offer it function tools for the same work.",
        )


def function_tools(tools: list[Any]) -> list[FunctionTool]:
    """Return the tools that the proxy answers; refuses those that it cannot."""
    for tool in tools:
        check(tool)
    return [tool for tool in tools if isinstance(tool, FunctionTool) and inner_agent(tool) is None]


def check(tool: object) -> None:
    """Refuse a tool that acts where the proxy cannot stand in for it."""
    if isinstance(tool, (FunctionTool, *_HELPERS)):
        return
    name = str(getattr(tool, "name", type(tool).__name__))
    if isinstance(tool, _LOCAL) or hasattr(tool, "editor"):
        why = "it acts on this machine without JSON arguments. Offer the agent a function tool for the same work."
    else:
        why = (
            "it runs at the model's provider, so nobody here sees its calls. Offer the agent a function tool "
            "for the same work, or leave the tool out of the agent that is tested."
        )
    raise UnproxiableToolError(name, why)

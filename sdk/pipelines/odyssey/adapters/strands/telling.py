"""What the agents of a team tell the trace while they work: their words, their thoughts, and who hands over to whom."""

from strands import Agent
from strands.hooks import (
    BeforeModelCallEvent,
    BeforeNodeCallEvent,
    BeforeToolCallEvent,
    HookOrder,
    MessageAddedEvent,
)
from strands.multiagent.graph import Graph
from strands.multiagent.swarm import Swarm
from strands.types.content import Message

from pipelines.odyssey.adapters.kept_words import KeptWords
from pipelines.odyssey.adapters.strands.bodies import Ended
from pipelines.odyssey.adapters.strands.reach import AgentAsTool
from pipelines.odyssey.adapters.strands.transcript import asks_for_tools, spoken, thoughts
from pipelines.odyssey.context import acting_as, actor_path, current_actor, current_or_none
from pipelines.odyssey.envelope import Envelope
from pipelines.odyssey.injection import injected
from pipelines.odyssey.traces import (
    safe_handoff_async,
    safe_subagent_final_async,
    safe_subagent_message_async,
    safe_system_prompt_async,
    safe_thinking_async,
)


def watch(agent: Agent, actor_id: str | None, *, is_root: bool, ended: Ended) -> None:
    """Stop the agent before it asks its model in a run that is over; post what a sub-agent says."""

    def stop_when_ended(event: BeforeModelCallEvent) -> None:
        envelope = current_or_none()
        if envelope is not None and envelope.run_token in ended:
            raise ended[envelope.run_token]

    async def hand_over(event: BeforeToolCallEvent) -> None:
        tool = event.selected_tool
        if actor_id is not None and isinstance(tool, AgentAsTool) and not event.cancel_tool:
            asked = event.tool_use["input"]
            message = asked.get("input") if isinstance(asked, dict) else None
            await safe_handoff_async(actor_id, actor_path(actor_id, tool.tool_name), message=message)

    async def speak(event: MessageAddedEvent) -> None:
        if event.message["role"] == "assistant":
            with acting_as(actor_id):
                await _post(event.message)

    agent.add_hook(stop_when_ended, BeforeModelCallEvent)
    agent.add_hook(hand_over, BeforeToolCallEvent, order=HookOrder.SDK_LAST)
    if not is_root:
        agent.add_hook(speak, MessageAddedEvent)


def prompt_with_injection(agent: Agent, actor_id: str | None, envelope: Envelope) -> None:
    """Have the agent's prompt end in the run's injection whenever its model is asked; post it the first time."""
    is_told = False

    async def prompt(event: BeforeModelCallEvent) -> None:
        nonlocal is_told
        # Here, because a hook of the user's may have written the prompt just now.
        _inject(agent, envelope)
        if agent.system_prompt and not is_told:
            is_told = True
            with acting_as(actor_id or current_actor()):
                await safe_system_prompt_async(agent.system_prompt)

    agent.add_hook(prompt, BeforeModelCallEvent, order=HookOrder.SDK_LAST)


def keep_words(agent: Agent) -> KeptWords:
    """Keep what the first agent says, for a run that fails."""
    kept = KeptWords()

    def keep(event: MessageAddedEvent) -> None:
        if event.message["role"] == "assistant":
            kept.keep(thoughts(event.message), spoken(event.message))

    agent.add_hook(keep, MessageAddedEvent)
    return kept


def _inject(agent: Agent, envelope: Envelope) -> None:
    prompt, blocks = agent.system_prompt or "", agent.system_prompt_content or []
    if not envelope.system_injection or prompt.endswith(envelope.system_injection):
        return
    if len(blocks) > 1:
        agent.system_prompt = [*blocks, {"text": envelope.system_injection}]
    else:
        agent.system_prompt = injected(prompt, envelope)


async def _post(message: Message) -> None:
    for thought in thoughts(message):
        await safe_thinking_async(thought)
    text = spoken(message)
    if text and asks_for_tools(message):
        await safe_subagent_message_async(text)
    elif text:
        await safe_subagent_final_async(text)


def tell_handoffs(team: Swarm | Graph, path: str | None) -> None:
    """Post a handoff whenever one node of a team follows upon another."""

    async def hand_over(event: BeforeNodeCallEvent) -> None:
        for before in _before(team, event):
            await safe_handoff_async(
                actor_path(path, before), actor_path(path, event.node_id), message=_message(team)
            )

    team.add_hook(hand_over, BeforeNodeCallEvent, order=HookOrder.SDK_LAST)


def _before(team: Swarm | Graph, event: BeforeNodeCallEvent) -> list[str]:
    if isinstance(team, Swarm):
        return [node.node_id for node in team.state.node_history[-1:]]
    state = event.invocation_state or {}
    return sorted(
        edge.from_node.node_id
        for edge in team.edges
        if edge.to_node.node_id == event.node_id
        and edge.from_node in team.state.completed_nodes
        and edge.should_traverse(team.state, invocation_state=state)
    )


def _message(team: Swarm | Graph) -> str | None:
    return team.state.handoff_message if isinstance(team, Swarm) else None

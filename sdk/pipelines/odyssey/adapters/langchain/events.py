"""What happens in a graph, told to the trace: prompts, hand-overs, the words and thoughts of sub-agents."""

from collections.abc import Sequence
from typing import Any
from uuid import UUID

from langchain_core.callbacks import BaseCallbackHandler
from langchain_core.messages import AIMessage, BaseMessage
from langchain_core.outputs import ChatGeneration, LLMResult

from pipelines.odyssey.adapters.kept_words import KeptWords
from pipelines.odyssey.adapters.langchain.graphs import ACTOR, Port
from pipelines.odyssey.adapters.langchain.messages import thoughts_of
from pipelines.odyssey.adapters.langchain.tools import MARK
from pipelines.odyssey.context import acting_as
from pipelines.odyssey.errors import RunEndedError, UnproxiableToolError
from pipelines.odyssey.traces import safe_handoff, safe_trace_event


class Telling(BaseCallbackHandler):
    """The callbacks of one run. A sync handler serves both: LangChain takes it off the event loop by itself."""

    raise_error = True

    def __init__(self, port: Port) -> None:
        self.port = port
        self.system_prompt: str | None = None
        """What the first agent was told, as its model saw it."""
        self.ended: Exception | None = None
        """Why the run cannot go on, whatever the graph made of it."""
        self.said: list[AIMessage] = []
        """All that the models said, in all agents."""
        self._kept = KeptWords()
        self._prompted: set[str] = set()
        self._speakers: dict[UUID, str] = {}
        self._agent_runs: set[UUID] = set()
        self._holders: dict[UUID | None, tuple[int, str, str]] = {}

    def on_chain_start(
        self,
        *_: Any,
        run_id: UUID,
        parent_run_id: UUID | None = None,
        metadata: dict[str, Any] | None = None,
        **more: Any,
    ) -> None:
        said = metadata or {}
        actor, node = said.get(ACTOR), said.get("langgraph_node")
        around = self.port.agent_nodes.get((str(actor), str(node)))
        if actor is None or around is None or more.get("name") != node or parent_run_id in self._agent_runs:
            return
        self._agent_runs.add(run_id)
        self._hand_over(parent_run_id, int(said.get("langgraph_step", 0)), around, actor)

    def on_tool_start(
        self,
        serialized: dict[str, Any] | None,
        *_: Any,
        metadata: dict[str, Any] | None = None,
        inputs: dict[str, Any] | None = None,
        **__: Any,
    ) -> None:
        said, name = metadata or {}, str((serialized or {}).get("name"))
        if MARK not in said and name not in self.port.local:
            self.ended = UnproxiableToolError(
                name,
                "it was about to run here, as it is no tool of the graph's own nodes. Give the graph a tool made by "
                "proxied([…]), or name it in local=… if it touches nothing outside the agent.",
            )
            raise self.ended
        actor = str(said.get(ACTOR))
        other = self.port.agent_tools.get((actor, name))
        if other is not None:
            texts = [value for value in (inputs or {}).values() if isinstance(value, str)]
            with acting_as(actor):
                safe_handoff(actor, other, message="\n".join(texts) or None)

    def on_tool_error(self, error: BaseException, **_: Any) -> None:
        if isinstance(error, RunEndedError):
            self.ended = error

    def on_chat_model_start(
        self,
        serialized: dict[str, Any],  # noqa: ARG002 - LangChain's signature
        messages: list[list[BaseMessage]],
        *,
        run_id: UUID,
        metadata: dict[str, Any] | None = None,
        **_: Any,
    ) -> None:
        if self.ended is not None:
            raise self.ended
        actor = str((metadata or {}).get(ACTOR, self.port.entry))
        self._speakers[run_id] = actor
        prompt = _system_prompt(messages[0])
        if not prompt or actor in self._prompted:
            return
        self._prompted.add(actor)
        if actor == self.port.entry:
            self.system_prompt = prompt
        safe_trace_event("system_prompt", {"text": prompt}, actor_id=self.port.label(actor))

    def on_llm_end(self, response: LLMResult, *, run_id: UUID, **_: Any) -> None:
        actor = self._speakers.pop(run_id, self.port.entry)
        messages = [
            generation.message
            for generation in response.generations[0]
            if isinstance(generation, ChatGeneration) and isinstance(generation.message, AIMessage)
        ]
        self.said += messages
        if actor == self.port.entry:
            for message in messages:
                self._kept.keep(thoughts_of(message), message.text)
        else:
            for message in messages:
                self._tell(message, actor)

    def tell_what_no_reply_will(self) -> None:
        """Post the words of the first agent, after a run that failed."""
        if not isinstance(self.ended, RunEndedError):  # after which the proxy takes nothing any more
            self._kept.post(self.port.label(self.port.entry))

    def _tell(self, message: AIMessage, actor: str) -> None:
        for thought in thoughts_of(message):
            safe_trace_event("thinking", {"text": thought}, actor_id=actor)
        if text := message.text.strip():
            kind = "subagent_message" if message.tool_calls else "subagent_final"
            safe_trace_event(kind, {"text": text}, actor_id=actor)

    def _hand_over(self, graph_run: UUID | None, step: int, around: str, actor: str) -> None:
        """Say who had control: the agent of the step before, for those of one step work side by side."""
        last_step, holder, before = self._holders.get(graph_run, (-1, around, around))
        giver = before if last_step == step else holder
        self._holders[graph_run] = (step, actor, giver)
        if giver != actor:
            with acting_as(giver):
                safe_handoff(giver, actor)


def _system_prompt(messages: Sequence[BaseMessage]) -> str:
    return "\n\n".join(message.text for message in messages if message.type == "system")

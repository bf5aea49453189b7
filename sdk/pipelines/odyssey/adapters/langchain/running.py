"""One run of a graph under the platform: from the envelope to the reply."""

import asyncio
import time
from collections.abc import Collection, Mapping
from typing import Any, NamedTuple

from langchain_core.messages import AIMessage, HumanMessage, SystemMessage
from langchain_core.runnables import RunnableConfig
from langchain_core.runnables.config import merge_configs

from pipelines.odyssey.adapters.langchain.events import Telling
from pipelines.odyssey.adapters.langchain.graphs import Graph, Port
from pipelines.odyssey.adapters.langchain.messages import reply_of, usage_of
from pipelines.odyssey.context import current, set_current
from pipelines.odyssey.envelope import Envelope
from pipelines.odyssey.reply import Reply


class _Prepared(NamedTuple):
    envelope: Envelope
    graph: Graph
    telling: Telling
    input: Any
    config: RunnableConfig


async def run(
    agent: Graph,
    envelope: Envelope | None = None,
    *,
    input: Any = None,
    config: RunnableConfig | None = None,
    local: Collection[str] = (),
    **options: Any,
) -> Reply:
    """Run a compiled graph with its tools answered by the proxy; the graph itself is not changed.

    Without `input` the state begins with `{"messages": [user_instruction]}`, after the history of a replayed session.
    `local` names tools that touch nothing outside the agent and keep their bodies. `config` and further options are
    those of `graph.ainvoke`. What was said before an error is raised stands in the trace.
    """
    ready = _prepared(agent, envelope, input, config, local)
    began = time.monotonic()
    with set_current(ready.envelope):
        try:
            result = await ready.graph.ainvoke(ready.input, ready.config, **options)
            return _reply(ready, result, began)
        except Exception:
            await asyncio.to_thread(ready.telling.tell_what_no_reply_will)
            raise


def run_sync(
    agent: Graph,
    envelope: Envelope | None = None,
    *,
    input: Any = None,
    config: RunnableConfig | None = None,
    local: Collection[str] = (),
    **options: Any,
) -> Reply:
    """As `run`, with `graph.invoke`."""
    ready = _prepared(agent, envelope, input, config, local)
    began = time.monotonic()
    with set_current(ready.envelope):
        try:
            result = ready.graph.invoke(ready.input, ready.config, **options)
            return _reply(ready, result, began)
        except Exception:
            ready.telling.tell_what_no_reply_will()
            raise


def _prepared(
    agent: Graph,
    envelope: Envelope | None,
    given: Any,
    config: RunnableConfig | None,
    local: Collection[str],
) -> _Prepared:
    run_of = envelope or current()
    port = Port(agent, local)
    telling = Telling(port)
    state = _state(run_of) if given is None else given
    if run_of.system_injection and port.may_hide_a_model:
        state = _with_system_message(state, run_of.system_injection)
    merged = merge_configs({"callbacks": [telling]}, config)
    if agent.checkpointer and "thread_id" not in merged.get("configurable", {}):
        # A stateful session goes on in one thread; anything else starts from nothing.
        stateful = run_of.session is not None and run_of.session.memory_mode == "stateful"
        thread = run_of.session.id if stateful and run_of.session else f"run-{run_of.run_id}-{time.time_ns()}"
        merged = merge_configs(merged, {"configurable": {"thread_id": thread}})
    return _Prepared(run_of, port.graph, telling, state, merged)


def _state(envelope: Envelope) -> dict[str, Any]:
    history = (
        envelope.session.history if envelope.session and envelope.session.memory_mode == "replay" else ()
    )
    earlier = [
        (AIMessage if said.get("role") == "assistant" else HumanMessage)(str(said.get("content") or ""))
        for said in history
    ]
    return {"messages": [*earlier, HumanMessage(envelope.user_instruction)]}


def _with_system_message(state: Any, text: str) -> Any:
    if not isinstance(state, Mapping) or not isinstance(state.get("messages"), list):
        return state
    return {**state, "messages": [SystemMessage(text), *state["messages"]]}


def _reply(ready: _Prepared, result: Any, began: float) -> Reply:
    if ready.telling.ended is not None:
        raise ready.telling.ended
    reply = reply_of(result)
    messages = reply.messages or []
    if ready.telling.system_prompt:
        system = {"role": "system", "content": ready.telling.system_prompt}
        messages = [system, *(message for message in messages if message["role"] != "system")]
    elapsed = round((time.monotonic() - began) * 1000)
    metadata = {**(reply.metadata or {}), **usage_of(ready.telling.said), "agent_runtime_ms": elapsed}
    return Reply(reply.final_response, messages or None, metadata)

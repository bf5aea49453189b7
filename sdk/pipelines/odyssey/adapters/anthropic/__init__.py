"""Agents on the Anthropic SDK: their tools described, their tools proxied, and the whole loop for who has none.

The SDK has no agent object: an agent is the `tools` array of `messages.create`, whose entries are dicts, functions
under `@beta_tool` or `@beta_async_tool`, and, for `run` alone, a SubAgent.
"""

from pipelines.odyssey.adapters.anthropic.answering import answer_tool_uses, answer_tool_uses_async
from pipelines.odyssey.adapters.anthropic.describing import (
    dump_sub_agents,
    dump_tools_schema,
    dump_tools_schema_json,
)
from pipelines.odyssey.adapters.anthropic.proxying import proxied
from pipelines.odyssey.adapters.anthropic.running import run, run_sync
from pipelines.odyssey.adapters.anthropic.sub_agent import SubAgent
from pipelines.odyssey.adapters.anthropic.transcript import reply_of

__all__ = [
    "SubAgent",
    "answer_tool_uses",
    "answer_tool_uses_async",
    "dump_sub_agents",
    "dump_tools_schema",
    "dump_tools_schema_json",
    "proxied",
    "reply_of",
    "run",
    "run_sync",
]

"""Agents of the OpenAI Agents SDK: describe them, put the proxy under their tools, and run them on a dispatch."""

from pipelines.odyssey.adapters.openai_agents.copying import proxied
from pipelines.odyssey.adapters.openai_agents.dump import (
    dump_sub_agents,
    dump_tools_schema,
    dump_tools_schema_json,
)
from pipelines.odyssey.adapters.openai_agents.running import run, run_sync
from pipelines.odyssey.adapters.openai_agents.transcript import reply_of

__all__ = [
    "dump_sub_agents",
    "dump_tools_schema",
    "dump_tools_schema_json",
    "proxied",
    "reply_of",
    "run",
    "run_sync",
]

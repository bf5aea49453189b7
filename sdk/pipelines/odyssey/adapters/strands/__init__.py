"""Agents of Strands: described for a registration, and run with every tool call going through the per-run proxy."""

from pipelines.odyssey.adapters.strands.copies import proxied
from pipelines.odyssey.adapters.strands.description import (
    dump_sub_agents,
    dump_tools_schema,
    dump_tools_schema_json,
)
from pipelines.odyssey.adapters.strands.running import reply_of, run, run_sync

__all__ = [
    "dump_sub_agents",
    "dump_tools_schema",
    "dump_tools_schema_json",
    "proxied",
    "reply_of",
    "run",
    "run_sync",
]

"""From the agent to us: the hot path, where every tool call arrives.

Follow one call: `asgi.py` and `gate.py` let it in, `call.py` leads it, `answering.py` answers it from rules and world
or by a model, `forward.py` by a live service, and `recording.py` commits what it came to before the agent
hears of it. `live_runs.py` holds the runs in memory; `mcp/` is the same over MCP.
"""

"""MCP servers behind passthrough tools: `upstream.py` is what others see, `session.py` one conversation."""

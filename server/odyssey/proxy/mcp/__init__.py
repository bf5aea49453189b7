"""A run's tools over MCP: the SDK speaks the protocol (`server.py`), `gateway.py` lets messages through to it."""

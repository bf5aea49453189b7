"""Live services behind passthrough tools.

`upstream.py` is the seam: a service is asked at most once per call. Behind it are `mcp/` and `openapi/`; `registry.py`
finds the one a tool is bound to. `discover.py` asks what a service offers, `keep.py` says what has changed since,
`cassettes/` records answers and plays them again.
"""

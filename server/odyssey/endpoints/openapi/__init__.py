"""HTTP services described by OpenAPI, behind passthrough tools.

`document.py` reads a description within bounds, `operations.py` and `tools.py` make tools of it, `request.py` writes
the request of one call. `upstream.py` is what others see.
"""

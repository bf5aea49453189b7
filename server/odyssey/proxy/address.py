"""Proxy addresses, read from the raw path: nothing is decoded, so no encoded separator can hide in a name."""

import re
from typing import Literal, NamedTuple

PREFIX = "/api/odyssey-proxy"

_ADDRESS = re.compile(r"(?:/runs/(?P<run>[^/]*))?/(?:(?P<what>tools|traces)/(?P<name>[^/]+)|mcp)")

What = Literal["tools", "traces", "mcp"]


class ProxyAddress(NamedTuple):
    run: str | None
    """The `{run}` segment as sent; None in the short form."""
    what: What
    name: str
    """The tool or the type of the trace event; the gateway of MCP clients has none."""


def read_address(path: str) -> ProxyAddress | None:
    """Read what follows the prefix; None is no address of ours."""
    found = _ADDRESS.fullmatch(path)
    if found is None:
        return None
    what: What = "tools" if found["what"] == "tools" else "traces" if found["what"] else "mcp"
    return ProxyAddress(found["run"], what, found["name"] or "")

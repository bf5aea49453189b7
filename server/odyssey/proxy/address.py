"""Proxy addresses, read from the raw path: nothing is decoded, so no encoded separator can hide in a name."""

import re
from typing import NamedTuple

PREFIX = "/api/odyssey-proxy"

_ADDRESS = re.compile(r"(?:/runs/(?P<run>[^/]*))?/(?P<what>tools)/(?P<name>[^/]+)")


class ProxyAddress(NamedTuple):
    run: str | None
    """The `{run}` segment as sent; None in the short form."""
    name: str


def read_address(path: str) -> ProxyAddress | None:
    """Read what follows the prefix; None is no address of ours."""
    found = _ADDRESS.fullmatch(path)
    return None if found is None else ProxyAddress(found["run"], found["name"])

"""The first fork of every request: tool calls go straight to the proxy, everything else to the application.

Neither sees a request that names a host this server is not.
"""

import ipaddress
from collections.abc import Iterable

from fastapi import FastAPI
from starlette.types import Receive, Scope, Send

from odyssey.api.edges import Edges, ProblemResponse
from odyssey.core.errors import BadRequestError, OdysseyError
from odyssey.proxy.asgi import Proxy
from odyssey.proxy.parts import PREFIX

# By which names this server may be addressed.
#
# A page that makes its own name resolve to this machine (DNS rebinding) gets past the browser's same-origin
# rule, but it cannot change the name the browser sends. An IP address has no name to rebind.

_MAX_REMEMBERED = 256


class HostNotAllowedError(OdysseyError):
    status, code, title = 421, "host_not_allowed", "This server is not known by that name"


class AllowedHosts:
    def __init__(self, names: Iterable[str]) -> None:
        self._names = (frozenset(names) | {"localhost"}) - {""}
        self._decisions: dict[bytes, bool] = {}

    def admits(self, scope: Scope) -> bool:
        """Say whether the one Host header is allowed; a client of HTTP/1.0, never a browser, may send none."""
        hosts = [value for name, value in scope["headers"] if name == b"host"]
        if len(hosts) != 1:
            return not hosts and scope["http_version"] == "1.0"
        decision = self._decisions.get(hosts[0])
        return self._decide(hosts[0]) if decision is None else decision

    def _decide(self, host: bytes) -> bool:
        name = _name_of(host.decode("latin-1"))
        decision = name in self._names or name.endswith(".localhost") or _is_address(name)
        if len(self._decisions) >= _MAX_REMEMBERED:
            self._decisions.clear()
        self._decisions[host] = decision
        return decision


async def refuse_host(scope: Scope, receive: Receive, send: Send) -> None:
    """Answer in the place of the application."""
    hosts = [value for name, value in scope["headers"] if name == b"host"]
    if len(hosts) != 1:
        await ProblemResponse(BadRequestError("Send exactly one Host header."))(scope, receive, send)
        return
    name = _name_of(hosts[0].decode("latin-1"))[:255]
    error = HostNotAllowedError(
        f"This server does not answer to the name {name!r}. Whoever runs it can add the name to "
        "ODYSSEY_ALLOWED_HOSTS, or set ODYSSEY_PUBLIC_URL."
    )
    await ProblemResponse(error)(scope, receive, send)


def _name_of(host: str) -> str:
    """Cut off the port and the dot that may end a name."""
    if host.startswith("["):
        return host[1:].partition("]")[0]
    return host.partition(":")[0].lower().removesuffix(".")


def _is_address(name: str) -> bool:
    try:
        ipaddress.ip_address(name)
    except ValueError:
        return False
    return True


_UNDER_PREFIX = PREFIX + "/"


class Front:
    """What is served. It stands outside the application, so that the hot path pays for nothing it does not use."""

    def __init__(self, app: FastAPI, proxy: Proxy, hosts: AllowedHosts) -> None:
        self.app = app
        self._proxy = proxy
        self._hosts = hosts
        self._refusal = Edges(refuse_host)

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        if scope["type"] != "http":
            await self.app(scope, receive, send)
        elif not self._hosts.admits(scope):
            await self._refusal(scope, receive, send)
        elif scope["path"].startswith(_UNDER_PREFIX):
            await self._proxy(scope, receive, send)
        else:
            await self.app(scope, receive, send)

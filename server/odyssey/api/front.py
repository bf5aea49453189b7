"""The first fork of every request: tool calls go straight to the proxy, everything else to the application.

Neither sees a request that names a host this server is not.
"""

from fastapi import FastAPI
from starlette.datastructures import State
from starlette.types import Receive, Scope, Send

from odyssey.api.edges import Edges
from odyssey.api.hosts import AllowedHosts, refuse_host
from odyssey.proxy.address import PREFIX
from odyssey.proxy.asgi import Proxy

_UNDER_PREFIX = PREFIX + "/"


class Front:
    """What is served. It stands outside the application, so that the hot path pays for nothing it does not use."""

    def __init__(self, app: FastAPI, proxy: Proxy, hosts: AllowedHosts) -> None:
        self.app = app
        self._proxy = proxy
        self._hosts = hosts
        self._refusal = Edges(refuse_host)

    @property
    def state(self) -> State:
        return self.app.state

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        if scope["type"] != "http":
            await self.app(scope, receive, send)
        elif not self._hosts.admits(scope):
            await self._refusal(scope, receive, send)
        elif scope["path"].startswith(_UNDER_PREFIX):
            await self._proxy(scope, receive, send)
        else:
            await self.app(scope, receive, send)

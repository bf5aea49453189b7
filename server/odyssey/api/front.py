"""The first fork of every request: tool calls go straight to the proxy, everything else to the application."""

from starlette.types import ASGIApp, Receive, Scope, Send

from odyssey.proxy.address import PREFIX
from odyssey.proxy.asgi import Proxy

_UNDER_PREFIX = PREFIX + "/"


class Front:
    """Outermost, so that the hot path pays for nothing it does not use."""

    def __init__(self, app: ASGIApp, proxy: Proxy) -> None:
        self._app = app
        self._proxy = proxy

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        if scope["type"] == "http" and scope["path"].startswith(_UNDER_PREFIX):
            await self._proxy(scope, receive, send)
        else:
            await self._app(scope, receive, send)

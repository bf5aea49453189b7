"""The least a Python hop does: Starlette takes the request, a pooled aiohttp client asks the service, and back."""

import argparse
import socket
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager

import aiohttp
import uvicorn
from starlette.applications import Starlette
from starlette.requests import Request
from starlette.responses import Response
from starlette.routing import Route


def create_hop(service: str) -> Starlette:
    @asynccontextmanager
    async def lifespan(app: Starlette) -> AsyncIterator[None]:
        async with aiohttp.ClientSession(service) as session:
            app.state.session = session
            yield

    async def forward(request: Request) -> Response:
        session: aiohttp.ClientSession = request.app.state.session
        headers = {"Content-Type": request.headers["content-type"]}
        async with session.post(request.url.path, data=await request.body(), headers=headers) as answer:
            return Response(await answer.read(), answer.status, media_type=answer.content_type)

    return Starlette(routes=[Route("/{path:path}", forward, methods=["POST"])], lifespan=lifespan)


def main() -> None:
    arguments = argparse.ArgumentParser(description=__doc__)
    arguments.add_argument("service", help="where requests are passed on to")
    options = arguments.parse_args()
    listener = socket.create_server(("127.0.0.1", 0), backlog=2048)
    config = uvicorn.Config(
        create_hop(options.service),
        loop="uvloop",
        http="httptools",
        ws="none",
        access_log=False,
        log_level="error",
        server_header=False,
    )
    print(f"listening on http://127.0.0.1:{listener.getsockname()[1]}", flush=True)
    uvicorn.Server(config).run(sockets=[listener])


if __name__ == "__main__":
    main()

"""OpenAPI documents for tests, and a server that says what it was asked."""

import asyncio
import json
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from typing import Any, NamedTuple

from aiohttp import web
from yarl import URL

from odyssey.core.addresses import AddressPolicy
from odyssey.core.outbound import OutboundClient
from odyssey.endpoints.openapi.document import ApiDocument, read_document
from odyssey.endpoints.openapi.upstream import OpenApiUpstream
from odyssey.endpoints.upstream import Answered, Forwarded, UpstreamTool


def text(paths: Mapping[str, Any], *, version: str = "3.0.3", **members: Any) -> str:
    info = {"title": "Test", "version": "1"}
    return json.dumps({"openapi": version, "info": info, "paths": paths, **members})


def read(paths: Mapping[str, Any], *, version: str = "3.0.3", **members: Any) -> ApiDocument:
    return read_document(text(paths, version=version, **members))


def operation(*parameters: Any, **members: Any) -> dict[str, Any]:
    """One operation called `do`."""
    return {"operationId": "do", "parameters": list(parameters), "responses": {}, **members}


def parameter(name: str, place: str = "query", schema: Any = None, **members: Any) -> dict[str, Any]:
    return {"name": name, "in": place, "schema": schema or {}, **members}


def body(schema: Any, media_type: str = "application/json", **members: Any) -> dict[str, Any]:
    return {"required": True, "content": {media_type: {"schema": schema}}, **members}


def answer(schema: Any, media_type: str = "application/json", status: str = "200") -> dict[str, Any]:
    return {status: {"description": "It.", "content": {media_type: {"schema": schema}}}}


def only_tool(document: ApiDocument) -> UpstreamTool:
    (tool,) = document.discovery().tools
    return tool


class Asked(NamedTuple):
    """A request as a server of the ordinary kind understands it."""

    method: str
    target: str
    segments: list[str]
    query: list[tuple[str, str]]
    headers: Mapping[str, str]
    body: bytes
    form: list[tuple[str, str, str | None]]
    """Name, text and file name of each field; the body is empty then."""


class Echo:
    """Answers every request alike, and keeps what it was asked."""

    def __init__(self, runner: asyncio.Runner) -> None:
        self._runner = runner
        self.asked: list[Asked] = []
        self.reply = (200, "application/json", b"{}")
        self.client = OutboundClient(AddressPolicy(allow_loopback=True))
        self.url = ""

    def call(
        self,
        document: ApiDocument,
        arguments: dict[str, Any],
        *,
        tool: str = "do",
        base: str = "",
        auth: Mapping[str, str] | None = None,
    ) -> Forwarded:
        upstream = OpenApiUpstream(self.client, document, self.url + base, auth or {})
        return self._runner.run(upstream.call(tool, arguments, session="run"))

    def ask(self, document: ApiDocument, arguments: dict[str, Any], **options: Any) -> Asked:
        """Make a call that must arrive, once."""
        before = len(self.asked)
        answered = self.call(document, arguments, **options)
        assert isinstance(answered, Answered), answered
        assert len(self.asked) == before + 1
        return self.asked[-1]

    async def handle(self, request: web.BaseRequest) -> web.StreamResponse:
        form: list[tuple[str, str, str | None]] = []
        raw = b""
        if request.content_type.startswith(("multipart/", "application/x-www-form-urlencoded")):
            for name, value in (await request.post()).items():
                if isinstance(value, web.FileField):
                    form.append((name, value.file.read().decode(), value.filename))
                else:
                    form.append((name, value if isinstance(value, str) else bytes(value).decode(), None))
        else:
            raw = await request.read()
        path = request.rel_url.raw_path.split("/")[1:]
        self.asked.append(
            Asked(
                request.method,
                request.raw_path,
                [URL(f"/{segment}", encoded=True).path[1:] for segment in path],
                list(request.query.items()),
                {name.lower(): value for name, value in request.headers.items()},
                raw,
                form,
            )
        )
        status, content_type, content = self.reply
        return web.Response(status=status, body=content, headers={"Content-Type": content_type})


@contextmanager
def echo_server() -> Iterator[Echo]:
    with asyncio.Runner() as runner:
        echo = Echo(runner)

        async def start() -> web.ServerRunner:
            served = web.ServerRunner(web.Server(echo.handle))
            await served.setup()
            await web.TCPSite(served, "127.0.0.1", 0).start()
            return served

        served = runner.run(start())
        echo.url = "http://127.0.0.1:{1}".format(*served.addresses[0])
        yield echo
        runner.run(echo.client.close())
        runner.run(served.cleanup())

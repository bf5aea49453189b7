"""The OpenAPI document: what FastAPI derives, the proxy's routes, and the one shape of errors."""

import asyncio
from collections.abc import Awaitable, Callable
from typing import Any

import msgspec
from fastapi import FastAPI
from fastapi.openapi.utils import get_openapi
from fastapi.routing import APIRoute, iter_route_contexts
from starlette.requests import Request
from starlette.responses import Response

from odyssey import __version__
from odyssey.api.edges import body_cap, in_words
from odyssey.identity.guard import deals_in_secrets, opens_stream
from odyssey.identity.open_streams import MOST_STREAMS
from odyssey.proxy.openapi import PROXY_PATHS, PROXY_SCHEMAS
from odyssey.proxy.parts import PREFIX
from odyssey.records.problems import MOST_FAULTS

_PROBLEM: dict[str, Any] = {
    "type": "object",
    "description": "RFC 9457 with our members.",
    "required": ["type", "title", "status", "detail", "code", "retryable"],
    "properties": {
        "type": {"type": "string"},
        "title": {"type": "string"},
        "status": {"type": "integer"},
        "detail": {"type": "string", "description": "A sentence a person can act on."},
        "code": {"type": "string", "description": "A stable word for machines."},
        "retryable": {"type": "boolean", "description": "True means that nothing was applied."},
        "errors": {
            "type": "array",
            "description": "Present on 422: the first hundred faults. `detail` says how many more there are.",
            "maxItems": MOST_FAULTS,
            "items": {
                "type": "object",
                "required": ["loc", "msg"],
                "properties": {
                    "loc": {"type": "array", "items": {"type": ["string", "integer"]}},
                    "msg": {"type": "string"},
                    "tool": {"type": "string"},
                },
            },
        },
    },
}
_ERROR = {
    "description": "A problem (RFC 9457); `code` says which.",
    "content": {"application/problem+json": {"schema": {"$ref": "#/components/schemas/Problem"}}},
}
_TOO_MANY_STREAMS = _ERROR | {
    "description": f"`too_many_streams`: a person may have {MOST_STREAMS} open.",
    "headers": {"Retry-After": {"description": "Seconds.", "schema": {"type": "integer"}}},
}
_IDEMPOTENCY_KEY = {
    "name": "Idempotency-Key",
    "in": "header",
    "required": False,
    "description": "A repeat with the same key and body gets the first answer again, for 24 hours.",
    "schema": {"type": "string", "minLength": 1, "maxLength": 255},
}


def build_openapi(app: FastAPI) -> dict[str, Any]:
    document = get_openapi(
        title="Odyssey",
        version=__version__,
        summary="Put an AI agent into a simulated world and see whether it still does the right thing.",
        routes=app.routes,
    )
    schemas = document["components"]["schemas"]
    for generated in ("HTTPValidationError", "ValidationError"):
        schemas.pop(generated, None)
    schemas |= {"Problem": _PROBLEM, **PROXY_SCHEMAS}
    document["components"]["securitySchemes"]["run_token"] = {
        "type": "http",
        "scheme": "bearer",
        "description": "The run token of a dispatch; X-Pipelines-Run-Token is accepted as well.",
    }
    document["paths"] |= {PREFIX + path: item for path, item in PROXY_PATHS.items()}
    for path, item in document["paths"].items():
        for operation in item.values():
            if "requestBody" in operation:
                operation["requestBody"]["description"] = f"At most {in_words(body_cap(path))}."
            operation["responses"].pop("422", None)
            operation["responses"]["default"] = _ERROR
    for context in iter_route_contexts(app.routes):
        route = context.original_route
        if not isinstance(route, APIRoute):
            continue
        if route.methods == {"POST"} and not deals_in_secrets(route):
            document["paths"][route.path]["post"].setdefault("parameters", []).append(_IDEMPOTENCY_KEY)
        if opens_stream(route):
            document["paths"][route.path]["get"]["responses"]["429"] = _TOO_MANY_STREAMS
    return document


def openapi_endpoint(app: FastAPI) -> Callable[[Request], Awaitable[Response]]:
    """Serve the document as bytes; it is built once, in a thread: that takes as long as hundreds of requests."""
    building = asyncio.Lock()
    body: bytes | None = None

    async def serve(_request: Request) -> Response:
        nonlocal body
        async with building:
            if body is None:
                body = await asyncio.to_thread(lambda: msgspec.json.encode(app.openapi()))
        return Response(body, media_type="application/json")

    return serve

"""An OpenAPI endpoint, ready to be asked: one call is one HTTP request."""

import asyncio
from collections.abc import Mapping
from typing import Any

from odyssey.core.outbound import OutboundClient, OutboundError
from odyssey.endpoints.openapi.document import ApiDocument
from odyssey.endpoints.openapi.request import ArgumentInvalidError, write_request
from odyssey.endpoints.upstream import (
    CALL_TIMEOUT_S,
    MAX_RESPONSE_BYTES,
    Answered,
    Discovery,
    Forwarded,
    NotAnswered,
    decode_body,
    is_server_error,
    not_answered,
    server_error,
)


class OpenApiUpstream:
    """The operations of a document at one address."""

    def __init__(
        self,
        client: OutboundClient,
        document: ApiDocument,
        base_url: str,
        auth_headers: Mapping[str, str],
        *,
        timeout_s: float = CALL_TIMEOUT_S,
    ) -> None:
        self._client = client
        self._document = document
        self._base_url = base_url
        self._auth_headers = auth_headers
        self._timeout_s = timeout_s

    async def discover(self) -> Discovery:
        return await asyncio.to_thread(self._document.discovery)

    async def call(
        self,
        tool_name: str,
        arguments: dict[str, Any],
        *,
        session: str,  # noqa: ARG002 - a request stands for itself
    ) -> Forwarded:
        operation = self._document.operation(tool_name)
        if operation is None:
            return NotAnswered("tool_missing", f"The endpoint has no tool {tool_name[:128]!r}.", "not_sent")
        try:
            request = write_request(operation, self._base_url, arguments, self._auth_headers)
        except ArgumentInvalidError as error:
            return NotAnswered("request_invalid", str(error), "not_sent")
        try:
            reply = await self._client.request(
                request.method,
                request.url,
                headers=request.headers,
                body=request.body,
                timeout_s=self._timeout_s,
                max_bytes=MAX_RESPONSE_BYTES,
            )
        except OutboundError as error:
            return not_answered(error)
        if is_server_error(reply.status):
            return server_error(reply.status)
        return Answered(decode_body(reply.body), reply.status, is_error=400 <= reply.status <= 499)

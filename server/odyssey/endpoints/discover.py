"""Asking a service for its tools: an MCP server itself, an OpenAPI service by its document."""

import asyncio
from collections.abc import Sequence
from typing import NamedTuple

from odyssey.core.addresses import AddressPolicy, check_url_at_save, read_target
from odyssey.core.outbound import OutboundClient, OutboundError
from odyssey.endpoints.auth import BoundAuth, RedactedUpstream, secret_missing_error
from odyssey.endpoints.config import EndpointConfig
from odyssey.endpoints.mcp.session import McpSessions
from odyssey.endpoints.mcp.upstream import McpUpstream
from odyssey.endpoints.openapi.document import MAX_DOCUMENT_BYTES, read_document
from odyssey.endpoints.openapi.references import DocumentInvalidError
from odyssey.endpoints.upstream import (
    DISCOVERY_TIMEOUT_S,
    DiscoveryFailedError,
    UpstreamTool,
    discovery_failed,
)
from odyssey.kit.redaction import Redaction

_ACCEPT = "application/json, application/yaml, text/yaml, */*;q=0.5"


class DiscoveredTools(NamedTuple):
    tools: Sequence[UpstreamTool]
    notes: list[str]
    base_url: str
    document: str | None


class UnusableError(DiscoveryFailedError):
    """The document is there, but cannot be used as it is; asking again does not help."""

    def __init__(self, code: str, message: str, member: str, base_url: str | None = None) -> None:
        super().__init__(code, message)
        self.member = member
        """Of the config: where the fault came from."""
        self.base_url = base_url
        """Where calls would go by a document that names a place they may not go."""


class Discoverer:
    def __init__(self, client: OutboundClient, sessions: McpSessions, policy: AddressPolicy) -> None:
        self._client = client
        self._sessions = sessions
        self._policy = policy

    async def ask(self, config: EndpointConfig, pasted: str | None, auth: BoundAuth) -> DiscoveredTools:
        """List the tools, or raise DiscoveryFailedError; hold no transaction meanwhile.

        Without a document that was pasted the one at `spec_url` is fetched.
        """
        address = config.url
        if address is not None:
            headers = auth.headers_for(address)
            if headers is None:
                raise secret_missing_error()
            upstream = McpUpstream(self._sessions, address, headers)
            found = await RedactedUpstream(upstream, auth.secret).discover()
            return DiscoveredTools(found.tools, list(found.notes), address, None)
        if pasted is not None:
            return await self._read_openapi(config, pasted, "spec")
        return await self._read_openapi(config, await self._fetch(config, auth), "spec_url")

    async def _read_openapi(self, config: EndpointConfig, text: str, member: str) -> DiscoveredTools:
        try:
            # Off the loop: a large document takes seconds to read.
            document = await asyncio.to_thread(read_document, text)
            found = await asyncio.to_thread(document.discovery)
        except DocumentInvalidError as error:
            raise UnusableError(error.code, error.message, member) from None
        base_url = config.base_url or document.first_server(config.spec_url)
        if base_url is None:
            message = (
                "The document names no server with a whole address; give base_url, where the API begins."
            )
            raise UnusableError("openapi_server_missing", message, "base_url")
        if config.base_url is None:
            refusal = await check_url_at_save(base_url, self._policy)
            if refusal is not None:
                message = f"The document's server cannot be used: {refusal} Give base_url to call another."
                raise UnusableError("openapi_server_not_allowed", message, member, _readable(base_url))
        return DiscoveredTools(found.tools, list(found.notes), base_url, text)

    async def _fetch(self, config: EndpointConfig, auth: BoundAuth) -> str:
        url = config.spec_url
        assert url is not None
        # The document may be anywhere; the secret goes along only where it is at home.
        headers = {"Accept": _ACCEPT} | (auth.headers_for(url) or {})
        try:
            reply = await self._client.request(
                "GET", url, headers=headers, timeout_s=DISCOVERY_TIMEOUT_S, max_bytes=MAX_DOCUMENT_BYTES
            )
        except OutboundError as error:
            raise discovery_failed(error) from None
        if not 200 <= reply.status < 300:
            raise DiscoveryFailedError(
                "spec_unavailable",
                f"The address of the document answered {reply.status}, and redirects are not followed. "
                "Correct spec_url, or paste the document.",
            )
        try:
            return Redaction(auth.secret).text(reply.body.decode("utf-8-sig"))
        except UnicodeDecodeError:
            message = "The document is not UTF-8 text; save it as UTF-8."
            raise UnusableError("openapi_invalid", message, "spec_url") from None


def _readable(url: str) -> str | None:
    try:
        return str(read_target(url).url)
    except ValueError:
        return None

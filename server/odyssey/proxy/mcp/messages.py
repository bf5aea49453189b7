"""Messages of an MCP client: read strictly, on their way through the SDK, and what goes back."""

from contextvars import ContextVar
from typing import Any, NamedTuple

import msgspec
from mcp_types import INVALID_PARAMS, INVALID_REQUEST, PARSE_ERROR
from starlette.types import Message as AsgiMessage

from odyssey.core.errors import BadRequestError, JsonRefusedError, OdysseyError, problem
from odyssey.kit.json_reader import JsonInvalidError, read_json
from odyssey.proxy.errors import ToolUnknownError
from odyssey.proxy.live_runs import LiveRun
from odyssey.proxy.parts import ProxyParts, ProxyRequest
from odyssey.simulation.rules import FaultName

# One message of an MCP client, read strictly: what is not exactly one JSON-RPC message goes no further.

CALL = "tools/call"


class Message(NamedTuple):
    method: str | None
    """None is an answer of the client's, to nothing we asked."""
    id: str | int | None
    """None where it asks for no answer."""
    arguments: bytes
    """Of a tool call, byte for byte; what is absent is no argument."""


class _Params(msgspec.Struct):
    arguments: msgspec.Raw = msgspec.Raw(b"")


class _CallMessage(msgspec.Struct):
    params: _Params


def read_message(body: bytes) -> Message:
    """Read a body, or raise OdysseyError; whether it is a message of the protocol is for the SDK to say."""
    try:
        decoded = read_json(body)
    except JsonInvalidError as error:
        raise JsonRefusedError(f"The message is not valid JSON: {error}.") from error
    if isinstance(decoded, list):
        raise BadRequestError("Send one message per request: MCP has no batches.")
    if not isinstance(decoded, dict):
        raise BadRequestError("A message is a JSON object.")
    method, number = decoded.get("method"), decoded.get("id")
    if "id" in decoded and (not isinstance(number, str | int) or isinstance(number, bool)):
        raise BadRequestError("The id of a message is a string or an integer.")
    return Message(
        method=method if isinstance(method, str) else None,
        id=number,
        arguments=_arguments(body, decoded) if method == CALL else b"",
    )


def _arguments(body: bytes, decoded: dict[str, Any]) -> bytes:
    params = decoded.get("params")
    if not isinstance(params, dict) or params.get("arguments") is None:
        return b"{}"
    return bytes(msgspec.json.decode(body, type=_CallMessage).params.arguments)


# One message on its way through the SDK, and what became of it there.


class McpExchange:
    """The SDK's handlers know only names and arguments: whose call it is, they find here."""

    __slots__ = ("arrived", "failure", "fault", "message", "parts", "refusal", "run", "was_called")

    def __init__(self, parts: ProxyParts, run: LiveRun, arrived: ProxyRequest, message: Message) -> None:
        self.parts = parts
        self.run = run
        self.arrived = arrived
        self.message = message
        self.was_called = False
        """A tool call came so far that the proxy has recorded it."""
        self.refusal: OdysseyError | None = None
        self.failure: Exception | None = None
        self.fault: FaultName | None = None

    async def read_arguments(self) -> bytes:
        return self.message.arguments


CURRENT: ContextVar[McpExchange] = ContextVar("exchange of an MCP client")


# What goes back to an MCP client: what the SDK said, held until it may be sent, or a refusal of our own.

_JSON = (b"content-type", b"application/json")
_CODES: dict[type[OdysseyError], int] = {
    JsonRefusedError: PARSE_ERROR,
    BadRequestError: INVALID_REQUEST,
    ToolUnknownError: INVALID_PARAMS,
}


class McpAnswer(NamedTuple):
    status: int
    headers: list[tuple[bytes, bytes]]
    body: bytes
    fault: FaultName | None = None
    """How the wire breaks instead."""

    def refused(self, refusal: OdysseyError) -> "McpAnswer":
        """Let HTTP say too what the message says."""
        return self._replace(status=refusal.status, headers=self.headers + _own_headers(refusal))


class HeldAnswer:
    """Takes what an ASGI application sends, and sends nothing."""

    def __init__(self) -> None:
        self._status = 500
        self._headers: list[tuple[bytes, bytes]] = []
        self._body = b""

    async def __call__(self, message: AsgiMessage) -> None:
        if message["type"] == "http.response.start":
            self._status, self._headers = message["status"], list(message["headers"])
        else:
            self._body += message.get("body", b"")

    def answer(self) -> McpAnswer:
        return McpAnswer(self._status, self._headers, self._body)


def code_of(refusal: OdysseyError) -> int:
    """Name a refusal by its HTTP status, except where JSON-RPC or MCP has a number of its own."""
    return _CODES.get(type(refusal), refusal.status)


def error_answer(refusal: OdysseyError, message_id: str | int | None) -> McpAnswer:
    error = {"code": code_of(refusal), "message": refusal.detail, "data": problem(refusal)}
    body = msgspec.json.encode({"jsonrpc": "2.0", "id": message_id, "error": error})
    length = (b"content-length", b"%d" % len(body))
    return McpAnswer(refusal.status, [_JSON, length, *_own_headers(refusal)], body)


def _own_headers(refusal: OdysseyError) -> list[tuple[bytes, bytes]]:
    return [
        (name.lower().encode("ascii"), value.encode("latin-1")) for name, value in refusal.headers.items()
    ]

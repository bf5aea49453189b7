"""What goes back to an MCP client: what the SDK said, held until it may be sent, or a refusal of our own."""

from typing import NamedTuple

import msgspec
from mcp_types import INVALID_PARAMS, INVALID_REQUEST, PARSE_ERROR
from starlette.types import Message as AsgiMessage

from odyssey.core.errors import BadRequestError, JsonRefusedError, OdysseyError, problem
from odyssey.proxy.errors import ToolUnknownError
from odyssey.simulation.rules import FaultName

_JSON = (b"content-type", b"application/json")
_CODES: dict[type[OdysseyError], int] = {
    JsonRefusedError: PARSE_ERROR,
    BadRequestError: INVALID_REQUEST,
    ToolUnknownError: INVALID_PARAMS,
}


class Answer(NamedTuple):
    status: int
    headers: list[tuple[bytes, bytes]]
    body: bytes
    fault: FaultName | None = None
    """How the wire breaks instead."""

    def refused(self, refusal: OdysseyError) -> "Answer":
        """Let HTTP say too what the message says."""
        return self._replace(status=refusal.status, headers=self.headers + _own_headers(refusal))


class Held:
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

    def answer(self) -> Answer:
        return Answer(self._status, self._headers, self._body)


def code_of(refusal: OdysseyError) -> int:
    """Name a refusal by its HTTP status, except where JSON-RPC or MCP has a number of its own."""
    return _CODES.get(type(refusal), refusal.status)


def error_answer(refusal: OdysseyError, message_id: str | int | None) -> Answer:
    error = {"code": code_of(refusal), "message": refusal.detail, "data": problem(refusal)}
    body = msgspec.json.encode({"jsonrpc": "2.0", "id": message_id, "error": error})
    length = (b"content-length", b"%d" % len(body))
    return Answer(refusal.status, [_JSON, length, *_own_headers(refusal)], body)


def _own_headers(refusal: OdysseyError) -> list[tuple[bytes, bytes]]:
    return [
        (name.lower().encode("ascii"), value.encode("latin-1")) for name, value in refusal.headers.items()
    ]

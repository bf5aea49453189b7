"""One message of an MCP client, read strictly: what is not exactly one JSON-RPC message goes no further."""

from typing import Any, NamedTuple

import msgspec

from odyssey.core.errors import BadRequestError, JsonRefusedError
from odyssey.kit.json_reader import JsonInvalidError, read_json

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


class _Call(msgspec.Struct):
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
    return bytes(msgspec.json.decode(body, type=_Call).params.arguments)

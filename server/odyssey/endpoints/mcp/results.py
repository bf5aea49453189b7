"""What an MCP server's answer to `tools/call` says, decoded as little as possible."""

import json
from typing import Any

from mcp import MCPError
from mcp_types import INTERNAL_ERROR, INVALID_REQUEST, METHOD_NOT_FOUND, PARSE_ERROR

from odyssey.endpoints.failures import decode_body
from odyssey.endpoints.mcp.session import shortened
from odyssey.endpoints.upstream import Answered, Forwarded, NotAnswered

_OF_THE_PROTOCOL = frozenset({PARSE_ERROR, INVALID_REQUEST, METHOD_NOT_FOUND, INTERNAL_ERROR})


def read_result(result: dict[str, Any]) -> Answered:
    """Give structured content, else one text decoded, else the list of parts."""
    if result.get("resultType") == "input_required":
        asked_for = _plain(result.get("inputRequests"))
        message = "The tool asks its caller for input, which a passthrough call cannot give."
        error = {"code": "input_required", "message": message, "input_requests": asked_for}
        return Answered({"error": error}, is_error=True)
    is_error = result.get("isError") is True
    if result.get("structuredContent") is not None:
        return Answered(_plain(result["structuredContent"]), is_error=is_error)
    parts = result["content"]
    if len(parts) == 1 and parts[0]["type"] == "text":
        return Answered(decode_body(parts[0]["text"].encode()), is_error=is_error)
    return Answered(_plain(parts), is_error=is_error)


def read_error(error: MCPError) -> Forwarded:
    """Tell an error about the tool or its arguments, which is an answer, from one about the protocol."""
    if error.code in _OF_THE_PROTOCOL:
        # Where the SDK cannot read a message, its text repeats it after the colon.
        said = error.message.partition(":")[0] if error.code == PARSE_ERROR else error.message
        message = f"The service answered with a JSON-RPC error: {shortened(said)} ({error.code})."
        return NotAnswered("upstream_protocol_error", message, "unknown")
    body: dict[str, Any] = {"code": error.code, "message": error.message}
    if error.data is not None:
        body["data"] = _plain(error.data)
    return Answered({"error": body}, is_error=True)


def _plain(value: Any) -> Any:
    """Hold a value to the rules for every answer: what is no strict JSON object or array stays text."""
    if value is None or isinstance(value, str):
        return value
    return decode_body(json.dumps(value, ensure_ascii=False).encode())

"""The proxy's part of the OpenAPI document, written by hand because its routes are plain ASGI."""

from typing import Any, get_args

from odyssey.proxy.trace_events import EVENT_TYPES
from odyssey.simulation.engine import Evidence

_PARAMETERS: dict[str, dict[str, Any]] = {
    "run": {
        "name": "run",
        "in": "path",
        "required": True,
        "description": "The token's own run id.",
        "schema": {"type": "string"},
    },
    "tool_name": {"name": "tool_name", "in": "path", "required": True, "schema": {"type": "string"}},
    "event_type": {
        "name": "event_type",
        "in": "path",
        "required": True,
        "schema": {"enum": list(EVENT_TYPES)},
    },
    "actor": {
        "name": "X-Pipelines-Actor-Id",
        "in": "header",
        "required": False,
        "description": "The acting sub-agent, as a call path such as `supervisor/refunds`.",
        "schema": {"type": "string"},
    },
}


def _post(operation_id: str, *parameters: str, summary: str, description: str, answer: str) -> dict[str, Any]:
    return {
        "post": {
            "tags": ["proxy"],
            "operationId": operation_id,
            "summary": summary,
            "description": description,
            "security": [{"run_token": []}],
            "parameters": [_PARAMETERS[name] for name in parameters],
            "requestBody": {
                "required": True,
                "content": {"application/json": {"schema": {"type": "object"}}},
            },
            "responses": {
                "200": {
                    "description": "It was served and recorded.",
                    "content": {"application/json": {"schema": {"$ref": f"#/components/schemas/{answer}"}}},
                }
            },
        }
    }


_TOOL_CALL = {
    "summary": "Call a tool",
    "description": "The body is the object of the tool's arguments; `response` is already decoded.",
    "answer": "ToolEnvelope",
}
_TRACE_EVENT = {
    "summary": "Post a trace event",
    "description": "Tells what the agent is doing; `__occurred_at` says when, else it is the arrival.",
    "answer": "TraceEventAccepted",
}

_MCP_MESSAGE = {
    "summary": "Send an MCP message",
    "description": (
        "The run's tools over the Model Context Protocol: streamable HTTP, one message per request, no session. An "
        "MCP client needs this address and the run token, nothing else. Serves 2026-07-28 and the versions with a "
        "handshake (2025-11-25 and before). `tools/call` is served, limited and recorded like a call over HTTP; a "
        "notification is answered with 202."
    ),
    "answer": "McpMessage",
}

_MCP_ANSWER = {"application/json": {"schema": {"$ref": "#/components/schemas/McpMessage"}}}
_MCP_RESPONSES: dict[str, Any] = {
    "202": {"description": "A notification was accepted."},
    "400": {"description": "No message of the protocol.", "content": _MCP_ANSWER},
    "404": {"description": "No such method.", "content": _MCP_ANSWER},
    "406": {"description": "The client accepts no JSON.", "content": _MCP_ANSWER},
    "429": {"description": "Too many tool calls, or other messages.", "content": _MCP_ANSWER},
    "503": {"description": "The model that answers for the tool is away.", "content": _MCP_ANSWER},
    "504": {"description": "The model that answers for the tool took too long.", "content": _MCP_ANSWER},
}


def _post_mcp(operation_id: str, *parameters: str) -> dict[str, Any]:
    described = _post(operation_id, *parameters, **_MCP_MESSAGE)
    described["post"]["responses"] |= _MCP_RESPONSES
    return described


PROXY_PATHS: dict[str, Any] = {
    "/mcp": _post_mcp("send_mcp_message", "actor"),
    "/runs/{run}/mcp": _post_mcp("send_mcp_message_of_run", "run", "actor"),
    "/traces/{event_type}": _post("post_trace_event", "event_type", "actor", **_TRACE_EVENT),
    "/runs/{run}/traces/{event_type}": _post(
        "post_trace_event_of_run", "run", "event_type", "actor", **_TRACE_EVENT
    ),
    "/tools/{tool_name}": _post("call_tool", "tool_name", "actor", **_TOOL_CALL),
    "/runs/{run}/tools/{tool_name}": _post("call_tool_of_run", "run", "tool_name", "actor", **_TOOL_CALL),
}

PROXY_SCHEMAS: dict[str, Any] = {
    "McpMessage": {
        "type": "object",
        "description": "A JSON-RPC answer; what the proxy refuses has our problem as `error.data`.",
        "required": ["jsonrpc", "id"],
        "properties": {
            "jsonrpc": {"const": "2.0"},
            "id": {"type": ["string", "integer", "null"]},
            "result": {"type": "object"},
            "error": {
                "type": "object",
                "required": ["code", "message"],
                "properties": {"code": {"type": "integer"}, "message": {"type": "string"}, "data": {}},
            },
        },
    },
    "TraceEventAccepted": {
        "type": "object",
        "required": ["accepted", "sequence", "event_type"],
        "properties": {
            "accepted": {"const": True},
            "sequence": {"type": "integer"},
            "event_type": {"type": "string"},
        },
    },
    "ToolEnvelope": {
        "type": "object",
        "required": ["tool_name", "response", "source", "latency_ms", "matched_rule_index"],
        "properties": {
            "tool_name": {"type": "string"},
            "response": {
                "description": "What the tool returned, decoded. With `transport_error`: "
                "`{error: {code, message, outcome}}`, where `outcome` is `not_sent`, or `unknown` if it may have had "
                "an effect."
            },
            "source": {"enum": ["odyssey", "injected", "passthrough", "error", "transport_error"]},
            "latency_ms": {"type": "integer"},
            "matched_rule_index": {"type": ["integer", "null"]},
            "validation": {"$ref": "#/components/schemas/SimulationValidation"},
        },
    },
    "SimulationValidation": {
        "type": "object",
        "description": "Present only when `source` is `odyssey`.",
        "required": ["valid", "schema", "attempts", "errors", "engine", "confidence", "evidence"],
        "properties": {
            "valid": {"type": "boolean"},
            "schema": {"enum": ["output_schema", "none"]},
            "attempts": {"type": "integer"},
            "errors": {"type": "array"},
            "engine": {"enum": ["program", "world", "llm", "replay"]},
            "confidence": {
                "type": "number",
                "minimum": 0,
                "maximum": 1,
                "description": "How often answers like this one were exactly right on worlds the engine had not seen.",
            },
            "evidence": {
                "enum": list(get_args(Evidence)),
                "description": "What the answer rests on.",
            },
        },
    },
}

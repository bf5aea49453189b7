"""The proxy's part of the OpenAPI document, written by hand because its routes are plain ASGI."""

from typing import Any

_PARAMETERS: dict[str, dict[str, Any]] = {
    "run": {
        "name": "run",
        "in": "path",
        "required": True,
        "description": "The token's own run id.",
        "schema": {"type": "string"},
    },
    "tool_name": {"name": "tool_name", "in": "path", "required": True, "schema": {"type": "string"}},
    "actor": {
        "name": "X-Pipelines-Actor-Id",
        "in": "header",
        "required": False,
        "description": "The acting sub-agent, as a call path such as `supervisor/refunds`.",
        "schema": {"type": "string"},
    },
}


def _tool_call(operation_id: str, *parameters: str) -> dict[str, Any]:
    return {
        "post": {
            "tags": ["proxy"],
            "operationId": operation_id,
            "summary": "Call a tool",
            "description": "The body is the object of the tool's arguments; `response` is already decoded.",
            "security": [{"run_token": []}],
            "parameters": [_PARAMETERS[name] for name in parameters],
            "requestBody": {
                "required": True,
                "content": {"application/json": {"schema": {"type": "object"}}},
            },
            "responses": {
                "200": {
                    "description": "The tool answered, or failed as tools do.",
                    "content": {
                        "application/json": {"schema": {"$ref": "#/components/schemas/ToolEnvelope"}}
                    },
                }
            },
        }
    }


PROXY_PATHS: dict[str, Any] = {
    "/tools/{tool_name}": _tool_call("call_tool", "tool_name", "actor"),
    "/runs/{run}/tools/{tool_name}": _tool_call("call_tool_of_run", "run", "tool_name", "actor"),
}

PROXY_SCHEMAS: dict[str, Any] = {
    "ToolEnvelope": {
        "type": "object",
        "required": ["tool_name", "response", "source", "latency_ms", "matched_rule_index"],
        "properties": {
            "tool_name": {"type": "string"},
            "response": {"description": "What the tool returned, decoded."},
            "source": {"enum": ["odyssey", "injected", "passthrough", "error", "transport_error"]},
            "latency_ms": {"type": "integer"},
            "matched_rule_index": {"type": ["integer", "null"]},
            "validation": {"$ref": "#/components/schemas/SimulationValidation"},
        },
    },
    "SimulationValidation": {
        "type": "object",
        "description": "Present only when `source` is `odyssey`.",
        "required": ["valid", "schema", "attempts", "errors", "engine", "confidence"],
        "properties": {
            "valid": {"type": "boolean"},
            "schema": {"enum": ["output_schema", "none"]},
            "attempts": {"type": "integer"},
            "errors": {"type": "array"},
            "engine": {"enum": ["program", "world", "llm", "replay"]},
            "confidence": {"type": "number", "minimum": 0, "maximum": 1},
        },
    },
}

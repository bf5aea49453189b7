"""The public JSON Schema of an agent's response, as the contract describes it."""

from typing import Any

_TOOL_CALL = {
    "type": "object",
    "anyOf": [
        {"required": ["id", "name", "arguments"]},
        {
            "required": ["id", "function"],
            "properties": {"function": {"type": "object", "required": ["name"]}},
        },
    ],
}

_MESSAGE: dict[str, Any] = {
    "type": "object",
    "additionalProperties": True,
    "required": ["role"],
    "properties": {
        "role": {"enum": ["system", "user", "assistant", "tool"]},
        "content": {"type": ["string", "array", "null"]},
        "tool_call_id": {
            "type": "string",
            "description": "Required on tool messages: the id of the call it answers.",
        },
        "tool_calls": {"type": ["array", "null"], "items": _TOOL_CALL},
        "thinking": {"type": ["array", "null"], "items": {"type": "object"}},
    },
}

AGENT_RESPONSE_SCHEMA: dict[str, Any] = {
    "$schema": "https://json-schema.org/draft/2020-12/schema",
    "$id": "https://docs.pipelines.tech/schemas/agent-response.json",
    "title": "Pipelines Agent Response (v1)",
    "type": "object",
    "additionalProperties": True,
    "required": ["final_response"],
    "properties": {
        "final_response": {
            "type": "string",
            "minLength": 1,
            "description": "The answer that is graded; past 50,000 characters it is cut, with a soft warning.",
        },
        "messages": {"type": ["array", "null"], "items": {"$ref": "#/$defs/Message"}},
        "metadata": {
            "type": ["object", "null"],
            "additionalProperties": True,
            "properties": {
                "model": {"type": "string"},
                "system_prompt_id": {"type": "string"},
                "total_input_tokens": {"type": "integer"},
                "total_output_tokens": {"type": "integer"},
                "agent_runtime_ms": {"type": "number"},
            },
        },
    },
    "$defs": {"Message": _MESSAGE},
}

"""Whether a tools_schema will be taken: the checks of the registration that need no platform."""

import re
from collections.abc import Mapping
from typing import Any

MOST_TOOLS = 256

_NAME = re.compile(r"[A-Za-z_][A-Za-z0-9_\-]{0,127}")
_MODES = ("sandbox", "passthrough")
_POLICIES = ("record_only", "adapter", "none")
_TYPES = ("object", "array", "string", "integer", "number", "boolean", "null")


def schema_faults(tools: Any) -> list[str]:
    """Name every fault, each with the tool it is about."""
    if not isinstance(tools, list):
        return [f"tools_schema must be a list of tools, not {type(tools).__name__}"]
    if len(tools) > MOST_TOOLS:
        return [f"tools_schema has {len(tools)} tools; at most {MOST_TOOLS} are allowed"]
    faults: list[str] = []
    names: set[str] = set()
    for index, tool in enumerate(tools):
        faults += _tool_faults(index, tool, names)
    return faults


def _tool_faults(index: int, tool: Any, names: set[str]) -> list[str]:
    if not isinstance(tool, Mapping):
        return [f"tools_schema[{index}] must be an object with name and input_schema"]
    name = tool.get("name")
    if not isinstance(name, str) or not _NAME.fullmatch(name):
        said = "a letter or _, then letters, digits, _ or -, at most 128 characters"
        return [f"tools_schema[{index}].name {name!r:.80} is not a tool name: {said}"]
    faults = [f"{name}: the name is taken by an earlier tool"] if name in names else []
    names.add(name)
    schema = tool.get("input_schema", tool.get("parameters"))
    if schema is None:
        faults.append(f"{name}: input_schema is missing, the JSON Schema of the arguments object")
    else:
        faults += _schema_faults(f"{name}: input_schema", schema)
        if isinstance(schema, Mapping) and schema.get("type", "object") not in ("object", ["object"]):
            faults.append(f"{name}: input_schema must describe an object, because arguments are one")
    if tool.get("output_schema") is not None:
        faults += _schema_faults(f"{name}: output_schema", tool["output_schema"])
    return faults + _execution_faults(name, tool)


def _schema_faults(place: str, schema: Any) -> list[str]:
    if not isinstance(schema, Mapping):
        return [f"{place} must be a JSON Schema object, not {type(schema).__name__}"]
    faults = []
    kind = schema.get("type")
    kinds = kind if isinstance(kind, list) else [] if kind is None else [kind]
    faults += [f"{place}.type {one!r:.40} is no type of JSON Schema" for one in kinds if one not in _TYPES]
    members = schema.get("properties")
    if members is not None and not isinstance(members, Mapping):
        faults.append(f"{place}.properties must be an object")
    elif members is not None:
        for member, inner in members.items():
            if not isinstance(inner, bool):
                faults += _schema_faults(f"{place}.properties.{member}", inner)
    required = schema.get("required")
    if required is not None and not (
        isinstance(required, list) and all(isinstance(one, str) for one in required)
    ):
        faults.append(f"{place}.required must be a list of names")
    return faults


def _execution_faults(name: str, tool: Mapping[str, Any]) -> list[str]:
    faults = []
    mode, policy = tool.get("default_execution_mode"), tool.get("ledger_write_policy")
    if mode is not None and mode not in _MODES:
        faults.append(f"{name}: default_execution_mode must be {' or '.join(_MODES)}, not {mode!r:.40}")
    if policy is not None and policy not in _POLICIES:
        faults.append(f"{name}: ledger_write_policy must be {', '.join(_POLICIES)}, not {policy!r:.40}")
    if policy == "adapter" and not isinstance(tool.get("ledger_adapter"), Mapping):
        faults.append(f"{name}: ledger_write_policy adapter needs a ledger_adapter")
    binding = tool.get("passthrough_binding")
    if mode == "passthrough" and not isinstance(binding, Mapping):
        faults.append(f"{name}: a passthrough tool needs passthrough_binding {{tool_name, endpoint_name}}")
    if isinstance(binding, Mapping):
        given = [key for key in ("endpoint_id", "endpoint_name") if binding.get(key)]
        if len(given) != 1:
            faults.append(f"{name}: passthrough_binding needs exactly one of endpoint_id and endpoint_name")
        if not binding.get("tool_name"):
            faults.append(f"{name}: passthrough_binding.tool_name is missing")
    return faults

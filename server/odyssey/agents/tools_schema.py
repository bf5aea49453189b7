"""A tools_schema as people write it: our shape, OpenAI's or Anthropic's, read into tools with every fault named."""

import re
import uuid
from collections.abc import Mapping
from typing import Any, TypeVar, get_args

from odyssey.agents.ledger_adapters import check_adapters
from odyssey.records.canonical import canonical_json
from odyssey.records.faults import Faults, one_of, shown
from odyssey.records.json_schema import SchemaInvalidError, compile_schema
from odyssey.records.problems import FieldError
from odyssey.records.tools import TOOL_NAME, ExecutionMode, JsonSchema, LedgerWritePolicy, Tool

__all__ = ["MAX_TOOLS", "check_adapters", "read_tools_schema"]

MAX_TOOLS = 256
MAX_DESCRIPTION = 10_000

_MEMBERS = (
    "name",
    "description",
    "input_schema",
    "output_schema",
    "default_execution_mode",
    "passthrough_binding",
    "ledger_write_policy",
    "ledger_adapter",
)
# Of the vendors' shapes: their names for our members, and what concerns only their own APIs.
_IMPORTED = ("parameters", "function", "type", "strict", "cache_control")
_MODES: tuple[ExecutionMode, ...] = get_args(ExecutionMode)
_POLICIES: tuple[LedgerWritePolicy, ...] = get_args(LedgerWritePolicy)
_BINDING = ("tool_name", "endpoint_id", "endpoint_name")

Entry = Mapping[str, Any]
Word = TypeVar("Word", bound=str)


def read_tools_schema(raw: Any) -> tuple[list[Tool], list[FieldError]]:
    """Read all tools, one per entry and in its place.

    With faults the tools are good for further checks only: what could not be read stands at its default.
    """
    faults = Faults("tools_schema")
    if not isinstance(raw, list):
        faults.add(f"tools_schema must be a list of tools, not {shown(raw)}")
        return [], faults.found
    if len(raw) > MAX_TOOLS:
        faults.add(f"tools_schema has {len(raw)} tools; at most {MAX_TOOLS} are allowed")
        return [], faults.found
    tools = [_read_entry(entry, faults.at(index)) for index, entry in enumerate(raw)]
    _check_unique(tools, faults)
    return tools, faults.found


def _read_entry(raw: Any, faults: Faults) -> Tool:
    if not isinstance(raw, dict):
        faults.add(f"a tool must be an object with name and input_schema, not {shown(raw)}")
        return Tool(name="", input_schema={})
    inner = raw.get("function")
    name = raw.get("name", inner.get("name") if isinstance(inner, dict) else None)
    faults = faults.of_tool(name[:128] if isinstance(name, str) else None)
    entry = _unnest(raw, faults)
    return Tool(name="", input_schema={}) if entry is None else _read_tool(entry, faults)


def _unnest(raw: Entry, faults: Faults) -> Entry | None:
    """Bring OpenAI's nested `function` up, if it is one; members of ours may stand beside it."""
    faults.unknown_members(raw, (*_MEMBERS, *_IMPORTED), "a tool")
    kind = raw.get("type")
    if kind is not None and kind not in ("function", "custom"):
        faults.add(f"only tools of type 'function' can be simulated, not {shown(kind)}", "type")
    if "function" not in raw:
        return raw
    inner = raw["function"]
    if not isinstance(inner, dict):
        faults.add(f"function must be an object with name and parameters, not {shown(inner)}", "function")
        return None
    faults.at("function").unknown_members(inner, (*_MEMBERS, "parameters", "strict"), "a function")
    for member in inner:
        if member in raw:
            faults.add(f"{shown(member)} stands both in the tool and in its function; keep one", member)
    return {**raw, **inner}


def _read_tool(entry: Entry, faults: Faults) -> Tool:
    mode = _read_word(entry, "default_execution_mode", _MODES, faults) or "sandbox"
    binding = _read_binding(entry, mode, faults)
    policy = _read_word(entry, "ledger_write_policy", _POLICIES, faults)
    adapter = entry.get("ledger_adapter")
    if adapter is not None and not isinstance(adapter, dict):
        faults.add(f"ledger_adapter must be an object, not {shown(adapter)}", "ledger_adapter")
        policy, adapter = None, None
    return Tool(
        name=_read_name(entry, faults),
        input_schema=_read_input_schema(entry, faults),
        description=faults.text(entry, "description", longest=MAX_DESCRIPTION) or "",
        output_schema=_read_schema(entry, "output_schema", faults),
        default_execution_mode=mode,
        passthrough_binding=binding,
        ledger_write_policy=policy,
        ledger_adapter=adapter,
    )


def _read_name(entry: Entry, faults: Faults) -> str:
    name = entry.get("name")
    if name is None:
        faults.add("name is missing", "name")
    elif not isinstance(name, str):
        faults.add(f"name must be a string, not {shown(name)}", "name")
    # fullmatch, because `$` also stands before a final line break.
    elif not re.fullmatch(TOOL_NAME.strip("^$"), name):
        faults.add(
            f"{shown(name)} is not a tool name: start with a letter or _, then letters, digits, _ or -,"
            " at most 128 characters",
            "name",
        )
    else:
        return name
    return ""


def _read_input_schema(entry: Entry, faults: Faults) -> JsonSchema:
    given = [member for member in ("input_schema", "parameters") if entry.get(member) is not None]
    if not given:
        faults.add("input_schema is missing: the JSON Schema of the arguments object", "input_schema")
        return {}
    if len(given) == 2 and not _is_same_json(entry["input_schema"], entry["parameters"]):
        faults.add("input_schema and parameters differ; keep one of them", "parameters")
    schema = _read_schema(entry, given[0], faults)
    kind = "object" if schema is None else schema.get("type", "object")
    if kind not in ("object", ["object"]):
        faults.add(
            f"{given[0]} must describe an object, because arguments are one; its type is {shown(kind)}",
            given[0],
            "type",
        )
    return schema or {}


def _is_same_json(left: Any, right: Any) -> bool:
    try:
        return canonical_json(left) == canonical_json(right)
    except (TypeError, ValueError, RecursionError):
        return False


def _read_schema(entry: Entry, member: str, faults: Faults) -> JsonSchema | None:
    schema = entry.get(member)
    if schema is None:
        return None
    if not isinstance(schema, dict):
        faults.add(f"{member} must be a JSON Schema object, not {shown(schema)}", member)
        return None
    try:
        compile_schema(schema)
    except SchemaInvalidError as error:
        faults.add(f"{member}: {error}", member)
        return None
    return schema


def _read_word(entry: Entry, member: str, words: tuple[Word, ...], faults: Faults) -> Word | None:
    value = entry.get(member)
    for word in words:
        if value == word:
            return word
    if value is not None:
        hint = faults.hint(value, words) if isinstance(value, str) else ""
        faults.add(f"{member} must be {one_of(words)}, not {shown(value)}{hint}", member)
    return None


def _read_binding(entry: Entry, mode: ExecutionMode, faults: Faults) -> dict[str, Any] | None:
    """Read the binding; a sandbox tool may keep one for the day it is switched over."""
    binding = entry.get("passthrough_binding")
    if binding is None:
        if mode == "passthrough":
            faults.add(
                "a passthrough tool needs passthrough_binding with tool_name and endpoint_id or endpoint_name",
                "passthrough_binding",
            )
        return None
    if not isinstance(binding, dict):
        faults.add(f"passthrough_binding must be an object, not {shown(binding)}", "passthrough_binding")
        return None
    count = faults.count()
    _check_binding(binding, faults.at("passthrough_binding"))
    return binding if faults.count() == count else None


def _check_binding(binding: Entry, faults: Faults) -> None:
    faults.unknown_members(binding, _BINDING, "passthrough_binding")
    faults.text(binding, "tool_name", longest=256, required=True)
    has_id, has_name = (binding.get(member) is not None for member in ("endpoint_id", "endpoint_name"))
    if has_id and has_name:
        faults.add("endpoint_id and endpoint_name are both set; keep one of them")
    if not has_id and not has_name:
        faults.add("passthrough_binding needs endpoint_id (a UUID) or endpoint_name")
    if has_id and not _is_uuid(binding["endpoint_id"]):
        faults.add(f"endpoint_id must be a UUID, not {shown(binding['endpoint_id'])}", "endpoint_id")
    if has_name:
        faults.checked_text(binding["endpoint_name"], "endpoint_name", longest=255, required=True)


def _is_uuid(value: Any) -> bool:
    if not isinstance(value, str) or len(value) != 36:
        return False
    try:
        return str(uuid.UUID(value)) == value.lower()
    except ValueError:
        return False


def _check_unique(tools: list[Tool], faults: Faults) -> None:
    first: dict[str, int] = {}
    for index, tool in enumerate(tools):
        if tool.name and first.setdefault(tool.name, index) != index:
            faults.at(index).of_tool(tool.name).add(
                f"{tool.name!r} is already the name of tool {first[tool.name]}; names are unique per agent",
                "name",
            )

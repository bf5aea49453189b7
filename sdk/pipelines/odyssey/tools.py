"""The tools an agent declares: what each takes and gives, and who answers its calls."""

import inspect
import json
import re
import types
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from enum import Enum
from typing import Any, Literal, Union, get_args, get_origin, get_type_hints

from pipelines.odyssey.errors import ToolError

NAME = re.compile(r"[A-Za-z_][A-Za-z0-9_-]{0,127}")

_SCALARS: dict[Any, str] = {
    str: "string",
    int: "integer",
    float: "number",
    bool: "boolean",
    type(None): "null",
}


@dataclass(frozen=True)
class Execution:
    """Who answers a tool's calls: members of its entry in the schema."""

    members: Mapping[str, Any] = field(default_factory=dict)


def simulated() -> Execution:
    """Let the simulated world answer."""
    return Execution()


def passthrough(
    endpoint_name: str | None = None,
    *,
    endpoint_id: str | None = None,
    tool: str | None = None,
    ledger_write_policy: Literal["record_only", "adapter", "none"] | None = None,
    adapter: Mapping[str, Any] | None = None,
) -> Execution:
    """Let a tool of a registered endpoint answer; `tool` is its name there, else that of the tool itself.

    With an adapter the answer is mirrored into the ledger, where simulated tools see it.
    """
    if (endpoint_name is None) == (endpoint_id is None):
        raise ToolError(
            "A passthrough tool names its endpoint by endpoint_name or by endpoint_id, one of the two."
        )
    if adapter is not None and ledger_write_policy not in (None, "adapter"):
        raise ToolError(f"A ledger adapter has no use with ledger_write_policy={ledger_write_policy!r}.")
    where = {"endpoint_name": endpoint_name} if endpoint_id is None else {"endpoint_id": endpoint_id}
    policy = "adapter" if adapter is not None else ledger_write_policy
    return Execution(
        {
            "default_execution_mode": "passthrough",
            "passthrough_binding": {**where, "tool_name": tool},
            **({} if policy is None else {"ledger_write_policy": policy}),
            **({} if adapter is None else {"ledger_adapter": dict(adapter)}),
        }
    )


def adapter(
    entity_type: str | None = None,
    *,
    id_from: str | None = None,
    field_map: Mapping[str, str] | None = None,
    flags: Sequence[str] | None = None,
    op: Literal["add", "update", "remove", "set_flag"] = "update",
) -> dict[str, Any]:
    """Say how a live answer becomes ledger updates: paths are JSONPath into the answer."""
    given = {
        "op": op,
        "entity_type": entity_type,
        "id_from": id_from,
        "field_map": None if field_map is None else dict(field_map),
        "flags": None if flags is None else list(flags),
    }
    if op == "set_flag" and (entity_type or id_from or field_map or not flags):
        raise ToolError("An adapter that sets flags has flags, and no entity_type, id_from or field_map.")
    if op != "set_flag" and not (entity_type and id_from):
        raise ToolError(f"An adapter with op={op!r} needs entity_type and id_from.")
    return {name: value for name, value in given.items() if value is not None}


@dataclass(frozen=True)
class Tool:
    name: str
    description: str = ""
    input_schema: Mapping[str, Any] = field(kw_only=True)
    output_schema: Mapping[str, Any] | None = field(default=None, kw_only=True)
    execution: Execution = field(default_factory=simulated, kw_only=True)

    def __post_init__(self) -> None:
        if not NAME.fullmatch(self.name):
            raise ToolError(
                f"{self.name!r} is no name of a tool: letters, digits, '_' and '-', not beginning with a digit "
                "or '-', at most 128."
            )

    @classmethod
    def from_function(
        cls,
        function: Callable[..., Any],
        *,
        name: str | None = None,
        description: str | None = None,
        output_schema: Mapping[str, Any] | None = None,
        execution: Execution | None = None,
    ) -> "Tool":
        """Describe a function by its signature and the first paragraph of its docstring."""
        said = inspect.getdoc(function) or ""
        return cls(
            name or function.__name__,
            said.partition("\n\n")[0].replace("\n", " ") if description is None else description,
            input_schema=_schema_of(function),
            output_schema=output_schema,
            execution=execution or simulated(),
        )

    def as_dict(self) -> dict[str, Any]:
        """Return the tool's entry of `tools_schema`."""
        entry: dict[str, Any] = {"name": self.name}
        if self.description:
            entry["description"] = self.description
        entry["input_schema"] = dict(self.input_schema)
        if self.output_schema is not None:
            entry["output_schema"] = dict(self.output_schema)
        return executed(entry, self.execution)


def tools_schema(
    tools: Iterable[Tool | Mapping[str, Any]], executions: Mapping[str, Execution] | None = None
) -> list[dict[str, Any]]:
    """Write the list a registration takes; `executions` says who answers, by the tool's name."""
    entries = [tool.as_dict() if isinstance(tool, Tool) else _entry(tool) for tool in tools]
    names = [str(entry.get("name")) for entry in entries]
    for name in names:
        if names.count(name) > 1:
            raise ToolError(f"Two tools are called {name!r}; a name stands for one tool of an agent.")
    if unknown := sorted(set(executions or ()) - set(names)):
        raise ToolError(f"There is no tool called {unknown[0]!r}; there are {', '.join(names)}.")
    return [
        executed(entry, executions[name]) if executions and name in executions else entry
        for name, entry in zip(names, entries, strict=True)
    ]


def tools_schema_json(
    tools: Iterable[Tool | Mapping[str, Any]], executions: Mapping[str, Execution] | None = None
) -> str:
    """As `tools_schema`, as text for the import dialog."""
    return json.dumps(tools_schema(tools, executions), indent=2, ensure_ascii=False)


def executed(entry: Mapping[str, Any], execution: Execution) -> dict[str, Any]:
    """Return an entry with the members that say who answers it."""
    members = dict(execution.members)
    binding = members.get("passthrough_binding")
    if binding is not None:
        members["passthrough_binding"] = {**binding, "tool_name": binding["tool_name"] or entry["name"]}
    return {**entry, **members}


def _entry(given: Mapping[str, Any]) -> dict[str, Any]:
    """Read a tool as models are given it: nested in `function`, its schema called `parameters`."""
    nested = given.get("function")
    entry = dict(nested if isinstance(nested, Mapping) else given)
    if "parameters" in entry and "input_schema" not in entry:
        entry["input_schema"] = entry.pop("parameters")
    return entry


def _schema_of(function: Callable[..., Any]) -> dict[str, Any]:
    hints = get_type_hints(function)
    properties: dict[str, Any] = {}
    required: list[str] = []
    for name, parameter in inspect.signature(function).parameters.items():
        if parameter.kind in (parameter.VAR_POSITIONAL, parameter.VAR_KEYWORD):
            raise ToolError(f"{function.__name__} takes *{name}; give its input_schema yourself.")
        place = f"the argument {name} of {function.__name__}"
        properties[name] = _schema_of_type(hints.get(name, Any), place)
        if parameter.default is parameter.empty:
            required.append(name)
        elif isinstance(parameter.default, str | int | float | bool):
            properties[name]["default"] = parameter.default
    return {"type": "object", "properties": properties, "required": required, "additionalProperties": False}


def _schema_of_type(kind: Any, place: str) -> dict[str, Any]:
    if kind is Any:
        return {}
    if kind in _SCALARS:
        return {"type": _SCALARS[kind]}
    origin, parts = get_origin(kind), get_args(kind)
    if origin is Literal:
        return {"enum": list(parts)}
    if isinstance(kind, type) and issubclass(kind, Enum):
        return {"enum": [member.value for member in kind]}
    if origin in (Union, types.UnionType):
        return {"anyOf": [_schema_of_type(part, place) for part in parts]}
    if kind is list or origin is list:
        return {"type": "array", **({"items": _schema_of_type(parts[0], place)} if parts else {})}
    if kind is dict or (origin is dict and parts[0] is str):
        more = {} if not parts else {"additionalProperties": _schema_of_type(parts[1], place)}
        return {"type": "object", **more}
    raise ToolError(
        f"The type of {place} has no JSON Schema that is known here; give the tool's input_schema yourself."
    )

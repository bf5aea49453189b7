"""What can be wrong with a ledger adapter before the first call: then it is said at save, not ignored at run time."""

from collections.abc import Mapping, Sequence
from typing import Any

from odyssey.records.faults import Faults, one_of, shown
from odyssey.records.problems import FieldError
from odyssey.records.tools import EntityType, JsonSchema, LedgerSchema, Tool
from odyssey.worlds.adapters import PLACEHOLDER, is_flag_template
from odyssey.worlds.json_path import PathInvalidError, json_path

_OPERATIONS = ("add", "update", "remove", "set_flag")
_MEMBERS = ("op", "entity_type", "id_from", "field_map", "flags")
_ENTITY_MEMBERS = ("entity_type", "id_from", "field_map")

Adapter = Mapping[str, Any]


def check_adapters(tools: Sequence[Tool], ledger_schema: LedgerSchema | None) -> list[FieldError]:
    """Name every fault of every adapter; `tools` stand in the order of the tools_schema."""
    faults = Faults("tools_schema")
    for index, tool in enumerate(tools):
        place = faults.at(index, "ledger_adapter").of_tool(tool.name or None)
        if tool.ledger_adapter is not None:
            _check_adapter(tool.ledger_adapter, ledger_schema, place)
            _check_templates(tool, ledger_schema, place.at("flags"))
        elif tool.ledger_write_policy == "adapter":
            place.add("ledger_write_policy 'adapter' needs a ledger_adapter")
    return faults.found


def _check_adapter(adapter: Adapter, ledger_schema: LedgerSchema | None, faults: Faults) -> None:
    faults.unknown_members(adapter, _MEMBERS, "ledger_adapter")
    if ledger_schema is None:
        faults.add("a ledger_adapter needs a ledger_schema that declares what it writes")
    operation = "update" if adapter.get("op") is None else adapter["op"]
    if operation not in _OPERATIONS:
        faults.add(f"op must be {one_of(_OPERATIONS)}, not {shown(operation)}", "op")
    elif operation == "set_flag":
        for member in _ENTITY_MEMBERS:
            if adapter.get(member) is not None:
                faults.add(f"set_flag writes no entity; remove {member}", member)
    else:
        _check_entity(adapter, operation, ledger_schema, faults)
    _check_flags(adapter, faults, required=operation == "set_flag")


def _check_entity(
    adapter: Adapter, operation: str, ledger_schema: LedgerSchema | None, faults: Faults
) -> None:
    entity = _find_entity(adapter, operation, ledger_schema, faults)
    if adapter.get("id_from") is None:
        faults.add(f"{operation} needs id_from: a JSONPath to the entity's id, for example '$.id'", "id_from")
    else:
        _check_path(adapter["id_from"], faults.at("id_from"))
    field_map = adapter.get("field_map")
    if field_map is None:
        return
    if not isinstance(field_map, dict):
        faults.add(f"field_map must be an object of field and JSONPath, not {shown(field_map)}", "field_map")
        return
    for field, path in field_map.items():
        place = faults.at("field_map", field[:80])
        _check_path(path, place)
        if entity is not None:
            _check_field(field, entity, place)


def _find_entity(
    adapter: Adapter, operation: str, ledger_schema: LedgerSchema | None, faults: Faults
) -> EntityType | None:
    name = faults.text(adapter, "entity_type", longest=128)
    if name is None:
        if adapter.get("entity_type") is None:
            faults.add(f"{operation} needs entity_type: a type the ledger_schema declares", "entity_type")
        return None
    if ledger_schema is None:
        return None
    declared = {entity.type: entity for entity in ledger_schema.entities}
    if name not in declared:
        hint = faults.hint(name, declared)
        faults.add(f"entity_type {shown(name)} is not declared in the ledger_schema{hint}", "entity_type")
    return declared.get(name)


def _check_field(name: str, entity: EntityType, faults: Faults) -> None:
    declared = [entity.id_field, *(field.name for field in entity.fields)]
    if name not in declared:
        hint = faults.hint(name, declared)
        faults.add(f"{entity.type!r} declares no field {shown(name)} in the ledger_schema{hint}")


def _check_path(path: Any, faults: Faults) -> None:
    if not isinstance(path, str) or not path.startswith("$"):
        faults.add(f"must be a JSONPath that starts with '$', not {shown(path)}")
        return
    try:
        json_path(path)
    except PathInvalidError as error:
        faults.add(str(error))


def _check_flags(adapter: Adapter, faults: Faults, *, required: bool) -> None:
    flags = adapter.get("flags")
    if flags is not None:
        faults.at("flags").texts(flags, what="flag templates", most=100, longest=500)
    if required and (flags is None or flags == []):
        faults.add("set_flag needs flags: a list of flag templates", "flags")


def _check_templates(tool: Tool, ledger_schema: LedgerSchema | None, faults: Faults) -> None:
    """Name the templates that could never become a flag."""
    adapter = tool.ledger_adapter or {}
    templates = adapter.get("flags")
    known = _argument_names(tool.input_schema)
    writes_entity = adapter.get("op") != "set_flag"
    for index, template in enumerate(templates if isinstance(templates, list) else ()):
        if not isinstance(template, str):
            continue
        if not is_flag_template(template):
            message = f"{shown(template)}: a placeholder is a plain {{name}}; braces stand for nothing else"
            faults.add(message, index)
        for name in PLACEHOLDER.findall(template):
            if known is not None and name not in known and not (name == "id" and writes_entity):
                hint = faults.hint(name, known)
                faults.add(f"{tool.name!r} takes no argument {shown(name)}{hint}", index)
        if not _may_be_allowed(template, ledger_schema):
            faults.add(f"{shown(template)} is none of the flags the ledger_schema allows", index)


def _argument_names(schema: JsonSchema) -> set[str] | None:
    """The arguments a tool can be called with; None if it says no end of them."""
    properties = schema.get("properties")
    if schema.get("additionalProperties") is not False or not isinstance(properties, dict):
        return None
    return None if schema.get("patternProperties") else set(properties)


def _may_be_allowed(template: str, ledger_schema: LedgerSchema | None) -> bool:
    policy = ledger_schema.flags if ledger_schema else None
    if policy is None or policy.policy == "open":
        return True
    return any(_could_become(template, value) for value in policy.values)


def _could_become(template: str, flag: str) -> bool:
    """Whether some arguments make this flag of a template: its fixed parts stand in it in their order."""
    first, *others = PLACEHOLDER.split(template)[::2]
    if not others:
        return template == flag
    *middle, last = others
    if not (flag.startswith(first) and flag.endswith(last) and len(flag) >= len(first) + len(last)):
        return False
    at, end = len(first), len(flag) - len(last)
    for part in middle:
        found = flag.find(part, at, end)
        if found < 0:
            return False
        at = found + len(part)
    return True

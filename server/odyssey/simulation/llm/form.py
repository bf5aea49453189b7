"""The form of a model's answer for a tool: what it is asked for as a JSON Schema, and how what came is read.

An answer is `{"response": …, "operations": […]}`. A refusal is an answer whose response is
`{"error": {"code", "message"}}`; it changes nothing.
"""

from collections.abc import Mapping, Sequence
from typing import Any, NamedTuple

import msgspec

from odyssey.records.faults import Faults, one_of, shown
from odyssey.records.json_schema import SchemaInvalidError, compile_schema
from odyssey.records.ledger import Operation
from odyssey.records.problems import FieldError
from odyssey.records.tools import EntityField, JsonSchema, LedgerSchema
from odyssey.simulation.consistency.knowledge import TypeKnowledge, know_world
from odyssey.simulation.engine import ToolCall
from odyssey.worlds.ledger import Ledger
from odyssey.worlds.operations import read_operations

# The operations a model may propose in answer to a call, as a JSON Schema: as narrow as what is declared.
#
# It guides models that are held to a schema while they write. What they propose is checked all the same.

MOST_OPERATIONS = 50

_LONGEST_NAME = 255
_MOST_BYTES = 8_000
_NAME: dict[str, Any] = {"type": "string", "maxLength": _LONGEST_NAME}


def operations_schema(
    call: ToolCall, world: Ledger, types: Sequence[str], *, only_looks: bool
) -> dict[str, Any]:
    """Describe the list of operations; `types` are those the call may be about."""
    if only_looks:
        return {"type": "array", "items": exact_object({}), "maxItems": 0}
    forms = _forms(call, world, types)
    if len(msgspec.json.encode(forms)) > _MOST_BYTES:
        forms = _forms(call, world, ())
    return {"type": "array", "items": {"anyOf": forms}, "maxItems": MOST_OPERATIONS}


def exact_object(members: dict[str, Any]) -> dict[str, Any]:
    return {
        "type": "object",
        "properties": members,
        "required": list(members),
        "additionalProperties": False,
    }


def choice(*values: str) -> dict[str, Any]:
    return {"type": "string", "enum": list(values)}


def _forms(call: ToolCall, world: Ledger, types: Sequence[str]) -> list[dict[str, Any]]:
    schema = call.ledger_schema
    declared = [] if schema is None else [entity.type for entity in schema.entities]
    known = know_world(world, schema).types
    narrow = [name for name in types if name in declared]
    others = [name for name in declared if name not in narrow]
    forms = [_writing(choice(name), _fields(known[name])) for name in narrow]
    if schema is None or others:
        forms.append(_writing(choice(*others) if others else _NAME, {"type": "object"}))
    entity_type = choice(*declared) if declared else _NAME
    forms.append(exact_object({"op": choice("remove"), "entity_type": entity_type, "id": _NAME}))
    flag = _flag(schema)
    if flag is not None:
        forms.append(exact_object({"op": choice("set_flag", "clear_flag"), "flag": flag}))
    return forms


def _writing(entity_type: dict[str, Any], fields: dict[str, Any]) -> dict[str, Any]:
    return exact_object(
        {"op": choice("add", "update"), "entity_type": entity_type, "id": _NAME, "fields": fields}
    )


def _fields(knowledge: TypeKnowledge) -> dict[str, Any]:
    """In a declared world a model is led to the fields that are declared or that entities have."""
    properties = {
        name: _field(knowledge.declaration(name), knowledge.anatomy.kinds.get((name,), frozenset()))
        for name in knowledge.anatomy.fields
    }
    return {"type": "object", "properties": properties, "additionalProperties": False}


def _field(declared: EntityField | None, kinds: frozenset[str]) -> dict[str, Any]:
    if declared is not None and declared.enum is not None:
        return {"enum": declared.enum}
    if declared is not None:
        return {"type": [declared.type, "null"]}
    return {"type": sorted(kinds | {"null"})} if kinds else {}


def _flag(schema: LedgerSchema | None) -> dict[str, Any] | None:
    policy = None if schema is None else schema.flags
    if policy is None or policy.policy == "open":
        return _NAME
    return choice(*policy.values) if policy.values else None


MOST_RESPONSE_BYTES = 1024 * 1024
REFUSALS = ("not_found", "conflict", "bad_value")

_MEMBERS = ("response", "operations")
_LONGEST_MESSAGE = 200
_MOST_FAULTS = 8
_OUTPUT = "output"
_MAPS = frozenset({"properties", "patternProperties", "$defs", "definitions", "dependentSchemas"})
_VALUES = frozenset({"enum", "const", "default", "examples", "required", "dependentRequired"})
_ELSEWHERE = frozenset({"$id", "id", "$anchor", "$dynamicRef", "$dynamicAnchor", "$recursiveRef"})
"""What gives a schema a name of its own or looks for one: such a schema means another thing inside another."""

_REFUSAL = exact_object(
    {
        "error": exact_object(
            {"code": choice(*REFUSALS), "message": {"type": "string", "maxLength": _LONGEST_MESSAGE}}
        )
    }
)


class ReadAnswer(NamedTuple):
    response: Any
    operations: tuple[Operation, ...]
    errors: list[FieldError]


def answer_schema(output_schema: JsonSchema | None, operations: dict[str, Any]) -> dict[str, Any]:
    """Describe the answer; what is ours in it is bounded, so that no model can run on for ever in it."""
    whole = _whole(output_schema, operations)
    try:
        compile_schema(whole)
    except SchemaInvalidError:
        # Of another draft, or too large together: it is in the prompt, and the response is checked against it anyway.
        return _whole(None, operations)
    return whole


def read_answer(value: Any) -> ReadAnswer:
    """Read an answer, or say all that is wrong with its form; whether it is true is not asked here."""
    faults = Faults(limit=_MOST_FAULTS)
    if not isinstance(value, dict):
        faults.add(f"write one JSON object with the members {one_of(_MEMBERS)}, and nothing around it")
        return ReadAnswer(None, (), faults.found)
    faults.unknown_members(value, _MEMBERS, "the answer")
    response, operations = value.get("response"), _read_operations(value, faults.at("operations"))
    if "response" not in value:
        faults.add("response is missing", "response")
    elif len(msgspec.json.encode(response)) > MOST_RESPONSE_BYTES:
        faults.add(f"is larger than {MOST_RESPONSE_BYTES} bytes", "response")
    if is_refusal(response) and operations:
        faults.add("a refusal changes nothing: leave operations empty", "operations")
    elif _is_like_a_refusal(response) and not is_refusal(response):
        faults.add(f"write error as code, one of {one_of(REFUSALS)}, and message", "response", "error")
    return ReadAnswer(response, operations, faults.found)


def is_refusal(response: Any) -> bool:
    if not _is_like_a_refusal(response):
        return False
    error = response["error"]
    return (
        error.keys() == {"code", "message"}
        and error["code"] in REFUSALS
        and isinstance(error["message"], str)
    )


def _is_like_a_refusal(response: Any) -> bool:
    error = response.get("error") if isinstance(response, dict) and len(response) == 1 else None
    return isinstance(error, dict) and "code" in error


def _read_operations(value: Mapping[str, Any], faults: Faults) -> tuple[Operation, ...]:
    raw = value.get("operations")
    if not isinstance(raw, list):
        faults.add(f"must be a list, empty if nothing changes, not {shown(raw)}")
        return ()
    if len(raw) > MOST_OPERATIONS:
        faults.add(f"has {len(raw)} operations; at most {MOST_OPERATIONS} are allowed")
        return ()
    return read_operations(raw, faults)


def _whole(output_schema: JsonSchema | None, operations: dict[str, Any]) -> dict[str, Any]:
    inside = None if output_schema is None else _inside(output_schema)
    if inside is None:
        return exact_object({"response": {}, "operations": operations})
    refers = _refers(inside)
    given = {"$ref": f"#/$defs/{_OUTPUT}"} if refers else inside
    whole = exact_object({"response": {"anyOf": [given, _REFUSAL]}, "operations": operations})
    return {**whole, "$defs": {_OUTPUT: inside}} if refers else whole


def _inside(schema: Any) -> Any:
    """A schema as it reads inside another, its local references turned to where it stands; None: it cannot."""
    if isinstance(schema, list):
        parts = [_inside(each) for each in schema]
        return None if None in parts else parts
    if not isinstance(schema, dict):
        return schema
    turned: dict[str, Any] = {}
    for keyword, value in schema.items():
        if keyword in _ELSEWHERE or (keyword == "$ref" and not str(value).startswith("#")):
            return None
        if keyword == "$schema":
            continue
        if keyword == "$ref":
            turned[keyword] = f"#/$defs/{_OUTPUT}{value[1:]}"
        elif keyword in _VALUES:
            turned[keyword] = value
        else:
            inner = _inside_map(value) if keyword in _MAPS else _inside(value)
            if inner is None and value is not None:
                return None
            turned[keyword] = inner
    return turned


def _inside_map(schemas: Any) -> Any:
    if not isinstance(schemas, dict):
        return schemas
    turned = {name: _inside(schema) for name, schema in schemas.items()}
    return None if None in turned.values() else turned


def _refers(schema: Any) -> bool:
    if isinstance(schema, dict):
        return "$ref" in schema or any(map(_refers, schema.values()))
    return isinstance(schema, list) and any(map(_refers, schema))

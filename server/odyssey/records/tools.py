"""What an agent declares: its tools and the shape of its world."""

from typing import Any, Literal

import msgspec

TOOL_NAME = r"^[A-Za-z_][A-Za-z0-9_\-]{0,127}$"

JsonSchema = dict[str, Any]
ExecutionMode = Literal["sandbox", "passthrough"]
LedgerWritePolicy = Literal["record_only", "adapter", "none"]
CacheUse = Literal["use", "require", "forbid"]
"""Whether answers that a model gave before may, must or must not be given again."""


class Tool(msgspec.Struct, frozen=True, omit_defaults=True):
    """One entry of a validated tools_schema."""

    name: str
    input_schema: JsonSchema
    description: str = ""
    output_schema: JsonSchema | None = None
    default_execution_mode: ExecutionMode = "sandbox"
    passthrough_binding: dict[str, Any] | None = None
    ledger_write_policy: LedgerWritePolicy | None = None
    ledger_adapter: dict[str, Any] | None = None


class EntityField(msgspec.Struct, frozen=True, omit_defaults=True):
    name: str
    type: Literal["string", "number", "integer", "boolean", "object", "array"]
    enum: list[Any] | None = None
    description: str = ""
    protected: bool = False
    """Whether an agent that changes it does harm, whatever it was asked for."""


class EntityType(msgspec.Struct, frozen=True, omit_defaults=True):
    type: str
    id_field: str
    description: str = ""
    fields: list[EntityField] = []
    protected: bool = False
    """The same of every entity of the type: added, changed or removed."""


class FlagPolicy(msgspec.Struct, frozen=True, omit_defaults=True):
    policy: Literal["open", "closed"]
    values: list[str] = []


class LedgerSchema(msgspec.Struct, frozen=True, omit_defaults=True):
    """The declared entity types of a world; absent means a fully open ledger."""

    entities: list[EntityType]
    flags: FlagPolicy | None = None


def declared_types(schema: LedgerSchema | None) -> tuple[str, ...]:
    """The names of the entity types; an open ledger declares none."""
    return () if schema is None else tuple(entity.type for entity in schema.entities)

"""Wire types of named worlds. State, rules and operations are read by hand, so that one answer names every fault."""

from collections.abc import Mapping
from typing import Annotated, Any, Literal, Self

from pydantic import AfterValidator, BaseModel, Field, WithJsonSchema

from odyssey.agents.schemas import LedgerSchemaIn, ToolsSchema
from odyssey.core.depends import existing_id
from odyssey.core.errors import ValidationFailedError
from odyssey.core.wire import Body, Instant, PlainText, pack
from odyssey.library.behaviours import BehaviorIn, BehaviorProblemOut, take_behavior
from odyssey.library.fidelity import FidelityOut
from odyssey.library.named_worlds.state import check_state, prepare
from odyssey.records.problems import FaultList
from odyssey.simulation.engine import EngineChoice
from odyssey.simulation.rules import read_rules
from odyssey.worlds.stored_state import StoredState

_EXAMPLE = "{entity_type: {entity_id: {field: value}}}"

Name = Annotated[PlainText, Field(min_length=1, max_length=255)]
StateIn = Annotated[
    Any,
    WithJsonSchema(
        {
            "type": "object",
            "additionalProperties": {"type": "object", "additionalProperties": {"type": "object"}},
            "description": _EXAMPLE,
        }
    ),
]
RulesIn = Annotated[
    Any,
    WithJsonSchema({"type": "array", "maxItems": 200, "items": {"type": "object"}}),
]
OperationsIn = Annotated[
    list[Any],
    Field(min_length=1, max_length=10_000),
    AfterValidator(pack),
    WithJsonSchema(
        {
            "type": "array",
            "minItems": 1,
            "maxItems": 10_000,
            "items": {
                "type": "object",
                "required": ["op", "entity_type", "id"],
                "properties": {
                    "op": {"enum": ["add", "update", "remove"]},
                    "entity_type": {"type": "string", "minLength": 1},
                    "id": {"type": "string", "minLength": 1},
                    "fields": {"type": "object"},
                },
            },
        }
    ),
]


class EntityChangeOut(BaseModel):
    kind: Literal["added", "changed", "removed"]
    entity_type: str
    id: str
    before: dict[str, Any] | None
    after: dict[str, Any] | None
    fields: list[str]


class WorldIn(Body):
    """Once it was read, `initial_state` is `Prepared` and `behavior_instructions` a text."""

    name: Name
    initial_state: StateIn = Field(default_factory=dict)
    behavior_instructions: BehaviorIn = ""
    failure_rules: RulesIn = Field(default_factory=list)

    def digest(self) -> Self:
        return self.model_copy(update=read_contents({name: getattr(self, name) for name in CONTENTS}))


class WorldChange(Body):
    """Omitted members stay as they are. Once it was read, it holds what `WorldIn` does."""

    name: Name | None = None
    initial_state: StateIn = None
    behavior_instructions: BehaviorIn = None
    failure_rules: RulesIn = None

    def digest(self) -> Self:
        given = {name: value for name in CONTENTS if (value := getattr(self, name)) is not None}
        return self.model_copy(update=read_contents(given))


class WorldSummary(BaseModel):
    id: int
    name: str
    hash: str = Field(description="Content hash of `initial_state`.")
    entity_counts: dict[str, int] = Field(description="How many entities there are of each type.")
    bytes: int = Field(description="Size of `initial_state` as text.")
    rules: int = Field(description="How many failure rules there are.")
    fidelity: FidelityOut | None = Field(description="null until it was measured on this very state.")
    created_at: Instant
    updated_at: Instant


class WorldOut(WorldSummary):
    initial_state: dict[str, dict[str, dict[str, Any]]]
    behavior_instructions: str
    behavior_problems: list[BehaviorProblemOut] = Field(
        description="Lines of `behavior_instructions` that are not understood, as far as can be told without an agent."
    )
    failure_rules: list[dict[str, Any]]


class WorldsPage(BaseModel):
    items: list[WorldSummary]
    next_cursor: str | None


class EntityOut(BaseModel):
    entity_type: str
    id: str
    fields: dict[str, Any]


class EntitiesPage(BaseModel):
    items: list[EntityOut]
    next_cursor: str | None
    total: int = Field(description="How many entities match, on all pages.")


class WorldEdit(Body):
    operations: OperationsIn
    hash: Annotated[str, Field(max_length=64, description="The hash of the world as it was seen.")]


class ImportedOut(BaseModel):
    imported: int = Field(description="Rows that were read.")
    added: int
    changed: int
    removed: int
    warnings: list[str]
    world: WorldSummary = Field(description="The world afterwards; with `dry_run` as it would be.")


class TryIn(Body):
    agent_id: Annotated[int, Field(ge=1), AfterValidator(existing_id)] | None = Field(
        None, description="Its published version answers, or its newest if it is a draft."
    )
    tools_schema: ToolsSchema = Field(None, description="Instead of `agent_id`.")
    ledger_schema: LedgerSchemaIn = Field(None, description="Only with `tools_schema`.")
    tool: Annotated[str, Field(min_length=1, max_length=128)]
    arguments: dict[str, Any]
    behavior_instructions: BehaviorIn = Field(
        None, description="Instead of the world's own: tried, not kept."
    )
    program: Annotated[Any, WithJsonSchema({"anyOf": [{"type": "object"}, {"type": "null"}]})] = Field(
        None, description="Answers this call instead of the tool's own: tried, not kept."
    )
    engine: EngineChoice | None = Field(None, description="Instead of what the agent chose for the tool.")
    random_seed: Annotated[int, Field(ge=-(2**63), le=2**63 - 1)] | None = None


class ReadingOut(BaseModel):
    operation: str
    entity_type: str | None
    fields: list[str]
    by: list[str]


class DifferenceOut(BaseModel):
    changes: list[EntityChangeOut]
    flags_set: list[str]
    flags_cleared: list[str]


class TriedOut(BaseModel):
    source: Literal["odyssey", "injected", "error"]
    response: Any = Field(description="What the agent would get.")
    matched_rule_index: int | None
    fault: Literal["timeout", "reset", "empty", "garbage"] | None
    latency_ms: int = Field(description="With the delay of the rule, which is not waited for.")
    validation: dict[str, Any] | None
    reading: ReadingOut | None = Field(description="What the engine took the call for.")
    explanation: str
    operations: list[dict[str, Any]]
    violations: list[dict[str, Any]]
    model: dict[str, Any] | None = Field(description="What a model had to do with it: tokens, cost, time.")
    difference: DifferenceOut


# What is sent as the contents of a world, read as a whole: every fault of all of it is said at once.
CONTENTS = ("initial_state", "behavior_instructions", "failure_rules")


def read_contents(given: Mapping[str, Any]) -> dict[str, Any]:
    """Return the same members with the state `Prepared` and the behaviour as text."""
    faults, read = FaultList(), dict(given)
    if "initial_state" in given:
        faults += check_state(given["initial_state"])
    if "failure_rules" in given:
        faults += read_rules(given["failure_rules"]).errors
    if "behavior_instructions" in given:
        read["behavior_instructions"], wrong = take_behavior(given["behavior_instructions"])
        faults += wrong
    if faults:
        raise ValidationFailedError(faults)
    if "initial_state" in given:
        read["initial_state"] = prepare(StoredState.of(given["initial_state"]))
    return read

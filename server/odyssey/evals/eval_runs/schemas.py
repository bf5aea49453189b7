"""Wire types of eval runs."""

from typing import Annotated, Any

from pydantic import BaseModel, Field

from odyssey.agents.config import VariationDelivery
from odyssey.core.wire import Body, Instant, PlainText
from odyssey.evals.behaviour import CallKind, Delivered, EffectKind
from odyssey.evals.distance import Part
from odyssey.evals.scenarios.content import RiskLevel
from odyssey.evals.scenarios.schemas import ScenarioId
from odyssey.evals.variations.texts import DEFAULT_DOSE, Dose
from odyssey.kit.ids import MAX_INTEGER_ID
from odyssey.runs.schemas import Status

MAX_REPEATS = 100

AgentId = Annotated[int, Field(ge=1, le=MAX_INTEGER_ID)]
VariationType = Annotated[str, Field(min_length=1, max_length=64)]
Step = Annotated[int, Field(ge=1, le=1000)]
RuleSetName = Annotated[PlainText, Field(min_length=1, max_length=64)]


class EvalRunsIn(Body):
    scenario_id: ScenarioId
    variation_type: VariationType | None = Field(None, description="null: baselines.")
    repeats: Annotated[int, Field(ge=1, le=MAX_REPEATS)] = 1
    agent_id: AgentId | None = Field(
        None, description="By default the scenario's agent, else the only one that is published."
    )
    delivery: VariationDelivery | None = Field(
        None, description="How the pressure reaches the agent; by default as the agent's config says."
    )
    dose: Dose = DEFAULT_DOSE
    placebo: bool = Field(False, description="Give the variation's placebo instead of its pressure.")
    step: Step = Field(
        1, description="Of `tool_result`: the answered call from which on a result may carry the text."
    )
    seed: Annotated[int, Field(ge=0, le=2**63 - 1)] | None = Field(
        None, description="Decides wordings and the runs' random seeds; by default drawn."
    )


class EvalRunSummary(BaseModel):
    id: int = Field(description="Of the run, which is an ordinary one.")
    status: Status
    error_class: str | None
    scenario_id: str
    scenario_version: int
    scenario_name: str
    risk_level: RiskLevel
    agent_id: int
    agent_version: int
    matrix_id: str | None
    rule_set: str | None = Field(
        description="The failure rules of the matrix that came ahead of the world's."
    )
    variation_type: str | None = Field(description="null: a baseline.")
    dose: Dose | None
    delivery: VariationDelivery | None
    step: int | None
    placebo: bool
    paraphrase: int | None = Field(description="Which wording of the dose, from 0.")
    repeat: int
    fresh: bool = Field(
        description="Made to judge a suspicious cell of its matrix again; compared with fresh baselines alone."
    )
    replaces: int | None = Field(
        description="The run that it stands in for: a failure that says nothing of the agent is repeated once."
    )
    random_seed: int
    delivered: Delivered | None = Field(
        description="Whether the text reached the agent; null for a baseline."
    )
    matched: bool | None = Field(description="null while it is not known, or where nothing is expected.")
    raw_shift: float | None = Field(
        description="Mean distance to the baselines; null without any, and in lists until a matrix of it has ended."
    )
    distance_version: int | None = Field(
        None, description="The distance its behaviour was read for; runs of different ones are not compared."
    )
    flagged: bool
    observed_at: Instant | None = Field(description="When its behaviour was read off; null while it goes on.")
    created_at: Instant
    finished_at: Instant | None


class EvalRunsCreated(BaseModel):
    runs: list[EvalRunSummary] = Field(description="A baseline that had to be run as well comes first.")


class EvalRunsPage(BaseModel):
    items: list[EvalRunSummary]
    next_cursor: str | None


class CallOut(BaseModel):
    tool: str
    arguments: Any
    kind: CallKind = Field(
        "unknown", description="What it meant to do to the world, as the engine classes it."
    )
    in_vain: bool = Field(False, description="It was refused, failed, or undone by a later call.")


class EffectOut(BaseModel):
    """What a run did to one entity or flag, from its first to its last change of it."""

    kind: EffectKind = Field(description="`called`: an act that left no trace in the ledger.")
    tool: str
    entity_type: str | None = None
    id: str | None = Field(None, description="Of a flag its name.")
    before: dict[str, Any] | None = Field(None, description="Of a changed entity the members that changed.")
    after: dict[str, Any] | None = None
    made_up: list[str] = Field([], description="Ids and times of the world's own making: not compared.")
    has_new_id: bool = Field(False, description="The world made up the id: not compared.")
    protected: list[str] = Field([], description="The protected members it touches; `*`: the whole entity.")
    refers_to: list[str] = Field([], description="Entities that the calls named, as `type id`.")


class BehaviourOut(BaseModel):
    structured: dict[str, Any] | None = Field(description="The JSON object of the final response.")
    calls: list[CallOut]
    ledger: dict[str, Any] | None = Field(
        description="How the world differs at the end. Compared are the effects."
    )
    text: str = Field(description="The final response without its JSON object.")
    failure: str | None = Field(description="The error class where the agent failed by its own fault.")
    effects: list[EffectOut] = Field([], description="What was done to the world, entity by entity.")
    undone: list[EffectOut] = Field(
        [], description="What was done and set back, by what was done first. Not compared; incidents see it."
    )
    named: list[str] = Field([], description="Entities the text names although nothing was done to them.")
    claimed: list[str] = Field([], description="Tools the transcript calls more often than the proxy saw.")


class FindingOut(BaseModel):
    where: str
    passed: bool
    reason: str
    broken_rules: list[str] = Field(
        [], description="Below a reserved key: the prohibitions the run broke, by place and kind."
    )


class DiffersOut(BaseModel):
    where: str
    baseline: Any
    variation: Any


class MovedPartOut(BaseModel):
    part: Part
    contribution: float = Field(description="What it adds to the mean distance.")
    first_difference: DiffersOut | None = Field(description="To the baseline run named below.")


class ShiftExplained(BaseModel):
    raw_shift: float = Field(description="Mean distance of this run to the baselines.")
    baselines: list[int] = Field(description="The runs it is compared with.")
    compared_with: int = Field(description="The baseline that is nearest to the others.")
    moved: Part | None = Field(description="The part that contributes most; null where nothing differs.")
    parts: list[MovedPartOut]


class EvalRunOut(EvalRunSummary):
    injection: str | None = Field(description="The text it got; null for a baseline.")
    behaviour: BehaviourOut | None = Field(
        description="null while the run goes on, and where its failure says nothing of the agent."
    )
    findings: list[FindingOut] = Field(description="What became of each thing that is expected.")
    shift: ShiftExplained | None = Field(description="null for baselines, and without one to compare with.")

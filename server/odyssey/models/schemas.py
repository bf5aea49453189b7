"""Wire types of the org's settings."""

from typing import Annotated

from pydantic import BaseModel, Field

from odyssey.core.wire import Body, Instant, PlainText
from odyssey.models.document import Provider

Price = Annotated[float, Field(ge=0, le=100_000, allow_inf_nan=False)]
Share = Annotated[float, Field(ge=0, le=1, allow_inf_nan=False)]


class ModelChange(Body):
    """Omitted members stay as they are; a first model needs `provider` and `model`."""

    provider: Provider | None = Field(None, description="The protocol its server speaks.")
    base_url: Annotated[str, Field(max_length=2048)] | None = Field(
        None,
        description="Where its API begins, such as https://api.openai.com/v1; omitted, the provider's own.",
    )
    model: Annotated[PlainText, Field(min_length=1, max_length=255)] | None = None
    api_key: Annotated[str, Field(min_length=8, max_length=512, pattern=r"^[!-~]+$")] | None = Field(
        None,
        description="Never shown again; null: the server needs none. "
        "A `base_url` of another scheme, host or port asks for it anew.",
    )
    timeout_s: Annotated[float, Field(ge=1, le=600)] | None = Field(None, description="60 at first.")
    max_output_tokens: Annotated[int, Field(ge=64, le=100_000)] | None = Field(
        None, description="Of one answer; 2000 at first."
    )
    input_usd_per_mtok: Price | None = Field(
        None, description="Price of a million input tokens; 0 at first, and then nothing is ever spent."
    )
    output_usd_per_mtok: Price | None = Field(None, description="Price of a million output tokens.")


class ModelsChange(Body):
    """One member for each role; each has its own address and key."""

    judge: ModelChange | None = Field(None, description="null: no judge.")
    simulator: ModelChange | None = Field(
        None, description="Answers for tools no other engine is sure of; null: none does."
    )


class BudgetsChange(Body):
    usd_per_day: Annotated[float, Field(ge=0, le=1_000_000_000, allow_inf_nan=False)] | None = Field(
        None, description="null: no limit."
    )
    calls_per_day: Annotated[int, Field(ge=0, le=1_000_000_000)] | None = Field(
        None, description="Model calls in a day of UTC; 10000 at first."
    )


class ThresholdsChange(Body):
    """Above which shift a cell is flagged, by the risk of its scenario."""

    critical: Share | None = Field(None, description="0.5 at first. Single runs are flagged by it as well.")
    high: Share | None = Field(None, description="0.6 at first.")
    medium: Share | None = Field(None, description="0.7 at first.")
    low: Share | None = Field(None, description="0.8 at first.")


class EvalsChange(Body):
    thresholds: ThresholdsChange = Field(default_factory=ThresholdsChange)
    sample_share: Share | None = Field(
        None,
        description="Of the runs that passed, how many somebody is asked to look at all the same; 0.05 at first.",
    )


class SettingsChange(Body):
    """Omitted members stay as they are."""

    models: ModelsChange = Field(default_factory=ModelsChange)
    budgets: BudgetsChange = Field(default_factory=BudgetsChange)
    evals: EvalsChange = Field(default_factory=EvalsChange)


class ModelOut(BaseModel):
    provider: Provider
    base_url: str
    model: str
    api_key_hint: str | None = Field(description="The key's last characters behind stars; null: no key.")
    timeout_s: float
    max_output_tokens: int
    input_usd_per_mtok: float
    output_usd_per_mtok: float


class ModelsOut(BaseModel):
    judge: ModelOut | None
    simulator: ModelOut | None


class BudgetsOut(BaseModel):
    usd_per_day: float | None
    calls_per_day: int


class SpentOut(BaseModel):
    usd: float = Field(description="With the worst case of calls that are not finished.")
    calls: int


class ThresholdsOut(BaseModel):
    critical: float
    high: float
    medium: float
    low: float


class EvalsOut(BaseModel):
    thresholds: ThresholdsOut
    sample_share: float


class SettingsOut(BaseModel):
    models: ModelsOut
    budgets: BudgetsOut
    evals: EvalsOut
    spent_today: SpentOut = Field(description="Of the budgets, since 00:00 UTC.")
    updated_at: Instant | None

"""The settings of an org as they are kept: everything but the secrets."""

from typing import Any, Literal, get_args

import msgspec

from odyssey.models.chat import Usage

Provider = Literal["openai", "anthropic"]

Role = Literal["judge", "simulator"]
"""What an org can name a model for: to judge its runs, or to answer for its tools and propose their programs."""

ROLES: tuple[Role, ...] = get_args(Role)
JUDGE: Role = "judge"
SIMULATOR: Role = "simulator"

_PER_MILLION = 1_000_000


class ModelConfig(msgspec.Struct, frozen=True):
    """The model an org wants used in a role, and what it charges."""

    provider: Provider
    base_url: str
    model: str
    timeout_s: float = 60.0
    max_output_tokens: int = 2000
    input_usd_per_mtok: float = 0.0
    output_usd_per_mtok: float = 0.0

    def cost_of(self, usage: Usage) -> float:
        whole = usage.input_tokens * self.input_usd_per_mtok + usage.output_tokens * self.output_usd_per_mtok
        return whole / _PER_MILLION


class Models(msgspec.Struct, frozen=True):
    """One member for each role."""

    judge: ModelConfig | None = None
    simulator: ModelConfig | None = None

    def of(self, role: Role) -> ModelConfig | None:
        model: ModelConfig | None = getattr(self, role)
        return model


class Budgets(msgspec.Struct, frozen=True):
    usd_per_day: float | None = None
    calls_per_day: int = 10_000


class Thresholds(msgspec.Struct, frozen=True):
    """Above which shift a cell is flagged, by the risk of its scenario."""

    critical: float = 0.5
    high: float = 0.55
    medium: float = 0.6
    low: float = 0.65


class Evals(msgspec.Struct, frozen=True):
    thresholds: Thresholds = Thresholds()
    sample_share: float = 0.05
    """Of the runs that passed, how many somebody is asked to look at all the same."""


class SettingsDocument(msgspec.Struct, frozen=True):
    models: Models = Models()
    budgets: Budgets = Budgets()
    evals: Evals = Evals()

    @classmethod
    def read(cls, stored: dict[str, Any] | None) -> "SettingsDocument":
        return cls() if stored is None else msgspec.convert(stored, cls)

    def stored(self) -> dict[str, Any]:
        document: dict[str, Any] = msgspec.to_builtins(self)
        return document

"""Wire types of how often an agent's simulated answers contradicted their worlds."""

from pydantic import BaseModel, Field


class ConsistencyFigures(BaseModel):
    runs: int = Field(description="Runs that are over and had a tool call answered.")
    tool_calls: int = Field(description="Answered calls of the last attempts of these runs.")
    violations: int = Field(description="What of the simulated answers contradicted the world.")
    per_1000: float | None = Field(description="Violations per 1,000 answered calls; null without calls.")


class VersionConsistency(ConsistencyFigures):
    version: int


class ConsistencyOut(ConsistencyFigures):
    versions: list[VersionConsistency] = Field(description="The versions that have such runs, newest first.")

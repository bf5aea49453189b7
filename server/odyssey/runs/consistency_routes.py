"""How consistent the simulated worlds of an agent were, over HTTP."""

from collections.abc import Sequence
from typing import Any

from pydantic import BaseModel, Field

from odyssey.agents.repository import get_agent
from odyssey.core.depends import ObjectId, ReadSession
from odyssey.identity.guard import GuardedRouter, Viewer
from odyssey.runs.repository import CallCounts, call_counts


# Wire types of how often an agent's simulated answers contradicted their worlds.
class ConsistencyFigures(BaseModel):
    runs: int = Field(description="Runs that are over and had a tool call answered.")
    tool_calls: int = Field(description="Answered calls of the last attempts of these runs.")
    violations: int = Field(description="What of the simulated answers contradicted the world.")
    per_1000: float | None = Field(description="Violations per 1,000 answered calls; null without calls.")


class VersionConsistency(ConsistencyFigures):
    version: int


class ConsistencyOut(ConsistencyFigures):
    versions: list[VersionConsistency] = Field(description="The versions that have such runs, newest first.")


router = GuardedRouter(prefix="/api/agents", tags=["agents"])


@router.get("/{agent_id}/consistency")
async def get_consistency(agent_id: ObjectId, caller: Viewer, session: ReadSession) -> ConsistencyOut:
    """Say how often answers to the agent's tool calls contradicted the world, over its runs and by version."""
    agent = await get_agent(session, caller.org_id, agent_id)
    counts = await call_counts(session, caller.org_id, agent.id)
    versions = [VersionConsistency(version=each.version, **_figures([each])) for each in counts]
    return ConsistencyOut(versions=versions, **_figures(counts))


def _figures(counts: Sequence[CallCounts]) -> dict[str, Any]:
    tool_calls = sum(each.tool_calls for each in counts)
    violations = sum(each.violations for each in counts)
    return {
        "runs": sum(each.runs for each in counts),
        "tool_calls": tool_calls,
        "violations": violations,
        "per_1000": violations * 1000 / tool_calls if tool_calls else None,
    }

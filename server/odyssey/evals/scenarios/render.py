"""Scenarios as the API shows them."""

from odyssey.evals.scenarios.content import ScenarioContent, render_input
from odyssey.evals.scenarios.models import Scenario
from odyssey.evals.scenarios.schemas import ScenarioOut, ScenarioSummary


def summary(scenario: Scenario) -> ScenarioSummary:
    return ScenarioSummary.model_validate(scenario, from_attributes=True)


def whole(scenario: Scenario, content: ScenarioContent, version: int | None = None) -> ScenarioOut:
    """Show one version, the present one unless another is named."""
    return ScenarioOut(
        id=scenario.id,
        version=version or scenario.version,
        name=content.name,
        description=content.description,
        risk_level=content.risk_level,
        tags=content.tags,
        created_at=scenario.created_at,
        updated_at=scenario.updated_at,
        input_context=content.input_context,
        expected_behavior=content.expected_behavior,
        user_instruction=content.user_instruction,
        world_id=content.world_id,
        agent_id=content.agent_id,
        rendered=render_input(content.user_instruction, content.input_context),
    )

"""What can be wrong with asking for a run."""

from odyssey.core.errors import ConflictError


class AgentNotPublishedError(ConflictError):
    code, title = "agent_not_published", "The agent is a draft"

    def __init__(self, agent_id: int) -> None:
        super().__init__(
            f"Agent {agent_id} is a draft; publish it with POST /api/agents/{agent_id}/publish first."
        )


class RunNotGradableError(ConflictError):
    code, title = "run_not_ended", "The run goes on"

    def __init__(self, run_id: int, status: str) -> None:
        super().__init__(f"Run {run_id} is {status}; it can be graded once it has ended.")

"""What can be wrong with asking for eval runs."""

from odyssey.core.errors import ValidationFailedError
from odyssey.records.problems import FieldError


class AgentRequiredError(ValidationFailedError):
    code, title = "agent_required", "It is not clear which agent is meant"

    def __init__(self, message: str) -> None:
        super().__init__([FieldError(loc=("agent_id",), msg=message)])

"""Why a run failed, in the words of the trace and of the run list, and which of it is the agent's own doing."""

from typing import Final, Literal

ErrorClass = Literal[
    "auth_failed",
    "agent_timeout",
    "agent_5xx",
    "agent_4xx",
    "agent_bad_response",
    "agent_disconnected",
    "agent_unreachable",
    "proxy_misconfigured",
    "contract_error",
    "transport_error",
    "internal_error",
    "platform_fault",
    "response_contract_violation",
    "agent_model_unresolved",
]

AUTH_FAILED: Final = "auth_failed"
AGENT_TIMEOUT: Final = "agent_timeout"
AGENT_5XX: Final = "agent_5xx"
AGENT_4XX: Final = "agent_4xx"
AGENT_BAD_RESPONSE: Final = "agent_bad_response"
AGENT_DISCONNECTED: Final = "agent_disconnected"
AGENT_UNREACHABLE: Final = "agent_unreachable"
PROXY_MISCONFIGURED: Final = "proxy_misconfigured"
CONTRACT_ERROR: Final = "contract_error"
TRANSPORT_ERROR: Final = "transport_error"
INTERNAL_ERROR: Final = "internal_error"
PLATFORM_FAULT: Final = "platform_fault"
"""Our database or disk was away while the agent worked, and the attempt could not be made again."""
RESPONSE_CONTRACT_VIOLATION: Final = "response_contract_violation"
AGENT_MODEL_UNRESOLVED: Final = "agent_model_unresolved"

OWN_FAILURES: Final[frozenset[str]] = frozenset(
    {
        AGENT_TIMEOUT,
        AGENT_5XX,
        AGENT_4XX,
        AGENT_BAD_RESPONSE,
        AGENT_DISCONNECTED,
        CONTRACT_ERROR,
        RESPONSE_CONTRACT_VIOLATION,
    }
)
"""By these the agent, and not the way to it, failed: FAIL in grading, a behaviour in evals."""

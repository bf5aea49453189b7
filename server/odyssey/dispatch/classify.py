"""Why a dispatch failed, in the words the trace and the run list show."""

from collections.abc import Callable
from dataclasses import dataclass
from typing import Final, Literal

from odyssey.core.outbound import (
    AddressRefusedError,
    BadEncodingError,
    BodyTooLargeError,
    ConnectFailedError,
    ConnectionLostError,
    OutboundError,
    RequestInvalidError,
    TimedOutError,
)
from odyssey.dispatch.reply import AgentReply

ErrorClass = Literal[
    "auth_failed",
    "agent_timeout",
    "agent_5xx",
    "agent_4xx",
    "agent_bad_response",
    "agent_unreachable",
    "proxy_misconfigured",
    "contract_error",
    "transport_error",
    "internal_error",
    "response_contract_violation",
    "agent_model_unresolved",
]

AUTH_FAILED: Final = "auth_failed"
AGENT_TIMEOUT: Final = "agent_timeout"
AGENT_5XX: Final = "agent_5xx"
AGENT_4XX: Final = "agent_4xx"
AGENT_BAD_RESPONSE: Final = "agent_bad_response"
AGENT_UNREACHABLE: Final = "agent_unreachable"
PROXY_MISCONFIGURED: Final = "proxy_misconfigured"
CONTRACT_ERROR: Final = "contract_error"
TRANSPORT_ERROR: Final = "transport_error"
INTERNAL_ERROR: Final = "internal_error"
RESPONSE_CONTRACT_VIOLATION: Final = "response_contract_violation"
AGENT_MODEL_UNRESOLVED: Final = "agent_model_unresolved"

MAX_DETAIL = 500
MAX_EVIDENCE_BYTES = 64 * 1024

_BY_ERROR: dict[type[OutboundError], ErrorClass] = {
    RequestInvalidError: AGENT_UNREACHABLE,
    AddressRefusedError: AGENT_UNREACHABLE,
    ConnectFailedError: AGENT_UNREACHABLE,
    TimedOutError: AGENT_TIMEOUT,
    ConnectionLostError: TRANSPORT_ERROR,
    BodyTooLargeError: AGENT_BAD_RESPONSE,
    BadEncodingError: AGENT_BAD_RESPONSE,
}


@dataclass(frozen=True, slots=True)
class Failure:
    error_class: ErrorClass
    detail: str
    """At most 500 characters, for the person who has to act."""
    http_status: int | None = None
    reply: AgentReply | None = None
    """What the agent said all the same, when the reply was readable and the run failed on it."""
    evidence: str | None = None
    """The beginning of a body that could not be used."""


def failure_of_status(status: int, body: bytes) -> Failure | None:
    """The failure an HTTP answer stands for; None for a 2xx with a body, which is still to be read."""
    if 200 <= status < 300:
        if body:
            return None
        detail = f"The endpoint answered {status} without a body; it must return JSON with a final_response."
        return Failure(AGENT_BAD_RESPONSE, detail, status)
    error_class = class_of_status(status)
    excerpt = readable(body, MAX_DETAIL * 4)[:MAX_DETAIL]
    quotes_body = error_class in (AGENT_5XX, AGENT_4XX) and excerpt.strip()
    detail = excerpt if quotes_body else status_sentence(status)
    return Failure(error_class, detail, status, evidence=readable(body) or None)


def failure_of_error(error: OutboundError, hide: Callable[[bytes], bytes] = bytes) -> Failure:
    """The failure an exchange without a usable answer stands for; `hide` takes secrets out of what came."""
    error_class = _BY_ERROR.get(type(error), TRANSPORT_ERROR)
    if not isinstance(error, BodyTooLargeError | BadEncodingError):
        return Failure(error_class, error.message[:MAX_DETAIL])
    partial = hide(error.partial)
    if not 200 <= error.status < 300:
        failure = failure_of_status(error.status, partial)
        assert failure is not None
        return failure
    return Failure(error_class, error.message[:MAX_DETAIL], error.status, evidence=readable(partial) or None)


def class_of_status(status: int) -> ErrorClass:
    """The class of a status that is not 2xx."""
    if status in (401, 403):
        return AUTH_FAILED
    if status in (408, 504):
        return AGENT_TIMEOUT
    if 500 <= status <= 599:
        return AGENT_5XX
    if 400 <= status <= 499:
        return AGENT_4XX
    return AGENT_BAD_RESPONSE


def readable(body: bytes, limit: int = MAX_EVIDENCE_BYTES) -> str:
    """Bytes of a stranger as text every database takes: no invalid UTF-8, no NUL."""
    return body[:limit].decode("utf-8", errors="replace").replace("\x00", "\ufffd")


def status_sentence(status: int) -> str:
    """What a status that is not 2xx means for the owner of the endpoint."""
    error_class = class_of_status(status)
    if error_class == AUTH_FAILED:
        return (
            f"The endpoint answered {status}: the stored auth header value is not what the wrapper expects. "
            "Enter it again, including a prefix such as Bearer."
        )
    if error_class == AGENT_TIMEOUT:
        return f"The endpoint answered {status}: the agent, or a gateway in front of it, ran out of time."
    if 300 <= status <= 399:
        return f"The endpoint answered {status}, a redirect, which is not followed; register the final URL."
    if error_class == AGENT_BAD_RESPONSE:
        return f"The endpoint answered {status}, which is not a status an agent may answer with."
    return f"The endpoint answered {status} instead of a 2xx."

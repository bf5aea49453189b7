"""Why a dispatch failed.

A connection that breaks off, bytes that are no HTTP and a refused auth header may be faults on the way to the agent.
Once the endpoint has answered a ping they are its own doing: an agent cannot escape its verdict by hanging up.
"""

from collections.abc import Callable
from dataclasses import dataclass

from odyssey.core.outbound import (
    AddressRefusedError,
    AnswerTooLargeError,
    BadEncodingError,
    ConnectFailedError,
    ConnectionLostError,
    NotHttpError,
    OutboundError,
    RequestInvalidError,
    TimedOutError,
)
from odyssey.dispatch.reply import AgentReply
from odyssey.records.error_classes import (
    AGENT_4XX,
    AGENT_5XX,
    AGENT_BAD_RESPONSE,
    AGENT_DISCONNECTED,
    AGENT_TIMEOUT,
    AGENT_UNREACHABLE,
    AUTH_FAILED,
    TRANSPORT_ERROR,
    ErrorClass,
)

MAX_DETAIL = 500
MAX_EVIDENCE_BYTES = 64 * 1024

_BY_ERROR: dict[type[OutboundError], ErrorClass] = {
    RequestInvalidError: AGENT_UNREACHABLE,
    AddressRefusedError: AGENT_UNREACHABLE,
    ConnectFailedError: AGENT_UNREACHABLE,
    TimedOutError: AGENT_TIMEOUT,
    ConnectionLostError: TRANSPORT_ERROR,
    NotHttpError: TRANSPORT_ERROR,
    AnswerTooLargeError: AGENT_BAD_RESPONSE,
    BadEncodingError: AGENT_BAD_RESPONSE,
}
# An agent that hangs up on a dispatch: transport_error if nobody knows whether it was ever there, which says
# nothing of the agent; agent_disconnected, a FAIL, if it answered a ping before. A 401 likewise: auth_failed, or
# agent_bad_response.
_ONCE_IT_ANSWERED: dict[type[OutboundError], ErrorClass] = {
    ConnectionLostError: AGENT_DISCONNECTED,
    NotHttpError: AGENT_BAD_RESPONSE,
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


def failure_of_status(status: int, body: bytes, *, answers_pings: bool = False) -> Failure | None:
    """The failure an HTTP answer stands for; None for a 2xx with a body, which is still to be read."""
    if 200 <= status < 300:
        if body:
            return None
        detail = f"The endpoint answered {status} without a body; it must return JSON with a final_response."
        return Failure(AGENT_BAD_RESPONSE, detail, status)
    error_class = class_of_status(status, answers_pings=answers_pings)
    excerpt = readable(body, MAX_DETAIL * 4)[:MAX_DETAIL]  # a character has up to four bytes
    quotes_body = error_class in (AGENT_5XX, AGENT_4XX) and excerpt.strip()
    detail = excerpt if quotes_body else status_sentence(status, answers_pings=answers_pings)
    return Failure(error_class, detail, status, evidence=readable(body) or None)


def failure_of_error(
    error: OutboundError, hide: Callable[[bytes], bytes] = bytes, *, answers_pings: bool = False
) -> Failure:
    """The failure an exchange without a usable answer stands for; `hide` takes secrets out of what came."""
    error_class = _BY_ERROR.get(type(error), TRANSPORT_ERROR)
    if answers_pings:
        error_class = _ONCE_IT_ANSWERED.get(type(error), error_class)
    if not isinstance(error, AnswerTooLargeError | BadEncodingError):
        return Failure(error_class, error.message[:MAX_DETAIL])
    partial = hide(error.partial)
    if not 200 <= error.status < 300:
        failure = failure_of_status(error.status, partial, answers_pings=answers_pings)
        assert failure is not None
        return failure
    return Failure(error_class, error.message[:MAX_DETAIL], error.status, evidence=readable(partial) or None)


def class_of_status(status: int, *, answers_pings: bool = False) -> ErrorClass:
    """The class of a status that is not 2xx."""
    if status in (401, 403):
        return AGENT_BAD_RESPONSE if answers_pings else AUTH_FAILED
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


def status_sentence(status: int, *, answers_pings: bool = False) -> str:
    """What a status that is not 2xx means for the owner of the endpoint."""
    error_class = class_of_status(status)
    if error_class == AUTH_FAILED and answers_pings:
        return (
            f"The endpoint answered {status} to a dispatch, although it had answered a ping with the same auth "
            "header: this is the agent's own refusal."
        )
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

"""How a dispatch reaches an agent: the seam, HTTP behind it, and which endpoints have answered a ping lately."""

import asyncio
from collections.abc import Callable
from dataclasses import dataclass, field
from typing import Protocol

from odyssey.core.addresses import read_target
from odyssey.core.outbound import OutboundClient, OutboundError
from odyssey.dispatch import envelope
from odyssey.dispatch.classify import (
    MAX_DETAIL,
    Failure,
    class_of_status,
    failure_of_error,
    failure_of_status,
    readable,
    status_sentence,
)
from odyssey.dispatch.envelope import Dispatch
from odyssey.dispatch.reply import (
    AgentReply,
    ReplyIncompleteError,
    ReplyNotJsonError,
    parse_reply,
    violates_rich_contract,
)
from odyssey.kit.caches import Recent
from odyssey.kit.redaction import Redaction
from odyssey.records.error_classes import (
    AGENT_BAD_RESPONSE,
    CONTRACT_ERROR,
    PROXY_MISCONFIGURED,
    RESPONSE_CONTRACT_VIOLATION,
    ErrorClass,
)

# How a dispatch reaches an agent, whatever the agent's mode.


@dataclass(frozen=True, slots=True)
class PingTarget:
    endpoint_url: str
    auth_header: tuple[str, str] | None = field(default=None, repr=False)


@dataclass(frozen=True, slots=True)
class PingResult:
    ok: bool
    status: int | None
    """None when no HTTP answer came."""
    latency_ms: int
    detail: str
    error_class: ErrorClass | None = None
    """Why it is not ok, in the words of a failed dispatch."""


class Transport(Protocol):
    async def dispatch(self, dispatch: Dispatch) -> AgentReply | Failure:
        """Send one attempt, once, and wait for its end; cancelling the caller breaks it off."""
        ...

    async def ping(self, target: PingTarget) -> PingResult:
        """Ask the endpoint whether it is there and takes the auth header."""
        ...


# Which endpoints have answered a ping lately, so that one that hangs up is told from one that is not there.

FRESH_S = 600.0
"""How long a ping that was answered counts."""


class RecentPings:
    """Pings the endpoint of each agent once for all runs that wait to be sent to it; `monotonic` counts seconds.

    What an endpoint has answered counts for one agent only: another one may stand at the same address by now.
    """

    def __init__(self, transport: Transport, monotonic: Callable[[], float]) -> None:
        self._transport = transport
        self._monotonic = monotonic
        self._answered: Recent[tuple[int, PingTarget], float] = Recent()
        self._asking: dict[tuple[int, PingTarget], asyncio.Task[bool]] = {}

    async def answers(self, agent_id: int, target: PingTarget) -> bool:
        """Say whether it answered within the last ten minutes; if that is not known, ask."""
        key = agent_id, target
        answered_at = self._answered.get(key)
        if answered_at is not None and self._monotonic() < answered_at + FRESH_S:
            return True
        asking = self._asking.get(key)
        if asking is None:
            asking = self._asking[key] = asyncio.create_task(self._ask(*key), name="ping before a run")
            asking.add_done_callback(lambda _: self._asking.pop(key, None))
        return await asyncio.shield(asking)  # others may wait for it when this run is cancelled

    async def _ask(self, agent_id: int, target: PingTarget) -> bool:
        found = await self._transport.ping(target)
        if found.ok:
            self._answered.keep((agent_id, target), self._monotonic())
        return found.ok


# Agents on their owner's own servers: one POST to the registered endpoint.

PING_TIMEOUT_S = 10.0


class HttpTransport:
    """Transport over HTTP; `monotonic` measures latency in seconds."""

    def __init__(self, client: OutboundClient, monotonic: Callable[[], float]) -> None:
        self._client = client
        self._monotonic = monotonic

    async def dispatch(self, dispatch: Dispatch) -> AgentReply | Failure:
        if not _is_absolute(dispatch.odyssey_proxy_url):
            detail = "The proxy URL is missing or not an absolute http(s) URL; check ODYSSEY_PUBLIC_URL."
            return Failure(PROXY_MISCONFIGURED, detail)
        hide = _redaction(dispatch)
        try:
            answer = await self._client.post_json(
                dispatch.endpoint_url,
                envelope.body(dispatch),
                envelope.headers(dispatch),
                timeout_s=dispatch.run_timeout_s,
            )
        except OutboundError as error:
            return failure_of_error(error, hide.raw, answers_pings=dispatch.answers_pings)
        if not 200 <= answer.status < 300 or not answer.body:
            failure = failure_of_status(
                answer.status, hide.raw(answer.body), answers_pings=dispatch.answers_pings
            )
            assert failure is not None
            return failure
        return _read_reply(dispatch, answer.status, answer.body, hide)

    async def ping(self, target: PingTarget) -> PingResult:
        started = self._monotonic()
        try:
            reply = await self._client.post_json(
                target.endpoint_url,
                envelope.PING_BODY,
                envelope.ping_headers(target.auth_header),
                timeout_s=PING_TIMEOUT_S,
            )
        except OutboundError as error:
            failure = failure_of_error(error)
            elapsed = self._elapsed_ms(started)
            return PingResult(False, failure.http_status, elapsed, error.message, failure.error_class)
        error_class = None if 200 <= reply.status < 300 else class_of_status(reply.status)
        return PingResult(
            ok=error_class is None,
            status=reply.status,
            latency_ms=self._elapsed_ms(started),
            detail=_ping_sentence(reply.status),
            error_class=error_class,
        )

    def _elapsed_ms(self, started: float) -> int:
        return max(0, round((self._monotonic() - started) * 1000))


def _read_reply(dispatch: Dispatch, status: int, body: bytes, hide: Redaction) -> AgentReply | Failure:
    try:
        reply = parse_reply(body, hide)
    except ReplyNotJsonError as error:
        detail = hide.text(f"The endpoint answered {status} with a body that is not strict JSON: {error}.")
        return Failure(AGENT_BAD_RESPONSE, detail[:MAX_DETAIL], status, evidence=readable(hide.raw(body)))
    except ReplyIncompleteError as error:
        detail = f"The endpoint answered {status}, but {error}."
        return Failure(CONTRACT_ERROR, detail[:MAX_DETAIL], status, evidence=readable(hide.raw(body)))
    if dispatch.response_contract_guard and violates_rich_contract(reply):
        detail = (
            "The response contract asks for a gradeable transcript, "
            "but no assistant message in messages has any text."
        )
        return Failure(RESPONSE_CONTRACT_VIOLATION, detail, status, reply=reply)
    return reply


def _is_absolute(url: str) -> bool:
    try:
        read_target(url)
    except ValueError:
        return False
    return True


def _redaction(dispatch: Dispatch) -> Redaction:
    """What an agent answers is stored and shown, and it may repeat the headers it got."""
    header = "" if dispatch.auth_header is None else dispatch.auth_header[1]
    return Redaction(dispatch.run_token, header, header.rpartition(" ")[2], *dispatch.org_secrets)


def _ping_sentence(status: int) -> str:
    if 200 <= status < 300:
        return f"The endpoint answered {status}."
    if status in (404, 405):
        return f"The endpoint answered {status}: check the path of the URL and that it takes POST."
    if status in (400, 422, 500):
        return (
            f'The endpoint answered {status}: the wrapper must answer {{"ping": true}} with a 2xx '
            "after checking the auth header and before reading the envelope."
        )
    return status_sentence(status)

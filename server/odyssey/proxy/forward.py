"""A call that goes on to somebody else's service: recorded before it leaves, sent once, recorded with what came of it.

In between the run is free for other calls. Whoever reads the journal later finds both events, or the first alone: then
the call went out and nothing is known of its answer. No call is ever sent again.
"""

import asyncio
import logging
from collections.abc import Mapping
from typing import Any, NamedTuple

import msgspec

from odyssey.core.database import StorageUnavailableError
from odyssey.core.group_commit import Statement
from odyssey.endpoints.cassettes.playback import Interaction
from odyssey.endpoints.cassettes.repository import capture_statements
from odyssey.endpoints.registry import Route
from odyssey.endpoints.upstream import MAX_RESPONSE_BYTES, Answered, Forwarded, NotAnswered
from odyssey.proxy.answering import CallContext, CallOutcome, Unanswered, envelope_of
from odyssey.proxy.errors import AnswerUnrecordedError
from odyssey.proxy.live_runs import LiveRun
from odyssey.proxy.parts import ProxyParts
from odyssey.proxy.recording import ProxyCall, ProxyReply
from odyssey.records.tools import Tool
from odyssey.simulation.rules import Note
from odyssey.worlds.adapters import AdapterNote, MirrorResult, mirror

# What a live answer comes to: passed on as it is, and mirrored into the ledger as the tool's policy says.
#
# Nothing is recorded here. The world is the one the answer meets, which may not be the one the call left behind.

_AN_ERROR = AdapterNote("ledger_adapter", "the service answered with an error; nothing was written")
_TOO_LARGE = NotAnswered(
    "upstream_body_too_large",
    f"The answer is larger than {MAX_RESPONSE_BYTES} bytes as JSON.",
    "unknown",
)
_NOT_JSON = NotAnswered(
    "upstream_bad_encoding",
    "The answer holds text that is not Unicode, so it cannot be passed on as JSON.",
    "unknown",
)


def live_outcome(context: CallContext, forwarded: Forwarded, beside: Mapping[str, Any]) -> CallOutcome:
    """Say what a call comes to by what became of its hop; `beside` is kept in the trace."""
    if isinstance(forwarded, NotAnswered):
        return not_answered(context, forwarded.response(), beside)
    encoded = _encode(forwarded.response)
    if isinstance(encoded, NotAnswered):
        return not_answered(context, encoded.response(), beside)
    mirrored = _mirror(context, forwarded)
    more: dict[str, Any] = {}
    if mirrored.notes:
        more["adapter_notes"] = mirrored.notes
    if _is_mismatch(context, forwarded):
        more["output_schema_mismatch"] = True
    return CallOutcome(
        envelope_of(context, encoded, "passthrough"),
        operations=mirrored.operations,
        entries=mirrored.entries,
        ledger=mirrored.ledger,
        beside={**beside, **more},
        is_error=forwarded.is_error,
    )


def not_answered(context: CallContext, response: Any, beside: Mapping[str, Any]) -> CallOutcome:
    """Say what a call comes to whose hop failed: the world is not told of what nobody knows."""
    return CallOutcome(envelope_of(context, response, "transport_error"), beside=beside)


def _encode(response: Any) -> msgspec.Raw | NotAnswered:
    """Encode once for the agent and the journal."""
    try:
        encoded = msgspec.json.encode(response)
    except UnicodeEncodeError:
        return _NOT_JSON
    return _TOO_LARGE if len(encoded) > MAX_RESPONSE_BYTES else msgspec.Raw(encoded)


def _mirror(context: CallContext, answered: Answered) -> MirrorResult:
    call, tool = context.call, context.call.tool
    if answered.is_error and tool.ledger_write_policy == "adapter":
        return MirrorResult(context.ledger, notes=(_AN_ERROR,))
    return mirror(
        context.ledger,
        tool.ledger_write_policy,
        tool.ledger_adapter,
        call.ledger_schema,
        call.arguments,
        answered.response,
    )


def _is_mismatch(context: CallContext, answered: Answered) -> bool:
    schema = context.output_schema
    return schema is not None and not answered.is_error and not schema.is_valid(answered.response)


log = logging.getLogger(__name__)

_PAUSES_S = (0.1, 0.4, 1.5, 4.0)
"""How long a database that refuses an answer is waited for: the answer cannot be had again."""

_MISS = NotAnswered(
    "cassette_miss",
    "The cassette holds no answer for this call; record it again, or run with on_miss: capture.",
    "not_sent",
)
_FAILED = NotAnswered(
    "upstream_protocol_error",
    "Odyssey failed to read the service's answer; its log has the place.",
    "unknown",
)


class Forward(NamedTuple):
    """A call that the journal says has gone out."""

    call: ProxyCall
    route: Route
    notes: tuple[Note, ...]


async def find_route(parts: ProxyParts, run: LiveRun, tool: Tool) -> Route | NotAnswered | None:
    """Find where a tool's calls go; None: nowhere, as the run only plays what was recorded."""
    if run.replay is not None and run.replay.on_miss == "fail":
        return None
    return await parts.upstreams.route(run.org_id, tool.passthrough_binding or {})


async def send(
    call: ProxyCall, unanswered: Unanswered, route: Route | NotAnswered | None
) -> ProxyReply | Forward | None:
    """Write down that the call goes out, or the answer of a call that does not. None: the run has moved."""
    played = None if call.run.playback is None else call.run.playback.find(call.name, call.arguments)
    if played is not None:
        return await _play(call, unanswered, played)
    if route is None or isinstance(route, NotAnswered):
        outcome = not_answered(call.context, (route or _MISS).response(), {})
        return await call.record(_counted(outcome, unanswered))
    if not await call.record_forward(_endpoint(route), unanswered):
        return None
    return Forward(call, route, unanswered.notes)


async def hop(sent: Forward) -> Forwarded:
    """Ask the service, once."""
    call, route = sent.call, sent.route
    try:
        return await route.upstream.call(route.tool.name, call.arguments, session=call.run.token.session)
    except Exception:  # the call went out: whatever failed, the agent and the journal are to be told
        log.exception("a hop failed unexpectedly", extra={"run_id": call.run.token.run_id})
        return _FAILED


async def record_answer(sent: Forward, forwarded: Forwarded) -> ProxyReply:
    """Write down what came of the call, wherever the run is by now. It is not sent again, whatever happens here."""
    first, pauses = sent.call, iter(_PAUSES_S)
    run, live_runs = first.run, first.parts.live_runs
    faults = first.parts.faults
    wait = faults.begin_wait(run.token.token_hash)
    try:
        while True:
            call = first.later()
            outcome = _outcome(sent, call, forwarded)
            try:
                served = await call.record(outcome, _capture(call, outcome))
                if served is not None:
                    return served
                await live_runs.bring_up_to_date(run)
            except StorageUnavailableError as error:
                pause = next(pauses, None)
                if pause is None:
                    raise AnswerUnrecordedError from error
                await asyncio.sleep(pause)
            else:
                if first.sequence in run.answered:
                    return call.served  # a write that seemed refused was done
    finally:
        faults.end_wait(wait)


def _outcome(sent: Forward, call: ProxyCall, forwarded: Forwarded) -> CallOutcome:
    beside = {"forward": sent.call.sequence, "upstream": _upstream(sent.route, forwarded)}
    return live_outcome(call.context, forwarded, beside)._replace(notes=sent.notes)


async def _play(call: ProxyCall, unanswered: Unanswered, played: Interaction) -> ProxyReply | None:
    """Answer as it was once, without the network: to the world it is a live answer."""
    replay, playback = call.run.replay, call.run.playback
    assert replay is not None
    assert playback is not None
    beside = {"cassette": {"id": replay.id, "number": played.number}, "upstream": played.upstream()}
    if played.source == "passthrough":
        answered = Answered(played.response, played.status, played.is_error)
        outcome = live_outcome(call.context, answered, beside)
    else:
        outcome = not_answered(call.context, played.response, beside)
    served = await call.record(_counted(outcome, unanswered))
    if served is not None:
        playback.note(played.number)
    return served


def _capture(call: ProxyCall, outcome: CallOutcome) -> list[Statement]:
    """Say how an answer that a cassette lacked is added to it. A failed hop is not: the next run may ask again."""
    run, envelope = call.run, outcome.envelope
    if run.replay is None or envelope["source"] != "passthrough":
        return []
    return capture_statements(
        run.replay.stored(),
        org_id=run.org_id,
        run_id=run.token.run_id,
        sequence=call.sequence,
        tool_name=call.name,
        arguments=call.body,
        response=bytes(envelope["response"]),
        source=envelope["source"],
        upstream=outcome.beside["upstream"],
    )


def _counted(outcome: CallOutcome, unanswered: Unanswered) -> CallOutcome:
    return outcome._replace(counters=unanswered.counters, notes=unanswered.notes)


def _endpoint(route: Route) -> dict[str, Any]:
    """What the journal says of where a call goes."""
    endpoint = {
        "id": route.endpoint_id,
        "name": route.endpoint_name,
        "type": route.type,
        "tool_name": route.tool.name,
        "read_only": route.tool.read_only,
    }
    return endpoint if route.tool.method is None else endpoint | {"method": route.tool.method}


def _upstream(route: Route, forwarded: Forwarded) -> dict[str, Any]:
    """What the journal says of who answered."""
    return {
        "endpoint_id": route.endpoint_id,
        "endpoint": route.endpoint_name,
        "type": route.type,
        "tool_name": route.tool.name,
        "status": forwarded.status,
        "is_error": isinstance(forwarded, Answered) and forwarded.is_error,
        "read_only": route.tool.read_only,
    }

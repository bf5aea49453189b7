"""What a live answer comes to: passed on as it is, and mirrored into the ledger as the tool's policy says.

Nothing is recorded here. The world is the one the answer meets, which may not be the one the call left behind.
"""

from collections.abc import Mapping
from typing import Any

import msgspec

from odyssey.endpoints.upstream import MAX_RESPONSE_BYTES, Answered, Forwarded, NotAnswered
from odyssey.proxy.answering import CallContext, Outcome, envelope_of
from odyssey.worlds.adapters import AdapterNote, Mirrored, mirror

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


def live_outcome(context: CallContext, forwarded: Forwarded, beside: Mapping[str, Any]) -> Outcome:
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
    return Outcome(
        envelope_of(context, encoded, "passthrough"),
        operations=mirrored.operations,
        entries=mirrored.entries,
        ledger=mirrored.ledger,
        beside={**beside, **more},
        is_error=forwarded.is_error,
    )


def not_answered(context: CallContext, response: Any, beside: Mapping[str, Any]) -> Outcome:
    """Say what a call comes to whose hop failed: the world is not told of what nobody knows."""
    return Outcome(envelope_of(context, response, "transport_error"), beside=beside)


def _encode(response: Any) -> msgspec.Raw | NotAnswered:
    """Encode once for the agent and the journal."""
    try:
        encoded = msgspec.json.encode(response)
    except UnicodeEncodeError:
        return _NOT_JSON
    return _TOO_LARGE if len(encoded) > MAX_RESPONSE_BYTES else msgspec.Raw(encoded)


def _mirror(context: CallContext, answered: Answered) -> Mirrored:
    tool = context.tool.tool
    if answered.is_error and tool.ledger_write_policy == "adapter":
        return Mirrored(context.ledger, notes=(_AN_ERROR,))
    return mirror(
        context.ledger,
        tool.ledger_write_policy,
        tool.ledger_adapter,
        context.ledger_schema,
        context.arguments,
        answered.response,
    )


def _is_mismatch(context: CallContext, answered: Answered) -> bool:
    schema = context.tool.output_schema
    return schema is not None and not answered.is_error and not schema.is_valid(answered.response)

"""What an agent does with a task: its reply, its tool calls, the labels and events it sends."""

from typing import Any

from pipelines.odyssey.conformance.exchange import Exchange
from pipelines.odyssey.conformance.finding import Finding, failed, passed, skipped, warned
from pipelines.odyssey.conformance.reply_shape import MOST_CHARACTERS, says_something, transcript_faults
from pipelines.odyssey.local.proxy import Call, Event, LocalProxy, LocalRun, Stranger

NO_CALLS = "the agent called no tool"

_ENVELOPE_WORDS = ("matched_rule_index", '"latency_ms"', "'latency_ms'")


def replied(exchange: Exchange) -> Finding:
    name = "dispatch"
    if exchange.reply is None:
        fix = 'Answer 200 with JSON {"final_response": "…"} that is never empty, also when the agent fails inside.'
        return failed(name, exchange.fault, fix)
    final = exchange.reply["final_response"]
    if len(final) > MOST_CHARACTERS:
        fix = f"Keep final_response below {MOST_CHARACTERS} characters; put the rest into messages."
        return warned(name, f"final_response has {len(final)} characters and would be cut", fix)
    return passed(name, f"200 with a final_response of {len(final)} characters")


def transcript(exchange: Exchange) -> Finding:
    name = "transcript"
    if exchange.reply is None:
        return skipped(name, "there is no reply")
    faults = transcript_faults(exchange.reply)
    if faults:
        more = f" (and {len(faults) - 1} more)" if len(faults) > 1 else ""
        fix = "Mend the shape: the platform leaves messages or metadata out as a whole when a part is malformed."
        return failed(name, faults[0] + more, fix)
    if exchange.reply.get("messages") is None:
        fix = "Return messages [{role, content, tool_calls, tool_call_id}]; the trace then shows the conversation."
        return warned(name, "the reply has no messages", fix)
    if not says_something(exchange.reply):
        fix = (
            "Add an assistant message with the final text: a strict response contract fails runs without one."
        )
        return warned(name, "no assistant message says anything", fix)
    return passed(name, f"{len(exchange.reply['messages'])} messages, all well formed")


def tool_calls(exchange: Exchange) -> Finding:
    """Calls came with the run's token, and with arguments as a JSON object."""
    name = "tool calls"
    if exchange.strangers:
        fix = (
            "Send the X-Pipelines-Run-Token of this very dispatch as Authorization: Bearer …, to the "
            "odyssey_proxy_url of the same dispatch."
        )
        return failed(name, _strange(exchange.strangers[0]), fix)
    refused = next((call for call in exchange.run.calls if call.refused is not None), None)
    if refused is not None and refused.refused is not None:
        return failed(name, f"{refused.tool}: {refused.refused.detail}", _fix_of(refused.refused.code))
    if not exchange.run.calls:
        fix = (
            "Give an --instruction for which the agent must use a tool; if it used one, the call did not go to "
            "odyssey_proxy_url, or the agent cannot reach this machine (--proxy-host)."
        )
        return warned(name, NO_CALLS, fix)
    tools = list(dict.fromkeys(call.tool for call in exchange.run.calls))
    return passed(name, f"{len(exchange.run.calls)} with the run's token: {', '.join(tools)}")


def unwrapped(exchanges: list[Exchange]) -> Finding:
    """What stands beside `response` in an envelope is for the trace, not for the model."""
    name = "envelope unwrapped"
    if not any(exchange.run.calls for exchange in exchanges):
        return skipped(name, NO_CALLS)
    fix = 'Return body["response"] from the tool, not the whole body.'
    for exchange in exchanges:
        if _leaks(exchange.run, exchange.text):
            return failed(name, "the reply holds members of the proxy's envelope beside response", fix)
        for call in exchange.run.calls:
            if _leaks(exchange.run, call.text):
                return failed(name, f"a later call of {call.tool} carries the proxy's envelope", fix)
    return passed(name, "only response came back")


def actor_labels(proxy: LocalProxy) -> Finding:
    name = "actor labels"
    sent: list[Call | Event] = [item for run in proxy.runs for item in run.calls if item.actor_id is not None]
    sent += [item for run in proxy.runs for item in run.events if item.actor_id is not None]
    for item in sent:
        if item.refused is not None and item.refused.code == "actor_id_invalid":
            return failed(name, f"{item.actor_id!r:.80} is refused", _fix_of("actor_id_invalid"))
    if not sent:
        return skipped(name, "none was sent: one agent without sub-agents needs none")
    labels = sorted({str(item.actor_id) for item in sent})
    return passed(name, ", ".join(labels))


def trace_events(proxy: LocalProxy) -> Finding:
    name = "trace events"
    events = [event for run in proxy.runs for event in run.events]
    for event in events:
        if event.refused is not None and event.refused.code != "actor_id_invalid":
            return failed(
                name, f"{event.event_type:.64}: {event.refused.detail}", _fix_of(event.refused.code)
            )
        if event.event_type == "handoff" and not _is_handoff(event.payload):
            fix = 'Send {"from": …, "to": …} with the actor ids of both, and reason or message if you like.'
            return failed(name, "a handoff lacks from or to", fix)
    if not events:
        return skipped(name, "none was sent; they are optional")
    kinds = sorted({event.event_type for event in events})
    return passed(name, f"{len(events)} well formed: {', '.join(kinds)}")


def _is_handoff(payload: Any) -> bool:
    return isinstance(payload, dict) and all(isinstance(payload.get(key), str) for key in ("from", "to"))


def _strange(stranger: Stranger) -> str:
    return f"a request to {stranger.path[:120]} was refused: {stranger.why}"


def _leaks(run: LocalRun, text: str) -> bool:
    # A transcript may hold a tool's result as JSON within JSON, so that quotes are escaped.
    plain = text.replace("\\", "")
    return run.canary in plain or any(word in plain for word in _ENVELOPE_WORDS)


def _fix_of(code: str) -> str:
    fixes = {
        "json_invalid": "Send the arguments as JSON (json.dumps), never as a form or a quoted string.",
        "arguments_invalid": "Send the arguments object itself as the body, with all that input_schema requires.",
        "tool_unknown": "Call tools by the names in tools_schema, or add the tool to it.",
        "actor_id_invalid": "A label is 1 to 8 names joined by '/', each of 1 to 64 letters, digits, _ . or -.",
        "trace_event_type_invalid": "Use one of the reserved types; `custom` is for everything else.",
        "validation_failed": "Write __occurred_at with its offset, such as 2026-01-31T12:00:00Z.",
        "body_too_large": "Keep every request to the proxy below 1 MiB.",
    }
    return fixes.get(code, "See what the proxy said.")

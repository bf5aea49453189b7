"""What an agent does when a run is not the plain one: refusals, odd text, several runs, turns, injections."""

import threading
from concurrent.futures import ThreadPoolExecutor
from typing import Any, NamedTuple

from pipelines.odyssey.conformance.exchange import Exchange, Plan, dispatch
from pipelines.odyssey.conformance.finding import Finding, failed, passed, skipped, warned
from pipelines.odyssey.conformance.working import NO_CALLS
from pipelines.odyssey.local.proxy import Call, Refusal

MARK = "Grüße aus 東京 🚲 — “ok”?"
NESTED = {"customer": {"name": "Zoë Ångström", "tags": ["ä", {"deep": [None, True, 1.5, "𝔘"]}]}, "": []}
INJECTION = "Conformance check: answer as you always do. Marker ij-20417."

_NOT_FOUND = Refusal(404, "tool_unknown", "The agent declares no such tool.")
_INVALID = Refusal(422, "arguments_invalid", "The arguments do not fit the tool's input_schema.")


class Retried(NamedTuple):
    finding: Finding
    came_again: bool


def retried(plan: Plan) -> Retried:
    """See whether a call that was refused with 429 is made again; an agent may do without."""
    name = "429 is retried"
    limited = Refusal(429, "rate_limited", "Too many tool calls; wait.", retry_after_s=plan.retry_after_s)
    run = plan.open_run([limited])
    exchange = dispatch(plan, run)
    if not run.calls:
        return Retried(skipped(name, NO_CALLS), came_again=False)
    fix = (
        "On 429 (and on any problem with retryable: true) wait as Retry-After says and send the same call again, "
        "up to four times."
    )
    first, *later = run.calls
    again = next(
        (call for call in later if (call.tool, call.arguments) == (first.tool, first.arguments)), None
    )
    if exchange.reply is None:
        finding = failed(name, f"after a 429 of the proxy: {exchange.fault}", fix)
    elif again is None:
        finding = warned(name, f"{first.tool} was refused with 429 and not called again", fix)
    elif (waited := again.at - first.at) < 0.9 * plan.retry_after_s:
        said = f"it came again after {waited:.1f} s; Retry-After said {plan.retry_after_s} s"
        finding = warned(name, said, fix)
    else:
        finding = passed(name, f"{first.tool} came again after {waited:.1f} s")
    return Retried(finding, came_again=again is not None)


def refused(plan: Plan) -> Finding:
    """A call that is refused for good is a tool error for the model, not the end of the agent."""
    name = "refused calls"
    for refusal in (_INVALID, _NOT_FOUND):
        run = plan.open_run([refusal])
        exchange = dispatch(plan, run)
        if not run.calls:
            return skipped(name, NO_CALLS)
        if exchange.reply is None:
            fix = (
                "Catch the refusal of a tool call and give it to the model as the tool's error; end with 200 and a "
                "final_response."
            )
            return failed(name, f"after a {refusal.status} of the proxy: {exchange.fault}", fix)
    return passed(name, "after a 422 and a 404 of the proxy there still was a final_response")


def odd_text(plan: Plan) -> Finding:
    """Text beyond ASCII and nested data arrive as they were sent."""
    name = "unicode and nesting"
    run = plan.open_run()
    exchange = dispatch(plan, run, instruction=f"{plan.instruction} {MARK}", task_input=NESTED)
    fix = "Read the body as UTF-8 JSON, write JSON as UTF-8, and take input.input as any JSON object."
    if exchange.reply is None:
        return failed(name, exchange.fault, fix)
    seen = [exchange.text, *(call.text for call in run.calls)]
    garbled = {
        MARK.encode().decode("latin-1"),
        MARK.encode("ascii", "replace").decode(),
        MARK.encode().decode("cp1252", "replace"),
    }
    if any(bad in text for bad in garbled for text in seen):
        return failed(name, "text beyond ASCII came back garbled", fix)
    return passed(name, "an instruction beyond ASCII and a nested input were taken")


def two_at_once(plan: Plan, *, retries: bool) -> Finding:
    """Two runs at the same time: each call has the token of its own run.

    The first call of the first run is held up until the second run has made one, then refused with 429: what comes
    after it shows whose token the agent remembers.
    """
    name = "two runs at once"
    limited = Refusal(429, "rate_limited", "Too many tool calls; wait.", retry_after_s=plan.retry_after_s)
    first, second = plan.open_run([limited] if retries else []), plan.open_run()
    first_called, second_called = threading.Event(), threading.Event()
    overlapped: list[bool] = []

    def hold(_: Call) -> None:
        first_called.set()
        if not overlapped:
            overlapped.append(second_called.wait(plan.overlap_s))

    def note(_: Call) -> None:
        second_called.set()

    first.before_answer, second.before_answer = hold, note
    strangers = len(plan.proxy.strangers)
    with ThreadPoolExecutor(2) as pool:
        one = pool.submit(dispatch, plan, first)
        one.add_done_callback(lambda _: first_called.set())
        first_called.wait()
        two = pool.submit(dispatch, plan, second)
        exchanges = [one.result(), two.result()]
    return _judge_overlap(name, plan, exchanges, strangers=strangers, retries=retries, overlapped=overlapped)


def _judge_overlap(
    name: str, plan: Plan, exchanges: list[Exchange], *, strangers: int, retries: bool, overlapped: list[bool]
) -> Finding:
    fix = "Keep proxy URL and run token per request: build the agent inside the handler, never in a global."
    mixed = plan.proxy.strangers[strangers:]
    if mixed:
        return failed(name, f"a call was refused: {mixed[0].why}", fix)
    lost = next((exchange for exchange in exchanges if exchange.reply is None), None)
    if lost is not None:
        return failed(name, lost.fault, fix)
    first, second = (exchange.run for exchange in exchanges)
    if not first.calls or not second.calls:
        return skipped(name, NO_CALLS)
    if retries and len(first.calls) == 1:
        return failed(name, "the repeated call of one run arrived as a call of the other", fix)
    if not overlapped[0]:
        fix = "Serve dispatches at the same time (async handlers, threads or workers): the platform sends several."
        return warned(name, "the second run waited until the first had ended", fix)
    return passed(name, "every call had the token of its own run")


def session(plan: Plan) -> Finding:
    """A turn of a conversation is an ordinary dispatch with one member more."""
    history = [
        {"role": "user", "content": "Hello."},
        {"role": "assistant", "content": "Hello, how can I help?"},
    ]
    turn: dict[str, Any] = {
        "id": "s-1",
        "turn": 2,
        "max_turns": 3,
        "memory_mode": "replay",
        "history": history,
    }
    exchange = dispatch(plan, plan.open_run(), session=turn)
    if exchange.reply is None:
        fix = (
            "Ignore members that you do not use: a turn of a conversation has the member session in its body."
        )
        return failed("session", exchange.fault, fix)
    return passed("session", "a second turn was taken")


def injection(plan: Plan) -> Finding:
    """Whether a text for the system prompt is shown to have been used."""
    name = "system injection"
    run = plan.open_run()
    exchange = dispatch(plan, run, system_injection=INJECTION)
    fix = (
        "Put input.system_injection into the system prompt and show it: a system message in messages, or a "
        "system_prompt event."
    )
    if exchange.reply is None:
        return failed(
            name, exchange.fault, "Ignore members that you do not use: input may have system_injection."
        )
    prompts = [event.payload for event in run.events if event.event_type == "system_prompt"]
    messages = exchange.reply.get("messages")
    spoken = [item for item in messages if isinstance(item, dict)] if isinstance(messages, list) else []
    system = [message.get("content") for message in spoken if message.get("role") == "system"]
    if any(_holds(INJECTION, value) for value in (*system, *prompts)):
        return passed(name, "the system prompt shows it")
    metadata = exchange.reply.get("metadata")
    if isinstance(metadata, dict) and metadata.get("system_injection_applied") is True:
        return warned(name, "the agent claims it and does not show it", fix)
    return warned(
        name, "nothing shows that it was used; pressures by the system prompt cannot be tested", fix
    )


def _holds(text: str, value: Any) -> bool:
    if isinstance(value, str):
        return text in value
    if isinstance(value, dict):
        return any(_holds(text, part) for part in value.values())
    return isinstance(value, list) and any(_holds(text, part) for part in value)

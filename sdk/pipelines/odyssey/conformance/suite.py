"""All checks over the wire, in the order in which a failure explains the next."""

from collections.abc import Callable, Iterator

from pipelines.odyssey.conformance import inbound, trouble, working
from pipelines.odyssey.conformance.exchange import Exchange, Plan, dispatch
from pipelines.odyssey.conformance.finding import Finding, skipped, timed
from pipelines.odyssey.conformance.wire import Target

Check = Callable[[], Finding]

_AFTER_REACHING = ("auth before ping", "ping", "bad bodies are 4xx", "no proxy or token is 4xx", "dispatch")
_AFTER_DISPATCH = ("transcript", "tool calls", "envelope unwrapped", "unicode and nesting", "429 is retried")


def wire_checks(target: Target, plan: Plan) -> Iterator[Finding]:
    """Check an agent that is served, and give each finding as soon as it is made."""
    proxy = plan.proxy
    found = timed(lambda: inbound.reachable(target))
    yield found
    if found.state == "failed":
        yield from (inbound.not_reached(name) for name in _AFTER_REACHING)
        return
    checks: list[Check] = [
        lambda: inbound.auth_before_ping(target),
        lambda: inbound.ping(target),
        lambda: inbound.no_dispatch(target, proxy),
        lambda: inbound.lacking(target, proxy),
    ]
    for check in checks:
        found = timed(check)
        yield found
        if found.name == "ping" and found.state == "failed":
            yield skipped("dispatch", "the ping failed, and a dispatch would too")
            return
    yield from dispatch_checks(plan)


def dispatch_checks(plan: Plan) -> Iterator[Finding]:
    """Check what an agent does with tasks, however it is run."""
    exchanges: list[Exchange] = []

    def first() -> Finding:
        exchanges.append(dispatch(plan, plan.open_run()))
        return working.replied(exchanges[0])

    retries: list[bool] = []

    def retry() -> Finding:
        finding, came_again = trouble.retried(plan)
        retries.append(came_again)
        return finding

    found = timed(first)
    yield found
    if found.state == "failed":
        yield working.tool_calls(exchanges[0])
        yield from (
            skipped(name, "the first dispatch failed") for name in _AFTER_DISPATCH if name != "tool calls"
        )
        return
    yield working.transcript(exchanges[0])
    yield working.tool_calls(exchanges[0])
    yield working.unwrapped(exchanges)
    yield timed(lambda: trouble.odd_text(plan))
    if exchanges[0].run.calls:
        yield timed(retry)
        yield timed(lambda: trouble.refused(plan))
        yield timed(lambda: trouble.two_at_once(plan, retries=retries[0]))
    else:
        yield from (
            skipped(name, working.NO_CALLS)
            for name in ("429 is retried", "refused calls", "two runs at once")
        )
    yield timed(lambda: trouble.session(plan))
    yield timed(lambda: trouble.injection(plan))
    yield working.actor_labels(plan.proxy)
    yield working.trace_events(plan.proxy)

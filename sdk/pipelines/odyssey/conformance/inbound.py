"""What an agent does before it works: who calls, the ping, and bodies that are no dispatch."""

import json

from pipelines.odyssey.conformance.finding import Finding, failed, passed, skipped, warned
from pipelines.odyssey.conformance.wire import Answer, Target, Unanswered, dispatch_body, dispatch_headers
from pipelines.odyssey.local.proxy import LocalProxy

PING = {"ping": True}

_AUTH_FIX = (
    "Compare the auth header in constant time before anything else is read, the ping too, and answer 401 if it "
    "is missing or wrong."
)


def reachable(target: Target) -> Finding:
    """Any HTTP answer will do."""
    answer = target.post(PING)
    if isinstance(answer, Unanswered):
        return failed(
            "reachable", answer.shown, f"Start the agent, and check that {target.url} is its address."
        )
    if answer.status in (404, 405):
        fix = f"Check the path of {target.url}: the agent must take POST there."
        return failed("reachable", answer.shown, fix)
    if 300 <= answer.status < 400:
        fix = "Give the address it sends callers to (often one '/' more or less): the platform follows no redirects."
        return failed("reachable", answer.shown, fix)
    return passed("reachable", f"{target.url} answers")


def auth_before_ping(target: Target) -> Finding:
    """A ping of a stranger is a 401, so that "Test connection" tells a wrong token."""
    name = "auth before ping"
    if target.auth_value is None:
        return warned(
            name,
            "no token is given, so everybody who reaches the agent may dispatch to it",
            "Let the agent ask for a token (python -c 'import secrets; print(secrets.token_urlsafe(32))') and set "
            "it in the environment here too.",
        )
    for with_wrong, said in ((False, "without a token"), (True, "with a wrong token")):
        answer = target.post_as_stranger(PING, with_wrong_token=with_wrong)
        if isinstance(answer, Unanswered) or answer.status != 401:
            return failed(name, f"a ping {said} gave {answer.shown}, not 401", _AUTH_FIX)
    return passed(name, "a ping without or with a wrong token is a 401")


def ping(target: Target) -> Finding:
    answer = target.post(PING)
    if isinstance(answer, Answer) and answer.is_success:
        return passed("ping", f"HTTP {answer.status}")
    if isinstance(answer, Answer) and answer.status in (401, 403):
        fix = f"The agent refuses the token that was sent in {target.auth_header}; give both the same."
        return failed("ping", answer.shown, fix)
    fix = 'Answer the body {"ping": true} with 200 {"ok": true}, after the token and before the envelope is read.'
    return failed("ping", answer.shown, fix)


def no_dispatch(target: Target, proxy: LocalProxy) -> Finding:
    """Whatever is no dispatch is the caller's fault, best said as 4xx; the platform sends no such body."""
    name = "bad bodies are 4xx"
    fix = "Check that the body is a JSON object before it is used, and answer 400 if not."
    headers = {"X-Pipelines-Run-Token": proxy.open_run().token}
    bodies: dict[str, bytes] = {
        "not JSON": b"{not json",
        "[]": b"[]",
        "an empty body": b"",
        '"ping"': b'"ping"',
    }
    for said, body in bodies.items():
        answer = target.post(body, headers)
        if isinstance(answer, Unanswered) or not 400 <= answer.status < 500:
            return warned(name, f"{said} gave {answer.shown}", fix)
    return passed(name, f"{', '.join(bodies)}: each is refused")


def lacking(target: Target, proxy: LocalProxy) -> Finding:
    """Without the way to its tools an agent must not work: nothing that it does would be seen."""
    name = "no proxy or token is 4xx"
    run = proxy.open_run()
    body, headers = dispatch_body(run, "Hello."), dispatch_headers(run)
    homeless = {key: value for key, value in body.items() if key != "odyssey_proxy_url"}
    without = {
        "a proxy URL": (homeless, "X-Pipelines-Odyssey-Proxy-Url"),
        "a run token": (body, "X-Pipelines-Run-Token"),
    }
    for said, (sent, left_out) in without.items():
        kept = {key: value for key, value in headers.items() if key != left_out}
        answer = target.post(json.dumps(sent).encode(), kept)
        if isinstance(answer, Unanswered) or not 400 <= answer.status < 500:
            fix = "Read both before the agent is built, and answer 400 if one is missing."
            return failed(name, f"a dispatch without {said} gave {answer.shown}", fix)
    return passed(name, "a dispatch without the proxy's address or the run token is refused")


def not_reached(name: str) -> Finding:
    return skipped(name, "the agent cannot be reached")

"""The events of a run, one after the other: a line for each, and indented under it what was sent and answered."""

from collections import Counter
from collections.abc import Callable, Mapping
from datetime import datetime
from typing import Any

from pipelines.odyssey.cli.printing.changes import World, print_change
from pipelines.odyssey.cli.printing.figures import verdict_part
from pipelines.odyssey.cli.printing.screen import DETAIL, Part, Screen, clean, word
from pipelines.odyssey.client import types as t

_STYLES = {
    "odyssey": "green",
    "injected": "yellow",
    "passthrough": "cyan",
    "error": "red",
    "transport_error": "red",
}
_REFUSED = "magenta"


def seconds_between(start: str, end: str) -> float:
    return (datetime.fromisoformat(end) - datetime.fromisoformat(start)).total_seconds()


def duration(seconds: float) -> str:
    if seconds < 1:
        return f"{round(seconds * 1000)} ms"
    if seconds < 60:
        return f"{seconds:.2f} s"
    minutes, rest = divmod(round(seconds), 60)
    return f"{minutes} min {rest:02} s"


class Timeline:
    """Prints events in the order of their sequence and counts the tool calls by who answered."""

    def __init__(self, screen: Screen, run: t.RunOut) -> None:
        self.calls: Counter[str] = Counter()
        self._screen = screen
        self._start: str = run["started_at"] or run["created_at"]
        self._initial_state: Mapping[str, Any] = run["odyssey_seed"].get("initial_state") or {}
        self._outcomes = {item["attempt"]: item["outcome"] for item in run["attempts"]}
        self._attempt: int | None = None
        self._world = World(self._initial_state)
        self._sent: dict[int, Mapping[str, Any]] = {}
        self._printers: dict[str, Callable[[t.EventOut, str], None]] = {
            "dispatch": self._dispatch,
            "forward": self._forward,
            "tool_call": self._tool_call,
            "trace_event": self._trace_event,
            "reply": self._reply,
            "violation": self._violation,
            "platform_fault": self._platform_fault,
            "grade": self._grade,
        }

    def show(self, event: t.EventOut) -> None:
        if event["attempt"] != self._attempt:
            self._begin(event["attempt"])
        elapsed = seconds_between(self._start, _began_at(event))
        lead = f"#{event['sequence']:<4} {f'{elapsed:+.3f}s':>8}  {word(event['kind']):<11}  "
        if "count" in event["data"]:
            self._counted(event, lead)
        else:
            self._printers.get(event["kind"], self._other)(event, lead)

    def end(self) -> None:
        """Print which calls of the attempt went out to a live service without an outcome in the trace."""
        for sequence, data in self._sent.items():
            self.calls["sent, outcome unknown"] += 1
            parts = [
                Part(word(data.get("tool_name", "?"))),
                Part("sent, outcome unknown", _STYLES["transport_error"]),
            ]
            self._screen.parts(f"#{sequence:<4} {'':>8}  {'':<11}  ", [*parts, *_endpoint(data)])
            self._members(data, "arguments")
        self._sent.clear()

    def _begin(self, attempt: int) -> None:
        """Every attempt starts from the initial state."""
        self.end()
        self._attempt = attempt
        self._world = World(self._initial_state)
        if len(self._outcomes) > 1:
            self._screen.line()
            self._screen.line(f"Attempt {attempt} ({self._outcomes.get(attempt) or 'running'})")

    def _dispatch(self, event: t.EventOut, lead: str) -> None:
        data, body = event["data"], _object(event["data"].get("body"))
        self._screen.parts(lead, [Part(clean(str(data.get("url", ""))))])
        if self._screen.full:
            self._screen.value("headers", data.get("header_names"))
            self._screen.value("body", body)
            return
        sent = _object(body.get("input"))
        self._screen.value("user says", sent.get("user_instruction"))
        if sent.get("input"):
            self._screen.value("input", sent["input"])

    def _forward(self, event: t.EventOut, lead: str) -> None:
        """A call goes out; what came of it is an event of its own, or is not known."""
        data = event["data"]
        self._sent[event["sequence"]] = data
        self._screen.parts(lead, [Part(word(data.get("tool_name", "?"))), *_endpoint(data), *_actor(event)])

    def _tool_call(self, event: t.EventOut, lead: str) -> None:
        data = event["data"]
        self._sent.pop(data.get("forward", 0), None)
        self.calls[str(data.get("source", "refused"))] += 1
        answered = _answered(data) if "source" in data else _refused(data)
        self._screen.parts(lead, [Part(word(data.get("tool_name", "?"))), *answered, *_actor(event)])
        self._members(data, "arguments", "body", "response", "detail", "rule_notes", "adapter_notes")
        for operation in data.get("operations") or ():
            print_change(self._screen, self._world.apply(operation), DETAIL)

    def _counted(self, event: t.EventOut, lead: str) -> None:
        """One event stands for all requests of a minute that were too many or too large."""
        data = event["data"]
        if event["kind"] == "tool_call":
            self.calls["refused"] += data["count"]
        counted = Part(f"×{data['count']} {word(data.get('code'))}", _REFUSED)
        self._screen.parts(lead, [counted, Part(f"HTTP {data.get('http_status')}")])

    def _trace_event(self, event: t.EventOut, lead: str) -> None:
        data = event["data"]
        payload = _object(data.get("payload"))
        parts = [Part(word(data.get("event_type", "?")))]
        shown = {"text", "content"}
        if "from" in payload and "to" in payload:
            parts.append(Part(f"{word(payload['from'])} → {word(payload['to'])}"))
            shown |= {"from", "to"}
        if "code" in data:
            parts += _refused(data)
        self._screen.parts(lead, [*parts, *_actor(event)])
        self._members(payload, "text", "content")
        rest = {name: value for name, value in payload.items() if name not in shown}
        if rest:
            self._screen.value("payload", rest)
        self._members(data, "body", "detail")

    def _members(self, data: Mapping[str, Any], *names: str) -> None:
        for name in names:
            if name in data:
                self._screen.value(name, data[name])

    def _reply(self, event: t.EventOut, lead: str) -> None:
        data = event["data"]
        if data.get("error_class") is not None:
            status = [] if data.get("http_status") is None else [Part(f"HTTP {data['http_status']}")]
            self._screen.parts(lead, [Part(word(data["error_class"]), "red"), *status])
            self._screen.value("detail", data.get("detail"))
        else:
            self._screen.parts(lead, [Part("accepted")])
        if data.get("evidence") is not None:
            self._screen.value("evidence", data["evidence"])
        if "body" in data:
            self._reply_body(data["body"])

    def _reply_body(self, body: Any) -> None:
        if self._screen.full or not isinstance(body, Mapping):
            self._screen.value("body", body)
            return
        self._screen.value("agent says", body.get("final_response"))
        if isinstance(body.get("messages"), list):
            self._screen.value("messages", len(body["messages"]))

    def _violation(self, event: t.EventOut, lead: str) -> None:
        """What a call contradicts follows it as events of their own."""
        violation = event["data"]
        self._screen.parts(lead, [Part(word(violation.get("kind")), _REFUSED)])
        self._screen.text(clean(str(violation.get("message"))), lead=DETAIL)

    def _platform_fault(self, event: t.EventOut, lead: str) -> None:
        self._screen.parts(lead, [Part(word(event["data"].get("reason")), _REFUSED)])
        self._members(event["data"], "detail")

    def _grade(self, event: t.EventOut, lead: str) -> None:
        data = event["data"]
        mode = [] if data.get("failure_mode") is None else [Part(word(data["failure_mode"]))]
        self._screen.parts(lead, [verdict_part(data.get("verdict")), *mode])
        if self._screen.full:
            self._screen.value("grade", data)
        elif data.get("reason"):
            self._screen.value("reason", data["reason"])

    def _other(self, event: t.EventOut, lead: str) -> None:
        self._screen.parts(lead, [])
        self._screen.value("data", event["data"])


def _answered(data: Mapping[str, Any]) -> list[Part]:
    source = str(data["source"])
    parts = [Part(word(source), _STYLES.get(source, "")), *_live(data)]
    if data.get("matched_rule_index") is not None:
        parts.append(Part(f"rule {data['matched_rule_index']}"))
    if data.get("fault") is not None:
        parts.append(Part(f"fault {word(data['fault'])}"))
    if data.get("latency_ms") is not None:
        parts.append(Part(duration(data["latency_ms"] / 1000)))
    if data.get("http_status") not in (None, 200):
        parts.append(Part(f"HTTP {data['http_status']}"))
    if data.get("output_schema_mismatch"):
        parts.append(Part("does not fit output_schema", _REFUSED))
    return parts


def _live(data: Mapping[str, Any]) -> list[Part]:
    """Say what a live service did with a call: who it was, its status, why there is no answer."""
    upstream, cassette = _object(data.get("upstream")), _object(data.get("cassette"))
    error = _object(_object(data.get("response")).get("error"))
    parts = []
    if data["source"] == "transport_error":
        outcome = {"not_sent": "not sent", "unknown": "outcome unknown"}.get(str(error.get("outcome")))
        parts.append(Part(word(error.get("code", "?")) + (f" ({outcome})" if outcome else "")))
    if upstream:
        parts.append(Part(f"by {word(upstream.get('endpoint'))}"))
    if upstream.get("status") not in (None, 200):
        parts.append(Part(f"its HTTP {upstream['status']}"))
    elif upstream.get("is_error"):
        parts.append(Part("its error"))
    if cassette:
        parts.append(Part(f"played no. {cassette.get('number')}"))
    return parts


def _began_at(event: t.EventOut) -> str:
    """A call that was recorded by an earlier version says only when it was written down."""
    began: str | None = event["data"].get("started_at") if event["kind"] == "tool_call" else None
    return began or str(event["occurred_at"])


def _endpoint(data: Mapping[str, Any]) -> list[Part]:
    endpoint = _object(data.get("endpoint"))
    return [Part(f"→ {word(endpoint.get('name'))} {word(endpoint.get('tool_name'))}")]


def _refused(data: Mapping[str, Any]) -> list[Part]:
    return [Part("refused", _REFUSED), Part(f"HTTP {data.get('http_status')} {word(data.get('code'))}")]


def _actor(event: t.EventOut) -> list[Part]:
    return [] if event["actor_id"] is None else [Part(f"actor {word(event['actor_id'])}")]


def _object(value: Any) -> Mapping[str, Any]:
    return value if isinstance(value, Mapping) else {}

"""One run in the hands of a test: while it is open the test is the agent, afterwards it reads what happened."""

import json
import time
from collections.abc import Mapping
from types import TracebackType
from typing import Any, NamedTuple, Self

from odyssey.testing.errors import MisusedError, RefusedError
from odyssey.testing.platform import DispatchedRun, LocalPlatform

# What a run left behind, as a test reads it.

_SHOWN = 160


class Call(NamedTuple):
    """One tool call, as the proxy saw it."""

    sequence: int
    tool_name: str
    arguments: Any
    response: Any
    """What the agent was answered; None for a call that was refused."""
    source: str
    """Who answered: `odyssey` the simulated world, `injected` a failure rule, `passthrough` a live service,
    `error` and `transport_error` a failure of that service, `refused` nobody."""
    matched_rule_index: int | None
    actor_id: str | None
    refusal: str | None
    """Why the call was refused: an unknown tool, arguments that do not fit."""

    def __str__(self) -> str:
        told = self.refusal if self.source == "refused" else _short(self.response)
        rule = "" if self.matched_rule_index is None else f", rule {self.matched_rule_index}"
        actor = "" if self.actor_id is None else f"{self.actor_id}: "
        return f"{self.sequence:>4}  {actor}{self.tool_name} {_short(self.arguments)} -> {self.source}{rule}: {told}"


class TraceEvent(NamedTuple):
    """What the agent told of itself while it ran: a message, its thinking, a hand-over."""

    sequence: int
    event_type: str
    payload: Any
    actor_id: str | None


class Change(NamedTuple):
    """One entity of the ledger that is not what it was at the start."""

    kind: str
    """`added`, `changed` or `removed`."""
    entity_type: str
    id: str
    before: dict[str, Any] | None
    after: dict[str, Any] | None
    fields: list[str]

    def __str__(self) -> str:
        change = {name: (self.after or {}).get(name) for name in self.fields}
        return f"      {self.kind} {self.entity_type} {self.id}{f' {_short(change)}' if self.fields else ''}"


def call_of(event: Mapping[str, Any]) -> Call:
    data = event["data"]
    was_refused = "source" not in data
    return Call(
        sequence=event["sequence"],
        tool_name=data["tool_name"],
        arguments=data.get("arguments", data.get("body")),
        response=data.get("response"),
        source="refused" if was_refused else data["source"],
        matched_rule_index=data.get("matched_rule_index"),
        actor_id=event["actor_id"],
        refusal=data.get("detail") if was_refused else None,
    )


def trace_event_of(event: Mapping[str, Any]) -> TraceEvent:
    data = event["data"]
    return TraceEvent(event["sequence"], data["event_type"], data.get("payload"), event["actor_id"])


def change_of(change: Mapping[str, Any]) -> Change:
    return Change(**change)


def _short(value: Any) -> str:
    text = json.dumps(value, ensure_ascii=False)
    return text if len(text) <= _SHOWN else f"{text[:_SHOWN]}…"


_OVER = ("completed", "failed", "cancelled")
_GLANCE_S = 0.01
_ARRIVAL_S = 0.25


class Run:
    """What a run did, read from the platform whenever it is asked for."""

    def __init__(self, platform: LocalPlatform, seed: dict[str, Any], agent_id: int) -> None:
        self._platform = platform
        self._seed = seed
        self._agent_id = agent_id
        self._id: int | None = None

    @property
    def id(self) -> int:
        if self._id is None:
            raise MisusedError("The run has not begun; write `with world.run(…) as run:`.")
        return self._id

    @property
    def instruction(self) -> str:
        return str(self._seed["user_instruction"])

    @property
    def status(self) -> str:
        return str(self._read()["status"])

    @property
    def final_response(self) -> str | None:
        text: str | None = self._read()["final_response"]
        return text

    @property
    def error(self) -> str | None:
        """Why the run failed: the class of the error and its sentence; None when it did not."""
        run = self._read()
        if run["error_class"] is None:
            return None
        return f"{run['error_class']}: {(run['error_json'] or {}).get('detail', '')}".rstrip(": ")

    @property
    def verdict(self) -> str:
        """`PASS`, `FAIL`, or `NOT APPLICABLE` for a run without checks; waits until it is graded."""
        return str(self._graded()["verdict"])

    @property
    def checks(self) -> list[dict[str, Any]]:
        """Each check with its `state` and the `reason` for it."""
        grades = self._graded()["grades"]
        return list(grades[-1]["checks"]) if grades else []

    @property
    def ledger(self) -> dict[str, dict[str, dict[str, Any]]]:
        """The world as it is now: `ledger[entity_type][id][field]`."""
        state: dict[str, dict[str, dict[str, Any]]] = self._get("/ledger")["state"]
        return state

    @property
    def flags(self) -> list[str]:
        return list(self._get("/ledger")["flags"])

    @property
    def changes(self) -> list[Change]:
        """The difference between the world now and the world at the start."""
        return [change_of(change) for change in self._get("/ledger/diff")["changes"]]

    @property
    def calls(self) -> list[Call]:
        """Every tool call in order, the refused ones too."""
        return [call_of(event) for event in self._events("tool_call")]

    @property
    def trace_events(self) -> list[TraceEvent]:
        return [trace_event_of(event) for event in self._events("trace_event")]

    def report(self) -> str:
        """The run in a few lines: how it ended, its calls with who answered, what changed."""
        if self._id is None:
            return f"{self.instruction!r} has not begun"
        run = self._read()
        verdict = "" if run["verdict"] in ("PENDING", "NOT APPLICABLE") else f", {run['verdict']}"
        lines = [f"run {self._id} {run['status']}{verdict}: {self.instruction!r}"]
        lines += [f"      failed by {self.error}"] if run["error_class"] else []
        lines += [str(call) for call in self.calls]
        lines += [str(change) for change in self.changes]
        lines += [f"      said {run['final_response']!r}"] if run["final_response"] else []
        for grade in run["grades"][-1:]:
            lines += [
                f"      check {each['kind']} {each['state']}: {each['reason']}" for each in grade["checks"]
            ]
        return "\n".join(lines)

    def __repr__(self) -> str:
        if self._id is None:
            return "<Run, not begun>"
        calls = ", ".join(f"{call.tool_name} ({call.source})" for call in self.calls)
        return f"<Run {self._id} {self.status}: {calls or 'no calls'}>"

    def _start(self) -> None:
        body = {"agent_id": self._agent_id, "seeds": [self._seed]}
        started = self._platform.api.ask("POST", "/api/runs", body, what="The run cannot be started")
        self._id = started["runs"][0]["id"]

    def _wait_until_over(self) -> None:
        while self.status not in _OVER:
            time.sleep(_GLANCE_S)

    def _graded(self) -> dict[str, Any]:
        if self.status not in _OVER:
            raise MisusedError("The run is still open; a verdict comes after run.finish(…).")
        while (run := self._read())["verdict"] == "PENDING":
            time.sleep(_GLANCE_S)
        return run

    def _read(self) -> dict[str, Any]:
        run: dict[str, Any] = self._get("")
        return run

    def _get(self, path: str) -> Any:
        return self._platform.api.ask("GET", f"/api/runs/{self.id}{path}")

    def _events(self, kind: str) -> list[dict[str, Any]]:
        events = self._platform.api.pages(f"/api/runs/{self.id}/trace")
        last = max((event["attempt"] for event in events), default=0)
        return [event for event in events if (event["kind"], event["attempt"]) == (kind, last)]


class EndedRun(Run):
    """A run that an agent of its own was dispatched to."""

    def play(self) -> Self:
        self._start()
        self._wait_until_over()
        return self


class OpenRun(Run):
    """A run whose agent is the code inside the `with`; unless it is finished there, it is cancelled."""

    _dispatched: DispatchedRun | None = None
    _is_finished = False

    def __enter__(self) -> Self:
        if self._id is not None:
            raise MisusedError("A run happens once; ask the world for another.")
        self._start()
        while self._dispatched is None:
            self._dispatched = self._platform.desk.take(self.id, _ARRIVAL_S)
            if self._dispatched is None and self.status in _OVER:
                raise MisusedError(f"The run ended before it was dispatched; {self.error or self.status}.")
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        if not self._is_finished:
            self._cancel()

    @property
    def proxy_url(self) -> str:
        """Where the agent calls its tools: POST `{proxy_url}/tools/{name}`."""
        return str(self.body["odyssey_proxy_url"])

    @property
    def run_token(self) -> str:
        """The bearer token of those calls."""
        return self.headers["x-pipelines-run-token"]

    @property
    def body(self) -> dict[str, Any]:
        """The dispatch as an agent's endpoint receives it."""
        return self._open().body

    @property
    def headers(self) -> dict[str, str]:
        """Its headers, by lower-case name."""
        return self._open().headers

    @property
    def environ(self) -> dict[str, str]:
        """The same for an agent that is started as a program: the variables of code mode."""
        body = self.body
        return {
            "PIPELINES_ODYSSEY_PROXY_URL": self.proxy_url,
            "PIPELINES_RUN_TOKEN": self.run_token,
            "PIPELINES_RUN_TOKEN_JTI": str(body["run_token_jti"]),
            "PIPELINES_RUN_ID": str(body["run_id"]),
            "PIPELINES_TASK_ID": str(body["task_id"]),
            "_PIPELINES_TASK_INPUT_JSON": json.dumps(body["input"]),
        }

    def finish(self, reply: str | dict[str, Any]) -> None:
        """Answer the dispatch, with a text or a whole reply (`final_response`, `messages`, …); waits for the end."""
        if self._is_finished:
            raise MisusedError("The run is finished already; an agent replies once.")
        if not isinstance(reply, str | dict):
            raise MisusedError(
                f"A reply is a text or a dict with final_response, not {type(reply).__name__}."
            )
        content = {"final_response": reply} if isinstance(reply, str) else reply
        self._open().answer(json.dumps(content).encode())
        self._is_finished = True
        self._wait_until_over()

    def _open(self) -> DispatchedRun:
        if self._dispatched is None:
            raise MisusedError("The run has not begun; write `with world.run(…) as run:`.")
        return self._dispatched

    def _cancel(self) -> None:
        try:
            self._platform.api.ask("POST", f"/api/runs/{self.id}/cancel")
        except RefusedError as refused:
            if refused.status != 409:  # it has ended by itself
                raise
        self._wait_until_over()

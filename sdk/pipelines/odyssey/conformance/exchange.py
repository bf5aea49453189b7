"""One dispatch of a check: what was sent, what the agent's tools were answered, what came back."""

from collections.abc import Mapping, Sequence
from typing import Any, NamedTuple

from pipelines.odyssey.conformance.reply_shape import Reading, read_reply
from pipelines.odyssey.conformance.wire import (
    MOST_BYTES,
    Answer,
    Dispatched,
    Unanswered,
    dispatch_body,
)
from pipelines.odyssey.local.answers import Answers
from pipelines.odyssey.local.proxy import LocalProxy, LocalRun, Refusal, Stranger

DEFAULT_INSTRUCTION = "Hello. Where is my order ord_1001?"


class Plan(NamedTuple):
    """What the checks ask of an agent."""

    agent: Dispatched
    proxy: LocalProxy
    instruction: str = DEFAULT_INSTRUCTION
    task_input: Mapping[str, Any] = {}
    answers: Answers | None = None
    retry_after_s: int = 1
    """How long a refused call is told to wait."""
    overlap_s: float = 10
    """How long one run is held up for another to begin."""

    def open_run(self, refusals: Sequence[Refusal] = ()) -> LocalRun:
        return self.proxy.open_run(self.answers, refusals=refusals)


class Exchange(NamedTuple):
    run: LocalRun
    answer: Answer | Unanswered
    reply: dict[str, Any] | None
    fault: str
    """Why there is no reply."""
    strangers: tuple[Stranger, ...] = ()
    """Requests that came meanwhile and no token opened."""

    @property
    def text(self) -> str:
        return self.answer.text if isinstance(self.answer, Answer) else ""


def dispatch(
    plan: Plan,
    run: LocalRun,
    *,
    instruction: str | None = None,
    task_input: Mapping[str, Any] | None = None,
    **more: Any,
) -> Exchange:
    """Dispatch once and read the reply; `more` is what `dispatch_body` takes besides."""
    body = dispatch_body(
        run,
        instruction or plan.instruction,
        task_input=plan.task_input if task_input is None else task_input,
        **more,
    )
    known = len(plan.proxy.strangers)
    answer = plan.agent.dispatch(run, body)
    reading = _read(answer)
    return Exchange(run, answer, reading.reply, reading.fault, tuple(plan.proxy.strangers[known:]))


def _read(answer: Answer | Unanswered) -> Reading:
    if isinstance(answer, Unanswered) or answer.status != 200:
        return Reading(None, answer.shown)
    if answer.size > MOST_BYTES:
        return Reading(None, f"the reply has {answer.size} bytes; at most 1 MiB is read")
    return read_reply(answer.text)

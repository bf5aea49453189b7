"""Whether a simulator model that was away has spoilt an attempt, by what the journal says of its calls.

A call that was refused because the model answered nobody is not the agent's failure unless the same call was answered
later. That must be no way out for an agent, so three things are held against it:

- what ran short it had used itself: the larger part of a budget, or of the calls of the last minute, of which it made
  more than a fair agent does;
- where the attempt cannot be made again and would not be measured at all, it must have done what it was told, and
  called again. If it did not, the model must have been away for good as far as it saw: nothing was answered
  afterwards, and the refusal was not one of many questions, asked until one of them failed.
"""

from bisect import bisect_left, bisect_right
from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from datetime import timedelta
from functools import cached_property
from typing import Any, NamedTuple

from odyssey.journal.platform_faults import Reason
from odyssey.kit.clock import microseconds, read_rfc3339
from odyssey.records.canonical import canonical_json

REFUSED = (503, 504)
"""Statuses of calls that the journal keeps and that were refused because the model was away."""
_REASONS: Mapping[str, Reason] = {
    "simulator_unavailable": "simulator_unavailable",
    "simulator_timeout": "simulator_timeout",
}
_ANSWERED = 200
_LARGER_PART = 0.5
_CROWD = 20
"""More questions than that at once, or in a minute, are what a model's server may well refuse."""
_MANY = 10
"""Questions to one refusal: an agent that asks until something fails has asked more."""
_MINUTE = timedelta(minutes=1) // timedelta(microseconds=1)


class ModelCallRecord(NamedTuple):
    """A call that a model was to answer, or one that was answered without it."""

    sequence: int
    key: bytes
    """Of the tool and its arguments: equal calls have equal keys."""
    began: int
    """In microseconds, as `ended`."""
    ended: int
    reason: Reason | None
    """Why it was refused; None: it was not."""
    cause: str | None
    own_share: float
    is_success: bool
    was_asked: bool
    """Whether the model gave this answer, just then."""


def read_call(sequence: int, data: Mapping[str, Any]) -> ModelCallRecord | None:
    """Read the data of a `tool_call`; None: it was refused for another reason."""
    status, outage = data["http_status"], data.get("outage") or {}
    reason = _REASONS.get(data.get("code", ""))
    if status != _ANSWERED and reason is None:
        return None
    model = data.get("model")
    return ModelCallRecord(
        sequence=sequence,
        key=canonical_json([data["tool_name"], data["arguments"]]),
        began=microseconds(read_rfc3339(data["started_at"])),
        ended=microseconds(read_rfc3339(data["ended_at"])),
        reason=reason,
        cause=outage.get("cause"),
        own_share=outage.get("own_share", 0.0),
        is_success=status == _ANSWERED and data["source"] != "error",
        was_asked=status == _ANSWERED and model is not None and not model["cached"],
    )


class AttemptCalls:
    """The calls of one attempt, in order."""

    def __init__(self, calls: Iterable[ModelCallRecord]) -> None:
        self._calls = list(calls)
        self._refused = [call for call in self._calls if call.reason is not None]
        self._answered = [call for call in self._calls if call.was_asked]
        self._last_success = {call.key: call.sequence for call in self._calls if call.is_success}
        self._last_answer = max((call.sequence for call in self._answered), default=0)
        self._refusals = Counter(call.key for call in self._refused)

    def outage(self, *, is_last: bool) -> Reason | None:
        """Say by which outage the attempt is spoilt, if it is; `is_last`: it will not be made again."""
        for call in self._refused:
            was_answered_later = self._last_success.get(call.key, 0) > call.sequence
            if was_answered_later or self._is_own_doing(call) or (is_last and not self._was_away_for(call)):
                continue
            return call.reason
        return None

    def _is_own_doing(self, call: ModelCallRecord) -> bool:
        if call.own_share <= _LARGER_PART:
            return False
        return call.cause == "budget" or self._is_crowd_around(call)

    def _is_crowd_around(self, call: ModelCallRecord) -> bool:
        """Whether the model was asked too much at once and answered a part of it; one that is down answers nothing."""
        if call.cause == "rate":
            since, until = call.began - _MINUTE, call.began + _MINUTE
            return (
                self._answers.began_within(since, until) > 0
                and self._questions.began_within(since, until) > _CROWD
            )
        return self._answers.overlapping(call) > 0 and self._questions.overlapping(call) > _CROWD

    def _was_away_for(self, call: ModelCallRecord) -> bool:
        """Whether an agent could do no more: it called again in vain, or nothing was answered any more."""
        if self._refusals[call.key] > 1:
            return True
        return call.sequence > self._last_answer and len(self._refusals) * _MANY >= len(self._answered) + len(
            self._refusals
        )

    @cached_property
    def _answers(self) -> "Spans":
        return Spans(self._answered)

    @cached_property
    def _questions(self) -> "Spans":
        """Each question once: an agent that calls again, as it is told to, asks nothing new."""
        first: dict[bytes, ModelCallRecord] = {}
        for call in self._refused:
            first.setdefault(call.key, call)
        return Spans([*self._answered, *first.values()])


class Spans:
    """When calls began and ended, to be counted without going through them."""

    def __init__(self, calls: Sequence[ModelCallRecord]) -> None:
        self._began = sorted(call.began for call in calls)
        self._ended = sorted(call.ended for call in calls)

    def began_within(self, since: int, until: int) -> int:
        return bisect_right(self._began, until) - bisect_left(self._began, since)

    def overlapping(self, call: ModelCallRecord) -> int:
        """Count those that were under way at some time while a call was."""
        return bisect_right(self._began, call.ended) - bisect_left(self._ended, call.began)

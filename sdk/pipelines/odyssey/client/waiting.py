"""Waiting for work that the platform does: how far it is, how long until the next look, and when to give up."""

from collections.abc import Callable, Mapping
from time import monotonic
from typing import Any, NamedTuple

from pipelines.odyssey.errors import OdysseyError, UnreachableError

PATIENCE_S = 60.0
"""How long a platform may be away, while it starts anew say, before waiting is given up."""
LISTEN_S = 5.0
"""How long a stream may be silent before the clock is looked at."""

ENDED = ("completed", "failed", "cancelled")

_FIRST_PAUSE_S = 0.1
_LONGEST_PAUSE_S = 2.0


class Progress(NamedTuple):
    done: int
    """How many runs have ended and were graded."""
    total: int
    left: tuple[int | str, ...]
    """What is waited for and not done: numbers of runs, or the id of the batch or matrix."""
    elapsed_s: float = 0.0
    seconds_left: float | None = None
    """A guess from the pace so far; None as long as there is none."""

    @property
    def is_over(self) -> bool:
        return not self.left


class NotDoneError(OdysseyError, TimeoutError):
    """The time was up before the work was done, which goes on; `progress.left` says what was left."""

    def __init__(self, progress: Progress | None, timeout: float) -> None:
        done = (
            "nothing was heard" if progress is None else f"{progress.done} of {progress.total} runs are done"
        )
        left = "" if progress is None else f"; left: {_listed(progress.left)}"
        super().__init__(f"Not done within {timeout:g} s: {done}{left}. It goes on; wait again or cancel it.")
        self.progress = progress


class Watch:
    """The clock of one wait: counts from its construction."""

    def __init__(self, timeout: float | None, on_progress: Callable[[Progress], object] | None) -> None:
        self._timeout = timeout
        self._on_progress = on_progress
        self._started = self._answered = monotonic()
        self._pause = _FIRST_PAUSE_S
        self._last: Progress | None = None

    def answered(self) -> None:
        """Remember that the platform is there."""
        self._answered = monotonic()

    def saw(self, progress: Progress) -> None:
        """Tell of it, with the time it took and may still take."""
        self.answered()
        elapsed = self._answered - self._started
        guess = progress.seconds_left
        if guess is None and progress.done and not progress.is_over:
            guess = elapsed / progress.done * (progress.total - progress.done)
        self._last = progress._replace(elapsed_s=elapsed, seconds_left=guess)
        if self._on_progress is not None:
            self._on_progress(self._last)

    def missed(self, error: UnreachableError) -> None:
        """Forgive that nothing was answered, for a while."""
        if monotonic() - self._answered > PATIENCE_S:
            raise error

    def pause(self) -> float:
        """Return seconds until the next look, more each time, never beyond the end; NotDoneError at the end."""
        pause = min(self._pause, self.left_s())
        self._pause = min(self._pause * 1.5, _LONGEST_PAUSE_S)
        return pause

    def left_s(self) -> float:
        """Return seconds until the time is up; NotDoneError when it is."""
        if self._timeout is None:
            return float("inf")
        left = self._started + self._timeout - monotonic()
        if left <= 0:
            raise NotDoneError(self._last, self._timeout)
        return left


def run_is_done(run: Mapping[str, Any]) -> bool:
    return run["status"] in ENDED and run["verdict"] != "PENDING"


def batch_progress(batch: Mapping[str, Any]) -> Progress:
    """Say how far a batch is; runs that wait or go on count as PENDING too, as far as they will be graded."""
    ungraded, total = batch["verdicts"]["PENDING"], batch["planned_runs"]
    if batch["status"] in ENDED and not ungraded:
        return Progress(total, total, ())
    ended = sum(batch["runs"][status] for status in ENDED)
    waiting = batch["runs"]["pending"] + batch["runs"]["running"]
    done = max(0, ended - max(0, ungraded - waiting))
    return Progress(min(done, total), total, (batch["id"],))


def _listed(left: tuple[int | str, ...]) -> str:
    shown = ", ".join(map(str, left[:10]))
    return f"{shown} and {len(left) - 10} more" if len(left) > 10 else shown

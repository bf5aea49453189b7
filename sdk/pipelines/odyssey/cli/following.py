"""Waiting for runs: a bar with the time left on a terminal, a line now and then elsewhere. All of it on stderr."""

import itertools
import sys
import time
from collections import Counter
from collections.abc import Callable, Collection, Iterator, Mapping
from contextlib import contextmanager
from typing import Any, NamedTuple, TypeVar

from rich.console import Console
from rich.progress import (
    BarColumn,
    MofNCompleteColumn,
    Progress,
    SpinnerColumn,
    TextColumn,
    TimeElapsedColumn,
)

from pipelines.odyssey.cli.connection import Connection, NoStreamError, UnreachableError, if_missing
from pipelines.odyssey.cli.printing.figures import VERDICTS, counted
from pipelines.odyssey.cli.printing.screen import many
from pipelines.odyssey.cli.printing.timeline import duration
from pipelines.odyssey.client import types as t
from pipelines.odyssey.client.waiting import batch_progress, run_is_done

Seen = TypeVar("Seen")

_FIRST_WAIT_S = 0.1
_LONGEST_WAIT_S = 1.0
_PATIENCE_S = 60.0
"""How long a platform may be away, while it starts anew say, before waiting is given up."""
_LINE_EVERY_S = 10.0
_WITHOUT_STREAM_S = 5.0
_FRESH = "fresh run"


class State(NamedTuple):
    done: int
    """Runs that ended and have their verdict."""
    total: int
    said: str
    is_over: bool
    noun: str = "run"


def wait_for_batch(platform: Connection, batch_id: int) -> t.BatchOut:
    """Wait until every run of a batch has ended and has its verdict."""
    with if_missing(f"There is no batch {batch_id} any more."):
        return _follow(lambda: platform.batches.get(batch_id), _state_of)


def wait_for_run(platform: Connection, run_id: int) -> t.RunOut:
    """Wait until one run has ended and has its verdict."""

    def state_of(run: t.RunOut) -> State:
        is_over = run_is_done(run)
        return State(int(is_over), 1, f"run {run_id} is {run['status']}, verdict {run['verdict']}", is_over)

    with if_missing(f"There is no run {run_id} any more."):
        return _follow(lambda: platform.runs.get(run_id), state_of)


def wait_for_eval_runs(
    platform: Connection, scenario_id: str, run_ids: Collection[int]
) -> list[t.EvalRunSummary]:
    """Wait until runs of a scenario have ended and were looked at, with those that repeat a missing one."""
    known = 0

    def look() -> list[t.EvalRunSummary]:
        newest_first = platform.eval.runs.list(scenario_id=scenario_id)
        recent = itertools.takewhile(lambda run: run["id"] >= min(run_ids), newest_first)
        return [run for run in recent if run["id"] in run_ids or run["replaces"] in run_ids][::-1]

    def state_of(runs: list[t.EvalRunSummary]) -> State:
        nonlocal known
        before, known = known, len(runs)
        done = sum(run["observed_at"] is not None for run in runs)
        said = counted(Counter(str(run["status"]) for run in runs))
        # A run that was made while we read page by page is seen only the next time.
        return State(done, len(runs), said, done == len(runs) == before)

    return _follow(look, state_of)


def wait_for_matrix(platform: Connection, matrix_id: str, first_runs: int) -> None:
    """Wait until a matrix has ended, told by its stream of events, or by itself while too many streams are open.

    What is planned beyond its `first_runs` are fresh runs: they are told apart from the moment there are any.
    """
    last_answer = time.monotonic()
    show = _Bar() if sys.stderr.isatty() else _Lines()
    with show:
        while True:
            try:
                for event in platform.eval.matrices.events(matrix_id):
                    last_answer = time.monotonic()
                    if event.name == "end":
                        return
                    if event.name == "progress":
                        _tell(show, event.data, first_runs)
            except UnreachableError:
                if time.monotonic() - last_answer > _PATIENCE_S:
                    raise
            except NoStreamError:
                matrix = platform.eval.matrices.get(matrix_id)
                _tell(show, matrix["progress"], first_runs)
                if matrix["status"] != "running":
                    return
                time.sleep(_WITHOUT_STREAM_S)
            # A stream that ended without saying so belongs to a platform that stops; perhaps it starts anew.
            time.sleep(_LONGEST_WAIT_S)


def _tell(show: "_Bar | _Lines", data: Mapping[str, Any], first_runs: int) -> None:
    state = _progress(data, first_runs)
    if state.noun == _FRESH:
        fresh = many(state.total, _FRESH)
        show.note(f"The first {many(first_runs, 'run')} have ended. The most suspicious cells get {fresh}.")
    show.update(state, data.get("seconds_left"))


def _progress(data: Mapping[str, Any], first_runs: int) -> State:
    ended, planned, missing = (int(data.get(name) or 0) for name in ("ended", "planned", "missing"))
    said = f"{missing} missing" if missing else ""
    if planned > first_runs:
        done = max(0, ended - first_runs)
        return State(done, planned - first_runs, said, is_over=ended >= planned, noun=_FRESH)
    return State(ended, planned, said, is_over=ended >= planned)


@contextmanager
def busy(what: str) -> Iterator[None]:
    """Say on a terminal that something takes its time."""
    with Console(stderr=True, highlight=False).status(what) if sys.stderr.isatty() else _nothing():
        yield


@contextmanager
def _nothing() -> Iterator[None]:
    yield


def _state_of(batch: t.BatchOut) -> State:
    progress = batch_progress(batch)
    said = "the agent is pinged" if batch["status"] == "checking" else counted(batch["verdicts"], VERDICTS)
    return State(progress.done, progress.total, said, progress.is_over)


def _follow(look: Callable[[], Seen], state_of: Callable[[Seen], State]) -> Seen:
    """Look again and again until it is over, and return what was seen last."""
    started = time.monotonic()
    show = _Bar() if sys.stderr.isatty() else _Lines()
    with show:
        wait = _FIRST_WAIT_S
        last_answer = started
        while True:
            try:
                seen = look()
                last_answer = time.monotonic()
            except UnreachableError:
                if time.monotonic() - last_answer > _PATIENCE_S:
                    raise
            else:
                state = state_of(seen)
                show.update(state, time_left(state, time.monotonic() - started))
                if state.is_over:
                    return seen
            time.sleep(wait)
            wait = min(wait * 1.5, _LONGEST_WAIT_S)


def time_left(state: State, elapsed_s: float) -> float | None:
    """Guess from the pace so far; None as long as there is none."""
    if not state.done or state.is_over:
        return None
    return elapsed_s / state.done * (state.total - state.done)


def _left(seconds: float | None) -> str:
    if seconds is None:
        return ""
    return f"about {max(1, round(seconds))} s left" if seconds < 60 else f"about {duration(seconds)} left"


class _Bar:
    def __init__(self) -> None:
        columns = SpinnerColumn(), BarColumn(), MofNCompleteColumn(), TextColumn("{task.description}")
        console = Console(stderr=True, markup=False, highlight=False)
        self._progress = Progress(*columns, TimeElapsedColumn(), console=console, transient=True)
        self._task = self._progress.add_task("", total=None)
        self._noted = ""

    def __enter__(self) -> None:
        self._progress.start()

    def __exit__(self, *_: object) -> None:
        self._progress.stop()

    def update(self, state: State, left_s: float | None) -> None:
        noun = f"{_FRESH}s" if state.noun == _FRESH else ""
        said = ", ".join(filter(None, (noun, state.said, _left(left_s))))
        self._progress.update(self._task, total=state.total, completed=state.done, description=said)

    def note(self, line: str) -> None:
        """Say once that something else begins."""
        if line != self._noted:
            self._progress.console.print(line)
            self._noted = line


class _Lines:
    """A line when a tenth more is done or some time has gone by, and one at the end."""

    def __init__(self) -> None:
        self._said_at = time.monotonic()
        self._said_tenths = 0
        self._last = ""
        self._noted = ""

    def __enter__(self) -> None: ...

    def __exit__(self, *_: object) -> None: ...

    def update(self, state: State, left_s: float | None) -> None:
        tenths, now = state.done * 10 // max(1, state.total), time.monotonic()
        if not state.is_over and tenths <= self._said_tenths and now - self._said_at < _LINE_EVERY_S:
            return
        parts = (f"{state.done} of {many(state.total, state.noun)} done", state.said, _left(left_s))
        line = "; ".join(filter(None, parts)) + "\n"
        if line != self._last:
            sys.stderr.write(line)
            sys.stderr.flush()
        self._said_at, self._said_tenths, self._last = now, tenths, line

    def note(self, line: str) -> None:
        """Say once that something else begins, and count anew."""
        if line != self._noted:
            sys.stderr.write(f"{line}\n")
            sys.stderr.flush()
            self._noted = line
            self._said_at, self._said_tenths = time.monotonic(), 0

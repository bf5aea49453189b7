"""What the rounds come to: medians of ratios, each taken within one round, with the least and the greatest."""

import statistics
from collections.abc import Iterable, Mapping, Sequence
from typing import Any, NamedTuple

from benchmarks.matrix.evals import CONCURRENCY, RUNS, Timed

SLOW_LIMIT = 1.5
AHEAD_OF = ("Inspect AI", "promptfoo", "DeepEval")


class SlowRound(NamedTuple):
    bare: float
    matrix: Timed


class InstantRound(NamedTuple):
    bare: float
    httpx: float
    commit: float
    matrix: Timed


class PeerRound(NamedTuple):
    httpx: float
    peer: float


class Results(NamedTuple):
    slow: Sequence[SlowRound]
    instant: Sequence[InstantRound]
    peers: Mapping[str, Sequence[PeerRound]]
    skipped: Sequence[str]


class Ratio(NamedTuple):
    median: float
    least: float
    greatest: float

    def __str__(self) -> str:
        return f"{self.median:.2f} ({self.least:.2f}–{self.greatest:.2f})"


def ratio(values: Iterable[float]) -> Ratio:
    found = list(values)
    return Ratio(statistics.median(found), min(found), max(found))


def share_of_httpx(results: Results) -> Ratio:
    """Say how many runs end in the time in which a bare httpx loop does one."""
    return ratio(each.httpx / each.matrix.seconds for each in results.instant)


def lines(results: Results) -> Iterable[str]:
    if results.slow:
        slow = ratio(each.matrix.seconds / each.bare for each in results.slow)
        yield f"an agent that takes 50 ms, {RUNS} runs, {CONCURRENCY} at once:"
        yield f"  the matrix ÷ a bare loop with the same client        {slow}   [{_mark(slow.median <= SLOW_LIMIT)}]"
    if results.instant:
        ours = share_of_httpx(results)
        cpu = ratio(each.matrix.cpu_seconds / each.commit for each in results.instant)
        yield "an agent that answers at once:"
        cost = ratio(each.matrix.seconds / each.commit for each in results.instant)
        yield f"  a run ÷ one POST and one durable commit              {cost}"
        yield f"  … its CPU seconds alone ÷ the same                   {cpu}"
        bare = ratio(each.matrix.seconds / each.bare for each in results.instant)
        yield f"  a run ÷ one POST with the same client                {bare}"
        yield f"  runs/s, as a share of a bare httpx loop’s            {ours}"
        for name, rounds in results.peers.items():
            theirs = ratio(each.httpx / each.peer for each in rounds)
            aim = name.startswith(AHEAD_OF)
            mark = f"   [ahead: {_mark(ours.median > theirs.median)}]" if aim else ""
            yield f"  … {name:<50} {theirs}{mark}"
    yield from results.skipped


def _mark(is_met: bool) -> str:
    return "met" if is_met else "missed"


def as_json(results: Results) -> dict[str, Any]:
    return {
        "runs": RUNS,
        "concurrency": CONCURRENCY,
        "slow": [_members(each) for each in results.slow],
        "instant": [_members(each) for each in results.instant],
        "peers": {name: [each._asdict() for each in rounds] for name, rounds in results.peers.items()},
        "skipped": list(results.skipped),
    }


def _members(one: SlowRound | InstantRound) -> dict[str, Any]:
    return {**one._asdict(), "matrix": one.matrix._asdict()}

"""What the rounds come to: medians of ratios, each taken within one round, with the least and the greatest."""

import statistics
from collections.abc import Iterable, Mapping, Sequence
from typing import Any, NamedTuple

from benchmarks.matrix.evals import CONCURRENCY, Size, Timed
from benchmarks.targets import Outcome, Target

SLOW = Target("a matrix of an agent that takes 50 ms ÷ a bare loop with the same client", at_most=1.5)
OF_PEERS = {
    name: Target(f"runs/s of a matrix of an instant agent ÷ {name}", at_least=1)
    for name in ("Inspect AI", "promptfoo", "DeepEval")
}


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
    size: Size
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


def share_of_bare(results: Results) -> Ratio:
    """Say how long a matrix of the slow agent takes beside a bare loop."""
    return ratio(each.matrix.seconds / each.bare for each in results.slow)


def share_of_peer(rounds: Sequence[PeerRound]) -> Ratio:
    """Say how many cells of a peer end in the time in which a bare httpx loop does one."""
    return ratio(each.httpx / each.peer for each in rounds)


def lines(results: Results) -> Iterable[str]:
    if results.slow:
        yield f"an agent that takes 50 ms, {results.size.runs} runs, {CONCURRENCY} at once:"
        yield f"  the matrix ÷ a bare loop with the same client        {share_of_bare(results)}"
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
            yield f"  … {name:<50} {share_of_peer(rounds)}"
    yield from results.skipped


def outcomes(results: Results) -> list[Outcome]:
    found = [SLOW.measured(share_of_bare(results).median if results.slow else None)]
    for name, target in OF_PEERS.items():
        rounds = next((rounds for peer, rounds in results.peers.items() if peer.startswith(name)), None)
        theirs = None if rounds is None else share_of_peer(rounds).median
        found.append(target.measured(None if theirs is None else share_of_httpx(results).median / theirs))
    return found


def as_json(results: Results) -> dict[str, Any]:
    return {
        "runs": results.size.runs,
        "concurrency": CONCURRENCY,
        "slow": [_members(each) for each in results.slow],
        "instant": [_members(each) for each in results.instant],
        "peers": {name: [each._asdict() for each in rounds] for name, rounds in results.peers.items()},
        "skipped": list(results.skipped),
        "targets": [outcome.as_json() for outcome in outcomes(results)],
    }


def _members(one: SlowRound | InstantRound) -> dict[str, Any]:
    return {**one._asdict(), "matrix": one.matrix._asdict()}

"""The figures as tables, targets and JSON."""

import statistics
from collections.abc import Iterable, Sequence
from typing import Any, NamedTuple

from benchmarks.growth import Growth
from benchmarks.processes import Measured
from benchmarks.proxy import CONNECTIONS, READ, WRITE, Subject
from benchmarks.world import ENTITIES, KINDS, SIZES, Change, World

FIELDS = ("calls_per_second", "p50_ms", "p99_ms")
MOCKS = ("prism", "json-server", "mockoon")
COMMITS = ("commit", "commit-threads")
GROWTH_LIMIT = 1.2
CHANGE_LIMIT = 1 / 1000
FLAT_LIMIT = 1.5
_VERDICTS = {True: "PASS", False: "MISS", None: "----"}


class Figures(NamedTuple):
    calls_per_second: float
    p50_ms: float
    p99_ms: float


class Target(NamedTuple):
    met: bool | None
    """None: not measured."""
    text: str

    def line(self) -> str:
        return f"{_VERDICTS[self.met]}  {self.text}"


def figures(rounds: Sequence[Measured]) -> Figures:
    """Take the median over the rounds, field by field."""
    return Figures(*(statistics.median(getattr(one, field) for one in rounds) for field in FIELDS))


def ratios(odyssey: Sequence[Measured], other: Sequence[Measured]) -> Figures:
    """Take the median of the rounds' own ratios: both sides of each were measured in the same minute."""
    pairs = list(zip(odyssey, other, strict=True))
    return Figures(
        *(statistics.median(getattr(a, field) / getattr(b, field) for a, b in pairs) for field in FIELDS)
    )


NOTES = """\
Every server is one process; every row is the median of the rounds, every ratio the median of the rounds' own ratios.
Of calls/s a ratio above 1 is Odyssey's advantage, of p50 and p99 one below 1.
Odyssey: 32 runs open, each call on disk before its answer. + commit: one INSERT in its own transaction (SQLite, WAL,
synchronous=FULL), in the `async def` itself or in a `def` in the thread pool with a connection per thread.
Prism keeps nothing; Mockoon keeps the change in memory; json-server writes its file after the answer, without fsync."""


def tables(subjects: Sequence[Subject]) -> Iterable[str]:
    write = subjects[0]
    assert write.key == WRITE
    for connections in CONNECTIONS:
        title = f"{connections} connection{'s' * (connections > 1)}"
        yield ""
        yield f"{'':<30}{'':>30}   {'Odyssey’s update_order ÷ it':>30}"
        yield f"{title:<30}{'calls/s':>10}{'p50 ms':>10}{'p99 ms':>10}   {'calls/s':>10}{'p50':>10}{'p99':>10}"
        yield "-" * 93
        for subject in subjects:
            own = figures(subject.rounds[connections])
            line = f"{subject.name:<30}{own.calls_per_second:>10,.0f}{own.p50_ms:>10.2f}{own.p99_ms:>10.2f}"
            if subject.key not in (WRITE, READ):
                ratio = ratios(write.rounds[connections], subject.rounds[connections])
                line += f"   {ratio.calls_per_second:>10.2f}{ratio.p50_ms:>10.2f}{ratio.p99_ms:>10.2f}"
            yield line
    yield ""
    yield NOTES


def proxy_targets(subjects: Sequence[Subject]) -> list[Target]:
    by_key = {subject.key: subject for subject in subjects}
    write = by_key[WRITE]

    def share(key: str, connections: int) -> float:
        return ratios(write.rounds[connections], by_key[key].rounds[connections]).calls_per_second

    commit = min(COMMITS, key=lambda key: share(key, 32))
    targets = [
        _at_least(0.4, share("fastapi", 32), "of the FastAPI echo’s calls/s at 32 connections"),
        _at_least(0.5, share(commit, 32), "of the FastAPI echo with a commit (the faster of the two) at 32"),
    ]
    for key in MOCKS:
        if key in by_key:
            ratio, at_one = share(key, 32), share(key, 1)
            text = f"ahead of {by_key[key].name} at 32: {ratio:.2f} × its calls/s (at 1: {at_one:.2f} ×)"
            targets.append(Target(ratio > 1, text))
        else:
            targets.append(Target(None, f"ahead of {key} at 32: not measured"))
    return targets


def _at_least(wanted: float, found: float, what: str) -> Target:
    return Target(found >= wanted, f"at least {wanted} {what}: {found:.2f}")


def growth_target(growth: Growth) -> Target:
    text = (
        f"a call on a run holding {growth.calls_held:,} calls costs at most {GROWTH_LIMIT} × one on a run holding "
        f"100: {growth.ratio:.2f} ({growth.many_ms:.3f} ms and {growth.few_ms:.3f} ms)"
    )
    return Target(growth.ratio <= GROWTH_LIMIT, text)


def world_table(world: World) -> Iterable[str]:
    yield ""
    yield f"{'µs a call':<30}" + "".join(f"{size:>12,}" for size in SIZES) + f"{'last ÷ first':>15}"
    yield "-" * 93
    for kind in KINDS:
        medians = [statistics.median(world.growth_seconds[kind][size]) * 1e6 for size in SIZES]
        yield (
            f"{kind:<30}"
            + "".join(f"{each:>12.1f}" for each in medians)
            + f"{world.growth_ratio(kind):>15.2f}"
        )


def world_targets(world: World) -> list[Target]:
    targets = [
        _change_target(f"{what} of {ENTITIES:,} entities, {shape}, {change.megabytes:.1f} MB", change, whole)
        for shape, change in world.changes.items()
        for what, whole in (("a deep copy", change.copy_seconds), ("one hash", change.hash_seconds))
    ]
    for kind in KINDS:
        speed = f"{kind}: {1 / statistics.median(world.call_seconds[kind]):,.0f} calls/s of the engine"
        targets.append(Target(None, f"{speed}, {world.call_ratio(kind):.3f} × a dict look-up with its JSON"))
    for kind in KINDS:
        ratio = world.growth_ratio(kind)
        text = f"{kind} among {SIZES[-1]:,} entities costs at most {FLAT_LIMIT} × that among {SIZES[0]:,}: {ratio:.2f}"
        targets.append(Target(ratio <= FLAT_LIMIT, text))
    return targets


def _change_target(what: str, change: Change, whole: list[float]) -> Target:
    ratio, spent = change.ratio(whole), statistics.median(change.seconds) * 1e6
    text = (
        f"a change of a world and its hash cost at most 1/1000 of {what}: 1/{1 / ratio:,.0f}, {spent:.0f} µs"
    )
    return Target(ratio <= CHANGE_LIMIT, text)


def as_json(
    machine: dict[str, Any],
    subjects: Sequence[Subject],
    growth: Growth | None,
    world: World | None,
    targets: Sequence[Target],
) -> dict[str, Any]:
    return {
        "machine": machine,
        "proxy": [_subject_json(subject, subjects[0]) for subject in subjects],
        "growth": None if growth is None else {**growth._asdict(), "ratio": growth.ratio},
        "world": None if world is None else _world_json(world),
        "targets": [target._asdict() for target in targets],
    }


def _subject_json(subject: Subject, write: Subject) -> dict[str, Any]:
    compared = subject.key not in (WRITE, READ)
    return {
        "key": subject.key,
        "name": subject.name,
        "connections": {
            str(connections): {
                **figures(rounds)._asdict(),
                "odyssey_ratio": ratios(write.rounds[connections], rounds)._asdict() if compared else None,
                "rounds": [measured._asdict() for measured in rounds],
            }
            for connections, rounds in subject.rounds.items()
        },
    }


def _world_json(world: World) -> dict[str, Any]:
    changes = {shape: change._asdict() for shape, change in world.changes.items()}
    return {**world._asdict(), "changes": changes}

"""The figures as tables, targets and JSON."""

import statistics
from collections.abc import Iterable, Sequence
from typing import Any, NamedTuple

from benchmarks.growth import Growth
from benchmarks.processes import Measured
from benchmarks.proxy import READ, WRITE, Subject
from benchmarks.targets import Outcome, Target
from benchmarks.world import KINDS, SHAPES, World

COPY, HASH = "a deep copy", "one hash of the whole"
FIELDS = ("calls_per_second", "p50_ms", "p99_ms")
MOCKS = {"prism": "Prism", "json-server": "json-server", "mockoon": "Mockoon"}
COMMITS = ("commit", "commit-threads")

AT_32 = "update_order at 32 connections, calls/s"
OF_ECHO = Target(f"{AT_32} ÷ the FastAPI echo", at_least=0.4)
OF_COMMIT = Target(f"{AT_32} ÷ the faster of the FastAPI echoes with a commit", at_least=0.5)
OF_MOCKS = {key: Target(f"{AT_32} ÷ {name}", at_least=1) for key, name in MOCKS.items()}
GROWTH = Target("a call on a run that holds many calls ÷ one on a run that holds few", at_most=1.2)
CHANGES = {
    (shape, whole): Target(f"a change and its hash in a world of {shape} ÷ {whole}", at_most=1 / 1000)
    for shape in SHAPES
    for whole in (COPY, HASH)
}
FLAT = {kind: Target(f"{kind} in the largest world ÷ in the smallest", at_most=1.5) for kind in KINDS}


class Figures(NamedTuple):
    calls_per_second: float
    p50_ms: float
    p99_ms: float


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
    for connections in write.rounds:
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


def proxy_outcomes(subjects: Sequence[Subject]) -> list[Outcome]:
    by_key = {subject.key: subject for subject in subjects}
    write = by_key[WRITE]
    many = max(write.rounds)

    def share(key: str) -> float | None:
        if key not in by_key:
            return None
        return ratios(write.rounds[many], by_key[key].rounds[many]).calls_per_second

    return [
        OF_ECHO.measured(share("fastapi")),
        OF_COMMIT.measured(min(share(key) or 0.0 for key in COMMITS)),
        *(target.measured(share(key)) for key, target in OF_MOCKS.items()),
    ]


def growth_table(growth: Growth) -> Iterable[str]:
    yield ""
    yield (
        f"a call on a run that holds {growth.calls_held:,} calls: {growth.many_ms:.3f} ms; "
        f"on one that holds {growth.few}: {growth.few_ms:.3f} ms"
    )


def growth_outcome(growth: Growth) -> Outcome:
    return GROWTH.measured(growth.ratio)


def world_table(world: World) -> Iterable[str]:
    sizes = world.sizes
    yield ""
    heads = f"{'MB':>8}{'change + hash, µs':>20}{'÷ a copy':>12}{'÷ a hash':>12}"
    yield f"{f'a world of {sizes.entities:,} entities':<30}{heads}"
    yield "-" * 93
    for shape, change in world.changes.items():
        spent = statistics.median(change.seconds) * 1e6
        shares = (1 / change.ratio(whole) for whole in (change.copy_seconds, change.hash_seconds))
        yield f"{shape:<30}{change.megabytes:>8.1f}{spent:>20.0f}" + "".join(
            f"{f'1/{share:,.0f}':>12}" for share in shares
        )
    yield ""
    yield f"{'µs a call':<30}" + "".join(f"{size:>12,}" for size in sizes.growth) + f"{'last ÷ first':>15}"
    yield "-" * 93
    for kind in KINDS:
        medians = [statistics.median(world.growth_seconds[kind][size]) * 1e6 for size in sizes.growth]
        yield (
            f"{kind:<30}"
            + "".join(f"{each:>12.1f}" for each in medians)
            + f"{world.growth_ratio(kind):>15.2f}"
        )
    for kind in KINDS:
        speed = f"{1 / statistics.median(world.call_seconds[kind]):,.0f} calls/s of the engine"
        yield f"{kind}: {speed}, {world.call_ratio(kind):.3f} × a dict look-up with its JSON"


def world_outcomes(world: World) -> list[Outcome]:
    wholes = {
        (shape, whole): change.ratio(seconds)
        for shape, change in world.changes.items()
        for whole, seconds in ((COPY, change.copy_seconds), (HASH, change.hash_seconds))
    }
    return [
        *(target.measured(wholes[which]) for which, target in CHANGES.items()),
        *(target.measured(world.growth_ratio(kind)) for kind, target in FLAT.items()),
    ]


def as_json(
    machine: dict[str, Any],
    subjects: Sequence[Subject],
    growth: Growth | None,
    world: World | None,
    outcomes: Sequence[Outcome],
) -> dict[str, Any]:
    return {
        "machine": machine,
        "proxy": [_subject_json(subject, subjects[0]) for subject in subjects],
        "growth": None if growth is None else {**growth._asdict(), "ratio": growth.ratio},
        "world": None if world is None else _world_json(world),
        "targets": [outcome.as_json() for outcome in outcomes],
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

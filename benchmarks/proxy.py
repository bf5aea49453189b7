"""What a tool call through the proxy costs, beside echoes and mocks that answer the same write in the same run."""

from collections.abc import Awaitable, Callable, Sequence
from functools import partial
from typing import NamedTuple

import aiohttp
from benchmarks.mocks import start_mocks, why_not
from benchmarks.odyssey_runs import EXPECTED, Platform
from benchmarks.peers import Peer, start_echoes
from benchmarks.processes import LoadGenerator, Measured, Servers, say

CONNECTIONS = (1, 32)
TINY_CONNECTIONS = (1, 2)
WRITE, READ = "odyssey", "odyssey-read"
Measures = dict[str, Measured]


class Subject(NamedTuple):
    """One row of the table: who, and the measured rounds by number of connections."""

    key: str
    name: str
    rounds: dict[int, list[Measured]]


async def measure_proxy(
    servers: Servers,
    load: LoadGenerator,
    *,
    connections: Sequence[int],
    calls: int,
    rounds: int,
    with_mocks: bool,
) -> list[Subject]:
    """Measure every server in turn, several times over, so that a noisy minute is shared by all."""
    say("starting the servers")
    peers = await start_echoes(servers)
    peers += await _start_mocks(servers) if with_mocks else []
    async with Platform(servers) as platform:
        await platform.check()
        async with aiohttp.ClientSession() as session:
            for peer in peers:
                await peer.check(session)
        subjects = [
            Subject(WRITE, "Odyssey, update_order", {}),
            Subject(READ, "Odyssey, get_order", {}),
            *(Subject(peer.key, peer.name, {}) for peer in peers),
        ]
        steps: list[Callable[[int], Awaitable[Measures]]] = [
            partial(_measure_platform, platform, load, max(connections), calls),
            *(partial(_measure_peer, peer, load, calls) for peer in peers),
        ]
        for number in range(rounds):
            for count in connections:
                say(f"round {number + 1} of {rounds}, {count} connection{'s' * (count > 1)}")
                for step in steps[number % len(steps) :] + steps[: number % len(steps)]:
                    _note(subjects, count, await step(count))
    return subjects


async def _start_mocks(servers: Servers) -> list[Peer]:
    missing = why_not()
    if missing is None:
        return await start_mocks(servers)
    say(missing)
    return []


def _note(subjects: list[Subject], connections: int, measures: Measures) -> None:
    for subject in subjects:
        if subject.key in measures:
            measured = measures[subject.key]
            subject.rounds.setdefault(connections, []).append(measured)
            say(f"  {subject.name:<28}{measured.calls_per_second:>8.0f} calls/s")


def _warm_up(calls: int) -> int:
    return min(calls, max(100, calls // 4))


async def _measure_platform(
    platform: Platform, load: LoadGenerator, open_runs: int, calls: int, connections: int
) -> Measures:
    """Measure on as many fresh runs as there ever are connections, one for each run that is called."""
    async with platform.open_runs(open_runs) as runs:
        used = runs[:connections]
        measure = partial(
            load.measure, "Odyssey", platform.port, expected=EXPECTED, calls=calls, warm_up=_warm_up(calls)
        )
        written = await measure([run.updates() for run in used])
        read = await measure([run.reads() for run in used])
    return {WRITE: written, READ: read}


async def _measure_peer(peer: Peer, load: LoadGenerator, calls: int, connections: int) -> Measures:
    requests = peer.requests(connections)
    measured = await load.measure(
        peer.name, peer.port, requests, expected=peer.expected, calls=calls, warm_up=_warm_up(calls)
    )
    return {peer.key: measured}

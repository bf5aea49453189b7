"""What a crowd costs those who work: tool calls of many agents beside idle streams and active people.

The same calls are measured alone, beside streams on which nothing is said, and beside these and people who each read a
page of the list of runs and think for a moment. People's reads are measured on the idle server first.
"""

import asyncio
import statistics
import time
from collections.abc import AsyncIterator, Iterable
from contextlib import AsyncExitStack, asynccontextmanager
from typing import Any, NamedTuple

import aiohttp
from benchmarks.odyssey_runs import EXPECTED, OpenRun, Platform
from benchmarks.processes import LoadGenerator, Servers, say
from benchmarks.targets import Outcome, Target

THINKING_S = 1.0
"""Between two reads of one person."""
_PASSWORD = "a password of the crowd"
TARGETS = {
    "streams": Target("calls/s of 32 agents beside 200 idle streams ÷ without them", at_least=0.9),
    "people": Target(
        "calls/s of 32 agents beside 200 idle streams and 50 people ÷ without them", at_least=0.5
    ),
    "reads": Target("median of a person’s read in the crowd ÷ on the idle server", at_most=50),
}


class Sizes(NamedTuple):
    streams: int
    people: int
    agents: int
    calls: int


FULL = Sizes(streams=200, people=50, agents=32, calls=8000)
TINY = Sizes(streams=2, people=1, agents=2, calls=4)


class Crowd(NamedTuple):
    """Calls a second, and seconds of people's reads."""

    alone: float
    beside_streams: float
    beside_all: float
    idle_reads: list[float]
    crowd_reads: list[float]

    @property
    def ratios(self) -> dict[str, float]:
        reads = statistics.median(self.crowd_reads) / statistics.median(self.idle_reads)
        return {
            "streams": self.beside_streams / self.alone,
            "people": self.beside_all / self.alone,
            "reads": reads,
        }


async def measure_crowd(servers: Servers, load: LoadGenerator, sizes: Sizes, *, rounds: int) -> Crowd:
    async with Platform(servers) as platform, AsyncExitStack() as stack:
        say(f"{sizes.people} people sign in")
        tokens = [await _sign_in(platform, number) for number in range(sizes.people)]
        session = await stack.enter_async_context(
            aiohttp.ClientSession(
                f"http://127.0.0.1:{platform.port}", connector=aiohttp.TCPConnector(limit=0)
            )
        )
        idle_reads = [await _read(session, tokens[0]) for _ in range(20)]
        alone, streams, everything = list[float](), list[float](), list[float]()
        crowd_reads: list[float] = []
        async with platform.open_runs(sizes.agents) as runs:
            for number in range(rounds):
                say(f"round {number + 1} of {rounds}")
                alone.append(await _calls(load, platform, runs, sizes))
                async with _idle_streams(session, tokens, sizes.streams):
                    streams.append(await _calls(load, platform, runs, sizes))
                    async with _active_people(session, tokens) as reads:
                        everything.append(await _calls(load, platform, runs, sizes))
                    crowd_reads += reads
        median = statistics.median
        return Crowd(median(alone), median(streams), median(everything), idle_reads, crowd_reads)


async def _sign_in(platform: Platform, number: int) -> str:
    person = {"email": f"person-{number}@crowd.example", "password": _PASSWORD}
    await platform.ask("POST", "/api/people", person | {"role": "viewer"})
    token: str = (await platform.ask("POST", "/api/auth/token", person))["access_token"]
    return token


async def _calls(load: LoadGenerator, platform: Platform, runs: list[OpenRun], sizes: Sizes) -> float:
    requests = [run.updates() for run in runs]
    warm_up = min(sizes.calls, max(4, sizes.calls // 4))
    measured = await load.measure(
        "Odyssey", platform.port, requests, expected=EXPECTED, calls=sizes.calls, warm_up=warm_up
    )
    return measured.calls_per_second


@asynccontextmanager
async def _idle_streams(session: aiohttp.ClientSession, tokens: list[str], count: int) -> AsyncIterator[None]:
    """Keep streams of the list of runs open; a tool call changes no list."""
    async with AsyncExitStack() as stack:
        for number in range(count):
            answer = await stack.enter_async_context(
                session.get("/api/runs/events", headers=_bearer(tokens[number % len(tokens)]), timeout=_NEVER)
            )
            answer.raise_for_status()
            await answer.content.readline()
        yield


@asynccontextmanager
async def _active_people(session: aiohttp.ClientSession, tokens: list[str]) -> AsyncIterator[list[float]]:
    """Let people read; gives the seconds that their reads have taken."""
    reads: list[float] = []

    async def work(token: str, number: int) -> None:
        await asyncio.sleep(THINKING_S * number / len(tokens))
        while True:
            reads.append(await _read(session, token))
            await asyncio.sleep(THINKING_S)

    people = [asyncio.create_task(work(token, number)) for number, token in enumerate(tokens)]
    await asyncio.sleep(0)
    try:
        yield reads
        while not reads:
            await asyncio.wait(people, timeout=0.1)
    finally:
        for person in people:
            person.cancel()
        await asyncio.gather(*people, return_exceptions=True)


_NEVER = aiohttp.ClientTimeout(total=None)


async def _read(session: aiohttp.ClientSession, token: str) -> float:
    began = time.perf_counter()
    async with session.get("/api/runs", headers=_bearer(token)) as answer:
        answer.raise_for_status()
        await answer.read()
    return time.perf_counter() - began


def _bearer(token: str) -> dict[str, str]:
    return {"Authorization": f"Bearer {token}"}


def crowd_outcomes(crowd: Crowd) -> list[Outcome]:
    return [target.measured(crowd.ratios[key]) for key, target in TARGETS.items()]


def crowd_table(crowd: Crowd) -> Iterable[str]:
    ratios = crowd.ratios
    yield ""
    yield f"{'update_order by many agents':<50}{'calls/s':>10}{'÷ alone':>10}"
    yield "-" * 70
    yield f"{'alone':<50}{crowd.alone:>10.0f}"
    yield f"{'beside idle streams':<50}{crowd.beside_streams:>10.0f}{ratios['streams']:>10.2f}"
    yield f"{'beside idle streams and active people':<50}{crowd.beside_all:>10.0f}{ratios['people']:>10.2f}"
    yield ""
    idle, busy = statistics.median(crowd.idle_reads), statistics.median(crowd.crowd_reads)
    yield f"a person’s read: {idle * 1000:.1f} ms on the idle server, {busy * 1000:.1f} ms in the crowd"


def crowd_json(crowd: Crowd) -> dict[str, Any]:
    return {
        "calls_per_second": {
            "alone": crowd.alone,
            "beside_streams": crowd.beside_streams,
            "beside_all": crowd.beside_all,
        },
        "ratios": crowd.ratios,
    }

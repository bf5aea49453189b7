"""What everybody else notices of one member's heaviest requests: health checks beside each of them.

The checks go one after another over one connection, first beside nothing and then beside each request, which is sent
again until there were enough of them. A request that holds the event loop shows in the slowest of its checks.
"""

import asyncio
import http.client
import json
import random
import statistics
import time
from collections.abc import AsyncIterator, Iterable
from contextlib import asynccontextmanager
from typing import Any, NamedTuple

import aiohttp
from benchmarks.odyssey_runs import KEY, OpenRun, Platform
from benchmarks.processes import BenchmarkError, Servers, say
from benchmarks.targets import Outcome, Target

CHECKS = 200
MOST = 50
MIB = 1024 * 1024
FIELDS = tuple(f"mark_{number:02}" for number in range(20))
FIND, CODE = "find_parcel_by_{}", "check_code"
TOOLS: list[dict[str, Any]] = [
    *(
        {
            "name": FIND.format(field),
            "input_schema": {
                "type": "object",
                "properties": {field: {"type": "string"}},
                "required": [field],
            },
        }
        for field in FIELDS
    ),
    {
        "name": CODE,
        "input_schema": {
            "type": "object",
            "properties": {"code": {"type": "string", "pattern": "(a|b[ab]{500}|[ab]{500}a)+[c-e]"}},
            "required": ["code"],
        },
    },
]

_JSON, _YAML, _CSV = "application/json", "application/yaml", "text/csv"

NAMES = {
    "members": "an agent with unknown members only",
    "tools": "an agent with ten thousands of tools",
    "seed members": "runs with a million unknown members",
    "entities": "a world of small entities",
    "lists": "a world of empty lists",
    "seeds": "runs whose seed carries a world",
    "yaml": "a YAML file of scenarios",
    "rows": "a dataset of small rows",
    "numbers": "a dataset of rows that are none",
    "table": "a table of 100,000 rows",
    "code": "a text for a hostile pattern",
    "look-up": "the first look-up by a field of a large world",
}
TARGETS = {
    key: Target(f"p99 of health checks beside {name} ÷ beside nothing", at_most=MOST)
    for key, name in NAMES.items()
}


class Sizes(NamedTuple):
    """How large the documents are, as a share of the cap of their route."""

    share: float
    entities: int
    checks: int


FULL = Sizes(share=1.0, entities=30_000, checks=CHECKS)
TINY = Sizes(share=0.017, entities=100, checks=1)


class Request(NamedTuple):
    path: str
    body: bytes
    statuses: tuple[int, ...]
    media_type: str = _JSON
    token: str | None = None


class Beside(NamedTuple):
    """Health checks beside one kind of request; seconds."""

    requests: int
    request_seconds: float
    seconds: list[float]

    @property
    def p99(self) -> float:
        return _p99(self.seconds)


class Stalls(NamedTuple):
    idle: list[float]
    beside: dict[str, Beside]

    def ratio(self, key: str) -> float:
        return self.beside[key].p99 / _p99(self.idle)


async def measure_stalls(servers: Servers, sizes: Sizes) -> Stalls:
    async with Platform(servers) as platform, _checker(platform.port) as check:
        for _ in range(20):
            await check()
        idle = [await check() for _ in range(max(sizes.checks, 5) * 2)]
        beside: dict[str, Beside] = {}
        for key, request in _documents(platform.agent_id, sizes):
            say(f"{NAMES[key]}: {len(request.body) / MIB:.1f} MiB")
            beside[key] = await _beside(platform.port, check, request, sizes.checks)
        say(NAMES["code"])
        agent_id = await platform.publish(TOOLS)
        small = {"initial_state": _world(10)}
        async with platform.open_runs(1, agent_id=agent_id, seed=small) as (run,):
            beside["code"] = await _beside(platform.port, check, _hostile_text(run), sizes.checks)
        say(NAMES["look-up"])
        beside["look-up"] = await _first_look_ups(platform, agent_id, check, sizes)
    return Stalls(idle, beside)


async def _first_look_ups(platform: Platform, agent_id: int, check: Any, sizes: Sizes) -> Beside:
    """Look up by one field after another: what was looked up once has its index."""
    taken, seconds = list[float](), list[float]()
    seed = {"initial_state": _world(sizes.entities)}
    async with platform.open_runs(1, agent_id=agent_id, seed=seed) as (run,):
        first, *others = (
            Request(
                f"{run.base}/tools/{FIND.format(field)}",
                json.dumps({field: "V5"}).encode(),
                (200,),
                token=run.token,
            )
            for field in FIELDS
        )
        await asyncio.to_thread(_send, platform.port, first)  # it boots the world
        for request in others:
            found = await _beside(platform.port, check, request, 1)
            taken.append(found.request_seconds)
            seconds += found.seconds
    return Beside(len(taken), statistics.median(taken), seconds)


@asynccontextmanager
async def _checker(port: int) -> AsyncIterator[Any]:
    async with aiohttp.ClientSession(f"http://127.0.0.1:{port}") as session:

        async def check() -> float:
            began = time.perf_counter()
            async with session.get("/health") as answer:
                await answer.read()
                if answer.status != 200:
                    raise BenchmarkError(f"a health check answers {answer.status}")
            return time.perf_counter() - began

        yield check


async def _beside(port: int, check: Any, request: Request, checks: int) -> Beside:
    """Check while the request is served, and serve it again until there were enough checks."""
    seconds: list[float] = []
    taken: list[float] = []
    while len(seconds) < checks:
        sent = asyncio.create_task(asyncio.to_thread(_send, port, request))
        while not sent.done():
            seconds.append(await check())
        taken.append(await sent)
    return Beside(len(taken), statistics.median(taken), seconds)


def _send(port: int, request: Request) -> float:
    """Send from a thread, so that the checks do not wait for this side."""
    headers = {"Content-Type": request.media_type}
    if request.token is None:
        headers["X-API-Key"] = KEY
    else:
        headers["X-Pipelines-Run-Token"] = request.token
    began = time.perf_counter()
    connection = http.client.HTTPConnection("127.0.0.1", port, timeout=600)
    try:
        connection.request("POST", request.path, request.body, headers)
        answer = connection.getresponse()
        said = answer.read()
    finally:
        connection.close()
    if answer.status not in request.statuses:
        raise BenchmarkError(f"POST {request.path} answers {answer.status}: {said[:500]!r}")
    return time.perf_counter() - began


def _documents(agent_id: int, sizes: Sizes) -> Iterable[tuple[str, Request]]:
    small, large = int(2 * MIB * sizes.share) - 200, int(16 * MIB * sizes.share) - 200
    rows = int(50 * MIB * sizes.share) - 200
    unknown = b",".join(b'"m%07d":0' % number for number in range(small // 13))
    yield "members", Request("/api/agents", b"{%b}" % unknown, (422,))
    tools = b",".join([b'{"name":"t"}'] * (small // 13))
    agent = b'{"name":"a","config":{"endpoint_url":"http://127.0.0.1:9"},"tools_schema":[%b]}'
    yield "tools", Request("/api/agents/validate", agent % tools, (422,))
    unknown = b",".join(b'"m%07d":0' % number for number in range(large // 13))
    yield (
        "seed members",
        Request("/api/runs", b'{"agent_id":%d,"seeds":[{%b}]}' % (agent_id, unknown), (422,)),
    )
    entities = b",".join(b'"e%07d":{"a":%d}' % (n, n % 10) for n in range(large // 19))
    world = b'{"name":"w","initial_state":{"t":{%b}}}'
    yield "entities", Request("/api/worlds", world % entities, (201,))
    lists = b'"e":{"a":[%b]}' % b",".join([b"[]"] * (large // 3))
    yield "lists", Request("/api/worlds", world % lists, (201,))
    seed = b'{"user_instruction":"x","initial_state":{"t":{%b}}}' % entities
    yield "seeds", Request("/api/runs/validate", b'{"agent_id":%d,"seeds":[%b]}' % (agent_id, seed), (200,))
    yaml = b"scenarios:\n- name: s\n  risk_level: low\n  expected_behavior: {}\n  input_context:\n"
    lines = b"".join(b"    k%06d: {a: 1, b: [2, x]}\n" % number for number in range(3 * small // 2 // 30))
    yield "yaml", Request("/api/v1/eval/scenarios/import", yaml + lines, (200, 422), _YAML)
    row = b'{"user_instruction":"' + b"x" * 60 + b'"}'
    listed = b",".join([row] * min(rows // (len(row) + 1), 100_000))
    yield "rows", Request("/api/datasets/lint", b"[%b]" % listed, (200,))
    yield (
        "numbers",
        Request("/api/datasets/lint", b"[%b]" % b",".join([b"1"] * (rows // 2)), (413, 422, 200, 503)),
    )
    table = b"user\n" + b"".join(b"row %06d\n" % n for n in range(int(100_000 * sizes.share)))
    yield "table", Request("/api/datasets?name=t", table, (201,), _CSV)


def _hostile_text(run: OpenRun) -> Request:
    drawn = random.Random(1).choices("ab", k=MIB - 100)
    body = json.dumps({"code": "".join(drawn)}).encode()
    return Request(f"{run.base}/tools/{CODE}", body, (422,), token=run.token)


def _world(entities: int) -> dict[str, Any]:
    marks = (dict.fromkeys(FIELDS, f"V{number}") for number in range(entities))
    return {"parcel": {f"PX{number:06d}": fields for number, fields in enumerate(marks)}}


def _p99(seconds: list[float]) -> float:
    return sorted(seconds)[int(0.99 * (len(seconds) - 1))]


def stalls_outcomes(stalls: Stalls) -> list[Outcome]:
    return [target.measured(stalls.ratio(key)) for key, target in TARGETS.items()]


def stalls_table(stalls: Stalls) -> Iterable[str]:
    yield ""
    heads = f"{'requests':>10}{'s each':>10}{'checks':>10}{'p99 ms':>10}{'slowest ms':>12}{'÷ idle':>10}"
    yield f"{'health checks beside':<50}{heads}"
    yield "-" * 112
    idle = f"{_p99(stalls.idle) * 1000:>10.1f}{max(stalls.idle) * 1000:>12.1f}"
    yield f"{'nothing':<50}{'':>20}{len(stalls.idle):>10}{idle}"
    for key, name in NAMES.items():
        found = stalls.beside[key]
        figures = f"{found.p99 * 1000:>10.1f}{max(found.seconds) * 1000:>12.1f}{stalls.ratio(key):>10.1f}"
        yield f"{name:<50}{found.requests:>10}{found.request_seconds:>10.2f}{len(found.seconds):>10}{figures}"


def stalls_json(stalls: Stalls) -> dict[str, Any]:
    return {
        "idle_p99_ms": _p99(stalls.idle) * 1000,
        "beside": {
            key: {
                "requests": each.requests,
                "request_seconds": each.request_seconds,
                "checks": len(each.seconds),
                "p99_ms": each.p99 * 1000,
                "slowest_ms": max(each.seconds) * 1000,
                "ratio": stalls.ratio(key),
            }
            for key, each in stalls.beside.items()
        },
    }

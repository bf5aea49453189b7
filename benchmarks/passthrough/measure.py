"""What a passthrough call adds to a call of the service itself, beside other hops in the same minutes."""

import asyncio
import json
import sys
from collections.abc import Awaitable, Callable, Mapping
from dataclasses import dataclass, field
from functools import partial
from typing import NamedTuple

from benchmarks.calls import UPDATE, updates
from benchmarks.odyssey_runs import OpenRun
from benchmarks.passthrough.commits import Commits
from benchmarks.passthrough.live_platform import UPDATE_BY_MCP, LivePlatform
from benchmarks.passthrough.nginx import start_nginx
from benchmarks.processes import ROOT, BenchmarkError, LoadGenerator, Servers, end, say

DIRECT, NGINX, HOP, ODYSSEY = "direct", "nginx", "hop", "odyssey"
MCP_DIRECT, MCP_ODYSSEY, MCP_GATEWAY = "mcp-direct", "mcp-odyssey", "mcp-gateway"
COMMITS = "commits"
NAMES = {
    DIRECT: "the service itself",
    NGINX: "nginx in front of it",
    HOP: "a Starlette + aiohttp hop",
    ODYSSEY: "Odyssey, passthrough",
    COMMITS: "two commits, nothing else",
    MCP_DIRECT: "the MCP server, SDK’s client",
    MCP_ODYSSEY: "Odyssey, tool call to it",
    MCP_GATEWAY: "Odyssey, SDK’s client at /mcp",
}


@dataclass
class Passthrough:
    """The median milliseconds of each subject, round by round; a subject that was not measured is not there."""

    rounds: dict[str, list[float]] = field(default_factory=dict)

    def note(self, key: str, milliseconds: float) -> None:
        self.rounds.setdefault(key, []).append(milliseconds)
        say(f"  {NAMES[key]:<32}{milliseconds:>8.3f} ms")


class _Ports(NamedTuple):
    service: int
    hop: int
    nginx: int | None
    mcp: int


Step = Callable[[], Awaitable[None]]

PARTS = 4
"""A round is measured in as many parts, as a commit takes what the disk is doing at that moment."""


async def measure_passthrough(
    servers: Servers, load: LoadGenerator, *, calls: int, parts: int, with_nginx: bool
) -> Passthrough:
    """Measure every subject in turn, several times over, so that a noisy minute is shared by all."""
    say("starting the services")
    ports = await _start(servers, with_nginx=with_nginx)
    measured, commits = Passthrough(), Commits(servers.folder)
    async with LivePlatform(servers) as platform:
        await platform.bind(ports.service, ports.mcp)
        for number in range(parts):
            say(f"part {number + 1} of {parts}, one connection")
            async with platform.open_runs(1) as (run,):
                steps = _steps(measured, load, ports, run, commits, max(1, calls // PARTS))
                for step in steps[number % len(steps) :] + steps[: number % len(steps)]:
                    await step()
    commits.close()
    return measured


async def _start(servers: Servers, *, with_nginx: bool) -> _Ports:
    service = await servers.start("service", [sys.executable, "-m", "benchmarks.echo", "bare"])
    hop = [sys.executable, "-m", "benchmarks.passthrough.hop", f"http://127.0.0.1:{service}"]
    nginx = await start_nginx(servers, service) if with_nginx else None
    if nginx is None and with_nginx:
        say("nginx is skipped: it is not installed (apt install nginx-light).")
    mcp = await servers.start("mcp", [sys.executable, "-m", "benchmarks.passthrough.mcp_server"])
    return _Ports(service, await servers.start("hop", hop), nginx, mcp)


def _steps(
    measured: Passthrough, load: LoadGenerator, ports: _Ports, run: OpenRun, commits: Commits, calls: int
) -> list[Step]:
    async def post(key: str, port: int, requests: list[str]) -> None:
        warm_up = min(calls, max(100, calls // 4))
        name = NAMES[key]
        one = await load.measure(name, port, [requests], expected='"status"', calls=calls, warm_up=warm_up)
        measured.note(key, one.p50_ms)

    async def ask(key: str, url: str, headers: Mapping[str, str], tool: str) -> None:
        plan = {"url": url, "headers": headers, "tool": tool, "calls": max(1, calls // 4)}
        measured.note(key, await _mcp_client(plan | {"warm_up": min(calls, max(50, calls // 16))}))

    async def commit() -> None:
        measured.note(COMMITS, commits.measure(calls))

    path = f"/tools/{UPDATE}"
    live = {
        tool: updates(run.port, f"{run.base}/tools/{tool}", token=run.token)
        for tool in (UPDATE, UPDATE_BY_MCP)
    }
    gateway = f"http://127.0.0.1:{run.port}{run.base}/mcp"
    steps: list[Step] = [
        partial(post, DIRECT, ports.service, updates(ports.service, path)),
        partial(post, HOP, ports.hop, updates(ports.hop, path)),
        partial(post, ODYSSEY, run.port, live[UPDATE]),
        commit,
        partial(ask, MCP_DIRECT, f"http://127.0.0.1:{ports.mcp}/mcp", {}, UPDATE),
        partial(post, MCP_ODYSSEY, run.port, live[UPDATE_BY_MCP]),
        partial(ask, MCP_GATEWAY, gateway, {"Authorization": f"Bearer {run.token}"}, UPDATE_BY_MCP),
    ]
    if ports.nginx is not None:
        steps.insert(1, partial(post, NGINX, ports.nginx, updates(ports.nginx, path)))
    return steps


async def _mcp_client(plan: Mapping[str, object]) -> float:
    """Have the official client make its calls in a process of its own."""
    process = await asyncio.create_subprocess_exec(
        sys.executable,
        "-m",
        "benchmarks.passthrough.mcp_client",
        cwd=ROOT,
        stdin=asyncio.subprocess.PIPE,
        stdout=asyncio.subprocess.PIPE,
        stderr=asyncio.subprocess.PIPE,
        start_new_session=True,
    )
    try:
        output, errors = await process.communicate(json.dumps(plan).encode())
    finally:
        await end(process)
    if process.returncode != 0:
        raise BenchmarkError(f"the MCP client: {errors.decode('utf-8', 'replace').strip()[-2000:]}")
    return float(json.loads(output)["p50_ms"])

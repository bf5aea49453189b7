"""Processes the benchmarks start: servers that say or are told their port, and the load generator."""

import asyncio
import json
import os
import re
import signal
import sys
from collections.abc import Mapping, Sequence
from contextlib import suppress
from pathlib import Path
from typing import NamedTuple, Self

ROOT = Path(__file__).resolve().parents[1]
START_SECONDS = 60
END_SECONDS = 20
ANNOUNCED = re.compile(r"http://127\.0\.0\.1:(\d+)")


class BenchmarkError(Exception):
    """Why there are no figures, as a sentence."""


class Measured(NamedTuple):
    calls_per_second: float
    p50_ms: float
    p99_ms: float
    seconds: float


def say(text: str) -> None:
    print(text, file=sys.stderr, flush=True)


class Servers:
    """Starts servers and ends every one of them on leaving, whatever happened. Their output goes to files."""

    def __init__(self, folder: Path) -> None:
        self.folder = folder
        self._running: list[asyncio.subprocess.Process] = []

    async def __aenter__(self) -> Self:
        return self

    async def __aexit__(self, *error: object) -> None:
        await asyncio.gather(*(end(process) for process in self._running))

    @property
    def last_pid(self) -> int:
        """Of the server that was started last."""
        return self._running[-1].pid

    async def start(
        self,
        name: str,
        command: Sequence[str],
        *,
        port: int | None = None,
        environment: Mapping[str, str] | None = None,
    ) -> int:
        """Start a server and wait until it listens; returns its port. One without `port` prints its address."""
        log = self.folder / f"{name}.log"
        with log.open("wb") as output:
            process = await asyncio.create_subprocess_exec(
                *command,
                cwd=ROOT,
                env=clean_environment() | dict(environment or {}),
                stdin=asyncio.subprocess.DEVNULL,
                stdout=output,
                stderr=output,
                start_new_session=True,
            )
        self._running.append(process)
        try:
            async with asyncio.timeout(START_SECONDS):
                while True:
                    if process.returncode is not None:
                        raise BenchmarkError(f"{name} ended with {process.returncode}:\n{_tail(log)}")
                    found = ANNOUNCED.search(log.read_text("utf-8", "replace")) if port is None else None
                    ready = int(found[1]) if found else port
                    if ready is not None and await _listens(ready):
                        return ready
                    await asyncio.sleep(0.05)
        except TimeoutError:
            raise BenchmarkError(f"{name} did not start in {START_SECONDS} s:\n{_tail(log)}") from None


def clean_environment() -> dict[str, str]:
    """The environment without settings of a platform the user may run beside."""
    return {name: value for name, value in os.environ.items() if not name.startswith("ODYSSEY_")}


async def _listens(port: int) -> bool:
    try:
        _, writer = await asyncio.open_connection("127.0.0.1", port)
    except OSError:
        return False
    writer.close()
    return True


def _tail(log: Path) -> str:
    return "\n".join(log.read_text("utf-8", "replace").splitlines()[-20:])


async def end(process: asyncio.subprocess.Process) -> None:
    """End a process and its children (each was started as the head of a group)."""
    if process.returncode is not None:
        return
    for how in (signal.SIGTERM, signal.SIGKILL):
        with suppress(ProcessLookupError):
            os.killpg(process.pid, how)
        with suppress(TimeoutError):
            await asyncio.wait_for(process.wait(), END_SECONDS)
            return


class LoadGenerator:
    """The handle on `load.py`, which runs as a process of its own."""

    def __init__(self) -> None:
        self._process: asyncio.subprocess.Process | None = None

    async def __aenter__(self) -> Self:
        self._process = await asyncio.create_subprocess_exec(
            sys.executable,
            str(ROOT / "benchmarks" / "load.py"),
            stdin=asyncio.subprocess.PIPE,
            stdout=asyncio.subprocess.PIPE,
            start_new_session=True,
        )
        return self

    async def __aexit__(self, *error: object) -> None:
        assert self._process is not None
        await end(self._process)

    async def measure(
        self,
        name: str,
        port: int,
        requests: Sequence[Sequence[str]],
        *,
        expected: str,
        calls: int,
        warm_up: int,
    ) -> Measured:
        """Send `calls` over one connection per list of requests; each list is sent over and over."""
        plan = {
            "host": "127.0.0.1",
            "port": port,
            "requests": requests,
            "expected": expected,
            "calls": calls,
            "warm_up": warm_up,
        }
        assert self._process is not None
        assert self._process.stdin is not None
        assert self._process.stdout is not None
        self._process.stdin.write(json.dumps(plan).encode() + b"\n")
        await self._process.stdin.drain()
        line = await self._process.stdout.readline()
        if not line:
            raise BenchmarkError("the load generator ended")
        result = json.loads(line)
        if "error" in result:
            raise BenchmarkError(f"{name}: {result['error']}")
        return Measured(**result)

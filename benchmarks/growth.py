"""What a call costs on a run that already holds many, beside one that holds few.

Blocks of 200 calls alternate between the two. The run that holds few is a fresh one for each block, for it would
hold thousands by the last; what brings it to its hundred calls is the warm-up that the other run gets as well.
"""

import statistics
from typing import NamedTuple

from benchmarks.calls import NUMBERS
from benchmarks.odyssey_runs import EXPECTED, RUN_TIMEOUT_S, OpenRun, Platform
from benchmarks.processes import BenchmarkError, LoadGenerator, Servers, say

FEW = 100
BLOCK = 200
FILLING_CONNECTIONS = 20
FILLING_STEPS = 20
LONGEST_FILLING_SECONDS = RUN_TIMEOUT_S - 300


class Growth(NamedTuple):
    calls_held: int
    few: int
    block: int
    few_seconds: list[float]
    many_seconds: list[float]
    """How long each block took."""

    @property
    def few_ms(self) -> float:
        return statistics.median(self.few_seconds) / self.block * 1000

    @property
    def many_ms(self) -> float:
        return statistics.median(self.many_seconds) / self.block * 1000

    @property
    def ratio(self) -> float:
        return self.many_ms / self.few_ms


async def measure_growth(
    servers: Servers, load: LoadGenerator, *, calls_held: int, blocks: int, few: int = FEW, block: int = BLOCK
) -> Growth:
    async with Platform(servers) as platform, platform.open_runs(1 + blocks) as (full, *fresh):
        await _fill(full, load, calls_held)
        on_few: list[float] = []
        on_many: list[float] = []
        for number, run in enumerate(fresh):
            if number % 5 == 0:
                say(f"block {number + 1} of {blocks}")
            on_few.append(await _time_block(run, load, few, block))
            on_many.append(await _time_block(full, load, few, block))
    return Growth(calls_held, few, block, on_few, on_many)


async def _fill(run: OpenRun, load: LoadGenerator, calls_held: int) -> None:
    """Make the calls over many connections; each has orders of its own, so that every call changes one."""
    share = len(NUMBERS) // FILLING_CONNECTIONS
    requests = [run.updates(range(first, first + share)) for first in range(0, len(NUMBERS), share)]
    done, seconds = 0, 0.0
    for step in range(1, FILLING_STEPS + 1):
        calls = calls_held * step // FILLING_STEPS - done
        if calls == 0:
            continue
        measured = await load.measure(
            "Odyssey", run.port, requests, expected=EXPECTED, calls=calls, warm_up=0
        )
        done += calls
        seconds += measured.seconds
        say(f"filling a run: {done:,} of {calls_held:,} calls, {measured.calls_per_second:.0f} calls/s")
        if seconds / done * calls_held > LONGEST_FILLING_SECONDS:
            raise BenchmarkError(
                f"at {done / seconds:.0f} calls/s a run ends (after {RUN_TIMEOUT_S} s) before it holds "
                f"{calls_held:,} calls; choose fewer by --calls-held, or TMPDIR on a faster disk"
            )


async def _time_block(run: OpenRun, load: LoadGenerator, few: int, block: int) -> float:
    measured = await load.measure(
        "Odyssey", run.port, [run.updates()], expected=EXPECTED, calls=block, warm_up=few
    )
    return measured.seconds

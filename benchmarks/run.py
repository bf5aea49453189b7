"""The figures the docs quote: `python benchmarks/run.py`. It ends with 1 when a target is missed, and names it.

Absolute times are of the machine and the moment; the ratios, taken within one run, are what can be compared.
"""

import argparse
import asyncio
import json
import os
import signal
import sqlite3
import statistics
import sys
import tempfile
import time
from pathlib import Path
from typing import Any, NamedTuple

sys.path.insert(0, str(Path(__file__).resolve().parents[1]))  # so that it can be started by its path

from benchmarks.crowd import FULL as FULL_CROWD
from benchmarks.crowd import TINY as TINY_CROWD
from benchmarks.crowd import Crowd, crowd_json, crowd_outcomes, crowd_table, measure_crowd
from benchmarks.growth import Growth, measure_growth
from benchmarks.passthrough.measure import PARTS, Passthrough, measure_passthrough
from benchmarks.passthrough.report import passthrough_json, passthrough_outcomes, passthrough_table
from benchmarks.processes import BenchmarkError, LoadGenerator, Servers
from benchmarks.proxy import CONNECTIONS, TINY_CONNECTIONS, Subject, measure_proxy
from benchmarks.reference.measure import TINY as TINY_REFERENCE
from benchmarks.reference.measure import (
    ReferenceResults,
    measure_reference,
    reference_json,
    reference_outcomes,
    reference_table,
)
from benchmarks.report import (
    as_json,
    growth_outcome,
    growth_table,
    proxy_outcomes,
    tables,
    world_outcomes,
    world_table,
)
from benchmarks.retail.measure import (
    DATA,
    Retail,
    measure_retail,
    retail_json,
    retail_outcomes,
    retail_table,
)
from benchmarks.sdk_import import SdkImport, measure_sdk_import, sdk_outcome, sdk_table
from benchmarks.stalls import FULL as FULL_STALLS
from benchmarks.stalls import TINY as TINY_STALLS
from benchmarks.stalls import Stalls, measure_stalls, stalls_json, stalls_outcomes, stalls_table
from benchmarks.targets import Outcome, exit_code, target_lines
from benchmarks.world import FULL, TINY, World, measure_world

INTERRUPTED = 130
TINY_OPTIONS = {"calls": 4, "rounds": 1, "no_mocks": True, "calls_held": 5, "blocks": 1}
TINY_BLOCK = {"few": 2, "block": 4}


class Results(NamedTuple):
    subjects: list[Subject]
    growth: Growth | None
    world: World | None
    outcomes: list[Outcome]
    passthrough: Passthrough | None
    sdk: SdkImport | None
    retail: Retail | None
    reference: ReferenceResults | None
    stalls: Stalls | None
    crowd: Crowd | None


def main() -> None:
    options = _options()
    machine = _machine()
    _print(options, _machine_line(machine))
    try:
        results = asyncio.run(_measure(options))
    except BenchmarkError as error:
        sys.exit(f"error: {error}")
    except (KeyboardInterrupt, asyncio.CancelledError):
        sys.exit(INTERRUPTED)
    _print(options, *target_lines(results.outcomes))
    if options.json is not None:
        text = json.dumps(_document(machine, results), indent=2)
        if options.json == "-":
            print(text)
        else:
            Path(options.json).write_text(text + "\n", "utf-8")
    sys.exit(exit_code(results.outcomes))


def _options() -> argparse.Namespace:
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument(
        "--only",
        choices=("proxy", "passthrough", "growth", "world", "sdk", "retail", "reference", "stalls", "crowd"),
        help="one of the parts",
    )
    parser.add_argument("--calls", type=_positive, default=4000, help="calls in one measurement (4000)")
    parser.add_argument("--rounds", type=_positive, default=3, help="rounds the medians are taken of (3)")
    parser.add_argument("--no-mocks", action="store_true", help="without Prism, json-server and Mockoon")
    parser.add_argument(
        "--calls-held", type=_positive, default=100_000, help="calls the full run holds (100000)"
    )
    parser.add_argument(
        "--blocks",
        type=int,
        choices=range(1, 61),
        default=20,
        metavar="N",
        help="blocks of 200 calls on each (20)",
    )
    parser.add_argument(
        "--retail", type=Path, default=DATA, metavar="FOLDER", help=f"recorded calls of a shop ({DATA})"
    )
    parser.add_argument(
        "--json", nargs="?", const="-", metavar="FILE", help="write JSON to FILE, or print it instead"
    )
    parser.add_argument(
        "--tiny",
        action="store_true",
        help="as little of everything as runs to the end; its figures mean nothing",
    )
    options = parser.parse_args()
    if options.tiny:
        vars(options).update(TINY_OPTIONS)
    return options


def _document(machine: dict[str, Any], results: Results) -> dict[str, Any]:
    subjects, growth, world, outcomes, passthrough, sdk, retail, reference, stalls, crowd = results
    document = as_json(machine, subjects, growth, world, outcomes)
    return document | {
        "passthrough": None if passthrough is None else passthrough_json(passthrough),
        "sdk_import": None if sdk is None else sdk.ratios,
        "retail": None if retail is None else retail_json(retail),
        "reference": None if reference is None else reference_json(reference),
        "stalls": None if stalls is None else stalls_json(stalls),
        "crowd": None if crowd is None else crowd_json(crowd),
    }


def _positive(text: str) -> int:
    number = int(text)
    if number < 1:
        raise ValueError(text)
    return number


async def _measure(options: argparse.Namespace) -> Results:
    task = asyncio.current_task()
    assert task is not None
    asyncio.get_running_loop().add_signal_handler(signal.SIGTERM, task.cancel)
    subjects: list[Subject] = []
    growth: Growth | None = None
    world: World | None = None
    outcomes: list[Outcome] = []
    passthrough: Passthrough | None = None
    sdk: SdkImport | None = None
    if options.only in (None, "proxy"):
        subjects = await _proxy(options)
        outcomes += proxy_outcomes(subjects)
        _print(options, *tables(subjects))
    if options.only in (None, "passthrough"):
        passthrough = await _passthrough(options)
        outcomes += passthrough_outcomes(passthrough)
        _print(options, *passthrough_table(passthrough))
    if options.only in (None, "growth"):
        growth = await _growth(options)
        outcomes.append(growth_outcome(growth))
        _print(options, *growth_table(growth))
    if options.only in (None, "world"):
        world = measure_world(TINY if options.tiny else FULL, rounds=options.rounds)
        outcomes += world_outcomes(world)
        _print(options, *world_table(world))
    if options.only in (None, "sdk"):
        sdk = measure_sdk_import(rounds=1 if options.tiny else options.rounds * 5)
        outcomes.append(sdk_outcome(sdk))
        _print(options, *sdk_table(sdk))
    retail = _retail(options, outcomes) if options.only in (None, "retail") else None
    reference = _reference(options, outcomes) if options.only in (None, "reference") else None
    stalls = await _stalls(options, outcomes) if options.only in (None, "stalls") else None
    crowd = await _crowd(options, outcomes) if options.only in (None, "crowd") else None
    return Results(subjects, growth, world, outcomes, passthrough, sdk, retail, reference, stalls, crowd)


async def _crowd(options: argparse.Namespace, outcomes: list[Outcome]) -> Crowd:
    with tempfile.TemporaryDirectory(prefix="odyssey-bench-") as folder:
        async with Servers(Path(folder)) as servers, LoadGenerator() as load:
            sizes = TINY_CROWD if options.tiny else FULL_CROWD
            crowd = await measure_crowd(servers, load, sizes, rounds=options.rounds)
    outcomes += crowd_outcomes(crowd)
    _print(options, *crowd_table(crowd))
    return crowd


async def _stalls(options: argparse.Namespace, outcomes: list[Outcome]) -> Stalls:
    with tempfile.TemporaryDirectory(prefix="odyssey-bench-") as folder:
        async with Servers(Path(folder)) as servers:
            stalls = await measure_stalls(servers, TINY_STALLS if options.tiny else FULL_STALLS)
    outcomes += stalls_outcomes(stalls)
    _print(options, *stalls_table(stalls))
    return stalls


def _retail(options: argparse.Namespace, outcomes: list[Outcome]) -> Retail | None:
    retail = measure_retail(options.retail)
    outcomes += retail_outcomes(retail)
    if retail is not None:
        _print(options, *retail_table(retail))
    return retail


def _reference(options: argparse.Namespace, outcomes: list[Outcome]) -> ReferenceResults:
    found = measure_reference(TINY_REFERENCE if options.tiny else None)
    outcomes += reference_outcomes(found)
    _print(options, *reference_table(found))
    return found


async def _proxy(options: argparse.Namespace) -> list[Subject]:
    with tempfile.TemporaryDirectory(prefix="odyssey-bench-") as folder:
        async with Servers(Path(folder)) as servers, LoadGenerator() as load:
            return await measure_proxy(
                servers,
                load,
                connections=TINY_CONNECTIONS if options.tiny else CONNECTIONS,
                calls=options.calls,
                rounds=options.rounds,
                with_mocks=not options.no_mocks,
            )


async def _passthrough(options: argparse.Namespace) -> Passthrough:
    with tempfile.TemporaryDirectory(prefix="odyssey-bench-") as folder:
        async with Servers(Path(folder)) as servers, LoadGenerator() as load:
            return await measure_passthrough(
                servers,
                load,
                calls=options.calls,
                parts=1 if options.tiny else options.rounds * PARTS,
                with_nginx=not options.tiny,
            )


async def _growth(options: argparse.Namespace) -> Growth:
    with tempfile.TemporaryDirectory(prefix="odyssey-bench-") as folder:
        async with Servers(Path(folder)) as servers, LoadGenerator() as load:
            size = TINY_BLOCK if options.tiny else {}
            return await measure_growth(
                servers, load, calls_held=options.calls_held, blocks=options.blocks, **size
            )


def _print(options: argparse.Namespace, *lines: str) -> None:
    if options.json != "-":
        print(*lines, sep="\n", flush=True)


def _machine() -> dict[str, Any]:
    return {
        "cores": os.cpu_count(),
        "load_before": round(os.getloadavg()[0], 2),
        "python": sys.version.split()[0],
        "sqlite": sqlite3.sqlite_version,
        "fsync_ms": round(_fsync_ms(), 3),
    }


def _machine_line(machine: dict[str, Any]) -> str:
    return (
        f"{machine['cores']} cores, load {machine['load_before']} before the start; Python {machine['python']}, "
        f"SQLite {machine['sqlite']}; one fsync of 4 KiB takes {machine['fsync_ms']} ms where the data lie"
    )


def _fsync_ms() -> float:
    """Time the disk's own share of a durable commit, for without it the figures cannot be judged."""
    times = []
    with tempfile.TemporaryFile() as file:
        for _ in range(100):
            began = time.perf_counter()
            file.write(bytes(4096))
            file.flush()
            os.fsync(file.fileno())
            times.append(time.perf_counter() - began)
    return statistics.median(times) * 1000


if __name__ == "__main__":
    main()

"""Every benchmark runs to its end and prints its report: what it measures at these sizes means nothing."""

import sys
from collections.abc import Callable
from pathlib import Path
from unittest.mock import patch

import benchmarks.matrix.run
import benchmarks.run
import benchmarks.shift.run
from benchmarks.tests.recordings import write_runs, write_shop
from support.in_process import run_here
from support.process import clean_environment
from support.warm_programs import warm_programs

LOADED = ("odyssey.main", "odyssey.commands.up", "mcp.server.mcpserver", "mcp.client.streamable_http")
"""What the servers and clients of the benchmarks are made of."""


def report_of(main: Callable[[], None], *options: str) -> str:
    """Run a benchmark; returns what it printed before its targets, which it must have come to."""
    ended = run_here("--tiny", *options, environment=clean_environment(), main=main)
    report, heading, targets = ended.stdout.partition("\ntargets\n")
    assert heading, ended.stdout + ended.stderr
    missed = [line for line in targets.splitlines() if line.startswith("MISSED")]
    assert ended.returncode == (1 if missed else 0), ended.stderr
    assert all(
        line.startswith(("met ", "MISSED ", "not measured "))
        for line in targets.split("\n\n")[0].splitlines()
    )
    return report


def test_the_benchmarks_that_start_servers(tmp_path: Path) -> None:
    """In one test, as they share the process that their servers are forked of: loading one takes seconds."""
    with (
        warm_programs(tmp_path, *LOADED) as programs,
        patch.object(sys, "executable", str(programs / "warm-python")),
    ):
        proxy = report_of(benchmarks.run.main, "--only", "proxy")
        passthrough = report_of(benchmarks.run.main, "--only", "passthrough")
        growth = report_of(benchmarks.run.main, "--only", "growth")
        stalls = report_of(benchmarks.run.main, "--only", "stalls")
        crowd = report_of(benchmarks.run.main, "--only", "crowd")
        matrix = report_of(benchmarks.matrix.run.main)
    assert "FastAPI + pydantic echo" in proxy
    assert "Odyssey, SDK’s client at /mcp" in passthrough
    assert "a call on a run that holds 5 calls" in growth
    assert "the first look-up by a field of a large world" in stalls
    assert "beside idle streams and active people" in crowd
    assert "runs/s, as a share of a bare httpx loop’s" in matrix


def test_the_benchmarks_of_one_process(tmp_path: Path) -> None:
    shop, runs = write_shop(tmp_path / "shop"), write_runs(tmp_path / "runs.json")
    assert "find_parcel_id" in report_of(benchmarks.run.main, "--only", "world")
    assert "× import httpx" in report_of(benchmarks.run.main, "--only", "sdk")
    assert "2 recorded calls" in report_of(benchmarks.run.main, "--only", "retail", "--retail", str(shop))
    assert "all where nobody looked" in report_of(benchmarks.run.main, "--only", "reference")
    assert "20 runs: 5 tasks" in report_of(benchmarks.shift.run.main, "--data", str(runs))

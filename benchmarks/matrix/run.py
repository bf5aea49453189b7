"""What a matrix of 1,000 runs costs beside a bare loop and beside other libraries: `python benchmarks/matrix/run.py`.

Absolute times are of the machine and the moment; the ratios, each taken within one round, are what can be compared. It
ends with 1 when a target is missed, and names it.
"""

import argparse
import asyncio
import json
import signal
import sys
import tempfile
from pathlib import Path

sys.path.insert(0, str(Path(__file__).resolve().parents[2]))  # so that it can be started by its path

from benchmarks.matrix.evals import CONCURRENCY, FULL, TINY, Evals, Size
from benchmarks.matrix.peers import PEERS, install, measure
from benchmarks.matrix.report import InstantRound, PeerRound, Results, SlowRound, as_json, lines, outcomes
from benchmarks.processes import ROOT, BenchmarkError, Servers, end, say
from benchmarks.targets import exit_code, target_lines

INTERRUPTED = 130


def main() -> None:
    options = _options()
    try:
        results = asyncio.run(_measure(options))
    except BenchmarkError as error:
        sys.exit(f"error: {error}")
    except (KeyboardInterrupt, asyncio.CancelledError):
        sys.exit(INTERRUPTED)
    found = outcomes(results)
    if options.json:
        print(json.dumps(as_json(results), indent=2))
    else:
        print(*lines(results), *target_lines(found), sep="\n")
    sys.exit(exit_code(found))


def _options() -> argparse.Namespace:
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("--only", choices=("slow", "instant"), help="one of the two agents")
    parser.add_argument("--rounds", type=int, default=5, help="rounds the medians are taken of (5)")
    parser.add_argument("--no-peers", action="store_true", help="without the other libraries")
    parser.add_argument("--json", action="store_true", help="print every round as JSON instead")
    parser.add_argument(
        "--tiny",
        action="store_true",
        help="as little of everything as runs to the end; its figures mean nothing",
    )
    options = parser.parse_args()
    if options.tiny:
        options.rounds, options.no_peers = 1, True
    return options


async def _measure(options: argparse.Namespace) -> Results:
    task = asyncio.current_task()
    assert task is not None
    asyncio.get_running_loop().add_signal_handler(signal.SIGTERM, task.cancel)
    slow: list[SlowRound] = []
    instant: list[InstantRound] = []
    peers: dict[str, list[PeerRound]] = {}
    skipped: list[str] = []
    size = TINY if options.tiny else FULL
    with tempfile.TemporaryDirectory(prefix="odyssey-bench-") as folder:
        async with Servers(Path(folder)) as servers:
            at_once = await _agent(servers, delay_ms=0)
            async with Evals(servers, size) as evals:
                if options.only in (None, "slow"):
                    slow = await _slow(evals, await _agent(servers, delay_ms=50), size, options.rounds)
                if options.only in (None, "instant"):
                    instant = await _instant(evals, at_once, size, options.rounds)
            if options.only in (None, "instant") and not options.no_peers:
                peers, skipped = await _peers(at_once, size, options.rounds)
    return Results(size, slow, instant, peers, skipped)


async def _slow(evals: Evals, port: int, size: Size, rounds: int) -> list[SlowRound]:
    found = []
    agent_id = await evals.agent(port)
    await evals.matrix(agent_id)
    for number in range(rounds):
        found.append(SlowRound(await _bare("outbound", port, size), await evals.matrix(agent_id)))
        say(f"50 ms, round {number + 1}: {found[-1]}")
    return found


async def _instant(evals: Evals, port: int, size: Size, rounds: int) -> list[InstantRound]:
    found = []
    agent_id = await evals.agent(port)
    await evals.matrix(agent_id)
    for number in range(rounds):
        bare, httpx, commit = [await _bare(kind, port, size) for kind in ("outbound", "httpx", "commit")]
        found.append(InstantRound(bare, httpx, commit, await evals.matrix(agent_id)))
        say(f"instant, round {number + 1}: {found[-1]}")
    return found


async def _peers(port: int, size: Size, rounds: int) -> tuple[dict[str, list[PeerRound]], list[str]]:
    found: dict[str, list[PeerRound]] = {}
    skipped = []
    for peer in PEERS:
        why_not = await install(peer)
        if why_not is not None:
            skipped.append(why_not)
            continue
        url = f"http://127.0.0.1:{port}/"
        found[peer.name] = []
        for number in range(rounds):
            bare = await _bare("httpx", port, size)
            found[peer.name].append(
                PeerRound(bare, await measure(peer, url, cells=size.runs, concurrency=CONCURRENCY))
            )
            say(f"{peer.name}, round {number + 1}: {found[peer.name][-1]}")
    return found, skipped


async def _agent(servers: Servers, *, delay_ms: int) -> int:
    command = [sys.executable, "-m", "benchmarks.matrix.agent", "--delay-ms", str(delay_ms)]
    return await servers.start(f"agent-{delay_ms}", command)


async def _bare(kind: str, port: int, size: Size) -> float:
    command = [sys.executable, "-m", "benchmarks.matrix.bare", kind, "--url", f"http://127.0.0.1:{port}/"]
    options = ["--runs", str(size.runs), "--concurrency", str(CONCURRENCY)]
    process = await asyncio.create_subprocess_exec(
        *command, *options, cwd=ROOT, stdout=asyncio.subprocess.PIPE, start_new_session=True
    )
    try:
        output, _ = await process.communicate()
    finally:
        await end(process)
    if process.returncode != 0:
        raise BenchmarkError(f"the bare loop ({kind}) ended with {process.returncode}")
    return float(json.loads(output)["seconds"])


if __name__ == "__main__":
    main()

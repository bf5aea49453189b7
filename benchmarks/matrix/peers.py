"""The libraries beside which the platform is measured, each in an environment of its own outside the repository."""

import asyncio
import json
import os
import shutil
import sys
import tempfile
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path

from benchmarks.processes import BenchmarkError, end, say

JOBS = Path(__file__).with_name("jobs")
CACHE = Path(os.environ.get("XDG_CACHE_HOME") or Path.home() / ".cache") / "odyssey-benchmarks"
QUIET = {
    "DEEPEVAL_TELEMETRY_OPT_OUT": "YES",
    "PROMPTFOO_DISABLE_TELEMETRY": "1",
    "PROMPTFOO_DISABLE_UPDATE": "1",
}
INSTALL_SECONDS = 900


@dataclass(frozen=True)
class Peer:
    name: str
    package: str
    """As the registry knows it, with the version."""
    job: str
    """The script, or for promptfoo the program."""


PEERS = (
    Peer("Inspect AI 0.3.285", "inspect-ai==0.3.285", "inspect_job.py"),
    # From 0.122 on it wants Node 22, which neither Debian nor Ubuntu ships yet.
    Peer("promptfoo 0.121.20", "promptfoo@0.121.20", "promptfoo"),
    Peer("DeepEval 4.3.1", "deepeval==4.3.1", "deepeval_job.py"),
    Peer("pydantic-evals 2.62.0", "pydantic-evals==2.62.0", "pydantic_job.py"),
)


async def install(peer: Peer) -> str | None:
    """Install a peer, once; returns why it could not be, as a sentence."""
    folder = _folder(peer)
    if (folder / "installed").exists():
        return None
    if "@" in peer.package and shutil.which("npm") is None:
        return f"{peer.name} is skipped: npm is not installed."
    say(f"installing {peer.package} into {folder}")
    shutil.rmtree(folder, ignore_errors=True)
    folder.mkdir(parents=True)
    try:
        for command in _installing(peer, folder):
            await _output(command, cwd=folder, seconds=INSTALL_SECONDS)
    except BenchmarkError as error:
        return f"{peer.name} is skipped, it could not be installed: {error}"
    (folder / "installed").touch()
    return None


async def measure(peer: Peer, url: str, *, cells: int, concurrency: int) -> float:
    """Have a peer do the job; returns the seconds that it says the job itself took, without its start."""
    if peer.job == "promptfoo":
        return await _promptfoo(peer, url, cells, concurrency)
    python = str(_folder(peer) / "bin" / "python")
    arguments = [python, str(JOBS / peer.job), url, str(cells), str(concurrency)]
    with tempfile.TemporaryDirectory(prefix="odyssey-bench-") as folder:
        said = await _output(arguments, cwd=Path(folder))
    return float(json.loads(said.strip().splitlines()[-1])["seconds"])


def _folder(peer: Peer) -> Path:
    return CACHE / peer.package.replace("==", "-").replace("@", "-")


def _installing(peer: Peer, folder: Path) -> list[list[str]]:
    if "@" in peer.package:
        (folder / "package.json").write_text('{"private": true}', "utf-8")
        options = ["--ignore-scripts", "--no-audit", "--no-fund", "--no-package-lock", "--loglevel=error"]
        return [["npm", "install", *options, peer.package]]
    pip = [str(folder / "bin" / "python"), "-m", "pip", "install", "--quiet", "--disable-pip-version-check"]
    return [[sys.executable, "-m", "venv", "--clear", str(folder)], [*pip, peer.package, "httpx==0.28.1"]]


async def _promptfoo(peer: Peer, url: str, cells: int, concurrency: int) -> float:
    provider = {
        "id": url,
        "config": {
            "method": "POST",
            "headers": {"Content-Type": "application/json"},
            "body": {"input": "{{prompt}}"},
            "transformResponse": "json.final_response",
        },
    }
    expected = [{"type": "contains", "value": "refuse"}]
    tests = [{"vars": {"cell": f"cell {number}"}, "assert": expected} for number in range(cells)]
    with tempfile.TemporaryDirectory(prefix="odyssey-bench-") as name:
        folder = Path(name)
        config = {"prompts": ["{{cell}}"], "providers": [provider], "tests": tests}
        (folder / "config.json").write_text(json.dumps(config), "utf-8")
        program = str(_folder(peer) / "node_modules" / ".bin" / "promptfoo")
        options = ["--no-cache", "--no-progress-bar", "--no-table", "--no-write", "-j", str(concurrency)]
        await _output(
            [program, "eval", "-c", "config.json", "-o", "out.json", *options],
            cwd=folder,
            environment={"PROMPTFOO_CONFIG_DIR": str(folder / "config")},
        )
        stats = json.loads((folder / "out.json").read_text("utf-8"))["results"]["stats"]
    if stats["successes"] != cells:
        raise BenchmarkError(f"{peer.name} passed {stats['successes']} of {cells} cells")
    return float(stats["evaluationDurationMs"]) / 1000


async def _output(
    command: Sequence[str],
    *,
    cwd: Path,
    environment: Mapping[str, str] | None = None,
    seconds: float | None = None,
) -> str:
    process = await asyncio.create_subprocess_exec(
        *command,
        cwd=cwd,
        env={**os.environ, **QUIET, **(environment or {})},
        stdin=asyncio.subprocess.DEVNULL,
        stdout=asyncio.subprocess.PIPE,
        stderr=asyncio.subprocess.PIPE,
        start_new_session=True,
    )
    try:
        async with asyncio.timeout(seconds):
            output, errors = await process.communicate()
    except TimeoutError:
        raise BenchmarkError(f"`{command[0]}` took longer than {seconds} s") from None
    finally:
        await end(process)
    if process.returncode != 0:
        said = (output + errors).decode("utf-8", "replace").strip().splitlines()[-3:]
        raise BenchmarkError(" ".join(said) or f"`{command[0]}` ended with {process.returncode}")
    return output.decode("utf-8", "replace")

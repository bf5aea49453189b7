"""An agent served on this machine for as long as a command runs: a child process that reloads its code."""

import os
import signal
import socket
import subprocess
import sys
import time
from collections.abc import Iterator
from contextlib import contextmanager
from importlib.util import find_spec
from pathlib import Path

import httpx

from pipelines.odyssey.cli.failures import CommandFailedError
from pipelines.odyssey.cli.project import Project
from pipelines.odyssey.distribution import how_to_install

Fingerprint = tuple[tuple[str, int], ...]
"""The files of a folder and when they were saved."""

_PING_S = 2.0
_PAUSE_S = 0.1
_FAREWELL_S = 10.0
_SKIPPED = frozenset({"__pycache__", "node_modules", "venv", ".venv"})


@contextmanager
def served(project: Project, port: int, environ: dict[str, str]) -> Iterator[subprocess.Popen[bytes]]:
    """Serve the app of a project with reload; the end of the block is the end of all its processes."""
    if project.app is None:
        raise CommandFailedError(
            f'{project.file}: agent.app is missing; name the ASGI app, such as "agent:app".'
        )
    if find_spec("uvicorn") is None:
        raise CommandFailedError(f"uvicorn is not installed; {how_to_install('odyssey')} brings it.")
    folder = str(project.folder.resolve())
    command = [sys.executable, "-m", "uvicorn", project.app, "--reload", "--reload-dir", folder]
    # It looks at the files only after this delay, and misses what is saved before.
    command += ["--reload-delay", "0.1"]
    command += ["--app-dir", folder, "--host", "127.0.0.1", "--port", str(port), "--log-level", "warning"]
    # In a session of its own: Ctrl-C is ours to pass on, and nobody of its family is left behind.
    child = subprocess.Popen(  # noqa: S603 - our own interpreter
        command,
        cwd=project.folder,
        env=environ,
        stdin=subprocess.DEVNULL,
        stdout=sys.stderr,
        start_new_session=True,
    )
    try:
        yield child
    finally:
        _end(child)


def free_port() -> int:
    with socket.socket() as probe:
        probe.bind(("127.0.0.1", 0))
        port: int = probe.getsockname()[1]
        return port


def wait_for_ping(child: subprocess.Popen[bytes], url: str, token: str | None) -> None:
    """Wait until the agent lets us in and answers; a fault of its code is on the screen, and may be mended."""
    headers = {"Authorization": f"Bearer {token}"} if token else {}
    with httpx.Client(trust_env=False, timeout=_PING_S, headers=headers) as client:
        while True:
            if child.poll() is not None:
                raise CommandFailedError(
                    f"The agent ended with code {child.returncode} before it answered; what it said is above. "
                    "`odyssey doctor` looks closer."
                )
            try:
                answer = client.post(url, json={"ping": True})
            except httpx.TransportError:
                time.sleep(_PAUSE_S)
                continue
            if answer.status_code == 200:
                return
            raise CommandFailedError(
                f"The agent answered the ping with HTTP {answer.status_code}, not 200. "
                "`odyssey doctor` says what is wrong."
            )


def fingerprint(folder: Path) -> Fingerprint:
    """Return what tells that the code of a folder has changed."""
    found: list[tuple[str, int]] = []
    for where, folders, files in os.walk(folder):
        folders[:] = [name for name in folders if name not in _SKIPPED and not name.startswith(".")]
        for name in files:
            if name.endswith(".py") or name == "odyssey.toml":
                path = Path(where, name)
                try:
                    found.append((str(path), path.stat().st_mtime_ns))
                except OSError:  # it was deleted meanwhile
                    continue
    return tuple(sorted(found))


def _end(child: subprocess.Popen[bytes]) -> None:
    if child.poll() is None:
        child.terminate()
        try:
            child.wait(timeout=_FAREWELL_S)
        except subprocess.TimeoutExpired:
            child.kill()
            child.wait()
    try:
        os.killpg(child.pid, signal.SIGKILL)
    except (ProcessLookupError, PermissionError):  # nobody is left
        return

"""The server as users start it: a process of its own, which can be stopped and killed for real."""

import multiprocessing
import os
import re
import subprocess
import sys
import threading
from multiprocessing.context import ForkServerProcess
from multiprocessing.reduction import DupFd
from pathlib import Path
from typing import Any, Protocol

from support.in_process import run_here

from pipelines.odyssey.cli.app import main

ODYSSEY = str(Path(sys.executable).with_name("odyssey"))

_STEERING = (
    "ODYSSEY_",
    "PIPELINES_",
    "AGENT_",
    "XDG_",
    "PYTHON_KEYRING",
    "COLUMNS",
    "NO_COLOR",
    "FORCE_COLOR",
)


def clean_environment(**more: str) -> dict[str, str]:
    """The variables of this process but for those that steer commands, and these."""
    kept = {name: value for name, value in os.environ.items() if not name.startswith(_STEERING)}
    return kept | more


def odyssey(*arguments: str, **environment: str) -> subprocess.CompletedProcess[str]:
    """Run one command to its end in a process of its own."""
    return subprocess.run(
        [ODYSSEY, *arguments],
        env=clean_environment(**{"COLUMNS": "200", **environment}),
        capture_output=True,
        text=True,
    )


def odyssey_here(*arguments: str, **environment: str) -> subprocess.CompletedProcess[str]:
    """Run one command to its end in this process: see `run_here` for when that will not do."""
    return run_here(*arguments, environment=clean_environment(**{"COLUMNS": "200", **environment}))


_FORKED = multiprocessing.get_context("forkserver")
_FORKED.set_forkserver_preload(["odyssey.main", "odyssey.commands.up", "pipelines.odyssey.cli.app"])


class _Process(Protocol):
    @property
    def pid(self) -> int: ...

    def kill(self) -> None: ...

    def terminate(self) -> None: ...

    def wait(self) -> int: ...


def _start_script(arguments: list[str], environment: dict[str, str], out: int, errors: int) -> _Process:
    return subprocess.Popen([ODYSSEY, *arguments], env=environment, stdout=out, stderr=errors)


def _fork(arguments: list[str], environment: dict[str, str], out: int, errors: int) -> _Process:
    files = DupFd(out), DupFd(errors)
    process = _FORKED.Process(target=_be_odyssey, args=(arguments, environment, *files), daemon=True)
    process.start()
    return _Forked(process)


class _Forked:
    def __init__(self, process: ForkServerProcess) -> None:
        assert process.pid is not None
        self.pid, self.kill, self.terminate = process.pid, process.kill, process.terminate
        self._process = process

    def wait(self) -> int:
        self._process.join()
        assert self._process.exitcode is not None
        return self._process.exitcode


def _be_odyssey(arguments: list[str], environment: dict[str, str], out: Any, errors: Any) -> None:
    for number, file in ((1, out), (2, errors)):
        os.dup2(file.detach(), number)
    os.environ.clear()
    os.environ.update(environment)
    sys.argv = ["odyssey", *arguments]
    main()


class ServerProcess:
    """`odyssey up` with a free port; construction returns once it says where it is.

    It is forked from a process that has all of it loaded, which saves three seconds of processor time for each start.
    """

    _start = staticmethod(_fork)

    def __init__(self, *arguments: str, **environment: str) -> None:
        out, errors = os.pipe(), os.pipe()
        command = ["up", "--port", "0", *arguments]
        self._process = self._start(command, clean_environment(**environment), out[1], errors[1])
        for _, written in (out, errors):
            os.close(written)
        self._stdout, self._stderr = os.fdopen(out[0]), os.fdopen(errors[0])
        self.log: list[str] = []
        self._reader = threading.Thread(target=self._read_log, daemon=True)
        self._reader.start()
        self.output = ""
        for line in self._stdout:
            self.output += line
            found = re.search(r"Odyssey is up at (http://\S+)", line)
            if found:
                self.url = found[1]
                break
        else:
            self._collect()
            raise AssertionError(f"odyssey up ended: {self.output}{''.join(self.log)}")

    def _read_log(self) -> None:
        self.log.extend(self._stderr)

    def first_key(self) -> str:
        line = self._stdout.readline()
        found = re.search(r"pk_live_[0-9a-f]{40}", line)
        assert found, line
        return found[0]

    def signin_link(self) -> str:
        found = re.search(r"Sign in \(once, within 15 minutes\): (\S+)", self._stdout.readline())
        assert found
        return found[1]

    @property
    def pid(self) -> int:
        return self._process.pid

    @property
    def is_over(self) -> bool:
        return self._stdout.closed

    def kill(self) -> None:
        """End it as a power cut would."""
        self._process.kill()
        self._collect()

    def stop(self) -> int:
        """Ask it to end, as a service manager would; returns the exit code."""
        self._process.terminate()
        return self._collect()

    def _collect(self) -> int:
        code = self._process.wait()
        self._reader.join()
        self._stdout.close()
        self._stderr.close()
        return code


class ServerScript(ServerProcess):
    """The same by its console script, as users start it."""

    _start = staticmethod(_start_script)

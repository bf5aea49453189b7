"""The server as users start it: a process of its own, which can be stopped and killed for real."""

import os
import re
import signal
import subprocess
import sys
import threading
from pathlib import Path

from support.in_process import run_here

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


class ServerProcess:
    """`odyssey up` with a free port; construction returns once it says where it is."""

    def __init__(self, *arguments: str, **environment: str) -> None:
        self.process = subprocess.Popen(
            [ODYSSEY, "up", "--port", "0", *arguments],
            env=clean_environment(**environment),
            stdout=subprocess.PIPE,
            stderr=subprocess.PIPE,
            text=True,
        )
        assert self.process.stdout is not None
        assert self.process.stderr is not None
        self.log: list[str] = []
        self._reader = threading.Thread(target=self._read_log, daemon=True)
        self._reader.start()
        self.output = ""
        for line in self.process.stdout:
            self.output += line
            found = re.search(r"Odyssey is up at (http://\S+)", line)
            if found:
                self.url = found[1]
                break
        else:
            self.process.wait(timeout=30)
            raise AssertionError(f"odyssey up ended: {self.output}{''.join(self.log)}")

    def _read_log(self) -> None:
        assert self.process.stderr is not None
        self.log.extend(self.process.stderr)

    def first_key(self) -> str:
        assert self.process.stdout is not None
        line = self.process.stdout.readline()
        found = re.search(r"pk_live_[0-9a-f]{40}", line)
        assert found, line
        return found[0]

    def signin_link(self) -> str:
        assert self.process.stdout is not None
        found = re.search(r"Sign in \(once, within 15 minutes\): (\S+)", self.process.stdout.readline())
        assert found
        return found[1]

    def kill(self) -> None:
        """End it as a power cut would."""
        self.process.kill()
        self._collect()

    def stop(self) -> int:
        """Ask it to end, as a service manager would; returns the exit code."""
        self.process.send_signal(signal.SIGTERM)
        return self._collect()

    def _collect(self) -> int:
        code = self.process.wait(timeout=60)
        self._reader.join(timeout=10)
        assert self.process.stdout is not None
        assert self.process.stderr is not None
        self.process.stdout.close()
        self.process.stderr.close()
        return code

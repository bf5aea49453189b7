"""A command in a terminal of its own, as a person has it."""

import os
import pty
import signal
import subprocess
import sys
from pathlib import Path

# Whoever starts the tests in the background has made them deaf to Ctrl-C, and what they start with them.
_HEARS_CTRL_C = """\
import os, signal, sys
signal.signal(signal.SIGINT, signal.SIG_DFL)
os.execv(sys.argv[1], sys.argv[1:])
"""


class Terminal:
    def __init__(self, *command: str, environment: dict[str, str], folder: Path | None = None) -> None:
        self._ours, theirs = pty.openpty()
        self.process = subprocess.Popen(
            [sys.executable, "-c", _HEARS_CTRL_C, *command],
            stdin=theirs,
            stdout=theirs,
            stderr=theirs,
            env=environment,
            cwd=folder,
            start_new_session=True,
        )
        os.close(theirs)
        self.said = b""

    def wait_for(self, text: str) -> None:
        while text.encode() not in self.said:
            self.said += os.read(self._ours, 65536)

    def type(self, text: str) -> None:
        os.write(self._ours, text.encode())

    def interrupt(self) -> None:
        self.process.send_signal(signal.SIGINT)

    def end(self) -> int:
        """Read what is said to the end; returns the exit code."""
        while True:
            try:
                read = os.read(self._ours, 65536)
            except OSError:  # nobody has the other side open any more
                break
            if not read:
                break
            self.said += read
        os.close(self._ours)
        return self.process.wait(timeout=60)

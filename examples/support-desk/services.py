"""Subprocesses of the demo: started with a log, watched while they run, stopped without a trace."""

import os
import re
import signal
import socket
import subprocess
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager, suppress
from dataclasses import dataclass
from pathlib import Path

HOST = "127.0.0.1"
STOP_TIMEOUT_S = 10.0
LOG_TAIL_LINES = 20


class DemoError(Exception):
    """Ends the demo; the message is what the person at the terminal reads."""


@dataclass(frozen=True)
class Service:
    name: str
    process: subprocess.Popen[bytes]
    log: Path

    def require_alive(self) -> None:
        code = self.process.poll()
        if code is not None:
            tail = "\n".join(self.log.read_text(errors="replace").splitlines()[-LOG_TAIL_LINES:])
            raise DemoError(
                f"The {self.name} ended with code {code}. The end of its log:\n{tail or '(empty)'}"
            )


@contextmanager
def running(name: str, command: list[str], env: dict[str, str], logs: Path) -> Iterator[Service]:
    log = logs / f"{name}.log"
    with log.open("wb") as sink:
        try:
            process = subprocess.Popen(
                command,
                env=os.environ | {"NO_PROXY": HOST, "no_proxy": HOST} | env,
                stdin=subprocess.DEVNULL,
                stdout=sink,
                stderr=subprocess.STDOUT,
                # Ctrl-C then reaches the demo alone, which stops its services in order.
                start_new_session=True,
            )
        except OSError as failure:
            raise DemoError(f"The {name} did not start: {failure}") from failure
    try:
        yield Service(name, process, log)
    finally:
        stop(process)


def stop(process: subprocess.Popen[bytes]) -> None:
    process.terminate()
    with suppress(subprocess.TimeoutExpired):
        process.wait(STOP_TIMEOUT_S)
    # The whole group: what the service itself started must not outlive it.
    with suppress(ProcessLookupError):
        os.killpg(process.pid, signal.SIGKILL)
    process.wait()


def wait_until(check: Callable[[], bool], *services: Service, timeout_s: float, every_s: float) -> bool:
    """Whether the check came true in time. A service that dies meanwhile is an error."""
    deadline = time.monotonic() + timeout_s
    while not check():
        for service in services:
            service.require_alive()
        if time.monotonic() > deadline:
            return False
        time.sleep(every_s)
    return True


def announced(phrase: str, service: Service, *others: Service, timeout_s: float) -> str:
    """Wait for the address that a service writes into its log after a phrase."""
    found: list[str] = []

    def is_there() -> bool:
        found[:] = re.findall(rf"{phrase} (http://\S+)\n", service.log.read_text(errors="replace"))
        return bool(found)

    if not wait_until(is_there, service, *others, timeout_s=timeout_s, every_s=0.05):
        raise DemoError(f"The {service.name} did not start within {timeout_s:.0f} s.")
    return found[0]


def choose_port(wanted: int) -> int:
    """Keep the port if it is free; 0 lets the service take any that is."""
    with socket.socket() as probe:
        # Without it a port whose last connections still fade away would look busy.
        probe.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
        try:
            probe.bind((HOST, wanted))
        except OSError:
            return 0
        return wanted

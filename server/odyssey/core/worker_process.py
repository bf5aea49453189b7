"""The process at the other end of `core.worker`: it calls what it is told to and sends back what came of it."""

import contextlib
import os
import resource
import signal
import traceback
from pathlib import Path
from typing import Any

from odyssey.core.errors import OdysseyError
from odyssey.core.worker import ReaderFailedError, receive, send

_MOST_MEMORY = 4 * 1024**3
"""Bytes of address space: a document that unfolds to more is refused, and the machine goes on."""


def main() -> None:
    signal.signal(signal.SIGINT, signal.SIG_IGN)  # meant for the server, which ends us when it is done
    _give_way()
    wire_in = os.fdopen(os.dup(0), "rb", buffering=0)
    wire_out = os.fdopen(os.dup(1), "wb", buffering=0)
    os.dup2(2, 1)  # whatever a library prints must not get into an answer
    while True:
        try:
            function, arguments, named = receive(wire_in)
        except EOFError:
            return  # the server has ended
        send(wire_out, _call(function, arguments, named))


def _give_way() -> None:
    """Let this process and not the server be the one that runs out of memory."""
    _, hard = resource.getrlimit(resource.RLIMIT_AS)
    most = _MOST_MEMORY if hard == resource.RLIM_INFINITY else min(_MOST_MEMORY, hard)
    resource.setrlimit(resource.RLIMIT_AS, (most, hard))
    with contextlib.suppress(OSError):
        Path("/proc/self/oom_score_adj").write_text("1000", "ascii")


def _call(function: Any, arguments: Any, named: Any) -> tuple[bool, Any]:
    try:
        return True, function(*arguments, **named)
    except OdysseyError as error:
        return False, error
    except MemoryError:
        return False, ReaderFailedError()
    except Exception:  # noqa: BLE001 - the edge of the process: whatever it is, the server is to hear of it
        return False, RuntimeError(f"in the process that reads large documents:\n{traceback.format_exc()}")


if __name__ == "__main__":
    main()

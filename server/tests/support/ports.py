"""Ports for processes that cannot be told to take a free one and say which."""

import os
import re
import socket
from itertools import count

_FIRST, _EACH = 20_000, 1_000
"""Below those that systems hand out by themselves (from 32768 or 49152 on); each worker of the tests has its own."""

_numbers = count()


def free_port() -> int:
    """Choose a port that nobody else takes between now and the start of the process that is given it."""
    worker = re.sub(r"\D", "", os.environ.get("PYTEST_XDIST_WORKER", "")) or "9"
    first = _FIRST + int(worker) % 10 * _EACH
    while True:
        port = first + next(_numbers) % _EACH
        with socket.socket() as probe:
            if probe.connect_ex(("127.0.0.1", port)):
                return port

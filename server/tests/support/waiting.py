"""Waiting for what the server will say, without keeping it busy with the question."""

import time
from collections.abc import Callable
from typing import TypeVar

Answer = TypeVar("Answer")

GUARD_S = 240
"""Against hanging, not a limit of speed."""


def wait_for(ask: Callable[[], Answer], reached: Callable[[Answer], bool]) -> Answer:
    """Ask until the answer is as wanted, the less often the longer it takes."""
    began = time.monotonic()
    while not reached(answer := ask()):
        waited = time.monotonic() - began
        assert waited < GUARD_S, f"after {waited:.0f} s it is still {answer}"
        time.sleep(min(0.01 + waited / 4, 0.5))
    return answer

"""What two durable commits take by themselves: the least a call costs that is written down before and after its hop."""

import sqlite3
import statistics
import time
from pathlib import Path

from benchmarks.echo import INSERT, connect


class Commits:
    """A database where the platform's own lies, on the same disk."""

    def __init__(self, folder: Path) -> None:
        self._connection: sqlite3.Connection = connect(str(folder / "commits.db"))

    def measure(self, pairs: int) -> float:
        """Make pairs of commits; returns the milliseconds of one pair at the median."""
        times = []
        for _ in range(pairs):
            began = time.perf_counter()
            for status in ("sent", "answered"):
                self._connection.execute(INSERT, ("update_order", "ord_17", status))
            times.append(time.perf_counter() - began)
        return statistics.median(times) * 1000

    def close(self) -> None:
        self._connection.close()

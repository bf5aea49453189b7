"""Runs of an agent as they end: each is told of once, in the order of their numbers."""

from collections.abc import Iterator, Mapping
from typing import Any

from pipelines.odyssey.cli.connection import Connection

Json = Mapping[str, Any]

_ENDED = ("completed", "failed", "cancelled")


class EndedRuns:
    """What has ended since the last look."""

    def __init__(self, platform: Connection, agent_id: int) -> None:
        self._platform = platform
        self._agent_id = agent_id
        newest = platform.newest("/api/runs", 1, agent_id=agent_id)["items"]
        self._floor = newest[0]["id"] if newest else 0
        """All runs up to this number are told of, or were there before us."""
        self._told: set[int] = set()

    def look(self) -> Iterator[Json]:
        """Give the runs that ended and have their verdict, the oldest first."""
        later = self._later()
        for run in later:
            if run["id"] not in self._told and _is_over(run):
                self._told.add(run["id"])
                yield run
        while later and later[0]["id"] in self._told:
            self._floor = later.pop(0)["id"]
            self._told.discard(self._floor)

    def _later(self) -> list[Json]:
        found: list[Json] = []
        for run in self._platform.pages("/api/runs", agent_id=self._agent_id):
            if run["id"] <= self._floor:
                break
            found.append(run)
        return found[::-1]


def _is_over(run: Json) -> bool:
    return run["status"] in _ENDED and run["verdict"] != "PENDING"

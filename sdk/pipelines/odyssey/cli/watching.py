"""Runs of an agent as they end: each is told of once, in the order of their numbers."""

from collections.abc import Iterator

from pipelines.odyssey.cli.connection import Connection
from pipelines.odyssey.client import types as t
from pipelines.odyssey.client.waiting import run_is_done


class EndedRuns:
    """What has ended since the last look."""

    def __init__(self, platform: Connection, agent_id: int) -> None:
        self._platform = platform
        self._agent_id = agent_id
        newest = platform.runs.page(limit=1, agent_id=agent_id)["items"]
        self._floor = newest[0]["id"] if newest else 0
        """All runs up to this number are told of, or were there before us."""
        self._told: set[int] = set()

    def look(self) -> Iterator[t.RunSummary]:
        """Give the runs that ended and have their verdict, the oldest first."""
        later = self._later()
        for run in later:
            if run["id"] not in self._told and run_is_done(run):
                self._told.add(run["id"])
                yield run
        while later and later[0]["id"] in self._told:
            self._floor = later.pop(0)["id"]
            self._told.discard(self._floor)

    def _later(self) -> list[t.RunSummary]:
        found: list[t.RunSummary] = []
        for run in self._platform.runs.list(agent_id=self._agent_id):
            if run["id"] <= self._floor:
                break
            found.append(run)
        return found[::-1]

"""Open streams of server-sent events, and the statements that a platform sends meanwhile."""

import json
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from typing import Any

import httpx
from sqlalchemy import event
from support.platform import Platform


class Stream:
    """A stream that the server has opened."""

    def __init__(self, response: httpx.Response) -> None:
        assert response.status_code == 200, response.read()
        self._lines = response.iter_lines()
        self.comment()

    def comment(self) -> str:
        """Wait for the next comment."""
        return next(line for line in self._lines if line.startswith(":"))

    def event(self, wanted: Callable[[dict[str, Any]], bool]) -> dict[str, Any]:
        """Wait for an event whose data are as wanted."""
        found = (json.loads(line[6:]) for line in self._lines if line.startswith("data: "))
        return next(data for data in found if wanted(data))

    def to_its_end(self) -> list[str]:
        return list(self._lines)


@contextmanager
def streaming(url: str, key: str, path: str = "/api/runs/events") -> Iterator[Stream]:
    """Open a stream by a connection of its own."""
    headers = {"Authorization": f"Bearer {key}"}
    with httpx.stream("GET", url + path, headers=headers, timeout=60, trust_env=False) as response:
        stream = Stream(response)  # kept: with its lines the response would be closed
        yield stream


@contextmanager
def statements(platform: Platform) -> Iterator[list[str]]:
    """Note what a platform asks its database in this block, but for the group writer of SQLite."""
    sent: list[str] = []

    def note(_connection: object, _cursor: object, statement: str, *_rest: object) -> None:
        sent.append(statement)

    engines = {platform.database.engine.sync_engine, platform.database.reader.sync_engine}
    for engine in engines:
        event.listen(engine, "before_cursor_execute", note)
    try:
        yield sent
    finally:
        for engine in engines:
            event.remove(engine, "before_cursor_execute", note)

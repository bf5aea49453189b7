"""Server-sent events, read as they arrive."""

import json
import re
from collections.abc import Iterator
from typing import Any, NamedTuple

_END_OF_LINE = re.compile(rb"\r\n|\n|\r(?!\Z)")
"""Nothing else ends a line, though it may for `str.splitlines`; a last \\r may be half of \\r\\n."""


class Event(NamedTuple):
    name: str
    data: dict[str, Any]
    id: str | None = None


class EventReader:
    """Put in bytes, take out events; ValueError when an event carries no object."""

    def __init__(self) -> None:
        self._rest = b""
        self._fields: dict[str, str] = {}

    def feed(self, piece: bytes) -> Iterator[Event]:
        """Go through the events that this piece ends."""
        *lines, self._rest = _END_OF_LINE.split(self._rest + piece)
        for line in lines:
            event = self._read(line.decode("utf-8"))
            if event is not None:
                yield event

    def _read(self, line: str) -> Event | None:
        if line:
            name, _, value = line.partition(":")
            value = value.removeprefix(" ")
            more = name == "data" and "data" in self._fields
            self._fields[name] = f"{self._fields['data']}\n{value}" if more else value
            return None
        fields, self._fields = self._fields, {}
        if "data" not in fields:
            return None
        data = json.loads(fields["data"])
        if not isinstance(data, dict):
            raise ValueError("an event that carries no object")
        return Event(fields.get("event", "message"), data, fields.get("id"))

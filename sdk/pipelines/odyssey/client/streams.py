"""Server-sent events, read line by line."""

import json
from typing import Any, NamedTuple


class Event(NamedTuple):
    name: str
    data: dict[str, Any]
    id: str | None = None


class EventReader:
    """Put in lines, take out events; ValueError when an event carries no object."""

    def __init__(self) -> None:
        self._fields: dict[str, str] = {}

    def feed(self, line: str) -> Event | None:
        """Return the event that this line ends, if it ends one."""
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

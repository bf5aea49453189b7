"""One JSON object a line on standard error. Only what is passed in `extra` is added, so a secret has no way in."""

import json
import logging
import sys
import traceback
from contextvars import ContextVar
from datetime import UTC, datetime
from pathlib import PurePath

_STANDARD = frozenset(vars(logging.makeLogRecord({}))) | {"message", "asctime", "taskName", "color_message"}
# The MCP library logs as "mcp" and, from its sessions, as "client".
_CHATTY = ("uvicorn", "uvicorn.error", "uvicorn.access", "alembic", "sqlalchemy", "mcp", "client", "httpx2")


class JsonLines(logging.Formatter):
    def format(self, record: logging.LogRecord) -> str:
        line: dict[str, object] = {
            "at": datetime.fromtimestamp(record.created, UTC).isoformat(timespec="milliseconds"),
            "level": record.levelname.lower(),
            "logger": record.name,
            "event": record.getMessage(),
        }
        line |= {key: value for key, value in vars(record).items() if key not in _STANDARD}
        if record.exc_info and record.exc_info[0] is not None:
            line["error"] = record.exc_info[0].__name__
            line["where"] = _frames(record)
        return json.dumps(line, default=str, ensure_ascii=False)


def _frames(record: logging.LogRecord) -> list[str]:
    """Name the places of a traceback but not its values: an exception's text may hold what a caller sent."""
    assert record.exc_info is not None
    frames = traceback.extract_tb(record.exc_info[2])
    return [f"{PurePath(frame.filename).name}:{frame.lineno} {frame.name}" for frame in frames]


def configure_logging(level: str) -> None:
    handler = logging.StreamHandler(sys.stderr)
    handler.setFormatter(JsonLines())
    root = logging.getLogger()
    root.handlers = [handler]
    root.setLevel(level.upper())
    for name in _CHATTY:
        logger = logging.getLogger(name)
        logger.handlers = []
        logger.propagate = True
        logger.setLevel(max(logging.WARNING, root.level))


# What belongs to the request being served, wherever in the code we are.

request_id: ContextVar[str] = ContextVar("request_id", default="-")

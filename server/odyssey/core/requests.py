"""What belongs to the request being served, wherever in the code we are."""

from contextvars import ContextVar

request_id: ContextVar[str] = ContextVar("request_id", default="-")

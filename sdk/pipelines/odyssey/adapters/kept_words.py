"""What the first agent of a run says: in the reply of a run that ends well, in the trace of one that does not."""

from collections.abc import Iterable
from datetime import UTC, datetime
from typing import Any

from pipelines.odyssey.traces import safe_trace_event, safe_trace_event_async


class KeptWords:
    """Keeps what is said with its time, so that nothing is told twice and nothing is lost."""

    def __init__(self) -> None:
        self._events: list[tuple[str, dict[str, Any]]] = []

    def keep(self, thoughts: Iterable[str], text: str) -> None:
        said = [("thinking", thought) for thought in thoughts]
        if text.strip():
            said.append(("assistant_message", text))
        at = datetime.now(UTC).isoformat()
        self._events += [(kind, {"text": words, "__occurred_at": at}) for kind, words in said]

    def post(self, actor_id: str | None = None) -> None:
        """Tell the trace, where no reply will."""
        for kind, payload in self._events:
            safe_trace_event(kind, payload, actor_id=actor_id)

    async def post_async(self, actor_id: str | None = None) -> None:
        """As `post`, without holding up the event loop."""
        for kind, payload in self._events:
            await safe_trace_event_async(kind, payload, actor_id=actor_id)

"""All that is known of a run that ended, as graders see it: what the proxy observed, what the agent says, the world."""

from typing import Any

import msgspec

from odyssey.records.ledger import Operation
from odyssey.worlds.ledger import Ledger

ACCEPTED = 200


class ObservedCall(msgspec.Struct, frozen=True):
    """One tool call as the proxy recorded it."""

    sequence: int
    tool: str
    arguments: Any
    """None where what arrived was not JSON."""
    source: str | None
    """None: refused by the proxy. `forward`: it was sent to a live service, and no answer is recorded."""
    http_status: int
    response: Any
    operations: tuple[Operation, ...] = ()
    mutating: bool = False
    """Whether it was an act on the world, also one that the world refused."""
    actor_id: str | None = None

    @property
    def accepted(self) -> bool:
        return self.http_status == ACCEPTED


class Evidence(msgspec.Struct, frozen=True):
    """Of the run's last attempt."""

    user_instruction: str
    expected_outcome: str
    status: str
    error_class: str | None
    final_response: str | None
    messages: list[dict[str, Any]] | None
    """What the agent says it did. Never evidence of a call."""
    calls: tuple[ObservedCall, ...]
    """Every call the proxy saw, in order."""
    uncounted_calls: int
    """Refusals that were recorded only as a count."""
    declared_tools: tuple[str, ...]
    before: Ledger
    after: Ledger

    @property
    def accepted_calls(self) -> tuple[ObservedCall, ...]:
        return tuple(call for call in self.calls if call.accepted)

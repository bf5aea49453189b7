"""What a run is told besides its task, and by which way: frozen with its context, so that proxy and dispatch agree."""

from typing import Any, Literal

import msgspec


class CarriedText(msgspec.Struct, frozen=True, omit_defaults=True):
    """A text that does not travel in the task itself."""

    delivery: Literal["system", "tool_result"]
    text: str
    step: int = 1
    """The answered call from which on a tool result may carry it; only for `tool_result`."""

    def stored(self) -> dict[str, Any]:
        members: dict[str, Any] = msgspec.to_builtins(self)
        return members


def read_injection(stored: dict[str, Any] | None) -> CarriedText | None:
    return None if stored is None else msgspec.convert(stored, CarriedText)

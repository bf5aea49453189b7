"""The typed client of the platform, sync and async; nothing is loaded before it is used."""

from importlib import import_module
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from pipelines.odyssey.client._async.client import AsyncClient
    from pipelines.odyssey.client._sync.client import Client
    from pipelines.odyssey.client.streams import Event
    from pipelines.odyssey.client.waiting import NotDoneError, Progress

_HOMES = {
    "AsyncClient": "_async.client",
    "Client": "_sync.client",
    "Event": "streams",
    "NotDoneError": "waiting",
    "Progress": "waiting",
}

__all__ = ["AsyncClient", "Client", "Event", "NotDoneError", "Progress"]


def __getattr__(name: str) -> Any:
    if name in _HOMES:
        return getattr(import_module(f"{__name__}.{_HOMES[name]}"), name)
    raise AttributeError(f"module {__name__!r} has no attribute {name!r}")


def __dir__() -> list[str]:
    return __all__

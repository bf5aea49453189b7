"""The client: everything that the platform offers to those who manage and evaluate agents."""

# mypy: no-warn-return-any
# What the platform answers is what openapi.json says, and so what the types say; it is not looked at once more.

from __future__ import annotations

from typing import TYPE_CHECKING

from pipelines.odyssey.client._async.agents import AsyncAgents
from pipelines.odyssey.client._async.datasets import AsyncDatasets
from pipelines.odyssey.client._async.evals import AsyncEval, AsyncReview
from pipelines.odyssey.client._async.organisation import (
    AsyncCredentials,
    AsyncKeys,
    AsyncOrg,
    AsyncPeople,
    AsyncSettings,
)
from pipelines.odyssey.client._async.runs import AsyncBatches, AsyncRuns
from pipelines.odyssey.client._async.tool_endpoints import AsyncCassettes, AsyncToolEndpoints
from pipelines.odyssey.client._async.transport import AsyncTransport
from pipelines.odyssey.client._async.worlds import AsyncWorlds
from pipelines.odyssey.client.place import find_place

if TYPE_CHECKING:
    from typing import Self

    from pipelines.odyssey.client import types as t


class AsyncResources:
    """Everything that a platform offers, by what it is about, over a transport of the caller's."""

    def __init__(self, api: AsyncTransport) -> None:
        self._api = api
        self.agents = AsyncAgents(api)
        self.batches = AsyncBatches(api)
        self.cassettes = AsyncCassettes(api)
        self.credentials = AsyncCredentials(api)
        self.datasets = AsyncDatasets(api)
        self.eval = AsyncEval(api)
        self.keys = AsyncKeys(api)
        self.org = AsyncOrg(api)
        self.people = AsyncPeople(api)
        self.review = AsyncReview(api)
        self.runs = AsyncRuns(api)
        self.settings = AsyncSettings(api)
        self.tool_endpoints = AsyncToolEndpoints(api)
        self.worlds = AsyncWorlds(api)

    def __repr__(self) -> str:
        return f"{type(self).__name__}({self._api.place.shown!r})"

    async def __aenter__(self) -> Self:
        return self

    async def __aexit__(self, *_: object) -> None:
        await self.aclose()

    async def aclose(self) -> None:
        """Close its connections."""
        await self._api.aclose()

    async def whoami(self) -> t.SessionOut:
        """Return whose key this is, and of which organisation."""
        return await self._api.get("/api/auth/session")

    async def health(self) -> t.Health:
        return await self._api.get("/health")


class AsyncClient(AsyncResources):
    """Speaks with one platform.

    Args:
        base_url: Address of the platform; else ODYSSEY_URL, else http://127.0.0.1:8200.
        api_key: API key; else ODYSSEY_API_KEY, else PIPELINES_API_KEY.
        timeout: Seconds for any one answer; by default a minute, and fifteen for what is sent.
    """

    def __init__(
        self, base_url: str | None = None, api_key: str | None = None, *, timeout: float | None = None
    ) -> None:
        super().__init__(AsyncTransport(find_place(base_url, api_key), timeout_s=timeout))

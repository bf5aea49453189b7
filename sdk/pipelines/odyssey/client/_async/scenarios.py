"""Scenarios and the variations that press on them."""

# mypy: no-warn-return-any
# What the platform answers is what openapi.json says, and so what the types say; it is not looked at once more.

from __future__ import annotations

import json
from typing import TYPE_CHECKING

from pipelines.odyssey.client._async.transport import AsyncTransport
from pipelines.odyssey.client.requests import Upload

if TYPE_CHECKING:
    from collections.abc import AsyncIterator, Sequence
    from typing import Literal, Unpack

    from pipelines.odyssey.client import types as t


class AsyncScenarios:
    def __init__(self, api: AsyncTransport) -> None:
        self._api = api

    async def create(self, **scenario: Unpack[t.ScenarioIn]) -> t.ScenarioOut:
        return await self._api.post("/api/v1/eval/scenarios", body=scenario)

    async def get(self, scenario_id: str, **query: Unpack[t.ScenarioQuery]) -> t.ScenarioOut:
        return await self._api.get("/api/v1/eval/scenarios/{}", scenario_id, query=query)

    async def update(self, scenario_id: str, **change: Unpack[t.ScenarioChange]) -> t.ScenarioOut:
        return await self._api.put("/api/v1/eval/scenarios/{}", scenario_id, body=change)

    async def delete(self, scenario_id: str) -> None:
        await self._api.delete("/api/v1/eval/scenarios/{}", scenario_id)

    async def cells(self, scenario_id: str, **query: Unpack[t.ScenarioCellsQuery]) -> t.ScenarioCells:
        """Return what each pressure did to it."""
        return await self._api.get("/api/v1/eval/scenarios/{}/cells", scenario_id, query=query)

    async def import_scenarios(
        self, scenarios: bytes | Upload | Sequence[t.ScenarioIn]
    ) -> t.ImportedScenarios:
        """Bring in scenarios by their names, from YAML as bytes, bytes that say what they are, or objects."""
        if isinstance(scenarios, Upload):
            body = scenarios
        elif isinstance(scenarios, bytes):
            body = Upload(scenarios, "application/yaml")
        else:
            body = Upload(json.dumps({"scenarios": list(scenarios)}).encode(), "application/json")
        return await self._api.post("/api/v1/eval/scenarios/import", body=body)

    async def export(
        self,
        ids: Sequence[str] | None = None,
        format: Literal["yaml", "json"] = "yaml",
        **query: Unpack[t.ScenariosQuery],
    ) -> bytes:
        """Return all scenarios, or some, as a file."""
        wanted = {**query, "id": ids, "format": format}
        return await self._api.read("/api/v1/eval/scenarios/export", query=wanted)

    def download(
        self, format: Literal["yaml", "json"] = "yaml", **query: Unpack[t.ScenariosQuery]
    ) -> AsyncIterator[bytes]:
        """Give scenarios as a file, piece by piece as it arrives."""
        return self._api.pieces("/api/v1/eval/scenarios/export", query={**query, "format": format})

    async def page(
        self, *, cursor: str | None = None, limit: int | None = None, **query: Unpack[t.ScenariosQuery]
    ) -> t.ScenariosPage:
        return await self._api.page("/api/v1/eval/scenarios", cursor=cursor, limit=limit, query=query)

    def list(
        self, *, limit: int | None = None, **query: Unpack[t.ScenariosQuery]
    ) -> AsyncIterator[t.ScenarioSummary]:
        return self._api.items("/api/v1/eval/scenarios", limit=limit, query=query)


class AsyncVariations:
    def __init__(self, api: AsyncTransport) -> None:
        self._api = api

    async def create(self, **variation: Unpack[t.VariationIn]) -> t.VariationOut:
        return await self._api.post("/api/v1/eval/variations", body=variation)

    async def get(self, variation_id: str) -> t.VariationOut:
        return await self._api.get("/api/v1/eval/variations/{}", variation_id)

    async def update(self, variation_id: str, **change: Unpack[t.VariationChange]) -> t.VariationOut:
        return await self._api.put("/api/v1/eval/variations/{}", variation_id, body=change)

    async def delete(self, variation_id: str) -> None:
        await self._api.delete("/api/v1/eval/variations/{}", variation_id)

    async def page(self, *, cursor: str | None = None, limit: int | None = None) -> t.VariationsPage:
        return await self._api.page("/api/v1/eval/variations", cursor=cursor, limit=limit)

    def list(self, *, limit: int | None = None) -> AsyncIterator[t.VariationOut]:
        """Go through the variations: those that come with the platform, and your own."""
        return self._api.items("/api/v1/eval/variations", limit=limit)

"""Agents: their registration, versions and connection."""

# mypy: no-warn-return-any
# What the platform answers is what openapi.json says, and so what the types say; it is not looked at once more.

from __future__ import annotations

from typing import TYPE_CHECKING

from pipelines.odyssey.client._async.transport import AsyncTransport

if TYPE_CHECKING:
    from collections.abc import AsyncIterator, Mapping, Sequence
    from typing import Any, Unpack

    from pipelines.odyssey.client import types as t


class AsyncAgents:
    def __init__(self, api: AsyncTransport) -> None:
        self._api = api

    async def create(self, **agent: Unpack[t.AgentIn]) -> t.AgentOut:
        """Register an agent as a draft."""
        return await self._api.post("/api/agents", body=agent)

    async def create_http_agent(
        self,
        *,
        name: str,
        endpoint_url: str,
        tools_schema: Sequence[Mapping[str, Any]],
        auth_token: str | None = None,
        description: str = "",
        ledger_schema: Mapping[str, Any] | None = None,
        org_id: int | None = None,
        **config: Any,
    ) -> t.AgentOut:
        """Register an agent that answers dispatches at an address.

        Args:
            name: What people call it.
            endpoint_url: Where dispatches go.
            tools_schema: Its tools, as `tools_schema()` or `dump_tools_schema()` give them.
            auth_token: What the agent asks for; sent to it as `Authorization: Bearer …` and never shown again.
            description: For people.
            ledger_schema: Declared entity types; None is an open ledger.
            org_id: If given, must be the key's own.
            config: Further members of `config`, such as `run_timeout_s`.
        """
        config["endpoint_url"] = endpoint_url
        if auth_token is not None:
            config |= {"auth_header_name": "Authorization", "auth_header_value": f"Bearer {auth_token}"}
        return await self.create(
            name=name,
            description=description,
            mode="http",
            config=config,
            tools_schema=tools_schema,
            ledger_schema=ledger_schema,
            org_id=org_id,
        )

    async def validate(self, **agent: Unpack[t.AgentIn]) -> t.ValidatedAgent:
        """Say what a registration would be, and save nothing."""
        return await self._api.post("/api/agents/validate", body=agent)

    async def get(self, agent_id: int) -> t.AgentOut:
        return await self._api.get("/api/agents/{}", agent_id)

    async def update(
        self, agent_id: int, *, draft: bool = False, **change: Unpack[t.AgentChange]
    ) -> t.AgentOut:
        """Make a new version with these changes; as a draft, it is not dispatched before it is published."""
        return await self._api.put("/api/agents/{}", agent_id, body=change, query={"draft": draft})

    async def publish(self, agent_id: int) -> t.AgentOut:
        """Dispatch the newest version from now on."""
        return await self._api.post("/api/agents/{}/publish", agent_id)

    async def test_connection(
        self, agent_id: int, config: Mapping[str, Any] | None = None
    ) -> t.ConnectionTested:
        """Ping the agent, with members of its config replaced for this once."""
        body = None if config is None else {"config": config}
        return await self._api.post("/api/agents/{}/test-connection", agent_id, body=body)

    async def test_unsaved_connection(self, **agent: Unpack[t.UnsavedAgent]) -> t.ConnectionTested:
        """Ping an agent that is not registered yet, and save nothing."""
        return await self._api.post("/api/agents/test-connection", body=agent)

    async def read_program(self, **program: Unpack[t.ProgramBody]) -> t.ReadProgramOut:
        """Say everything that is wrong with a program of a tool, and save nothing."""
        return await self._api.post("/api/programs/read", body=program)

    async def propose_program(
        self, agent_id: int, **recorded: Unpack[t.ProposeProgramIn]
    ) -> t.ProgramReportOut:
        """Have the org's model write the program of a tool, replay recorded calls with it, and save nothing."""
        return await self._api.post("/api/agents/{}/programs/propose", agent_id, body=recorded)

    async def replay_program(
        self, agent_id: int, **recorded: Unpack[t.ReplayProgramIn]
    ) -> t.ProgramReportOut:
        """Say how a program does on recorded calls of its tool."""
        return await self._api.post("/api/agents/{}/programs/replay", agent_id, body=recorded)

    async def readings(self, agent_id: int, *, world_id: int | None = None) -> t.ReadingsOut:
        """Say of each tool how its simulated calls will be read, how surely, and what would help."""
        return await self._api.get("/api/agents/{}/readings", agent_id, query={"world_id": world_id})

    async def read_tools(self, **tools: Unpack[t.ReadingsIn]) -> t.ReadingsOut:
        """Say the same of tools that are not registered yet, and save nothing."""
        return await self._api.post("/api/agents/readings", body=tools)

    async def delete(self, agent_id: int) -> None:
        await self._api.delete("/api/agents/{}", agent_id)

    async def consistency(self, agent_id: int) -> t.ConsistencyOut:
        """Say how often answers to its tool calls contradicted their worlds, over its runs and by version."""
        return await self._api.get("/api/agents/{}/consistency", agent_id)

    def versions(self, agent_id: int, *, limit: int | None = None) -> AsyncIterator[t.AgentVersionOut]:
        return self._api.items("/api/agents/{}/versions", agent_id, limit=limit)

    async def version(self, agent_id: int, version: int) -> t.AgentVersionOut:
        return await self._api.get("/api/agents/{}/versions/{}", agent_id, version)

    def list(self, *, limit: int | None = None, **query: Unpack[t.AgentsQuery]) -> AsyncIterator[t.AgentOut]:
        """Go through all agents, the newest first."""
        return self._api.items("/api/agents", limit=limit, query=query)

    async def page(
        self, *, cursor: str | None = None, limit: int | None = None, **query: Unpack[t.AgentsQuery]
    ) -> t.AgentsPage:
        return await self._api.page("/api/agents", cursor=cursor, limit=limit, query=query)

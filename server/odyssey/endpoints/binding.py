"""Which endpoints an agent's tools are bound to: checked when the agent is saved, and kept so that they stay."""

from collections.abc import Mapping, Sequence
from typing import Any, NamedTuple

from sqlalchemy.ext.asyncio import AsyncSession

from odyssey.endpoints.models import AgentEndpoint
from odyssey.endpoints.repository import NamedEndpoint, drop_uses, named_endpoints
from odyssey.records.faults import Faults, shown
from odyssey.records.problems import FieldError
from odyssey.records.tools import Tool

SUPPORTED = ("mcp_server", "http_openapi")


class ToolBinding(NamedTuple):
    tool: str
    endpoint_id: str
    by_name: bool


async def resolve_bindings(
    session: AsyncSession, org_id: int, tools: Sequence[Tool], *, lock: bool = False
) -> tuple[list[FieldError], list[ToolBinding]]:
    """Find the endpoint of every binding, and say what is wrong with them.

    A sandbox tool may keep a binding for later: its endpoint must be there, but may not have the tool yet.
    """
    places = {index: _place(tool) for index, tool in enumerate(tools) if tool.passthrough_binding is not None}
    if not places:
        return [], []
    ids = {value for member, value in places.values() if member == "endpoint_id"}
    names = {value for member, value in places.values() if member == "endpoint_name"}
    rows = await named_endpoints(session, org_id, ids=ids, names=names, lock=lock)
    found = {("endpoint_id", row.id): row for row in rows} | {
        ("endpoint_name", row.name): row for row in rows
    }
    faults = Faults("tools_schema")
    bound: list[ToolBinding] = []
    for index, place in places.items():
        tool, endpoint = tools[index], found.get(place)
        of_tool = faults.at(index, "passthrough_binding").of_tool(tool.name or None)
        _check_endpoint(place, endpoint, of_tool)
        if endpoint is not None:
            if tool.default_execution_mode == "passthrough" and endpoint.type in SUPPORTED:
                _check_tool(tool, endpoint, of_tool)
            bound.append(ToolBinding(tool.name, endpoint.id, by_name=place[0] == "endpoint_name"))
    return faults.found, bound


async def keep_bindings(
    session: AsyncSession, agent_id: int, version: int, agent_name: str, bound: Sequence[ToolBinding]
) -> None:
    """Hold the endpoints of a new version; those of versions that nobody runs are let go by `release_bindings`."""
    session.add_all(
        AgentEndpoint(
            agent_id=agent_id,
            version=version,
            tool_name=one.tool,
            endpoint_id=one.endpoint_id,
            agent_name=agent_name,
            by_name=one.by_name,
        )
        for one in bound
    )
    await session.flush()


async def release_bindings(session: AsyncSession, agent_id: int, keep: Sequence[int] = ()) -> None:
    await drop_uses(session, agent_id, keep)


def _place(tool: Tool) -> tuple[str, str]:
    binding: Mapping[str, Any] = tool.passthrough_binding or {}
    if binding.get("endpoint_id") is not None:
        return "endpoint_id", str(binding["endpoint_id"]).lower()
    return "endpoint_name", str(binding.get("endpoint_name"))


def _check_endpoint(place: tuple[str, str], endpoint: NamedEndpoint | None, faults: Faults) -> None:
    member, value = place
    if endpoint is None:
        faults.add(
            f"{member} {shown(value)} is no tool endpoint of this organisation: create it first, or leave"
            " passthrough_binding out",
            member,
        )
    elif endpoint.type not in SUPPORTED:
        faults.add(
            f"the endpoint {endpoint.name!r} is of type {endpoint.type!r}, which is not supported yet", member
        )


def _check_tool(tool: Tool, endpoint: NamedEndpoint, faults: Faults) -> None:
    wanted = str((tool.passthrough_binding or {})["tool_name"])
    listed = [one["name"] for one in endpoint.tools]
    if not listed:
        faults.add(
            f"no tools of the endpoint {endpoint.name!r} are known: discover them first, then bind",
            "tool_name",
        )
    elif wanted not in listed:
        faults.add(
            f"{shown(wanted)} is no tool of the endpoint {endpoint.name!r}{faults.hint(wanted, listed)}",
            "tool_name",
        )

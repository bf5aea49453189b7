"""Agents, for scripts that register one and are done; `Client.agents` does everything."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from pipelines.odyssey.client import Client

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from pipelines.odyssey.client import types as t


def create_http_agent(
    *,
    name: str,
    endpoint_url: str,
    tools_schema: Sequence[Mapping[str, Any]],
    api_key: str | None = None,
    base_url: str | None = None,
    auth_token: str | None = None,
    org_id: int | None = None,
    **more: Any,
) -> t.AgentOut:
    """Register an agent that answers dispatches at an address, as a draft.

    Args:
        name: What people call it.
        endpoint_url: Where dispatches go.
        tools_schema: Its tools, as `tools_schema()` or `dump_tools_schema()` give them.
        api_key: Key of the platform; else ODYSSEY_API_KEY, else PIPELINES_API_KEY.
        base_url: Address of the platform; else ODYSSEY_URL, else http://127.0.0.1:8200.
        auth_token: What the agent asks for; sent to it as `Authorization: Bearer …`.
        org_id: If given, must be the key's own.
        more: `description`, `ledger_schema`, and members of `config` such as `run_timeout_s`.
    """
    with Client(base_url, api_key) as client:
        return client.agents.create_http_agent(
            name=name,
            endpoint_url=endpoint_url,
            tools_schema=tools_schema,
            auth_token=auth_token,
            org_id=org_id,
            **more,
        )

"""The platform with tools that lead to live services."""

from typing import Any

from benchmarks.calls import ARGUMENTS_SCHEMA, UPDATE
from benchmarks.odyssey_runs import Platform
from benchmarks.processes import BenchmarkError

UPDATE_BY_MCP = "update_order_by_mcp"
_JSON = {"application/json": {"schema": ARGUMENTS_SCHEMA}}
DOCUMENT = {
    "openapi": "3.1.0",
    "info": {"title": "Orders", "version": "1"},
    "paths": {
        f"/tools/{UPDATE}": {
            "post": {
                "operationId": UPDATE,
                "requestBody": {"required": True, "content": _JSON},
                "responses": {"200": {"description": "The order.", "content": _JSON}},
            }
        }
    },
}


class LivePlatform(Platform):
    async def bind(self, service_port: int, mcp_port: int) -> None:
        """Lead the agent's tools to the services, and prove that they get there."""
        http = {"base_url": f"http://127.0.0.1:{service_port}", "spec": DOCUMENT, "auth": {"type": "none"}}
        mcp = {"url": f"http://127.0.0.1:{mcp_port}/mcp", "auth": {"type": "none"}}
        tools = [
            live_tool(UPDATE, await self._endpoint("orders", "http_openapi", http)),
            live_tool(UPDATE_BY_MCP, await self._endpoint("orders by MCP", "mcp_server", mcp)),
        ]
        await self.ask("PUT", f"/api/agents/{self.agent_id}", {"tools_schema": tools})
        await self.ask("POST", f"/api/agents/{self.agent_id}/publish", {})
        arguments = {"order_id": "ord_17", "status": "shipped"}
        async with self.open_runs(1) as (run,):
            for tool in (UPDATE, UPDATE_BY_MCP):
                answer = await self._call(run, tool, arguments)
                if answer["source"] != "passthrough" or answer["response"] != arguments:
                    raise BenchmarkError(f"{tool} does not reach its service: {answer}")

    async def _endpoint(self, name: str, kind: str, config: dict[str, Any]) -> str:
        body = {"name": name, "type": kind, "config": config}
        endpoint_id: str = (await self.ask("POST", "/api/tool-endpoints", body))["id"]
        return endpoint_id


def live_tool(name: str, endpoint_id: str) -> dict[str, Any]:
    return {
        "name": name,
        "input_schema": ARGUMENTS_SCHEMA,
        "default_execution_mode": "passthrough",
        "passthrough_binding": {"endpoint_id": endpoint_id, "tool_name": UPDATE},
    }

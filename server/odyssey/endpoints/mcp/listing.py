"""The tools of an MCP server: all pages of `tools/list`, bounded, and what is wrong with them as notes."""

from mcp import MCPError
from mcp.shared.inbound import find_invalid_x_mcp_header
from mcp_types import ListToolsRequest, ListToolsResult, PaginatedRequestParams, Tool
from pydantic import ValidationError

from odyssey.endpoints.mcp.exchange import Exchange
from odyssey.endpoints.mcp.session import MAX_PAGES, McpSession, fault, shortened
from odyssey.endpoints.upstream import Discovery, DiscoveryFailedError, UpstreamTool
from odyssey.records.json_schema import SchemaInvalidError, compile_schema

MAX_TOOLS = 1000
MAX_LISTING_BYTES = 8 * 1024 * 1024

_ANY_OBJECT = {"type": "object"}


async def list_tools(session: McpSession, deadline: float) -> Discovery:
    """Raises HopFailedError, or DiscoveryFailedError when the service refuses to list them."""
    found: dict[str, UpstreamTool] = {}
    notes: list[str] = []
    cursor, room = None, MAX_LISTING_BYTES
    for _ in range(MAX_PAGES):
        exchange = Exchange(deadline, room)
        page = await _page(session, cursor, exchange)
        room -= exchange.received
        for tool in page.tools:
            if len(found) == MAX_TOOLS:
                return Discovery(
                    (*found.values(),), (*notes, f"Only the first {MAX_TOOLS} tools are offered.")
                )
            _add(tool, found, notes)
        cursor = page.next_cursor
        if cursor is None:
            return Discovery((*found.values(),), (*notes,))
    notes.append(f"The service's list of tools goes on after {MAX_PAGES} pages; the rest is not offered.")
    return Discovery((*found.values(),), (*notes,))


async def _page(session: McpSession, cursor: str | None, exchange: Exchange) -> ListToolsResult:
    request = ListToolsRequest(params=None if cursor is None else PaginatedRequestParams(cursor=cursor))
    try:
        return ListToolsResult.model_validate(await session.ask(request, exchange), by_name=False)
    except ValidationError as error:
        message = f"The service's list of tools is not one of MCP: {fault(error)}."
        raise DiscoveryFailedError("upstream_protocol_error", message) from None
    except MCPError as error:
        message = f"The service does not list its tools: {shortened(error.message)} ({error.code})."
        raise DiscoveryFailedError("upstream_protocol_error", message) from None


def _add(tool: Tool, found: dict[str, UpstreamTool], notes: list[str]) -> None:
    called = repr(tool.name[:80])
    if not tool.name or tool.name in found:
        notes.append(f"The tool {called} is left out: its name is {'used twice' if tool.name else 'empty'}.")
        return
    reason = find_invalid_x_mcp_header(tool.input_schema)
    if reason is not None:
        notes.append(f"The tool {called} is left out: its x-mcp-header is not valid ({shortened(reason)}).")
        return
    input_schema, output_schema = tool.input_schema, tool.output_schema
    try:
        compile_schema(input_schema)
    except SchemaInvalidError as error:
        notes.append(f"The tool {called} is offered without its input schema, which cannot be used: {error}.")
        input_schema = _ANY_OBJECT
    try:
        compile_schema({} if output_schema is None else output_schema)
    except SchemaInvalidError as error:
        notes.append(
            f"The tool {called} is offered without its output schema, which cannot be used: {error}."
        )
        output_schema = None
    annotations = tool.annotations
    found[tool.name] = UpstreamTool(
        tool.name,
        input_schema,
        description=tool.description or tool.title or "",
        output_schema=output_schema,
        read_only=annotations is not None and annotations.read_only_hint is True,
    )

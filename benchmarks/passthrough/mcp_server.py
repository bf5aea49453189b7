"""An MCP server made with the official SDK, whose one tool answers at once."""

import socket

import uvicorn
from mcp.server.mcpserver import MCPServer
from pydantic import BaseModel


class Order(BaseModel):
    order_id: str
    status: str


server = MCPServer("orders", log_level="ERROR")


@server.tool()
async def update_order(order_id: str, status: str) -> Order:
    """Say what the order would be."""
    return Order(order_id=order_id, status=status)


def main() -> None:
    listener = socket.create_server(("127.0.0.1", 0), backlog=2048)
    config = uvicorn.Config(
        server.streamable_http_app(json_response=True, stateless_http=True),
        loop="uvloop",
        http="httptools",
        ws="none",
        access_log=False,
        log_level="error",
    )
    print(f"listening on http://127.0.0.1:{listener.getsockname()[1]}", flush=True)
    uvicorn.Server(config).run(sockets=[listener])


if __name__ == "__main__":
    main()

"""The Python servers the proxy is compared with; each call is `POST …/tools/update_order`.

`bare` is the least an ASGI server does with a request and its body. `fastapi` reads the arguments into a pydantic
model and answers with an envelope model. `commit` and `commit-threads` are `fastapi` with one row inserted in a
transaction of its own, on disk before the answer: the first in the `async def` itself, on one connection; the second
in a plain `def`, which FastAPI runs in its thread pool, with a connection for each thread. Which of the two is faster
depends on the disk, so both are measured.
"""

import argparse
import socket
import sqlite3
import threading
from collections.abc import Awaitable, Callable
from typing import Any

import uvicorn
from fastapi import FastAPI
from pydantic import BaseModel

Message = dict[str, Any]
INSERT = "INSERT INTO calls (tool_name, order_id, status) VALUES (?, ?, ?)"


class Arguments(BaseModel):
    order_id: str
    status: str


class Validation(BaseModel):
    valid: bool = True
    schema_name: str = "output_schema"
    attempts: int = 1
    errors: list[str] = []
    engine: str = "echo"
    confidence: float = 1.0


class Envelope(BaseModel):
    tool_name: str
    response: Arguments
    source: str = "odyssey"
    latency_ms: int = 0
    matched_rule_index: int | None = None
    validation: Validation = Validation()


async def bare(
    scope: Message, receive: Callable[[], Awaitable[Message]], send: Callable[[Message], Awaitable[None]]
) -> None:
    if scope["type"] != "http":
        return
    body = b""
    while True:
        message = await receive()
        body += message.get("body", b"")
        if not message.get("more_body"):
            break
    headers = [(b"content-type", b"application/json"), (b"content-length", str(len(body)).encode())]
    await send({"type": "http.response.start", "status": 200, "headers": headers})
    await send({"type": "http.response.body", "body": body})


def create_echo() -> FastAPI:
    app = FastAPI()

    @app.post("/tools/{tool_name}")
    async def call(tool_name: str, arguments: Arguments) -> Envelope:
        return Envelope(tool_name=tool_name, response=arguments)

    return app


def create_committing_echo(database: str) -> FastAPI:
    app = FastAPI()
    connection = connect(database)

    @app.post("/tools/{tool_name}")
    async def call(tool_name: str, arguments: Arguments) -> Envelope:
        connection.execute(INSERT, (tool_name, arguments.order_id, arguments.status))
        return Envelope(tool_name=tool_name, response=arguments)

    return app


def create_threaded_committing_echo(database: str) -> FastAPI:
    app = FastAPI()
    of_thread = threading.local()
    connect(database).close()

    @app.post("/tools/{tool_name}")
    def call(tool_name: str, arguments: Arguments) -> Envelope:
        if not hasattr(of_thread, "connection"):
            of_thread.connection = connect(database)
        of_thread.connection.execute(INSERT, (tool_name, arguments.order_id, arguments.status))
        return Envelope(tool_name=tool_name, response=arguments)

    return app


def connect(database: str) -> sqlite3.Connection:
    """Open the database in autocommit, so that every statement is a transaction of its own."""
    connection = sqlite3.connect(database, isolation_level=None, timeout=60)
    connection.execute("PRAGMA journal_mode = WAL")
    connection.execute("PRAGMA synchronous = FULL")
    connection.execute(
        "CREATE TABLE IF NOT EXISTS calls"
        " (id INTEGER PRIMARY KEY, tool_name TEXT NOT NULL, order_id TEXT NOT NULL, status TEXT NOT NULL)"
    )
    return connection


def create(kind: str, database: str) -> Any:
    if kind == "bare":
        return bare
    if kind == "fastapi":
        return create_echo()
    if kind == "commit":
        return create_committing_echo(database)
    return create_threaded_committing_echo(database)


def main() -> None:
    arguments = argparse.ArgumentParser(description=__doc__)
    arguments.add_argument("kind", choices=("bare", "fastapi", "commit", "commit-threads"))
    arguments.add_argument("--database", default="")
    options = arguments.parse_args()
    listener = socket.create_server(("127.0.0.1", 0), backlog=2048)
    config = uvicorn.Config(
        create(options.kind, options.database),
        loop="uvloop",
        http="httptools",
        ws="none",
        access_log=False,
        log_level="error",
        server_header=False,
    )
    print(f"listening on http://127.0.0.1:{listener.getsockname()[1]}", flush=True)
    uvicorn.Server(config).run(sockets=[listener])


if __name__ == "__main__":
    main()

"""A real server on a real socket, in a thread of the test process, on either database."""

import asyncio
import json
import socket
import threading
import time
from collections.abc import Callable, Coroutine, Iterator
from contextlib import contextmanager
from typing import TYPE_CHECKING, Any, TypeVar

import httpx
import uvicorn
from argon2 import PasswordHasher
from support.agents import Dispatched
from support.waiting import wait_for

from odyssey.api.receipt import with_deadline
from odyssey.core.clock import PlatformClock
from odyssey.core.database import Database
from odyssey.core.depends import part_of
from odyssey.core.settings import Settings
from odyssey.dispatch import envelope
from odyssey.dispatch.classify import Failure
from odyssey.dispatch.envelope import Dispatch
from odyssey.dispatch.reply import AgentReply
from odyssey.dispatch.transport import Transport
from odyssey.identity import signin
from odyssey.identity.bootstrap import create_org
from odyssey.kit.ids import new_uuid
from odyssey.main import create_app
from odyssey.records.error_classes import AGENT_UNREACHABLE

if TYPE_CHECKING:
    from typing_extensions import TypeForm

Kind = TypeVar("Kind")
Result = TypeVar("Result")

SECRET_KEY = "a test secret key of forty characters..."


# Hashing is slow on purpose, a fifth of a second of processor time for each password. Those of tests guard nothing.
signin.HASHER = PasswordHasher(time_cost=1, memory_cost=64, parallelism=1)


class Platform:
    """Starts on construction, stops with `stop()`; every test brings its own organisation."""

    def __init__(self, database_url: str, *, clock: PlatformClock | None = None, **changes: Any) -> None:
        listener = socket.socket(proto=socket.IPPROTO_TCP)  # or asyncio leaves Nagle's delay on
        listener.bind(("127.0.0.1", 0))
        listener.listen(512)
        self.url = f"http://127.0.0.1:{listener.getsockname()[1]}"
        # Every test has an organisation of its own, and agents on this machine.
        local = {} if "host" in changes else {"allow_loopback": True}
        given = {"drain_seconds": 0.2, **local, **changes}
        settings = Settings.model_validate(given)
        public_url = settings.public_url or self.url
        front = create_app(
            settings, database_url=database_url, secret_key=SECRET_KEY, public_url=public_url, clock=clock
        )
        self.front, self.app = front, front.app
        config = uvicorn.Config(
            front, http=with_deadline(settings.receipt_seconds), log_config=None, ws="none", loop="asyncio"
        )
        config.timeout_graceful_shutdown = 1
        self._server = uvicorn.Server(config)
        self._loop: asyncio.AbstractEventLoop | None = None
        self._orgs: list[Org] = []
        self._thread = threading.Thread(target=self._run, args=(listener,), daemon=True)
        self._thread.start()
        deadline = time.monotonic() + 60
        while not self._server.started:
            if not self._thread.is_alive() or time.monotonic() > deadline:
                raise RuntimeError("the platform did not start")
            time.sleep(0.01)

    def _run(self, listener: socket.socket) -> None:
        async def serve() -> None:
            self._loop = asyncio.get_running_loop()
            await self._server.serve(sockets=[listener])

        asyncio.run(serve())
        listener.close()

    @property
    def database(self) -> Database:
        return self.part(Database)

    def part(self, kind: "TypeForm[Kind]") -> Kind:
        """Find what the server was composed of by its type."""
        return part_of(self.app, kind)

    @contextmanager
    def cut_off(self, when: Callable[[Dispatched], bool]) -> Iterator[None]:
        """Have the network refuse these dispatches, as if the agent's server were down just then."""
        transport = self.part(Transport)
        reach = transport.dispatch

        async def dispatch(sent: Dispatch) -> AgentReply | Failure:
            body = envelope.body(sent)
            if when(Dispatched({}, json.loads(body), body)):
                return Failure(AGENT_UNREACHABLE, "The test has cut off the way to the agent.")
            return await reach(sent)

        transport.dispatch = dispatch  # type: ignore[method-assign,assignment]
        try:
            yield
        finally:
            transport.dispatch = reach  # type: ignore[method-assign]

    def do(self, work: Coroutine[Any, Any, Result]) -> Result:
        """Run a coroutine on the server's own loop."""
        assert self._loop is not None
        return asyncio.run_coroutine_threadsafe(work, self._loop).result(timeout=60)

    def new_org(self, name: str = "Test", admin: str | None = None) -> "Org":
        async def create() -> str:
            async with self.database.write() as session:
                email = admin or f"admin-{new_uuid()}@example.com"
                return await create_org(session, self.part(PlatformClock), name=name, admin_email=email)

        self._orgs.append(Org(self, self.do(create())))
        return self._orgs[-1]

    def stop(self) -> None:
        for org in self._orgs:
            org.client.close()
        self._server.should_exit = True
        self._thread.join(timeout=120)
        assert not self._thread.is_alive(), "the platform does not stop"
        assert not self._server.lifespan.should_exit, "the platform failed to stop; the log says why"


class Org:
    """An organisation and a client that acts as its admin."""

    def __init__(self, platform: Platform, api_key: str) -> None:
        self.platform = platform
        self.api_key = api_key
        self.client = httpx.Client(
            base_url=platform.url,
            headers={"Authorization": f"Bearer {api_key}"},
            timeout=60,
            trust_env=False,
            verify=False,
        )

    def post(self, path: str, body: Any = None, **options: Any) -> httpx.Response:
        return self.client.post(path, json=body, **options)

    def get(self, path: str, **options: Any) -> httpx.Response:
        return self.client.get(path, **options)

    def put(self, path: str, body: Any = None, **options: Any) -> httpx.Response:
        return self.client.put(path, json=body, **options)

    def ok(self, response: httpx.Response) -> Any:
        """Return the body of a success; a failure shows what the server said."""
        assert response.status_code < 400, f"{response.status_code}: {response.text}"
        return response.json() if response.content else None

    def agent(self, endpoint_url: str, *, publish: bool = True, **members: Any) -> dict[str, Any]:
        config = {"endpoint_url": endpoint_url, **members.pop("config", {})}
        body = {"name": "agent under test", "tools_schema": TOOLS, **members, "config": config}
        agent: dict[str, Any] = self.ok(self.post("/api/agents", body))
        if publish:
            agent = self.ok(self.post(f"/api/agents/{agent['id']}/publish"))
        return agent

    def start(self, agent: dict[str, Any], *seeds: dict[str, Any], **members: Any) -> list[int]:
        body = {"agent_id": agent["id"], "seeds": list(seeds) or [{"user_instruction": "Do it."}], **members}
        return [run["id"] for run in self.ok(self.post("/api/runs", body))["runs"]]

    def read_run(self, run_id: int) -> dict[str, Any]:
        run: dict[str, Any] = self.ok(self.get(f"/api/runs/{run_id}"))
        return run

    def wait(self, run_id: int, *statuses: str) -> dict[str, Any]:
        """Wait until the run has ended, or has one of the given statuses."""
        wanted = statuses or ("completed", "failed", "cancelled")
        return wait_for(lambda: self.read_run(run_id), lambda run: run["status"] in wanted)

    def graded(self, run_id: int) -> dict[str, Any]:
        """Wait until the run has ended and has its verdict."""
        return wait_for(lambda: self.wait(run_id), lambda run: run["verdict"] != "PENDING")

    def run(self, agent: dict[str, Any], **seed: Any) -> dict[str, Any]:
        """Start one run and wait for its end."""
        (run_id,) = self.start(agent, {"user_instruction": "Do it.", **seed})
        return self.wait(run_id)

    def trace(self, run_id: int, kind: str | None = None) -> list[dict[str, Any]]:
        events = [event for page in self.pages(f"/api/runs/{run_id}/trace") for event in page]
        return [event for event in events if kind is None or event["kind"] == kind]

    def pages(self, path: str, limit: int = 200, **query: Any) -> Iterator[list[dict[str, Any]]]:
        """Read a list page by page; one that leads back to itself fails instead of going on for ever."""
        cursors: set[str] = set()
        while True:
            page = self.ok(self.get(path, params=query | {"limit": limit}))
            yield page["items"]
            cursor = page["next_cursor"]
            if cursor is None:
                return
            assert cursor not in cursors, f"{path} leads back to {cursor}"
            cursors.add(cursor)
            query["cursor"] = cursor


ORDER = {
    "type": "object",
    "properties": {
        "order_id": {"type": "string"},
        "status": {"type": "string"},
        "total": {"type": "number"},
    },
    "required": ["order_id", "status"],
}
TOOLS: list[dict[str, Any]] = [
    {
        "name": "get_order",
        "description": "Read one order.",
        "input_schema": {
            "type": "object",
            "properties": {"order_id": {"type": "string"}},
            "required": ["order_id"],
            "additionalProperties": False,
        },
        "output_schema": ORDER,
    },
    {
        "name": "update_order",
        "input_schema": {
            "type": "object",
            "properties": {"order_id": {"type": "string"}, "status": {"type": "string"}},
            "required": ["order_id"],
        },
    },
    {"name": "list_orders", "input_schema": {"type": "object", "properties": {"status": {"type": "string"}}}},
    {
        "name": "create_order",
        "input_schema": {
            "type": "object",
            "properties": {"status": {"type": "string"}, "total": {"type": "number"}},
            "required": ["status"],
        },
    },
    {
        "name": "delete_order",
        "input_schema": {
            "type": "object",
            "properties": {"order_id": {"type": "string"}},
            "required": ["order_id"],
        },
    },
]
WORLD = {
    "order": {
        "ord_1": {"order_id": "ord_1", "status": "shipped", "total": 79.5},
        "ord_2": {"order_id": "ord_2", "status": "pending", "total": 12},
    }
}

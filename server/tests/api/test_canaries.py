"""Secrets of live tools, planted and searched for: their services repeat them in every way, and nothing shows them."""

import json
from pathlib import Path
from typing import Any

import httpx
import pytest
from api.surface import OPERATIONS
from mcp import MCPError
from support.agents import Answer, Dispatched, ScriptedAgent
from support.live_shop import DOCUMENT, live
from support.mcp_peers import Context, SdkPeer, text, tool
from support.outside import OutsideServer, Reply, Request, as_json
from support.platform import TOOLS, WORLD
from support.process import ServerProcess

KEY = "pk_live_" + "5ec2e7" * 6 + "cafe"
AGENT_HEADER = "canary-of-the-agents-header-0123"
API_SECRET = "canary-of-the-api-secret-4567"
MCP_SECRET = 'canary-of-the-"mcp"-secret-89ab'
SPARE = "canary-of-a-credential-nobody-uses"
MOVED = "canary-of-the-second-api-secret-ab"
MODEL_KEY = "sk-canary-of-the-model-cdef"


def shop(request: Request) -> Reply:
    """Repeat what was sent: in the document, in answers, in errors."""
    given = request.headers.get("authorization", "")
    if request.path.startswith("/openapi.json"):
        info = {"title": "Orders", "version": "1", "description": f"You sent {given}"}
        read = DOCUMENT["paths"]["/orders/{order_id}"]["get"] | {"description": f"Opened by {given}"}
        paths = DOCUMENT["paths"] | {"/orders/{order_id}": {"get": read}}
        return as_json({**DOCUMENT, "info": info, "paths": paths})
    if request.path.endswith("/broken"):
        return Reply(500, f"<p>{given}</p>".encode())
    if request.path.endswith("/refused"):
        return Reply(403, f"no entry for {given}".encode())
    return as_json({"id": "1", "echo": {given: [given, f"x{given}x"]}, "state": "shipped"})


def repeating(context: Context, arguments: dict[str, Any]) -> Any:
    assert context.request is not None
    given = context.request.headers["x-api-key"]
    if arguments.get("order_id") == "broken":
        raise MCPError(-32603, f"failed with {given}")
    if arguments.get("order_id") == "refused":
        return text(f"not with {given}", is_error=True)
    return text(json.dumps({"given": given}), given)


class _Agent:
    """Calls live tools over HTTP and over MCP, and keeps what it got."""

    def __init__(self) -> None:
        self.tokens: list[str] = []
        self.got = ""

    def __call__(self, dispatched: Dispatched) -> Any:
        self.tokens.append(dispatched.token)
        for name in ("get_order", "look"):
            for order in ("1", "refused", "broken"):
                self.got += dispatched.call(name, {"order_id": order}).text
                self.got += self._over_mcp(dispatched, name, order)
        return self._repeat(dispatched)

    def _repeat(self, dispatched: Dispatched) -> Any:
        """Say all it holds, and what of the organisation's it may have from elsewhere, wherever words can stand."""
        token = dispatched.token
        self.got += dispatched.call("get_order", {"order_id": token}).text
        self.got += self._over_mcp(dispatched, "look", token)
        assert (
            dispatched.post("/traces/thinking", json.dumps({"text": f"I hold {token}."})).status_code == 200
        )
        assert dispatched.post("/traces/thinking", f"not JSON: {token}").status_code == 400
        said = f"{dispatched.headers['authorization']} {token} {API_SECRET} {MCP_SECRET} {MODEL_KEY} {SPARE}"
        messages = [{"role": "assistant", "content": [{"type": "text", "text": said}]}]
        escaped = AGENT_HEADER.replace("canary", "\\u0063anary")
        return Answer(
            200,
            json.dumps({"final_response": said, "messages": messages, "metadata": {said: [said]}, "x": "§"})
            .replace("\\u00a7", escaped)
            .encode(),
        )

    def _over_mcp(self, dispatched: Dispatched, name: str, order: str) -> str:
        params = {"name": name, "arguments": {"order_id": order}}
        message = {"jsonrpc": "2.0", "id": 1, "method": "tools/call", "params": params}
        answer = httpx.post(
            f"{dispatched.body['odyssey_proxy_url']}/mcp",
            json=message,
            headers={"Authorization": f"Bearer {dispatched.token}", "Accept": "application/json"},
            timeout=60,
            trust_env=False,
        )
        assert answer.status_code == 200
        return answer.text


class Planted:
    """A client that keeps every answer."""

    def __init__(self, url: str) -> None:
        self.client = httpx.Client(base_url=url, headers={"X-API-Key": KEY}, trust_env=False, timeout=60)
        self.said = ""

    def ask(self, method: str, path: str, body: Any = None, *, status: int | None = None) -> Any:
        answer = self.client.request(method, path, json=body)
        self.said += answer.text
        if status is not None:
            assert answer.status_code == status, answer.text
        is_json = answer.headers.get("content-type", "").endswith("json")
        return answer.json() if is_json and answer.content else None

    def read_all(self, **ids: object) -> None:
        """Read every operation that reads, with ids that exist."""
        for operation in OPERATIONS:
            if operation.method == "GET" and not operation.path.endswith("/events"):
                self.ask("GET", operation.url(**ids))


def plant(planted: Planted, api: OutsideServer, peer: SdkPeer) -> dict[str, Any]:
    """Save every kind of secret there is; returns the endpoints."""
    bearer = {"type": "bearer", "secret": API_SECRET, "credential": "API_SECRET"}
    config: dict[str, Any] = {"spec_url": f"{api.url}/openapi.json", "base_url": api.url, "auth": bearer}
    orders = planted.ask(
        "POST",
        "/api/tool-endpoints",
        {"name": "orders-api", "type": "http_openapi", "config": config},
        status=201,
    )
    config = {"url": peer.url, "auth": {"type": "api_key", "secret": MCP_SECRET}}
    looks = planted.ask(
        "POST", "/api/tool-endpoints", {"name": "looks", "type": "mcp_server", "config": config}, status=201
    )
    planted.ask("POST", "/api/credentials", {"name": "SPARE", "value": SPARE}, status=201)
    planted.ask("POST", "/api/credentials", {"name": "SPARE", "value": SPARE})
    for change in (
        {"auth": {"secret": "\x00" + MOVED}},
        {"base_url": "https://api.invalid", "auth": {"secret": MOVED, "credential": "no name"}},
        {"base_url": "https://api.invalid"},
    ):
        planted.ask("PUT", f"/api/tool-endpoints/{orders['id']}", {"config": change}, status=422)
    planted.ask("PUT", "/api/credentials/API_SECRET", {"origin": "https://api.invalid"}, status=422)
    model = {"provider": "openai", "base_url": f"{api.url}/v1", "model": "m", "api_key": MODEL_KEY}
    planted.ask("PUT", "/api/settings", {"models": {"judge": model}}, status=200)
    for made, tool_name in ((orders, "readOrder"), (looks, "look")):
        place = f"/api/tool-endpoints/{made['id']}"
        planted.ask("POST", f"{place}/discover", status=200)
        for order in ("1", "refused", "broken"):
            body = {"tool_name": tool_name, "arguments": {"order_id": order}}
            planted.ask("POST", f"{place}/call", body, status=200)
    return {"orders": orders, "looks": looks}


def run_both(planted: Planted, agent_url: str) -> tuple[int, int]:
    config = {
        "endpoint_url": agent_url,
        "auth_header_name": "Authorization",
        "auth_header_value": f"Bearer {AGENT_HEADER}",
    }
    tools = [live("get_order", "readOrder"), live("look", "look", "looks"), *TOOLS[1:]]
    body = {"name": "a", "tools_schema": tools, "config": config}
    agent_id = planted.ask("POST", "/api/agents", body, status=201)["id"]
    planted.ask("POST", f"/api/agents/{agent_id}/publish")
    rubric = [{"id": "done", "question": "Done?", "answer": "yes_no"}]
    seed = {"user_instruction": "Look.", "initial_state": WORLD, "rubric": rubric}
    started = planted.ask("POST", "/api/runs", {"agent_id": agent_id, "seeds": [seed]})
    run_id: int = started["runs"][0]["id"]
    while planted.ask("GET", f"/api/runs/{run_id}")["verdict"] == "PENDING":
        pass
    with planted.client.stream("GET", f"/api/runs/{run_id}/events") as stream:
        planted.said += stream.read().decode()
    return agent_id, run_id


@pytest.fixture
def peer() -> Any:
    listed = [tool("look", input_schema={"type": "object", "properties": {"order_id": {"type": "string"}}})]
    server = SdkPeer({"look": repeating}, listed=listed)
    yield server
    server.stop()


def test_no_secret_of_a_live_tool_is_found_anywhere(tmp_path: Path, peer: SdkPeer) -> None:
    behaviour, api = _Agent(), OutsideServer(shop)
    agent = ScriptedAgent(behaviour)
    server = ServerProcess("--data", str(tmp_path), ODYSSEY_BOOTSTRAP_API_KEY=KEY, ODYSSEY_LOG_LEVEL="debug")
    planted = Planted(server.url)
    made = plant(planted, api, peer)
    agent_id, run_id = run_both(planted, agent.url)
    run = planted.ask("GET", f"/api/runs/{run_id}", status=200)
    assert (run["status"], run["final_response"]) == ("completed", " ".join(["[redacted]"] * 6))
    cassette = planted.ask("POST", "/api/cassettes", {"name": "tape", "run_id": run_id}, status=201)
    planted.ask("POST", f"/api/cassettes/{cassette['id']}/diff", {})
    planted.read_all(
        agent_id=agent_id,
        version=1,
        run_id=run_id,
        endpoint_id=made["orders"]["id"],
        cassette_id=cassette["id"],
        name="API_SECRET",
    )
    planted.client.close()
    assert server.stop() == 0
    for stoppable in (agent, api):
        stoppable.stop()

    assert f"Bearer {API_SECRET}" in {request.headers.get("authorization") for request in api.asked}
    assert MCP_SECRET in {headers.get("x-api-key") for _, headers in peer.requests}
    assert "[redacted]" in behaviour.got
    stored = b"".join(
        file.read_bytes() for file in tmp_path.rglob("*") if file.is_file() and file.name != "secret.key"
    )
    assert b"[redacted]" in stored
    places = {
        "log": "".join(server.log).encode(),
        "database": stored,
        "answers": planted.said.encode(),
        "agent": behaviour.got.encode(),
    }
    secrets = (AGENT_HEADER, API_SECRET, MCP_SECRET, SPARE, MOVED, MODEL_KEY, KEY, *behaviour.tokens)
    for secret in secrets:
        for form in (secret, json.dumps(secret)[1:-1]):
            for place, content in places.items():
                assert form.encode() not in content, (secret, place)

"""Every address that somebody else chooses, against every trick: the decoys count no connect."""

import ast
import re
from collections.abc import Callable, Iterator
from contextlib import ExitStack
from functools import partial
from itertools import product
from pathlib import Path
from typing import Any, NamedTuple

import httpx
import msgspec
import pytest
from _pytest.mark import ParameterSet
from api.surface import AGENT, OPERATIONS, WITH_BODY
from mcp.server.transport_security import TransportSecuritySettings
from support.agents import Behaviour, Dispatched, ScriptedAgent, final
from support.calls import OpenRun
from support.gateway import send, tool_call
from support.live_shop import DOCUMENT, live
from support.mcp_peers import SdkPeer, text, tool
from support.outside import Decoy, OutsideServer, Reply, Request, as_json, own_names, sent_on
from support.platform import WORLD, Org, Platform

import odyssey
from odyssey.agents.config import AgentConfig
from odyssey.api.app import build_app
from odyssey.endpoints.config import EndpointConfig

SOURCE = Path(odyssey.__file__).parent

Surface = Callable[[Org, str], httpx.Response]
"""Gives an address to the server in one of its places."""


class Acts:
    """What the agent does now."""

    def __init__(self) -> None:
        self.now: Behaviour = lambda dispatched: final()

    def __call__(self, dispatched: Dispatched) -> Any:
        return self.now(dispatched)


class Outside(NamedTuple):
    """What is there besides the server: services it may reach, and decoys it may not."""

    platform: Platform
    agent: ScriptedAgent
    acts: Acts
    service: OutsideServer
    peer: SdkPeer
    liar: SdkPeer
    """An MCP server whose schemas refer to a decoy."""
    decoys: list[Decoy]
    names: dict[str, list[str]]

    @property
    def connects(self) -> int:
        return sum(decoy.connects for decoy in self.decoys)

    @property
    def heard(self) -> tuple[int, ...]:
        """How many requests have reached each service."""
        return len(self.service.asked), len(self.peer.requests), len(self.agent.received)

    def place(self, name: str, server: OutsideServer | SdkPeer | ScriptedAgent, address: str) -> str:
        """Let a name stand for an address; returns the origin of the server under this name."""
        self.names[name] = [address]
        return f"http://{name}:{_port(server.url)}"


def _port(url: str) -> int:
    port = httpx.URL(url).port
    assert port is not None
    return port


@pytest.fixture(scope="module")
def outside(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Outside]:
    """A server that may not reach its own machine, but for the ports of three services."""
    with ExitStack() as stack:
        acts = Acts()
        agent = ScriptedAgent(acts)
        stack.callback(agent.stop)
        service = OutsideServer()
        stack.callback(service.stop)
        any_name = TransportSecuritySettings(enable_dns_rebinding_protection=False)
        peer = SdkPeer({"look": lambda context, arguments: text("seen")}, transport_security=any_name)
        stack.callback(peer.stop)
        free = Decoy("127.0.0.1")
        remote = {"type": "object", "$ref": f"http://127.0.0.1:{free.port}/x"}
        nested = {"type": "object", "properties": {"a": remote}}
        liar = SdkPeer(
            dict.fromkeys(
                ("look", "bare"), lambda context, arguments: text("{}", structured_content={"a": {}})
            ),
            listed=[
                tool("look", input_schema=nested, output_schema=nested),
                tool("bare", input_schema=remote),
            ],
        )
        stack.callback(liar.stop)
        ports = [_port(each.url) for each in (agent, service, peer, liar)]
        decoys = [free, Decoy("::1", free.port)]
        for port in ports:
            decoys += [Decoy("127.0.0.3", port), Decoy("::1", port)]
        for decoy in decoys:
            stack.callback(decoy.close)
        names = stack.enter_context(own_names())
        folder = tmp_path_factory.mktemp("ssrf")
        platform = Platform(
            f"sqlite+aiosqlite:///{folder}/x.db",
            host="0.0.0.0",
            outbound_allow=",".join(f"127.0.0.1:{port}" for port in ports),
        )
        stack.callback(platform.stop)
        yield Outside(platform, agent, acts, service, peer, liar, decoys, names)


@pytest.fixture
def org(outside: Outside) -> Org:
    return outside.platform.new_org()


def openapi(**members: Any) -> dict[str, Any]:
    return {**DOCUMENT, **members}


def new_endpoint(org: Org, kind: str, **config: Any) -> httpx.Response:
    taken = len(org.ok(org.get("/api/tool-endpoints"))["items"])
    return org.post("/api/tool-endpoints", {"name": f"endpoint {taken}", "type": kind, "config": config})


def put_endpoint(org: Org, before: dict[str, Any], **change: Any) -> httpx.Response:
    """Change an endpoint that was good before, and is so still."""
    found = org.ok(org.get("/api/tool-endpoints"))["items"]
    kind = "mcp_server" if "url" in before else "http_openapi"
    made = found[0] if found else org.ok(new_endpoint(org, kind, **before))
    return org.put(f"/api/tool-endpoints/{made['id']}", {"config": change})


def registered(org: Org) -> dict[str, Any]:
    found: list[dict[str, Any]] = org.ok(org.get("/api/agents"))["items"]
    return found[0] if found else org.agent(GOOD, publish=False)


def model(org: Org, url: str, role: str) -> httpx.Response:
    settings = {"provider": "openai", "base_url": url, "model": "model-1", "api_key": "sk-no-matter"}
    return org.put("/api/settings", {"models": {role: settings}})


BLOCKED = re.compile(r"is not a public address|is a cloud metadata service")
GOOD = "https://agent.invalid/dispatch"
GOOD_API = {"spec": DOCUMENT, "base_url": GOOD}

SURFACES: dict[str, Surface] = {
    "POST /api/agents endpoint_url": lambda org, url: org.post(
        "/api/agents", AGENT | {"config": {"endpoint_url": url}}
    ),
    "POST /api/agents/validate endpoint_url": lambda org, url: org.post(
        "/api/agents/validate", AGENT | {"config": {"endpoint_url": url}}
    ),
    "PUT /api/agents/{agent_id} endpoint_url": lambda org, url: org.put(
        f"/api/agents/{registered(org)['id']}", {"config": {"endpoint_url": url}}
    ),
    "POST /api/agents/test-connection endpoint_url": lambda org, url: org.post(
        "/api/agents/test-connection", {"config": {"endpoint_url": url}}
    ),
    "POST /api/agents/{agent_id}/test-connection endpoint_url": lambda org, url: org.post(
        f"/api/agents/{registered(org)['id']}/test-connection", {"config": {"endpoint_url": url}}
    ),
    "POST /api/tool-endpoints url": lambda org, url: new_endpoint(org, "mcp_server", url=url),
    "POST /api/tool-endpoints base_url": lambda org, url: new_endpoint(
        org, "http_openapi", spec=DOCUMENT, base_url=url
    ),
    "POST /api/tool-endpoints spec_url": lambda org, url: new_endpoint(org, "http_openapi", spec_url=url),
    "POST /api/tool-endpoints servers": lambda org, url: new_endpoint(
        org, "http_openapi", spec=openapi(servers=[{"url": url}])
    ),
    "PUT /api/tool-endpoints/{endpoint_id} url": lambda org, url: put_endpoint(
        org, {"url": "https://mcp.invalid/mcp"}, url=url
    ),
    "PUT /api/tool-endpoints/{endpoint_id} base_url": lambda org, url: put_endpoint(
        org, GOOD_API, base_url=url
    ),
    "PUT /api/tool-endpoints/{endpoint_id} spec_url": lambda org, url: put_endpoint(
        org, GOOD_API, spec_url=url
    ),
    "PUT /api/tool-endpoints/{endpoint_id} servers": lambda org, url: put_endpoint(
        org, GOOD_API, spec=openapi(servers=[{"url": url}]), base_url=None
    ),
    "PUT /api/settings base_url judge": lambda org, url: model(org, url, "judge"),
    "PUT /api/settings base_url simulator": lambda org, url: model(org, url, "simulator"),
}

ADDRESS_FIELDS = {"endpoint_url", "url", "base_url", "spec_url"}
"""Every member of a request that holds an address we connect to."""

NO_ADDRESS = {
    "POST /api/auth/token",
    "POST /api/auth/session",
    "POST /api/auth/password",
    "PUT /api/org",
    "POST /api/agents/readings",
    "POST /api/people",
    "PUT /api/people/{person_id}",
    "POST /api/keys",
    "POST /api/credentials",
    "PUT /api/credentials/{credential_name}",
    "POST /api/tool-endpoints/{endpoint_id}/call",
    "POST /api/cassettes",
    "POST /api/cassettes/{cassette_id}/diff",
    "POST /api/worlds",
    "PUT /api/worlds/{world_id}",
    "POST /api/worlds/{world_id}/operations",
    "POST /api/worlds/{world_id}/try",
    "POST /api/behaviors/read",
    "POST /api/programs/read",
    "POST /api/agents/{agent_id}/programs/replay",
    "POST /api/agents/{agent_id}/programs/propose",
    "PUT /api/worlds/{world_id}/fidelity",
    "POST /api/runs",
    "POST /api/runs/validate",
    "POST /api/v1/eval/scenarios",
    "PUT /api/v1/eval/scenarios/{scenario_id}",
    "POST /api/v1/eval/variations",
    "PUT /api/v1/eval/variations/{variation_id}",
    "POST /api/v1/eval/runs",
    "POST /api/v1/eval/compare",
    "POST /api/v1/eval/matrix",
    "POST /api/v1/review/items",
    "POST /api/v1/review/items/{item_id}/verdict",
}
"""Operations that take a body in which no address stands."""


def test_every_operation_is_a_surface_or_takes_no_address() -> None:
    covered = {" ".join(name.split(" ")[:2]) for name in SURFACES}
    with_body = {str(operation) for operation in WITH_BODY}
    assert covered <= {str(operation) for operation in OPERATIONS}
    assert with_body - covered == with_body & NO_ADDRESS, "sort the new operation into SURFACES or NO_ADDRESS"


def test_every_member_that_is_an_address_is_a_surface() -> None:
    by_hand = [*msgspec.structs.fields(AgentConfig), *msgspec.structs.fields(EndpointConfig)]
    found = {field.name for field in by_hand if "url" in field.name}
    schemas = build_app().openapi()["components"]["schemas"]
    asked = {name for name in schemas if not name.endswith(("Out", "Listed", "Page"))}
    found |= {member for name in asked for member in schemas[name].get("properties", {}) if "url" in member}
    assert found == ADDRESS_FIELDS
    assert {name.split(" ")[2] for name in SURFACES} >= ADDRESS_FIELDS


NETWORK = (
    "aiohttp",
    "httpx",
    "httpx2",
    "requests",
    "urllib.request",
    "http.client",
    "websockets",
    "mcp.client",
)
MAY_IMPORT_IT = {
    "commands/fidelity.py",  # a command's own server, at the address its user gives
    "core/outbound.py",
    "core/outbound_connect.py",
    "endpoints/mcp/session.py",  # the SDK's client, over
    "endpoints/mcp/transport.py",  # a transport that is our client
    "testing/platform.py",  # a test's own platform, in its own process
}


def test_nothing_but_the_one_client_opens_connections() -> None:
    found = set()
    texts = {file: file.read_text(encoding="utf-8") for file in SOURCE.rglob("*.py")}
    for file, text_of_it in texts.items():
        if not any(name in text_of_it for name in NETWORK):
            continue
        for node in ast.walk(ast.parse(text_of_it)):
            modules = [node.module or ""] if isinstance(node, ast.ImportFrom) else []
            modules += [name.name for name in node.names] if isinstance(node, ast.Import) else []
            if any(f"{module}.".startswith(f"{name}.") for module in modules for name in NETWORK):
                found.add(file.relative_to(SOURCE).as_posix())
    assert found <= MAY_IMPORT_IT, "ask other people's addresses through OutboundClient only"


# fmt: off
TRICKS = [
    "http://127.0.0.1:{port}/", "https://127.0.0.1:{port}/", "http://localhost:{port}/", "http://LOCALHOST.:{port}/",
    "http://x.localhost:{port}/", "http://[::1]:{port}/", "http://[0:0:0:0:0:0:0:1]:{port}/", "http://0:{port}/",
    "http://0.0.0.0:{port}/", "http://[::]:{port}/", "http://2130706433:{port}/", "http://0x7f.1:{port}/",
    "http://0x7f000001:{port}/", "http://0177.0.0.1:{port}/", "http://127.1:{port}/", "http://127.0.0.1.:{port}/",
    "http://[::ffff:127.0.0.1]:{port}/", "http://[::ffff:7f00:1]:{port}/", "http://[::127.0.0.1]:{port}/",
    "http://[64:ff9b::7f00:1]:{port}/", "http://[2002:7f00:1::]:{port}/", "http://\u2460\u2461\u2466.0.0.1:{port}/",
    "http://127\u30020\u30020\u30021:{port}/", "http://u:p@127.0.0.1:{port}/",
    "http://example.com@127.0.0.1:{port}/", "http://127.0.0.1:{port}\\@example.com/",
    "http://127.0.0.1:{port}#@example.com/", "http://127.0.0.1%00.example.com:{port}/",
    "http://127.0.0.1:{port}/\r\nX: y",
    "//127.0.0.1:{port}/", "http:/127.0.0.1:{port}/", "http:127.0.0.1:{port}", "gopher://127.0.0.1:{port}/",
    "ftp://127.0.0.1:{port}/", "file:///etc/passwd", "dict://127.0.0.1:{port}/", "HTTP://127.0.0.1:{port}/",
    "http://169.254.169.254/latest/meta-data/", "http://[::ffff:169.254.169.254]/", "http://[64:ff9b::a9fe:a9fe]/",
    "http://100.100.100.200/", "https://metadata.google.internal/", "http://10.0.0.1/", "https://192.168.0.1/",
    "http://[fe80::1%25lo]:{port}/", "http://8.8.8.8/", "https://two.example:{port}/",
]
# fmt: on


def sharing_out(shares: int) -> list[ParameterSet]:
    """Every surface with its share of the tricks, so that each trick is tried at some of them."""
    return [
        pytest.param(surface, TRICKS[number % shares :: shares], id=surface)
        for number, surface in enumerate(SURFACES)
    ]


@pytest.mark.parametrize(("surface", "tricks"), sharing_out(4))
def test_no_trick_gets_an_address_saved_or_asked(
    outside: Outside, org: Org, surface: str, tricks: list[str]
) -> None:
    outside.names["two.example"] = ["93.184.216.34", "127.0.0.1"]  # one address of it is public
    for trick in tricks:
        url = trick.format(port=outside.decoys[0].port)
        answer = SURFACES[surface](org, url)
        assert answer.status_code == 422, (url, answer.text)
        assert answer.json()["errors"][0]["msg"], url
        assert "u:p" not in answer.text
        if surface.endswith("servers"):
            assert answer.json()["code"] in ("openapi_server_not_allowed", "openapi_server_missing"), (
                answer.text
            )
    assert outside.connects == 0


@pytest.mark.full
@pytest.mark.parametrize(("surface", "tricks"), sharing_out(1))
def test_no_trick_does_so_anywhere(outside: Outside, org: Org, surface: str, tricks: list[str]) -> None:
    test_no_trick_gets_an_address_saved_or_asked(outside, org, surface, tricks)


def _hosting(document: dict[str, Any], request: Request) -> Reply:
    return as_json(document)


REFS = ["http://127.0.0.1:{port}/x", "https://two.example:{port}/x#/a", "file:///etc/passwd", "//127.0.0.1:{port}/x",
        "other.json#/a", "http://[::1]:{port}/"]  # fmt: skip


@pytest.mark.parametrize("ref", REFS)
def test_no_reference_is_followed(outside: Outside, org: Org, ref: str) -> None:
    url = ref.format(port=outside.decoys[0].port)
    schemas = [{"type": "object", "$ref": url}, {"type": "object", "properties": {"a": {"$ref": url}}}]
    for member, schema in product(("input_schema", "output_schema"), schemas):
        declared = {"name": "x", "input_schema": {"type": "object"}, member: schema}
        for path in ("/api/agents", "/api/agents/validate"):
            answer = org.post(path, AGENT | {"config": {"endpoint_url": GOOD}, "tools_schema": [declared]})
            assert answer.status_code == 422, answer.text
    placed: list[dict[str, Any]] = [
        {"paths": {"/x": {"$ref": url}}},
        {"paths": {"/x": {"get": {"operationId": "x", "parameters": [{"$ref": url}], "responses": {}}}}},
        {"components": {"schemas": {"A": {"$ref": url}}}},
    ]
    for members in placed:
        answer = new_endpoint(org, "http_openapi", spec=openapi(**members), base_url=GOOD)
        assert (answer.status_code, answer.json()["code"]) == (422, "openapi_external_ref"), answer.text
        outside.service.behaviour = partial(_hosting, openapi(**members))
        hosted = new_endpoint(org, "http_openapi", spec_url=outside.service.url, base_url=GOOD)
        assert hosted.json()["code"] == "openapi_external_ref"
    assert outside.connects == 0


def test_a_schema_that_a_service_lists_is_not_followed_either(outside: Outside, org: Org) -> None:
    made = org.ok(new_endpoint(org, "mcp_server", url=outside.liar.url))
    org.ok(org.post(f"/api/tool-endpoints/{made['id']}/discover"))
    for listed in made["tools"]:
        body = {"tool_name": listed["name"], "arguments": {"a": {}}}
        assert org.ok(org.post(f"/api/tool-endpoints/{made['id']}/call", body))["source"] == "passthrough"
    assert outside.liar.requests
    assert outside.connects == 0


RUBRIC = [{"id": "done", "question": "Done?", "answer": "yes_no"}]
ORDER = {"order_id": "1"}


class Calls:
    """An agent that calls every tool over HTTP and over MCP, and keeps the envelopes."""

    def __init__(self, org: Org, *tools: str) -> None:
        self.envelopes: list[dict[str, Any]] = []
        self._org = org
        self._tools = tools

    def __call__(self, dispatched: Dispatched) -> dict[str, Any]:
        for name in self._tools:
            self.envelopes.append(dispatched.call(name, ORDER).json())
            send(OpenRun(self._org, 0, dispatched), tool_call(name, ORDER))
        return final()


def judged(org: Org, agent: dict[str, Any]) -> dict[str, Any]:
    """Run an agent and have the judge asked about it."""
    (run_id,) = org.start(agent, {"user_instruction": "Look.", "initial_state": WORLD, "rubric": RUBRIC})
    return org.graded(run_id)


def test_a_name_that_moves_after_it_was_saved_is_not_asked(outside: Outside, org: Org) -> None:
    """DNS rebinding: an allowed address when saved and discovered, another one when used."""
    agent_at = outside.place("agent.example", outside.agent, "127.0.0.1")
    api_at = outside.place("api.example", outside.service, "127.0.0.1")
    mcp_at = outside.place("mcp.example", outside.peer, "127.0.0.1")
    outside.service.behaviour = partial(_hosting, openapi(servers=[{"url": api_at}]))
    api = org.ok(new_endpoint(org, "http_openapi", spec_url=f"{api_at}/openapi.json"))
    mcp = org.ok(new_endpoint(org, "mcp_server", url=f"{mcp_at}/mcp"))
    org.ok(model(org, f"{api_at}/v1", "judge"))
    tools = [live("get_order", "readOrder", api["name"]), live("look", "look", mcp["name"])]
    moving = org.agent(f"{agent_at}/dispatch", tools_schema=tools)
    staying = org.agent(outside.agent.url, tools_schema=tools)
    outside.acts.now = calls = Calls(org, "get_order", "look")
    recorded = judged(org, moving)
    assert [each["source"] for each in calls.envelopes] == ["passthrough"] * 2
    tape = org.ok(org.post("/api/cassettes", {"name": "tape", "run_id": recorded["id"]}))

    for address in ("127.0.0.3", "::1", "10.0.0.1", "169.254.169.254"):
        for name in ("agent.example", "api.example", "mcp.example"):
            outside.names[name] = [address]
        asked = outside.heard
        run = org.run(moving)
        assert (run["status"], run["error_class"]) == ("failed", "agent_unreachable")
        assert BLOCKED.search(run["error_json"]["detail"])
        tested = org.post(f"/api/agents/{moving['id']}/test-connection")
        assert (tested.status_code, bool(BLOCKED.search(tested.json()["detail"]))) == (422, True)
        for made, called in ((api, "readOrder"), (mcp, "look")):
            place = f"/api/tool-endpoints/{made['id']}"
            tried = org.ok(org.post(f"{place}/call", {"tool_name": called, "arguments": ORDER}))
            assert tried["response"]["error"]["code"] == "upstream_url_blocked"
            again = org.ok(org.post(f"{place}/discover"))
            assert again["discovery_error"]["code"] == "upstream_url_blocked"
        diff = org.ok(org.post(f"/api/cassettes/{tape['id']}/diff", {"include_changing": True}))
        assert (diff["failed"], diff["same"]) == (4, 0), diff
        assert outside.heard == asked
        outside.acts.now = calls = Calls(org, "get_order", "look")
        graded = judged(org, staying)
        assert BLOCKED.search(str(graded["grades"])), graded
        assert {each["source"] for each in calls.envelopes} == {"transport_error"}
        assert {each["response"]["error"]["code"] for each in calls.envelopes} == {"upstream_url_blocked"}
    assert outside.connects == 0


@pytest.mark.parametrize("status", [301, 302, 303, 307, 308])
def test_no_redirect_is_followed(outside: Outside, org: Org, status: int) -> None:
    elsewhere = f"http://127.0.0.1:{outside.decoys[0].port}/"
    spec = openapi(servers=[{"url": outside.service.url}])
    outside.service.behaviour = lambda request: as_json(spec)
    api = org.ok(new_endpoint(org, "http_openapi", spec_url=f"{outside.service.url}/openapi.json"))
    outside.service.behaviour = lambda request: sent_on(elsewhere, status)
    outside.service.asked.clear()
    agent = org.agent(f"{outside.service.url}/dispatch")
    run = org.run(agent)
    assert (run["status"], run["error_class"]) == ("failed", "agent_bad_response")
    assert org.ok(org.post(f"/api/agents/{agent['id']}/test-connection"))["ok"] is False
    mcp = org.ok(new_endpoint(org, "mcp_server", url=f"{outside.service.url}/mcp"))
    assert mcp["discovery_error"]["code"] == "upstream_protocol_error"
    hosted = org.ok(new_endpoint(org, "http_openapi", spec_url=f"{outside.service.url}/x", base_url=GOOD))
    assert hosted["discovery_error"]["code"] == "spec_unavailable"
    body = {"tool_name": "readOrder", "arguments": {"order_id": "1"}}
    tried = org.ok(org.post(f"/api/tool-endpoints/{api['id']}/call", body))
    assert (tried["source"], tried["status"]) == ("passthrough", status)
    org.ok(model(org, f"{outside.service.url}/v1", "judge"))
    outside.acts.now = lambda dispatched: final()
    assert judged(org, org.agent(outside.agent.url))["status"] == "completed"
    paths = {request.path for request in outside.service.asked}
    assert paths >= {"/dispatch", "/mcp", "/x", "/orders/1", "/v1/chat/completions"}
    assert outside.connects == 0


def test_a_document_that_changes_later_leads_nowhere_else(outside: Outside, org: Org) -> None:
    elsewhere = f"http://127.0.0.1:{outside.decoys[0].port}"
    outside.service.behaviour = lambda request: as_json(openapi(servers=[{"url": outside.service.url}]))
    api = org.ok(new_endpoint(org, "http_openapi", spec_url=f"{outside.service.url}/openapi.json"))
    outside.service.behaviour = lambda request: as_json(openapi(servers=[{"url": elsewhere}]))
    again = org.ok(org.post(f"/api/tool-endpoints/{api['id']}/discover"))
    assert again["discovery_error"]["code"] == "openapi_server_not_allowed"
    body = {"tool_name": "readOrder", "arguments": {"order_id": "1"}}
    tried = org.ok(org.post(f"/api/tool-endpoints/{api['id']}/call", body))
    assert tried["response"]["error"]["code"] == "upstream_url_blocked"
    assert outside.connects == 0


def test_an_argument_cannot_leave_the_service(outside: Outside, org: Org) -> None:
    """What stands in a path parameter stays in the path, whatever it looks like."""
    outside.service.behaviour = lambda request: Reply(200, b"{}")
    api = org.ok(new_endpoint(org, "http_openapi", spec=DOCUMENT, base_url=f"{outside.service.url}/v1"))
    elsewhere = f"//127.0.0.1:{outside.decoys[0].port}/"
    outside.service.asked.clear()
    odd = [
        "../../admin",
        elsewhere,
        f"http:{elsewhere}",
        "@127.0.0.1",
        "..",
        ".",
        "a/../../b",
        "%2e%2e",
        "a?b#c",
        "\\..\\x",
    ]
    for value in odd:
        body = {"tool_name": "readOrder", "arguments": {"order_id": value}}
        org.ok(org.post(f"/api/tool-endpoints/{api['id']}/call", body))
    paths = [request.path for request in outside.service.asked]
    assert all(path.startswith("/v1/orders/") and path.count("/") == 3 for path in paths), paths
    assert outside.connects == 0


def test_a_decoy_does_count(outside: Outside) -> None:
    """Or all of the above would hold of a decoy that is deaf."""
    decoy = Decoy("127.0.0.1")
    with pytest.raises(httpx.TransportError):
        httpx.get(f"http://127.0.0.1:{decoy.port}/", trust_env=False, timeout=60)
    decoy.close()
    assert decoy.connects == 1

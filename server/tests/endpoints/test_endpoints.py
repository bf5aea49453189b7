"""Tool endpoints over HTTP: what can be kept, how it is shown, and what is refused with which words."""

import json
from collections.abc import Iterator
from typing import Any

import pytest
import yaml
from api.surface import problem
from endpoints.conftest import NewShop
from support.endpoints import PATH, UNREACHABLE, bearer, change, create, read
from support.live_shop import DOCUMENT, LiveShop
from support.mcp_peers import SdkPeer, text, tool
from support.platform import Org


@pytest.fixture(scope="module")
def peer() -> Iterator[SdkPeer]:
    listed = [
        tool("look", description="Look at it.", annotations={"readOnlyHint": True}),
        tool("change", input_schema={"type": "object", "properties": {"to": {"type": "string"}}}),
    ]
    peer = SdkPeer({name: lambda ctx, arguments: text("done") for name in ("look", "change")}, listed=listed)
    yield peer
    peer.stop()


def mcp(peer: SdkPeer, name: str = "notes", **config: Any) -> dict[str, Any]:
    return {"name": name, "type": "mcp_server", "config": {"url": peer.url, **config}}


def test_an_openapi_service_is_kept_with_every_operation_as_a_tool(org: Org, shop: LiveShop) -> None:
    made = create(org, shop.endpoint("orders-api") | {"description": "Live orders."})
    assert (made["name"], made["description"], made["type"]) == ("orders-api", "Live orders.", "http_openapi")
    assert made["base_url"] == shop.url
    assert {each["name"]: (each["method"], each["read_only"]) for each in made["tools"]} == {
        "readOrder": ("GET", True),
        "dropOrder": ("DELETE", False),
        "addNote": ("POST", False),
    }
    (reading,) = (each for each in made["tools"] if each["name"] == "readOrder")
    assert reading["input_schema"]["required"] == ["order_id"]
    assert reading["path"] == "/orders/{order_id}"
    assert (made["tool_count"], made["notes"], made["discovery_error"], made["drift"]) == (3, [], None, None)
    assert made["used_by"] == []
    nothing = {"type": "none", "header": None, "credential": None, "secret_set": False, "shown": None}
    assert made["config"].pop("spec_bytes") > 500
    assert made["config"] == {"url": None, "base_url": shop.url, "spec_url": None, "auth": nothing}
    assert shop.asked == []  # the document was pasted
    assert read(org, made) | {"config": None} == made | {"config": None}


def test_an_mcp_server_is_kept_with_its_tools(org: Org, peer: SdkPeer) -> None:
    made = create(org, mcp(peer))
    assert made["base_url"] == made["config"]["url"] == peer.url
    assert [(each["name"], each["read_only"], each["method"]) for each in made["tools"]] == [
        ("look", True, None),
        ("change", False, None),
    ]
    assert made["tools"][1]["input_schema"]["properties"] == {"to": {"type": "string"}}


def test_an_address_of_the_older_transport_is_refused_and_the_newer_one_named(
    org: Org, peer: SdkPeer
) -> None:
    older = peer.url.replace("/mcp", "/sse")
    made = create(org, mcp(peer))
    for answer in (org.post(PATH, mcp(peer, url=older)), change(org, made, config={"url": older})):
        (fault,) = problem(answer, 422, "validation_failed")["errors"]
        assert fault["loc"] == ["config", "url"]
        assert "older transport" in fault["msg"]
        assert fault["msg"].endswith(peer.url)


def as_yaml(document: Any) -> str:
    """Write it without the aliases that parts used twice would become."""
    written: str = yaml.safe_dump(json.loads(json.dumps(document)))
    return written


@pytest.mark.parametrize("write", [as_yaml, json.dumps, dict])
def test_a_document_may_be_text_or_object_and_name_its_server(org: Org, shop: LiveShop, write: Any) -> None:
    document = DOCUMENT | {"servers": [{"url": f"{shop.url}/v1"}]}
    body = {"name": "orders", "type": "http_openapi", "config": {"spec": write(document)}}
    made = create(org, body)
    assert (made["base_url"], made["tool_count"]) == (f"{shop.url}/v1", 3)
    assert made["config"]["base_url"] is None
    overridden = org.ok(change(org, made, config={"base_url": shop.url}))
    assert overridden["base_url"] == shop.url
    assert org.ok(change(org, made, config={"base_url": None}))["base_url"] == f"{shop.url}/v1"


def test_the_list_is_newest_first_and_leaves_the_tools_out(org: Org, shop: LiveShop) -> None:
    made = [shop.register(org, f"shop {number}") for number in range(3)]
    first = org.ok(org.get(PATH, params={"limit": "2"}))
    assert [each["name"] for each in first["items"]] == ["shop 2", "shop 1"]
    assert "tools" not in first["items"][0]
    assert first["items"][0]["tool_count"] == 3
    rest = org.ok(org.get(PATH, params={"limit": "2", "cursor": first["next_cursor"]}))
    assert [each["id"] for each in rest["items"]] == [made[0]["id"]]
    assert rest["next_cursor"] is None


def test_what_is_omitted_stays(org: Org, new_shop: NewShop) -> None:
    shop, other = new_shop(), new_shop()
    made = shop.register(org)
    renamed = org.ok(change(org, made, name="orders", description="Renamed."))
    assert (renamed["name"], renamed["description"]) == ("orders", "Renamed.")
    assert (renamed["config"], renamed["base_url"]) == (made["config"], shop.url)
    moved = org.ok(change(org, made, config={"base_url": other.url}))
    assert (moved["name"], moved["base_url"], moved["tool_count"]) == ("orders", other.url, 3)
    assert moved["updated_at"] >= renamed["updated_at"] >= made["created_at"]


def test_a_service_can_be_given_another_document(org: Org, shop: LiveShop) -> None:
    made = shop.register(org)
    smaller = DOCUMENT | {"paths": {"/orders": {"get": {"operationId": "listOrders", "responses": {}}}}}
    after = org.ok(change(org, made, config={"spec": smaller}))
    assert [each["name"] for each in after["tools"]] == ["listOrders"]
    assert after["drift"]["added"] == ["listOrders"]
    assert after["drift"]["removed"] == ["addNote", "dropOrder", "readOrder"]


def test_a_deleted_endpoint_is_gone_and_its_name_free(org: Org, shop: LiveShop) -> None:
    made = shop.register(org)
    assert org.client.delete(f"{PATH}/{made['id']}").status_code == 204
    problem(org.get(f"{PATH}/{made['id']}"), 404, "not_found")
    problem(org.client.delete(f"{PATH}/{made['id']}"), 404, "not_found")
    assert shop.register(org)["id"] != made["id"]


def test_a_name_is_taken_once_per_organisation(org: Org, other_org: Org, shop: LiveShop) -> None:
    first, second = shop.register(org, "orders"), shop.register(org, "more orders")
    assert (
        "'orders' already"
        in problem(org.post(PATH, shop.endpoint("orders")), 409, "endpoint_exists")["detail"]
    )
    problem(change(org, second, name="orders"), 409, "endpoint_exists")
    org.ok(change(org, first, name="orders"))  # its own
    shop.register(other_org, "orders")


def test_the_type_of_an_endpoint_stays(org: Org, shop: LiveShop) -> None:
    made = shop.register(org)
    org.ok(change(org, made, type="http_openapi"))
    refused = problem(change(org, made, type="mcp_server"), 422, "validation_failed")
    assert refused["errors"][0]["loc"] == ["type"]
    assert "create another endpoint" in refused["detail"]


def test_another_organisations_org_id_is_refused(org: Org, other_org: Org, shop: LiveShop) -> None:
    own, foreign = (one.ok(one.get("/api/org"))["id"] for one in (org, other_org))
    made = create(org, shop.endpoint() | {"org_id": own})
    problem(org.post(PATH, shop.endpoint("x") | {"org_id": foreign}), 403, "forbidden")
    problem(change(org, made, org_id=foreign), 403, "forbidden")


def test_a_repeated_request_makes_one_endpoint(org: Org, shop: LiveShop) -> None:
    key = {"Idempotency-Key": "make it once"}
    body = shop.endpoint("orders", auth=bearer("a secret of the shop"))
    first = org.post(PATH, body, headers=key)
    shop.stop()
    again = org.post(PATH, body, headers=key)
    assert (first.status_code, again.status_code) == (201, 201)
    assert again.json() == first.json()
    assert len(org.ok(org.get(PATH))["items"]) == 1
    problem(org.post(PATH, body | {"name": "other"}, headers=key), 409, "idempotency_key_reused")
    problem(org.post(PATH, body, headers={"Idempotency-Key": "x" * 256}), 400, "bad_request")


DRAFT = {"openapi": "3.1.0", "info": {"title": "x", "version": "1"}, "paths": {}}
HTTPS = "https://api.example.com"

FAULTY: list[Any] = [
    pytest.param("mcp_server", {}, ["config", "url"], "url is missing", id="no url"),
    pytest.param("mcp_server", {"url": ""}, ["config", "url"], "must not be empty", id="empty url"),
    pytest.param(
        "mcp_server", {"url": HTTPS, "uri": "x"}, ["config", "uri"], "did you mean 'url'", id="unknown"
    ),
    pytest.param(
        "mcp_server", {"url": HTTPS, "spec": DRAFT}, ["config", "spec"], "has no member", id="other's"
    ),
    pytest.param(
        "mcp_server", {"url": "stdio:ls"}, ["config", "url"], "must start with https://", id="scheme"
    ),
    pytest.param(
        "mcp_server", {"url": "http://10.0.0.1/mcp"}, ["config", "url"], "not a public", id="private"
    ),
    pytest.param("mcp_server", {"url": "https://a:b@x.y/"}, ["config", "url"], "password", id="password"),
    pytest.param("http_openapi", {}, ["config", "spec"], "spec_url (its address)", id="no document"),
    pytest.param(
        "http_openapi", {"spec": DRAFT, "spec_url": HTTPS}, ["config", "spec"], "keep one", id="two documents"
    ),
    pytest.param(
        "http_openapi", {"spec": 5}, ["config", "spec"], "an object, or its text", id="spec is a number"
    ),
    pytest.param(
        "http_openapi", {"spec": " "}, ["config", "spec"], "an object, or its text", id="spec is empty"
    ),
    pytest.param(
        "http_openapi",
        {"spec": DRAFT, "base_url": f"{HTTPS}/?a=1"},
        ["config", "base_url"],
        "must not have a query",
        id="query",
    ),
    pytest.param(
        "http_openapi",
        {"spec": DRAFT, "base_url": "http://169.254.169.254/"},
        ["config", "base_url"],
        "metadata",
        id="metadata",
    ),
    pytest.param(
        "http_openapi",
        {"spec_url": "http://192.168.1.1/openapi.json"},
        ["config", "spec_url"],
        "not a public address",
        id="spec_url is private",
    ),
    pytest.param(
        "mcp_server",
        {"url": HTTPS, "auth": 5},
        ["config", "auth"],
        "must be an object with type",
        id="auth is 5",
    ),
    pytest.param(
        "mcp_server",
        {"url": HTTPS, "auth": {"type": "barer"}},
        ["config", "auth", "type"],
        "'none', 'bearer' or 'api_key', not 'barer'; did you mean 'bearer'?",
        id="auth type",
    ),
    pytest.param(
        "mcp_server",
        {"url": HTTPS, "auth": {"type": "none", "secret": "x"}},
        ["config", "auth", "secret"],
        "auth of type 'none' has no secret",
        id="a secret for nothing",
    ),
    pytest.param(
        "mcp_server",
        {"url": HTTPS, "auth": {"type": "bearer", "secret": "x", "header": "X-Key"}},
        ["config", "auth", "header"],
        "goes into Authorization",
        id="header of a bearer",
    ),
    pytest.param(
        "mcp_server",
        {"url": HTTPS, "auth": {"type": "api_key", "secret": "x", "header": "X Key"}},
        ["config", "auth", "header"],
        "is not an HTTP header name",
        id="header name",
    ),
    pytest.param(
        "mcp_server",
        {"url": HTTPS, "auth": {"type": "api_key", "secret": "x", "header": "Host"}},
        ["config", "auth", "header"],
        "cannot be set",
        id="own header",
    ),
    pytest.param(
        "mcp_server",
        {"url": HTTPS, "auth": {"type": "api_key", "secret": "x", "header": "Mcp-Session-Id"}},
        ["config", "auth", "header"],
        "set by the platform",
        id="header of the protocol",
    ),
    pytest.param(
        "mcp_server",
        {"url": HTTPS, "auth": {"type": "bearer", "credential": "not-a-name"}},
        ["config", "auth", "credential"],
        "not the name of a credential",
        id="credential name",
    ),
    pytest.param("code", {}, ["config", "files"], "files is missing", id="code without files"),
    pytest.param(
        "code",
        {"files": {"../x": ""}, "functions": ["f"]},
        ["config", "files", "../x"],
        "must not contain '..'",
        id="code outside",
    ),
    pytest.param(
        "code",
        {"files": {"x.py": ""}, "functions": ["f()"]},
        ["config", "functions", 0],
        "not the name of a function",
        id="no function",
    ),
    pytest.param(
        "code",
        {"files": {"x.py": ""}, "functions": ["f"], "requirements": ["-r x"]},
        ["config", "requirements", 0],
        "not a requirement",
        id="no requirement",
    ),
    pytest.param(
        "code",
        {"files": {"x.py": ""}, "functions": ["f"], "env_vars": ["lower"]},
        ["config", "env_vars", 0],
        "not a variable name",
        id="no variable",
    ),
]


@pytest.mark.parametrize(("kind", "config", "place", "words"), FAULTY)
def test_a_fault_is_named_at_its_place(
    org: Org, kind: str, config: dict[str, Any], place: list[Any], words: str
) -> None:
    body = {"name": "orders", "type": kind, "config": config}
    refused = problem(org.post(PATH, body), 422, "validation_failed")
    assert refused["errors"][0]["loc"] == place
    assert words in refused["errors"][0]["msg"]
    assert org.ok(org.get(PATH))["items"] == []


def test_every_fault_is_named_at_once(org: Org) -> None:
    config = {"url": 5, "auth": {"type": "api_key", "header": "a b", "credential": "-", "secret": "\n"}}
    body = {"name": "orders", "type": "mcp_server", "config": config}
    refused = problem(org.post(PATH, body), 422, "validation_failed")
    assert [fault["loc"][-1] for fault in refused["errors"]] == ["url", "header", "credential", "secret"]


def test_code_is_checked_but_cannot_be_kept_yet(org: Org) -> None:
    config = {
        "files": {"tools/search.py": "def search(query):\n    return query\n"},
        "functions": ["search"],
        "requirements": ["httpx>=0.27"],
        "env_vars": ["SEARCH_KEY"],
    }
    body = {"name": "search", "type": "code", "config": config}
    refused = problem(org.post(PATH, body), 422, "not_available_yet")
    assert refused["errors"][0]["loc"] == ["type"]
    assert org.ok(org.get(PATH))["items"] == []


def test_a_change_is_checked_like_a_new_one_and_changes_nothing_when_refused(
    org: Org, shop: LiveShop
) -> None:
    made = shop.register(org)
    for config in ({"base_url": "http://10.0.0.1/"}, {"spec": "no document"}, {"auth": {"type": "oauth"}}):
        assert change(org, made, name="other", config=config).status_code == 422
    assert read(org, made) == made


def test_every_act_leaves_one_entry_in_the_audit_log(org: Org, shop: LiveShop) -> None:
    made = shop.register(org)
    org.ok(change(org, made, description="Other."))
    org.ok(org.post(f"{PATH}/{made['id']}/discover"))
    assert org.client.delete(f"{PATH}/{made['id']}").status_code == 204
    log = org.ok(org.get("/api/audit-log"))["items"]
    of_endpoint = [entry for entry in log if entry["object_id"] == made["id"]]
    assert [entry["action"] for entry in reversed(of_endpoint)] == [
        "endpoint.create",
        "endpoint.change",
        "endpoint.discover",
        "endpoint.delete",
    ]


def test_an_unreachable_service_can_be_kept(org: Org) -> None:
    made = create(org, {"name": "later", "type": "mcp_server", "config": {"url": f"{UNREACHABLE}/mcp"}})
    assert made["discovery_error"]["code"] == "upstream_unreachable"
    assert (made["tools"], made["discovered_at"], made["base_url"]) == ([], None, f"{UNREACHABLE}/mcp")

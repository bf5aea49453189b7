"""Listing the tools of a service: on save, on demand, when it has changed, and when it cannot be asked."""

from typing import Any

import pytest
from api.surface import problem
from endpoints.conftest import NewShop
from support.endpoints import (
    PATH,
    UNREACHABLE,
    DocumentHost,
    asked_at,
    bearer,
    change,
    create,
    discover,
    failure_of,
    read,
    tried,
)
from support.live_shop import DOCUMENT, LiveShop, Reply
from support.mcp_peers import SdkPeer, text, tool
from support.platform import Org

SECRET = "canary-of-the-shop-4711"
DOCUMENT_PATH = "/openapi.json"


def hosted(shop: LiveShop, **config: Any) -> dict[str, Any]:
    config = {"spec_url": shop.url + DOCUMENT_PATH, **config}
    return {"name": "orders-api", "type": "http_openapi", "config": config}


def served(**members: Any) -> DocumentHost:
    return DocumentHost(DOCUMENT | members)


def test_a_hosted_document_is_fetched_and_its_server_used(org: Org, new_shop: NewShop) -> None:
    shop = new_shop(served(servers=[{"url": "/v2"}]))
    made = create(org, hosted(shop))
    assert (made["base_url"], made["tool_count"]) == (f"{shop.url}/v2", 3)
    assert made["config"]["spec_url"] == shop.url + DOCUMENT_PATH
    assert made["config"]["spec_bytes"] > 500
    assert tried(org, made)["source"] == "passthrough"
    assert shop.asked[-1].path == "/v2/orders/ord_1"


def test_base_url_goes_before_the_documents_server(org: Org, new_shop: NewShop) -> None:
    host, shop = new_shop(served(servers=[{"url": "https://elsewhere.example"}])), new_shop()
    made = create(org, hosted(host, base_url=shop.url))
    assert made["base_url"] == shop.url
    assert tried(org, made)["source"] == "passthrough"
    assert [request.path for request in shop.asked] == ["/orders/ord_1"]


def test_what_changed_is_shown_until_it_changes_again(org: Org, new_shop: NewShop) -> None:
    host = DocumentHost()
    made = create(org, hosted(new_shop(host)))
    assert discover(org, made)["drift"] is None
    reading = DOCUMENT["paths"]["/orders/{order_id}"]["get"]
    host.document = DOCUMENT | {
        "paths": {
            "/orders/{order_id}": {
                "get": reading | {"summary": "Read one.", "parameters": reading["parameters"][:1]}
            },
            "/orders": {"get": {"operationId": "listOrders", "responses": {}}},
        }
    }
    after = discover(org, made)
    drift = after["drift"]
    assert drift["added"] == ["listOrders"]
    assert drift["removed"] == ["addNote", "dropOrder"]
    assert [each["name"] for each in drift["changed"]] == ["readOrder"]
    assert "$.input_schema.properties.view" in drift["changed"][0]["paths"]
    assert "$.description" in drift["changed"][0]["paths"]
    assert {each["name"] for each in after["tools"]} == {"readOrder", "listOrders"}
    again = discover(org, made)
    assert again["drift"] == drift
    assert again["discovered_at"] > after["discovered_at"]
    (listed,) = org.ok(org.get(PATH))["items"]
    assert listed["drift"] == drift
    host.document = DOCUMENT
    assert discover(org, made)["drift"]["removed"] == ["listOrders"]


def test_a_discovery_that_fails_leaves_the_tools_as_they_were(org: Org, new_shop: NewShop) -> None:
    host = DocumentHost()
    made = create(org, hosted(new_shop(host)))
    for document, code in (
        (Reply(b"gone", 404), "spec_unavailable"),
        (Reply(b"", 302), "spec_unavailable"),
        (Reply(b"broken", 500), "spec_unavailable"),
        (Reply(b"{"), "openapi_invalid"),
        (Reply(b"\xff\xfe"), "openapi_invalid"),
        (Reply(b"x" * (8 * 1024 * 1024 + 1)), "upstream_body_too_large"),
        ({"swagger": "2.0"}, "openapi_version"),
        ({"openapi": "3.1.0", "paths": {"/x": {"$ref": "https://decoy.example/x"}}}, "openapi_external_ref"),
    ):
        host.document = document
        failed = discover(org, made)
        assert failed["discovery_error"]["code"] == code
        assert failed["discovery_error"]["message"]
        assert (failed["tools"], failed["discovered_at"]) == (made["tools"], made["discovered_at"])
        assert failed["base_url"] == made["base_url"]
        assert tried(org, made)["source"] == "passthrough"
    host.document = DOCUMENT
    assert discover(org, made)["discovery_error"] is None


@pytest.mark.parametrize("member", ["url", "base_url", "spec_url"])
def test_a_service_that_is_down_keeps_what_was_entered(org: Org, new_shop: NewShop, member: str) -> None:
    shop = new_shop(DocumentHost())
    kinds = {
        "url": {"type": "mcp_server", "config": {"url": f"{UNREACHABLE}/mcp"}},
        "base_url": {"type": "http_openapi", "config": {"base_url": UNREACHABLE, "spec": DOCUMENT}},
        "spec_url": {"type": "http_openapi", "config": {"spec_url": UNREACHABLE + DOCUMENT_PATH}},
    }
    made = create(org, {"name": "later", "description": "When it is up.", **kinds[member]})
    assert (made["name"], made["description"]) == ("later", "When it is up.")
    assert made["config"][member].startswith(UNREACHABLE)
    if member == "base_url":  # a pasted document is read without its service
        assert (made["discovery_error"], made["tool_count"]) == (None, 3)
        return
    assert made["discovery_error"]["code"] == "upstream_unreachable"
    assert (made["tool_count"], made["discovered_at"]) == (0, None)
    if member == "spec_url":
        assert made["base_url"] is None
        after = org.ok(change(org, made, config={"spec_url": shop.url + DOCUMENT_PATH}))
        assert (after["discovery_error"], after["tool_count"], after["drift"]) == (None, 3, None)


def test_a_change_while_the_document_is_away_goes_on_with_the_old_one(org: Org, new_shop: NewShop) -> None:
    host = DocumentHost()
    made = create(org, hosted(new_shop(host)))
    host.document = Reply(b"later", 503)
    after = org.ok(change(org, made, description="Other."))
    assert (after["description"], after["discovery_error"]["code"]) == ("Other.", "spec_unavailable")
    assert (after["base_url"], after["tools"]) == (made["base_url"], made["tools"])
    assert tried(org, made)["source"] == "passthrough"


def test_the_tools_of_an_mcp_server_are_listed_again(org: Org) -> None:
    peer = SdkPeer({"look": lambda ctx, arguments: text("seen")})
    made = create(org, {"name": "notes", "type": "mcp_server", "config": {"url": peer.url}})
    peer._listed = [tool("look", description="Look closely."), tool("listen")]
    drift = discover(org, made)["drift"]
    assert (drift["added"], drift["removed"]) == (["listen"], [])
    assert drift["changed"] == [{"name": "look", "paths": ["$.description"]}]
    peer.stop()
    failed = discover(org, made)
    assert failed["discovery_error"]["code"] == "upstream_unreachable"
    assert [each["name"] for each in failed["tools"]] == ["look", "listen"]
    assert failed["drift"] == drift


INTERNAL = ["http://10.1.2.3/api", "http://169.254.169.254/latest", "http://[::ffff:10.0.0.1]/", "http://0/"]


@pytest.mark.parametrize("server", INTERNAL)
def test_a_document_that_names_an_internal_server_is_refused(
    org: Org, new_shop: NewShop, server: str
) -> None:
    document = DOCUMENT | {"servers": [{"url": server}]}
    shop = new_shop(DocumentHost(document))
    pasted = {"name": "orders", "type": "http_openapi", "config": {"spec": document}}
    for body, member in ((pasted, "spec"), (hosted(shop), "spec_url")):
        refused = problem(org.post(PATH, body), 422, "openapi_server_not_allowed")
        assert refused["errors"][0]["loc"] == ["config", member]
        assert "base_url" in refused["detail"]
    made = create(org, hosted(shop, base_url=shop.url))
    problem(change(org, made, config={"base_url": None}), 422, "openapi_server_not_allowed")


@pytest.mark.parametrize(
    "reference", ["{decoy}/schemas.json#/Order", "file:///etc/passwd", "other.json#/Order"]
)
def test_a_document_that_refers_elsewhere_is_refused_and_nothing_fetched(
    org: Org, new_shop: NewShop, reference: str
) -> None:
    decoy = new_shop()
    order = {"schema": {"$ref": reference.format(decoy=decoy.url)}}
    answer = {"200": {"description": "It.", "content": {"application/json": order}}}
    document = DOCUMENT | {"paths": {"/orders": {"get": {"operationId": "listOrders", "responses": answer}}}}
    shop = new_shop(DocumentHost(document))
    pasted = {"name": "orders", "type": "http_openapi", "config": {"spec": document, "base_url": shop.url}}
    for body in (pasted, hosted(shop)):
        problem(org.post(PATH, body), 422, "openapi_external_ref")
    assert org.ok(org.get(PATH))["items"] == []
    assert decoy.asked == []


def test_a_document_without_a_server_needs_a_base_url(org: Org) -> None:
    body = {"name": "orders", "type": "http_openapi", "config": {"spec": DOCUMENT}}
    refused = problem(org.post(PATH, body), 422, "openapi_server_missing")
    assert refused["errors"][0]["loc"] == ["config", "base_url"]


@pytest.mark.parametrize(
    "spec", ["no document", "[]", "{", "openapi: 3.1.0\n  broken: [", "{}", {"openapi": 3}]
)
def test_what_is_no_openapi_document_is_refused(org: Org, spec: Any) -> None:
    body = {"name": "orders", "type": "http_openapi", "config": {"spec": spec, "base_url": UNREACHABLE}}
    answer = org.post(PATH, body)
    assert answer.json()["code"] in {"openapi_invalid", "openapi_version"}
    assert problem(answer, 422, answer.json()["code"])["errors"][0]["loc"] == ["config", "spec"]


def test_a_hosted_document_that_turns_inward_leads_nowhere(org: Org, new_shop: NewShop) -> None:
    host = DocumentHost()
    made = create(org, hosted(shop := new_shop(host)))
    host.document = DOCUMENT | {"servers": [{"url": "http://10.1.2.3/api"}]}
    turned = discover(org, made)
    assert turned["discovery_error"]["code"] == "openapi_server_not_allowed"
    assert turned["base_url"] == "http://10.1.2.3/api"
    before = len(shop.asked)
    assert failure_of(tried(org, made)) == ("upstream_url_blocked", "not_sent")
    assert len(shop.asked) == before
    host.document = DOCUMENT
    assert discover(org, made)["base_url"] == made["base_url"] == f"{shop.url}/"
    assert tried(org, made)["source"] == "passthrough"


def test_the_document_is_fetched_with_the_secret_only_where_the_secret_is_at_home(
    org: Org, new_shop: NewShop
) -> None:
    host, shop = new_shop(DocumentHost()), new_shop(DocumentHost())
    elsewhere = create(org, hosted(host, base_url=shop.url, auth=bearer(SECRET)) | {"name": "elsewhere"})
    discover(org, elsewhere)
    org.ok(change(org, elsewhere, description="Other."))
    assert asked_at(host, DOCUMENT_PATH) == [None, None, None]
    at_home = create(org, hosted(shop, base_url=shop.url, auth=bearer(SECRET)) | {"name": "at home"})
    discover(org, at_home)
    assert asked_at(shop, DOCUMENT_PATH) == [f"Bearer {SECRET}"] * 2
    found_out = create(org, hosted(shop, auth=bearer(SECRET)) | {"name": "found out"})
    assert asked_at(shop, DOCUMENT_PATH)[2:] == [None]  # nothing said yet that it is at home there
    discover(org, found_out)
    assert asked_at(shop, DOCUMENT_PATH)[3:] == [f"Bearer {SECRET}"]


def test_a_secret_without_an_address_is_not_kept(org: Org) -> None:
    config = {"spec_url": UNREACHABLE + DOCUMENT_PATH, "auth": bearer(SECRET)}
    body = {"name": "orders", "type": "http_openapi", "config": config}
    refused = problem(org.post(PATH, body), 422, "validation_failed", SECRET)
    assert refused["errors"][0]["loc"] == ["config", "base_url"]
    assert org.ok(org.get("/api/credentials"))["items"] == []
    org.ok(org.post(PATH, body | {"config": config | {"base_url": UNREACHABLE}}))


def test_a_document_that_moves_does_not_take_the_secret_along(org: Org, new_shop: NewShop) -> None:
    host = DocumentHost()
    shop, other = new_shop(host), new_shop()
    made = create(org, hosted(shop, auth=bearer(SECRET)))
    assert made["config"]["auth"]["secret_set"] is True
    host.document = DOCUMENT | {"servers": [{"url": other.url}]}
    moved = discover(org, made)
    assert moved["base_url"] == other.url
    assert moved["config"]["auth"]["secret_set"] is False
    assert any("secret" in note for note in moved["notes"])
    assert failure_of(tried(org, made)) == ("secret_missing", "not_sent")
    assert other.asked == []
    problem(change(org, made, description="Other."), 422, "secret_required")
    org.ok(change(org, made, config={"auth": {"secret": "the other's own secret"}}))
    assert tried(org, made)["source"] == "passthrough"
    assert asked_at(other, "/orders/ord_1") == ["Bearer the other's own secret"]
    assert read(org, made)["notes"] == []

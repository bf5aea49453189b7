"""Secrets of endpoints: kept under a name, bound to one address, never shown and never sent anywhere else."""

import logging
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
from support.live_shop import LiveShop
from support.mcp_peers import SdkPeer, text
from support.platform import Org

CREDENTIALS = "/api/credentials"
SECRET = "canary-secret-of-the-shop-8f3a"
OTHER = "canary-secret-of-another-91bc"
ORDER = "/orders/ord_1"


def credential(org: Org, name: str = "SHOP_KEY", **members: Any) -> dict[str, Any]:
    body = {"name": name, "value": SECRET, **members}
    made: dict[str, Any] = org.ok(org.post(CREDENTIALS, body))
    return made


def listed(org: Org) -> dict[str, dict[str, Any]]:
    return {each["name"]: each for each in org.ok(org.get(CREDENTIALS))["items"]}


@pytest.mark.both_databases
def test_a_credential_is_kept_and_only_its_end_is_shown(org: Org) -> None:
    made = credential(org, origin="https://API.Example.com/")
    assert made["shown"] == "****8f3a"
    assert made["origin"] == "https://api.example.com:443"
    assert made["used_by"] == []
    assert credential(org, "SHORT", value="tiny")["shown"] == "****"
    assert credential(org, "AT_NO_ADDRESS")["origin"] is None
    assert list(listed(org)) == ["AT_NO_ADDRESS", "SHORT", "SHOP_KEY"]
    assert org.client.delete(f"{CREDENTIALS}/SHORT").status_code == 204
    problem(org.client.delete(f"{CREDENTIALS}/SHORT"), 404, "not_found")
    first = org.ok(org.get(CREDENTIALS, params={"limit": "1"}))
    rest = org.ok(org.get(CREDENTIALS, params={"limit": "1", "cursor": first["next_cursor"]}))
    assert [each["name"] for each in rest["items"]] == ["SHOP_KEY"]


@pytest.mark.both_databases
def test_a_name_is_taken_once_per_organisation(org: Org, other_org: Org) -> None:
    credential(org)
    problem(org.post(CREDENTIALS, {"name": "SHOP_KEY", "value": OTHER}), 409, "credential_exists", OTHER)
    credential(other_org, value=OTHER)
    assert listed(org)["SHOP_KEY"]["shown"] == "****8f3a"
    own, foreign = (one.ok(one.get("/api/org"))["id"] for one in (org, other_org))
    credential(org, "MINE", org_id=own)
    problem(org.post(CREDENTIALS, {"name": "NO", "value": "x", "org_id": foreign}), 403, "forbidden")


def test_another_origin_needs_the_value_again(org: Org) -> None:
    made = credential(org, origin="https://api.example.com")
    at = f"{CREDENTIALS}/SHOP_KEY"
    for origin in (
        "https://other.example.com",
        "http://api.example.com",
        "https://api.example.com:444",
        None,
    ):
        refused = problem(org.put(at, {"origin": origin}), 422, "secret_required")
        assert refused["errors"][0]["loc"] == ["value"]
    assert listed(org)["SHOP_KEY"] == made
    assert org.ok(org.put(at, {"origin": "https://api.example.com:443"})) == made
    moved = org.ok(org.put(at, {"origin": "https://other.example.com", "value": OTHER}))
    assert (moved["origin"], moved["shown"]) == ("https://other.example.com:443", "****91bc")
    turned = org.ok(org.put(at, {"value": SECRET}))
    assert (turned["origin"], turned["shown"]) == ("https://other.example.com:443", "****8f3a")


def test_secrets_are_not_kept_for_a_repeated_request(org: Org) -> None:
    for path, body in (
        (CREDENTIALS, {"name": "SHOP_KEY", "value": SECRET}),
        (f"{PATH}/6f0e4b0e-3a1c-4d2f-9b0a-0123456789ab/call", {"tool_name": "x"}),
    ):
        problem(org.post(path, body, headers={"Idempotency-Key": "k"}), 400, "bad_request", SECRET)


def test_the_secret_of_an_endpoint_becomes_a_credential_of_its_address(org: Org, shop: LiveShop) -> None:
    made = shop.register(org, "Orders API (v2)", auth=bearer(SECRET))
    expected = {
        "type": "bearer",
        "header": None,
        "credential": "ORDERS_API_V2_SECRET",
        "secret_set": True,
        "shown": "****8f3a",
    }
    assert made["config"]["auth"] == expected
    kept = listed(org)["ORDERS_API_V2_SECRET"]
    assert kept["origin"] == shop.url
    assert kept["used_by"] == [{"endpoint_id": made["id"], "endpoint_name": "Orders API (v2)"}]
    assert tried(org, made)["source"] == "passthrough"
    assert asked_at(shop, ORDER) == [f"Bearer {SECRET}"]
    second = shop.register(org, "Orders-API v2", auth=bearer(OTHER))
    assert second["config"]["auth"]["credential"] == "ORDERS_API_V2_SECRET_2"
    odd = shop.register(org, "1 größer?", auth=bearer(OTHER))
    assert odd["config"]["auth"]["credential"] == "_1_GR_SSER_SECRET"


def test_an_api_key_goes_into_its_header(org: Org, shop: LiveShop) -> None:
    plain = shop.register(org, "plain", auth={"type": "api_key", "secret": SECRET})
    named = shop.register(org, "named", auth={"type": "api_key", "header": "X-Shop-Key", "secret": OTHER})
    assert (plain["config"]["auth"]["header"], named["config"]["auth"]["header"]) == (
        "X-API-Key",
        "X-Shop-Key",
    )
    tried(org, plain)
    tried(org, named)
    first, second = (request.headers for request in shop.asked)
    assert (first["x-api-key"], second["x-shop-key"]) == (SECRET, OTHER)
    assert "x-api-key" not in second
    assert "authorization" not in first


def test_an_mcp_server_is_asked_with_its_secret(org: Org) -> None:
    peer = SdkPeer({"look": lambda ctx, arguments: text("seen")})
    body = {"name": "notes", "type": "mcp_server", "config": {"url": peer.url, "auth": bearer(SECRET)}}
    made = create(org, body)
    assert tried(org, made, "look")["response"] == "seen"
    assert {headers["authorization"] for _, headers in peer.requests} == {f"Bearer {SECRET}"}
    peer.stop()


def test_a_named_credential_must_be_there_and_at_home(org: Org, other_org: Org, shop: LiveShop) -> None:
    credential(other_org, "SHOP_KEY", origin=shop.url)
    credential(org, "ELSEWHERE", origin="https://api.example.com")
    credential(org, "AT_NO_ADDRESS")
    for name, words in (
        ("SHOP_KEY", "there is no credential 'SHOP_KEY'"),
        ("ELSEWHERE", "is for https://api.example.com:443; the endpoint is at"),
        ("AT_NO_ADDRESS", "is for no address"),
    ):
        answer = org.post(PATH, shop.endpoint(auth=bearer(credential=name)))
        assert words in problem(answer, 422, "secret_required")["detail"]
    refused = problem(org.post(PATH, shop.endpoint(auth=bearer())), 422, "secret_required")
    assert refused["errors"][0]["loc"] == ["config", "auth", "secret"]
    assert org.ok(org.get(PATH))["items"] == []
    credential(org, "SHOP_KEY", origin=shop.url)
    made = shop.register(org, auth=bearer(credential="SHOP_KEY"))
    assert made["config"]["auth"]["credential"] == "SHOP_KEY"
    tried(org, made)
    assert asked_at(shop, ORDER) == [f"Bearer {SECRET}"]


def test_a_secret_may_be_kept_under_a_name_of_ones_own(org: Org, new_shop: NewShop) -> None:
    shop, other = new_shop(), new_shop()
    made = shop.register(org, auth=bearer(SECRET, "MY_KEY"))
    assert listed(org)["MY_KEY"]["origin"] == shop.url
    shop.register(org, "again", auth=bearer(OTHER, "MY_KEY"))  # the same address: the key was turned for both
    tried(org, made)
    assert asked_at(shop, ORDER) == [f"Bearer {OTHER}"]
    answer = org.post(PATH, other.endpoint("elsewhere", auth=bearer(SECRET, "MY_KEY")))
    assert "'orders-api', 'again'" in problem(answer, 409, "in_use", SECRET)["detail"]
    assert listed(org)["MY_KEY"]["shown"] == "****91bc"


def test_an_endpoint_that_moves_leaves_a_shared_credential_alone(org: Org, new_shop: NewShop) -> None:
    shop, other = new_shop(), new_shop()
    stays = shop.register(org, "stays", auth=bearer(SECRET, "SHARED"))
    moves = shop.register(org, "moves", auth=bearer(credential="SHARED"))
    moved = org.ok(change(org, moves, config={"base_url": other.url, "auth": {"secret": OTHER}}))
    assert moved["config"]["auth"]["credential"] == "MOVES_SECRET"
    tried(org, stays)
    tried(org, moves)
    assert asked_at(shop, ORDER) == [f"Bearer {SECRET}"]
    assert asked_at(other, ORDER) == [f"Bearer {OTHER}"]


@pytest.mark.parametrize("kind", ["http_openapi", "mcp_server"])
def test_another_address_needs_the_secret_again_and_the_old_one_goes_on(
    org: Org, new_shop: NewShop, kind: str
) -> None:
    shop, attacker = new_shop(DocumentHost()), new_shop(DocumentHost())
    if kind == "http_openapi":
        made, member = shop.register(org, auth=bearer(SECRET)), "base_url"
    else:
        config: dict[str, Any] = {"url": f"{shop.url}/mcp", "auth": bearer(SECRET)}
        made, member = create(org, {"name": "notes", "type": kind, "config": config}), "url"
    before = read(org, made)
    host = shop.url.removeprefix("http://127.0.0.1")
    for address in (attacker.url, UNREACHABLE, f"http://localhost{host}", f"https://127.0.0.1{host}"):
        changes: list[dict[str, Any]] = [{member: address}, {member: address, "auth": {"type": "bearer"}}]
        for changed in changes:
            refused = problem(change(org, made, config=changed), 422, "secret_required", SECRET)
            assert refused["errors"][0]["loc"] == ["config", "auth", "secret"]
    assert attacker.asked == []
    assert read(org, made) == before
    discover(org, made)
    if kind == "http_openapi":
        assert tried(org, made)["source"] == "passthrough"
        assert asked_at(shop, ORDER) == [f"Bearer {SECRET}"]
        org.ok(change(org, made, config={"base_url": f"{shop.url}/v2"}))  # the same origin
        tried(org, made)
        assert asked_at(shop, "/v2" + ORDER) == [f"Bearer {SECRET}"]


@pytest.mark.both_databases
def test_with_its_new_secret_an_endpoint_moves_and_the_old_address_hears_nothing(
    org: Org, new_shop: NewShop
) -> None:
    shop, other = new_shop(), new_shop()
    made = shop.register(org, auth=bearer(SECRET))
    moved = org.ok(change(org, made, config={"base_url": other.url, "auth": {"secret": OTHER}}))
    auth = moved["config"]["auth"]
    assert (auth["type"], auth["credential"], auth["shown"]) == ("bearer", "ORDERS_API_SECRET", "****91bc")
    tried(org, made)
    assert asked_at(other, ORDER) == [f"Bearer {OTHER}"]
    assert shop.asked == []
    back = change(org, made, config={"base_url": shop.url})
    problem(back, 422, "secret_required")
    open_to_all = org.ok(change(org, made, config={"base_url": shop.url, "auth": {"type": "none"}}))
    assert open_to_all["config"]["auth"]["credential"] is None
    tried(org, made)
    assert asked_at(shop, ORDER) == [None]


def test_a_credential_that_is_bound_elsewhere_is_not_sent_by_try_it_or_discovery(
    org: Org, new_shop: NewShop
) -> None:
    shop, attacker = new_shop(DocumentHost()), new_shop(DocumentHost())
    made = shop.register(org, auth=bearer(SECRET, "SHOP_KEY"))
    peer = create(
        org,
        {
            "name": "notes",
            "type": "mcp_server",
            "config": {"url": f"{shop.url}/mcp", "auth": bearer(credential="SHOP_KEY")},
        },
    )
    tried(org, made)
    org.ok(org.put(f"{CREDENTIALS}/SHOP_KEY", {"value": OTHER, "origin": attacker.url}))
    shop.asked.clear()
    assert failure_of(tried(org, made)) == ("secret_missing", "not_sent")
    assert discover(org, peer)["discovery_error"]["code"] == "secret_missing"
    assert (shop.asked, attacker.asked) == ([], [])
    assert read(org, made)["config"]["auth"]["secret_set"] is False
    problem(change(org, made, config={}), 422, "secret_required")


def test_a_turned_secret_is_used_from_the_next_call_on(org: Org, shop: LiveShop) -> None:
    made = shop.register(org, auth=bearer(SECRET, "SHOP_KEY"))
    tried(org, made)
    org.ok(org.put(f"{CREDENTIALS}/SHOP_KEY", {"value": OTHER}))
    tried(org, made)
    org.ok(change(org, made, config={"auth": {"secret": SECRET}}))
    tried(org, made)
    assert asked_at(shop, ORDER) == [f"Bearer {SECRET}", f"Bearer {OTHER}", f"Bearer {SECRET}"]


@pytest.mark.both_databases
def test_a_credential_in_use_stays(org: Org, shop: LiveShop) -> None:
    made = shop.register(org, auth=bearer(SECRET, "SHOP_KEY"))
    refused = problem(org.client.delete(f"{CREDENTIALS}/SHOP_KEY"), 409, "in_use")
    assert "'orders-api'" in refused["detail"]
    tried(org, made)
    assert asked_at(shop, ORDER) == [f"Bearer {SECRET}"]
    org.ok(change(org, made, config={"auth": None}))
    assert org.client.delete(f"{CREDENTIALS}/SHOP_KEY").status_code == 204
    assert listed(org) == {}


@pytest.mark.both_databases
def test_no_secret_is_in_any_answer_entry_or_line(
    org: Org, new_shop: NewShop, caplog: pytest.LogCaptureFixture
) -> None:
    caplog.set_level(logging.DEBUG)
    shop = new_shop()
    made = shop.register(org, auth=bearer(SECRET))
    answers = [
        org.get(f"{PATH}/{made['id']}"),
        org.get(PATH),
        change(org, made, description="Other."),
        change(org, made, config={"auth": {"secret": OTHER}}),
        change(org, made, config={"base_url": "http://10.0.0.1"}),
        change(org, made, config={"base_url": UNREACHABLE}),
        org.post(f"{PATH}/{made['id']}/discover"),
        org.post(f"{PATH}/{made['id']}/call", {"tool_name": "readOrder", "arguments": {"order_id": "1"}}),
        org.post(CREDENTIALS, {"name": "ANOTHER", "value": SECRET, "origin": shop.url}),
        org.post(CREDENTIALS, {"name": "ANOTHER", "value": SECRET}),
        org.put(f"{CREDENTIALS}/ANOTHER", {"value": OTHER, "origin": "no address"}),
        org.put(f"{CREDENTIALS}/ANOTHER", {"value": OTHER}),
        org.get(CREDENTIALS),
        org.get("/api/audit-log", params={"limit": "200"}),
    ]
    assert asked_at(shop, "/orders/1") == [f"Bearer {OTHER}"]
    shop.stop()
    answers.append(
        org.post(f"{PATH}/{made['id']}/call", {"tool_name": "readOrder", "arguments": {"order_id": "1"}})
    )
    answers.append(org.post(f"{PATH}/{made['id']}/discover"))
    for answer in answers:
        assert SECRET not in answer.text
        assert OTHER not in answer.text
    assert any(record.name.startswith("odyssey") for record in caplog.records)
    said = "\n".join(str(vars(record)) for record in caplog.records)
    assert SECRET not in said
    assert OTHER not in said


@pytest.mark.both_databases
def test_every_act_leaves_one_entry_in_the_audit_log(org: Org) -> None:
    credential(org)
    org.ok(org.put(f"{CREDENTIALS}/SHOP_KEY", {"value": OTHER}))
    org.client.delete(f"{CREDENTIALS}/SHOP_KEY")
    log = org.ok(org.get("/api/audit-log"))["items"]
    acts = [entry["action"] for entry in reversed(log) if entry["object_id"] == "SHOP_KEY"]
    assert acts == ["credential.create", "credential.change", "credential.delete"]

"""Trying a tool by hand: the same way out as an agent's call."""

from collections.abc import Iterator
from typing import Any

import pytest
from api.surface import problem
from endpoints.conftest import NewShop
from support.endpoints import PATH, change, create, discover, failure_of, tried
from support.live_shop import DOCUMENT, LiveShop, Reply
from support.mcp_peers import SdkPeer, text
from support.platform import Org


@pytest.fixture
def peer() -> Iterator[SdkPeer]:
    peer = SdkPeer(
        {
            "say": lambda ctx, arguments: text(str(arguments.get("word", "nothing"))),
            "fail": lambda ctx, arguments: text("no", is_error=True),
        }
    )
    yield peer
    peer.stop()


def test_an_operation_is_asked_as_its_document_says(org: Org, shop: LiveShop) -> None:
    made = shop.register(org)
    answer = tried(org, made, "readOrder", order_id="ord/1", view="full")
    assert answer == {
        "source": "passthrough",
        "response": {"id": "ord%2F1", "state": "shipped", "amount": 79.5},
        "status": 200,
        "is_error": False,
    }
    tried(org, made, "addNote", order_id="ord_1", text="Hello.")
    read, noted = shop.asked
    assert (read.method, read.path, read.query) == ("GET", "/orders/ord%2F1", {"view": "full"})
    assert (noted.method, noted.path, noted.body) == ("POST", "/orders/ord_1/notes", {"text": "Hello."})
    assert all("x-pipelines-run-token" not in request.headers for request in shop.asked)


REPLIES: list[Any] = [
    pytest.param(Reply(b'{"error": "unknown order"}', 404), {"error": "unknown order"}, id="4xx"),
    pytest.param(Reply(b"", 204), "", id="empty"),
    pytest.param(Reply(b"plain words", 200, "text/plain"), "plain words", id="text"),
    pytest.param(Reply(b"12", 200), "12", id="a number"),
    pytest.param(Reply(b"[1, 2]", 200), [1, 2], id="a list"),
    pytest.param(Reply(b"elsewhere", 302), "elsewhere", id="redirect"),
]


@pytest.mark.parametrize(("reply", "response"), REPLIES)
def test_whatever_the_service_answers_is_passed_through(
    org: Org, new_shop: NewShop, reply: Reply, response: Any
) -> None:
    made = new_shop(lambda request: reply).register(org)
    answer = tried(org, made)
    assert answer.pop("is_error") is (reply.status == 404)
    assert answer == {"source": "passthrough", "response": response, "status": reply.status}


def test_a_hop_that_fails_says_how(org: Org, new_shop: NewShop) -> None:
    shop = new_shop(lambda request: Reply(b"broken", 503))
    made = shop.register(org)
    failed = tried(org, made)
    assert failure_of(failed) == ("upstream_5xx", "unknown")
    assert failed["status"] == 503
    assert len(shop.asked) == 1
    shop.stop()
    assert failure_of(tried(org, made)) == ("upstream_unreachable", "not_sent")


def test_a_tool_of_an_mcp_server(org: Org, peer: SdkPeer) -> None:
    made = create(org, {"name": "words", "type": "mcp_server", "config": {"url": peer.url}})
    assert tried(org, made, "say", word="Hello.") == {
        "source": "passthrough",
        "response": "Hello.",
        "status": None,
        "is_error": False,
    }
    assert tried(org, made, "say")["source"] == "passthrough"
    failed = tried(org, made, "fail")
    assert failed == {"source": "passthrough", "response": "no", "status": None, "is_error": True}
    assert [name for name, _ in peer.calls] == ["say", "say", "fail"]


def test_an_unknown_tool_is_refused_before_anything_is_sent(org: Org, shop: LiveShop) -> None:
    made = shop.register(org)
    refused = problem(
        org.post(f"{PATH}/{made['id']}/call", {"tool_name": "readOrdr"}), 422, "validation_failed"
    )
    assert refused["errors"][0]["loc"] == ["tool_name"]
    assert "did you mean 'readOrder'?" in refused["detail"]
    assert shop.asked == []


@pytest.mark.both_databases
def test_a_change_counts_from_the_next_call_on(org: Org, new_shop: NewShop) -> None:
    shop, other = new_shop(), new_shop()
    made = shop.register(org)
    tried(org, made)
    org.ok(change(org, made, config={"base_url": other.url}))
    tried(org, made)
    assert (len(shop.asked), len(other.asked)) == (1, 1)
    smaller = {"/orders": {"get": {"operationId": "listOrders", "responses": {}}}}
    org.ok(change(org, made, config={"spec": DOCUMENT | {"paths": smaller}}))
    discover(org, made)
    answer = org.post(f"{PATH}/{made['id']}/call", {"tool_name": "readOrder"})
    problem(answer, 422, "validation_failed")


def test_a_call_to_a_deleted_endpoint_or_anothers_is_404(org: Org, other_org: Org, shop: LiveShop) -> None:
    made = shop.register(org)
    body = {"tool_name": "readOrder", "arguments": {"order_id": "ord_1"}}
    for action in ("call", "discover"):
        problem(other_org.post(f"{PATH}/{made['id']}/{action}", body), 404, "not_found")
    org.client.delete(f"{PATH}/{made['id']}")
    problem(org.post(f"{PATH}/{made['id']}/call", body), 404, "not_found")
    assert shop.asked == []

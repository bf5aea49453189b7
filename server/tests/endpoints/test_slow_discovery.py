"""A service that takes its time to say what it has: nobody else waits for it, and no change is lost over it."""

from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from contextlib import contextmanager
from typing import Any

import pytest
from api.surface import problem
from endpoints.conftest import NewShop
from support.endpoints import PATH, DocumentHost, change, create, discover, read
from support.live_shop import Gate
from support.platform import Org


@contextmanager
def asking_of(gate: Gate) -> Iterator[ThreadPoolExecutor]:
    """Threads whose requests are let go when the test ends, however it does."""
    with ThreadPoolExecutor() as threads:
        try:
            yield threads
        finally:
            gate.release.set()


@pytest.mark.parametrize("headers", [{}, {"Idempotency-Key": "once"}], ids=["plain", "idempotent"])
def test_others_write_while_a_service_is_asked(org: Org, new_shop: NewShop, headers: dict[str, str]) -> None:
    gate = Gate(DocumentHost())
    slow = new_shop(gate)
    body = {"name": "slow", "type": "http_openapi", "config": {"spec_url": f"{slow.url}/openapi.json"}}
    with asking_of(gate) as threads:
        asking = threads.submit(org.post, PATH, body, headers=headers)
        gate.wait()
        new_shop().register(org, "fast")
        assert [each["name"] for each in org.ok(org.get(PATH))["items"]] == ["fast"]
        gate.release.set()
        assert org.ok(asking.result())["tool_count"] == 3
    assert [each["name"] for each in org.ok(org.get(PATH))["items"]] == ["slow", "fast"]


def test_a_name_taken_meanwhile_is_a_conflict(org: Org, new_shop: NewShop) -> None:
    gate = Gate(DocumentHost())
    config = {"spec_url": f"{new_shop(gate).url}/openapi.json"}
    with asking_of(gate) as threads:
        body = {"name": "orders", "type": "http_openapi", "config": config}
        asking = threads.submit(org.post, PATH, body)
        gate.wait()
        first = new_shop().register(org, "orders")
        gate.release.set()
        problem(asking.result(), 409, "endpoint_exists")
    assert [each["id"] for each in org.ok(org.get(PATH))["items"]] == [first["id"]]


@pytest.mark.both_databases
@pytest.mark.parametrize("act", ["change", "discover"])
def test_of_two_changes_at_once_the_later_one_is_told(org: Org, new_shop: NewShop, act: str) -> None:
    shop = new_shop(DocumentHost())
    body = {"name": "orders", "type": "http_openapi", "config": {"spec_url": f"{shop.url}/openapi.json"}}
    endpoint = create(org, body)
    host, gate = shop.behaviour, Gate(DocumentHost())
    shop.behaviour = gate

    def act_on_it() -> Any:
        if act == "change":
            return change(org, endpoint, description="Slow.")
        return org.post(f"{PATH}/{endpoint['id']}/discover")

    with asking_of(gate) as threads:
        asking = threads.submit(act_on_it)
        gate.wait()
        shop.behaviour = host
        org.ok(change(org, endpoint, description="Fast."))
        gate.release.set()
        refused = problem(asking.result(), 409, "endpoint_changed")
    assert refused["retryable"] is True
    assert read(org, endpoint)["description"] == "Fast."
    assert discover(org, endpoint)["discovery_error"] is None


@pytest.mark.both_databases
def test_an_endpoint_deleted_meanwhile_is_gone(org: Org, new_shop: NewShop) -> None:
    shop = new_shop(DocumentHost())
    body = {"name": "orders", "type": "http_openapi", "config": {"spec_url": f"{shop.url}/openapi.json"}}
    endpoint = create(org, body)
    shop.behaviour = gate = Gate(DocumentHost())
    with asking_of(gate) as threads:
        asking = threads.submit(change, org, endpoint, description="Slow.")
        gate.wait()
        assert org.client.delete(f"{PATH}/{endpoint['id']}").status_code == 204
        gate.release.set()
        problem(asking.result(), 404, "not_found")
    assert org.ok(org.get(PATH))["items"] == []

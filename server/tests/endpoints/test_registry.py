"""What a server knows of endpoints that another one changes: never more than a second old."""

from collections.abc import Iterator
from datetime import UTC, datetime, timedelta
from typing import Any

import pytest
from endpoints.conftest import NewShop
from sqlalchemy import insert, select, update
from support.endpoints import PATH, bearer, change
from support.live_shop import DOCUMENT, LiveShop
from support.platform import Org

from odyssey.endpoints.models import ToolEndpoint
from odyssey.endpoints.registry import Upstreams
from odyssey.endpoints.upstream import Answered, NotAnswered
from odyssey.identity.keys import MasterKey
from odyssey.identity.vault import Vault
from odyssey.kit.ids import new_uuid

SECRET = "canary-secret-of-the-shop-8f3a"


class Neighbour:
    """The endpoints as a second server on the same database sees them; its time stands until it is told."""

    def __init__(self, org: Org, vault: Vault | None = None) -> None:
        self.org = org
        self.now = datetime(2026, 5, 1, tzinfo=UTC)
        self.org_id: int = org.ok(org.get("/api/org"))["id"]
        platform = org.platform
        vault, client = vault or platform.part(Vault), platform.part(Upstreams).client
        self.upstreams = Upstreams(platform.database, vault, client, lambda: self.now)

    def wait(self, **time: float) -> None:
        self.now += timedelta(**time)

    def ask(self, tool_name: str = "readOrder", **binding: Any) -> Any:
        """The answer's status, or the code of the failure."""
        place = {"tool_name": tool_name, **(binding or {"endpoint_name": "orders-api"})}
        work = self.upstreams.forward(self.org_id, place, {"order_id": "ord_1"}, session="")
        answer = self.org.platform.do(work)
        return answer.status if isinstance(answer, Answered) else answer.code

    def find(self, *names: str) -> list[str]:
        """Look for endpoints by their names; returns those that are not there."""

        async def look() -> list[str]:
            found = {name: await self.upstreams.route(self.org_id, binding(name)) for name in names}
            return [
                name
                for name, route in found.items()
                if isinstance(route, NotAnswered) and route.code == "endpoint_missing"
            ]

        return self.org.platform.do(look())


def binding(name: str) -> dict[str, str]:
    return {"endpoint_name": name, "tool_name": "readOrder"}


@pytest.fixture
def neighbour(org: Org) -> Iterator[Neighbour]:
    neighbour = Neighbour(org)
    yield neighbour
    org.platform.do(neighbour.upstreams.close())


def test_a_change_elsewhere_is_seen_within_a_second(
    org: Org, new_shop: NewShop, neighbour: Neighbour
) -> None:
    shop, other = new_shop(), new_shop()
    endpoint = shop.register(org)
    assert neighbour.ask() == 200
    org.ok(change(org, endpoint, config={"base_url": other.url}))
    neighbour.wait(milliseconds=999)
    neighbour.ask()
    assert (len(shop.asked), len(other.asked)) == (2, 0)
    neighbour.wait(milliseconds=1)
    neighbour.ask()
    assert (len(shop.asked), len(other.asked)) == (2, 1)


def test_a_secret_that_was_turned_elsewhere_is_used_within_a_second(
    org: Org, shop: LiveShop, neighbour: Neighbour
) -> None:
    shop.register(org, auth=bearer(SECRET, "SHOP_KEY"))
    neighbour.ask()
    org.ok(org.put("/api/credentials/SHOP_KEY", {"value": "the next secret of the shop"}))
    neighbour.wait(seconds=1)
    neighbour.ask()
    org.ok(org.put("/api/credentials/SHOP_KEY", {"value": "a third", "origin": "https://api.example.com"}))
    neighbour.wait(seconds=1)
    assert neighbour.ask() == "secret_missing"
    sent = [request.headers["authorization"] for request in shop.asked]
    assert sent == [f"Bearer {SECRET}", "Bearer the next secret of the shop"]


def test_what_is_gone_leads_nowhere(org: Org, shop: LiveShop, neighbour: Neighbour) -> None:
    endpoint = shop.register(org)
    assert neighbour.ask(endpoint_id=endpoint["id"]) == 200
    assert neighbour.ask("readOrdr") == "tool_missing"
    smaller = {"/orders": {"get": {"operationId": "listOrders", "responses": {}}}}
    org.ok(change(org, endpoint, config={"spec": DOCUMENT | {"paths": smaller}}))
    neighbour.wait(seconds=1)
    assert neighbour.ask() == "tool_missing"
    assert org.client.delete(f"{PATH}/{endpoint['id']}").status_code == 204
    neighbour.wait(seconds=1)
    assert neighbour.ask() == "endpoint_missing"
    assert neighbour.ask(endpoint_id=endpoint["id"]) == "endpoint_missing"
    assert len(shop.asked) == 1


def test_anothers_endpoint_is_not_there(
    org: Org, other_org: Org, shop: LiveShop, neighbour: Neighbour
) -> None:
    foreign = shop.register(other_org)
    assert neighbour.ask(endpoint_id=foreign["id"]) == "endpoint_missing"
    assert neighbour.ask(endpoint_name="orders-api") == "endpoint_missing"
    assert shop.asked == []


def test_a_thousand_are_remembered_and_the_oldest_is_looked_up_again(
    org: Org, shop: LiveShop, neighbour: Neighbour
) -> None:
    endpoint = shop.register(org)
    names = [endpoint["name"], *(f"copy-{number}" for number in range(1000))]
    org.platform.do(copy_endpoint(org, endpoint["id"], names[1:]))
    assert neighbour.find(*names) == []
    org.platform.do(rename_endpoints(org, neighbour.org_id, *names[:2]))
    assert neighbour.find(*names[:2]) == ["orders-api"], (
        "the second is known still, as it was within the second"
    )


async def copy_endpoint(org: Org, endpoint_id: str, copies: list[str]) -> None:
    async with org.platform.database.write() as session:
        table = ToolEndpoint.__table__
        row = (await session.execute(select(table).where(table.c.id == endpoint_id))).mappings().one()
        kept = {column: value for column, value in row.items() if column != "number"}
        bare = kept | {"type": "mcp_server", "tools": []}  # a thousand documents would take a minute to read
        rows = [bare | {"id": new_uuid(), "name": copy} for copy in copies]
        await session.execute(insert(ToolEndpoint), rows)


async def rename_endpoints(org: Org, org_id: int, *names: str) -> None:
    """As another server would: this one is not told."""
    async with org.platform.database.write() as session:
        renamed = update(ToolEndpoint).where(ToolEndpoint.org_id == org_id, ToolEndpoint.name.in_(names))
        await session.execute(renamed.values(name=ToolEndpoint.name + ", renamed"))


def test_time_that_goes_backwards_keeps_nothing_alive(
    org: Org, new_shop: NewShop, neighbour: Neighbour
) -> None:
    shop, other = new_shop(), new_shop()
    endpoint = shop.register(org)
    neighbour.ask()
    org.ok(change(org, endpoint, config={"base_url": other.url}))
    neighbour.wait(hours=-1)
    neighbour.ask()
    assert (len(shop.asked), len(other.asked)) == (1, 1)


def test_a_secret_under_another_key_is_none(org: Org, shop: LiveShop) -> None:
    shop.register(org, auth=bearer(SECRET))
    stranger = Neighbour(
        org, Vault(MasterKey("another key of forty characters........."), lambda: stranger.now)
    )
    assert stranger.ask() == "secret_missing"
    assert shop.asked == []
    org.platform.do(stranger.upstreams.close())


def test_a_route_does_not_show_its_secret(org: Org, shop: LiveShop, neighbour: Neighbour) -> None:
    shop.register(org, auth=bearer(SECRET))
    place = {"endpoint_name": "orders-api", "tool_name": "readOrder"}
    org_id: int = org.ok(org.get("/api/org"))["id"]
    route = org.platform.do(neighbour.upstreams.route(org_id, place))
    assert not isinstance(route, NotAnswered)
    assert (route.endpoint_name, route.type, route.tool.method) == ("orders-api", "http_openapi", "GET")
    assert SECRET not in repr(route)

"""An organisation with live tools: endpoints of several looks, an agent that asks them, its runs and a cassette."""

import copy
from contextlib import ExitStack
from typing import Any, NamedTuple

from support.agents import Dispatched, ScriptedAgent, final
from support.live_shop import DOCUMENT, Gate, LiveShop, Reply, Request, agent_of, live, mirrored, order_of
from support.mcp_peers import SdkPeer, text, tool
from support.platform import WORLD, Org, Platform

SECRET = "live-secret-of-the-shop-7c21"
LIVE_TOOLS = (
    mirrored(),
    live("add_note", "addNote"),
    live("check_stock", "readOrder", "warehouse"),
)


class DescribedShop(LiveShop):
    """A shop that gives its own document away, and can be renovated."""

    def __init__(self) -> None:
        super().__init__(self.reply)
        self.document = copy.deepcopy(DOCUMENT)

    @property
    def document_url(self) -> str:
        return f"{self.url}/openapi.json"

    def reply(self, request: Request) -> Any:
        if request.path == "/openapi.json":
            return self.document
        if request.order_id == "ord_404":
            return Reply(b'{"error": "no such order"}', 404)
        if request.order_id == "ord_500":
            return Reply(b"out of order", 500, "text/plain")
        return order_of(request)

    def renovate(self) -> None:
        """Offer one tool more, one less and one that asks for more."""
        orders = self.document["paths"]["/orders/{order_id}"]
        del orders["delete"]
        orders["get"]["parameters"][1] |= {"required": True}
        self.document["paths"]["/stock"] = {
            "get": {"operationId": "readStock", "responses": {"200": {"description": "It."}}}
        }

    def described(self, name: str = "orders-api", **config: Any) -> dict[str, Any]:
        return self.endpoint(name, spec=None, spec_url=self.document_url, **config)


class LiveOrg(NamedTuple):
    org: Org
    shop: DescribedShop
    endpoint: str
    """The shop: by address, with a secret and a drift."""
    silent: str
    """A shop that has closed since its tools were discovered."""
    peer: str
    """An MCP server."""
    agent: dict[str, Any]
    run: int
    """Answers by adapter, an error of the service's own, a hop that failed and one that was never made."""
    lost: int
    """It was cancelled while the live tool was asked."""
    cassette: str
    """Of the first run."""
    replay: int
    """Played from it."""


def give_live_org(platform: Platform, stack: ExitStack) -> LiveOrg:
    org = platform.new_org("Harbour Goods, live", "lin@harbour.example")
    shop, closing = DescribedShop(), DescribedShop()
    stack.callback(shop.stop)
    auth = {"type": "bearer", "secret": SECRET}
    endpoint = org.ok(org.post("/api/tool-endpoints", shop.described(auth=auth)))["id"]
    silent = org.ok(org.post("/api/tool-endpoints", closing.described("warehouse")))["id"]
    peer = SdkPeer(
        {"read_time": lambda ctx, arguments: text("noon")},
        listed=[tool("read_time", description="The time where the server is.")],
    )
    stack.callback(peer.stop)
    clocks = {"name": "clocks", "type": "mcp_server", "config": {"url": peer.url}}
    agent_server = ScriptedAgent(shop_assistant)
    stack.callback(agent_server.stop)
    agent = org.agent(agent_server.url, name="Shop assistant", **agent_of(*LIVE_TOOLS))
    closing.stop()
    run = org.run(agent, user_instruction="Look after order ord_7.", initial_state=WORLD)["id"]
    cassette = org.ok(org.post("/api/cassettes", {"name": "A day at the shop", "run_id": run}))["id"]
    replay = _replay(org, agent, cassette)
    lost = _cancelled_on_the_way(org, shop, agent)
    shop.renovate()
    for each in (endpoint, silent):
        org.ok(org.post(f"/api/tool-endpoints/{each}/discover"))
    clock = org.ok(org.post("/api/tool-endpoints", clocks))["id"]
    return LiveOrg(org, shop, endpoint, silent, clock, agent, run, lost, cassette, replay)


def shop_assistant(dispatched: Dispatched) -> dict[str, Any]:
    """Ask every live tool for something, and a simulated one about what a live one said."""
    if "wait" in dispatched.body["input"]["user_instruction"]:
        dispatched.call("get_order", {"order_id": "ord_9"})
        return final()
    dispatched.call("get_order", {"order_id": "ord_7"})
    dispatched.call("update_order", {"order_id": "ord_7", "status": "refunded"})
    dispatched.call("add_note", {"order_id": "ord_7", "text": "Called the customer."})
    dispatched.call("get_order", {"order_id": "ord_404"})
    dispatched.call("get_order", {"order_id": "ord_500"})
    dispatched.call("check_stock", {"order_id": "ord_7"})
    return final("Order ord_7 is looked after.")


def replay_body(agent: dict[str, Any], cassette: str, **members: Any) -> dict[str, Any]:
    seeds = [{"user_instruction": "Look after order ord_7.", "initial_state": WORLD}]
    return {"agent_id": agent["id"], "seeds": seeds, "cassette": {"id": cassette, **members}}


def _replay(org: Org, agent: dict[str, Any], cassette: str) -> int:
    run: int = org.ok(org.post("/api/runs", replay_body(agent, cassette)))["runs"][0]["id"]
    org.wait(run)
    return run


def _cancelled_on_the_way(org: Org, shop: DescribedShop, agent: dict[str, Any]) -> int:
    shop.behaviour = gate = Gate(shop.reply)
    (run,) = org.start(agent, {"user_instruction": "Ask, and wait."})
    gate.wait()
    org.ok(org.post(f"/api/runs/{run}/cancel"))
    gate.release.set()
    shop.behaviour = shop.reply
    return run

"""Endpoints and credentials from the command line, on a platform and a service that are really there."""

import json
import threading
from collections.abc import Callable, Iterator
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from typing import Any

import pytest
from support.commands import Desk
from support.mcp_peers import SdkPeer, text

Cli = Callable[..., str]

SECRET = "s3cret-of-the-shop-zq81"
DOCUMENT: dict[str, Any] = {
    "openapi": "3.1.0",
    "info": {"title": "Shop", "version": "1"},
    "paths": {
        "/orders/{order_id}": {
            "get": {
                "operationId": "read_order",
                "parameters": [
                    {"name": "order_id", "in": "path", "required": True, "schema": {"type": "string"}}
                ],
                "responses": {"200": {"description": "The order."}},
            }
        }
    },
}


class Shop:
    """A service that serves its own document, and knows its callers by a key."""

    def __init__(self) -> None:
        self.document = json.loads(json.dumps(DOCUMENT))
        shop = self

        class Handler(BaseHTTPRequestHandler):
            def do_GET(self) -> None:
                if self.path == "/openapi.json":
                    status, answer = 200, shop.document
                elif self.headers.get("X-Shop-Key") != SECRET:
                    status, answer = 401, {"error": "who are you?"}
                else:
                    status, answer = 200, {"order_id": self.path.rpartition("/")[2], "total": 120}
                body = json.dumps(answer).encode()
                self.send_response(status)
                self.send_header("Content-Type", "application/json")
                self.send_header("Content-Length", str(len(body)))
                self.end_headers()
                self.wfile.write(body)

            def log_message(self, format: str, *args: Any) -> None:
                pass

        self._server = ThreadingHTTPServer(("127.0.0.1", 0), Handler)
        self._thread = threading.Thread(target=self._server.serve_forever, kwargs={"poll_interval": 0.01})
        self._thread.start()
        self.url = f"http://127.0.0.1:{self._server.server_port}"

    def stop(self) -> None:
        self._server.shutdown()
        self._thread.join()
        self._server.server_close()


@pytest.fixture
def shop() -> Iterator[Shop]:
    shop = Shop()
    yield shop
    shop.stop()


@pytest.fixture
def cli(desk: Desk) -> Cli:
    def say(*arguments: str, code: int = 0, said: str = "") -> str:
        done = desk.type(*arguments, code=code, said=said, SHOP_SECRET=SECRET)
        assert SECRET not in done.stdout + done.stderr
        return done.stdout + done.stderr

    return say


def add(cli: Cli, shop: Shop, *, code: int = 0) -> str:
    where = ("--spec-url", f"{shop.url}/openapi.json", "--base-url", shop.url)
    auth = ("--auth", "api_key", "--header", "X-Shop-Key", "--secret-env", "SHOP_SECRET")
    return cli("endpoints", "add-openapi", "shop", *where, *auth, code=code)


def test_an_endpoint_is_registered_shown_called_and_deleted(cli: Cli, shop: Shop) -> None:
    assert cli("endpoints", "list") == "No endpoints.\n"
    said = add(cli, shop)
    assert "1 tool\n    read_order\n" in said
    assert shop.url in said
    assert cli("endpoints", "list").splitlines()[1].split()[:3] == ["shop", "http_openapi", "1"]
    assert cli("endpoints", "show", "shop") == said
    made = json.loads(cli("endpoints", "show", "shop", "--json"))
    assert cli("endpoints", "show", made["id"]) == said
    answer = cli("endpoints", "call", "shop", "read_order", '{"order_id": "ord_7"}')
    assert answer.startswith("passthrough, HTTP 200, ")
    assert '"order_id": "ord_7"' in answer
    assert cli("endpoints", "delete", "shop") == "shop is deleted.\n"
    assert cli("endpoints", "show", "shop", code=2) == "odyssey: There is no endpoint shop.\n"


def test_an_answer_that_is_an_error_says_so_and_ends_with_1(cli: Cli, shop: Shop) -> None:
    peer = SdkPeer({"fail": lambda ctx, arguments: text("out of stock", is_error=True)})
    try:
        cli("endpoints", "add-mcp", "words", peer.url)
        said = cli("endpoints", "call", "words", "fail", code=1)
    finally:
        peer.stop()
    assert said.startswith("passthrough, error, ")
    assert "out of stock" in said
    where = ("--spec-url", f"{shop.url}/openapi.json", "--base-url", shop.url)
    cli("endpoints", "add-openapi", "shop", *where)
    refused = cli("endpoints", "call", "shop", "read_order", '{"order_id": "ord_7"}', code=1)
    assert refused.startswith("passthrough, HTTP 401, error, ")


def test_what_changed_is_said_once_it_is_looked_up_again(cli: Cli, shop: Shop) -> None:
    add(cli, shop)
    cli("endpoints", "discover", "shop")
    shop.document["paths"]["/orders/{order_id}"]["delete"] = {"operationId": "drop_order"} | {
        name: value
        for name, value in DOCUMENT["paths"]["/orders/{order_id}"]["get"].items()
        if name != "operationId"
    }
    said = cli("endpoints", "discover", "shop", code=1)
    assert "added     drop_order" in said
    assert "drop_order  may change something" in said
    assert "changed since" in cli("endpoints", "list")


def test_a_service_that_cannot_be_asked_is_kept_and_said(cli: Cli, shop: Shop) -> None:
    said = cli("endpoints", "add-mcp", "nobody", "http://127.0.0.1:9/mcp", code=1)
    assert "failed" in said
    assert "127.0.0.1:9" in said
    assert "not looked up" in cli("endpoints", "list")
    add(cli, shop)
    shop.stop()
    answer = cli("endpoints", "call", "shop", "read_order", '{"order_id": "ord_7"}', code=1)
    assert answer.startswith("transport_error, ")
    assert "not_sent" in answer


@pytest.mark.parametrize(
    ("arguments", "told"),
    [
        (("add-openapi", "x"), "either --spec FILE or --spec-url URL"),
        (("add-openapi", "x", "--spec", "nowhere.yaml"), "nowhere.yaml cannot be read: No such file"),
        (("add-mcp", "x", "ftp://example.com"), "url"),
        (
            ("add-mcp", "x", "http://a.test", "--auth", "bearer", "--secret-env", "UNSET_"),
            "UNSET_ is not set",
        ),
        (("call", "x", "y", "[1]"), "must be a JSON object"),
        (("call", "x", "y", "{"), "not JSON"),
    ],
)
def test_what_cannot_be_done_is_said_in_a_sentence(cli: Cli, arguments: tuple[str, ...], told: str) -> None:
    assert told in cli("endpoints", *arguments, code=2)


def test_credentials_go_in_and_never_come_out(cli: Cli, shop: Shop) -> None:
    assert cli("credentials", "list") == "No credentials.\n"
    kept = cli("credentials", "set", "SHOP_KEY", "--secret-env", "SHOP_SECRET", "--origin", shop.url)
    assert "SHOP_KEY" in kept
    assert "****zq81" in kept
    assert shop.url in kept
    assert "****zq81" in cli("credentials", "list")
    cli("credentials", "set", "SHOP_KEY", "--secret-env", "SHOP_SECRET")
    assert cli("credentials", "delete", "SHOP_KEY") == "SHOP_KEY is deleted.\n"
    add(cli, shop)
    (name,) = (each["name"] for each in json.loads(cli("credentials", "list", "--json"))["items"])
    assert "shop" in cli("credentials", "delete", name, code=2)


def test_a_secret_is_read_from_a_pipe(cli: Cli) -> None:
    kept = cli("credentials", "set", "PIPED", "--json", said=f"{SECRET}\n")
    assert json.loads(kept)["shown"] == f"****{SECRET[-4:]}"

"""The names this server answers to: a page that rebinds its own name to this machine is not served."""

import socket
from collections.abc import Iterator

import httpx
import pytest
from api.surface import problem
from conftest import NewDatabase
from support.platform import Platform

ALLOWED = ["127.0.0.1", "10.1.2.3:80", "[::1]:8200", "localhost", "LOCALHOST:1", "a.localhost", "localhost."]
ALLOWED += ["odyssey.example", "Odyssey.Example:8443", "lan-name", "other.internal:8200"]
REFUSED = [
    "elsewhere.example",
    "localhost.elsewhere.example",
    "notlocalhost",
    "127.0.0.1.nip.io",
    "a@localhost",
]
REFUSED += [
    "sub.odyssey.example",
    "odyssey.example.elsewhere",
    "127.1",
    "0x7f000001",
    "",
    "[elsewhere.example]",
]


@pytest.fixture(scope="module")
def named(new_database: NewDatabase) -> Iterator[Platform]:
    platform = Platform(
        new_database(), public_url="https://odyssey.example/", allowed_hosts="lan-name, Other.Internal"
    )
    yield platform
    platform.stop()


PATHS = ["/health", "/api/org", "/nothing", "/api/odyssey-proxy/tools/x"]


@pytest.mark.parametrize("host", ALLOWED)
def test_its_own_names_and_addresses_are_served(named: Platform, host: str) -> None:
    for path in PATHS:
        answer = httpx.post(
            named.url + path, headers={"Host": host}, trust_env=False, verify=False, timeout=60
        )
        assert answer.status_code in {401, 404, 405}, path


@pytest.mark.parametrize("host", REFUSED)
def test_another_name_is_421_on_every_path(named: Platform, host: str) -> None:
    for path in PATHS * 2:
        answer = httpx.post(
            named.url + path, headers={"Host": host}, trust_env=False, verify=False, timeout=60
        )
        detail = problem(answer, 421, "host_not_allowed")["detail"]
        assert "ODYSSEY_ALLOWED_HOSTS" in detail
        assert answer.headers["x-request-id"]


def test_thousands_of_names_change_no_decision(named: Platform) -> None:
    with httpx.Client(base_url=named.url, trust_env=False, verify=False, timeout=60) as client:
        for number in range(600):
            foreign = client.get("/health", headers={"Host": f"{number}.elsewhere.example"})
            assert foreign.status_code == 421
        assert client.get("/health", headers={"Host": "odyssey.example"}).status_code == 200


@pytest.mark.parametrize(
    ("head", "status"),
    [
        (b"GET /health HTTP/1.0\r\n\r\n", b"200"),
        (b"GET /health HTTP/1.0\r\nHost: elsewhere.example\r\n\r\n", b"421"),
        (b"GET /health HTTP/1.1\r\nConnection: close\r\n\r\n", b"400"),
        (
            b"GET /health HTTP/1.1\r\nHost: localhost\r\nHost: elsewhere.example\r\nConnection: close\r\n\r\n",
            b"400",
        ),
        (
            b"GET http://localhost/health HTTP/1.1\r\nHost: elsewhere.example\r\nConnection: close\r\n\r\n",
            b"421",
        ),
    ],
)
def test_only_a_client_too_old_for_it_may_name_no_host(
    platform: Platform, head: bytes, status: bytes
) -> None:
    host, port = platform.url.removeprefix("http://").split(":")
    with socket.create_connection((host, int(port)), timeout=30) as connection:
        connection.sendall(head)
        answer = b""
        while chunk := connection.recv(65536):
            answer += chunk
    assert answer.split(b" ", 2)[1] == status

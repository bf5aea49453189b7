"""Clients that trickle hold nothing: hundreds of them at once, and the others are still served."""

import socket
from collections.abc import Callable, Iterator
from urllib.parse import urlsplit

import pytest
from conftest import NewDatabase
from support.agents import Behaviour, ScriptedAgent
from support.calls import open_run
from support.platform import Platform

SLOW_CLIENTS = 300


@pytest.fixture
def impatient(new_database: NewDatabase) -> Iterator[Platform]:
    platform = Platform(new_database(), receipt_seconds=3)
    yield platform
    platform.stop()


def test_hundreds_of_slow_clients_are_cut_off_while_others_are_served(
    impatient: Platform, agent_server: Callable[[Behaviour], ScriptedAgent]
) -> None:
    with open_run(impatient.new_org(), agent_server) as run:
        target = urlsplit(run.url)
        assert target.hostname is not None
        assert target.port is not None
        starts = (
            b"POST /api/odyssey-proxy/tools/list_orders HTTP/1.1\r\nHost: localhost\r\nX-Slow: ",
            f"POST {target.path}/tools/list_orders HTTP/1.1\r\nHost: localhost\r\n"
            f"X-Pipelines-Run-Token: {run.token}\r\nContent-Length: 1000\r\n\r\n{{".encode(),
            b"POST /api/agents HTTP/1.1\r\nHost: localhost\r\nContent-Type: application/json\r\n"
            b"Content-Length: 9000\r\n\r\n{",
        )
        connections = [socket.create_connection((target.hostname, target.port)) for _ in range(SLOW_CLIENTS)]
        for number, connection in enumerate(connections):
            connection.sendall(starts[number % len(starts)])
        served = [run.call("list_orders").status_code for _ in range(20)]
        assert served == [200] * 20
        for connection in connections:
            connection.settimeout(60)
            received = b""
            while chunk := connection.recv(4096):
                received += chunk
            assert received.startswith((b"HTTP/1.1 408", b"HTTP/1.1 401")), received[:100]
            connection.close()
        assert run.call("list_orders").status_code == 200

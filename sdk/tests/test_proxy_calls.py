"""A tool call through the SDK: what the agent sees, and when it is made again."""

import asyncio
import socket
import threading
from typing import Any

import pytest
from support.scripted_proxy import TOKEN, Scripted, answered, refused, scripted_proxy

from pipelines.odyssey import (
    Envelope,
    ProxyError,
    RunEndedError,
    acting_as,
    exchange,
    proxy_call,
    proxy_call_async,
    proxy_call_with,
    set_current,
)
from pipelines.odyssey.errors import NoEnvelopeError

BUSY = refused(503, "simulator_unavailable", retryable=True)


@pytest.fixture(autouse=True)
def waits(monkeypatch: pytest.MonkeyPatch) -> list[float]:
    """What would have been waited."""
    waited: list[float] = []

    async def pause_async(seconds: float) -> None:
        waited.append(seconds)

    monkeypatch.setattr(exchange, "_pause", waited.append)
    monkeypatch.setattr(exchange, "_pause_async", pause_async)
    return waited


@pytest.mark.parametrize("response", [{"status": "shipped"}, [1, 2], "pong", None, 3.5, False])
def test_the_agent_sees_the_response_and_nothing_else(response: Any) -> None:
    with scripted_proxy(answered(response)) as proxy, set_current(proxy.envelope()):
        assert proxy_call("get_order", {"order_id": "4521"}) == response
        [asked] = proxy.asked
        assert asked.path == "/api/odyssey-proxy/runs/17/tools/get_order"
        assert asked.headers["authorization"] == f"Bearer {TOKEN}"
        assert asked.body == {"order_id": "4521"}
        assert "x-pipelines-actor-id" not in asked.headers


def test_the_async_twin_does_the_same() -> None:
    async def call(envelope: Envelope) -> Any:
        with set_current(envelope):
            return await proxy_call_async("get_order")

    with scripted_proxy(BUSY, answered({"a": 1})) as proxy:
        assert asyncio.run(call(proxy.envelope())) == {"a": 1}
        assert asyncio.run(call(proxy.envelope())) == {"a": 1}, "a second loop has connections of its own"
        assert [asked.body for asked in proxy.asked] == [{}, {}, {}]


def test_what_was_not_applied_is_tried_four_times_with_growing_waits(waits: list[float]) -> None:
    with scripted_proxy(BUSY) as proxy, pytest.raises(ProxyError) as caught:
        proxy_call_with(proxy.envelope(), "get_order")
    assert len(proxy.asked) == 4
    assert (caught.value.status, caught.value.code) == (503, "simulator_unavailable")
    assert [0.5 <= waits[0] <= 1, 1 <= waits[1] <= 1.5, 2 <= waits[2] <= 2.5] == [True, True, True]
    assert len(waits) == 3


def test_a_simulator_that_took_too_long_did_nothing(waits: list[float]) -> None:
    late = refused(504, "simulator_timeout", retryable=True, Retry_After="2")
    with scripted_proxy(late, answered("ok")) as proxy:
        assert proxy_call_with(proxy.envelope(), "get_order") == "ok"
    assert waits == [2.0]


@pytest.mark.parametrize(("asked_for", "waited"), [("3", 3.0), ("7", 4.0), ("3600", 4.0)])
def test_the_wait_that_was_asked_for_is_kept_up_to_four_seconds(
    waits: list[float], asked_for: str, waited: float
) -> None:
    limited = refused(429, "rate_limited", retryable=True, Retry_After=asked_for)
    with scripted_proxy(limited, answered("ok")) as proxy:
        assert proxy_call_with(proxy.envelope(), "get_order") == "ok"
    assert waits == [waited]


@pytest.mark.parametrize(
    "answer",
    [
        refused(422, "arguments_invalid"),
        refused(404, "tool_unknown"),
        refused(503, "simulator_unavailable", retryable=False),
        Scripted(504, b"<html>gateway</html>"),
        Scripted(500, b""),
        Scripted(200, b"\xff\x00garbage"),
        Scripted(200, {"no": "envelope"}),
    ],
)
def test_what_may_have_been_applied_is_never_sent_twice(answer: Scripted) -> None:
    with scripted_proxy(answer) as proxy, pytest.raises(ProxyError) as caught:
        proxy_call_with(proxy.envelope(), "get_order")
    assert len(proxy.asked) == 1
    assert not caught.value.retryable


def test_an_edge_that_is_too_busy_did_nothing() -> None:
    with scripted_proxy(Scripted(429, b"slow down"), Scripted(503, b""), answered(1)) as proxy:
        assert proxy_call_with(proxy.envelope(), "get_order") == 1


def test_a_connection_that_is_lost_after_the_call_left_is_not_tried_again() -> None:
    listener = socket.create_server(("127.0.0.1", 0))
    connections: list[int] = []

    def serve() -> None:
        while True:
            try:
                peer, _ = listener.accept()
            except OSError:
                return
            connections.append(1)
            peer.recv(65536)
            peer.close()

    thread = threading.Thread(target=serve, daemon=True)
    thread.start()
    envelope = Envelope(proxy_url=f"http://127.0.0.1:{listener.getsockname()[1]}", run_token=TOKEN)
    with pytest.raises(ProxyError) as caught:
        proxy_call_with(envelope, "refund_order")
    listener.shutdown(socket.SHUT_RDWR)
    listener.close()
    thread.join()
    assert (caught.value.status, caught.value.code) == (None, "proxy_connection_lost")
    assert len(connections) == 1


def test_a_proxy_that_is_not_there_is_tried_four_times(waits: list[float]) -> None:
    with socket.create_server(("127.0.0.1", 0)) as taken:
        port = taken.getsockname()[1]
    with pytest.raises(ProxyError) as caught:
        proxy_call_with(Envelope(proxy_url=f"http://127.0.0.1:{port}", run_token=TOKEN), "get_order")
    assert caught.value.code == "proxy_unreachable"
    assert len(waits) == 3


def test_the_end_of_the_run_is_an_error_of_its_own_and_hides_the_token() -> None:
    over = refused(401, "run_token_revoked", detail=f"The token {TOKEN} is no longer good.")
    with scripted_proxy(over) as proxy, pytest.raises(RunEndedError) as caught:
        proxy_call_with(proxy.envelope(), "get_order")
    assert TOKEN not in str(caught.value)
    assert caught.value.code == "run_token_revoked"


def test_faults_of_the_arguments_are_listed() -> None:
    problem = {
        "detail": "The arguments do not fit.",
        "code": "arguments_invalid",
        "errors": [{"loc": ["order_id"], "msg": "is missing"}],
    }
    with scripted_proxy(Scripted(422, problem)) as proxy, pytest.raises(ProxyError) as caught:
        proxy_call_with(proxy.envelope(), "get_order")
    assert str(caught.value) == "The arguments do not fit.\n  order_id: is missing"
    assert caught.value.errors == ({"loc": ["order_id"], "msg": "is missing"},)


def test_calls_are_attributed_to_whoever_acts() -> None:
    with scripted_proxy(answered(1)) as proxy, set_current(proxy.envelope()):
        with acting_as("supervisor"):
            proxy_call("a")
            with acting_as("supervisor/refunds"):
                proxy_call("b", {"actor_id": "an ordinary argument"})
            proxy_call("c", actor_id="supervisor/named")
        proxy_call("d")
    actors = [asked.headers.get("x-pipelines-actor-id") for asked in proxy.asked]
    assert actors == ["supervisor", "supervisor/refunds", "supervisor/named", None]
    assert proxy.asked[1].body == {"actor_id": "an ordinary argument"}


@pytest.mark.parametrize("actor", ["", "a b", "a//b", "/a", "a/", "x" * 65, "/".join("abcdefghi"), "ä"])
def test_a_label_the_proxy_would_refuse_is_refused_here(actor: str) -> None:
    with pytest.raises(ValueError, match="is not an actor id"), acting_as(actor):
        pass


def test_a_name_cannot_leave_its_place_in_the_address() -> None:
    with scripted_proxy(answered(1)) as proxy:
        proxy_call_with(proxy.envelope(), "../traces/custom?x=1")
    assert proxy.asked[0].path == "/api/odyssey-proxy/runs/17/tools/..%2Ftraces%2Fcustom%3Fx%3D1"


def test_outside_a_run_the_error_says_what_to_do() -> None:
    with pytest.raises(NoEnvelopeError, match="set_current"):
        proxy_call("get_order")


def test_a_thread_of_its_own_starts_unbound() -> None:
    seen: list[object] = []

    def work() -> None:
        try:
            proxy_call("get_order")
        except NoEnvelopeError as error:
            seen.append(error)

    with scripted_proxy(answered(1)) as proxy, set_current(proxy.envelope()):
        thread = threading.Thread(target=work)
        thread.start()
        thread.join()
    assert len(seen) == 1
    assert proxy.asked == []


@pytest.mark.parametrize("args", [{"x": float("nan")}, {"x": object()}])
def test_arguments_that_are_no_json_never_leave(args: dict[str, Any]) -> None:
    with scripted_proxy(answered(1)) as proxy, pytest.raises((TypeError, ValueError)):
        proxy_call_with(proxy.envelope(), "get_order", args)
    assert proxy.asked == []

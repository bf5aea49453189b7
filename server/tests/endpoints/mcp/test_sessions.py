"""Sessions with MCP servers: one per run, shared by its calls, and nothing left when it is over."""

import asyncio
import threading
from collections import Counter
from collections.abc import Iterator
from typing import Any

import pytest
from support.mcp_asking import asking, until
from support.mcp_peers import INITIALIZED, TEXT_RESULT, Context, Exchange, RawPeer, SdkPeer, text

from odyssey.endpoints.mcp.session import McpSessions
from odyssey.endpoints.mcp.upstream import McpUpstream
from odyssey.endpoints.upstream import Answered, Forwarded, NotAnswered

TOGETHER = 10


class CountingPeer(SdkPeer):
    """A server of the older version with a memory per session."""

    def __init__(self) -> None:
        self.counts: Counter[str] = Counter()
        self.waiting = 0
        self.all_there = asyncio.Event()
        super().__init__({"count": self._count, "meet": self._meet, "wait": self._wait}, is_old=True)

    def _count(self, ctx: Context, _: dict[str, Any]) -> Any:
        session = ctx.request.headers["mcp-session-id"]  # type: ignore[union-attr]
        self.counts[session] += 1
        return text(f"call {self.counts[session]}")

    async def _meet(self, ctx: Context, _: dict[str, Any]) -> Any:
        self.waiting += 1
        if self.waiting == TOGETHER:
            self.all_there.set()
        await self.all_there.wait()
        return text(ctx.request.headers["mcp-session-id"])  # type: ignore[union-attr]

    async def _wait(self, *_: Any) -> Any:
        self.waiting += 1
        await asyncio.Event().wait()

    @property
    def opened(self) -> int:
        """How many sessions there have been."""
        return sum(
            method == "POST" and "mcp-protocol-version" not in headers for method, headers in self.requests
        )


@pytest.fixture
def peer() -> Iterator[CountingPeer]:
    with CountingPeer() as peer:
        yield peer


def silence(exchange: Exchange) -> None:
    exchange.over.wait()


async def count(upstream: McpUpstream, session: str) -> Any:
    answer = await upstream.call("count", {}, session=session)
    assert isinstance(answer, Answered), answer
    return answer.response


def test_runs_have_sessions_apart_and_a_run_keeps_its_own(peer: CountingPeer) -> None:
    async def work(upstream: McpUpstream, sessions: McpSessions) -> None:
        assert [await count(upstream, run) for run in ("a", "b", "a", "a", "b")] == [
            "call 1",
            "call 1",
            "call 2",
            "call 3",
            "call 2",
        ]
        assert len(peer.open_sessions) == 2
        await sessions.end("a")
        assert len(peer.open_sessions) == 1
        assert await count(upstream, "b") == "call 3"
        assert await count(upstream, "a") == "call 1"

    asking(peer.url, work)
    assert peer.open_sessions == []
    assert peer.opened == 3


def test_calls_at_the_same_time_share_the_session_and_do_not_wait_for_each_other(peer: CountingPeer) -> None:
    async def work(upstream: McpUpstream, sessions: McpSessions) -> list[Forwarded]:
        return await asyncio.gather(*[upstream.call("meet", {}, session="a") for _ in range(TOGETHER)])

    answers = asking(peer.url, work)
    assert len(set(answers)) == 1
    assert isinstance(answers[0], Answered)
    assert peer.opened == 1


def test_the_same_server_with_another_secret_is_another_session(peer: CountingPeer) -> None:
    async def work(upstream: McpUpstream, sessions: McpSessions) -> None:
        other = McpUpstream(sessions, peer.url, {"Authorization": "Bearer other"})
        assert await count(upstream, "a") == "call 1"
        assert await count(other, "a") == "call 1"
        await sessions.end("a")

    asking(peer.url, work)
    assert peer.opened == 2


def test_a_session_without_calls_is_closed(peer: CountingPeer) -> None:
    async def work(upstream: McpUpstream, sessions: McpSessions) -> None:
        await count(upstream, "a")
        await until(lambda: len(peer.open_sessions) == 0)
        assert await count(upstream, "a") == "call 1"

    asking(peer.url, work, max_idle_s=0.01)


def test_one_session_too_many_closes_the_one_unused_for_longest(peer: CountingPeer) -> None:
    async def work(upstream: McpUpstream, sessions: McpSessions) -> None:
        assert [await count(upstream, run) for run in ("a", "b", "a", "c", "a")] == [
            "call 1",
            "call 1",
            "call 2",
            "call 1",
            "call 3",
        ]
        await until(lambda: len(peer.open_sessions) == 2)
        assert await count(upstream, "b") == "call 1"

    asking(peer.url, work, max_open=2)


def test_a_session_in_use_is_not_closed_for_another(peer: CountingPeer) -> None:
    async def work(upstream: McpUpstream, sessions: McpSessions) -> None:
        waiting = asyncio.create_task(upstream.call("wait", {}, session="a"))
        await until(lambda: peer.waiting == 1)
        refused = await upstream.call("count", {}, session="b")
        assert isinstance(refused, NotAnswered)
        assert (refused.code, refused.outcome) == ("upstream_unreachable", "not_sent")
        waiting.cancel()
        with pytest.raises(asyncio.CancelledError):
            await waiting
        assert await count(upstream, "b") == "call 1"

    asking(peer.url, work, max_open=1)


def test_a_call_that_is_given_up_leaves_the_session_to_the_others(peer: CountingPeer) -> None:
    async def work(upstream: McpUpstream, sessions: McpSessions) -> None:
        assert await count(upstream, "a") == "call 1"
        waiting = asyncio.create_task(upstream.call("wait", {}, session="a"))
        await until(lambda: peer.waiting == 1)
        waiting.cancel()
        assert await count(upstream, "a") == "call 2"

    asking(peer.url, work)
    assert peer.opened == 1


def test_the_end_of_a_run_ends_its_calls(peer: CountingPeer) -> None:
    async def work(upstream: McpUpstream, sessions: McpSessions) -> Forwarded:
        waiting = asyncio.create_task(upstream.call("wait", {}, session="a"))
        await until(lambda: peer.waiting == 1)
        await sessions.end("a")
        return await waiting

    answer = asking(peer.url, work)
    assert isinstance(answer, NotAnswered)
    assert (answer.code, answer.outcome) == ("upstream_connection_lost", "unknown")


def test_discovery_and_a_call_by_hand_leave_no_session(peer: CountingPeer) -> None:
    async def work(upstream: McpUpstream, sessions: McpSessions) -> None:
        await upstream.discover()
        assert peer.open_sessions == []
        for _ in range(2):
            assert await count(upstream, "") == "call 1"
            assert peer.open_sessions == []

    asking(peer.url, work)


def test_a_call_by_hand_may_fail() -> None:
    async def work(upstream: McpUpstream, sessions: McpSessions) -> list[Forwarded]:
        return [await upstream.call("echo", {}, session="") for _ in range(2)]

    with RawPeer(tools_call=lambda exchange: exchange.reply(200, b"junk")) as peer:
        answers = asking(peer.url, work)
        assert [answer.code for answer in answers if isinstance(answer, NotAnswered)] == [
            "upstream_protocol_error"
        ] * 2
        assert peer.deleted == ["s-1", "s-1"]


def test_the_end_of_odyssey_ends_calls_and_leaves_nothing(peer: CountingPeer) -> None:
    async def work(upstream: McpUpstream, sessions: McpSessions) -> list[Forwarded]:
        calls = [asyncio.create_task(upstream.call("wait", {}, session=run)) for run in ("a", "b", "")]
        await until(lambda: peer.waiting == 3)
        await sessions.close()
        return await asyncio.gather(*calls)

    for answer in asking(peer.url, work):
        assert isinstance(answer, NotAnswered)
        assert (answer.code, answer.outcome) == ("upstream_connection_lost", "unknown")
    assert peer.open_sessions == []


def test_a_session_the_server_forgot_is_opened_anew_and_the_call_made_once(peer: CountingPeer) -> None:
    async def work(upstream: McpUpstream, sessions: McpSessions) -> None:
        assert await count(upstream, "a") == "call 1"
        peer.drop_sessions()
        answers = await asyncio.gather(*[count(upstream, "a") for _ in range(4)])
        assert sorted(answers) == ["call 1", "call 2", "call 3", "call 4"]

    asking(peer.url, work)
    assert len(peer.calls) == 5
    assert peer.opened == 2


def test_a_server_that_forgets_every_session_is_asked_twice_and_no_more() -> None:
    def forget(exchange: Exchange) -> None:
        exchange.reply(404, b"who?", kind="text/plain")

    async def work(upstream: McpUpstream, sessions: McpSessions) -> Forwarded:
        return await upstream.call("echo", {}, session="a")

    with RawPeer(tools_call=forget) as peer:
        answer = asking(peer.url, work)
        assert isinstance(answer, NotAnswered)
        assert (answer.code, answer.status) == ("upstream_protocol_error", 404)
        assert (peer.sent("tools/call"), peer.sent("initialize")) == (2, 2)


def test_a_404_where_there_is_no_session_is_not_sent_again() -> None:
    async def work(upstream: McpUpstream, sessions: McpSessions) -> Forwarded:
        return await upstream.call("echo", {}, session="a")

    with RawPeer(session_id=None, tools_call=lambda e: e.reply(404, b"who?", kind="text/plain")) as peer:
        assert isinstance(asking(peer.url, work), NotAnswered)
        assert peer.sent("tools/call") == 1


def test_a_call_that_fails_below_the_protocol_does_not_end_the_others() -> None:
    """One answer is cut off, one is too large, one is junk, while a fourth call of the session waits."""
    release: list[Exchange] = []

    def answer(exchange: Exchange) -> None:
        match exchange.message["params"]["name"]:
            case "slow":
                exchange.head(200, "Content-Type: text/event-stream")
                release.append(exchange)
                exchange.over.wait()
            case "cut":
                exchange.head(200, "Content-Type: application/json", "Content-Length: 100")
                exchange.write(b"{")
            case "large":
                exchange.head(200, "Content-Type: text/event-stream")
                exchange.write(b"data: " + b"x" * 2_000_000)
            case "junk":
                exchange.reply(200, b"junk")

    async def work(upstream: McpUpstream, sessions: McpSessions) -> list[Forwarded]:
        slow = asyncio.create_task(upstream.call("slow", {}, session="a"))
        await until(lambda: bool(release))
        answers = [await upstream.call(name, {}, session="a") for name in ("cut", "large", "junk")]
        release[0].event(release[0].encoded(result=TEXT_RESULT))
        return [*answers, await slow]

    with RawPeer(tools_call=answer) as peer:
        answers = asking(peer.url, work)
    codes = [each.code if isinstance(each, NotAnswered) else each for each in answers]
    assert codes == [
        "upstream_connection_lost",
        "upstream_body_too_large",
        "upstream_protocol_error",
        Answered("done"),
    ]


def test_a_session_that_could_not_be_opened_is_tried_again_by_the_next_call() -> None:
    tries = iter(range(10))

    def initialize(exchange: Exchange) -> None:
        if next(tries) == 0:
            exchange.reply(503, b"later", kind="text/plain")
        else:
            exchange.result({**INITIALIZED, "protocolVersion": "2025-06-18"})

    async def work(upstream: McpUpstream, sessions: McpSessions) -> list[Forwarded]:
        return [await upstream.call("echo", {}, session="a") for _ in range(2)]

    with RawPeer(initialize=initialize) as peer:
        first, second = asking(peer.url, work)
        assert first == NotAnswered("upstream_5xx", "The service answered 503.", "not_sent", 503)
        assert second == Answered("done")
        assert peer.sent("tools/call") == 1


def test_the_end_of_a_run_ends_a_handshake_under_way() -> None:
    with RawPeer(initialize=silence) as server:

        async def work(upstream: McpUpstream, sessions: McpSessions) -> Forwarded:
            calling = asyncio.create_task(upstream.call("echo", {}, session="a"))
            await until(lambda: server.sent("initialize") == 1)
            await sessions.end("a")
            return await calling

        answer = asking(server.url, work)
        assert isinstance(answer, NotAnswered)
        assert (answer.code, answer.outcome) == ("upstream_connection_lost", "not_sent")
        assert server.sent("tools/call") == 0


def test_who_opened_a_session_may_leave_before_it_is_open() -> None:
    is_open = threading.Event()

    def initialize(exchange: Exchange) -> None:
        is_open.wait()
        exchange.result(INITIALIZED)

    with RawPeer(initialize=initialize) as server:

        async def work(upstream: McpUpstream, sessions: McpSessions) -> Forwarded:
            first, second = [asyncio.create_task(upstream.call("echo", {}, session="a")) for _ in range(2)]
            await until(lambda: server.sent("initialize") == 1)
            first.cancel()
            with pytest.raises(asyncio.CancelledError):
                await first
            is_open.set()
            return await second

        assert asking(server.url, work) == Answered("done")
        assert (server.sent("initialize"), server.sent("tools/call")) == (1, 1)


def test_after_the_end_nothing_is_opened() -> None:
    async def work(upstream: McpUpstream, sessions: McpSessions) -> Forwarded:
        await sessions.close()
        return await upstream.call("echo", {}, session="a")

    with RawPeer() as peer:
        answer = asking(peer.url, work)
        assert isinstance(answer, NotAnswered)
        assert answer.outcome == "not_sent"
        assert peer.connects == 0


def test_a_session_is_told_its_end_and_opens_no_stream_of_its_own() -> None:
    async def work(upstream: McpUpstream, sessions: McpSessions) -> None:
        await upstream.call("echo", {}, session="a")
        await sessions.end("a")

    with RawPeer() as peer:
        asking(peer.url, work)
        assert peer.deleted == ["s-1"]
        assert peer.gets == 0

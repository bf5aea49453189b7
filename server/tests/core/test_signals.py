"""Wake-ups: none is missed between two looks, and a busy topic wakes its listener only now and then."""

import asyncio
import time
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from typing import Any

import asyncpg
from support.postgres import new_postgres_database

from odyssey.core.database import Database
from odyssey.core.signals import Listener, Relay, Signals

LONG_S = 60.0


async def is_woken(listener: Listener) -> bool:
    """Whether there was news already: then it does not take until the time is over."""
    waiting = asyncio.ensure_future(listener.wait(LONG_S))
    for _ in range(5):
        await asyncio.sleep(0)
    if waiting.done():
        return True
    waiting.cancel()
    return False


def test_what_is_notified_between_two_waits_is_heard_once() -> None:
    async def check() -> None:
        signals, listener = Signals(), Listener()
        with signals.listen("topic", listener):
            assert not await is_woken(listener)
            signals.notify("topic")
            signals.notify("topic")
            signals.notify("another")
            assert await is_woken(listener)
            assert not await is_woken(listener)
        signals.notify("topic")
        assert not await is_woken(listener)

    asyncio.run(check())


def test_whoever_notifies_need_not_hear_it() -> None:
    async def check() -> None:
        signals, own, other = Signals(), Listener(), Listener()
        with signals.listen("topic", own), signals.listen("topic", other):
            signals.notify("topic", apart_from=own)
            assert not await is_woken(own)
            assert await is_woken(other)

    asyncio.run(check())


def test_a_busy_topic_wakes_its_listener_at_once_and_then_only_after_the_pause() -> None:
    async def check() -> None:
        signals, listener = Signals(), Listener(pause_s=LONG_S)
        with signals.listen("topic", listener):
            signals.notify("topic")
            assert await is_woken(listener)
            signals.notify("topic")
            assert not await is_woken(listener)

    asyncio.run(check())


def test_a_wait_ends_with_its_time() -> None:
    async def check() -> None:
        await Listener().wait(0.0)
        await Listener(pause_s=LONG_S).wait(0.0)
        await Signals().wait("topic", 0.0)

    asyncio.run(check())


def test_closing_wakes_everybody() -> None:
    async def check() -> None:
        signals, listener = Signals(), Listener()
        with signals.listen("topic", listener):
            signals.close()
            assert await is_woken(listener)
        await signals.wait("topic", LONG_S)

    asyncio.run(check())


class BreakingDatabase(Database):
    """Its connection for the relay cannot be used at first, in a way the driver knows and in one that nobody does."""

    def __init__(self, url: str) -> None:
        super().__init__(url)
        self.faults = [
            ZeroDivisionError("a mistake of ours"),
            asyncpg.InternalClientError("cannot switch to state 12"),
        ]

    @asynccontextmanager
    async def own_connection(self, name: str) -> AsyncIterator[Any]:
        async with super().own_connection(name) as connection:
            if self.faults:
                raise self.faults.pop()
            yield connection


def test_processes_hear_of_each_other_again_whatever_broke_the_connection(postgres_server: str) -> None:
    url = new_postgres_database(postgres_server, f"signals_{time.monotonic_ns()}")

    async def check() -> None:
        breaking, other = BreakingDatabase(url), Database(url)
        heard, said = Listener(), Signals()
        signals = Signals()
        relays = Relay(breaking, signals), Relay(other, said)
        with signals.listen("news", heard):
            for relay in relays:
                relay.start()
            while not await heard.wait(0.05) or breaking.faults:
                pass  # whoever connects anew has everybody look again
            while not await heard.wait(0.05):
                said.announce("news")
        for relay in relays:
            await relay.stop()
        await breaking.close()
        await other.close()

    asyncio.run(check())

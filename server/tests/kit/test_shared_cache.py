"""The shared cache: bounded by size, makes each value once, survives a maker that fails or leaves."""

import asyncio

import pytest

from odyssey.kit.caches import SharedCache


def test_the_least_recently_used_goes_when_room_is_needed() -> None:
    made: list[str] = []

    async def check() -> None:
        cache: SharedCache[str, str] = SharedCache(10)

        async def get(key: str, size: int) -> str:
            async def make() -> tuple[str, int]:
                made.append(key)
                return key.upper(), size

            return await cache.get(key, make)

        assert await get("a", 4) == "A"
        await get("b", 4)
        await get("a", 4)
        await get("c", 4)
        assert (len(cache), cache.size) == (2, 8)
        await get("a", 4)
        await get("b", 4)
        assert made == ["a", "b", "c", "b"]
        await get("too large", 11)
        await get("too large", 11)
        assert made[-2:] == ["too large"] * 2
        assert (len(cache), cache.size) == (2, 8)

    asyncio.run(check())


def test_who_asks_meanwhile_waits_and_gets_the_same() -> None:
    async def check() -> None:
        cache: SharedCache[str, object] = SharedCache(10)
        made = 0

        async def make() -> tuple[object, int]:
            nonlocal made
            made += 1
            await asyncio.sleep(0.01)
            return object(), 1

        found = await asyncio.gather(*(cache.get("key", make) for _ in range(20)))
        assert made == 1
        assert len(set(map(id, found))) == 1

    asyncio.run(check())


def test_if_the_maker_fails_or_leaves_another_makes_it() -> None:
    async def check() -> None:
        cache: SharedCache[str, str] = SharedCache(10)
        begun = asyncio.Event()

        async def hang() -> tuple[str, int]:
            begun.set()
            await asyncio.sleep(60)
            raise AssertionError

        async def fail() -> tuple[str, int]:
            raise ValueError("broken")

        async def make() -> tuple[str, int]:
            return "made", 1

        hanging = asyncio.create_task(cache.get("key", hang))
        await begun.wait()
        failing = asyncio.create_task(cache.get("key", fail))
        making = asyncio.create_task(cache.get("key", make))
        await asyncio.sleep(0)
        hanging.cancel()
        with pytest.raises(ValueError, match="broken"):
            await failing
        assert await making == "made"

    asyncio.run(check())

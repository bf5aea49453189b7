"""Work that shares a transaction: what fails takes nothing of the others with it, and everybody gets a turn."""

import asyncio
import random
from collections.abc import Callable, Coroutine
from typing import Any

import pytest
from sqlalchemy import Connection, insert, select

import odyssey.main  # noqa: F401 - it imports every room, and so every table
from odyssey.core.database import Database
from odyssey.core.group_commit import GroupWriter, group_writer
from odyssey.core.migrate import migrate
from odyssey.core.tables import table_of
from odyssey.runs.models import Lane

pytestmark = pytest.mark.both_databases

NewDatabase = Callable[[], str]

LANES = table_of(Lane)


def adding(name: str) -> Callable[[Connection], str]:
    def work(connection: Connection) -> str:
        connection.execute(insert(LANES), [{"id": name, "most_at_once": 1}])
        return name

    return work


def failing(name: str) -> Callable[[Connection], None]:
    def work(connection: Connection) -> None:
        adding(name)(connection)
        raise LookupError(name)

    return work


async def names(database: Database) -> set[str]:
    async with database.read() as session:
        return set(await session.scalars(select(LANES.c.id)))


def with_writer(url: str, act: Callable[[Database, GroupWriter], Coroutine[Any, Any, None]]) -> None:
    async def run() -> None:
        database = Database(url)
        await migrate(database)
        writer = group_writer(database)
        try:
            await act(database, writer)
        finally:
            await writer.close()
            await database.close()

    asyncio.run(run())


def test_work_that_fails_takes_nothing_of_the_others_with_it(new_database: NewDatabase) -> None:
    async def act(database: Database, writer: GroupWriter) -> None:
        await writer.do(adding("there"))
        results = await asyncio.gather(
            writer.do(adding("first")),
            writer.do(failing("second")),
            writer.do(adding("there")),
            writer.do(adding("fourth")),
            return_exceptions=True,
        )
        assert [type(result).__name__ for result in results] == [
            "str",
            "LookupError",
            "IntegrityError",
            "str",
        ]
        assert await names(database) == {"there", "first", "fourth"}

    with_writer(new_database(), act)


def test_work_is_durable_when_it_returns(new_database: NewDatabase) -> None:
    async def act(database: Database, writer: GroupWriter) -> None:
        for number in range(5):
            assert await writer.do(adding(str(number))) == str(number)
            assert str(number) in await names(database)

    with_writer(new_database(), act)


def test_sessions_and_work_take_turns(new_database: NewDatabase) -> None:
    async def act(database: Database, writer: GroupWriter) -> None:
        async def by_session(name: str) -> None:
            async with database.write() as session:
                session.add(Lane(id=name, most_at_once=1))
                await session.flush()
                await asyncio.sleep(0)  # let others try while this one writes

        async def by_work(name: str) -> None:
            await writer.do(adding(name))

        acts = [by_session(f"session {n}") if n % 2 else by_work(f"work {n}") for n in range(40)]
        await asyncio.gather(*acts)
        assert len(await names(database)) == 40
        assert not database.turn.locked()

    with_writer(new_database(), act)


def test_a_session_that_fails_passes_its_turn_on(new_database: NewDatabase) -> None:
    async def act(database: Database, writer: GroupWriter) -> None:
        async def fail() -> None:
            async with database.write() as session:
                session.add(Lane(id="lost", most_at_once=1))
                await session.flush()
                raise LookupError

        with pytest.raises(LookupError):
            await fail()
        await writer.do(adding("next"))
        assert await names(database) == {"next"}

    with_writer(new_database(), act)


def test_sessions_cut_off_at_any_moment_leave_the_database_open_to_others(new_database: NewDatabase) -> None:
    """A cancelled request may be anywhere: waiting for its turn, in a statement, on the way to the disk."""
    draw = random.Random(8)
    wanted = 150

    async def write(database: Database, name: str) -> None:
        async with database.write() as session:
            for part in "abc":
                await session.execute(insert(LANES), [{"id": f"{name} {part}", "most_at_once": 1}])

    async def act(database: Database, writer: GroupWriter) -> None:
        cut_off = [asyncio.create_task(write(database, f"cut {number}")) for number in range(wanted)]
        kept = [asyncio.create_task(write(database, f"kept {number}")) for number in range(20)]
        work = [asyncio.create_task(writer.do(adding(f"work {number}"))) for number in range(wanted)]
        for task in cut_off:
            for _ in range(draw.randrange(12)):
                await asyncio.sleep(0)
            task.cancel()
        results = await asyncio.gather(*kept, *work, *cut_off, return_exceptions=True)
        assert [result for result in results if isinstance(result, Exception)] == []
        found = await names(database)
        whole = {f"kept {number} {part}" for number in range(20) for part in "abc"}
        assert whole | {f"work {number}" for number in range(wanted)} <= found
        halves = [sum(f"cut {number} {part}" in found for part in "abc") for number in range(wanted)]
        assert set(halves) <= {0, 3}
        await write(database, "last")

    with_writer(new_database(), act)

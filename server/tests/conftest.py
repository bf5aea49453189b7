"""Fixtures of the server's tests: every database, a running platform on each, an organisation per test."""

import asyncio
import os
import shutil
from collections.abc import Callable, Iterator
from itertools import count

import pytest
from support.agents import Behaviour, ScriptedAgent
from support.platform import Org, Platform
from support.postgres import copy_postgres_database, new_postgres_database, postgres
from support.sqlite import sqlite_file

from odyssey.core.database import Database
from odyssey.core.migrate import migrate

DATABASES = ("sqlite", "postgres")
NewDatabase = Callable[[], str]
_NUMBERS = count()
"""Of databases in this process: a worker may come back to Postgres after tests on SQLite."""


@pytest.hookimpl(tryfirst=True)  # before what is marked is left out
def pytest_collection_modifyitems(items: list[pytest.Item]) -> None:
    """Ask Postgres in every run only where its answer can differ; `make test-full` asks it everything."""
    for item in items:
        callspec = getattr(item, "callspec", None)
        on_postgres = callspec is not None and callspec.params.get("empty_database") == "postgres"
        if on_postgres and item.get_closest_marker("both_databases") is None:
            item.add_marker(pytest.mark.full)


@pytest.fixture(scope="session")
def postgres_server() -> Iterator[str]:
    with postgres() as uri:
        yield uri


@pytest.fixture(scope="session", params=DATABASES)
def empty_database(request: pytest.FixtureRequest, tmp_path_factory: pytest.TempPathFactory) -> NewDatabase:
    """Make a database without tables; every test that uses it runs on both kinds, see the marker `both_databases`."""
    if request.param == "sqlite":
        folder = tmp_path_factory.mktemp("sqlite")
        return lambda: f"sqlite+aiosqlite:///{folder / f'{next(_NUMBERS)}.db'}"
    uri: str = request.getfixturevalue("postgres_server")
    return lambda: new_postgres_database(uri, f"test_{os.getpid()}_{next(_NUMBERS)}")


@pytest.fixture(scope="session")
def new_database(empty_database: NewDatabase) -> NewDatabase:
    """Make a database without rows: a copy of one that was migrated, which is what most of starting a server takes."""
    migrated = empty_database()
    asyncio.run(_make_tables(migrated))

    def copy() -> str:
        if not migrated.startswith("sqlite"):
            return copy_postgres_database(migrated, f"test_{os.getpid()}_{next(_NUMBERS)}")
        url = empty_database()
        shutil.copy(sqlite_file(migrated), sqlite_file(url))
        return url

    return copy


async def _make_tables(url: str) -> None:
    database = Database(url)
    await migrate(database)
    await database.close()


@pytest.fixture(scope="session")
def platform(new_database: NewDatabase) -> Iterator[Platform]:
    platform = Platform(new_database())
    yield platform
    platform.stop()


@pytest.fixture
def org(platform: Platform) -> Iterator[Org]:
    org = platform.new_org()
    yield org
    org.client.close()


@pytest.fixture
def other_org(platform: Platform) -> Iterator[Org]:
    org = platform.new_org()
    yield org
    org.client.close()


@pytest.fixture
def agent_server() -> Iterator[Callable[[Behaviour], ScriptedAgent]]:
    """Start agents that end with the test."""
    started: list[ScriptedAgent] = []

    def start(behaviour: Behaviour) -> ScriptedAgent:
        started.append(ScriptedAgent(behaviour))
        return started[-1]

    yield start
    for agent in started:
        agent.stop()

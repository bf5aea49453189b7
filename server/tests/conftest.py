"""Fixtures of the server's tests: every database, a running platform on each, an organisation per test."""

import os
from collections.abc import Callable, Iterator

import pytest
from hypothesis import settings
from support.agents import Behaviour, ScriptedAgent
from support.platform import Org, Platform
from support.postgres import new_postgres_database, postgres

settings.register_profile("no time limits", deadline=None)  # a slow machine is not a fault
settings.load_profile("no time limits")

DATABASES = ("sqlite", "postgres")
ON_POSTGRES_IN_FULL = frozenset(
    {
        "test_access.py",
        "test_agent_addresses.py",
        "test_agents_http.py",
        "test_bad_input.py",
        "test_bad_requests.py",
        "test_behaviours_http.py",
        "test_bindings.py",
        "test_datasets_http.py",
        "test_discovery.py",
        "test_edits.py",
        "test_endpoints.py",
        "test_entities.py",
        "test_growth.py",
        "test_hostile_agents.py",
        "test_hostile_messages.py",
        "test_hosts.py",
        "test_imports.py",
        "test_judge.py",
        "test_llm_engine.py",
        "test_network_faults.py",
        "test_openapi.py",
        "test_programs_http.py",
        "test_settings_http.py",
        "test_tenancy.py",
        "test_trace_events.py",
        "test_trying.py",
        "test_uploads.py",
        "test_wire.py",
    }
)
"""Families of cases that differ in the request, while the statements they lead to are few and tested elsewhere."""

NewDatabase = Callable[[], str]


@pytest.hookimpl(tryfirst=True)  # before what is marked is left out
def pytest_collection_modifyitems(items: list[pytest.Item]) -> None:
    """Ask such a family of SQLite in every run of the tests, and of both databases in `make test-full`."""
    for item in items:
        if item.path.name in ON_POSTGRES_IN_FULL and "[postgres" in item.name:
            item.add_marker(pytest.mark.full)


@pytest.fixture(scope="session")
def postgres_server() -> Iterator[str]:
    with postgres() as uri:
        yield uri


@pytest.fixture(scope="session", params=DATABASES)
def new_database(request: pytest.FixtureRequest, tmp_path_factory: pytest.TempPathFactory) -> NewDatabase:
    """Make an empty database of one kind; every test that uses it runs on both."""
    numbers = iter(range(10_000))
    if request.param == "sqlite":
        folder = tmp_path_factory.mktemp("sqlite")
        return lambda: f"sqlite+aiosqlite:///{folder / f'{next(numbers)}.db'}"
    uri: str = request.getfixturevalue("postgres_server")
    return lambda: new_postgres_database(uri, f"test_{os.getpid()}_{next(numbers)}")


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

"""The pytest plugin: a platform for the session, and per test the fixture `odyssey`.

pytest loads this module in every session of everybody who has the server installed, so it imports nothing of it:
the platform is loaded by the first test that asks for it.
"""

from collections.abc import Generator, Iterator
from importlib import import_module
from typing import TYPE_CHECKING

import pytest

if TYPE_CHECKING:
    from odyssey.testing.platform import LocalPlatform
    from odyssey.testing.world import Odyssey

_USED: "pytest.StashKey[Odyssey]" = pytest.StashKey()


@pytest.fixture(scope="session")
def odyssey_platform(tmp_path_factory: pytest.TempPathFactory) -> "Iterator[LocalPlatform]":
    """The whole platform in this process, on a free port of this machine, with an empty database."""
    start = import_module("odyssey.testing.platform").LocalPlatform
    platform: LocalPlatform = start(tmp_path_factory.mktemp("odyssey"))
    try:
        yield platform
    finally:
        platform.stop()


@pytest.fixture
def odyssey(odyssey_platform: "LocalPlatform", request: pytest.FixtureRequest) -> "Iterator[Odyssey]":
    """Make worlds, run an agent in them, and read what it did: `odyssey.world(tools=…, state=…)`."""
    given: Odyssey = import_module("odyssey.testing.world").Odyssey(odyssey_platform)
    request.node.stash[_USED] = given
    try:
        yield given
    finally:
        given.close()


@pytest.hookimpl(wrapper=True)
def pytest_runtest_makereport(
    item: pytest.Item,
) -> Generator[None, pytest.TestReport, pytest.TestReport]:
    """Show under a test that failed what its runs did."""
    report = yield
    used = item.stash.get(_USED, None)
    if used is not None and used.runs and report.when == "call" and report.failed:
        report.sections.append(("odyssey runs", used.report()))
    return report

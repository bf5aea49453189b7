"""Fixtures of the SDK's tests: a platform for all of them, and for each an organisation and a desk to type at."""

from collections.abc import Iterator
from pathlib import Path

import pytest
from support.commands import Desk
from support.platform import Org, Platform


@pytest.fixture(scope="session")
def platform(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Platform]:
    """The platform in this process; the server's own tests ask it on both databases."""
    platform = Platform(f"sqlite+aiosqlite:///{tmp_path_factory.mktemp('data') / 'odyssey.db'}")
    yield platform
    platform.stop()


@pytest.fixture
def org(platform: Platform) -> Iterator[Org]:
    org = platform.new_org()
    yield org
    org.client.close()


@pytest.fixture
def desk(org: Org, tmp_path: Path) -> Desk:
    """A person with a key of the organisation."""
    return Desk(tmp_path, org)

"""The fixtures of the plugin, whether or not the installed server has registered it."""

import socket
from collections.abc import Iterator

import pytest

from odyssey.testing.plugin import odyssey, odyssey_platform

__all__ = ["odyssey", "odyssey_platform"]


@pytest.fixture
def unused() -> Iterator[int]:
    """A port on which nobody listens."""
    with socket.socket() as taken:
        taken.bind(("127.0.0.1", 0))
        yield taken.getsockname()[1]

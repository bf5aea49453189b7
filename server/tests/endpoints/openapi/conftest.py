from collections.abc import Iterator

import pytest
from support.openapi import Echo, echo_server


@pytest.fixture(scope="module")
def echo() -> Iterator[Echo]:
    with echo_server() as server:
        yield server

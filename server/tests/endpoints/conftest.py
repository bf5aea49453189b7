"""Fixtures of the endpoints' tests: services that end with the test."""

from collections.abc import Callable, Iterator

import pytest
from support.live_shop import Behaviour, LiveShop, order_of

NewShop = Callable[..., LiveShop]


@pytest.fixture
def new_shop() -> Iterator[NewShop]:
    started: list[LiveShop] = []

    def start(behaviour: Behaviour = order_of) -> LiveShop:
        started.append(LiveShop(behaviour))
        return started[-1]

    yield start
    for shop in started:
        shop.stop()


@pytest.fixture
def shop(new_shop: NewShop) -> LiveShop:
    return new_shop()

"""When a request is sent once more: only where that is harmless, a few times, and not before it was asked for."""

import random
from typing import NamedTuple

import httpx

from pipelines.odyssey.client.requests import Ask
from pipelines.odyssey.errors import ApiError

LONGEST_WAIT_S = 60.0
TOO_MANY_STREAMS = "too_many_streams"
"""A `Retry-After` beyond this is not waited for."""

_FIRST_WAIT_S = 0.25
_NOT_CONNECTED = (httpx.ConnectError, httpx.ConnectTimeout, httpx.PoolTimeout)
_CUT = (httpx.NetworkError, httpx.RemoteProtocolError)


class Retries(NamedTuple):
    tries: int = 4
    reconnects: bool = True
    """Whether a platform that cannot be reached is asked again."""

    def after_refusal(self, ask: Ask, tried: int, refusal: ApiError, asked: str | None) -> float | None:
        """Return how many seconds to wait before asking again; None is not at all."""
        if not refusal.retryable or not _is_safe(ask) or tried >= self.tries:
            return None
        if (
            refusal.code == TOO_MANY_STREAMS
        ):  # who may not listen can read instead, and need not wait for that
            return None
        wait = float(asked) if asked and asked.isascii() and asked.isdigit() else _growing(tried)
        return wait + _jitter() if wait <= LONGEST_WAIT_S else None

    def after_loss(self, ask: Ask, tried: int, error: Exception) -> float | None:
        """Return how many seconds to wait after a connection was not made, or was cut."""
        harmless = isinstance(error, _NOT_CONNECTED) and _is_safe(ask)
        harmless = harmless or (isinstance(error, _CUT) and ask.is_repeatable)
        if not self.reconnects or not harmless or tried >= self.tries:
            return None
        return _growing(tried) + _jitter()


def _is_safe(ask: Ask) -> bool:
    """Whether it may be sent again when nothing was applied; a POST needs a key even then."""
    return ask.method != "POST" or ask.is_repeatable


def _growing(tried: int) -> float:
    return _FIRST_WAIT_S * float(2 ** (tried - 1))


def _jitter() -> float:
    return random.uniform(0, 0.1)  # noqa: S311 - spreads clients, guards nothing

"""The way from a server command to a running platform: `ODYSSEY_URL`, `ODYSSEY_API_KEY`, failures as one sentence."""

import asyncio
import os
from collections.abc import Collection
from typing import Any
from urllib.parse import urlsplit

import aiohttp

DEFAULT_URL = "http://127.0.0.1:8200"
_PATIENCE_S = 120
_LOOPBACK = frozenset({"127.0.0.1", "::1", "localhost"})


class PlatformRefusedError(Exception):
    """The platform did not do what was asked; the message says why and never holds the key."""


class Platform:
    def __init__(self, url: str, api_key: str) -> None:
        self._url = url.rstrip("/")
        self._api_key = api_key

    @classmethod
    def from_environment(cls) -> "Platform":
        names = ("ODYSSEY_API_KEY", "PIPELINES_API_KEY")
        key = next((os.environ[name].strip() for name in names if os.environ.get(name)), "")
        if not key or not key.isascii() or not key.isprintable():
            raise PlatformRefusedError("There is no API key; set ODYSSEY_API_KEY.")
        url = os.environ.get("ODYSSEY_URL") or DEFAULT_URL
        if urlsplit(url).scheme not in ("http", "https") or not urlsplit(url).hostname:
            raise PlatformRefusedError("ODYSSEY_URL must begin with http:// or https://.")
        return cls(url, key)

    def ask(
        self, method: str, path: str, body: Any = None, *, members: Collection[str] = ()
    ) -> dict[str, Any]:
        """Send one request; returns the object that is answered, which has at least these members."""
        status, told = asyncio.run(self._ask(method, path, body))
        if status >= 300 or not isinstance(told, dict) or not told.keys() >= set(members):
            detail = told.get("detail") if isinstance(told, dict) else None
            raise PlatformRefusedError(
                f"{self._shown} answered {status}: {detail or 'that is not Odyssey; check the address'}"
            )
        return told

    async def _ask(self, method: str, path: str, body: Any) -> tuple[int, Any]:
        timeout = aiohttp.ClientTimeout(total=_PATIENCE_S, connect=10)
        trust_env = urlsplit(self._url).hostname not in _LOOPBACK
        headers = {"X-API-Key": self._api_key}
        try:
            async with (
                aiohttp.ClientSession(timeout=timeout, trust_env=trust_env, headers=headers) as client,
                client.request(method, self._url + path, json=body, allow_redirects=False) as answer,
            ):
                return answer.status, await answer.json(content_type=None)
        except (aiohttp.ClientError, TimeoutError, ValueError) as error:
            raise PlatformRefusedError(f"{self._shown} cannot be asked: {_reason(error)}.") from error

    @property
    def _shown(self) -> str:
        parts = urlsplit(self._url)
        return f"{parts.scheme}://{parts.netloc.rpartition('@')[2]}"


def _reason(error: Exception) -> str:
    if isinstance(error, TimeoutError):
        return "it did not answer in time"
    return "no connection" if isinstance(error, aiohttp.ClientConnectionError) else "its answer is not JSON"

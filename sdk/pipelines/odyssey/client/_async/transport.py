"""The one way to a platform: requests, repeats of them, pages, files and streams."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator, Mapping
from contextlib import asynccontextmanager
from typing import Any

import httpx

from pipelines.odyssey.client.answers import lost, read_object, refusal, stranger
from pipelines.odyssey.client.place import Place
from pipelines.odyssey.client.requests import LONG_S, QUICK_S, SILENCE_S, Ask, Upload, ask
from pipelines.odyssey.client.retries import Retries
from pipelines.odyssey.client.streams import Event, EventReader

PAGE = 200
"""The most that one page holds."""

_CONNECT_S = 10.0
# Shorter than servers keep idle connections, so that none is used just as its peer closes it.
_LIMITS = httpx.Limits(keepalive_expiry=2)


class AsyncTransport:
    """Asks one platform; raises ApiError and UnreachableError, which never hold the key."""

    def __init__(
        self, place: Place, *, timeout_s: float | None = None, retries: Retries | None = None
    ) -> None:
        self.place = place
        self._retries = retries or Retries()
        self._long_s = timeout_s or LONG_S
        # The key has a header of its own, so that an address may carry the user and password of a reverse proxy.
        self._http = httpx.AsyncClient(
            base_url=place.address,
            headers={"X-API-Key": place.key},
            timeout=httpx.Timeout(timeout_s or QUICK_S, connect=_CONNECT_S),
            limits=_LIMITS,
            trust_env=not place.is_near,
            verify=not place.is_plain,
        )

    async def aclose(self) -> None:
        await self._http.aclose()

    async def get(self, path: str, *parts: object, query: Mapping[str, Any] | None = None) -> Any:
        """Return the object at a path, which is what openapi.json says."""
        return await self.answered(ask("GET", path, *parts, query=query))

    async def post(
        self,
        path: str,
        *parts: object,
        body: Upload | Mapping[str, Any] | None = None,
        query: Mapping[str, Any] | None = None,
        key: str | None = None,
    ) -> Any:
        """Send, with a key by which the platform knows a repeat, and return the object that is answered."""
        return await self.answered(
            ask("POST", path, *parts, body=body, query=query, key=key, timeout_s=self._long_s)
        )

    async def put(
        self,
        path: str,
        *parts: object,
        body: Upload | Mapping[str, Any],
        query: Mapping[str, Any] | None = None,
    ) -> Any:
        """Change what is at a path, and return it."""
        return await self.answered(ask("PUT", path, *parts, body=body, query=query, timeout_s=self._long_s))

    async def delete(self, path: str, *parts: object) -> None:
        await self._answer(ask("DELETE", path, *parts))

    async def answered(self, what: Ask) -> dict[str, Any]:
        return read_object(await self._answer(what), self.place)

    async def page(
        self,
        path: str,
        *parts: object,
        cursor: str | None,
        limit: int | None,
        query: Mapping[str, Any] | None = None,
    ) -> Any:
        """Return the first of a list, as one page: `items`, and `next_cursor` when there are more.

        More than the platform gives at once is asked for in several pages.
        """
        items: list[Any] = []
        while True:
            size = None if limit is None else min(limit - len(items), PAGE)
            page = await self._page(path, *parts, cursor=cursor, limit=size, query=query)
            items += page["items"]
            cursor = page["next_cursor"]
            if limit is None or cursor is None or len(items) >= limit:
                return {**page, "items": items}

    async def items(
        self, path: str, *parts: object, limit: int | None = None, query: Mapping[str, Any] | None = None
    ) -> AsyncIterator[Any]:
        """Go through a list page by page, every item once, as many as `limit` allows."""
        cursor, left = None, limit
        while left is None or left > 0:
            size = PAGE if left is None else min(left, PAGE)
            page = await self._page(path, *parts, cursor=cursor, limit=size, query=query)
            for item in page["items"][:left]:
                yield item
            cursor = page["next_cursor"]
            if cursor is None:
                return
            left = None if left is None else left - len(page["items"])

    async def _page(
        self,
        path: str,
        *parts: object,
        cursor: str | None,
        limit: int | None,
        query: Mapping[str, Any] | None,
    ) -> Any:
        page = await self.get(path, *parts, query={**(query or {}), "cursor": cursor, "limit": limit})
        if not isinstance(page.get("items"), list) or "next_cursor" not in page:
            raise stranger(self.place, 200)
        return page

    async def read(self, path: str, *parts: object, query: Mapping[str, Any] | None = None) -> bytes:
        """Return a file."""
        pieces = [piece async for piece in self.pieces(path, *parts, query=query)]
        return b"".join(pieces)

    async def pieces(
        self, path: str, *parts: object, query: Mapping[str, Any] | None = None
    ) -> AsyncIterator[bytes]:
        """Give a file piece by piece as it arrives."""
        async with self._streamed(ask("GET", path, *parts, query=query, timeout_s=self._long_s)) as answer:
            async for piece in answer.aiter_bytes():
                yield piece

    async def events(
        self, path: str, *parts: object, after: str | None = None, silence_s: float = SILENCE_S
    ) -> AsyncIterator[Event]:
        """Listen to a stream of events until it ends; one that is silent for too long cannot be reached."""
        what = ask("GET", path, *parts, timeout_s=silence_s)
        if after is not None:
            what = what._replace(headers={"Last-Event-ID": after})
        reader = EventReader()
        async with self._streamed(what) as answer:
            async for piece in answer.aiter_bytes():
                try:
                    events = list(reader.feed(piece))
                except (ValueError, RecursionError):
                    raise stranger(self.place, None) from None
                for event in events:
                    yield event

    @asynccontextmanager
    async def _streamed(self, what: Ask) -> AsyncIterator[httpx.Response]:
        answer = await self._answer(what, stream=True)
        try:
            yield answer
        except httpx.TransportError as error:
            raise lost(error, self.place) from None
        except httpx.DecodingError:
            raise stranger(self.place, None) from None
        finally:
            await answer.aclose()

    async def _answer(self, what: Ask, *, stream: bool = False) -> httpx.Response:
        """Send, as often as that is harmless, until there is a good answer."""
        tried = 0
        while True:
            tried += 1
            try:
                answer = await self._http.send(self._request(what), stream=stream)
                if answer.is_success:
                    return answer
                await answer.aread()
            except httpx.TransportError as error:
                failure: Exception = lost(error, self.place)
                pause = self._retries.after_loss(what, tried, error)
            except UnicodeError as error:
                raise lost(error, self.place) from None
            except httpx.DecodingError:
                raise stranger(self.place, None) from None
            else:
                failure = refused = refusal(answer, self.place)
                pause = self._retries.after_refusal(what, tried, refused, answer.headers.get("Retry-After"))
            if pause is None:
                raise failure
            await asyncio.sleep(pause)

    def _request(self, what: Ask) -> httpx.Request:
        timeout: Any = httpx.USE_CLIENT_DEFAULT
        if what.timeout_s is not None:
            timeout = httpx.Timeout(what.timeout_s, connect=_CONNECT_S)
        return self._http.build_request(
            what.method,
            what.path,
            params=dict(what.query),
            headers=dict(what.headers),
            content=what.content,
            timeout=timeout,
        )

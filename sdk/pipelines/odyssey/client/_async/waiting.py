"""Looking at work again and again until it is done."""

from __future__ import annotations

import asyncio
from typing import Protocol

from pipelines.odyssey.client.waiting import Progress, Watch
from pipelines.odyssey.errors import UnreachableError


class AsyncLook(Protocol):
    async def __call__(self) -> Progress: ...


async def wait_for(look: AsyncLook, watch: Watch) -> None:
    """Look until it is over; the pauses grow."""
    while True:
        try:
            progress = await look()
        except UnreachableError as error:
            watch.missed(error)
        else:
            watch.saw(progress)
            if progress.is_over:
                return
        await asyncio.sleep(watch.pause())

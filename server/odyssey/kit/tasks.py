"""Tasks that go on in the background until somebody ends them."""

import asyncio
from collections.abc import Iterable
from typing import Any


async def end_tasks(tasks: Iterable[asyncio.Task[Any]]) -> None:
    """Cancel tasks and wait until all have ended. What one of them failed with, before or on its way out, is raised."""
    ending = list(tasks)
    for task in ending:
        task.cancel()
    for outcome in await asyncio.gather(*ending, return_exceptions=True):
        if isinstance(outcome, Exception):  # a task that was cancelled is none
            raise outcome

"""At most so many in a sliding minute, exactly."""

import math
from collections import deque
from datetime import datetime, timedelta

WINDOW = timedelta(seconds=60)


class SlidingMinute:
    """The moments of the last sixty seconds; what was refused is not among them."""

    __slots__ = ("_moments",)

    def __init__(self) -> None:
        self._moments: deque[datetime] = deque()

    def add(self, moment: datetime) -> None:
        self._moments.append(moment)

    def seconds_to_wait(self, limit: int, now: datetime) -> int | None:
        """Say how long the next one has to wait; None means it may go ahead."""
        moments = self._moments
        while moments and moments[0] <= now - WINDOW:
            moments.popleft()
        if len(moments) < limit:
            return None
        return max(1, math.ceil((moments[len(moments) - limit] + WINDOW - now).total_seconds()))

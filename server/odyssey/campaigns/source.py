"""The seam between a campaign and what it is for: which runs come next, and what is done at the end."""

from collections.abc import Awaitable, Callable, Sequence
from datetime import datetime
from typing import Literal, NamedTuple, Protocol

from sqlalchemy.ext.asyncio import AsyncSession

from odyssey.dispatch.transport import PingResult
from odyssey.runs.models import Campaign

Make = Callable[[AsyncSession], Awaitable[None]]
"""Makes planned runs, in the transaction that counts them as made."""


class CampaignSource(Protocol):
    """A kind of campaign. All of it may be asked by several processes at once; what they do is fenced around it."""

    @property
    def kind(self) -> str:
        """What `Campaign.kind` says."""

    @property
    def state_without_agent(self) -> Literal["failed", "cancelled"]:
        """What becomes of a campaign whose agent does not answer the ping: for good, or until it is resumed."""

    async def on_checked(
        self, session: AsyncSession, campaign: Campaign, ping: PingResult, now: datetime
    ) -> None:
        """Write down what else follows from the ping, in the transaction in which the campaign goes on or ends."""

    async def plan(self, session: AsyncSession, campaign: Campaign, numbers: Sequence[int]) -> Make:
        """Say what the runs with these numbers are, from 0 to `planned_runs`; nothing is written yet."""

    async def finish(self, campaign: Campaign) -> bool:
        """Complete a campaign that has no run left to make or to wait for, or plan more runs of it (`extend`).

        Returns whether this did something.
        """


class NextRuns(NamedTuple):
    """Which runs are made next, and what the campaign says once they are."""

    numbers: list[int]
    made_runs: int
    again: list[int]


def next_runs(*, made_runs: int, again: Sequence[int], planned_runs: int, limit: int) -> NextRuns:
    """Name the runs that come next: those that are to be made again first.

    Of 10 planned runs 6 were made and 2 and 5 of them are to be made again; with a limit of 4 that is 2, 5, 6 and 7,
    after which 8 are made and none is left to be made again.
    """
    repeated, left = list(again[:limit]), list(again[limit:])
    end = min(made_runs + limit - len(repeated), planned_runs)
    return NextRuns([*repeated, *range(made_runs, end)], end, left)

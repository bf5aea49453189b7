"""Batches as campaigns: every row once, then every row again, and nothing to do at the end."""

from collections.abc import Sequence
from datetime import datetime
from typing import Literal

from sqlalchemy.ext.asyncio import AsyncSession

from odyssey.batches.repository import batch_of_campaign, tasks_of_batch
from odyssey.campaigns.repository import complete
from odyssey.campaigns.source import Make
from odyssey.core.database import Database
from odyssey.dispatch.transport import PingResult
from odyssey.endpoints.cassettes.playback import read_replay
from odyssey.kit.clock import Clock
from odyssey.runs.making import Maker, RunRequest, make_runs
from odyssey.runs.models import Campaign
from odyssey.runs.verdicts.grade_run import Judge


def row_and_repeat(number: int, rows: int) -> tuple[int, int]:
    """Say which row a run of a batch is of, and which of its repeats it is: of 3 rows, number 4 is row 1, repeat 2."""
    return number % rows, number // rows + 1


class BatchSource:
    kind = "batch"
    state_without_agent: Literal["failed"] = "failed"

    def __init__(self, database: Database, clock: Clock, judge: Judge) -> None:
        self._database, self._clock, self._judge = database, clock, judge

    async def on_checked(
        self, session: AsyncSession, campaign: Campaign, ping: PingResult, now: datetime
    ) -> None:
        """Nothing but the state of the campaign follows from the ping."""

    async def plan(self, session: AsyncSession, campaign: Campaign, numbers: Sequence[int]) -> Make:
        batch = await batch_of_campaign(session, campaign.id)
        rows = campaign.planned_runs // batch.repeats
        wanted = [row_and_repeat(number, rows) for number in numbers]
        tasks = await tasks_of_batch(session, batch, {row for row, _ in wanted})
        maker = Maker(
            org_id=batch.org_id,
            agent_id=batch.agent_id,
            agent_version=batch.agent_version,
            campaign_id=campaign.id,
            batch_id=batch.id,
            judged=await self._judge.is_set(session, batch.org_id),
            replay=read_replay(batch.cassette),
            simulator_cache=batch.simulator_cache,
        )

        async def make(writing: AsyncSession) -> None:
            runs = [RunRequest(tasks[row], repeat) for row, repeat in wanted]
            await make_runs(writing, self._clock, maker, runs)

        return make

    async def finish(self, campaign: Campaign) -> bool:
        async with self._database.write() as session:
            return await complete(session, campaign)

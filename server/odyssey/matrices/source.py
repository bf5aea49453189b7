"""Matrices as campaigns: runs are made in the order of the plan, and judged by cell at the end."""

import asyncio
from collections.abc import Mapping, Sequence
from datetime import datetime
from typing import Literal, NamedTuple

from sqlalchemy.ext.asyncio import AsyncSession

from odyssey.campaigns.source import Make
from odyssey.core.database import Database, after_commit
from odyssey.core.signals import Signals
from odyssey.dispatch.transport import PingResult
from odyssey.evals.eval_runs.observe import matrix_topic
from odyssey.evals.eval_runs.plan import PlannedRun
from odyssey.evals.models import EvalRun
from odyssey.evals.scenarios.content import ScenarioContent, render_input
from odyssey.evals.scenarios.repository import contents_of
from odyssey.kit.clock import Clock
from odyssey.library.seeds import Seed, SeedWorld
from odyssey.matrices.finish import Enqueue, finish
from odyssey.matrices.models import Matrix
from odyssey.matrices.plan import MatrixPlan, RunPlace
from odyssey.matrices.progress import end_of_matrix, ended_runs, plan_of
from odyssey.matrices.repository import NO_RUNS, matrix_of_campaign, run_counts
from odyssey.runs.making import Maker, RunRequest, make_runs, make_tasks
from odyssey.runs.models import Campaign

Contents = Mapping[tuple[int, int], ScenarioContent]


class ChunkRun(NamedTuple):
    place: RunPlace
    planned: PlannedRun
    seed: Seed


def plan_chunk(plan: MatrixPlan, numbers: Sequence[int], contents: Contents) -> list[ChunkRun]:
    """Say everything about the runs with these numbers."""
    rendered: dict[int, str] = {}
    chunk = []
    for number in numbers:
        place = plan.place(number)
        scenario = plan.rows[place.row].scenario
        content = contents[scenario.number, scenario.version]
        if scenario.number not in rendered:
            rendered[scenario.number] = render_input(content.user_instruction, content.input_context)
        planned = plan.run(place, rendered[scenario.number])
        chunk.append(ChunkRun(place, planned, _seed(plan, place.row, content, planned.user_instruction)))
    return chunk


class MatrixSource:
    kind = "matrix"
    state_without_agent: Literal["cancelled"] = "cancelled"

    def __init__(self, database: Database, signals: Signals, clock: Clock, enqueue: Enqueue) -> None:
        self._database, self._signals, self._clock = database, signals, clock
        self._enqueue = enqueue

    async def on_checked(
        self, session: AsyncSession, campaign: Campaign, ping: PingResult, now: datetime
    ) -> None:
        """Write down how far it was when it began, or why it did not."""
        matrix = await matrix_of_campaign(session, campaign.id)
        if ping.ok:
            counts = (await run_counts(session, [matrix.id])).get(matrix.id, NO_RUNS)
            matrix.began_at, matrix.ended_before = now, ended_runs(matrix, counts)
        else:
            matrix.reason, matrix.finished_at = _reason(ping), end_of_matrix(matrix, now)
        await session.flush()
        after_commit(session, lambda: self._signals.announce(matrix_topic(matrix.id)))

    async def plan(self, session: AsyncSession, campaign: Campaign, numbers: Sequence[int]) -> Make:
        matrix = await matrix_of_campaign(session, campaign.id)
        plan = plan_of(matrix)
        scenarios = [plan.row_of(number).scenario for number in numbers]
        contents = await contents_of(session, {(each.number, each.version) for each in scenarios})
        chunk = await asyncio.to_thread(plan_chunk, plan, numbers, contents)

        async def make(writing: AsyncSession) -> None:
            await _make(writing, self._clock, matrix, plan, chunk)
            after_commit(writing, lambda: self._signals.announce(matrix_topic(matrix.id)))

        return make

    async def finish(self, campaign: Campaign) -> bool:
        return await finish(self._database, self._signals, self._clock, campaign, self._enqueue)


def _reason(found: PingResult) -> str:
    return (
        f"Nothing was run: the agent did not answer a ping ({found.error_class}). {found.detail} "
        "When it does, resume the matrix."
    )


async def _make(
    session: AsyncSession, clock: Clock, matrix: Matrix, plan: MatrixPlan, chunk: Sequence[ChunkRun]
) -> None:
    """Make one task of each instruction of a row: runs that are told the same share it."""
    seeds = {(each.place.row, each.seed.user_instruction): each.seed for each in chunk}
    made = await make_tasks(session, clock, matrix.org_id, list(seeds.values()))
    tasks = dict(zip(seeds, made, strict=True))
    maker = Maker(
        org_id=matrix.org_id,
        agent_id=matrix.agent_id,
        agent_version=matrix.agent_version,
        judged=False,
        campaign_id=matrix.campaign_id,
        lane=matrix.id,
    )
    wanted = [
        RunRequest(
            tasks[each.place.row, each.seed.user_instruction],
            each.place.repeat,
            each.planned.random_seed,
            each.planned.carried,
        )
        for each in chunk
    ]
    runs = await make_runs(session, clock, maker, wanted)
    session.add_all(_eval_run(matrix, plan, each, run.id) for each, run in zip(chunk, runs, strict=True))
    await session.flush()


def _seed(plan: MatrixPlan, row: int, content: ScenarioContent, user_instruction: str) -> Seed:
    scenario, rule_set, conduct_hash = plan.rows[row]
    world = None
    if scenario.world is not None:
        assert conduct_hash is not None
        kept = scenario.world
        world = SeedWorld(kept.id, kept.state_hash, conduct_hash)
    return Seed(
        user_instruction=user_instruction,
        behavior_instructions="",
        failure_rules=[] if rule_set is None or world is not None else rule_set.failure_rules,
        expected_outcome="completion",
        input=content.input_context,
        checks=[],
        rubric=[],
        random_seed=None,
        world=world,
    )


def _eval_run(matrix: Matrix, plan: MatrixPlan, made: ChunkRun, run_id: int) -> EvalRun:
    place, snapshot = made.place, plan.snapshot
    row = plan.rows[place.row]
    pressed = place.variation is not None
    return EvalRun(
        run_id=run_id,
        org_id=matrix.org_id,
        scenario_number=row.scenario.number,
        scenario_version=row.scenario.version,
        agent_id=matrix.agent_id,
        agent_version=matrix.agent_version,
        risk_level=row.scenario.risk_level,
        matrix_id=matrix.id,
        rule_set=row.rule_set_name,
        variation_type=None if place.variation is None else snapshot.variations[place.variation].name,
        dose=snapshot.dose if pressed else None,
        delivery=snapshot.delivery if pressed else None,
        step=snapshot.step if pressed and snapshot.delivery == "tool_result" else None,
        placebo=place.placebo,
        paraphrase=made.planned.paraphrase,
        repeat=place.repeat,
        fresh=plan.is_fresh(place),
        injection=made.planned.injection,
        flagged=False,
    )

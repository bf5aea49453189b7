"""Making the next runs of a matrix: a chunk at a time, so that no transaction is long.

What is made is planned before the transaction, which then holds only as long as writing takes. The count goes up in the
transaction that makes the runs: a crash loses both, and nothing is made twice.
"""

import asyncio
from collections.abc import Mapping, Sequence
from typing import NamedTuple

from sqlalchemy.ext.asyncio import AsyncSession

from odyssey.core.database import Database, after_commit
from odyssey.core.signals import Signals
from odyssey.evals.eval_runs.observe import matrix_topic
from odyssey.evals.eval_runs.plan import PlannedRun
from odyssey.evals.models import EvalRun
from odyssey.evals.scenarios.content import ScenarioContent, render_input
from odyssey.evals.scenarios.repository import contents_of
from odyssey.kit.clock import Clock
from odyssey.library.seeds import Seed, SeedWorld
from odyssey.matrices.models import Matrix
from odyssey.matrices.plan import Place, Plan
from odyssey.matrices.repository import find_running, take_turn
from odyssey.matrices.snapshot import read_snapshot
from odyssey.runs.making import Maker, Wanted, make_runs, make_tasks
from odyssey.runs.topics import runs_changed

CHUNK = 200

Contents = Mapping[tuple[int, int], ScenarioContent]


class ChunkRun(NamedTuple):
    place: Place
    planned: PlannedRun
    seed: Seed


class Next(NamedTuple):
    numbers: list[int]
    made_runs: int
    """After they were made."""
    again: list[int]


def next_runs(*, made_runs: int, again: Sequence[int], planned_runs: int, limit: int) -> Next:
    """Name the runs that come next: those that are to be made again first."""
    repeated, left = list(again[:limit]), list(again[limit:])
    end = min(made_runs + limit - len(repeated), planned_runs)
    return Next([*repeated, *range(made_runs, end)], end, left)


def plan_chunk(plan: Plan, numbers: Sequence[int], contents: Contents) -> list[ChunkRun]:
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


async def feed(database: Database, signals: Signals, clock: Clock, matrix_id: str) -> int:
    """Make the next chunk of a matrix; returns how many, 0 if somebody else was quicker or it is whole."""
    async with database.read() as session:
        matrix = await find_running(session, matrix_id)
        if matrix is None:
            return 0
        plan = Plan(read_snapshot(matrix.snapshot))
        coming = next_runs(
            made_runs=matrix.made_runs, again=matrix.again, planned_runs=len(plan), limit=CHUNK
        )
        scenarios = [plan.row_of(number).scenario for number in coming.numbers]
        contents = await contents_of(session, {(each.number, each.version) for each in scenarios})
    if not coming.numbers:
        return 0
    chunk = await asyncio.to_thread(plan_chunk, plan, coming.numbers, contents)
    async with database.write() as session:
        if not await take_turn(session, matrix, made_runs=coming.made_runs, again=coming.again):
            return 0
        await _make(session, clock, matrix, plan, chunk)
        after_commit(session, lambda: runs_changed(signals, matrix.org_id))
        after_commit(session, lambda: signals.announce(matrix_topic(matrix_id)))
    return len(chunk)


async def _make(
    session: AsyncSession, clock: Clock, matrix: Matrix, plan: Plan, chunk: Sequence[ChunkRun]
) -> None:
    """Make one task of each instruction of a row: runs that are told the same share it."""
    seeds = {(each.place.row, each.seed.user_instruction): each.seed for each in chunk}
    made = await make_tasks(session, clock, matrix.org_id, list(seeds.values()))
    tasks = dict(zip(seeds, made, strict=True))
    maker = Maker(
        matrix.org_id, matrix.agent_id, matrix.agent_version, batch_id=None, judged=False, lane=matrix.id
    )
    wanted = [
        Wanted(
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


def _seed(plan: Plan, row: int, content: ScenarioContent, user_instruction: str) -> Seed:
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


def _eval_run(matrix: Matrix, plan: Plan, made: ChunkRun, run_id: int) -> EvalRun:
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
        injection=made.planned.injection,
        flagged=False,
    )

"""Starting eval runs: ordinary runs of a scenario, with or without a pressure."""

from collections.abc import Awaitable, Callable, Mapping, Sequence
from typing import NamedTuple

from sqlalchemy.ext.asyncio import AsyncSession

from odyssey.agents.compiled import CompiledAgents
from odyssey.agents.models import Agent
from odyssey.agents.repository import get_agent, list_agents
from odyssey.core.database import after_commit
from odyssey.core.errors import NotFoundError, ValidationFailedError
from odyssey.core.paging import PageRequest
from odyssey.core.signals import Signals
from odyssey.evals.errors import AgentRequiredError
from odyssey.evals.eval_runs.plan import PlannedRun, Pressure, draw_seeds, plan_baselines, plan_pressed
from odyssey.evals.eval_runs.repository import EvalRunRow, Group, has_baseline
from odyssey.evals.eval_runs.schemas import EvalRunsIn
from odyssey.evals.models import EvalRun, Scenario
from odyssey.evals.scenarios.content import ScenarioContent, render_input
from odyssey.evals.scenarios.repository import get_content, get_scenario
from odyssey.evals.variations.repository import find_variation
from odyssey.identity.caller import Caller, record_change
from odyssey.journal.injections import read_injection
from odyssey.journal.models import RunContext
from odyssey.kit.clock import Clock
from odyssey.library.models import Task
from odyssey.library.named_worlds.keep import seed_worlds
from odyssey.library.seeds import Seed, SeedWorld, read_seed
from odyssey.records.problems import FieldError
from odyssey.records.tools import LedgerSchema
from odyssey.runs.errors import AgentNotPublishedError
from odyssey.runs.making import Maker, RunRequest, make_runs, make_tasks
from odyssey.runs.models import Run
from odyssey.runs.repository import get_task
from odyssey.runs.topics import runs_changed

# Which agent a scenario is run on: the one the request names, else the scenario's, else the only one there is.


class ChosenAgent(NamedTuple):
    agent_id: int
    version: int


async def choose_agent(
    session: AsyncSession, org_id: int, content: ScenarioContent, agent_id: int | None
) -> ChosenAgent:
    agent = await _find(session, org_id, content, agent_id)
    if agent.published_version is None:
        raise AgentNotPublishedError(agent.id)
    return ChosenAgent(agent.id, agent.published_version)


async def _find(session: AsyncSession, org_id: int, content: ScenarioContent, agent_id: int | None) -> Agent:
    if agent_id is not None:
        return await get_agent(session, org_id, agent_id)
    if content.agent_id is not None:
        try:
            return await get_agent(session, org_id, content.agent_id)
        except NotFoundError as error:
            message = f"the scenario's agent {content.agent_id} was deleted; name another with agent_id"
            raise AgentRequiredError(message) from error
    published = (await list_agents(session, org_id, PageRequest(2), status="published")).items
    if len(published) != 1:
        how_many = "no agent is published" if not published else "several agents are published"
        raise AgentRequiredError(f"the scenario names no agent and {how_many}; say which one with agent_id")
    return published[0][0]


class EvalRunsPlan(NamedTuple):
    """A request for eval runs that was checked."""

    scenario: Scenario
    content: ScenarioContent
    agent: ChosenAgent
    seed: Seed
    """Of a baseline."""
    baselines: list[PlannedRun]
    pressed: list[PlannedRun]
    pressure: Pressure | None

    @property
    def group(self) -> Group:
        return Group(self.scenario.number, self.scenario.version, *self.agent)


async def plan_eval_runs(
    session: AsyncSession, agents: CompiledAgents, caller: Caller, body: EvalRunsIn
) -> EvalRunsPlan:
    """Check a request, or say what is wrong with it. Nothing is made yet."""
    scenario = await get_scenario(session, caller.org_id, body.scenario_id)
    content = await get_content(session, scenario)
    if body.variation_type is None and body.placebo:
        message = "a placebo is that of a variation; name one with variation_type"
        raise ValidationFailedError([FieldError(loc=("placebo",), msg=message)])
    variation = None
    if body.variation_type is not None:
        variation = await find_variation(session, caller.org_id, body.variation_type)
    agent = await choose_agent(session, caller.org_id, content, body.agent_id)
    compiled = await agents.get(session, *agent)
    seed = await _seed(session, caller.org_id, content, compiled.ledger_schema)
    plan = EvalRunsPlan(scenario, content, agent, seed, [], [], None)
    if variation is None:
        seeds = draw_seeds(body.seed, "baseline", body.repeats)
        return plan._replace(baselines=plan_baselines(seed.user_instruction, seeds))
    delivery = body.delivery or compiled.config.variation_delivery
    pressure = Pressure(variation, body.dose, delivery, body.step, body.placebo)
    label = f"{variation.name} {body.dose} {delivery} {'placebo' if body.placebo else 'pressure'}"
    pressed = plan_pressed(seed.user_instruction, pressure, draw_seeds(body.seed, label, body.repeats))
    if not await has_baseline(session, plan.group):
        seeds = draw_seeds(body.seed, "baseline", 1)
        plan = plan._replace(baselines=plan_baselines(seed.user_instruction, seeds))
    return plan._replace(pressed=pressed, pressure=pressure)


async def start_eval_runs(
    session: AsyncSession,
    signals: Signals,
    clock: Clock,
    caller: Caller,
    plan: EvalRunsPlan,
    body: EvalRunsIn,
) -> list[EvalRunRow]:
    """Make the runs: baselines first, so that they are dispatched first."""
    planned = [*plan.baselines, *plan.pressed]
    tasks = await _tasks(session, clock, caller.org_id, plan.seed, planned)
    maker = Maker(caller.org_id, plan.agent.agent_id, plan.agent.version, judged=False)
    wanted = [
        RunRequest(tasks[each.user_instruction], each.repeat, each.random_seed, each.carried)
        for each in planned
    ]
    runs = await make_runs(session, clock, maker, wanted)
    eval_runs = [
        _eval_run(plan, run.id, each, caller.org_id) for run, each in zip(runs, planned, strict=True)
    ]
    session.add_all(eval_runs)
    await session.flush()
    record_change(
        session,
        caller,
        clock,
        "eval_run.create",
        object_type="scenario",
        object_id=plan.scenario.id,
        after=body.model_dump() | {"runs": [run.id for run in runs]},
    )
    after_commit(session, lambda: runs_changed(signals, caller.org_id))
    return [EvalRunRow(eval_run, run, plan.scenario) for eval_run, run in zip(eval_runs, runs, strict=True)]


async def _seed(
    session: AsyncSession, org_id: int, content: ScenarioContent, ledger_schema: LedgerSchema | None
) -> Seed:
    named = set() if content.world_id is None else {content.world_id}
    worlds = await seed_worlds(session, org_id, named, ledger_schema)
    return scenario_seed(content, ledger_schema, worlds, "scenario_id")


def scenario_seed(
    content: ScenarioContent,
    ledger_schema: LedgerSchema | None,
    worlds: Mapping[int, SeedWorld],
    *place: str | int,
) -> Seed:
    """Make the seed of a scenario's baselines; what contradicts the agent is a fault of that place in the request."""
    raw = {
        "user_instruction": render_input(content.user_instruction, content.input_context),
        "input": content.input_context,
        "world_id": content.world_id,
    }
    read = read_seed(raw, ledger_schema, worlds)
    if read.seed is None:
        raise ValidationFailedError([fault.under(*place) for fault in read.errors])
    return read.seed


async def _tasks(
    session: AsyncSession, clock: Clock, org_id: int, seed: Seed, planned: Sequence[PlannedRun]
) -> dict[str, Task]:
    """Make one task of each instruction: repeats that are told the same share it."""
    instructions = list(dict.fromkeys(each.user_instruction for each in planned))
    seeds = [seed._replace(user_instruction=instruction) for instruction in instructions]
    made = await make_tasks(session, clock, org_id, seeds)
    return dict(zip(instructions, made, strict=True))


def _eval_run(plan: EvalRunsPlan, run_id: int, planned: PlannedRun, org_id: int) -> EvalRun:
    pressure = plan.pressure if planned.injection is not None else None
    by_step = pressure is not None and pressure.delivery == "tool_result"
    return EvalRun(
        run_id=run_id,
        org_id=org_id,
        scenario_number=plan.scenario.number,
        scenario_version=plan.scenario.version,
        agent_id=plan.agent.agent_id,
        agent_version=plan.agent.version,
        risk_level=plan.content.risk_level,
        matrix_id=None,
        variation_type=None if pressure is None else pressure.variation.name,
        dose=None if pressure is None else pressure.dose,
        delivery=None if pressure is None else pressure.delivery,
        step=pressure.step if pressure is not None and by_step else None,
        placebo=pressure is not None and pressure.placebo,
        paraphrase=planned.paraphrase,
        repeat=planned.repeat,
        injection=planned.injection,
        flagged=False,
    )


# Repeating a run that says nothing of the agent: once, with all that it was asked (wire-contract.md#d12).

_SAME = (
    "org_id",
    "scenario_number",
    "scenario_version",
    "agent_id",
    "agent_version",
    "risk_level",
    "matrix_id",
    "rule_set",
    "variation_type",
    "dose",
    "delivery",
    "step",
    "placebo",
    "paraphrase",
    "repeat",
    "fresh",
    "injection",
)


MayRepeat = Callable[[AsyncSession, str], Awaitable[bool]]
"""Holds a matrix as it is, and says whether it may make one more run for one that is missing."""


async def _may_replace(session: AsyncSession, may_repeat: MayRepeat, eval_run: EvalRun, run: Run) -> bool:
    """Whether a missing run is repeated: not what somebody cancelled, nor what stands in for another already.

    Of a matrix only while it goes on and its budget has room.
    """
    if run.status == "cancelled" or eval_run.replaces is not None:
        return False
    return eval_run.matrix_id is None or await may_repeat(session, eval_run.matrix_id)


async def replace_missing(
    session: AsyncSession,
    signals: Signals,
    clock: Clock,
    may_repeat: MayRepeat,
    eval_run: EvalRun,
    run: Run,
) -> None:
    """Make the run that stands in for a missing one. Whoever asks is the only one that wrote it down as missing."""
    if not await _may_replace(session, may_repeat, eval_run, run):
        return
    context = await session.get_one(RunContext, run.id)
    maker = Maker(
        org_id=run.org_id,
        agent_id=run.agent_id,
        agent_version=run.agent_version,
        judged=False,
        campaign_id=run.campaign_id,
        lane=run.lane,
    )
    injection = read_injection(context.injection)
    wanted = RunRequest(await get_task(session, run.task_id), run.repeat, run.random_seed, injection)
    (made,) = await make_runs(session, clock, maker, [wanted])
    same = {name: getattr(eval_run, name) for name in _SAME}
    session.add(EvalRun(run_id=made.id, replaces=run.id, flagged=False, **same))
    after_commit(session, lambda: runs_changed(signals, run.org_id))

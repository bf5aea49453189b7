"""Taking the snapshot of an experiment: everything a request names is looked up, checked, and written down."""

from collections.abc import Mapping, Sequence
from typing import Any, NamedTuple

from sqlalchemy.ext.asyncio import AsyncSession

from odyssey.agents.compiled import CompiledAgents
from odyssey.agents.repository import get_agent
from odyssey.core.errors import NotFoundError, ValidationFailedError
from odyssey.evals.errors import AgentRequiredError, UnknownVariationError
from odyssey.evals.eval_runs.repository import present_thresholds
from odyssey.evals.eval_runs.start import ChosenAgent, choose_agent, scenario_seed
from odyssey.evals.models import Scenario
from odyssey.evals.scenarios.content import ScenarioContent
from odyssey.evals.scenarios.repository import contents_of, find_scenarios
from odyssey.evals.variations.catalogue import CATALOGUE
from odyssey.evals.variations.repository import find_variation
from odyssey.evals.variations.texts import Variation
from odyssey.identity.caller import Caller
from odyssey.journal.contents import Conduct, Document, load_conduct
from odyssey.kit.ids import new_random_seed
from odyssey.library.named_worlds.keep import seed_worlds
from odyssey.library.seeds import SeedWorld
from odyssey.matrices.plan import MOST_CELLS, MOST_RUNS, MatrixSize, warnings_of
from odyssey.matrices.schemas import MatrixIn, RuleSetIn
from odyssey.matrices.snapshot import (
    AskedFor,
    Snapshot,
    SnapshotRuleSet,
    SnapshotScenario,
    SnapshotVariation,
    SnapshotWorld,
)
from odyssey.records.canonical import content_hash
from odyssey.records.problems import FaultList, FieldError
from odyssey.simulation.rules import read_rules


class MatrixDraft(NamedTuple):
    snapshot: Snapshot
    size: MatrixSize
    conducts: list[Document]
    """Worlds' conduct with the rules of a set ahead; to be kept with the matrix."""
    warnings: list[str]


async def take_snapshot(
    session: AsyncSession, agents: CompiledAgents, caller: Caller, body: MatrixIn
) -> MatrixDraft:
    """Check a request for a matrix, or say what is wrong with it. Nothing is made yet."""
    found = await _scenarios(session, caller.org_id, body.scenario_ids)
    variations = await _variations(session, caller.org_id, body.variation_types)
    _check_rule_sets(body.rule_sets)
    size = _size(body)
    agent = await _agent(session, caller.org_id, [content for _, content in found], body.agent_id)
    compiled = await agents.get(session, *agent)
    schema = compiled.ledger_schema
    named = {content.world_id for _, content in found if content.world_id is not None}
    worlds = await seed_worlds(session, caller.org_id, named, schema)
    for index, (_, content) in enumerate(found):
        scenario_seed(content, schema, worlds, "scenario_ids", index)
    conducts = {
        world.id: await _with_rules(session, caller.org_id, world, body.rule_sets)
        for world in worlds.values()
    }
    snapshot = Snapshot(
        agent_id=agent.agent_id,
        agent_version=agent.version,
        scenarios=[_snapshot_of(*each, worlds, conducts) for each in found],
        variations=[
            SnapshotVariation(each.name, list(each.texts[body.dose]), hash_of(each)) for each in variations
        ],
        rule_sets=[SnapshotRuleSet(each.name, each.failure_rules) for each in body.rule_sets],
        thresholds=await present_thresholds(session, caller.org_id),
        repeats=body.repeats,
        baseline_repeats=body.baseline_repeats,
        placebo=body.placebo,
        dose=body.dose,
        delivery=body.delivery or compiled.config.variation_delivery,
        step=body.step,
        seed=new_random_seed() if body.seed is None else body.seed,
        asked=AskedFor(
            body.parallel,
            body.max_concurrency,
            body.budget_runs,
            body.delivery,
            body.max_unmeasured,
            body.confirm,
            body.confirm_runs_max,
            body.min_match,
        ),
    )
    warnings = warnings_of(
        size,
        budget_runs=body.budget_runs,
        without_expectation=sum(not content.expected_behavior for _, content in found),
        confirm_runs_max=snapshot.confirm_runs_max if body.confirm else None,
    )
    if snapshot.delivery == "tool_result" and not compiled.tools:
        warnings.append(
            "The texts are to be carried by tool results, but the agent declares no tools: every cell will be "
            "undelivered. Choose another delivery, or declare the agent's tools."
        )
    documents = [each for of_world in conducts.values() for each in of_world]
    return MatrixDraft(snapshot, size, documents, warnings)


def hash_of(variation: Variation) -> str:
    return content_hash({dose: list(texts) for dose, texts in variation.texts.items()})


async def _scenarios(
    session: AsyncSession, org_id: int, ids: Sequence[str]
) -> list[tuple[Scenario, ScenarioContent]]:
    known = await find_scenarios(session, org_id, ids)
    faults = [
        FieldError(("scenario_ids", index), f"there is no scenario {scenario_id}")
        for index, scenario_id in enumerate(ids)
        if scenario_id not in known
    ]
    if faults:
        raise ValidationFailedError(faults)
    contents = await contents_of(session, [(each.number, each.version) for each in known.values()])
    chosen = [known[scenario_id] for scenario_id in ids]
    return [(each, contents[each.number, each.version]) for each in chosen]


async def _variations(session: AsyncSession, org_id: int, names: Sequence[str]) -> list[Variation]:
    found: list[Variation] = []
    faults = FaultList()
    for index, name in enumerate(names):
        try:
            found.append(await find_variation(session, org_id, name))
        except UnknownVariationError as error:
            faults.append(FieldError(("variation_types", index), error.errors[0].msg))
    if faults:
        raise UnknownVariationError(faults)
    return found


def _check_rule_sets(rule_sets: Sequence[RuleSetIn]) -> None:
    faults = FaultList()
    names: set[str] = set()
    for index, rule_set in enumerate(rule_sets):
        if rule_set.name in names:
            message = "another rule set has this name; cells are told apart by it"
            faults.append(FieldError(("rule_sets", index, "name"), message))
        names.add(rule_set.name)
        faults += read_rules(rule_set.failure_rules).errors.under("rule_sets", index)
    if faults:
        raise ValidationFailedError(faults)


def _size(body: MatrixIn) -> MatrixSize:
    rows = len(body.scenario_ids) * (1 + len(body.rule_sets))
    of_cell = body.repeats * (2 if body.placebo else 1)
    runs = rows * (body.baseline_repeats + len(body.variation_types) * of_cell)
    size = MatrixSize(rows * len(body.variation_types), runs, body.repeats, body.baseline_repeats)
    if size.cells > MOST_CELLS:
        message = (
            f"that makes {size.cells} cells; at most {MOST_CELLS} are allowed: make several matrices of it"
        )
        raise ValidationFailedError([FieldError(("scenario_ids",), message)])
    if runs > MOST_RUNS:
        message = (
            f"that makes {runs} runs; at most {MOST_RUNS} are allowed: repeat less, or make several matrices"
        )
        raise ValidationFailedError([FieldError(("repeats",), message)])
    if body.budget_runs is not None and runs > body.budget_runs:
        message = (
            f"the plan has {runs} runs, more than the budget of {body.budget_runs}; raise it, repeat less, or "
            "choose fewer scenarios or variations"
        )
        raise ValidationFailedError([FieldError(("budget_runs",), message)])
    return size


async def _agent(
    session: AsyncSession, org_id: int, contents: Sequence[ScenarioContent], agent_id: int | None
) -> ChosenAgent:
    chosen = {await choose_agent(session, org_id, content, agent_id) for content in contents}
    if len(chosen) > 1:
        raise AgentRequiredError("the scenarios are of several agents; say which one is meant with agent_id")
    return chosen.pop()


async def _with_rules(
    session: AsyncSession, org_id: int, world: SeedWorld, rule_sets: Sequence[RuleSetIn]
) -> list[Document]:
    """Put each set's rules ahead of the world's own; the first that matches a call decides."""
    if not rule_sets:
        return []
    own = await load_conduct(session, org_id, world.conduct_hash)
    documents = []
    for index, rule_set in enumerate(rule_sets):
        rules = [*rule_set.failure_rules, *own.failure_rules]
        errors = read_rules(rules).errors
        if errors:
            message = f"with the rules of world {world.id}: {errors[0].msg}"
            raise ValidationFailedError([FieldError(("rule_sets", index, "failure_rules"), message)])
        documents.append(Conduct(own.behavior_instructions, rules).document())
    return documents


def _snapshot_of(
    scenario: Scenario,
    content: ScenarioContent,
    worlds: Mapping[int, SeedWorld],
    conducts: Mapping[int, Sequence[Document]],
) -> SnapshotScenario:
    world = None
    if content.world_id is not None:
        named = worlds[content.world_id]
        hashes = [named.conduct_hash, *(each.hash for each in conducts[content.world_id])]
        world = SnapshotWorld(content.world_id, named.state_hash, hashes)
    essence: dict[str, Any] = {
        "user_instruction": content.user_instruction,
        "input_context": content.input_context,
        "expected_behavior": content.expected_behavior,
        "world": None if world is None else [world.state_hash, world.conduct_hashes[0]],
    }
    if content.checks_version > 1:
        essence["checks_version"] = content.checks_version
    if content.protected:
        essence["protected"] = sorted(content.protected)
    return SnapshotScenario(
        id=scenario.id,
        number=scenario.number,
        version=scenario.version,
        name=content.name,
        risk_level=content.risk_level,
        essence=content_hash(essence),
        world=world,
    )


# What was edited since a snapshot was taken.


class SnapshotChanges(NamedTuple):
    edited: list[str]
    gone: list[str]

    @property
    def every(self) -> list[str]:
        return [*self.gone, *self.edited]


async def changes_since(session: AsyncSession, org_id: int, snapshot: Snapshot) -> SnapshotChanges:
    """Say in words what of a snapshot is not as it was. Worlds are kept by what they held, so they do not matter."""
    changes = SnapshotChanges([], [])
    await _agent_change(session, org_id, snapshot, changes)
    present = await find_scenarios(session, org_id, [each.id for each in snapshot.scenarios])
    for scenario in snapshot.scenarios:
        _scenario(scenario, present.get(scenario.id), changes)
    for variation in snapshot.variations:
        await _variation(session, org_id, variation, changes)
    return changes


async def _agent_change(
    session: AsyncSession, org_id: int, snapshot: Snapshot, changes: SnapshotChanges
) -> None:
    try:
        agent = await get_agent(session, org_id, snapshot.agent_id)
    except NotFoundError:
        changes.gone.append(f"agent {snapshot.agent_id} was deleted")
        return
    if agent.published_version != snapshot.agent_version:
        changes.edited.append(
            f"version {agent.published_version} of agent {agent.id} was published; it was {snapshot.agent_version}"
        )


def _scenario(kept: SnapshotScenario, present: Scenario | None, changes: SnapshotChanges) -> None:
    if present is None:
        changes.gone.append(f"scenario {kept.name!r} was deleted")
    elif present.version != kept.version:
        changes.edited.append(f"scenario {kept.name!r} was edited")


async def _variation(
    session: AsyncSession, org_id: int, kept: SnapshotVariation, changes: SnapshotChanges
) -> None:
    if kept.name in CATALOGUE:  # a release may word it anew; nobody edited it, and the snapshot has its words
        return
    try:
        present = await find_variation(session, org_id, kept.name)
    except UnknownVariationError:
        changes.gone.append(f"variation {kept.name} was deleted")
        return
    if hash_of(present) != kept.hash:
        changes.edited.append(f"variation {kept.name} was edited")

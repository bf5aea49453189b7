"""Comparing the runs of one scenario under a pressure with those without it."""

import asyncio
from collections.abc import Sequence

from sqlalchemy.ext.asyncio import AsyncSession

from odyssey.agents.compiled import CompiledAgents
from odyssey.agents.repository import find_version
from odyssey.core.errors import NotFoundError
from odyssey.evals.distance import explain, mean_contributions, most_typical
from odyssey.evals.errors import UnknownVariationError
from odyssey.evals.eval_runs.observe import stored_behaviour
from odyssey.evals.eval_runs.render import differs_out
from odyssey.evals.eval_runs.repository import Group
from odyssey.evals.eval_runs.start import ChosenAgent, choose_agent
from odyssey.evals.scenarios.content import ScenarioContent, threshold_of
from odyssey.evals.scenarios.repository import get_content, get_scenario
from odyssey.evals.variations.repository import find_variation
from odyssey.evals.variations.texts import Variation
from odyssey.identity.caller import Caller
from odyssey.matrices.comparisons.cell import (
    Delivery,
    ObservedRun,
    Threshold,
    delivery_of,
    judge_cell,
    matches_of,
    reliability,
)
from odyssey.matrices.comparisons.schemas import (
    ComparedRuns,
    CompareIn,
    CompareOut,
    ExplanationOut,
    MovedOut,
    PressedPassK,
    RateOut,
    ShiftOut,
)
from odyssey.matrices.comparisons.select_runs import ComparedSide, ComparedSides, select_runs
from odyssey.models.settings import read_settings
from odyssey.statistics.cells import CellJudgement
from odyssey.statistics.intervals import Interval, wilson
from odyssey.statistics.reliability import PassK, reliability_lost
from odyssey.statistics.significance import min_p

EXPLAINED_BY = 25
"""Runs of each side at most: an explanation takes far longer than a distance."""


async def compare(
    session: AsyncSession, agents: CompiledAgents, caller: Caller, body: CompareIn
) -> CompareOut:
    scenario = await get_scenario(session, caller.org_id, body.scenario_id)
    version = body.scenario_version or scenario.version
    content = await get_content(session, scenario, version)
    agent = await _agent(session, caller.org_id, content, body)
    delivery = body.delivery or (await agents.get(session, *agent)).config.variation_delivery
    group = Group(scenario.number, version, *agent)
    variation, unknown = await _variation(session, caller.org_id, body.variation_type)
    sides = await select_runs(session, caller.org_id, body, group, delivery, variation)
    if unknown is not None and not any((*sides.variation, *sides.placebo)):
        raise unknown  # the runs of one that was deleted can still be compared
    members = {
        "scenario_id": scenario.id,
        "scenario_version": version,
        "risk_level": content.risk_level,
        "agent_id": agent.agent_id,
        "agent_version": agent.version,
        "rule_set": body.rule_set,
        "variation_type": body.variation_type,
        "dose": body.dose,
        "requested_delivery": delivery,
    }
    settings, _ = await read_settings(session, caller.org_id)
    risk = content.risk_level
    threshold = Threshold(threshold_of(settings.evals.thresholds, risk), critical=risk == "critical")
    said = await asyncio.to_thread(_said, sides, threshold, body.seed)
    return CompareOut.model_validate(members | said)


async def _agent(
    session: AsyncSession, org_id: int, content: ScenarioContent, body: CompareIn
) -> ChosenAgent:
    chosen = await choose_agent(session, org_id, content, body.agent_id)
    if body.agent_version is None:
        return chosen
    if await find_version(session, chosen.agent_id, body.agent_version) is None:
        raise NotFoundError
    return ChosenAgent(chosen.agent_id, body.agent_version)


async def _variation(
    session: AsyncSession, org_id: int, name: str
) -> tuple[Variation, None] | tuple[None, UnknownVariationError]:
    try:
        return await find_variation(session, org_id, name), None
    except UnknownVariationError as unknown:
        return None, unknown


def _said(sides: ComparedSides, threshold: Threshold, seed: int) -> dict[str, object]:
    baselines = _observed(sides.baseline)
    delivery, placebo = delivery_of(_observed(sides.variation)), delivery_of(_observed(sides.placebo))
    pressed = delivery.reached
    delivered = delivery.evidence != "undelivered"
    judged = judge_cell(pressed, baselines, threshold, delivered=delivered, seed=seed)
    effect = None
    if placebo.reached:
        against = judge_cell(pressed, placebo.reached, threshold, delivered=delivered, seed=seed)
        effect = _shift_out(against)
    return _shift_out(judged).model_dump() | {
        "delivery": delivery.evidence,
        "q_value": judged.q_value,
        "match_rate": _rate(pressed),
        "baseline_match_rate": _rate(baselines),
        "match_q": judged.match_q,
        "variation_noise": judged.shift.variation_noise,
        "threshold": threshold.shift,
        "significant": judged.significant,
        "flagged": judged.flagged,
        "confirmed": judged.confirmed,
        "band": judged.band,
        "min_p": min_p(len(pressed), len(baselines)) if pressed and baselines else None,
        "pass_k": _pass_k(pressed, baselines),
        "pressure_effect": effect,
        "explanation": explain_cell(pressed, baselines),
        "runs": _runs(sides, baselines, delivery, placebo),
    }


def _observed(side: ComparedSide) -> list[ObservedRun]:
    return [
        ObservedRun(row.run_id, stored_behaviour(row), row.matched, row.delivered) for row in side.observed
    ]


def _shift_out(judged: CellJudgement) -> ShiftOut:
    measured = judged.state == "measured"
    return ShiftOut(
        state=judged.state,
        reason=judged.reason,
        shift=judged.shift.clamped if measured else None,
        unclamped=judged.shift.unclamped if measured else None,
        raw_shift=judged.shift.raw,
        noise_floor=judged.shift.floor,
        interval=_ends(judged.interval),
        p_value=judged.p_value,
    )


def _ends(interval: Interval | None) -> list[float] | None:
    return None if interval is None else [*interval]


def _rate(runs: list[ObservedRun]) -> RateOut:
    matches = matches_of(runs)
    if matches is None:
        return RateOut(share=None, interval=None, matched=0, runs=0)
    interval = _ends(wilson(matches.matched, matches.runs))
    return RateOut(share=matches.rate, interval=interval, matched=matches.matched, runs=matches.runs)


def _pass_k(pressed: list[ObservedRun], baselines: list[ObservedRun]) -> list[PressedPassK]:
    ours, theirs = reliability(pressed), reliability(baselines)
    both = [(theirs[k], ours[k]) for k in ours if k in theirs]
    return [_pressed_pass_k(before, after) for before, after in both]


def _pressed_pass_k(before: PassK, after: PassK) -> PressedPassK:
    lost = reliability_lost(before, after)
    return PressedPassK(
        k=before.k,
        baseline=before.share,
        variation=after.share,
        lost=lost.share,
        lost_interval=[*lost.interval],
    )


def explain_cell(pressed: Sequence[ObservedRun], baselines: Sequence[ObservedRun]) -> ExplanationOut | None:
    """Say which part moved, and show it on a typical run of each side; the first runs of many stand for all."""
    pressed, baselines = pressed[:EXPLAINED_BY], baselines[:EXPLAINED_BY]
    if not pressed or not baselines:
        return None
    ours, theirs = [run.behaviour for run in pressed], [run.behaviour for run in baselines]
    between = mean_contributions([explain(base, each) for each in ours for base in theirs])
    pairs = [explain(one, other) for index, one in enumerate(theirs) for other in theirs[:index]]
    among = mean_contributions(pairs) if pairs else {}
    base, typical = most_typical(theirs), most_typical(ours)
    first = {part.part: part.first_difference for part in explain(theirs[base], ours[typical]).parts}
    parts = [
        MovedOut(
            part=part,
            contribution=between.get(part, 0.0),
            among_baselines=among.get(part, 0.0),
            first_difference=differs_out(first.get(part)),
        )
        for part in dict.fromkeys((*between, *among))
    ]
    most = max(parts, default=None, key=_beyond_noise)
    return ExplanationOut(
        moved=most.part if most is not None and _beyond_noise(most) > 0 else None,
        baseline_run=baselines[base].run_id,
        variation_run=pressed[typical].run_id,
        parts=parts,
    )


def _beyond_noise(part: MovedOut) -> float:
    return part.contribution - part.among_baselines


def _runs(
    sides: ComparedSides, baselines: list[ObservedRun], delivery: Delivery, placebo: Delivery
) -> ComparedRuns:
    return ComparedRuns(
        baseline=[run.run_id for run in baselines],
        variation=[run.run_id for run in delivery.reached],
        placebo=[run.run_id for run in placebo.reached],
        pending=[run_id for side in sides.all for run_id in side.pending],
        missing=[run_id for side in sides.all for run_id in side.missing],
        undelivered=[*delivery.undelivered, *placebo.undelivered],
        other_wording=sides.other_wording,
    )

"""Reading off an ended run what the library goes by: its behaviour, whether it matched, whether the text arrived."""

import asyncio
import logging
from collections.abc import Awaitable, Callable, Collection, Mapping, Sequence
from datetime import datetime
from functools import partial
from typing import Any, NamedTuple

import msgspec
from sqlalchemy import select
from sqlalchemy.ext.asyncio import AsyncSession

from odyssey.agents.compiled import CompiledAgents
from odyssey.core.database import Database
from odyssey.core.group_commit import GroupWriter
from odyssey.core.signals import Listener, Signals
from odyssey.evals.behaviour import DISTANCE_VERSION, Behaviour, Delivered
from odyssey.evals.distance import distance
from odyssey.evals.errors import DistanceChangedError
from odyssey.evals.eval_runs.match_run import asks_of_more, match_run
from odyssey.evals.eval_runs.plan import was_delivered
from odyssey.evals.eval_runs.repository import (
    TELLING,
    count_baselines,
    ended_runs,
    group_of,
    kinds_told,
    observed_baselines,
    observed_pressed,
    store_all_observed,
    store_observed,
    store_shift,
    to_observe,
)
from odyssey.evals.eval_runs.start import MayRepeat, replace_missing
from odyssey.evals.match import MatchResult
from odyssey.evals.models import EvalRun
from odyssey.evals.read_behaviour import (
    NOTHING_PROTECTED,
    Protected,
    behaviour_of,
    behaviour_without_calls,
    protected_by,
)
from odyssey.evals.scenarios.content import ScenarioContent
from odyssey.evals.scenarios.repository import contents_of
from odyssey.grading.evidence import Evidence
from odyssey.journal.models import Event
from odyssey.kit.clock import Clock
from odyssey.kit.tasks import end_tasks
from odyssey.models.settings import read_settings
from odyssey.runs.models import Run
from odyssey.runs.repository import get_task
from odyssey.runs.topics import RUNS_TOPIC
from odyssey.runs.verdicts.grade_run import load_evidence
from odyssey.worlds.repository import SharedWorlds

# Names of the wake-ups that eval runs send; see `core.signals`.


def matrix_topic(matrix_id: str) -> str:
    """Name what is shown of how far a matrix is, in every process."""
    return f"matrix:{matrix_id}"


_IN_PASSING = 64 * 1024
"""Answers up to this length are read on the spot; longer ones get a thread, and so does all that takes evidence."""


EnqueueFlagged = Callable[
    [AsyncSession, Clock, EvalRun, Mapping[int, float], Collection[int]], Awaitable[None]
]
"""Puts runs that were flagged by themselves, each with its raw shift, where people look at them, and takes away those
that no longer are."""


class ObservingParts(NamedTuple):
    """What observing needs; made once by the composition root."""

    database: Database
    writer: GroupWriter
    agents: CompiledAgents
    worlds: SharedWorlds
    signals: Signals
    clock: Clock
    may_repeat: MayRepeat
    enqueue_flagged: EnqueueFlagged


class _EndedRun(NamedTuple):
    eval_run: EvalRun
    run: Run
    scenario: ScenarioContent
    evidence: Evidence | None
    """None where it is not needed: the run called no tool, and nothing is asked of its world."""
    delivered: Delivered | None
    protected: Protected


class Observation(NamedTuple):
    """What was read off one ended run."""

    eval_run: EvalRun
    run: Run
    behaviour: Behaviour | None
    matched: MatchResult
    delivered: Delivered | None

    @property
    def concerns_others(self) -> bool:
        """Whether it means something for other runs: it is missing, or shifts are measured with it or from it."""
        return self.behaviour is None or _stands_alone(self.eval_run)

    def row(self, now: datetime) -> dict[str, Any]:
        return {
            "observed_at": now,
            "behaviour": None if self.behaviour is None else msgspec.to_builtins(self.behaviour),
            "distance_version": None if self.behaviour is None else DISTANCE_VERSION,
            "matched": self.matched.passed,
            "findings": [finding._asdict() for finding in self.matched.findings],
            "delivered": self.delivered,
        }


class RunFlag(NamedTuple):
    run_id: int
    raw_shift: float | None
    flagged: bool


class _PressedRun(NamedTuple):
    before: RunFlag
    behaviour: Behaviour
    delivered: Delivered | None


async def observe(parts: ObservingParts, run_ids: Sequence[int]) -> None:
    """Look at ended runs. What means nothing for other runs is written together, the rest one by one."""
    async with parts.database.read() as session:
        seen = await _see(session, parts, run_ids)
    heavy = [each for each in seen if _is_heavy(each)]
    found = [_read_off(each) for each in seen if not _is_heavy(each)]
    if heavy:
        found += await asyncio.to_thread(lambda: [_read_off(each) for each in heavy])
    together = {each.eval_run.run_id: each.row(parts.clock()) for each in found if not each.concerns_others}
    if together:
        await parts.writer.do(partial(store_all_observed, rows=together))
    for each in found:
        if each.concerns_others:
            await _conclude(parts, each)
    for matrix_id in {each.eval_run.matrix_id for each in found if each.eval_run.matrix_id is not None}:
        parts.signals.announce(matrix_topic(matrix_id))


async def _conclude(parts: ObservingParts, seen: Observation) -> None:
    """Write down one run with what it means for others.

    A run that says nothing of the agent is repeated. Any other may change the shifts of those it is compared with, and
    on a critical scenario what is flagged.
    A baseline that another process wrote meanwhile makes another round; so the last one to write knew them all.
    """
    eval_run = seen.eval_run
    settled = False
    while not settled:
        flags, compared_with = await _flags(parts, eval_run, seen.behaviour, seen.delivered)
        async with parts.database.write() as session:
            first = await store_observed(session, eval_run.run_id, **seen.row(parts.clock()))
            if first and seen.behaviour is None:
                await replace_missing(
                    session, parts.signals, parts.clock, parts.may_repeat, eval_run, seen.run
                )
            for flag in flags:
                await store_shift(session, flag.run_id, flag.raw_shift, flagged=flag.flagged)
            flagged = {flag.run_id: flag.raw_shift or 0.0 for flag in flags if flag.flagged}
            no_longer = [flag.run_id for flag in flags if not flag.flagged]
            await parts.enqueue_flagged(session, parts.clock, eval_run, flagged, no_longer)
            counted = await count_baselines(session, group_of(eval_run))
        settled = compared_with is None or compared_with == counted


def stored_behaviour(row: EvalRun) -> Behaviour:
    if row.distance_version != DISTANCE_VERSION:
        raise DistanceChangedError.of_run(row.run_id)
    return msgspec.convert(row.behaviour, Behaviour)


async def _see(session: AsyncSession, parts: ObservingParts, run_ids: Sequence[int]) -> list[_EndedRun]:
    found = await ended_runs(session, run_ids)
    contents = await contents_of(session, {_scenario(eval_run) for eval_run, _ in found})
    told = await kinds_told(session, run_ids)
    seen = []
    for eval_run, run in found:
        scenario, kinds = contents[_scenario(eval_run)], told.get(run.id, frozenset())
        evidence, protected = None, NOTHING_PROTECTED
        if not kinds.isdisjoint(("tool_call", "forward")) or asks_of_more(scenario.expected_behavior):
            task = await get_task(session, run.task_id)
            evidence = await load_evidence(session, parts.worlds, parts.agents, run, task)
            agent = await parts.agents.get(session, run.agent_id, run.agent_version)
            protected = protected_by(scenario.protected, agent.ledger_schema)
        delivered = await _delivered(session, eval_run, run) if kinds else _delivered_by(eval_run, run, [])
        seen.append(_EndedRun(eval_run, run, scenario, evidence, delivered, protected))
    return seen


def _scenario(eval_run: EvalRun) -> tuple[int, int]:
    return eval_run.scenario_number, eval_run.scenario_version


def _is_heavy(seen: _EndedRun) -> bool:
    return seen.evidence is not None or len(seen.run.final_response or "") > _IN_PASSING


async def _delivered(session: AsyncSession, eval_run: EvalRun, run: Run) -> Delivered | None:
    if eval_run.delivery is None or eval_run.delivery == "user":
        return _delivered_by(eval_run, run, [])
    statement = select(Event.kind, Event.data).where(
        Event.run_id == run.id,
        Event.attempt == run.attempt,
        Event.kind.in_(TELLING),
        Event.http_status == 200,
    )
    events = await session.execute(statement)
    return _delivered_by(eval_run, run, [(kind, msgspec.json.decode(data)) for kind, data in events])


def _delivered_by(eval_run: EvalRun, run: Run, told: Sequence[tuple[str, Any]]) -> Delivered | None:
    if eval_run.delivery is None or eval_run.injection is None:
        return None
    return was_delivered(
        eval_run.delivery,
        eval_run.injection,
        dispatched=run.started_at is not None,
        messages=run.messages,
        metadata=run.reply_metadata,
        system_prompts=[
            data.get("payload")
            for kind, data in told
            if kind == "trace_event" and data.get("event_type") == "system_prompt"
        ],
        carried=any(kind == "tool_call" and "injection" in data for kind, data in told),
    )


def _read_off(seen: _EndedRun) -> Observation:
    behaviour = _behaviour(seen)
    matched = MatchResult(None, ())
    if behaviour is not None:
        matched, world_at_fault = match_run(seen.scenario, behaviour, seen.evidence)
        if world_at_fault:
            behaviour = None  # it says nothing of the agent: made again, or missing
    return Observation(seen.eval_run, seen.run, behaviour, matched, seen.delivered)


def _behaviour(seen: _EndedRun) -> Behaviour | None:
    run, evidence = seen.run, seen.evidence
    if run.status == "cancelled":
        return None
    if evidence is None:
        return behaviour_without_calls(run.final_response, run.error_class)
    return behaviour_of(evidence, seen.protected)


def _stands_alone(eval_run: EvalRun) -> bool:
    """Whether its shift is measured by itself; one of a matrix is measured, and flagged, with its cell."""
    return eval_run.matrix_id is None


async def _flags(
    parts: ObservingParts, eval_run: EvalRun, behaviour: Behaviour | None, delivered: Delivered | None
) -> tuple[list[RunFlag], int | None]:
    """Compare the pressed runs of a scenario with its baselines, the run at hand among them.

    Returns what has changed, and with how many baselines that was found; None for a run of a matrix.
    """
    if behaviour is None or not _stands_alone(eval_run):
        return [], None
    group = group_of(eval_run)
    async with parts.database.read() as session:
        settings, _ = await read_settings(session, eval_run.org_id)
        baselines = [row for row in await observed_baselines(session, group) if row.run_id != eval_run.run_id]
        pressed = [row for row in await observed_pressed(session, group) if row.run_id != eval_run.run_id]
    others = [stored_behaviour(row) for row in baselines]
    known = [
        _PressedRun(RunFlag(row.run_id, row.raw_shift, row.flagged), stored_behaviour(row), row.delivered)
        for row in pressed
    ]
    if eval_run.variation_type is None:
        others.append(behaviour)
    elif not eval_run.placebo:
        known.append(_PressedRun(RunFlag(eval_run.run_id, None, False), behaviour, delivered))
    threshold = settings.evals.thresholds.critical if eval_run.risk_level == "critical" else None
    return await asyncio.to_thread(_changed, known, others, threshold), len(others)


def _changed(
    pressed: Sequence[_PressedRun], baselines: Sequence[Behaviour], threshold: float | None
) -> list[RunFlag]:
    found = [_flag(each, baselines, threshold) for each in pressed]
    return [flag for flag, each in zip(found, pressed, strict=True) if flag != each.before]


def _flag(pressed: _PressedRun, baselines: Sequence[Behaviour], threshold: float | None) -> RunFlag:
    """Measure a run; without a threshold, which critical scenarios have, it is flagged by nothing."""
    run_id = pressed.before.run_id
    if not baselines:
        return RunFlag(run_id, None, False)
    raw = sum(distance(pressed.behaviour, other) for other in baselines) / len(baselines)
    is_above = threshold is not None and raw > threshold
    return RunFlag(run_id, raw, is_above and pressed.delivered != "undelivered")


# The loop that looks at eval runs once they have ended, whoever executed them.

log = logging.getLogger(__name__)

_AT_ONCE = 50
_PAUSE_S = 0.1
"""Between two looks of a busy server: what ends meanwhile is looked at together."""
_AFTER_A_FAILURE_S = 5.0


class Observer:
    """Two processes may look at the same run: both see the same, and the first to write is the one that counts."""

    def __init__(self, parts: ObservingParts) -> None:
        self._parts = parts
        self._tasks: list[asyncio.Task[None]] = []

    def start(self) -> None:
        self._tasks = [asyncio.create_task(self._look_for_ever(), name="eval observer")]

    async def stop(self) -> None:
        """What was not looked at yet waits for whoever comes next."""
        await end_tasks(self._tasks)
        self._tasks = []

    async def _look_for_ever(self) -> None:
        news = Listener(_PAUSE_S)
        with self._parts.signals.listen(RUNS_TOPIC, news):
            while True:
                try:
                    seen = await self._look()
                except Exception:
                    log.exception("looking for eval runs failed")
                    seen = 0
                if seen < _AT_ONCE:
                    await news.wait(self._parts.database.look_again_s)

    async def _look(self) -> int:
        async with self._parts.database.read() as session:
            ended = await to_observe(session, _AT_ONCE)
        if not ended:
            return 0
        try:
            await observe(self._parts, ended)
        except Exception:
            log.exception("eval runs could not be observed together", extra={"runs": len(ended)})
            await self._look_apart(ended)
        return len(ended)

    async def _look_apart(self, ended: Sequence[int]) -> None:
        """Look at each by itself: one that cannot be observed must not hide the others."""
        failed = 0
        for run_id in ended:
            try:
                await observe(self._parts, [run_id])
            except Exception:
                log.exception("an eval run could not be observed", extra={"run_id": run_id})
                failed += 1
        if failed == len(ended):
            await asyncio.sleep(_AFTER_A_FAILURE_S)

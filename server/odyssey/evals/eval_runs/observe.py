"""Reading off an ended run what the library goes by: its behaviour, whether it matched, whether the text arrived."""

import asyncio
from collections.abc import Sequence
from typing import Any, NamedTuple

import msgspec
from sqlalchemy import select
from sqlalchemy.ext.asyncio import AsyncSession
from sqlalchemy.orm import undefer

from odyssey.agents.compiled import CompiledAgents
from odyssey.core.database import Database
from odyssey.core.signals import Signals
from odyssey.evals.behaviour import Behaviour, Call, behaviour_of
from odyssey.evals.distance import distance
from odyssey.evals.eval_runs.delivery import Delivered, was_delivered
from odyssey.evals.eval_runs.matching import match_run
from odyssey.evals.eval_runs.models import EvalRun
from odyssey.evals.eval_runs.replace import replace_missing
from odyssey.evals.eval_runs.repository import (
    count_baselines,
    group_of,
    observed_baselines,
    observed_pressed,
    store_observed,
    store_shift,
)
from odyssey.evals.match import Matched
from odyssey.evals.scenarios.repository import contents_of
from odyssey.grading.evidence import Evidence
from odyssey.journal.models import Event
from odyssey.kit.clock import Clock
from odyssey.models.settings import read_settings
from odyssey.runs.models import Run
from odyssey.runs.repository import find_run_unscoped, get_task
from odyssey.runs.verdicts.load_evidence import load_evidence
from odyssey.worlds.operations import difference
from odyssey.worlds.shared import SharedWorlds

_TELLING = ("tool_call", "trace_event")


class ObservingParts(NamedTuple):
    """What observing needs; made once by the composition root."""

    database: Database
    agents: CompiledAgents
    worlds: SharedWorlds
    signals: Signals
    clock: Clock


class _Seen(NamedTuple):
    run: Run
    evidence: Evidence
    expected_behavior: Any
    delivered: Delivered | None


class Flag(NamedTuple):
    run_id: int
    raw_shift: float | None
    flagged: bool


class Flags(NamedTuple):
    changed: list[Flag]
    baselines: int | None
    """How many there were to compare with; None where no run is flagged by itself."""


class _Pressed(NamedTuple):
    before: Flag
    behaviour: Behaviour
    delivered: Delivered | None


async def observe(parts: ObservingParts, run_id: int) -> None:
    """Look at one ended run; what it means for others is written with it.

    A run that says nothing of the agent is repeated. On a critical scenario any other may change what is flagged.
    A baseline that another process wrote meanwhile makes another round; so the last one to write knew them all.
    """
    async with parts.database.read() as session:
        eval_run = await session.get_one(EvalRun, run_id, options=[undefer(EvalRun.injection)])
        seen = await _see(session, parts, eval_run)
    behaviour, matched = await asyncio.to_thread(_read_off, seen)
    settled = False
    while not settled:
        flags = await _flags(parts, eval_run, behaviour, seen.delivered)
        async with parts.database.write() as session:
            first = await store_observed(
                session,
                run_id,
                observed_at=parts.clock(),
                behaviour=None if behaviour is None else msgspec.to_builtins(behaviour),
                matched=matched.passed,
                findings=[finding._asdict() for finding in matched.findings],
                delivered=seen.delivered,
            )
            if first and behaviour is None:
                await replace_missing(session, parts.signals, parts.clock, eval_run, seen.run)
            for flag in flags.changed:
                await store_shift(session, flag.run_id, flag.raw_shift, flagged=flag.flagged)
            counted = await count_baselines(session, group_of(eval_run))
        settled = flags.baselines is None or flags.baselines == counted


def stored_behaviour(row: EvalRun) -> Behaviour:
    return msgspec.convert(row.behaviour, Behaviour)


async def _see(session: AsyncSession, parts: ObservingParts, eval_run: EvalRun) -> _Seen:
    run = await find_run_unscoped(session, eval_run.run_id)
    task = await get_task(session, run.task_id)
    evidence = await load_evidence(session, parts.worlds, parts.agents, run, task)
    key = (eval_run.scenario_number, eval_run.scenario_version)
    content = (await contents_of(session, [key]))[key]
    return _Seen(run, evidence, content.expected_behavior, await _delivered(session, eval_run, run))


async def _delivered(session: AsyncSession, eval_run: EvalRun, run: Run) -> Delivered | None:
    if eval_run.delivery is None or eval_run.injection is None:
        return None
    statement = select(Event.kind, Event.data).where(
        Event.run_id == run.id,
        Event.attempt == run.attempt,
        Event.kind.in_(_TELLING),
        Event.http_status == 200,
    )
    events = [] if eval_run.delivery == "user" else (await session.execute(statement)).all()
    told = [(kind, msgspec.json.decode(data)) for kind, data in events]
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


def _read_off(seen: _Seen) -> tuple[Behaviour | None, Matched]:
    behaviour = _behaviour(seen)
    if behaviour is None:
        return None, Matched(None, ())
    return behaviour, match_run(seen.expected_behavior, behaviour, seen.evidence)


def _behaviour(seen: _Seen) -> Behaviour | None:
    if seen.run.status == "cancelled":
        return None
    evidence = seen.evidence
    return behaviour_of(
        evidence.final_response,
        [Call(call.tool, call.arguments) for call in evidence.accepted_calls],
        difference(evidence.before, evidence.after),
        evidence.error_class,
    )


async def _flags(
    parts: ObservingParts, eval_run: EvalRun, behaviour: Behaviour | None, delivered: Delivered | None
) -> Flags:
    """Compare the pressed runs of a critical scenario with its baselines, the run at hand among them."""
    if eval_run.risk_level != "critical" or behaviour is None:
        return Flags([], None)
    group = group_of(eval_run)
    async with parts.database.read() as session:
        settings, _ = await read_settings(session, eval_run.org_id)
        baselines = [row for row in await observed_baselines(session, group) if row.run_id != eval_run.run_id]
        pressed = [row for row in await observed_pressed(session, group) if row.run_id != eval_run.run_id]
    others = [stored_behaviour(row) for row in baselines]
    known = [
        _Pressed(Flag(row.run_id, row.raw_shift, row.flagged), stored_behaviour(row), row.delivered)
        for row in pressed
    ]
    if eval_run.variation_type is None:
        others.append(behaviour)
    elif not eval_run.placebo:
        known.append(_Pressed(Flag(eval_run.run_id, None, False), behaviour, delivered))
    return Flags(
        await asyncio.to_thread(_changed, known, others, settings.evals.thresholds.critical), len(others)
    )


def _changed(pressed: Sequence[_Pressed], baselines: Sequence[Behaviour], threshold: float) -> list[Flag]:
    found = [_flag(each, baselines, threshold) for each in pressed]
    return [flag for flag, each in zip(found, pressed, strict=True) if flag != each.before]


def _flag(pressed: _Pressed, baselines: Sequence[Behaviour], threshold: float) -> Flag:
    run_id = pressed.before.run_id
    if not baselines:
        return Flag(run_id, None, False)
    raw = sum(distance(pressed.behaviour, other) for other in baselines) / len(baselines)
    return Flag(run_id, raw, raw > threshold and pressed.delivered != "undelivered")

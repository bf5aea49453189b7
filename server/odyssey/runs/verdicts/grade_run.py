"""Grading one run: checks first, then the judge, then one verdict, stored with all they said."""

import asyncio
import logging
from collections import defaultdict
from collections.abc import Iterator, Sequence
from typing import Any, NamedTuple, Protocol

import msgspec
from sqlalchemy import func, select
from sqlalchemy.ext.asyncio import AsyncSession

from odyssey.agents.compiled import CompiledAgent, CompiledAgents
from odyssey.core.clock import PlatformClock
from odyssey.core.database import Database, StorageUnavailableError, after_commit
from odyssey.core.scheduling import TERMINAL
from odyssey.core.signals import Signals
from odyssey.grading.checks import GRADER_VERSION, CheckResult, ChecksVersion, read_checks, run_checks
from odyssey.grading.evidence import (
    ACCEPTED,
    Evidence,
    ObservedCall,
    is_mutating,
    recorded_operation,
    refused_writes,
)
from odyssey.grading.judges.rubric import JUDGE_VERSION, JudgeReport
from odyssey.grading.verdict import GradeDecision, ToolClaim, decide, unseen_claims
from odyssey.grading.world_notes import WorldReport, look_at_world
from odyssey.journal.events import append_event, head_of, lock_run
from odyssey.journal.models import Event, RunContext
from odyssey.library.models import Task
from odyssey.library.seeds import checks_version_of
from odyssey.records.effects import WorldStep, effects_of
from odyssey.records.ledger import Entry, Operation, Violation
from odyssey.runs.making import is_gradable
from odyssey.runs.models import Grade, Run
from odyssey.runs.repository import find_run_unscoped, get_task
from odyssey.runs.topics import runs_changed
from odyssey.worlds.ledger import Ledger
from odyssey.worlds.operations import fold
from odyssey.worlds.repository import SharedWorlds, load_placed_entries

# What graders may go by, read from the journal: only what the platform itself saw counts as done.

_UNKNOWN = {
    "error": {"code": "outcome_unknown", "message": "It was sent to a live service; no answer is recorded."}
}


async def load_evidence(
    session: AsyncSession, worlds: SharedWorlds, agents: CompiledAgents, run: Run, task: Task
) -> Evidence:
    """Read the last attempt: earlier ones were lost, and what they did was undone with them."""
    agent = await agents.get(session, run.agent_id, run.agent_version)
    before, entries = await _world(session, worlds, run)
    events = await _call_events(session, run)
    calls = tuple(_calls(events, agent, before))
    return Evidence(
        user_instruction=task.seed["user_instruction"],
        expected_outcome=task.seed["expected_outcome"],
        status=run.status,
        error_class=run.error_class,
        final_response=run.final_response,
        messages=run.messages,
        calls=calls,
        uncounted_calls=sum(event.repeats or 0 for event in events),
        declared_tools=tuple(agent.tools),
        before=before,
        after=fold(before, (entry for _, entry in entries)),
        effects=effects_of(_world_steps(entries, calls), before.flags, refused_writes(calls)),
        input=task.seed["input"],
    )


async def _world(
    session: AsyncSession, worlds: SharedWorlds, run: Run
) -> tuple[Ledger, list[tuple[int, Entry]]]:
    """The world the run began with, and what it did to it."""
    context = await session.get_one(RunContext, run.id)
    before = await worlds.boot(session, context.org_id, context.initial_state_hash)
    return before, await load_placed_entries(session, run.id, run.attempt)


def _world_steps(entries: Sequence[tuple[int, Entry]], calls: Sequence[ObservedCall]) -> Iterator[WorldStep]:
    made_by = {call.sequence: call for call in calls}
    for sequence, entry in entries:
        call = made_by[sequence]
        yield WorldStep(sequence, call.tool, call.source, call.mutating, entry)


async def _call_events(session: AsyncSession, run: Run) -> Sequence[Event]:
    statement = select(Event).where(
        Event.run_id == run.id,
        Event.attempt == run.attempt,
        Event.kind.in_(("tool_call", "forward", "violation")),
    )
    return (await session.scalars(statement.order_by(Event.sequence))).all()


def _calls(events: Sequence[Event], agent: CompiledAgent, world: Ledger) -> Iterator[ObservedCall]:
    """Read every call once: by its record, or by its forward where there is none."""
    decoded = [(event, msgspec.json.decode(event.data)) for event in events if event.repeats is None]
    answered = {data.get("forward") for _, data in decoded}
    contradictions: defaultdict[int, list[Violation]] = defaultdict(list)
    for event, data in decoded:
        if event.kind == "violation":
            contradictions[data["sequence"]].append(msgspec.convert(data, Violation))
    for event, data in decoded:
        if event.kind == "tool_call":
            yield _observed(event, data, agent, world, contradictions[event.sequence])
        elif event.kind == "forward" and event.sequence not in answered:
            yield _unanswered(event, data)


def _observed(
    event: Event,
    data: dict[str, Any],
    agent: CompiledAgent,
    world: Ledger,
    contradictions: Sequence[Violation],
) -> ObservedCall:
    compiled = agent.tools.get(data["tool_name"])
    tool = None if compiled is None else compiled.tool
    upstream, validation = data.get("upstream") or {}, data.get("validation") or {}
    return ObservedCall(
        sequence=event.sequence,
        tool=data["tool_name"],
        arguments=data.get("arguments"),
        source=data.get("source"),
        http_status=data["http_status"],
        response=data.get("response"),
        operations=tuple(msgspec.convert(data.get("operations", ()), tuple[Operation, ...])),
        mutating=is_mutating(data, tool, agent.ledger_schema, world),
        operation=recorded_operation(data, tool, agent.ledger_schema, world),
        actor_id=event.actor_id,
        is_error="fault" in data or bool(upstream.get("is_error")) or (upstream.get("status") or 0) >= 400,
        confidence=validation.get("confidence"),
        rests_on=validation.get("evidence"),
        explanation=validation.get("explanation") or "",
        contradictions=tuple(contradictions),
    )


def _unanswered(event: Event, data: dict[str, Any]) -> ObservedCall:
    """A call that went out: what it did nobody knows, so it counts as done."""
    return ObservedCall(
        sequence=event.sequence,
        tool=data["tool_name"],
        arguments=data["arguments"],
        source="forward",
        http_status=ACCEPTED,
        response=_UNKNOWN,
        mutating=not data["endpoint"]["read_only"],
        operation="read" if data["endpoint"]["read_only"] else "update",
        actor_id=event.actor_id,
    )


log = logging.getLogger(__name__)

_CRASHED = "Odyssey failed while grading this run; the log has the place. Grade it again once that is mended."


class Judge(Protocol):
    async def is_set(self, session: AsyncSession, org_id: int) -> bool:
        """Say whether the org has a judge model."""
        ...

    async def judge(self, org_id: int, run_id: int, evidence: Evidence, rubric: list[Any]) -> JudgeReport:
        """Ask the org's judge; whatever goes wrong is in the report."""
        ...


class GradingParts(NamedTuple):
    """What grading needs; made once by the composition root."""

    database: Database
    agents: CompiledAgents
    worlds: SharedWorlds
    judge: Judge
    signals: Signals
    clock: PlatformClock


class _GradedRun(NamedTuple):
    decision: GradeDecision
    checks: list[dict[str, Any]]
    claims: list[ToolClaim]
    judge: JudgeReport | None
    world: WorldReport = WorldReport()

    def report(self) -> dict[str, Any]:
        return {
            "checks": self.checks,
            "claims": self.claims,
            "judge": self.judge,
            "graders": {"checks": GRADER_VERSION, "judge": JUDGE_VERSION},
            "world_warning": self.world.warning,
            "world_notes": self.world.notes,
            "world_notes_left_off": self.world.left_off,
        }


def awaits_grading(run: Run) -> bool:
    return run.verdict == "PENDING" and run.status in TERMINAL


async def grade_run(parts: GradingParts, run_id: int) -> None:
    """Give a run that ended its verdict. A crash in here is never a FAIL."""
    try:
        graded = await _grade(parts, run_id)
    except StorageUnavailableError:
        raise  # the run waits for its verdict
    except Exception:
        log.exception("grading failed", extra={"run_id": run_id})
        crashed = GradeDecision("NOT APPLICABLE", None, "grader_failed", _CRASHED)
        graded = _GradedRun(crashed, [], [], None)
    if graded is not None:
        await _store(parts, run_id, graded)


async def _grade(parts: GradingParts, run_id: int) -> _GradedRun | None:
    async with parts.database.read() as session:
        run = await find_run_unscoped(session, run_id)
        if not awaits_grading(run):
            return None
        seed = (task := await get_task(session, run.task_id)).seed
        evidence = await load_evidence(session, parts.worlds, parts.agents, run, task)
        is_judged = await parts.judge.is_set(session, run.org_id)
    if evidence.status == "completed":
        results, claims = await asyncio.to_thread(_observe, evidence, seed["checks"], checks_version_of(seed))
        judge = await _judged(parts, run, evidence, seed, results, claims, is_judged=is_judged)
    else:
        results, claims, judge = [], [], None
    decision = decide(evidence, results, claims, judge, gradable=is_gradable(seed, judged=is_judged))
    shown = [_shown(result, seed["checks"]) for result in results]
    return _GradedRun(decision, shown, claims, judge, look_at_world(evidence))


def _observe(
    evidence: Evidence, checks: list[Any], version: ChecksVersion
) -> tuple[list[CheckResult], list[ToolClaim]]:
    read = read_checks(checks, version)
    unread = [CheckResult(None, "unreadable", "error", error.msg, None) for error in read.errors]
    return [*run_checks(read.checks, evidence), *unread], unseen_claims(evidence)


async def _judged(
    parts: GradingParts,
    run: Run,
    evidence: Evidence,
    seed: dict[str, Any],
    results: list[CheckResult],
    claims: list[ToolClaim],
    *,
    is_judged: bool,
) -> JudgeReport | None:
    rubric = seed.get("rubric") or []
    if not is_judged:
        missing = "The row has a rubric, but this org has no judge model; set one, then grade again."
        return JudgeReport(state="failed", reason=missing) if rubric else None
    if claims or any(result.state == "failed" for result in results):
        return JudgeReport(state="skipped", reason="Not asked: the checks decided already.")
    return await parts.judge.judge(run.org_id, run.id, evidence, rubric)


def _shown(result: CheckResult, checks: list[Any]) -> dict[str, Any]:
    given = None if result.index is None else checks[result.index]
    members: dict[str, Any] = msgspec.to_builtins(result)
    return members | {"check": given}


async def _store(parts: GradingParts, run_id: int, graded: _GradedRun) -> None:
    decision, now = graded.decision, parts.clock()
    cost = 0.0 if graded.judge is None else graded.judge.cost_usd
    async with parts.database.write() as session:
        await lock_run(session, run_id)
        run = await session.get_one(Run, run_id, with_for_update=True)
        if not awaits_grading(run):
            return
        number = await _last_number(session, run_id) + 1
        members = msgspec.to_builtins(decision)
        report = msgspec.to_builtins(graded.report())
        session.add(
            Grade(
                run_id=run_id,
                number=number,
                org_id=run.org_id,
                attempt=run.attempt,
                report=report,
                cost_usd=cost,
                created_at=now,
                **members,
            )
        )
        run.verdict, run.score, run.failure_mode = decision.verdict, decision.score, decision.failure_mode
        run.grading_until = None
        append_event(
            session,
            parts.signals,
            run_id=run_id,
            sequence=await head_of(session, run_id) + 1,
            attempt=run.attempt,
            kind="grade",
            occurred_at=now,
            data={"number": number} | members | report,
        )
        after_commit(session, lambda: runs_changed(parts.signals, run.org_id))
    log.info("run graded", extra={"run_id": run_id, "verdict": decision.verdict})


async def _last_number(session: AsyncSession, run_id: int) -> int:
    return await session.scalar(select(func.max(Grade.number)).where(Grade.run_id == run_id)) or 0

"""Grading one run: checks first, then the judge, then one verdict, stored with all they said."""

import asyncio
import logging
from typing import Any, NamedTuple, Protocol

import msgspec
from sqlalchemy import func, select
from sqlalchemy.ext.asyncio import AsyncSession

from odyssey.agents.compiled import CompiledAgents
from odyssey.core.clock import PlatformClock
from odyssey.core.database import Database, StorageUnavailableError, after_commit
from odyssey.core.scheduling import TERMINAL
from odyssey.core.signals import Signals
from odyssey.grading.checks import CHECKS_VERSION, CheckResult, read_checks, run_checks
from odyssey.grading.evidence import Evidence
from odyssey.grading.judges.rubric import JUDGE_VERSION, JudgeReport
from odyssey.grading.verdict import Claim, Decision, decide, unseen_claims
from odyssey.journal.events import append_event, head_of, lock_run
from odyssey.runs.models import Run
from odyssey.runs.repository import find_run_unscoped, get_task
from odyssey.runs.topics import runs_changed
from odyssey.runs.verdicts.gradable import is_gradable
from odyssey.runs.verdicts.load_evidence import load_evidence
from odyssey.runs.verdicts.models import Grade
from odyssey.worlds.repository import SharedWorlds

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


class _Graded(NamedTuple):
    decision: Decision
    checks: list[dict[str, Any]]
    claims: list[Claim]
    judge: JudgeReport | None

    def report(self) -> dict[str, Any]:
        graders = {"checks": CHECKS_VERSION, "judge": JUDGE_VERSION}
        return {"checks": self.checks, "claims": self.claims, "judge": self.judge, "graders": graders}


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
        crashed = Decision("NOT APPLICABLE", None, "grader_failed", _CRASHED)
        graded = _Graded(crashed, [], [], None)
    if graded is not None:
        await _store(parts, run_id, graded)


async def _grade(parts: GradingParts, run_id: int) -> _Graded | None:
    async with parts.database.read() as session:
        run = await find_run_unscoped(session, run_id)
        if not awaits_grading(run):
            return None
        seed = (task := await get_task(session, run.task_id)).seed
        evidence = await load_evidence(session, parts.worlds, parts.agents, run, task)
        is_judged = await parts.judge.is_set(session, run.org_id)
    if evidence.status == "completed":
        results, claims = await asyncio.to_thread(_observe, evidence, seed["checks"])
        judge = await _judged(parts, run, evidence, seed, results, claims, is_judged=is_judged)
    else:
        results, claims, judge = [], [], None
    decision = decide(evidence, results, claims, judge, gradable=is_gradable(seed, judged=is_judged))
    return _Graded(decision, [_shown(result, seed["checks"]) for result in results], claims, judge)


def _observe(evidence: Evidence, checks: list[Any]) -> tuple[list[CheckResult], list[Claim]]:
    read = read_checks(checks)
    unread = [CheckResult(None, "unreadable", "error", error.msg, None) for error in read.errors]
    return [*run_checks(read.checks, evidence), *unread], unseen_claims(evidence)


async def _judged(
    parts: GradingParts,
    run: Run,
    evidence: Evidence,
    seed: dict[str, Any],
    results: list[CheckResult],
    claims: list[Claim],
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


async def _store(parts: GradingParts, run_id: int, graded: _Graded) -> None:
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

"""Asking a model to judge a run. It answers questions; what the answers are worth is computed here."""

from collections.abc import Sequence
from typing import Any

from sqlalchemy.ext.asyncio import AsyncSession

from odyssey.grading.evidence import Evidence
from odyssey.grading.judges.prompt import (
    ReadAnswers,
    answer_schema,
    build_prompt,
    read_answers,
    rubric_passed,
    rubric_score,
)
from odyssey.grading.judges.rubric import JudgeReport, JudgeState, Rubric, default_rubric, read_rubric
from odyssey.models.chat import Bill, BudgetExhaustedError, ChatModel, ModelError
from odyssey.models.roles import ModelParts, has_judge_model, judge_model
from odyssey.records.problems import FieldError

ATTEMPTS = 3

_LONGEST_RAW = 20_000


async def judge(model: ChatModel, evidence: Evidence, rubric: Rubric) -> JudgeReport:
    """Ask the questions of the rubric, or the default ones if there are none; no failure is ever an answer."""
    asked = rubric or default_rubric(evidence.expected_outcome)
    bill, raw, faults = Bill(), None, list[str]()
    schema = answer_schema(asked, evidence.declared_tools)
    for _ in range(ATTEMPTS):
        prompt = build_prompt(evidence, asked, faults=faults)
        try:
            completion = await model.complete(
                system=prompt.system,
                user=prompt.user,
                schema=schema,
                max_output_tokens=model.max_output_tokens,
            )
        except ModelError as error:
            bill.add_failure(error)
            state: JudgeState = "skipped" if isinstance(error, BudgetExhaustedError) else "failed"
            return _without_answer(model, bill, state, error.message, raw)
        bill.add(completion)
        raw = completion.text[:_LONGEST_RAW]
        read = read_answers(completion.value, asked, evidence.declared_tools)
        if not read.errors:
            return _answered(model, bill, asked, read, raw)
        faults = _told(read.errors)
    reason = f"The judge gave no answer in form in {ATTEMPTS} attempts: {'; '.join(faults)}"
    return _without_answer(model, bill, "failed", reason, raw)


def _answered(model: ChatModel, bill: Bill, rubric: Rubric, read: ReadAnswers, raw: str) -> JudgeReport:
    passed = rubric_passed(rubric, read.answers)
    failed = [answer.id for answer in read.answers if not answer.passed]
    return JudgeReport(
        state="answered",
        passed=passed,
        score=rubric_score(rubric, read.answers),
        answers=read.answers,
        claimed_actions=read.claimed_actions,
        reason=f"Not passed: {', '.join(failed)}." if failed else "Every question passed.",
        provider=model.provider,
        model=model.model,
        input_tokens=bill.input_tokens,
        output_tokens=bill.output_tokens,
        cost_usd=bill.cost_usd,
        raw_answer=raw,
    )


def _without_answer(
    model: ChatModel, bill: Bill, state: JudgeState, reason: str, raw: str | None
) -> JudgeReport:
    return JudgeReport(
        state=state,
        reason=reason,
        provider=model.provider,
        model=model.model,
        input_tokens=bill.input_tokens,
        output_tokens=bill.output_tokens,
        cost_usd=bill.cost_usd,
        raw_answer=raw,
    )


def _told(errors: Sequence[FieldError]) -> list[str]:
    return [f"{'.'.join(map(str, error.loc)) or 'the answer'}: {error.msg}" for error in errors]


# The judge of whichever org a run belongs to.


class OrgJudge:
    def __init__(self, models: ModelParts) -> None:
        self._models = models

    async def is_set(self, session: AsyncSession, org_id: int) -> bool:
        """Say whether the org has a judge model."""
        return await has_judge_model(session, org_id)

    async def judge(self, org_id: int, run_id: int, evidence: Evidence, rubric: list[Any]) -> JudgeReport:
        """Ask the org's judge; whatever goes wrong is in the report."""
        model = await judge_model(self._models, org_id, run_id=run_id)
        if model is None:
            return JudgeReport(
                state="failed", reason="The org has no judge model any more; set one, then grade again."
            )
        read = read_rubric(rubric)
        if read.errors:
            return JudgeReport(
                state="failed", reason=f"The row's rubric cannot be read: {read.errors[0].msg}"
            )
        return await judge(model, evidence, read.rubric)

"""Asking a model to judge a run. It answers questions; what the answers are worth is computed here."""

from collections.abc import Sequence

from odyssey.grading.evidence import Evidence
from odyssey.grading.judges.answers import (
    ReadAnswers,
    answer_schema,
    read_answers,
    rubric_passed,
    rubric_score,
)
from odyssey.grading.judges.default_rubrics import default_rubric
from odyssey.grading.judges.prompt import build_prompt
from odyssey.grading.judges.report import JudgeReport, JudgeState
from odyssey.grading.judges.rubric import Rubric
from odyssey.models.bill import Bill
from odyssey.models.chat import BudgetExhaustedError, ChatModel, ModelError
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

"""The judge of whichever org a run belongs to."""

from typing import Any

from sqlalchemy.ext.asyncio import AsyncSession

from odyssey.grading.evidence import Evidence
from odyssey.grading.judges.judge import judge
from odyssey.grading.judges.report import JudgeReport
from odyssey.grading.judges.rubric import read_rubric
from odyssey.models.roles import ModelParts, has_judge_model, judge_model


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

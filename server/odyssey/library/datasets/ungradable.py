"""Rows that can never get a PASS, whatever the agent does, because there is nothing to grade their runs by."""

from typing import Any

from sqlalchemy.ext.asyncio import AsyncSession

from odyssey.library.datasets.repository import seeds_of
from odyssey.library.datasets.schemas import UngradableOut, UngradableReason, UngradableRowOut
from odyssey.library.models import Dataset

MOST_NAMED = 1000
_INSTRUCTION_SHOWN = 300
_ROWS_AT_ONCE = 1000


class UngradableRows:
    """Those found so far; `judged` says whether the org has a judge, who looks at every run."""

    def __init__(self, *, judged: bool) -> None:
        self._judged = judged
        self.found = UngradableOut(ungradable_rows=0, ungradable=[])

    def look(self, position: int, seed: dict[str, Any], task_id: int | None = None) -> None:
        reason = self._reason(seed)
        if reason is None:
            return
        self.found.ungradable_rows += 1
        if len(self.found.ungradable) < MOST_NAMED:
            instruction = cut_instruction(seed)
            self.found.ungradable.append(
                UngradableRowOut(row=position, task_id=task_id, user_instruction=instruction, reason=reason)
            )

    def _reason(self, seed: dict[str, Any]) -> UngradableReason | None:
        if self._judged:
            return None
        if seed.get("rubric"):
            return "no_judge_model"
        has_checks = seed["checks"] or seed["expected_outcome"] == "refusal"
        return None if has_checks else "nothing_to_grade_by"


def cut_instruction(seed: dict[str, Any]) -> str:
    instruction: str = seed["user_instruction"]
    cut = instruction[:_INSTRUCTION_SHOWN]
    return cut if cut == instruction else f"{cut}…"


async def ungradable_of(session: AsyncSession, dataset: Dataset, *, judged: bool) -> UngradableOut:
    rows, position = UngradableRows(judged=judged), 0
    while position < dataset.row_count and not judged:
        seeds = await seeds_of(session, dataset, start=position, limit=_ROWS_AT_ONCE)
        for at, task_id, seed in seeds:
            rows.look(at, seed, task_id)
        position += _ROWS_AT_ONCE
    return rows.found

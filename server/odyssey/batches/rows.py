"""The rows of a batch, each with what became of its runs."""

from collections import Counter, defaultdict
from collections.abc import Sequence

from sqlalchemy.ext.asyncio import AsyncSession

from odyssey.batches.repository import RowRun, TaskRow, list_rows, runs_of_rows
from odyssey.batches.row_schemas import BatchRowOut, BatchRowsPage, RowRunOut
from odyssey.kit.pagination import cut_page
from odyssey.runs.models import Batch

INSTRUCTION_SHOWN = 300


async def rows_page(session: AsyncSession, batch: Batch, *, after: int, limit: int) -> BatchRowsPage:
    rows = await list_rows(session, batch, after=after, limit=limit + 1, length=INSTRUCTION_SHOWN + 1)
    page = cut_page(rows, limit, lambda row: row.position)
    runs: defaultdict[int, list[RowRun]] = defaultdict(list)
    for run in await runs_of_rows(session, batch.id, [row.id for row in page.items]):
        runs[run.task_id].append(run)
    return BatchRowsPage(items=[_row(row, runs[row.id]) for row in page.items], next_cursor=page.next_cursor)


def shown(instruction: str) -> str:
    cut = instruction[:INSTRUCTION_SHOWN]
    return cut if cut == instruction else f"{cut}…"


def _row(row: TaskRow, runs: Sequence[RowRun]) -> BatchRowOut:
    verdicts = Counter(run.verdict for run in runs)
    return BatchRowOut(
        row=row.position,
        task_id=row.id,
        user_instruction=shown(row.instruction),
        expected_outcome=row.expected_outcome,
        passes=verdicts["PASS"],
        fails=verdicts["FAIL"],
        pending=verdicts["PENDING"],
        not_applicable=verdicts["NOT APPLICABLE"],
        runs=[RowRunOut.model_validate(run, from_attributes=True) for run in runs],
    )

"""Two batches side by side, row by row: which rows are worse in the second, and how sure that is."""

import asyncio
from collections import Counter, defaultdict
from collections.abc import Sequence
from typing import NamedTuple

from sqlalchemy.ext.asyncio import AsyncSession

from odyssey.batches.render import INSTRUCTION_SHOWN, batch_out, estimate_out, pass_k_out, shown
from odyssey.batches.repository import TaskRow, find_rows, hashes_of_rows, trials_by_task
from odyssey.batches.schemas import ComparedRowOut, ComparisonOut, RowKind, RowResultOut, SideOut
from odyssey.kit.pagination import encode_cursor
from odyssey.runs.models import Batch
from odyssey.statistics.reliability import Trials, paired_difference, pass_rate

_ORDER: dict[RowKind, int] = {"regression": 0, "improvement": 1, "same": 2, "ungraded": 3}


class Result(NamedTuple):
    """What became of one row in one batch."""

    task_id: int
    position: int
    trials: Trials


class Pair(NamedTuple):
    """A row that both batches have."""

    a: Result
    b: Result

    @property
    def difference(self) -> float | None:
        if not self.a.trials.runs or not self.b.trials.runs:
            return None
        return self.b.trials.passes / self.b.trials.runs - self.a.trials.passes / self.a.trials.runs

    @property
    def kind(self) -> RowKind:
        difference = self.difference
        if difference is None:
            return "ungraded"
        if difference == 0:
            return "same"
        return "regression" if difference < 0 else "improvement"


class PairedRows(NamedTuple):
    pairs: list[Pair]
    """Regressions first, the greatest first."""
    only_in_a: int
    only_in_b: int


Results = dict[tuple[str, int], Result]
"""By what a row says, and which of several equal rows it is."""


def match(a: Results, b: Results) -> PairedRows:
    pairs = [Pair(result, b[key]) for key, result in a.items() if key in b]
    pairs.sort(key=lambda pair: (_ORDER[pair.kind], -abs(pair.difference or 0), pair.a.position))
    return PairedRows(pairs, len(a) - len(pairs), len(b) - len(pairs))


async def compare(session: AsyncSession, a: Batch, b: Batch, *, start: int, limit: int) -> ComparisonOut:
    matched = await asyncio.to_thread(match, await _results(session, a), await _results(session, b))
    graded = [(pair.a.trials, pair.b.trials) for pair in matched.pairs if pair.difference is not None]
    kinds = Counter(pair.kind for pair in matched.pairs)
    page, end = matched.pairs[start : start + limit], start + limit
    rows = await find_rows(session, [pair.a.task_id for pair in page], INSTRUCTION_SHOWN + 1)
    return ComparisonOut(
        a=await _side(session, a, [pair[0] for pair in graded]),
        b=await _side(session, b, [pair[1] for pair in graded]),
        difference=estimate_out(await asyncio.to_thread(paired_difference, graded)),
        rows=[_row(pair, rows[pair.a.task_id]) for pair in page],
        next_cursor=encode_cursor(end) if end < len(matched.pairs) else None,
        regressions=kinds["regression"],
        improvements=kinds["improvement"],
        same=kinds["same"],
        ungraded=kinds["ungraded"],
        only_in_a=matched.only_in_a,
        only_in_b=matched.only_in_b,
    )


async def _results(session: AsyncSession, batch: Batch) -> Results:
    trials = await trials_by_task(session, batch.id)
    seen: defaultdict[str, int] = defaultdict(int)
    results: Results = {}
    for task_id, position, digest in await hashes_of_rows(session, batch):
        results[digest, seen[digest]] = Result(task_id, position, trials.get(task_id, Trials(0, 0)))
        seen[digest] += 1
    return results


async def _side(session: AsyncSession, batch: Batch, graded: Sequence[Trials]) -> SideOut:
    counts = Counter(graded)
    return SideOut(
        batch=await batch_out(session, batch),
        pass_rate=estimate_out(pass_rate(counts)),
        pass_k=pass_k_out(counts),
    )


def _row(pair: Pair, row: TaskRow) -> ComparedRowOut:
    return ComparedRowOut(
        row=pair.a.position,
        user_instruction=shown(row.instruction),
        a=_result(pair.a),
        b=_result(pair.b),
        difference=pair.difference,
        kind=pair.kind,
    )


def _result(result: Result) -> RowResultOut:
    trials = result.trials
    return RowResultOut(task_id=result.task_id, row=result.position, passes=trials.passes, runs=trials.runs)

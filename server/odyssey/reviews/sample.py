"""Which runs that passed are looked at all the same: what is never looked at cannot be found wrong."""

from collections.abc import Iterable, Sequence
from random import Random
from typing import NamedTuple

from odyssey.matrices.finished import FinishedCell


class SampledRun(NamedTuple):
    cell: FinishedCell
    run_id: int


def passed_runs(cells: Iterable[FinishedCell]) -> list[SampledRun]:
    """List the runs that raised no question: their cell is neither flagged nor confirmed, and they do not mismatch."""
    return [
        SampledRun(cell, run.run_id)
        for cell in cells
        if not (cell.judged.flagged or cell.judged.confirmed)
        for run in cell.variation_runs
        if run.matched is not False
    ]


def draw_sample(runs: Sequence[SampledRun], share: float, seed: int) -> list[SampledRun]:
    """Draw so large a share, up or down to a whole run by chance; a larger share has all of a smaller one.

    The same seed draws the same places, whatever the ids of the runs are.
    """
    random = Random(f"review sample {seed}")  # noqa: S311 - not a secret
    size = int(share * len(runs) + random.random())
    drawn = random.sample(range(len(runs)), len(runs))[:size]
    return [runs[place] for place in sorted(drawn)]

"""Choosing the cells of a matrix that are run again, once all first runs have ended."""

from collections.abc import Sequence

from odyssey.evals.incidents import is_grave
from odyssey.matrices.cells import AnalysedCell
from odyssey.matrices.snapshot import Confirmation
from odyssey.statistics.confirmation import Suspect, choose


def choose_cells(cells: Sequence[AnalysedCell], runs_max: int) -> Confirmation | None:
    """Choose the most suspicious cells, as many as these runs allow; None where nothing is suspicious."""
    chosen = choose(
        [suspect for index, cell in enumerate(cells) for suspect in _suspect(index, cell)], runs_max
    )
    if chosen is None:
        return None
    sides = [cells[index].first.sides for index in chosen.cells]
    return Confirmation([(each.row, each.variation) for each in sides], chosen.runs)


def _suspect(index: int, cell: AnalysedCell) -> list[Suspect]:
    sides, judged = cell.first
    if judged.state == "undelivered" or not sides.pressed or not sides.baselines:
        return []
    kinds = [each.found.kind for each in cell.incidents]
    p_values = [p_value for p_value in (judged.p_value, judged.match_p) if p_value is not None]
    shift = judged.shift.unclamped or 0.0
    return [Suspect(index, sides.row, min(p_values, default=None), shift, is_grave(kinds), bool(kinds))]

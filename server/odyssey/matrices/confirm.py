"""Choosing the cells of a matrix that are run again, once all first runs have ended."""

from collections import defaultdict
from collections.abc import Sequence

from odyssey.evals.incidents import is_grave
from odyssey.matrices.cells import AnalysedCell
from odyssey.matrices.snapshot import Confirmation
from odyssey.statistics.confirmation import Suspect, choose, standing_out_p, suspicion


def choose_cells(cells: Sequence[AnalysedCell], runs_max: int) -> Confirmation | None:
    """Choose the most suspicious cells, as many as these runs allow; None where nothing is suspicious."""
    rows: defaultdict[int, list[AnalysedCell]] = defaultdict(list)
    for cell in cells:
        rows[cell.first.sides.row].append(cell)
    chosen = choose(
        [
            suspect
            for index, cell in enumerate(cells)
            for suspect in _suspect(index, cell, rows[cell.first.sides.row])
        ],
        runs_max,
    )
    if chosen is None:
        return None
    sides = [cells[index].first.sides for index in chosen.cells]
    return Confirmation([(each.row, each.variation) for each in sides], chosen.runs)


def _suspect(index: int, cell: AnalysedCell, row: Sequence[AnalysedCell]) -> list[Suspect]:
    sides, judged = cell.first
    if judged.state == "undelivered" or not sides.pressed or not sides.baselines:
        return []
    kinds = [each.found.kind for each in cell.incidents]
    others = [raw for other in row if other is not cell for raw in other.first.sides.raw_shifts.values()]
    standing_out = standing_out_p(list(sides.raw_shifts.values()), others)
    relabelled = [each for each in (judged.p_value, judged.match_p) if each is not None]
    p_value, shift = suspicion(relabelled, standing_out), judged.shift.unclamped or 0.0
    return [Suspect(index, sides.row, p_value, shift, is_grave(kinds), bool(kinds))]

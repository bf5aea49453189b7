"""A matrix as JUnit XML, for continuous integration: a cell is a test case.

A confirmed cell is a failure. A cell that could not be measured is skipped; a matrix that says nothing at all, because
none could, is one error: a build must not become green because nothing was tested.
"""

from odyssey.evals.matrices.schemas import MatrixOut
from odyssey.evals.reports.grid import Placed, placed_cells
from odyssey.evals.reports.words import chance, ends, figure, rate, said_of, spoken
from odyssey.runs.batches.exports.junit_xml import TAIL, fault, skipped, suite_head, written_case
from odyssey.runs.batches.exports.tally import Tally

_EMPTY = "None of the cells could be measured, so nothing was tested."


def junit(matrix: MatrixOut) -> str:
    cells = list(placed_cells(matrix))
    failures = sum(placed.cell.confirmed for placed in cells)
    left_out = sum(_is_skipped(placed) for placed in cells)
    says_nothing = left_out == len(cells)
    suite = matrix.name or f"matrix {matrix.id}"
    name = f"{suite} on {matrix.agent_name} version {matrix.agent_version}"
    tally = Tally(len(cells) + says_nothing, failures, int(says_nothing), left_out)
    cases = [written_case(placed.scenario.name, _name(placed), None, _outcome(placed)) for placed in cells]
    if says_nothing:
        cases.append(
            written_case(suite, "the matrix", None, fault("error", "nothing_measured", _EMPTY, _EMPTY))
        )
    return suite_head(name, tally, matrix.created_at) + "".join(cases) + TAIL


def _name(placed: Placed) -> str:
    variation = spoken(placed.cell.variation_type)
    return variation if placed.cell.rule_set is None else f"{variation} while {placed.cell.rule_set}"


def _is_skipped(placed: Placed) -> bool:
    return placed.cell.state != "measured" and not placed.cell.confirmed


def _outcome(placed: Placed) -> str:
    cell = placed.cell
    if cell.confirmed:
        details = (
            f"{said_of(cell)}\n"
            f"shift {figure(cell.shift)}, 95 % interval {ends(cell.interval)}, noise floor {figure(cell.noise_floor)}, "
            f"threshold {figure(cell.threshold)} ({placed.scenario.risk_level}), q {chance(cell.q_value)}\n"
            f"matched {rate(cell.match_rate)}, without pressure {rate(cell.baseline_match_rate)}, "
            f"q {chance(cell.match_q)}\n"
            f"runs {', '.join(map(str, cell.runs.variation))}"
        )
        return fault("failure", cell.reason or "confirmed", said_of(cell), details)
    return skipped(said_of(cell)) if _is_skipped(placed) else ""

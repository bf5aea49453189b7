"""A matrix as JUnit XML, for continuous integration: a cell is a test case.

A confirmed cell is a failure. A cell that could not be measured is an error, and so is a matrix of which too many runs
say nothing of the agent: a build must not become green because something was not tested.
"""

from odyssey.batches.export_files import TAIL, Tally, fault, said, suite_head, written_case
from odyssey.matrices.reports.grid import PlacedCell, placed_cells
from odyssey.matrices.reports.words import chance, ends, faults_of_world, figure, rate, said_of, spoken
from odyssey.matrices.schemas import MatrixOut


def junit(matrix: MatrixOut) -> str:
    cells = list(placed_cells(matrix))
    failures = sum(placed.cell.confirmed for placed in cells)
    errors = sum(_is_unmeasured(placed) for placed in cells)
    suite = matrix.name or f"matrix {matrix.id}"
    name = f"{suite} on {matrix.agent_name} version {matrix.agent_version}"
    cases = [written_case(placed.scenario.name, _name(placed), None, _outcome(placed)) for placed in cells]
    missing, planned = matrix.progress.missing, matrix.progress.planned
    if missing / planned > matrix.max_unmeasured:
        why = f"{missing} of {planned} runs say nothing of the agent; at most {matrix.max_unmeasured * 100:g} % may."
        cases.append(written_case(suite, "the matrix", None, fault("error", "unmeasured", why, why)))
        errors += 1
    tally = Tally(len(cases), failures, errors, 0)
    beside = said(faults_of_world(matrix)) + "\n" if matrix.world_at_fault else ""
    return suite_head(name, tally, matrix.created_at) + "".join(cases) + beside + TAIL


def _name(placed: PlacedCell) -> str:
    variation = spoken(placed.cell.variation_type)
    return variation if placed.cell.rule_set is None else f"{variation} while {placed.cell.rule_set}"


def _is_unmeasured(placed: PlacedCell) -> bool:
    return placed.cell.state != "measured" and not placed.cell.confirmed


def _outcome(placed: PlacedCell) -> str:
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
    if _is_unmeasured(placed):
        return fault("error", "unmeasured", said_of(cell), said_of(cell))
    return ""

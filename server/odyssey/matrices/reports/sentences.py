"""What is said in sentences in every form: of a cell, of an incident, of a row, and of the runs of a matrix."""

from typing import NamedTuple

from odyssey.matrices.reports.grid import PlacedCell, PlacedIncident
from odyssey.matrices.reports.words import chance, figure, many, percent, rate, share_of
from odyssey.matrices.schemas import FloorOut, MatrixOut, MatrixScenario, StageOut
from odyssey.statistics.cells import AMBER_FROM, FEWEST_BASELINES, FEWEST_VARIATIONS, TOO_NOISY_ABOVE

CONFIRMED_BY = {
    "shift": "a shift that is not noise",
    "match_rate": "fewer matches alone, not by chance",
    "shift_and_match_rate": "a shift that is not noise, and by fewer matches",
}

# Of a cell: what it shows, and on which runs that rests.


def said_of(placed: PlacedCell) -> str:
    """Say what a cell shows."""
    cell = placed.cell
    if cell.confirmed:
        return _confirmed(placed)
    if cell.state != "measured":
        return _why_not(placed) + (" Flagged by its raw shift." if cell.flagged else "")
    return _measured(placed) + (" Its fresh runs do not confirm a change." if placed.fresh else "")


def _confirmed(placed: PlacedCell) -> str:
    cell = placed.cell
    on = " on fresh runs" if placed.fresh else " on its first runs" if placed.others_run_again else ""
    said = [f"Confirmed{on} by {CONFIRMED_BY.get(cell.reason or '', 'a change that is not noise')}."]
    if cell.state != "measured":
        said.append(_why_not(placed))
    elif cell.reason != "match_rate" and not cell.flagged:
        said.append(f"Its shift is below its threshold of {figure(cell.threshold)}.")
    elif cell.reason == "match_rate" and cell.significant:
        said.append(f"The shift is real as well, and small (q {chance(cell.q_value)}).")
    return " ".join(said)


def _measured(placed: PlacedCell) -> str:
    cell = placed.cell
    if cell.flagged and cell.significant:
        return (
            f"Flagged: above its threshold, and not noise (q {chance(cell.q_value)}), but below the "
            f"{AMBER_FROM:.2f} from which it is confirmed."
        )
    if cell.flagged:
        return f"Flagged: above its threshold, but it may be noise (q {chance(cell.q_value)})."
    if cell.significant:
        return f"Significant: the change is real and small (q {chance(cell.q_value)})."
    if cell.band == "green":
        return "As without pressure" + (", where it fails already." if placed.fails_without_pressure else ".")
    return "Some change, not above its threshold."


def _why_not(placed: PlacedCell) -> str:
    cell = placed.cell
    if cell.state == "pending":
        return "Not all of its runs have ended."
    if cell.state == "undelivered":
        return "The text did not reach the agent, so nothing can be said."
    if cell.noise_floor is not None and cell.noise_floor > TOO_NOISY_ABOVE:
        return (
            f"Too noisy: runs without pressure are {figure(cell.noise_floor)} apart from each other, which leaves "
            "no room for a shift."
        )
    kind = "fresh runs" if placed.fresh else "runs"
    pressed, baselines = len(cell.runs.variation), len(cell.runs.baseline)
    return (
        f"Too few {kind}: {pressed} under pressure and {baselines} without; it takes {FEWEST_VARIATIONS} and "
        f"{FEWEST_BASELINES}."
    )


def judged_on(placed: PlacedCell) -> dict[str, str]:
    """Say on which runs a cell is judged, by stage where it was run again; nothing where no cell was."""
    cell = placed.cell
    fresh = placed.fresh
    if fresh is None:
        on_first = "its first runs; it was not run again"
        return {"judged on": on_first} if placed.others_run_again else {}
    decides = "will decide when all have ended" if cell.state == "pending" else "these decide"
    told = {f"{stage.name} runs": _stage(stage) for stage in cell.stages}
    return told | {"fresh runs": f"{_stage(fresh)}; {decides}"}


def _stage(stage: StageOut) -> str:
    against = f"{stage.runs} under pressure, {stage.baseline_runs} without"
    return f"{against}: shift {figure(stage.shift)}, p {chance(stage.p_value)}, q {chance(stage.q_value)}"


def in_brief(placed: PlacedCell) -> str:
    """Say on how many runs a cell is judged: `16 v 16 fresh`."""
    runs = placed.cell.runs
    kind = " fresh" if placed.fresh else " first" if placed.others_run_again else ""
    return f"{len(runs.variation)} v {len(runs.baseline)}{kind}"


# Of incidents and of rows.


def came_back(found: PlacedIncident) -> str:
    """Say what fresh runs tell of an incident; nothing where there were none at all."""
    if found.placed.cell.state == "pending":
        return "not all runs of its cell have ended"
    match found.incident.recurs:
        case True:
            return "it came back on fresh runs"
        case False:
            return "fresh runs do not show that it comes back"
        case None:
            return "its cell was not run again"


def at_the_gate(fails: bool, by_policy: bool) -> str:
    if not fails:
        return "does not fail"
    return "fails by policy" if by_policy else "fails"


def fails_without_pressure(scenario: MatrixScenario, floor: FloorOut) -> str:
    return (
        f"fails without pressure: {rate(floor.match_rate)} runs match; {scenario.risk_level} scenarios need "
        f"{percent(floor.min_match)}"
    )


# Of the runs of a matrix: those that were planned, and the fresh ones beyond them.


class RunCounts(NamedTuple):
    planned: int
    planned_ended: int
    fresh: int
    fresh_ended: int


def count_runs(matrix: MatrixOut) -> RunCounts:
    """Part the progress of a matrix: there are fresh runs only once all planned ones have ended."""
    fresh = 0 if matrix.confirmation is None else matrix.confirmation.runs
    planned = matrix.progress.planned - fresh
    planned_ended = min(planned, matrix.progress.ended)
    return RunCounts(planned, planned_ended, fresh, matrix.progress.ended - planned_ended)


def match_rates(matrix: MatrixOut) -> str:
    """Say the match rates of the planned runs, and how many of these are not in them."""
    matched = matrix.summary.match_rate
    said = f"Match rate of the planned runs {share_of(matched.overall)}"
    without = matched.by_variation.get("baseline")
    if without is not None:
        said += f", {share_of(without)} without pressure"
    left_out = count_runs(matrix).planned_ended - matched.overall.runs
    if left_out > 0:
        said += (
            "; left out, as placebos, missing, undelivered or without an expectation: "
            f"{many(left_out, 'planned run')}"
        )
    return f"{said}."


def fresh_runs(matrix: MatrixOut) -> str | None:
    """Say how many fresh runs there were and of how many; None where none were asked for."""
    if not matrix.confirm:
        return None
    most = matrix.confirm_runs_max
    made = matrix.confirmation
    if made is None:
        so_far = " yet" if matrix.status == "running" else ""
        return f"None of at most {most:,} fresh runs: no cell was run again{so_far}."
    return (
        f"{many(made.runs, 'fresh run')} of at most {most:,}: {made.runs_per_cell} of {many(made.cells, 'cell')} "
        "each, and as many without pressure of each of their rows. Match rates leave them out."
    )


def faults_of_world(matrix: MatrixOut) -> str:
    """Say how many runs the world spoilt; nothing where it spoilt none."""
    spoilt = matrix.world_at_fault
    if not spoilt:
        return ""
    was = "was" if spoilt == 1 else "were"
    return f"{many(spoilt, 'run')} {was} spoilt by faulty answers of the world (world_at_fault)."

"""What a matrix found, in lines: cells with what they rest on, cells run again, incidents, and how much there is."""

from collections.abc import Sequence

from pipelines.odyssey.cli.printing.figures import percent
from pipelines.odyssey.cli.printing.screen import Part, Screen, clean, many
from pipelines.odyssey.client import types as t

_CONFIRMED_BY = {
    "shift": "its shift",
    "match_rate": "fewer matches",
    "shift_and_match_rate": "its shift and fewer matches",
}
_RECURS = {True: "; it came back on fresh runs", False: "; on fresh runs it did not come back beyond chance"}
_SEVERITIES = ("grave", "serious", "minor")
_PLACE = 80


def figure(value: float | None) -> str:
    if value is None:
        return "  --"
    return "0.00" if abs(value) < 0.005 else f"{value:.2f}"


def chance(value: float | None) -> str:
    if value is None:
        return "--"
    return "below 0.001" if value < 0.001 else f"{value:.3f}"


def rate(matches: t.RateOut) -> str:
    return "--" if matches["share"] is None else f"{matches['matched']} of {matches['runs']}"


def place_of(matrix: t.MatrixOut, of: t.MatrixCell | t.GateFinding | t.FloorOut) -> str:
    """Name a cell or a row: `time pressure on Late refund while payments are down`."""
    names = {each["id"]: str(each["name"]) for each in matrix["scenarios"]}
    said = names[of["scenario_id"]]
    variation = of.get("variation_type")
    if variation is not None:
        said = f"{str(variation).replace('_', ' ')} on {said}"
    return said if of["rule_set"] is None else f"{said} while {of['rule_set']}"


def fails_without_pressure(floor: t.FloorOut) -> str:
    matched, runs = floor["match_rate"]["matched"], floor["match_rate"]["runs"]
    return f"fails without pressure: {matched} of {runs} match"


def print_findings(screen: Screen, matrix: t.MatrixOut) -> None:
    """Print the cells that are confirmed or flagged, each with what it rests on."""
    cells = [cell for cell in matrix["cells"] if cell["confirmed"] or cell["flagged"]]
    for cell in _most_moved_first(cells):
        standing = "confirmed" if cell["confirmed"] else "flagged"
        by = _CONFIRMED_BY.get(str(cell["reason"]))
        figures = [
            Part(screen.shorten(place_of(matrix, cell), _PLACE)),
            Part(f"shift {figure(cell['shift']).strip()}{_ends(cell['interval'])}"),
            Part(f"floor {figure(cell['noise_floor']).strip()}"),
            Part(f"threshold {figure(cell['threshold'])}"),
            Part(f"q {chance(cell['q_value'])}"),
            Part(f"matched {rate(cell['match_rate'])}, {rate(cell['baseline_match_rate'])} without pressure"),
        ]
        if by is not None:
            figures.append(Part(f"by {by}"))
        screen.parts("", [Part(f"{standing:<9}", "bold red" if cell["confirmed"] else "yellow"), *figures])
    if cells:
        screen.line()


def print_run_again(screen: Screen, matrix: t.MatrixOut) -> None:
    """Print what the cells that got fresh runs looked like before, and on these runs, which decide."""
    cells = [cell for cell in matrix["cells"] if len(cell["stages"]) > 1]
    for cell in _most_moved_first(cells):
        stages = [Part(_stage(stage)) for stage in cell["stages"]]
        decides = "its fresh runs go on" if cell["state"] == "pending" else "the fresh runs decide"
        name = Part(screen.shorten(place_of(matrix, cell), _PLACE))
        screen.parts("", [Part("run again", "bold"), name, *stages, Part(decides)])
    if cells:
        screen.line()


def _stage(stage: t.StageOut) -> str:
    """Say what one stage showed: `fresh: shift 0.12, p 0.310 of 16 runs, 16 without pressure`."""
    figures = f"shift {figure(stage['shift']).strip()}, p {chance(stage['p_value'])}"
    return f"{stage['name']}: {figures} of {many(stage['runs'], 'run')}, {stage['baseline_runs']} without pressure"


def incidents_of(matrix: t.MatrixOut) -> list[tuple[t.MatrixCell, t.IncidentOut]]:
    """Give each incident with its cell: what came back on fresh runs first, then by gravity, then by how often."""
    found = [(cell, incident) for cell in matrix["cells"] for incident in cell["incidents"]]
    found.sort(
        key=lambda each: (
            not each[1]["recurs"],
            _SEVERITIES.index(each[1]["severity"]),
            -each[1]["runs"] / each[1]["of"],
        )
    )
    return found


def incident_said(incident: t.IncidentOut) -> str:
    """Say it: `deleted order ord_1: 1 of 10 runs, 0 of 12 without pressure (grave)`."""
    came_back = "" if incident["recurs"] is None else _RECURS[incident["recurs"]]
    return f"{clean(incident['sentence'])}{came_back} ({incident['severity']})"


def print_summary(screen: Screen, matrix: t.MatrixOut) -> None:
    bands, cells = matrix["summary"]["shift"], matrix["cells"]
    confirmed = sum(cell["confirmed"] for cell in cells)
    flagged = sum(cell["flagged"] and not cell["confirmed"] for cell in cells)
    told = [
        f"{bands['green']} green{_green_and_broken(matrix)}",
        f"{bands['amber']} amber",
        f"{bands['red']} red",
        f"{bands['insufficient']} without a shift",
    ]
    standing = f"{confirmed} confirmed, {flagged} only flagged"
    screen.line(f"{many(len(cells), 'cell')}: {standing}; {', '.join(told)}")
    screen.line(_runs(matrix))
    spoilt = matrix.get("world_at_fault", 0)
    if spoilt:
        screen.line(f"{many(spoilt, 'run')} spoilt by faulty answers of the world (world_at_fault)")


def _green_and_broken(matrix: t.MatrixOut) -> str:
    """Say how many of the green cells do as without pressure in a row that fails so."""
    broken = {(floor["scenario_id"], floor["rule_set"]) for floor in matrix["floors"] if floor["broken"]}
    number = sum(
        cell["band"] == "green" and (cell["scenario_id"], cell["rule_set"]) in broken
        for cell in matrix["cells"]
    )
    return f" ({number} where the row fails without pressure)" if number else ""


def _runs(matrix: t.MatrixOut) -> str:
    """Count the runs, and say how many of the first ones match: fresh runs are made where something was seen."""
    progress, overall = matrix["progress"], matrix["summary"]["match_rate"]["overall"]
    confirmation = matrix.get("confirmation")
    fresh = 0 if confirmation is None else confirmation["runs"]
    first_ended = min(progress["ended"], progress["planned"] - fresh)
    said = many(progress["ended"], "run")
    if confirmation is not None:
        cells = many(confirmation["cells"], "cell")
        said += f", {progress['ended'] - first_ended} of them fresh ones to look at {cells} again"
    said += f", {progress['missing']} missing; "
    if overall["share"] is None:
        return f"{said}nothing is expected"
    left_out = first_ended - overall["runs"]
    rest = f"; {left_out} left out" if left_out else ""
    return (
        f"{said}match rate {percent(overall['share'])}, {rate(overall)}{' first runs' if fresh else ''}{rest}"
    )


def _most_moved_first(cells: Sequence[t.MatrixCell]) -> list[t.MatrixCell]:
    return sorted(cells, key=lambda cell: (not cell["confirmed"], -(cell["unclamped"] or 0)))


def _ends(interval: Sequence[float] | None) -> str:
    return "" if interval is None else f" ({figure(interval[0])} to {figure(interval[1])})"

"""The report: one page for people who were not there. What was tested, what moved, how sure that is, what it cost."""

from odyssey.matrices.reports.certainty import LostReliability, certainty, reliability_lost
from odyssey.matrices.reports.evidence import NOTHING, Cost, ReportEvidence
from odyssey.matrices.reports.findings import gate, incidents
from odyssey.matrices.reports.heat_map import figures, heading, heat_map
from odyssey.matrices.reports.markup import Child, Html, element, join, name_of, page, scrolling
from odyssey.matrices.reports.moved import moved
from odyssey.matrices.reports.sentences import count_runs, fresh_runs, match_rates
from odyssey.matrices.reports.words import figure, many, percent, spoken
from odyssey.matrices.schemas import MatrixOut

_DELIVERIES = {
    "user": "ahead of the instruction",
    "system": "by the system prompt",
    "tool_result": "in the result of a tool",
}


def report_page(matrix: MatrixOut, evidence: ReportEvidence = NOTHING, base_url: str | None = None) -> str:
    return page(
        f"Report on {matrix.agent_name} version {matrix.agent_version}",
        heading("Report", matrix, base_url),
        figures(matrix),
        element("h2", "The gate"),
        gate(matrix),
        element("h2", "The heat map"),
        heat_map(matrix),
        element("h2", "Incidents"),
        incidents(matrix, base_url),
        element("h2", "What moved"),
        moved(matrix, evidence, base_url),
        element("h2", "Reliability lost by pressure"),
        _lost(matrix),
        element("h2", "How sure this is"),
        certainty(matrix),
        element("h2", "What was tested"),
        _tested(matrix),
        element("h2", "What it cost"),
        _cost(matrix, evidence.cost),
    )


def _lost(matrix: MatrixOut) -> Html:
    found = reliability_lost(matrix)
    if not found:
        return element("p", "Nothing is expected of these scenarios, so no run can miss it.")
    k = matrix.repeats
    said = (
        f"How often one run does what is expected, and how often {many(k, 'run')} in a row do, averaged over the "
        "scenarios, by the runs that each cell is judged on. Whoever relies on an agent many times feels the second "
        "figure."
    )
    names = ("Pressure", "One run", "under it", f"{k} in a row", "under it", "Lost")
    head = element("tr", (element("th", name, scope="col") for name in names))
    rows = element("tbody", map(_lost_row, found))
    table = element("table", element("thead", head), rows, class_="plain")
    rates = element("p", match_rates(matrix), class_="dim")
    return join([element("p", said), scrolling("Reliability lost by pressure", table), rates])


def _lost_row(lost: LostReliability) -> Html:
    points = (lost.baseline.in_a_row - lost.pressed.in_a_row) * 100
    values = (
        percent(lost.baseline.once),
        percent(lost.pressed.once),
        percent(lost.baseline.in_a_row),
        percent(lost.pressed.in_a_row),
        f"{points:.0f} points" if points >= 0.5 else "gained" if points <= -0.5 else "nothing",
    )
    cells = (element("td", value, class_="figure") for value in values)
    return element("tr", element("td", name_of(spoken(lost.variation_type))), cells)


def _tested(matrix: MatrixOut) -> Html:
    way = _DELIVERIES[matrix.delivery]
    if matrix.step is not None:
        way += f", from call {matrix.step} on"
    placebo = ", and as many with a text of the same length that presses nobody" if matrix.placebo else ""
    facts: dict[str, Child] = {
        "agent": (name_of(matrix.agent_name), f", version {matrix.agent_version}"),
        "pressures": ", ".join(map(spoken, matrix.variation_types)),
        "dose": matrix.dose,
        "delivery": way,
        "runs of a cell": f"{matrix.repeats} under pressure{placebo}",
        "baseline": f"{matrix.baseline_repeats} runs without pressure of each row, shared by its cells",
        "fresh runs": fresh_runs(matrix) or "none were asked for",
        "seed": str(matrix.seed),
        "matrix": element("code", matrix.id),
    }
    listed = element(
        "dl", ((element("dt", name), element("dd", value)) for name, value in facts.items()), class_="facts"
    )
    return join([element("div", listed, class_="card"), _scenarios(matrix), _rule_sets(matrix)])


def _scenarios(matrix: MatrixOut) -> Html:
    names = ("Scenario", "Version", "Risk", "Flagged above")
    head = element("tr", (element("th", name, scope="col") for name in names))
    rows = (
        element(
            "tr",
            element("td", name_of(scenario.name)),
            element("td", scenario.version),
            element("td", scenario.risk_level),
            element("td", figure(scenario.threshold)),
        )
        for scenario in matrix.scenarios
    )
    table = element("table", element("thead", head), element("tbody", rows), class_="plain")
    return scrolling("Scenarios", table)


def _rule_sets(matrix: MatrixOut) -> Child:
    if not matrix.rule_sets:
        return None
    sets = [
        (name_of(each.name), f" ({many(len(each.failure_rules), 'failure rule')})")
        for each in matrix.rule_sets
    ]
    parts = [part for each in sets for part in (", ", each)][1:]
    return element("p", "Each scenario was also run while something was broken: ", parts, ".")


def _cost(matrix: MatrixOut, cost: Cost | None) -> Html:
    runs = count_runs(matrix)
    facts = {"runs": f"{runs.planned_ended:,} of {runs.planned:,} planned"}
    if runs.fresh:
        facts["fresh runs"] = f"{runs.fresh_ended:,} of {runs.fresh:,}"
    facts["missing"] = f"{matrix.progress.missing:,} that say nothing of the agent, also when repeated"
    if matrix.world_at_fault:
        facts["spoilt by the world"] = f"{matrix.world_at_fault:,}, made again or missing"
    if matrix.finished_at is not None:
        facts["from start to finish"] = duration((matrix.finished_at - matrix.created_at).total_seconds())
    facts |= {} if cost is None else _told(cost)
    listed = ((element("dt", name), element("dd", value)) for name, value in facts.items())
    return element("div", element("dl", listed, class_="facts"), class_="card")


def _told(cost: Cost) -> dict[str, str]:
    told = {
        "runs made": f"{cost.runs:,}, repeats of missing ones among them",
        "time of the agent": duration(cost.agent_s),
    }
    if cost.wall_s is not None:
        told["first to last run"] = duration(cost.wall_s)
    if cost.input_tokens is not None or cost.output_tokens is not None:
        told["tokens"] = f"{cost.input_tokens or 0:,} in, {cost.output_tokens or 0:,} out, as the agent says"
    else:
        told["tokens"] = "the agent does not say"
    if cost.usd is not None:
        told["money"] = f"{cost.usd:.4f} USD"
    if cost.models:
        told["models"] = ", ".join(cost.models)
    return told


def duration(seconds: float) -> str:
    if seconds < 60:
        return f"{seconds:.1f} s"
    minutes, rest = divmod(round(seconds), 60)
    hours, minutes = divmod(minutes, 60)
    return f"{hours} h {minutes} min" if hours else f"{minutes} min {rest} s"

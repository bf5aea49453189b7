"""`odyssey eval compare`: how far a pressure moves an agent, beyond its own noise."""

import sys
from typing import Annotated

from pipelines.odyssey.cli.commands.options import AsJson, Delivery, Dose, Positive, Scenario, Switch
from pipelines.odyssey.cli.connection import Server, connected, if_missing
from pipelines.odyssey.cli.failures import NOT_RIGHT
from pipelines.odyssey.cli.following import busy
from pipelines.odyssey.cli.printing.figures import estimate, percent
from pipelines.odyssey.cli.printing.screen import Screen, as_json, clean, many, word
from pipelines.odyssey.cli.scenarios import Found, find_scenario
from pipelines.odyssey.client import types as t

_VALUE = 40


def compare(
    scenario: Scenario,
    /,
    *,
    variation: str,
    agent: Positive | None = None,
    agent_version: Positive | None = None,
    dose: Dose = "medium",
    delivery: Delivery | None = None,
    step: Positive = 1,
    fail_on_confirmed: Annotated[bool, Switch] = False,
    json_output: AsJson = False,
    server: Server | None = None,
) -> None:
    """Hold the runs of a scenario under a pressure against those without it: shift, noise, and whether it is chance.

    Parameters
    ----------
    scenario
        Name or id of the scenario.
    variation
        The pressure, such as time_pressure.
    agent
        Number of the agent; without it the scenario's, else the only one that is published.
    agent_version
        Of the agent; without it the published one.
    dose
        How strong the pressure was.
    delivery
        How it reached the agent; without it as the agent's config says.
    step
        Of tool_result: the answered call from which on a result could carry the text.
    fail_on_confirmed
        Exit code 1 if the shift, or a loss of matches, is confirmed: not noise.
    json_output
        Print the comparison as the API gives it.
    server
        Which platform to ask.
    """
    with connected(server) as platform:
        screen = Screen()
        found = find_scenario(platform, scenario)
        with busy("Comparing"), if_missing("There is no such agent, or no such version of it."):
            cell = platform.eval.compare_runs(
                scenario_id=found["id"],
                variation_type=variation,
                agent_id=agent,
                agent_version=agent_version,
                dose=dose,
                delivery=delivery,
                step=step,
            )
        if json_output:
            screen.json(cell)
        else:
            _print(screen, found, cell)
        if fail_on_confirmed and cell["confirmed"]:
            sys.exit(NOT_RIGHT)


def _print(screen: Screen, scenario: Found, cell: t.CompareOut) -> None:
    screen.line(f"{word(cell['variation_type'])} {cell['dose']} on {word(scenario['name'])}")
    runs = cell["runs"]
    sides = (
        (runs["variation"], "run", "under the pressure"),
        (runs["baseline"], "baseline", ""),
        (runs["placebo"], "placebo", ""),
    )
    told = [f"{many(len(ids), noun)} {what}".rstrip() for ids, noun, what in sides]
    _say(screen, "agent", f"{cell['agent_id']} version {cell['agent_version']}")
    _say(screen, "runs", ", ".join(told))
    left_out = (
        (runs["pending"], "not ended yet"),
        (runs["missing"], "missing"),
        (runs["undelivered"], "not reached"),
        (runs["other_wording"], "from before the variation was reworded"),
    )
    for ids, what in left_out:
        if ids:
            _say(screen, "", f"{len(ids)} {what}: {', '.join(map(str, ids))}")
    _say(screen, "delivery", f"by {cell['requested_delivery']}: {cell['delivery'] or 'no run yet'}")
    _say(screen, "shift", _shift(cell))
    if cell["p_value"] is not None:
        _say(
            screen,
            "chance",
            f"p {cell['p_value']:.4f}; so few runs cannot show less than {cell['min_p']:.4f}",
        )
    if cell["match_rate"]["share"] is not None and cell["baseline_match_rate"]["share"] is not None:
        both = (estimate(side) for side in (cell["match_rate"], cell["baseline_match_rate"]))
        _say(screen, "matched", "{}; without pressure {}".format(*both))
    for lost in cell["pass_k"]:
        _say(screen, f"pass^{lost['k']}", _lost(lost))
    if cell["pressure_effect"] is not None:
        _say(screen, "effect", f"{_shift(cell['pressure_effect'])}; against the placebo")
    _print_moved(screen, cell["explanation"])
    screen.line(_verdict(cell))


def _print_moved(screen: Screen, explanation: t.ExplanationOut | None) -> None:
    if explanation is None or explanation["moved"] is None:
        return
    part = next(each for each in explanation["parts"] if each["part"] == explanation["moved"])
    _say(screen, "moved", str(part["part"]))
    differs = part["first_difference"]
    if differs is not None:
        sides = (differs["baseline"], differs["variation"])
        before, after = (screen.shorten(as_json(side), _VALUE) for side in sides)
        where = f"run {explanation['baseline_run']} → run {explanation['variation_run']}"
        _say(screen, "", f"{clean(str(differs['where']))}: {before} → {after} ({where})")


def _say(screen: Screen, label: str, text: str) -> None:
    screen.line(f"  {label:<9} {text}")


def _shift(figures: t.CompareOut | t.ShiftOut) -> str:
    if figures["shift"] is None:
        return f"none, {word(figures['reason'] or figures['state'])}"
    told = f"{figures['shift']:.2f}"
    if figures["interval"] is not None:
        low, high = figures["interval"]
        told += f" ({low:.2f} to {high:.2f})"
    return f"{told}; raw {figures['raw_shift']:.2f} over a noise floor of {figures['noise_floor']:.2f}"


def _lost(lost: t.PressedPassK) -> str:
    low, high = (f"{end * 100:+.1f}" for end in lost["lost_interval"])
    both = f"{percent(lost['variation'])}, without pressure {percent(lost['baseline'])}"
    return f"{both}: {lost['lost'] * 100:+.1f} points lost ({low} to {high})"


def _verdict(cell: t.CompareOut) -> str:
    if cell["confirmed"]:
        by = {"shift": "by the shift", "match_rate": "by fewer matches"}
        return f"Confirmed {by.get(str(cell['reason']), 'by the shift and by fewer matches')}: this is not noise."
    above = f"above the threshold of {cell['threshold']:.2f} for {cell['risk_level']} risk"
    if cell["flagged"]:
        return f"Flagged: {above}. Not confirmed: it may be noise; more runs tell."
    if cell["state"] != "measured":
        return f"Nothing can be said: {word(cell['reason'] or cell['state'])}."
    return f"Not flagged: not {above}."

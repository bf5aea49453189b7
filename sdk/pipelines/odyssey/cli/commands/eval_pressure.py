"""`odyssey eval run` and `odyssey eval compare`: a scenario under a pressure, and how far that moves an agent."""

import re
import sys
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Annotated

from cyclopts import Parameter, validators

from pipelines.odyssey.cli.commands.options import AsJson, Delivery, Dose, Positive, Scenario, Switch
from pipelines.odyssey.cli.connection import Connection, Server, connected, if_missing
from pipelines.odyssey.cli.failures import INTERRUPTED, NOT_RIGHT, CommandFailedError
from pipelines.odyssey.cli.following import busy, wait_for_eval_runs
from pipelines.odyssey.cli.printing.figures import estimate, percent
from pipelines.odyssey.cli.printing.screen import Screen, as_json, clean, many, word
from pipelines.odyssey.client import types as t

Found = t.ScenarioOut | t.ScenarioSummary
Repeats = Annotated[int, Parameter(validator=validators.Number(gte=1, lte=100))]
Seed = Annotated[int, Parameter(validator=validators.Number(gte=0, lt=2**63))]

_ID = re.compile(r"scn_[0-9a-f-]{36}")
_VALUE = 40


@Parameter(name="*")
@dataclass(frozen=True, kw_only=True)
class Pressure:
    """How the agent is pressed."""

    dose: Annotated[Dose, Parameter(help="How strong the pressure is.")] = "medium"
    delivery: Annotated[
        Delivery | None, Parameter(help="How it reaches the agent; without it as the agent's config says.")
    ] = None
    step: Annotated[
        Positive,
        Parameter(help="Of tool_result: the answered call from which on a result may carry the text."),
    ] = 1
    placebo: Annotated[
        bool,
        Switch,
        Parameter(
            help="Give the placebo of the variation instead: a text of the same length that presses nobody."
        ),
    ] = False
    seed: Annotated[Seed | None, Parameter(help="Decides wordings and the random seeds of the runs.")] = None


def run(
    scenario: Scenario,
    /,
    *,
    variation: str | None = None,
    repeats: Repeats = 1,
    agent: Positive | None = None,
    pressure: Pressure | None = None,
    wait: Annotated[bool, Switch] = False,
    json_output: AsJson = False,
    server: Server | None = None,
) -> None:
    """Run a scenario as it is, or under a pressure. A pressure without a baseline of this agent runs one first.

    With --wait the exit code is 1 if any run did not do what the scenario expects, or failed. A failure that says
    nothing of the agent is repeated once, and then the repeated run counts.

    Parameters
    ----------
    scenario
        Name or id of the scenario.
    variation
        The pressure, such as time_pressure; without it, baselines.
    repeats
        How many runs.
    agent
        Number of the agent; without it the scenario's, else the only one that is published.
    pressure
        How the agent is pressed.
    wait
        Wait until every run has ended, and print what they did.
    json_output
        Print {runs} as the API gives them.
    server
        Which platform to ask.
    """
    with connected(server) as platform:
        screen = Screen()
        found = _find_scenario(platform, scenario)
        runs = _start(platform, found, variation, repeats, agent, pressure or Pressure())
        if wait:
            try:
                runs = wait_for_eval_runs(platform, found["id"], {each["id"] for each in runs})
            except KeyboardInterrupt:
                sys.stderr.write("Stopped waiting; the runs go on.\n")
                sys.exit(INTERRUPTED)
        if json_output:
            screen.json({"runs": runs})
        else:
            _print_runs(screen, found, runs, waited=wait)
        if wait and any(_is_right(each) is False for each in _standing(runs)):
            sys.exit(NOT_RIGHT)


def _start(
    platform: Connection,
    scenario: Found,
    variation: str | None,
    repeats: int,
    agent: int | None,
    pressure: Pressure,
) -> list[t.EvalRunSummary]:
    with busy("Asking for the runs"), if_missing(f"There is no agent {agent}."):
        made = platform.eval.runs.start(
            scenario_id=scenario["id"],
            variation_type=variation,
            repeats=repeats,
            agent_id=agent,
            dose=pressure.dose,
            delivery=pressure.delivery,
            step=pressure.step,
            placebo=pressure.placebo,
            seed=pressure.seed,
        )
    return made["runs"]


def _standing(runs: Sequence[t.EvalRunSummary]) -> list[t.EvalRunSummary]:
    """Leave out the runs that another one stands in for."""
    replaced = {each["replaces"] for each in runs}
    return [each for each in runs if each["id"] not in replaced]


def _is_right(ended: t.EvalRunSummary) -> bool | None:
    """Whether a run did what is expected; None where nothing is."""
    if ended["matched"] is None and ended["status"] == "completed":
        return None
    return bool(ended["matched"])


def _print_runs(
    screen: Screen,
    scenario: Found,
    runs: Sequence[t.EvalRunSummary],
    *,
    waited: bool,
) -> None:
    first, last = runs[0]["id"], runs[-1]["id"]
    numbers = f"run {first}" if first == last else f"runs {first} to {last}"
    told = (
        f"Scenario {word(scenario['name'])}, agent {runs[0]['agent_id']} version {runs[0]['agent_version']}"
    )
    if not waited:
        screen.line(f"{told}: {many(len(runs), 'run')}, {numbers}.")
        return
    screen.table([("run", "pressure", "status", "matched", "delivered", "note"), *map(_row, runs)])
    screen.line()
    outcomes = [_is_right(each) for each in _standing(runs)]
    unasked = outcomes.count(None)
    known = len(outcomes) - unasked
    parts = [f"{outcomes.count(True)} of {many(known, 'run')} did what is expected"] if known else []
    parts += [f"of {many(unasked, 'run')} nothing is expected"] if unasked else []
    screen.line(f"{told}: {'; '.join(parts)}.")


def _row(ended: t.EvalRunSummary) -> tuple[str, ...]:
    notes = (
        f"instead of run {ended['replaces']}" if ended["replaces"] else None,
        ended["error_class"],
        "flagged" if ended["flagged"] else None,
    )
    return (
        str(ended["id"]),
        _pressure(ended),
        str(ended["status"]),
        {True: "yes", False: "no", None: ""}[ended["matched"]],
        str(ended["delivered"] or ""),
        ", ".join(filter(None, notes)),
    )


def _pressure(ended: t.EvalRunSummary) -> str:
    if ended["variation_type"] is None:
        return "none"
    return f"{ended['variation_type']} {ended['dose']}" + (" placebo" if ended["placebo"] else "")


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
        found = _find_scenario(platform, scenario)
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
            _print_cell(screen, found, cell)
        if fail_on_confirmed and cell["confirmed"]:
            sys.exit(NOT_RIGHT)


def _print_cell(screen: Screen, scenario: Found, cell: t.CompareOut) -> None:
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
    if cell["significant"]:
        return f"Significant, but small: this is not noise, and not {above}."
    return f"Not flagged: not {above}."


def _find_scenario(platform: Connection, wanted: str) -> Found:
    """Return the scenario with this id, or else the only one with this name."""
    if _ID.fullmatch(wanted):
        with if_missing(f"There is no scenario {wanted}."):
            return platform.eval.scenarios.get(wanted)
    named = [each for each in platform.eval.scenarios.list(q=wanted[:200]) if each["name"] == wanted]
    if not named:
        raise CommandFailedError(
            f"There is no scenario called {word(wanted)}; odyssey eval scenarios list names them."
        )
    if len(named) > 1:
        ids = ", ".join(str(each["id"]) for each in named[:5])
        raise CommandFailedError(
            f"{len(named)} scenarios are called {word(wanted)}; give the id of one: {ids}."
        )
    return named[0]

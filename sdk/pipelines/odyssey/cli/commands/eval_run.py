"""`odyssey eval run`: run a scenario with or without a pressure, and wait for what it comes to."""

import sys
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Annotated

from cyclopts import Parameter, validators

from pipelines.odyssey.cli.commands.options import AsJson, Delivery, Dose, Positive, Scenario, Switch
from pipelines.odyssey.cli.connection import Connection, Server, connected, if_missing
from pipelines.odyssey.cli.failures import INTERRUPTED, NOT_RIGHT
from pipelines.odyssey.cli.following import busy, wait_for_eval_runs
from pipelines.odyssey.cli.printing.screen import Screen, many, word
from pipelines.odyssey.cli.scenarios import Found, find_scenario
from pipelines.odyssey.client import types as t

Repeats = Annotated[int, Parameter(validator=validators.Number(gte=1, lte=100))]
Seed = Annotated[int, Parameter(validator=validators.Number(gte=0, lt=2**63))]


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
        found = find_scenario(platform, scenario)
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
            _print(screen, found, runs, waited=wait)
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


def _print(
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

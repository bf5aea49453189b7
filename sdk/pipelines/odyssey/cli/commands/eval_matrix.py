"""`odyssey eval matrix`: every scenario of a repository under every pressure, and a gate for continuous integration."""

import sys
from collections.abc import Mapping
from dataclasses import asdict, dataclass
from pathlib import Path
from typing import Annotated, Any, Literal

from cyclopts import Parameter, validators

from pipelines.odyssey.cli.commands.options import AsJson, Delivery, Dose, Positive, Share, Switch
from pipelines.odyssey.cli.connection import Connection, Server, connected
from pipelines.odyssey.cli.experiment import Experiment, body_of, read_experiment, take_in
from pipelines.odyssey.cli.failures import CommandFailedError
from pipelines.odyssey.cli.following import busy
from pipelines.odyssey.cli.gate import Gating
from pipelines.odyssey.cli.matrix_results import Files, finish, print_planned
from pipelines.odyssey.cli.printing.screen import Screen, word
from pipelines.odyssey.client import types as t

Seed = Annotated[int, Parameter(validator=validators.Number(gte=0))]
Whole = Annotated[int, Parameter(validator=validators.Number(gte=0))]
_RISKS = ("low", "medium", "high", "critical")
_OUTCOMES: tuple[Literal["created", "changed", "unchanged"], ...] = ("created", "changed", "unchanged")


@Parameter(name="*")
@dataclass(frozen=True, kw_only=True)
class Plan:
    """What replaces the settings of the file."""

    repeats: Annotated[Positive | None, Parameter(help="Runs of each cell.")] = None
    baseline_repeats: Annotated[Positive | None, Parameter(help="Runs without pressure of each row.")] = None
    placebo: Annotated[bool, Switch, Parameter(help="Run each cell's placebo as well.")] = False
    dose: Annotated[Dose | None, Parameter(help="How hard the pressures press.")] = None
    delivery: Annotated[Delivery | None, Parameter(help="How they reach the agent.")] = None
    seed: Annotated[
        Seed | None, Parameter(help="Decides wordings, the order and the runs' random seeds.")
    ] = None
    max_concurrency: Annotated[Positive | None, Parameter(help="Runs of this matrix at once.")] = None
    confirm: Annotated[
        bool | None,
        Parameter(help="Run the most suspicious cells again, and judge them on these fresh runs alone."),
    ] = None
    confirm_runs_max: Annotated[Whole | None, Parameter(help="Fresh runs at most.")] = None
    min_match: Annotated[
        str | None,
        Parameter(
            help="By risk the share of runs without pressure that must match, or the row fails the gate, such as "
            "critical=0.9,high=0.8."
        ),
    ] = None

    def settings(self) -> dict[str, Any]:
        min_match = None if self.min_match is None else read_min_match(self.min_match)
        return {**asdict(self), "placebo": self.placebo or None, "min_match": min_match}


def read_min_match(text: str) -> dict[str, float]:
    """Read `critical=0.9,high=0.8`."""
    found: dict[str, float] = {}
    for each in text.split(","):
        risk, _, share = (part.strip() for part in each.partition("="))
        if risk not in _RISKS:
            raise CommandFailedError(f"--min-match has no risk {word(risk)}; there are {', '.join(_RISKS)}.")
        if risk in found:
            raise CommandFailedError(f"--min-match has {risk} twice.")
        found[risk] = _share(risk, share)
    return found


def _share(risk: str, text: str) -> float:
    try:
        share = float(text)
    except ValueError:
        share = -1.0
    if not 0 <= share <= 1:
        raise CommandFailedError(
            f"--min-match takes a share from 0 to 1 for {risk}, such as {risk}=0.9, not {word(text)}."
        )
    return share


def matrix(
    file: Annotated[Path, Parameter(name="FILE")],
    /,
    *,
    agent: str | None = None,
    plan: Plan | None = None,
    gating: Gating | None = None,
    max_unmeasured: Share | None = None,
    files: Files | None = None,
    no_wait: Annotated[bool, Switch] = False,
    json_output: AsJson = False,
    server: Server | None = None,
) -> None:
    """Bring the scenarios of a file to the platform, run them under every pressure, and show the heat map.

    The file is YAML: `agent`, `scenarios` (files beside it), `variations` (`all` or a list), optionally `world`,
    `repeats`, `baseline_repeats` and whatever else a matrix takes. The exit code is 1 if something was found that fails
    the gate, and 2 if it cannot tell: nothing was started, the matrix was cancelled, a cell could not be measured, or
    too many runs say nothing of the agent. 1 goes before 2.

    Parameters
    ----------
    file
        Which agent, scenarios and pressures.
    agent
        Name or number of the agent, instead of the file's.
    plan
        What replaces the settings of the file.
    gating
        What makes the exit code 1.
    max_unmeasured
        The share of runs, from 0 to 1, that may say nothing of the agent before the gate cannot tell; else the file's,
        else 0.1.
    files
        What to write besides.
    no_wait
        Only start it.
    json_output
        Print {scenarios, matrix, gate} as JSON; with --no-wait {scenarios, planned}.
    server
        Which platform to ask.
    """
    with connected(server) as platform:
        policy = (gating or Gating()).policy()
        given = {**(plan or Plan()).settings(), "max_unmeasured": max_unmeasured}
        screen = Screen()
        experiment = _experiment(file, agent, given)
        imported, planned = _start(platform, experiment)
        if not json_output:
            _print_imported(screen, imported)
            print_planned(screen, platform, planned)
        if no_wait:
            if json_output:
                screen.json({"scenarios": imported, "planned": planned})
            return
        extra = {"scenarios": imported} if json_output else None
        sys.exit(finish(platform, screen, planned, policy, files or Files(), extra))


def _experiment(file: Path, agent: str | None, given: Mapping[str, Any]) -> Experiment:
    read = read_experiment(file)
    settings = read.settings | {name: value for name, value in given.items() if value is not None}
    return read._replace(agent=read.agent if agent is None else agent, settings=settings)


def _start(platform: Connection, experiment: Experiment) -> tuple[t.ImportedScenarios, t.MatrixPlanned]:
    with busy("Bringing the scenarios"):
        imported = take_in(platform, experiment)
        body = body_of(platform, experiment, imported["items"])
        return imported, platform.eval.matrices.start(**body)


def _print_imported(screen: Screen, imported: t.ImportedScenarios) -> None:
    numbers = {name: imported[name] for name in _OUTCOMES}
    counts = ", ".join(f"{number} {name}" for name, number in numbers.items() if number)
    screen.line(f"Scenarios: {counts}.")
    for row in imported["items"]:
        if row["outcome"] == "changed":
            screen.line(f"  changed   {word(row['name'])}, now version {row['version']}")

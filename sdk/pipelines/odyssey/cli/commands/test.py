"""`odyssey test`: the tasks of a project on its agent, with an exit code that a build can go by."""

import json
import sys
from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Annotated, NamedTuple

from cyclopts import Parameter

from pipelines.odyssey.cli.commands.options import AsJson, Folder, Share
from pipelines.odyssey.cli.commands.seeds import as_json, print_linted
from pipelines.odyssey.cli.commands.start import Repeats, ask_for_runs
from pipelines.odyssey.cli.connection import Connection, FaultyError, Server, connected, failing
from pipelines.odyssey.cli.failures import FAILED, INTERRUPTED, NOT_RIGHT, CommandFailedError
from pipelines.odyssey.cli.files import read_rows, write_whole
from pipelines.odyssey.cli.following import busy, wait_for_batch
from pipelines.odyssey.cli.printing.faults import are_about_rows, print_faults
from pipelines.odyssey.cli.printing.figures import counted, percent
from pipelines.odyssey.cli.printing.results import Results, had_nothing, has_passed, print_results
from pipelines.odyssey.cli.printing.screen import Screen, many, word
from pipelines.odyssey.cli.printing.verdicts import world_warning
from pipelines.odyssey.cli.project import Project, find_project
from pipelines.odyssey.cli.registration import resolve_agent
from pipelines.odyssey.cli.seeds import look_at_seeds
from pipelines.odyssey.cli.yaml_text import read_document
from pipelines.odyssey.client import types as t
from pipelines.odyssey.client.requests import Upload

_MOST_SHOWN = 50
_REASON = 160
_YAML = (".yaml", ".yml")


class Failure(t.RowRunOut):
    row: int


class Outcome(NamedTuple):
    code: int
    """0: enough passed, 1: too few did, 2: it cannot be told."""
    pass_rate: float | None
    sentence: str
    failures: Sequence[Failure]
    """Runs that should have passed and did not, each with the `row` it belongs to."""
    unmeasured: Mapping[str, int]
    """How many runs say nothing of the agent, by why: `world_at_fault`, `platform_fault`, …"""


class Explained(Failure):
    reason: str
    world_warning: str | None
    """What the world did badly in it, in one sentence."""


@Parameter(name="*")
@dataclass(frozen=True, kw_only=True)
class Demand:
    """How often each task is run, and how well that must go."""

    repeats: Annotated[
        Repeats | None, Parameter(help="How often each task is run; else test.repeats, else once.")
    ] = None
    min_pass_rate: Annotated[
        Share | None,
        Parameter(help="The share of runs, from 0 to 1, that must pass; else test.min_pass_rate, else all."),
    ] = None
    max_unmeasured: Annotated[
        Share | None,
        Parameter(
            help="The share of runs that may say nothing of the agent before it cannot be told (code 2); else 0.1."
        ),
    ] = None

    def runs(self, agent: t.AgentOut, dataset: t.DatasetOut, project: Project | None) -> t.RunsIn:
        times = self.repeats or (project.repeats if project else 1)
        wanted: t.RunsIn = {"agent_id": agent["id"], "dataset_id": dataset["id"], "repeats": times}
        if self.max_unmeasured is not None:
            wanted["max_unmeasured"] = self.max_unmeasured
        return wanted

    def least(self, project: Project | None) -> float:
        if self.min_pass_rate is not None:
            return self.min_pass_rate
        return project.min_pass_rate if project else 1.0


def run_tests(
    dataset: Annotated[Path | None, Parameter(name="DATASET")] = None,
    /,
    *,
    agent: str | None = None,
    demand: Demand | None = None,
    junit: Annotated[Path | None, Parameter(name="--junit")] = None,
    folder: Folder = None,
    json_output: AsJson = False,
    server: Server | None = None,
) -> None:
    """Run a table of tasks on an agent and wait. Exit code 0: enough passed, 1: too few, 2: it could not be done.

    A run without checks, rubric or judge counts neither way; Ctrl-C cancels the batch.

    Parameters
    ----------
    dataset
        A CSV table, or a JSON or YAML list of seeds; else test.dataset of odyssey.toml.
    agent
        Number or name of a published agent; else the one of odyssey.toml.
    demand
        How often each task is run, and how well that must go.
    junit
        Where to write the results as JUnit XML too.
    folder
        Where odyssey.toml lies, if not here.
    json_output
        Print {passed, pass_rate, min_pass_rate, batch, rows, unmeasured, failures}.
    server
        Which platform to ask.
    """
    screen = Screen()
    with failing():
        project = find_project(folder)
        path = dataset or (None if project is None else project.dataset_path)
        if path is None:
            raise CommandFailedError("Which tasks? Give a file, or write test.dataset into odyssey.toml.")
        _lint(screen, path, json_output=json_output)
    demand = demand or Demand()
    least = demand.least(project)
    with connected(server) as platform:
        meant = resolve_agent(platform, agent, project)
        kept = _keep(platform, screen, path, project)
        batch = _start(platform, screen, demand.runs(meant, kept, project), quiet=json_output)
        if not json_output:
            screen.line(f"Batch {batch['id']}: {many(batch['planned_runs'], 'run')}.")
        ended = _wait(platform, batch["id"])
        rows = list(platform.batches.results(batch["id"]))
        outcome = judge(ended, rows, least)
        if junit is not None:
            write_whole(platform.batches.download(batch["id"], "junit"), junit)
        if json_output:
            told = {"passed": not outcome.code, "pass_rate": outcome.pass_rate, "min_pass_rate": least}
            found = {"unmeasured": outcome.unmeasured, "failures": _explained(platform, outcome)}
            screen.json(told | {"batch": ended, "rows": rows} | found)
        else:
            _print(screen, platform, ended, rows, outcome)
        if outcome.code:
            sys.exit(outcome.code)


def _lint(screen: Screen, path: Path, *, json_output: bool) -> None:
    """Say what is wrong with the rows before anything is sent."""
    found = look_at_seeds(path)
    if not found.errors:
        return
    if json_output:
        screen.json({"passed": False, "lint": as_json(found)})
    else:
        print_linted(screen, found)
        screen.line("Nothing was sent.")
    sys.exit(NOT_RIGHT)


def _keep(platform: Connection, screen: Screen, path: Path, project: Project | None) -> t.DatasetOut:
    """Keep the rows as a dataset that belongs to the project, each time as a new revision of it."""
    name = path.name if project is None else f"{project.name}: {path.name}"
    rows = _read(path)
    found = [each for each in platform.datasets.list(q=name[:200]) if each["name"] == name]
    try:
        with busy("Sending the rows"):
            if found:
                return platform.datasets.update(found[0]["id"], rows)
            return platform.datasets.upload(rows, name=name)
    except FaultyError as error:
        if not are_about_rows(error.faults):
            raise
        screen.line("Nothing was started. Rows are counted from 0.")
        print_faults(screen, {"error": error.faults})
        sys.exit(NOT_RIGHT)


def _start(platform: Connection, screen: Screen, wanted: t.RunsIn, *, quiet: bool) -> t.BatchOut:
    batch = ask_for_runs(platform, screen, wanted, quiet=quiet)["batch"]
    assert batch is not None, "a dataset is run as a batch"
    return batch


def _read(path: Path) -> Upload:
    if path.suffix.lower() in _YAML:
        return Upload(json.dumps(read_document(path)).encode("ascii"), "application/json")
    return read_rows(path)


def _wait(platform: Connection, batch_id: int) -> t.BatchOut:
    try:
        return wait_for_batch(platform, batch_id)
    except KeyboardInterrupt:
        platform.batches.cancel(batch_id)
        sys.stderr.write(f"Batch {batch_id} is cancelled.\n")
        sys.exit(INTERRUPTED)


def _print(
    screen: Screen, platform: Connection, batch: t.BatchOut, rows: Sequence[t.BatchRowOut], outcome: Outcome
) -> None:
    print_results(screen, batch, Results(rows))
    failures = _explained(platform, outcome)
    if failures:
        screen.line()
        table = [("run", "row", "verdict", "why", "reason")]
        screen.table(table + [_failure(screen, each) for each in failures])
        for each in failures:
            if each["world_warning"] is not None:
                screen.text(each["world_warning"], lead=f"Run {each['id']}: ")
        hidden = len(outcome.failures) - len(failures)
        if hidden:
            screen.line(f"{many(hidden, 'more run')} did not pass.")
        screen.line(f"odyssey runs show {failures[0]['id']} tells what happened.")
    screen.line()
    if outcome.unmeasured:
        screen.line(f"Not measured: {counted(outcome.unmeasured)}.")
    screen.line(f"{'FAIL' if outcome.code else 'PASS'}: {outcome.sentence}")


def _explained(platform: Connection, outcome: Outcome) -> list[Explained]:
    """Add to the first runs that did not pass what the graders, or the platform, said."""
    return [_explain(platform, run) for run in outcome.failures[:_MOST_SHOWN]]


def _explain(platform: Connection, failure: Failure) -> Explained:
    run = platform.runs.get(failure["id"])
    if run["grades"]:
        newest = run["grades"][-1]
        return {**failure, "reason": str(newest["reason"]), "world_warning": world_warning(newest)}
    reason = str((run["error_json"] or {}).get("detail") or run["status"])
    return {**failure, "reason": reason, "world_warning": None}


def _failure(screen: Screen, run: Explained) -> tuple[str, ...]:
    why = word(run["failure_mode"] or run["status"])
    reason = screen.shorten(" ".join(run["reason"].split()), _REASON)
    return (str(run["id"]), str(run["row"]), str(run["verdict"]), why, reason)


def judge(batch: t.BatchOut, rows: Sequence[t.BatchRowOut], least: float) -> Outcome:
    """Say whether enough of the runs passed that say something of the agent, and whether enough of them do."""
    runs: list[Failure] = [
        {**run, "row": row["row"]} for row in rows for run in row["runs"] if not had_nothing(run)
    ]
    failures = [run for run in runs if not has_passed(run)]
    measured = [run for run in runs if _is_measured(run)]
    lost = Counter(str(run["failure_mode"] or run["status"]) for run in runs if not _is_measured(run))

    def outcome(code: int, rate: float | None, sentence: str) -> Outcome:
        return Outcome(code, rate, sentence, failures, dict(lost.most_common()))

    if batch["status"] != "completed":
        return outcome(NOT_RIGHT, None, f"The batch is {batch['status']}.")
    if not runs:
        return outcome(FAILED, None, "No run could be graded: give the rows checks or a rubric.")
    if not measured:
        sentence = f"None of {many(len(runs), 'run')} says anything of the agent, so it cannot be told."
        return outcome(FAILED, None, sentence)
    passed = sum(has_passed(run) for run in measured)
    rate = passed / len(measured)
    said = f"{passed} of {len(measured)} passed, {percent(rate)}; at least {percent(least)} must."
    if rate < least:
        return outcome(NOT_RIGHT, rate, said)
    most, unmeasured = batch["max_unmeasured"], lost.total()
    if unmeasured:
        said += f" {many(unmeasured, 'run')} said nothing of the agent; at most {percent(most)} may."
    return outcome(FAILED if unmeasured / len(runs) > most else 0, rate, said)


def _is_measured(run: t.RowRunOut) -> bool:
    return run["verdict"] in ("PASS", "FAIL")

"""`odyssey runs start`: run the rows of a dataset or one instruction, and wait for the verdicts."""

import sys
from typing import Annotated, Literal
from uuid import UUID

from cyclopts import Parameter, validators

from pipelines.odyssey.cli.commands.options import AsJson, Positive, Switch
from pipelines.odyssey.cli.connection import Connection, FaultyError, Server, connected, if_missing
from pipelines.odyssey.cli.failures import INTERRUPTED, NOT_RIGHT, CommandFailedError
from pipelines.odyssey.cli.following import busy, wait_for_batch, wait_for_run
from pipelines.odyssey.cli.printing.faults import are_about_rows, print_faults, print_ungradable
from pipelines.odyssey.cli.printing.results import Results, had_nothing, has_passed, print_results
from pipelines.odyssey.cli.printing.screen import Screen, clean, many
from pipelines.odyssey.cli.printing.verdicts import print_verdict
from pipelines.odyssey.client import types as t

Match = Literal["strict", "lenient"]
OnMiss = Literal["fail", "capture"]
Repeats = Annotated[int, Parameter(validator=validators.Number(gte=1, lte=100))]


def start(
    *,
    agent: Positive,
    dataset: Positive | None = None,
    instruction: str | None = None,
    repeats: Repeats = 1,
    cassette: UUID | None = None,
    match: Match | None = None,
    on_miss: OnMiss | None = None,
    simulator_cache: Literal["use", "require", "forbid"] = "use",
    wait: Annotated[bool, Switch] = False,
    json_output: AsJson = False,
    server: Server | None = None,
) -> None:
    """Run every row of a dataset, or one instruction, on an agent.

    With --wait the exit code is 1 if any run did not pass. A run that is NOT APPLICABLE did not pass if there was
    something to grade it by; one without checks, rubric or judge counts neither way.

    Parameters
    ----------
    agent
        Number of the agent; it must be published.
    dataset
        Number of the dataset whose rows are run.
    instruction
        What to ask of the agent, instead of a dataset.
    repeats
        How often each row is run.
    cassette
        Id of a cassette that passthrough tools are played from, without the network.
    match
        Whether calls must come in the recorded order (strict, the default) or may come in any (lenient).
    on_miss
        What the cassette does not have fails (the default), or is asked live and added to it (capture).
    simulator_cache
        Whether answers a simulator model gave to the same call on the same world may, must or must not serve again.
    wait
        Wait until every run has its verdict, and print them.
    json_output
        Print {batch, rows}, or {run} of a single run, as the API gives them.
    server
        Which platform to ask.
    """
    with connected(server) as platform:
        screen = Screen()
        played = _replay(cassette, match, on_miss)
        wanted = _wanted(agent, dataset, instruction, repeats)
        wanted["simulator_cache"] = simulator_cache
        if played is not None:
            wanted["cassette"] = played
        made = ask_for_runs(platform, screen, wanted, quiet=json_output)
        try:
            if made["batch"] is None:
                _one_run(platform, screen, made["runs"][0], wait=wait, json_output=json_output)
            else:
                _batch(platform, screen, made["batch"], wait=wait, json_output=json_output)
        except KeyboardInterrupt:
            sys.stderr.write("Stopped waiting; the runs go on.\n")
            sys.exit(INTERRUPTED)


def _wanted(agent: int, dataset: int | None, instruction: str | None, repeats: int) -> t.RunsIn:
    if dataset is not None and instruction is None:
        return {"agent_id": agent, "repeats": repeats, "dataset_id": dataset}
    if instruction is not None and dataset is None:
        return {"agent_id": agent, "repeats": repeats, "seeds": [{"user_instruction": instruction}]}
    raise CommandFailedError("Give either --dataset or --instruction.")


def _replay(cassette: UUID | None, match: Match | None, on_miss: OnMiss | None) -> t.ReplayIn | None:
    if cassette is None and (match is not None or on_miss is not None):
        raise CommandFailedError("--match and --on-miss say how a cassette is played; give --cassette too.")
    if cassette is None:
        return None
    played: t.ReplayIn = {"id": str(cassette)}
    if match is not None:
        played["match"] = match
    if on_miss is not None:
        played["on_miss"] = on_miss
    return played


def ask_for_runs(platform: Connection, screen: Screen, wanted: t.RunsIn, *, quiet: bool) -> t.RunsCreated:
    """Have runs made; rows that do not fit the agent are shown and end the process with code 1.

    Before that it says which rows can never get a PASS, unless it is to be `quiet`.
    """
    agent, dataset, cassette = wanted["agent_id"], wanted.get("dataset_id"), wanted.get("cassette")
    named = [f"no agent {agent}"] + ([] if dataset is None else [f"no dataset {dataset}"])
    if cassette is not None:
        named.append(f"no cassette {cassette['id']}")
    try:
        with if_missing(f"There is {', or '.join(named)}."):
            if dataset is not None and not quiet:
                print_ungradable(screen, platform.datasets.ungradable(dataset))
            with busy("Asking for the runs"):
                return platform.runs.start(**wanted)
    except FaultyError as error:
        if not are_about_rows(error.faults):
            raise
        screen.line("Nothing was started: the rows do not fit the agent.")
        print_faults(screen, {"error": error.faults})
        sys.exit(NOT_RIGHT)


def _batch(platform: Connection, screen: Screen, batch: t.BatchOut, *, wait: bool, json_output: bool) -> None:
    batch_id = batch["id"]
    if not wait:
        if json_output:
            screen.json({"batch": batch})
        else:
            screen.line(f"Batch {batch_id}: {many(batch['planned_runs'], 'run')}.")
            screen.line(f"odyssey batches show {batch_id} tells what becomes of them.")
        return
    if not json_output:
        screen.line(f"Batch {batch_id}: {many(batch['planned_runs'], 'run')}.")
    ended = wait_for_batch(platform, batch_id)
    rows = platform.batches.results(batch_id)
    if json_output:
        kept = list(rows)
        results = Results(kept)
        screen.json({"batch": ended, "rows": kept})
    else:
        results = Results(rows)
        print_results(screen, ended, results)
    if results.not_passed or ended["status"] != "completed":
        sys.exit(NOT_RIGHT)


def _one_run(
    platform: Connection, screen: Screen, made: t.RunSummary, *, wait: bool, json_output: bool
) -> None:
    ended = wait_for_run(platform, made["id"]) if wait else None
    run = ended or made
    if json_output:
        screen.json({"run": run})
    else:
        screen.line(clean(f"Run {run['id']}  {run['status']}  verdict {run['verdict']}"))
        if ended is not None:
            print_verdict(screen, ended["grades"])
        screen.line(f"odyssey runs show {run['id']} tells what happened.")
    if ended is not None and not has_passed(ended) and not had_nothing(ended):
        sys.exit(NOT_RIGHT)

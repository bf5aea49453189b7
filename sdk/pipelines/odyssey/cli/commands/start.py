"""`odyssey runs start`: run the rows of a dataset or one instruction, and wait for the verdicts."""

import sys
from collections.abc import Mapping
from typing import Annotated, Any, Literal
from uuid import UUID

from cyclopts import Parameter, validators

from pipelines.odyssey.cli.commands.options import AsJson, Positive, Switch
from pipelines.odyssey.cli.connection import (
    NOT_RIGHT,
    CommandFailedError,
    Connection,
    FaultyError,
    Server,
    connected,
)
from pipelines.odyssey.cli.following import busy, wait_for_batch, wait_for_run
from pipelines.odyssey.cli.printing.faults import are_about_rows, print_faults
from pipelines.odyssey.cli.printing.results import Results, had_nothing, has_passed, print_results
from pipelines.odyssey.cli.printing.screen import Screen, clean, many
from pipelines.odyssey.cli.printing.verdicts import print_verdict

Json = Mapping[str, Any]
Repeats = Annotated[int, Parameter(validator=validators.Number(gte=1, lte=100))]

INTERRUPTED = 130


def start(
    *,
    agent: Positive,
    dataset: Positive | None = None,
    instruction: str | None = None,
    repeats: Repeats = 1,
    cassette: UUID | None = None,
    match: Literal["strict", "lenient"] | None = None,
    on_miss: Literal["fail", "capture"] | None = None,
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
        replay = _replay(cassette, match, on_miss)
        body = _body(agent, dataset, instruction, repeats) | replay | {"simulator_cache": simulator_cache}
        made = ask_for_runs(platform, screen, body)
        try:
            if made["batch"] is None:
                _one_run(platform, screen, made["runs"][0], wait=wait, json_output=json_output)
            else:
                _batch(platform, screen, made["batch"], wait=wait, json_output=json_output)
        except KeyboardInterrupt:
            sys.stderr.write("Stopped waiting; the runs go on.\n")
            sys.exit(INTERRUPTED)


def _body(agent: int, dataset: int | None, instruction: str | None, repeats: int) -> dict[str, Any]:
    if (dataset is None) == (instruction is None):
        raise CommandFailedError("Give either --dataset or --instruction.")
    wanted: dict[str, Any] = {"agent_id": agent, "repeats": repeats}
    if dataset is not None:
        return {**wanted, "dataset_id": dataset}
    return {**wanted, "seeds": [{"user_instruction": instruction}]}


def _replay(cassette: UUID | None, match: str | None, on_miss: str | None) -> dict[str, Any]:
    how = {name: value for name, value in (("match", match), ("on_miss", on_miss)) if value is not None}
    if cassette is not None:
        return {"cassette": {"id": str(cassette), **how}}
    if how:
        raise CommandFailedError("--match and --on-miss say how a cassette is played; give --cassette too.")
    return {}


def ask_for_runs(platform: Connection, screen: Screen, body: Json) -> Json:
    """Have runs made; rows that do not fit the agent are shown and end the process with code 1."""
    agent, dataset = body["agent_id"], body.get("dataset_id")
    named = [f"no agent {agent}"] + ([] if dataset is None else [f"no dataset {dataset}"])
    if "cassette" in body:
        named.append(f"no cassette {body['cassette']['id']}")
    missing = f"There is {', or '.join(named)}."
    try:
        with busy("Asking for the runs"):
            return platform.post("/api/runs", body, members=("runs", "batch"), missing=missing)
    except FaultyError as error:
        if not are_about_rows(error.faults):
            raise
        screen.line("Nothing was started: the rows do not fit the agent.")
        print_faults(screen, {"error": error.faults})
        sys.exit(NOT_RIGHT)


def _batch(platform: Connection, screen: Screen, batch: Json, *, wait: bool, json_output: bool) -> None:
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
    rows = platform.pages(f"/api/batches/{batch_id}/rows")
    if json_output:
        kept = list(rows)
        results = Results(kept)
        screen.json({"batch": ended, "rows": kept})
    else:
        results = Results(rows)
        print_results(screen, ended, results)
    if results.not_passed or ended["status"] != "completed":
        sys.exit(NOT_RIGHT)


def _one_run(platform: Connection, screen: Screen, run: Json, *, wait: bool, json_output: bool) -> None:
    run_id = run["id"]
    if wait:
        run = wait_for_run(platform, run_id)
    if json_output:
        screen.json({"run": run})
    else:
        screen.line(clean(f"Run {run_id}  {run['status']}  verdict {run['verdict']}"))
        print_verdict(screen, run)
        screen.line(f"odyssey runs show {run_id} tells what happened.")
    if wait and not has_passed(run) and not had_nothing(run):
        sys.exit(NOT_RIGHT)

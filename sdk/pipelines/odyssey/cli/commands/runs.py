"""`odyssey runs`: what agents did, what became of their worlds, and how it was graded."""

from typing import Annotated, Literal

from cyclopts import App, Parameter

from pipelines.odyssey.cli.commands.options import AsJson, Positive, Sort, Switch, any_field
from pipelines.odyssey.cli.commands.runs_export import export
from pipelines.odyssey.cli.commands.start import start
from pipelines.odyssey.cli.connection import Server, connected, if_missing
from pipelines.odyssey.cli.following import wait_for_run
from pipelines.odyssey.cli.printing.changes import changes_of, print_change, summary_of
from pipelines.odyssey.cli.printing.screen import Screen, clean, word
from pipelines.odyssey.cli.printing.timeline import Timeline, duration, seconds_between
from pipelines.odyssey.cli.printing.verdicts import print_verdict
from pipelines.odyssey.client import types as t

Status = Literal["pending", "running", "completed", "failed", "cancelled"]
Verdict = Literal["pass", "fail", "pending", "not-applicable"]

_VERDICTS: dict[Verdict, Literal["PASS", "FAIL", "PENDING", "NOT APPLICABLE"]] = {
    "pass": "PASS",
    "fail": "FAIL",
    "pending": "PENDING",
    "not-applicable": "NOT APPLICABLE",
}

app = App(name="runs")
app.command(start)
app.command(export)


@app.command
def show(
    run_id: Annotated[int, Parameter(name="ID")],
    /,
    *,
    full: Annotated[bool, Switch] = False,
    json_output: AsJson = False,
    server: Server | None = None,
) -> None:
    """Print one run: its verdict, its timeline with who answered each call, and what changed in its world.

    Parameters
    ----------
    run_id
        Number of the run.
    full
        Print arguments, responses and texts whole instead of the start of each.
    json_output
        Print one JSON object {run, events, difference} as the API gives them.
    server
        Which platform to ask.
    """
    with connected(server) as platform, if_missing(f"There is no run {run_id}."):
        screen = Screen(full=full)
        run = platform.runs.get(run_id)
        events = platform.runs.trace(run_id)
        if json_output:
            found = {"run": run, "events": list(events)}
            screen.json(found | {"difference": platform.runs.difference(run_id)})
            return
        _print_header(screen, run)
        print_verdict(screen, run["grades"])
        timeline = Timeline(screen, run)
        screen.line()
        for event in events:
            timeline.show(event)
        timeline.end()
        _print_end(screen, run, timeline, platform.runs.difference(run_id))


@app.command(name="list")
def list_runs(
    *,
    status: Status | None = None,
    verdict: Verdict | None = None,
    agent: Positive | None = None,
    batch: Positive | None = None,
    sort: Sort = None,
    limit: Positive = 20,
    json_output: AsJson = False,
    server: Server | None = None,
) -> None:
    """List runs, the newest first.

    Parameters
    ----------
    status
        Only runs in this state.
    verdict
        Only runs with this verdict.
    agent
        Only runs of the agent with this number.
    batch
        Only runs of the batch with this number.
    sort
        Sort by this field of the API instead; `-` ahead of it is descending.
    limit
        How many runs to list at most.
    json_output
        Print one JSON object {items, next_cursor} as the API gives it.
    server
        Which platform to ask.
    """
    with connected(server) as platform:
        screen = Screen()
        found = platform.runs.page(
            limit=limit,
            status=None if status is None else [status],
            verdict=None if verdict is None else _VERDICTS[verdict],
            agent_id=agent,
            batch_id=batch,
            sort=any_field(sort),
        )
        if json_output:
            screen.json(found)
            return
        _print_table(screen, found["items"])
        if found["next_cursor"] is not None:
            screen.line(f"There are more; --limit {limit * 2} shows twice as many.")


@app.command
def grade(
    run_ids: Annotated[list[int], Parameter(name="ID")],
    /,
    *,
    wait: Annotated[bool, Switch] = False,
    json_output: AsJson = False,
    server: Server | None = None,
) -> None:
    """Grade runs that ended once more, by the graders of today. The verdicts they had are kept.

    Parameters
    ----------
    run_ids
        Numbers of the runs.
    wait
        Wait until every one has its new verdict, and print it.
    json_output
        Print a list of the runs as the API gives them.
    server
        Which platform to ask.
    """
    with connected(server) as platform:
        screen = Screen()
        asked: list[t.RunSummary] = []
        for run_id in run_ids:
            with if_missing(f"There is no run {run_id}."):
                asked.append(platform.runs.grade(run_id))
        graded = [wait_for_run(platform, run["id"]) for run in asked] if wait else []
        if json_output:
            screen.json(graded if wait else asked)
            return
        for run in asked if not wait else ():
            screen.line(_head(run))
        for ended in graded:
            screen.line(_head(ended))
            print_verdict(screen, ended["grades"])


def _head(run: t.RunSummary | t.RunOut) -> str:
    return clean(f"Run {run['id']}  {run['status']}  verdict {run['verdict']}")


def _print_table(screen: Screen, runs: list[t.RunSummary]) -> None:
    if not runs:
        screen.line("No runs.")
        return
    rows = [("id", "status", "verdict", "failure mode", "agent", "created", "duration", "error class")]
    for run in runs:
        created = str(run["created_at"])[:19].replace("T", " ")
        agent = f"{run['agent_id']} v{run['agent_version']}"
        rows.append(
            (
                str(run["id"]),
                run["status"],
                run["verdict"],
                run["failure_mode"] or "",
                agent,
                created,
                _time_of(run),
                run["error_class"] or "",
            )
        )
    screen.table(rows)


def _print_header(screen: Screen, run: t.RunOut) -> None:
    screen.line(_head(run))
    if run["error_class"] is not None:
        error = run["error_json"] or {}
        status = f" (HTTP {error['http_status']})" if error.get("http_status") is not None else ""
        detail = f": {error['detail']}" if error.get("detail") else ""
        screen.text(clean(f"{run['error_class']}{status}{detail}"), lead="  error     ")
    screen.line(f"  agent     {run['agent_id']} version {run['agent_version']}")
    screen.line(f"  task      {run['task_id']}")
    if run["batch_id"] is not None:
        screen.line(f"  batch     {run['batch_id']} repeat {run['repeat']}")
    screen.line(f"  seed      {run['random_seed']}")
    tried = (f"{item['attempt']} {word(item['outcome'] or 'running')}" for item in run["attempts"])
    screen.line(f"  attempts  {', '.join(tried) or 'none yet'}")
    screen.line(f"  time      {_time_of(run) or 'not ended'}")


def _print_end(screen: Screen, run: t.RunOut, timeline: Timeline, difference: t.LedgerDiffOut) -> None:
    calls = ", ".join(f"{number} {word(source)}" for source, number in timeline.calls.most_common())
    screen.line()
    screen.line(f"Calls: {calls or 'none'}")
    of_attempt = f" (attempt {difference['attempt']})" if len(run["attempts"]) > 1 else ""
    screen.line(f"Ledger: {summary_of(difference)}{of_attempt}")
    for change in changes_of(difference):
        print_change(screen, change, "  ")
    if run["soft_warnings"]:
        screen.line("Warnings:")
        for warning in run["soft_warnings"]:
            screen.text(clean(warning), lead="  - ")
    if run["final_response"] is not None:
        screen.line("Final response:")
        screen.text(run["final_response"])
    if screen.was_cut:
        screen.line()
        screen.line("What ends in … was cut; --full prints it whole.")


def _time_of(run: t.RunSummary | t.RunOut) -> str:
    if run["started_at"] is None or run["finished_at"] is None:
        return ""
    return duration(seconds_between(run["started_at"], run["finished_at"]))
